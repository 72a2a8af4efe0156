//go:build peers

package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// rolled is a server that TestRollingUpdate replaces.
type rolled struct {
	t    *testing.T
	home string
	*peers.Server
	program string
	players []*witness
}

// witness is a player who counts snapshots of the match, and remembers whether the match was over.
type witness struct {
	*client.Client
	playing    atomic.Int64 // snapshots since mark of a match that goes on
	last, over atomic.Int32 // ticks of the last snapshot, and of the last one of a match that is over
}

// mark begins to count again.
func (w *witness) mark() { w.playing.Store(0) }

// isOver reports whether the match was over in the two seconds before the last snapshot. The server
// may end some time before the test looks.
func (w *witness) isOver() bool {
	over := w.over.Load()
	return over > 0 && w.last.Load()-over <= 2*game.TickRate
}

const rolledPlayers = 4

// start starts the server's program at its address.
func (r *rolled) start(settings string) {
	r.t.Helper()
	r.Process = peers.Start(r.t, r.home, []string{"HOME=" + r.home, "XDG_DATA_HOME="}, r.program, "serve",
		"sv_bots 0; sv_http 0; sv_replay 1; sv_scorelimit 0; sv_inactivekick_time 0; sv_max_clients_per_ip 64; sv_input_fifo commands; sv_term_drain 600; "+
			"bindaddr 127.0.0.1; "+peers.PortSetting(r.Addr)+"; "+settings)
	output := r.Output
	peers.Eventually(r.t, patience, "the server runs", func() bool { return strings.Contains(output(), "using port") })
}

// join adds a player.
func (r *rolled) join() {
	r.t.Helper()
	w := new(witness)
	cfg := client.Config{Name: fmt.Sprint("p", len(r.players)), NoMap: true, OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) {
		w.last.Store(v.Tick)
		if v.Game.State&game.StateGameOver != 0 {
			w.over.Store(v.Tick)
		} else {
			w.playing.Add(1)
		}
	}}
	w.Client = peers.Dial(r.t, r.Server, cfg)
	go func() {
		for range w.Events(r.t.Context()) {
		}
	}()
	r.players = append(r.players, w)
	if testenv.Full() && len(r.players) > 1 {
		go w.losePoints()
	}
}

// losePoints lets a player die again and again. Without a player who leads, a match does not end
// with its time, so all but one lose points.
func (w *witness) losePoints() {
	for {
		select {
		case <-w.Done():
			return
		case <-time.After(5 * time.Second):
			w.Kill()
		}
	}
}

// TestRollingUpdate replaces all servers of a fleet in batches while players are there, by SIGTERM
// with sv_term_drain. No player may be dropped before the match is over, the recordings of the
// matches must be whole, and the next player finds each server at its address.
//
// With TEEYARD_FULL=1 there are 30 servers, and matches end by their time. Otherwise there are two,
// and the test ends the matches.
func TestRollingUpdate(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t)
	servers, batch, settings := 2, 1, "sv_timelimit 0"
	if testenv.Full() {
		servers, batch, settings = 30, 10, "sv_timelimit 1"
	}
	all := make([]*rolled, servers)
	for i := range all {
		all[i] = &rolled{t: t, home: t.TempDir(), program: peers.Program(t), Server: &peers.Server{Addr: peers.FreeAddr(t)}}
		all[i].start(settings)
		for range rolledPlayers {
			all[i].join()
		}
	}
	for from := 0; from < servers; from += batch {
		replaced := all[from:min(from+batch, servers)]
		for _, r := range replaced {
			for _, w := range r.players {
				w.mark()
			}
			testenv.NoError(t, r.Signal(syscall.SIGTERM))
		}
		for _, r := range replaced {
			r.awaitEnd()
			old := r.players
			r.players = nil
			r.start(settings)
			for range rolledPlayers {
				r.join()
			}
			for _, w := range old {
				w.Close()
			}
		}
	}
	for _, r := range all {
		for _, w := range r.players {
			testenv.Check(t, w.Err() == nil, "a player of a new server is dropped: %v", w.Err())
		}
	}
}

