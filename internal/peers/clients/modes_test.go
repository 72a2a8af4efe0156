//go:build peers

package clients

import (
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// flagMap has both flags on one screen, each beside its team's spawn point.
const flagMap = `
##############################################
##############################################
#............................................#
#............................................#
#............................................#
#............................................#
#............................................#
#............................................#
#................R.1......2.B................#
##############################################
##############################################
##############################################`

// flagStands are the places of flagMap's flag stands, in units.
var flagStands = [2]int32{19*32 + 16, 26*32 + 16}

// TestFlagsInRealClients makes a 0.7.5 client fetch a DDNet client's flag and win with it. If
// TEEYARD_SHOTS names a folder, the screenshots are kept there.
func TestFlagsInRealClients(t *testing.T) {
	s := startTestServer(t, "flagroom", peers.DrawMap(t, flagMap), nil, "sv_gametype ctf; sv_scorelimit 100")
	red := s.join("red")
	blue := s.joinDDNet("blue")
	shoot := func(name string) {
		time.Sleep(500 * time.Millisecond)
		red.Screenshot(name + "07")
		blue.Screenshot(name + "06")
	}
	carrier := func(id game.PlayerID) func() bool {
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.frame.Game.FlagCarrier[game.TeamBlue] == int32(id)
		}
	}
	message := func(m game.GameMsg) func() bool {
		return s.seen(func(e game.Event) bool { return e.Kind == game.EvGameMsg && e.GameMsg == m })
	}
	if r, b := s.playerState(red.id).Team, s.playerState(blue.id).Team; r != game.TeamRed || b != game.TeamBlue {
		t.Fatalf("the teams are %d and %d", r, b)
	}
	peers.Eventually(t, 10*time.Second, "both play the match", func() bool { return s.alive(red.id) && s.alive(blue.id) })
	shoot("stands")
	red.holdUntil("d", "take the flag", carrier(red.id))
	shoot("carried")
	captured := message(game.GameMsgCTFCapture)
	red.holdUntil("a", "bring the flag home", captured)
	shoot("captured")
	peers.Eventually(t, 10*time.Second, "the end of the match", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.frame.Game.State&game.StateGameOver != 0 && s.frame.Game.TeamScore == [2]int32{101, 0}
	})
	shoot("over")
}

// TestModesInRealClients shows the real clients the flags, scores, deaths and round ends of each
// mode on our server. To compare the pictures it does the same on the original. If TEEYARD_SHOTS
// names a folder, the screenshots are kept there. Without TEEYARD_FULL=1 it only plays last team
// standing on our server.
func TestModesInRealClients(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	modes := []string{"lts"}
	if testenv.Full() {
		modes = append(modes, "ctf", "tdm", "lms")
	}
	for _, mode := range modes {
		t.Run(mode+" on ours", func(t *testing.T) { showMode(t, mode, peers.StartTeeyardIn, true) })
		if testenv.Full() {
			t.Run(mode+" on the original", func(t *testing.T) { showMode(t, mode, peers.StartOriginalIn, false) })
		}
	}
}

// showMode plays a mode with a client of ours in the opposite team of the real 0.7.5 client.
// DDNet's client joins later, but not on the original, which does not speak 0.6.
func showMode(t *testing.T, mode string, start func(t testing.TB, home, settings string) *peers.Server, ddnet bool) {
	home := t.TempDir()
	peers.WriteFile(t, filepath.Join(home, "maps", "flagroom.map"), peers.DrawMap(t, flagMap))
	limits := map[string]string{"ctf": "200", "tdm": "2", "lms": "3", "lts": "2"}
	s := start(t, home, "sv_map flagroom; sv_gametype "+mode+"; sv_scorelimit "+limits[mode])
	addr := s.Addr.String()
	viewers := []*peers.Client{peers.NewDisplay(t).StartTeeworlds(addr, "viewer")}
	r := joinRival(t, addr, "rival")
	r.await("both play, in different teams", func(v *game.View) bool { return len(v.Characters) == 2 && v.Game.State == 0 })
	if ddnet {
		viewers = append(viewers, peers.NewDisplay(t).StartDDNet(addr, "dora"))
		r.await("dora is there", func(v *game.View) bool { return len(v.Players) == 3 })
	}
	shoot := func(name string) {
		time.Sleep(time.Second)
		for i, c := range viewers {
			c.Screenshot(name + []string{"07", "06"}[i])
		}
	}
	shoot("begin")
	switch mode {
	case "ctf":
		own := r.team()
		other := own ^ 1
		r.takeFlag(other)
		shoot("carried")
		r.act(rivalWaits, 0)
		r.Kill()
		r.await("the flag lies there", func(v *game.View) bool { return v.Game.FlagCarrier[other] == -1 })
		shoot("dropped")
		r.takeFlag(other)
		r.act(rivalWalks, flagStands[own])
		r.await("a capture", func(v *game.View) bool { return v.Game.TeamScore[own] >= 100 })
		shoot("captured")
		r.takeFlag(other)
		r.act(rivalWalks, flagStands[own])
	case "tdm":
		r.act(rivalHunts, 0)
		own := r.team()
		r.await("a kill", func(v *game.View) bool { return v.Game.TeamScore[own] > 0 })
		shoot("killed")
	default:
		r.act(rivalHunts, 0)
		r.await("the end of a round", func(v *game.View) bool { return v.Game.State&game.StateRoundOver != 0 })
		shoot("round-over")
	}
	for _, c := range viewers {
		c.Xdotool("keydown", "Tab")
	}
	shoot("scores")
	for _, c := range viewers {
		c.Xdotool("keyup", "Tab")
	}
	r.await("the end of the match", func(v *game.View) bool { return v.Game.State&game.StateGameOver != 0 })
	shoot("over")
}

