package bridge7

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// lose takes from a view what 0.7 does not carry; see Lift. Places are compared
// by near.
func lose(v *game.View, triggered *[game.MaxPlayers]int32) *game.View {
	f := *v.Frame
	w := *v
	w.Frame = &f
	f.Players = slices.Clone(f.Players)
	for i := range f.Players {
		p := &f.Players[i]
		if p.Spectating && p.SpectatorID == v.Viewer && p.ID != v.Viewer {
			p.Flags |= game.PlayerFlagWatching
		}
		if p.ID != v.Viewer || !p.Spectating {
			*p = game.PlayerState{ID: p.ID, Team: p.Team, Flags: p.Flags, Score: p.Score, SpectatorID: game.Nobody}
		}
	}
	// What a spectator may see of whom he follows, he takes for granted of whom he
	// follows, even where the rules keep it from him.
	for i := range f.Players {
		if p := &f.Players[i]; p.ID == v.Viewer && p.Spectating {
			w.VitalsOf = p.SpectatorID
			w.Pos = at(p.ViewX, p.ViewY)
		}
	}
	f.Characters = slices.DeleteFunc(slices.Clone(f.Characters), func(c game.CharacterState) bool { return !v.Sees(c.Pos) })
	for i := range f.Characters {
		c := &f.Characters[i]
		c.TriggeredEvents = triggered[c.Player]
		if c.Player != v.Viewer && c.Player != v.VitalsOf {
			c.Health, c.Armor, c.Ammo = 0, 0, 0
		}
	}
	f.Projectiles = slices.DeleteFunc(slices.Clone(f.Projectiles), func(p game.ProjectileState) bool { return !v.Sees(p.Pos) })
	f.Lasers = slices.DeleteFunc(slices.Clone(f.Lasers), func(l game.LaserState) bool {
		return !v.Sees(l.Pos) && !v.Sees(l.From)
	})
	for i := range f.Lasers {
		l := &f.Lasers[i]
		l.Pos, l.From = at(l.X, l.Y), at(l.FromX, l.FromY)
	}
	f.Pickups = slices.DeleteFunc(slices.Clone(f.Pickups), func(p game.PickupState) bool { return !v.Sees(at(p.X, p.Y)) })
	f.Flags = slices.DeleteFunc(slices.Clone(f.Flags), func(p game.FlagState) bool { return !v.Sees(p.Pos) })
	for i := range f.Flags {
		f.Flags[i].Pos = at(f.Flags[i].X, f.Flags[i].Y)
	}
	slices.SortFunc(f.Projectiles, func(a, b game.ProjectileState) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Lasers, func(a, b game.LaserState) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Pickups, func(a, b game.PickupState) int { return cmp.Compare(a.ID, b.ID) })
	if f.Game.Flags&game.GameFlagTeams == 0 {
		f.Game.TeamScore = [2]int32{}
	}
	if f.Game.Flags&game.GameFlagFlags == 0 {
		f.Game.FlagCarrier, f.Game.FlagDropTick = [2]int32{-3, -3}, [2]int32{}
	}
	return &w
}

// near makes places equal that are so many units apart at most.
func near(limit float32) gocmp.Option {
	return gocmp.Comparer(func(a, b vec.Vec2) bool { return vec.Distance(a, b) <= limit })
}

// diff compares what a client sees with what it should. Tees may be off by the
// rounding to whole units, shots, whose direction has hundredths, by a hundredth of their way.
func diff(want, got *game.View) string {
	// Nil and empty lists are the same.
	for _, f := range []*game.Frame{want.Frame, got.Frame} {
		if len(f.Players) == 0 {
			f.Players = nil
		}
		if len(f.Characters) == 0 {
			f.Characters = nil
		}
		if len(f.Projectiles) == 0 {
			f.Projectiles = nil
		}
		if len(f.Lasers) == 0 {
			f.Lasers = nil
		}
		if len(f.Pickups) == 0 {
			f.Pickups = nil
		}
		if len(f.Flags) == 0 {
			f.Flags = nil
		}
	}
	shots := func(p gocmp.Path) bool { return strings.HasPrefix(p.String(), "Frame.Projectiles") }
	return gocmp.Diff(want, got, gocmp.FilterPath(shots, near(64)),
		gocmp.FilterPath(func(p gocmp.Path) bool { return !shots(p) }, near(1.5)))
}

