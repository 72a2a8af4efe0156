package peers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/teeyard/teeyard/internal/peers"
)

var usingPort = regexp.MustCompile(`using port (\d+)`)

// The program, told to stop by a signal, tells the real client why.
func TestServeSaysGoodbye(t *testing.T) {
	Need(t, "teeworlds")
	dir := t.TempDir()
	program := filepath.Join(dir, "teeyard")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/teeyard/teeyard/cmd/teeyard").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	display := NewDisplay(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			srv := Start(t, dir, nil, program, "serve", "bindaddr 127.0.0.1; sv_port 0; sv_register 0")
			var port string
			Eventually(t, 10*time.Second, "the server names its port", func() bool {
				if m := usingPort.FindStringSubmatch(srv.Output()); m != nil {
					port = m[1]
				}
				return port != ""
			})
			c := display.For(t).StartTeeworlds("127.0.0.1:"+port, "yardy")
			Eventually(t, 90*time.Second, "the client is in the game", func() bool {
				return strings.Contains(srv.Output(), "team_join player='0:yardy'")
			})
			shows := func(name string, hud bool) {
				Eventually(t, 10*time.Second, name+" on the screen", func() bool {
					return Share(c.Shot(name), Hearts, Red) > 0.2 == hud
				})
			}
			shows("playing", true)
			if err := srv.Signal(sig); err != nil {
				t.Fatal(err)
			}
			Eventually(t, 10*time.Second, "the server ended", func() bool { return !srv.Running() })
			if code := srv.ExitCode(); code != 0 {
				t.Errorf("the server ended with %d", code)
			}
			Eventually(t, 10*time.Second, "the client knows why", func() bool {
				return strings.Contains(c.Output(), "offline error='Server shutdown'")
			})
			shows("goodbye", false)
		})
	}
}