// modeRival is a client of ours that plays a mode for the real clients to see.
type modeRival struct {
	*client.Client
	t     testing.TB
	task  atomic.Int32 // a rivalTask
	goal  atomic.Int32 // column to walk to, in units
	ticks int32
}

// rivalTask is a rival's current task.
type rivalTask = int32

const (
	rivalWaits rivalTask = iota
	rivalWalks
	rivalHunts // shoots at the others
)

func joinRival(t testing.TB, addr, name string) *modeRival {
	t.Helper()
	r := &modeRival{t: t}
	var err error
	r.Client, err = client.Dial(t.Context(), addr, client.Config{
		Name: name, Maps: client.NewMaps(t.TempDir()), OnEvent: func(*client.Client, event.Event) {},
		Play: func(_ *client.Client, v *game.View) game.Input { return r.input(v) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func (r *modeRival) act(task rivalTask, goal int32) {
	r.goal.Store(goal)
	r.task.Store(task)
}

func (r *modeRival) input(v *game.View) game.Input {
	in := game.Input{TargetX: 100}
	me := findTee(v, func(c *game.CharacterState) bool { return c.Player == v.Viewer })
	other := findTee(v, func(c *game.CharacterState) bool { return c.Player != v.Viewer })
	if me == nil {
		return in
	}
	walk := func(x int32) {
		switch {
		case x > me.X+10:
			in.Direction = 1
		case x < me.X-10:
			in.Direction = -1
		}
	}
	switch r.task.Load() {
	case rivalWalks:
		walk(r.goal.Load())
	case rivalHunts:
		if other == nil {
			break
		}
		in.TargetX, in.TargetY = other.X-me.X, other.Y-me.Y-1
		switch d := max(in.TargetX, -in.TargetX); {
		case d > 250:
			walk(other.X)
		case d < 100:
			walk(2*me.X - other.X) // keeps both tees apart
		}
		r.ticks++
		in.Fire = r.ticks / 2 & 63
	}
	return in
}

func findTee(v *game.View, match func(c *game.CharacterState) bool) *game.CharacterState {
	if i := slices.IndexFunc(v.Characters, func(c game.CharacterState) bool { return match(&c) }); i >= 0 {
		return &v.Characters[i]
	}
	return nil
}

// team returns the rival's team.
func (r *modeRival) team() game.Team {
	p, _ := r.PlayerInfo(r.Self())
	return p.Team
}

// takeFlag walks to the stand of a flag and takes it.
func (r *modeRival) takeFlag(t game.Team) {
	r.t.Helper()
	r.act(rivalWalks, flagStands[t])
	r.await("the rival carries the flag", func(v *game.View) bool { return v.Game.FlagCarrier[t] == int32(v.Viewer) })
}

// await waits until the rival's view fulfils a condition. The condition must not call the rival's
// methods.
func (r *modeRival) await(what string, condition func(v *game.View) bool) {
	r.t.Helper()
	peers.Eventually(r.t, 90*time.Second, what, func() (ok bool) {
		r.WithView(func(v *game.View) { ok = v != nil && v.Frame != nil && condition(v) })
		return ok
	})
}