// match is a world of players who do something at random, and clients who are
// told of it.
type match struct {
	t       testing.TB
	world   *game.World
	rand    *rand.Rand
	scene   Scene
	ann     Announcer
	decoder msg7.Decoder
	build   snapshot.Builder
	lifts   []*Lift
	inputs  []game.Input
	cmds    []game.Command
	events  [][]game.Event // heard, by client
	told    [][]game.Event // that should have been heard
	effects []game.Event
	trigger [game.MaxPlayers]int32
}

func newMatch(t testing.TB, mapName string, players int, seed uint64) *match {
	t.Helper()
	file, _ := maps.Find(mapName)
	m, err := twmap.Parse(file.Data)
	if err != nil {
		t.Fatal(err)
	}
	layer := m.GameLayer()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots, rules.ScoreLimit, rules.SpamProtection = 64, 64, 0, false
	w, err := game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    dm.Mode{}, Rules: rules, Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	col, err := physics.NewCollision(layer.Width, layer.Height, layer.Indices())
	if err != nil {
		t.Fatal(err)
	}
	x := &match{
		t: t, world: w, rand: rand.New(rand.NewPCG(seed, 1)), inputs: make([]game.Input, players),
		events: make([][]game.Event, players), told: make([][]game.Event, players),
	}
	for range players {
		l := NewLift()
		l.SetMap(col)
		x.lifts = append(x.lifts, l)
	}
	for id := range game.PlayerID(players) {
		x.cmds = append(x.cmds, join(id)...)
	}
	x.step()
	return x
}

func join(id game.PlayerID) []game.Command {
	return []game.Command{
		{Kind: game.CmdJoin, Player: id, AddrHash: uint64(id)},
		{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{
			Name: fmt.Sprintf("n%d", id), Clan: "clan", Country: int32(id) - 1, Skin: game.Skin{PartNames: [6]string{"standard"}, PartColors: [6]int32{int32(id)}},
		}},
		{Kind: game.CmdEnterGame, Player: id},
	}
}

// act makes the commands of a tick.
func (x *match) act() {
	r := x.rand
	for i := range x.inputs {
		id, in := game.PlayerID(i), &x.inputs[i]
		if r.IntN(8) == 0 {
			*in = game.Input{
				Direction: int32(r.IntN(3) - 1), Jump: r.IntN(2) == 0, Hook: r.IntN(2) == 0, Fire: in.Fire,
				TargetX: int32(r.IntN(400) - 200), TargetY: int32(r.IntN(400) - 200), WantedWeapon: int32(r.IntN(6)),
			}
		}
		if r.IntN(5) == 0 {
			in.Fire = (in.Fire + 1) & 63
		}
		if r.IntN(300) == 0 {
			in.Flags ^= game.PlayerFlagChatting
		}
		switch r.IntN(2000) {
		case 0:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSetTeam, Player: id, Team: game.Team(r.IntN(2) - 1)})
		case 1:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSay, Player: id, Target: game.Nobody, Chat: game.ChatAll, Text: "häy"})
		case 2:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdEmoticon, Player: id, Value: int32(r.IntN(16))})
		case 3:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSkinChange, Player: id, Profile: &game.Profile{Skin: game.Skin{PartNames: [6]string{"other"}}}})
		case 4:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdLeave, Player: id, Text: "bye"})
			x.cmds = append(x.cmds, join(id)...)
		case 5:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdPause, Player: game.Nobody, Value: int32(r.IntN(2))})
		case 6, 7, 8:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSpectate, Player: id, Spectate: game.SpectatePlayer, Target: game.PlayerID(r.IntN(len(x.inputs)))})
		}
		x.cmds = append(x.cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: *in})
	}
	for i := range x.inputs {
		x.cmds = append(x.cmds, game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: x.inputs[i]})
	}
}

