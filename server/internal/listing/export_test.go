package listing

// Registered reports whether the server registers at masters of sv_register, and how many list it.
func (l *Listing) Registered() (lists int, ok bool) {
	if l.masters.active == nil {
		return 0, false
	}
	return l.masters.active.registrar.NumRegistered(), true
}
