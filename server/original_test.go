package server

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestOldConfiguration executes a configuration with every variable of teeworlds-server 0.7.5
// and the commands that configurations have. The lists are those that TestCommandsAsInTheOriginal
// of internal/peers gets from that server.
func TestOldConfiguration(t *testing.T) {
	config := testenv.Must(os.ReadFile("testdata/teeworlds-0.7.5.cfg"))
	files := fstest.MapFS{"autoexec.cfg": {Data: config}, "other.cfg": {Data: []byte("exec autoexec.cfg\n")}, "maps/dm1.map": {Data: testenv.Must(os.ReadFile("../maps/testbox.map"))}}
	files["maps/dm2.map"], files["maps/ctf5.map"] = files["maps/dm1.map"], files["maps/dm1.map"]
	var d logDisk
	ts := newTestServerWith(t, Config{Files: files, OpenLog: d.open, WriteFile: func(string, []byte) error { return nil }}, "-f", "autoexec.cfg")
	log := ts.log.String()
	for line := range strings.Lines(log) {
		if strings.Contains(line, "autoexec.cfg:") || strings.Contains(line, "No such") || strings.Contains(line, "no effect") || strings.Contains(line, "failed") {
			t.Errorf("a warning: %s", line)
		}
	}
	if v := &ts.srv.settings; v.Name != "an old server" || v.RconBanTime != 7 || v.EconOutputLevel != 2 || !strings.Contains(log, "gametype CTF") {
		t.Errorf("%+v", v)
	}
}

// TestTeamSizesAreLogged: the lines of the original about team sizes.
func TestTeamSizesAreLogged(t *testing.T) {
	ts := newTestServer(t, nil, "sv_gametype tdm; sv_teambalance_time 1")
	a, b, c := ts.join(local(1), "a"), ts.join(local(2), "b"), ts.join(local(3), "c")
	ts.log.Reset()
	ts.srv.Execute("set_team_all 0")
	ts.idle(3, a, b, c)
	ts.srv.Execute("force_teambalance")
	ts.idle(3, a, b, c)
	var got []string
	for line := range strings.Lines(ts.log.String()) {
		if text, ok := strings.CutPrefix(line, "[game]: "); ok && (strings.HasPrefix(text, "Team") || strings.HasPrefix(text, "Bal") || strings.Contains(text, "->1")) {
			got = append(got, strings.TrimSpace(text))
		}
	}
	if len(got) != 3 || got[0] != "Teams are NOT balanced (red=3 blue=0)" || got[1] != "Balancing teams" || !strings.HasPrefix(got[2], "team_join player='") {
		t.Errorf("%q", got)
	}
}

// TestDummies: dbg_dummies gives the highest seats to players that walk, which make room.
func TestDummies(t *testing.T) {
	ts := newTestServer(t, flagRoomWith(2), "sv_map room; dbg_dummies 2; sv_inactivekick_time 1")
	p := ts.join(local(1), "alice")
	before := map[game.PlayerID]float32{}
	position := func(id game.PlayerID) (float32, bool) {
		for i := range ts.srv.world.Frame().Characters {
			if c := &ts.srv.world.Frame().Characters[i]; c.Player == id {
				return c.Pos.X, true
			}
		}
		return 0, false
	}
	testenv.Eventually(t, "they are alive", func() bool {
		ts.idle(1, p)
		_, first := position(62)
		_, second := position(63)
		return first && second
	})
	for id := game.PlayerID(62); id < 64; id++ {
		x, alive := position(id)
		if player, _ := ts.srv.world.Player(id); !alive || !ts.srv.bots.has(id) || player.Profile.Name == "" {
			t.Errorf("%d: alive %v, %+v", id, alive, player)
		}
		before[id] = x
	}
	ts.idle(20, p)
	for id, x := range before {
		if now, _ := position(id); (now > x) != (id&1 == 0) || now == x {
			t.Errorf("%d walks from %v to %v", id, x, now)
		}
	}
	for range 70 * 50 {
		ts.input(p, msg7.PlayerInput{TargetX: int32(ts.srv.clock.tick), TargetY: 1})
		ts.step(1)
	}
	if ts.srv.bots.numDummies() != 2 || ts.srv.teamOf(63) == game.TeamSpectators {
		t.Error("dummies are inactive")
	}
	ts.srv.Execute("dbg_dummies 64")
	ts.idle(2, p)
	if n := ts.srv.bots.count(); n != 62 {
		t.Errorf("%d dummies, want 62: one seat stays free", n)
	}
	q, r := ts.join(local(2), "bob"), ts.connect(local(3))
	ts.idle(5, p, q, r)
	r.Connect().Join("carol") // clients try again
	ts.idle(5, p, q, r)
	if s := ts.session(r); s == nil || s.state != stateInGame || ts.srv.bots.count() != 61 {
		t.Errorf("%d dummies made no room: %+v %q", ts.srv.bots.count(), s, r.Reason)
	}
	ts.srv.Execute("dbg_dummies 1; status")
	ts.idle(2, p, q, r)
	if n := ts.srv.bots.count(); n != 1 || !ts.srv.bots.has(63) {
		t.Errorf("%d dummies, want one", n)
	}
}