// step is a tick, and the messages it brings.
func (x *match) step() {
	events := x.world.Step(x.cmds)
	x.cmds = x.cmds[:0]
	f := x.world.Frame()
	x.scene.Note(f, events)
	for i := range f.Characters {
		x.trigger[f.Characters[i].Player] |= f.Characters[i].TriggeredEvents
	}
	for i := range events {
		ev := &events[i]
		switch {
		case ev.Kind.IsEffect():
			if len(x.effects) < maxEffects {
				x.effects = append(x.effects, *ev)
			}
		case ev.Kind == game.EvPlayerEntered:
			x.welcome(ev)
		default:
			if b, to := x.ann.Event(x.world, ev); b != nil {
				for id := range x.lifts {
					if to.Has(game.PlayerID(id)) {
						x.hear(id, b)
						x.told[id] = append(x.told[id], *ev)
					}
				}
			}
		}
	}
}

// welcome tells a newcomer of the game and of the others, and the others of him.
func (x *match) welcome(ev *game.Event) {
	who := int(ev.Player)
	x.lifts[who].Reset()
	x.hear(who, x.ann.GameInfo(x.world))
	x.told[who] = append(x.told[who], game.Event{Kind: game.EvGameInfo})
	for id := range x.lifts {
		if info, ok := x.world.Player(game.PlayerID(id)); ok && info.InGame && id != who {
			x.hear(who, x.ann.ClientInfo(x.world, info.ID, false, false))
			x.told[who] = append(x.told[who], game.Event{Kind: game.EvPlayerEntered, Player: info.ID, Team: info.Team})
			x.hear(id, x.ann.ClientInfo(x.world, ev.Player, false, ev.Flag))
			x.told[id] = append(x.told[id], *ev)
		}
	}
	x.hear(who, x.ann.ClientInfo(x.world, ev.Player, true, ev.Flag))
	x.told[who] = append(x.told[who], *ev)
}

func (x *match) hear(id int, b []byte) {
	m, err := x.decoder.Decode(slices.Clone(b))
	if err != nil {
		x.t.Fatal(err)
	}
	if ev, ok := x.lifts[id].Message(m); ok {
		x.events[id] = append(x.events[id], ev)
	}
}

// TestLiftUndoesDown: a client sees and hears what the server's world has for it,
// except for the losses that Lift lists.
func TestLiftUndoesDown(t *testing.T) {
	var latency [game.MaxPlayers]int32
	seen := map[string]int{}
	for _, mapName := range []string{"teeyard1", "testbox"} {
		x := newMatch(t, mapName, 12, 7)
		var s snapshot.Snapshot
		for tick := range 1200 {
			x.act()
			x.step()
			if tick%2 != 0 {
				continue
			}
			x.scene.Begin(x.world.Frame())
			for id, l := range x.lifts {
				v := x.world.View(game.PlayerID(id))
				x.scene.Build(&x.build, &v, &latency)
				x.build.Finish(&s)
				got := l.ReceiveSnapshot(v.Tick, &s)
				if (tick/2+id)%9 != 0 {
					continue // comparing is slow
				}
				want := lose(&v, &x.trigger)
				if want.VitalsOf == v.Viewer {
					// The server sets the view a tick after a spawn.
					want.Pos = got.Pos
					for _, c := range v.Characters {
						if c.Player == v.Viewer && v.Sees(c.Pos) {
							want.Pos = c.Pos
						}
					}
				}
				if d := diff(want, got); d != "" {
					t.Fatalf("%s, tick %d, player %d (-server +client):\n%s", mapName, tick, id, d)
				}
				x.checkEffects(&v, l.Effects())
				x.checkRoster(l)
				seen["characters"] += len(got.Characters)
				seen["projectiles"] += len(got.Projectiles)
				seen["lasers"] += len(got.Lasers)
				seen["pickups"] += len(got.Pickups)
				seen["effects"] += len(l.Effects())
				if l.view.VitalsOf != l.own {
					seen["watching"]++
				}
			}
			x.scene.Done()
			x.effects = x.effects[:0]
			clear(x.trigger[:])
			if t.Failed() {
				return
			}
		}
		for id := range x.lifts {
			x.checkEvents(id)
			seen["events"] += len(x.events[id])
		}
	}
	for _, what := range []string{"characters", "projectiles", "lasers", "pickups", "effects", "watching", "events"} {
		if seen[what] == 0 {
			t.Errorf("the matches had no %s", what)
		}
	}
	t.Log(seen)
}

