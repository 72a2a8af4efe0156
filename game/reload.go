package game

// Reloader is for mods that are made of a source text, such as scripts, and can change to
// another one while the match goes on.
type Reloader interface {
	// Reload changes to a source. With an error the mod stays as it was.
	Reload(tx *Tx, source string) error
}

// reload applies a CmdReload. The mod may have other hooks afterwards, and runs again if it
// was switched off.
func (w *World) reload(cmd *Command) {
	if cmd.Value < 0 || int(cmd.Value) >= len(w.mods) {
		return
	}
	r, ok := w.mods[cmd.Value].(Reloader)
	if !ok {
		return
	}
	i := int(cmd.Value)
	wasOff := w.modsOff[i]
	w.modsOff[i] = false
	reloaded := false
	w.protect(ownerOf(i), func() { reloaded = r.Reload(&w.tx, cmd.Text) == nil })
	if reloaded {
		w.hooksChanged()
	} else if wasOff {
		w.modsOff[i] = true
	}
}
