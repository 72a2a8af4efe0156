//go:build peers && unix

package fleet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestConsole runs lines of operators on all servers, on one and on those with a tag. The rights
// of the level hold, and the audit log names the operator.
func TestConsole(t *testing.T) {
	n := peers.NewNATS(t, "")
	n.Start()
	home := t.TempDir()
	startServerIn(t, n, home, "a", "sv_fleet_tags eu; sv_audit_log audit.json; mod_command sv_motd 1")
	b := startServer(t, n, "b", "")
	o := connect(t, n, "alice")
	await(t, o, "a", "b")
	answers, missing := run(t, o, "admin", "all", "echo hello")
	testenv.Require(t, len(missing) == 0 && len(answers) == 2, "%v, and no answer from %v", answers, missing)
	testenv.Check(t, answers["a"].Failed == "" && slices.Equal(answers["a"].Lines, []string{"hello"}), "%+v", answers["a"])
	answers, _ = run(t, o, "moderator", "eu", "sv_motd moderated")
	testenv.Check(t, len(answers) == 1 && answers["a"].Failed == "", "%+v", answers["a"])
	answers, _ = run(t, o, "moderator", "a", "sv_name mine")
	testenv.Check(t, len(answers) == 1 && strings.Contains(answers["a"].Failed, "denied"), "%+v", answers["a"])
	audit := string(testenv.Must(os.ReadFile(filepath.Join(home, "audit.json"))))
	testenv.Check(t, strings.Contains(audit, `"via":"nats","level":"moderator","name":"alice","command":"sv_motd moderated"`), "%s", audit)
	begun := time.Now().Add(-time.Minute)
	run(t, o, "admin", "a", "say good evening")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var said bus.Event
	testenv.NoError(t, o.Events(ctx, begun, "", "chat", func(e bus.Event) {
		said = e
		cancel()
	}))
	testenv.Check(t, said.Server == "a" && strings.Contains(string(said.Event), "good evening"), "%+v", said)
	b.Signal(syscall.SIGSTOP)
	_, missing = run(t, o, "admin", "all", "echo hello")
	testenv.Check(t, slices.Equal(missing, []string{"b"}), "%v", missing)
	b.Signal(syscall.SIGCONT)
	_, _, err := o.Resolve("nobody")
	testenv.Check(t, err != nil, "a server that does not exist")
}
