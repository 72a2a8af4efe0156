package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// The types below are the parts of types.js that the tests use.
type (
	moment struct {
		Tick, PrevTick, NextTick float64
		Ready                    bool
		Tees                     []tee
		Projectiles              []struct {
			Key, X, Y, VX, VY float64
			Weapon, StartTick int32
		}
		Lasers  []struct{ FromX, FromY, X, Y, StartTick int32 }
		Pickups []struct {
			X, Y float64
			Type int32
		}
		Flags []struct {
			Team, Carrier int32
			X, Y          float64
		}
		Effects []struct {
			Kind, ID int
			Tick     int32
			X, Y     float64
		}
		Players []player
		Game    struct {
			Flags, State, StartTick, ScoreLimit, TimeLimit, ScoreRed, ScoreBlue int32
		}
		Chat []struct {
			ID, Tick   int32
			Name, Text string
		}
		Kills []struct{ Killer, Victim, Weapon, Tick int32 }
	}
	tee struct {
		ID, Weapon, Emote, HookState, HookedPlayer, AttackTick, Emoticon, Direction int32
		X, Y, VX, VY, Angle, HookX, HookY                                           float64
	}
	player struct {
		ID                   game.PlayerID
		Name, Clan           string
		Country, Score, Team int32
		Latency              int32
		Skin                 struct {
			Parts           [6]string
			UseCustomColors [6]bool
			Colors          [6]int32
		}
	}
)

// seen is what our own client sees in a demo at a tick.
type seen struct {
	tick        int32
	characters  map[game.PlayerID]physics.CoreState
	frame       game.Frame
	players     map[game.PlayerID]game.PlayerInfo
	info        game.GameState
	chat, kills int // so far, of players
}

// watch reads a demo with our own client.
func watch(t *testing.T, file []byte, col *physics.Collision) []seen {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	var all []seen
	chat, kills := 0, 0
	h := &bridgetest.ServerMessages{}
	h.OnCall = func(call bridgetest.Call) {
		if call.Method != "Event" {
			return
		}
		if ev, ok := call.Args[0].(game.Event); ok {
			switch {
			case ev.Kind == game.EvChat && ev.Player >= 0:
				chat++
			case ev.Kind == game.EvKill:
				kills++
			}
		}
	}
	c := bridge7.NewDemoClientSide(h)
	c.SetMap(col)
	look := func(tick int32, snap *snapshot.Snapshot) {
		c.ReceiveSnapshot(tick, snap)
		f := c.View().Frame
		s := seen{
			tick: tick, frame: *f, info: f.Game, chat: chat, kills: kills,
			characters: map[game.PlayerID]physics.CoreState{}, players: map[game.PlayerID]game.PlayerInfo{},
		}
		for i := range f.Characters {
			s.characters[f.Characters[i].Player] = c.CoreState(&f.Characters[i])
		}
		s.frame.Characters = slices.Clone(f.Characters)
		s.frame.Players = slices.Clone(f.Players)
		s.frame.Projectiles = slices.Clone(f.Projectiles)
		s.frame.Lasers = slices.Clone(f.Lasers)
		s.frame.Pickups = slices.Clone(f.Pickups)
		s.frame.Flags = slices.Clone(f.Flags)
		for i := range f.Players {
			if p, ok := c.Player(f.Players[i].ID); ok {
				s.players[p.ID] = p
			}
		}
		all = append(all, s)
	}
	var repeats demo.Repeats
	var last snapshot.Snapshot
	marked := int32(-1) // tick of a marker without a snapshot yet
	for chunk := new(demo.Chunk); ; {
		err := r.Next(chunk)
		if marked >= 0 && (err == io.EOF || chunk.Kind == demo.KindTick) && len(all) > 0 {
			look(marked, &last) // nothing has changed
		}
		if err == io.EOF {
			return all
		}
		testenv.NoError(t, err)
		switch {
		case chunk.Kind == demo.KindTick:
			marked = chunk.Tick
		case chunk.Kind == demo.KindMessage && !repeats.Has(r.Header(), chunk):
			c.Receive(chunk.Message, true)
			if len(all) > 0 && marked < 0 {
				all[len(all)-1].chat, all[len(all)-1].kills = chat, kills
			}
		case chunk.Snapshot != nil:
			marked = -1
			last.CopyFrom(chunk.Snapshot)
			look(chunk.Tick, &last)
		}
	}
}