func (x *match) checkEffects(v *game.View, got []game.Event) {
	x.t.Helper()
	var want []game.Event
	for _, e := range x.effects {
		if !e.To.Has(v.Viewer) || !v.Hears(e.Pos) {
			continue
		}
		w := game.Event{Kind: e.Kind, Player: game.Nobody, Target: game.Nobody, Pos: vec.Vec2{X: float32(int32(e.Pos.X)), Y: float32(int32(e.Pos.Y))}}
		switch e.Kind {
		case game.EvDeath:
			w.Player = e.Player
		case game.EvSound:
			w.Sound = e.Sound
		case game.EvDamage:
			w.Player, w.Angle, w.Value, w.Extra, w.Flag = e.Player, e.Angle, e.Value, e.Extra, e.Flag
		}
		want = append(want, w)
	}
	if d := gocmp.Diff(want, append([]game.Event(nil), got...)); d != "" {
		x.t.Errorf("effects (-server +client):\n%s", d)
	}
}

func (x *match) checkRoster(l *Lift) {
	x.t.Helper()
	for id := range game.PlayerID(len(x.lifts)) {
		want, _ := x.world.Player(id)
		got, ok := l.Player(id)
		if !ok || got.Team != want.Team || got.Score != want.Score || gocmp.Diff(got.Profile, want.Profile) != "" {
			x.t.Errorf("player %d: %+v instead of %+v", id, got, want)
		}
	}
}

// checkEvents compares what a client was told with the server's events.
func (x *match) checkEvents(id int) {
	x.t.Helper()
	for i, e := range x.told[id] {
		w := game.Event{Kind: e.Kind, Player: game.Nobody, Target: game.Nobody}
		switch e.Kind {
		case game.EvPlayerEntered:
			w.Player, w.Team, w.Flag = e.Player, e.Team, e.Flag
		case game.EvPlayerLeft:
			w.Player, w.Text, w.Flag = e.Player, e.Text, e.Flag
		case game.EvTeamChange:
			w.Player, w.Team, w.Flag, w.Tick = e.Player, e.Team, e.Flag, e.Tick
		case game.EvChat:
			w.Player, w.Target, w.Chat, w.Text = e.Player, e.Target, e.Chat, e.Text
		case game.EvKill:
			w.Player, w.Target, w.Weapon, w.Value = e.Player, e.Target, e.Weapon, e.Value
			if w.Player == game.Nobody {
				w.Player = -2
			}
		case game.EvPickup:
			w.Player, w.Weapon, w.Pickup = e.Player, e.Weapon, e.Pickup
		case game.EvEmoticon:
			w.Player, w.Value = e.Player, e.Value
		case game.EvSkinChange:
			w.Player = e.Player
		case game.EvGameMsg:
			w.GameMsg, w.Value, w.Extra, w.Player = e.GameMsg, e.Value, e.Extra, e.Player
		case game.EvBroadcast:
			w.Text = e.Text
		}
		if i >= len(x.events[id]) {
			x.t.Fatalf("player %d heard only %d of %d events", id, len(x.events[id]), len(x.told[id]))
		}
		got := x.events[id][i]
		if w.Kind == game.EvPlayerEntered && w.Player != game.PlayerID(id) {
			w.Flag = got.Flag // told otherwise to newcomers
		}
		if d := gocmp.Diff(w, got); d != "" {
			x.t.Fatalf("event %d of player %d (-server +client):\n%s", i, id, d)
		}
	}
}

