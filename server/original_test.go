package server_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
)

// TestOldConfiguration executes a configuration with every variable of teeworlds-server 0.7.5
// and the commands that configurations have. The lists are those that TestCommandsAsInTheOriginal
// of internal/peers gets from that server.
func TestOldConfiguration(t *testing.T) {
	config := testenv.Must(os.ReadFile("testdata/teeworlds-0.7.5.cfg"))
	files := fstest.MapFS{"autoexec.cfg": {Data: config}, "other.cfg": {Data: []byte("exec autoexec.cfg\n")},
		"maps/dm1.map": {Data: testenv.Must(os.ReadFile("../maps/testbox.map"))}}
	files["maps/dm2.map"], files["maps/ctf5.map"] = files["maps/dm1.map"], files["maps/dm1.map"]
	ts := newTestServerWith(t, server.Config{Files: files,
		OpenLog:   func(string) (io.WriteCloser, error) { return nopCloser{io.Discard}, nil },
		WriteFile: func(string, []byte) error { return nil }}, "-f", "autoexec.cfg")
	log := ts.Log.String()
	for line := range strings.Lines(log) {
		if strings.Contains(line, "autoexec.cfg:") || strings.Contains(line, "No such") || strings.Contains(line, "no effect") ||
			strings.Contains(line, "failed") {
			t.Errorf("a warning: %s", line)
		}
	}
	if name, ban, level := value(ts, "sv_name"), value(ts, "sv_rcon_bantime"),
		value(ts, "ec_output_level"); name != "an old server" || ban != "7" || level != "2" ||
		!strings.Contains(log, "gametype CTF") {
		t.Errorf("name %q, rcon ban time %s, econ output level %s", name, ban, level)
	}
}

// TestTeamSizesAreLogged: the lines of the original about team sizes.
func TestTeamSizesAreLogged(t *testing.T) {
	ts := newTestServer(t, nil, "sv_gametype tdm; sv_teambalance_time 1")
	a, b, c := ts.Enter(local(1), "a"), ts.Enter(local(2), "b"), ts.Enter(local(3), "c")
	ts.Log.Reset()
	ts.Execute("set_team_all 0")
	ts.Idle(3, a, b, c)
	ts.Execute("force_teambalance")
	ts.Idle(3, a, b, c)
	var got []string
	for line := range strings.Lines(ts.Log.String()) {
		if text, ok := strings.CutPrefix(line, "[game]: "); ok &&
			(strings.HasPrefix(text, "Team") || strings.HasPrefix(text, "Bal") || strings.Contains(text, "->1")) {
			got = append(got, strings.TrimSpace(text))
		}
	}
	if len(got) != 3 || got[0] != "Teams are NOT balanced (red=3 blue=0)" || got[1] != "Balancing teams" || !strings.HasPrefix(got[2], "team_join player='") {
		t.Errorf("%q", got)
	}
}

// TestDummies checks that dbg_dummies gives the highest seats to walking players, and that they
// make room for clients.
func TestDummies(t *testing.T) {
	ts := newTestServer(t, flagRoomWith(2), "sv_map room; dbg_dummies 2; sv_inactivekick_time 1")
	p := ts.Enter(local(1), "alice")
	before := map[game.PlayerID]float32{}
	bots := func() []server.Client { return clients(ts, server.ClientBot) }
	isBot := func(id game.PlayerID) bool {
		return slices.ContainsFunc(bots(), func(c server.Client) bool { return c.ID == id })
	}
	position := func(id game.PlayerID) (float32, bool) {
		for i := range ts.World().Frame().Characters {
			if c := &ts.World().Frame().Characters[i]; c.Player == id {
				return c.Pos.X, true
			}
		}
		return 0, false
	}
	testenv.Eventually(t, "they are alive", func() bool {
		ts.Idle(1, p)
		_, first := position(62)
		_, second := position(63)
		return first && second
	})
	for id := game.PlayerID(62); id < 64; id++ {
		x, alive := position(id)
		if player, _ := ts.World().Player(id); !alive || !isBot(id) || player.Profile.Name == "" {
			t.Errorf("%d: alive %v, %+v", id, alive, player)
		}
		before[id] = x
	}
	ts.Idle(20, p)
	for id, x := range before {
		if now, _ := position(id); (now > x) != (id&1 == 0) || now == x {
			t.Errorf("%d walks from %v to %v", id, x, now)
		}
	}
	for range 70 * 50 {
		ts.Input(p, msg7.PlayerInput{TargetX: int32(ts.World().Tick()), TargetY: 1})
		ts.Step(1)
	}
	if len(bots()) != 2 || teamOf(ts, 63) == game.TeamSpectators {
		t.Error("dummies are inactive")
	}
	ts.Execute("dbg_dummies 64")
	ts.Idle(2, p)
	if n := len(bots()); n != 62 {
		t.Errorf("%d dummies, want 62: one seat stays free", n)
	}
	q, r := ts.Enter(local(2), "bob"), ts.Connect(local(3))
	ts.Idle(5, p, q, r)
	r.Connect().Join("carol") // clients try again
	ts.Idle(5, p, q, r)
	if ts.State(r) != server.ClientInGame || len(bots()) != 61 {
		t.Errorf("%d dummies made no room: %q", len(bots()), r.Reason)
	}
	ts.Execute("dbg_dummies 1; status")
	ts.Idle(2, p, q, r)
	if n := len(bots()); n != 1 || !isBot(63) {
		t.Errorf("%d dummies, want one", n)
	}
}

// nopCloser is a log file without a reader.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