// TestMoments compares the page's state between any two snapshots of a demo, in any order, with our
// own client's state at both.
func TestMoments(t *testing.T) {
	for _, c := range []struct {
		name                                                          string
		tees, hooks, reckoned, projectiles, effects, emoticons, kills int // minimum counts
	}{
		{"ours.demo", 1000, 50, 50, 30, 500, 1, 5},
		{"teeworlds-0.7.5.demo", 100, 1, 1, 1, 10, 0, 1},
		{"teeworlds-server-0.7.5.demo", 100, 1, 1, 1, 10, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compareMoments(t, demoFiles(t)["/"+c.name])
			if s.tees < c.tees || s.hooks < c.hooks || s.reckoned < c.reckoned || s.projectiles < c.projectiles || s.effects < c.effects ||
				s.emoticons < c.emoticons ||
				s.kills < c.kills {
				t.Errorf("only %+v", s)
			}
			t.Logf("%+v", s)
		})
	}
}

// shownCounts counts what the moments of a test contained.
type shownCounts struct{ tees, hooks, reckoned, projectiles, effects, emoticons, kills int }

func compareMoments(t *testing.T, file []byte) (n shownCounts) {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	layer := testenv.Must(twmap.Parse(r.Map())).GameLayer()
	files := map[string][]byte{"/x.demo": file, "/tiles": layer.Indices()}
	col := testenv.Must(physics.NewCollision(layer.Width, layer.Height, layer.Indices()))
	all := watch(t, file, col)

	random := rand.New(rand.NewPCG(7, 8))
	var order []int
	var ticks []float64
	for i := range 150 {
		at := min(i+len(all)/2, len(all)-2)
		if i >= 75 { // jump elsewhere and back
			at = random.IntN(len(all) - 1)
		}
		order = append(order, at)
		ticks = append(ticks, float64(all[at].tick)+float64(random.IntN(4))/2)
	}
	p := openPage(t, files)
	got := call[struct {
		First, Last int32
		Problem     string
		Marks       []struct{ Text string }
		Moments     []moment
	}](p, "match.js", fmt.Sprintf("moments('/x.demo', %s, {Width: %d, Height: %d})", testenv.Must(json.Marshal(ticks)), layer.Width, layer.Height))
	if got.First != all[0].tick || got.Last != all[len(all)-1].tick || got.Problem != "" {
		t.Errorf("ticks %d to %d, want %d to %d; %s", got.First, got.Last, all[0].tick, all[len(all)-1].tick, got.Problem)
	}
	if n.kills = all[len(all)-1].kills; len(got.Marks) < n.kills {
		t.Errorf("%d marks for %d kills", len(got.Marks), n.kills)
	}
	for i, m := range got.Moments {
		a, b := all[order[i]], all[order[i]+1]
		checkMoment(t, m, a, b, ticks[i])
		if t.Failed() {
			t.Fatalf("at tick %v, moment %d", ticks[i], i)
		}
		n.tees += len(m.Tees)
		n.projectiles += len(m.Projectiles)
		n.effects += len(m.Effects)
		for _, one := range m.Tees {
			if one.HookState > 0 {
				n.hooks++
			}
			if one.Emoticon >= 0 {
				n.emoticons++
			}
		}
		for _, c := range b.frame.Characters {
			if c.Tick != 0 && c.Tick < b.tick {
				n.reckoned++
			}
		}
	}
	return n
}

