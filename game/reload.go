package game

// Reloader is for mods that are made of a source text, such as scripts, and can change to
// another one while the match goes on.
type Reloader interface {
	// Reload changes to a source. With an error the mod stays as it was.
	Reload(tx *Tx, source string) error
}

// reload applies a CmdReload. The mod may have other hooks afterwards.
func (w *World) reload(cmd *Command) {
	if cmd.Value < 0 || int(cmd.Value) >= len(w.mods) {
		return
	}
	r, ok := w.mods[cmd.Value].(Reloader)
	if !ok || r.Reload(&w.tx, cmd.Text) != nil {
		return
	}
	w.hooks = hooks{}
	if err := w.resolveHooks(); err != nil {
		panic(err) // the methods are those that New checked
	}
}
