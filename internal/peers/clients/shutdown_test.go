//go:build peers

package clients

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
)

var usingPort = regexp.MustCompile(`using port (\d+)`)

// TestShutdownReachesClients stops the server by a signal. The 0.7.5 client must get the reason.
func TestShutdownReachesClients(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds")
	display := peers.NewDisplay(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			srv := peers.Start(t, t.TempDir(), nil, peers.Program(t), "serve", "bindaddr 127.0.0.1; sv_port 0; sv_register 0")
			var port string
			peers.Eventually(t, 10*time.Second, "the server prints its port", func() bool {
				if m := usingPort.FindStringSubmatch(srv.Output()); m != nil {
					port = m[1]
				}
				return port != ""
			})
			c := display.WithTest(t).StartTeeworlds("127.0.0.1:"+port, "yardy")
			peers.Eventually(t, 90*time.Second, "the client is in the game", func() bool {
				return strings.Contains(srv.Output(), "team_join player='0:yardy'")
			})
			awaitHUD := func(name string, want bool) {
				peers.Eventually(t, 10*time.Second, name+" on the screen", func() bool { return showsHUD(c.Screenshot(name)) == want })
			}
			awaitHUD("playing", true)
			if err := srv.Signal(sig); err != nil {
				t.Fatal(err)
			}
			peers.Eventually(t, 10*time.Second, "the server ended", func() bool { return !srv.Running() })
			if code := srv.ExitCode(); code != 0 {
				t.Errorf("the server ended with %d", code)
			}
			peers.Eventually(t, 10*time.Second, "the client knows the reason", func() bool {
				return strings.Contains(c.Output(), "offline error='Server shutdown'")
			})
			awaitHUD("offline", false)
		})
	}
}
