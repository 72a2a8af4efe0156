package server

import "slices"

// tickEmpty acts on the settings for an empty server after the last client has left.
func (s *Server) tickEmpty() {
	used := slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil })
	if left := s.used && !used; left {
		if s.settings.ShutdownWhenEmpty != 0 {
			s.shutdown.requested = true
		}
		if s.settings.ReloadWhenEmpty != 0 {
			s.maps.ReadAgain()
		}
		if s.settings.ReloadWhenEmpty == 1 {
			s.settings.ReloadWhenEmpty = 0
		}
	}
	s.used = used
}