// awaitEnd waits until the server has ended after SIGTERM or drain, and checks how it ended.
func (r *rolled) awaitEnd() {
	t := r.t
	t.Helper()
	if !testenv.Full() {
		// The match goes on for all players, until it is over.
		for _, w := range r.players {
			peers.Eventually(t, patience, "the match goes on", func() bool { return w.playing.Load() >= 50 || w.Err() != nil })
			testenv.Check(t, !w.isOver() && w.Err() == nil, "the match is over: %t, %v", w.isOver(), w.Err())
		}
		testenv.NoError(t, os.WriteFile(filepath.Join(r.home, "commands"), []byte("change_map\n"), 0))
	}
	peers.Eventually(t, 3*time.Minute, "the server ends", func() bool { return !r.Running() })
	testenv.Check(t, r.ExitCode() == 0, "exit code %d", r.ExitCode())
	for _, w := range r.players {
		select {
		case <-w.Done():
		case <-time.After(patience):
			t.Error("a player is still connected")
		}
		testenv.Check(t, w.isOver(), "a player was dropped before the match was over, after %d snapshots: %v", w.playing.Load(), w.Err())
	}
	replays := testenv.Must(filepath.Glob(filepath.Join(r.home, "replays", "*.twreplay")))
	testenv.Check(t, len(replays) > 0, "there is no replay")
	out, err := exec.Command(peers.Program(t), append([]string{"replay", "verify"}, replays...)...).CombinedOutput()
	testenv.Check(t, err == nil && strings.Count(string(out), "ok") >= len(replays), "replay verify: %v\n%s", err, out)
}

// TestRollingDrain replaces all servers of a fleet in batches with teeyard-fleet drain, as
// TestRollingUpdate does by SIGTERM. With TEEYARD_FULL=1 there are 30 servers, otherwise two.
func TestRollingDrain(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t)
	servers, batch, settings := 2, 1, "sv_timelimit 0"
	if testenv.Full() {
		servers, batch, settings = 30, 10, "sv_timelimit 1"
	}
	n := peers.NewNATS(t, "")
	n.Start()
	o := connect(t, n, "alice")
	program := peers.FleetProgram(t)
	all := make([]*rolled, servers)
	inFleet := func(i int) string {
		return fmt.Sprintf("%s; sv_nats %s; sv_fleet test; sv_fleet_id s%02d", settings, n.URL(), i)
	}
	var ids []string
	for i := range all {
		all[i] = &rolled{t: t, home: t.TempDir(), program: program, Server: &peers.Server{Addr: peers.FreeAddr(t)}}
		all[i].start(inFleet(i))
		for range rolledPlayers {
			all[i].join()
		}
		ids = append(ids, fmt.Sprintf("s%02d", i))
	}
	await(t, o, ids...)
	command := peers.Start(t, t.TempDir(), nil, program, "drain", "--nats", n.URL(), "--fleet", "test", "--as", "alice", "--batch", fmt.Sprint(batch))
	for from := 0; from < servers; from += batch {
		drained := all[from:min(from+batch, servers)]
		for i, r := range drained {
			peers.Eventually(t, 3*time.Minute, "the server drains", func() bool {
				return strings.Contains(command.Output(), ids[from+i]+" drains, with") || !command.Running()
			})
			for _, w := range r.players {
				w.mark()
			}
		}
		for i, r := range drained {
			r.awaitEnd()
			for _, w := range r.players {
				w.Close()
			}
			r.players = nil
			r.start(inFleet(from + i))
			for range rolledPlayers {
				r.join()
			}
		}
	}
	peers.Eventually(t, patience, "the command ends", func() bool { return !command.Running() })
	testenv.Check(t, command.ExitCode() == 0 && strings.Contains(command.Output(), fmt.Sprintf("%d servers ended", servers)), "drain ended with %d:\n%s",
		command.ExitCode(), command.Output())
	for _, r := range all {
		for _, w := range r.players {
			testenv.Check(t, w.Err() == nil, "a player of a new server is dropped: %v", w.Err())
		}
	}
	await(t, o, ids...)
}
