package game

// Reloader is for modes and mods whose behaviour comes from a source text, such as scripts. It can
// replace the source in a running match.
type Reloader interface {
	// Reload replaces the source. If it returns an error, the mod must be unchanged.
	Reload(tx *Tx, source string) error
}

// ReloadMode is the Value of a CmdReload for the mode; mods have their index in Config.Mods.
const ReloadMode = -1

// reload applies a CmdReload. The mode or mod may have other hooks afterwards, and a mod runs again
// if it was switched off.
func (w *World) reload(cmd *Command) {
	i := int(cmd.Value)
	if i == ReloadMode {
		if r, ok := w.mode.(Reloader); ok && r.Reload(&w.tx, cmd.Text) == nil {
			w.hooksChanged()
		}
		return
	}
	if i < 0 || i >= len(w.mods) {
		return
	}
	r, ok := w.mods[i].(Reloader)
	if !ok {
		return
	}
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
