package web

import (
	"net"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestOpenPage checks which addresses the listener is on with sv_play, and that the log says what
// keeps players out.
func TestOpenPage(t *testing.T) {
	for _, c := range []struct {
		settings  string
		loopback  bool
		hindrance string
	}{
		{"", true, ""},
		{"sv_play 1", false, ""},
		{"sv_play 1; sv_http localhost", true, `sv_http "localhost"`},
		{"sv_play 1; sv_http 127.0.0.1:0", true, `sv_http "127.0.0.1:0"`},
		{"sv_play 1; sv_websocket 0", false, "sv_websocket 0"},
		{"sv_play 0; sv_http 0.0.0.0", false, ""},
		{"sv_play 0; sv_websocket 0", true, ""},
	} {
		s := newSettings(t, c.settings)
		listeners := testenv.Must(s.Listen(t.Context(), 0))
		testenv.Check(t, len(listeners) > 0, "%q: no listener", c.settings)
		reached := false
		for _, l := range listeners {
			reached = reached || !l.Addr().(*net.TCPAddr).IP.IsLoopback()
			l.Close()
		}
		testenv.Check(t, reached != c.loopback, "%q: other machines reach it: %v", c.settings, reached)
		got := s.PlayHindrance(reached)
		testenv.Check(t, (got == "") == (c.hindrance == "") && strings.Contains(got, c.hindrance), "%q: %q", c.settings, got)
	}
	listeners, err := newSettings(t, "sv_play 1; sv_http 0").Listen(t.Context(), 0)
	testenv.Check(t, len(listeners) == 0 && err == nil, "%v, %v", listeners, err)
}