// checkMoment compares a moment at a tick with the snapshots around it.
func checkMoment(t *testing.T, m moment, a, b seen, tick float64) {
	t.Helper()
	f := (tick - float64(a.tick)) / float64(b.tick-a.tick)
	mix := func(x, y int32) float64 { return float64(x) + f*float64(y-x) }
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.01 }
	if !m.Ready || m.PrevTick != float64(a.tick) || m.NextTick != float64(b.tick) {
		t.Errorf("ready %v, between %v and %v, want %d and %d", m.Ready, m.PrevTick, m.NextTick, a.tick, b.tick)
	}
	n := 0
	for _, c := range b.frame.Characters {
		from, ok := a.characters[c.Player]
		if !ok {
			continue
		}
		to := b.characters[c.Player]
		if n >= len(m.Tees) {
			t.Fatalf("%d tees, and no %d", len(m.Tees), c.Player)
		}
		got := m.Tees[n]
		n++
		if got.ID != int32(c.Player) || !near(got.X, mix(from.X, to.X)) || !near(got.Y, mix(from.Y, to.Y)) || !near(got.VX*256, mix(from.VelX, to.VelX)) ||
			!near(got.VY*256, mix(from.VelY, to.VelY)) {
			t.Errorf("tee %+v, want %+v to %+v", got, from, to)
		}
		if got.Weapon != int32(c.Weapon) || got.Emote != int32(c.Emote) || got.AttackTick != c.AttackTick || got.Direction != to.Direction {
			t.Errorf("tee %+v, want %+v", got, c)
		}
		if to.HookState > 0 && from.HookState > 0 && to.HookedPlayer < 0 && (!near(got.HookX, mix(from.HookX, to.HookX)) || got.HookState != to.HookState) {
			t.Errorf("hook %+v, want %+v to %+v", got, from, to)
		}
	}
	if n != len(m.Tees) {
		t.Errorf("%d tees, want %d", len(m.Tees), n)
	}
	n = 0
	tuning := physics.DefaultTuning()
	for _, c := range b.frame.Projectiles {
		if float64(c.StartTick) > tick {
			continue
		}
		if n >= len(m.Projectiles) {
			t.Fatalf("%d projectiles, and no %+v", len(m.Projectiles), c)
		}
		got := m.Projectiles[n]
		n++
		curvature, speed := physics.GunCurvature, physics.GunSpeed
		switch c.Weapon {
		case game.WeaponShotgun:
			curvature, speed = physics.ShotgunCurvature, physics.ShotgunSpeed
		case game.WeaponGrenade:
			curvature, speed = physics.GrenadeCurvature, physics.GrenadeSpeed
		}
		way := (tick - float64(c.StartTick)) / 50 * float64(tuning.At(speed))
		x := float64(c.X) + float64(c.VelX)/100*way
		y := float64(c.Y) + float64(c.VelY)/100*way + float64(tuning.At(curvature))/10000*way*way
		if got.Weapon != int32(c.Weapon) || !near(got.X, x) || !near(got.Y, y) {
			t.Errorf("projectile %+v, want %+v at %v,%v", got, c, x, y)
		}
	}
	if n != len(m.Projectiles) || len(m.Lasers) != len(b.frame.Lasers) || len(m.Flags) != len(b.frame.Flags) {
		t.Errorf(
			"%d projectiles, %d lasers, %d flags, want %d, %d, %d",
			len(m.Projectiles),
			len(m.Lasers),
			len(m.Flags),
			n,
			len(b.frame.Lasers),
			len(b.frame.Flags),
		)
	}
	for i, got := range m.Flags {
		if c := b.frame.Flags[i]; got.Team != int32(c.Team) || got.Carrier != max(-1, int32(b.info.FlagCarrier[c.Team])) {
			t.Errorf("flag %+v, want %+v, carried by %v", got, c, b.info.FlagCarrier)
		}
	}
	if g := b.info; m.Game.StartTick != g.StartTick || m.Game.State != int32(g.State) || m.Game.Flags != int32(g.Flags) || m.Game.ScoreRed != g.TeamScore[0] ||
		m.Game.ScoreBlue != g.TeamScore[1] {
		t.Errorf("game %+v, want %+v", m.Game, g)
	}
	if len(m.Players) != len(b.frame.Players) {
		t.Fatalf("%d players, want %d", len(m.Players), len(b.frame.Players))
	}
	for i, got := range m.Players {
		s, info := b.frame.Players[i], b.players[b.frame.Players[i].ID]
		if got.ID != s.ID || got.Name != info.Profile.Name || got.Clan != info.Profile.Clan || got.Country != info.Profile.Country ||
			got.Team != int32(info.Team) || got.Score != s.Score ||
			got.Skin.Parts != info.Profile.Skin.PartNames ||
			got.Skin.UseCustomColors != info.Profile.Skin.UseCustomColors ||
			got.Skin.Colors != info.Profile.Skin.PartColors {
			t.Errorf("player %+v, want %+v, %+v", got, info, s)
		}
	}
	chat := 0
	for _, line := range m.Chat {
		if line.ID >= 0 {
			chat++
		}
	}
	if chat != a.chat {
		t.Errorf("%d lines of chat, want %d: %+v", chat, a.chat, m.Chat)
	}
}

// TestCutOffDemo checks that the end of a demo says whether the demo is cut off.
func TestCutOffDemo(t *testing.T) {
	file := record(t, 4, 300)
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	h := *r.Header()
	start := len(h.Append(nil, 0))
	h.Length = 0
	killed := append(h.Append(nil, len(r.Map())), file[start:]...)
	p := openPage(t, map[string][]byte{"/whole": file, "/cut": file[:len(file)-50], "/killed": killed})
	for name, want := range map[string]bool{"/whole": false, "/cut": true, "/killed": true} {
		got := call[string](p, "match.js", fmt.Sprintf("ending(%q)", name))
		testenv.Check(t, strings.HasPrefix(got, "The demo is cut off here") == want && (want || got == ""), "%s: %q", name, got)
	}
}