// TestLiftMatchState: the state of a match of any mode survives the way.
func TestLiftMatchState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.Int32Range(0, 1<<30)
		carrier := rapid.Int32Range(-3, 63)
		small := rapid.Int32Range(0, 1000)
		g := game.GameState{
			Flags: game.GameFlags(rapid.IntRange(0, 15).Draw(t, "flags")), StartTick: tick.Draw(t, "start"),
			State: game.GameStateFlags(rapid.IntRange(0, 63).Draw(t, "state")), EndTick: tick.Draw(t, "end"),
			TeamScore:    [2]int32{small.Draw(t, "red") - 500, small.Draw(t, "blue") - 500},
			FlagCarrier:  [2]int32{carrier.Draw(t, "carrier"), carrier.Draw(t, "carrier")},
			FlagDropTick: [2]int32{tick.Draw(t, "drop"), tick.Draw(t, "drop")}, ScoreLimit: small.Draw(t, "score"),
			TimeLimit: small.Draw(t, "time"), MatchNum: small.Draw(t, "num"), MatchCurrent: small.Draw(t, "cur"),
		}
		f := &game.Frame{Tick: tick.Draw(t, "tick"), Game: g}
		for team := range game.Team(rapid.IntRange(0, 2).Draw(t, "stands")) {
			f.Flags = append(f.Flags, game.FlagState{Team: team, X: small.Draw(t, "x"), Y: small.Draw(t, "y")})
			g := &f.Flags[len(f.Flags)-1]
			g.Pos = at(g.X, g.Y)
		}
		v := game.View{Frame: f, Viewer: game.Nobody, VitalsOf: game.Nobody, ShowAll: true}
		var s Scene
		var b snapshot.Builder
		var snap snapshot.Snapshot
		s.Begin(f)
		s.Build(&b, &v, new([game.MaxPlayers]int32))
		b.Finish(&snap)
		l := NewLift()
		l.Message(&msg7.SvGameInfo{
			GameFlags: msg7.GameFlags(g.Flags), ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, MatchNum: g.MatchNum, MatchCurrent: g.MatchCurrent,
		})
		got := l.ReceiveSnapshot(f.Tick, &snap)
		got.ShowAll = true // a recording's view is not of the wire
		if d := diff(lose(&v, new([game.MaxPlayers]int32)), got); d != "" {
			t.Fatal(d)
		}
	})
}

// TestRequestUndoesUp: a command that a client asks for arrives as it was.
func TestRequestUndoesUp(t *testing.T) {
	skin := game.Skin{PartNames: [6]string{"bear", "", "", "standard", "standard", "standard"}, UseCustomColors: [6]bool{true}, PartColors: [6]int32{1, -2, 3}}
	var d msg7.Decoder
	for _, want := range []game.Command{
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: "hi"},
		{Kind: game.CmdSay, Target: 5, Chat: game.ChatWhisper, Text: "psst"},
		{Kind: game.CmdSetTeam, Target: game.Nobody, Team: game.TeamSpectators},
		{Kind: game.CmdSpectate, Target: 9, Spectate: game.SpectatePlayer},
		{Kind: game.CmdProfile, Target: game.Nobody, Profile: &game.Profile{Name: "nameless", Clan: "c", Country: -1, Skin: skin}},
		{Kind: game.CmdSkinChange, Target: game.Nobody, Profile: &game.Profile{Skin: skin}},
		{Kind: game.CmdKill, Target: game.Nobody},
		{Kind: game.CmdReady, Target: game.Nobody},
		{Kind: game.CmdEmoticon, Target: game.Nobody, Value: 13},
	} {
		want.Player = 3
		m, ok := Request(&want)
		if !ok {
			t.Errorf("no message for %+v", want)
			continue
		}
		got, err := d.Decode(m.Append(nil))
		if err != nil {
			t.Errorf("%+v: %v", want, err)
			continue
		}
		back, ok := Up(got, 3)
		if diff := gocmp.Diff(want, back); !ok || diff != "" {
			t.Errorf("(-asked +arrived):\n%s", diff)
		}
	}
	for _, c := range []game.Command{{Kind: game.CmdTuneParams}, {Kind: game.CmdProfile}, {Kind: game.CmdSkinChange}} {
		if m, ok := Request(&c); ok {
			t.Errorf("%+v became %T", c, m)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(0, 63)
		want := game.Input{
			Direction: rapid.Int32Range(-1, 1).Draw(t, "direction"), TargetX: rapid.Int32().Draw(t, "x"), TargetY: rapid.Int32().Draw(t, "y"),
			Jump: rapid.Bool().Draw(t, "jump"), Hook: rapid.Bool().Draw(t, "hook"), Fire: n.Draw(t, "fire"),
			Flags:        game.PlayerFlags(rapid.IntRange(0, 127).Draw(t, "flags")) & (game.PlayerFlagChatting | game.PlayerFlagScoreboard),
			WantedWeapon: rapid.Int32Range(0, 5).Draw(t, "weapon"), NextWeapon: n.Draw(t, "next"), PrevWeapon: n.Draw(t, "prev"),
		}
		p := PlayerInput(&want)
		if got := Input(&p); got != want {
			t.Fatalf("%+v instead of %+v", got, want)
		}
	})
}
