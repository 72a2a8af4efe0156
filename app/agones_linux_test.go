package app

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/fleet/agones/agonestest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport/ws"
)

// startGameServer starts a server beside a stand-in for Agones' sidecar.
func startGameServer(t *testing.T, config string) (*service, *agonestest.Sidecar) {
	sidecar := agonestest.New()
	sidecar.Dated = true
	h := httptest.NewServer(sidecar)
	t.Cleanup(h.Close)
	s := startService(t, config, agonesPort+"="+testenv.Must(url.Parse(h.URL)).Port())
	s.expectState("READY=1")
	testenv.Eventually(t, "the GameServer is Ready", func() bool { return sidecar.State() == "Ready" })
	return s, sidecar
}

// join adds a player to a service.
func (s *service) join() *client.Client {
	s.t.Helper()
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(s.dir, keyFile)))))
	c, err := client.Dial(s.t.Context(), "ws://"+s.http+"/?key="+key, client.Config{Name: "player", Dial: (&ws.Dialer{}).Dial, NoMap: true})
	testenv.NoError(s.t, err)
	s.t.Cleanup(func() { c.Close() })
	return c
}

// expectStates compares the requests for states.
func expectStates(t *testing.T, sidecar *agonestest.Sidecar, want ...string) {
	t.Helper()
	var got []string
	for _, r := range sidecar.Requests() {
		if state, isPost := strings.CutPrefix(r.Line, "POST /"); isPost && state != "health" {
			got = append(got, state)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests for %q, want %q", got, want)
	}
}

// TestAgones follows a GameServer with bots and a player to its end. The process answers until
// SIGTERM, since Agones may otherwise lose the end.
func TestAgones(t *testing.T) {
	t.Parallel()
	s, sidecar := startGameServer(t, "sv_bots 2; sv_agones_empty 0; sv_replay 0; sv_input_fifo commands")
	s.expectLine("via=agones rcon='sv_external_port 7777'")
	c := s.join()
	testenv.Eventually(t, "the GameServer is Allocated", func() bool { return sidecar.State() == "Allocated" })
	c.Close()
	testenv.Eventually(t, "the GameServer is Ready again", func() bool { return sidecar.State() == "Ready" })
	testenv.NoError(t, os.WriteFile(filepath.Join(s.dir, "commands"), []byte("shutdown\n"), 0))
	testenv.Eventually(t, "the GameServer shuts down", func() bool { return sidecar.State() == "Shutdown" })
	answer, err := http.Get("http://" + s.http + "/healthz")
	testenv.NoError(t, err)
	answer.Body.Close()
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	testenv.NoError(t, s.cmd.Wait())
	expectStates(t, sidecar, "ready", "allocate", "ready", "shutdown")
}

// TestAgonesDrain checks that the GameServer stays Allocated while SIGTERM lets a match end.
func TestAgonesDrain(t *testing.T) {
	t.Parallel()
	s, sidecar := startGameServer(t, "sv_term_drain 600; sv_bots 0; sv_replay 0")
	c := s.join()
	testenv.Eventually(t, "the GameServer is Allocated", func() bool { return sidecar.State() == "Allocated" })
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.expectState("EXTEND_TIMEOUT_USEC=610000000")
	testenv.Eventually(t, "the label says draining", func() bool { return sidecar.Label("state") == "draining" })
	testenv.Check(t, sidecar.State() == "Allocated", "the GameServer is %s", sidecar.State())
	c.Close()
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
	expectStates(t, sidecar, "ready", "allocate", "shutdown")
}
