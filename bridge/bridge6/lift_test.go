package bridge6

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// lose takes from a view what 0.6 does not carry; see the comment of the package.
// Places are compared by near.
func lose(v *game.View) *game.View {
	f := *v.Frame
	w := *v
	w.Frame = &f
	f.Characters = slices.DeleteFunc(slices.Clone(f.Characters), func(c game.CharacterState) bool { return !v.Sees(c.Pos) })
	var seen game.PlayerMask
	for i := range f.Characters {
		c := &f.Characters[i]
		seen |= game.MaskOne(c.Player)
		c.TriggeredEvents = 0
		c.Ammo = min(c.Ammo, 10)
		if c.Weapon == game.WeaponNinja {
			c.Ammo = 0
		}
		if c.Player != v.Viewer && c.Player != v.VitalsOf {
			c.Health, c.Armor, c.Ammo = 0, 0, 0
		}
	}
	f.Players = slices.Clone(f.Players)
	for i := range f.Players {
		p := &f.Players[i]
		keep := game.PlayerFlagAdmin
		if seen.Has(p.ID) {
			keep |= game.PlayerFlagChatting
		}
		q := game.PlayerState{ID: p.ID, Team: p.Team, Flags: p.Flags & keep, Score: p.Score, SpectatorID: game.Nobody}
		if p.ID == v.Viewer && p.Spectating {
			q.Team, q.Spectating, q.ViewX, q.ViewY = game.TeamSpectators, true, p.ViewX, p.ViewY
			q.SpecMode = game.SpectateFree
			if p.SpecMode != game.SpectateFree && p.SpectatorID >= 0 {
				q.SpecMode, q.SpectatorID = game.SpectatePlayer, p.SpectatorID
			}
			w.VitalsOf, w.Pos = q.SpectatorID, at(q.ViewX, q.ViewY)
		}
		*p = q
	}
	f.Projectiles = slices.DeleteFunc(slices.Clone(f.Projectiles), func(p game.ProjectileState) bool { return !v.Sees(p.Pos) })
	f.Lasers = slices.DeleteFunc(slices.Clone(f.Lasers), func(l game.LaserState) bool { return !v.Sees(l.Pos) && !v.Sees(l.From) })
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
	f.Game = loseGame(f.Game, f.Tick)
	return &w
}

// loseGame takes from the state of a match what 0.6 does not carry.
func loseGame(g game.GameState, tick int32) game.GameState {
	s, flags := g.State, g.Flags
	g.Flags &= game.GameFlagTeams | game.GameFlagFlags
	g.State = s & game.StateSuddenDeath
	over := s&(game.StateRoundOver|game.StateGameOver) != 0
	paused := s&(game.StatePaused|game.StateCountdown) != 0
	end := int32(0) // what is left of it, if anything
	if s&game.StateWarmup != 0 || paused {
		end = max(g.EndTick, tick)
		if g.EndTick == 0 && s&game.StateWarmup != 0 {
			end = tick + endlessWarmup
		}
	}
	if g.EndTick = end; end == tick || end == 0 {
		g.EndTick = 0
	}
	switch {
	case over:
		g.State |= game.StateGameOver
	case paused:
		g.State |= game.StatePaused
	case g.EndTick != 0:
		g.State |= game.StateWarmup
	}
	g.FlagDropTick = [2]int32{}
	if flags&game.GameFlagTeams == 0 {
		g.TeamScore = [2]int32{}
	}
	if flags&game.GameFlagFlags == 0 {
		g.FlagCarrier = [2]int32{-3, -3}
	}
	return g
}

// near makes places equal that are so many units apart at most.
func near(limit float32) gocmp.Option {
	return gocmp.Comparer(func(a, b vec.Vec2) bool { return vec.Distance(a, b) <= limit })
}

// diff compares what a client sees with what it should. Tees may be off by the
// rounding to whole units, shots, whose direction has hundredths, by a hundredth of
// their way.
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

// visitor is a client of a match: both ends of the bridge.
type visitor struct {
	t      testing.TB
	host   bridge.ServerSide
	guest  *ClientSide
	heard  []game.Event // what its player was told
	told   []game.Event // what he should have been
	others int          // derived from snapshots
}

// down is the host's line, up the guest's.
type (
	down struct {
		bridge.ClientMessageHandler
		*visitor
	}
	up struct{ *visitor }
)

func (d down) Queue(b []byte, vital bool) {
	if err := d.guest.Receive(bytes.Clone(b), vital); err != nil {
		d.t.Errorf("the client does not take %x: %v", b, err)
	}
}
func (down) FlushSoon()              {}
func (down) OnProfile(*game.Profile) {}
func (down) OnLogin(bridge.Login)    {}
func (down) OnCommand(game.Command)  {}
func (u up) Queue(b []byte, vital bool) {
	if err := u.host.Receive(bytes.Clone(b), vital); err != nil {
		u.t.Errorf("the server does not take %x: %v", b, err)
	}
}
func (up) FlushSoon() {}

// ears is the guest's news.
type ears struct {
	bridge.ServerMessageHandler
	*visitor
}

func (e ears) OnEvent(ev *game.Event) {
	switch ev.Kind {
	case game.EvPlayerEntered, game.EvPlayerLeft, game.EvTeamChange, game.EvSkinChange, game.EvGameInfo:
		e.others++
	case game.EvChat:
		if ev.Player >= 0 {
			e.heard = append(e.heard, *ev)
		}
	default:
		e.heard = append(e.heard, *ev)
	}
}

// match is a world of players who do something at random, and clients who are told
// of it.
type match struct {
	t       testing.TB
	world   *game.World
	rand    *rand.Rand
	version *Protocol
	all     []*visitor
	inputs  []game.Input
	cmds    []game.Command
	effects []game.Event
	build   snapshot.Builder
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
	x := &match{t: t, world: w, rand: rand.New(rand.NewPCG(seed, 1)), version: NewProtocol(), inputs: make([]game.Input, players)}
	for id := range players {
		v := &visitor{t: t}
		v.host = x.version.NewServerSide(down{visitor: v})
		cfg := ClientConfig{}
		if id%2 == 0 {
			cfg.DDNetVersion = 16040
		}
		v.guest = NewClientSide(up{v}, ears{visitor: v}, cfg)
		v.guest.SetMap(col)
		v.guest.SendLogin("")
		v.guest.SendProfile(&profile(id).profile)
		x.all = append(x.all, v)
		x.cmds = append(x.cmds, enter6(game.PlayerID(id))...)
	}
	x.step()
	return x
}

// dressed is a profile in one of the standard skins.
type dressed struct{ profile game.Profile }

func profile(id int) *dressed {
	return &dressed{game.Profile{Name: fmt.Sprint("n ", id), Clan: "cl@n", Country: int32(id) - 1, Skin: standard[id%16].skin}}
}

func enter6(id game.PlayerID) []game.Command {
	return []game.Command{
		{Kind: game.CmdJoin, Player: id, AddrHash: uint64(id)},
		{Kind: game.CmdProfile, Player: id, Profile: &profile(int(id)).profile},
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
				Direction: int32(r.IntN(3) - 1), Jump: r.IntN(2) == 0, Hook: r.IntN(2) == 0, Fire: in.Fire, Flags: in.Flags,
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
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSkinChange, Player: id, Profile: &game.Profile{Skin: standard[r.IntN(16)].skin}})
		case 4:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdLeave, Player: id, Text: "bye"})
			x.cmds = append(x.cmds, enter6(id)...)
		case 5:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdPause, Player: game.Nobody, Value: int32(r.IntN(2))})
		case 6, 7, 8:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSpectate, Player: id, Spectate: game.SpectatePlayer, Target: game.PlayerID(r.IntN(len(x.inputs)))})
		case 9:
			x.cmds = append(x.cmds, game.Command{Kind: game.CmdSay, Player: id, Target: game.PlayerID(r.IntN(len(x.inputs))), Chat: game.ChatWhisper, Text: "psst"})
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
	x.version.RecordTick(x.world, events)
	f := x.world.Frame()
	for i := range f.Characters {
		c := &f.Characters[i]
		for bit, sound := range map[int32]game.Sound{
			coreGroundJump: game.SoundJump, coreHookPlayer: game.SoundHookAttachPlayer,
			coreHookGround: game.SoundHookAttachGround, coreHookNothing: game.SoundHookNoAttach,
		} {
			if c.TriggeredEvents&bit == 0 {
				continue
			}
			ev := game.Event{Kind: game.EvSound, Sound: sound, Pos: c.Pos, To: game.MaskAll}
			if bit != coreHookPlayer {
				ev.To &^= game.MaskOne(c.Player)
			}
			x.effects = append(x.effects, ev)
		}
	}
	for i := range events {
		ev := &events[i]
		if ev.Kind.IsEffect() {
			x.effects = append(x.effects, *ev)
			continue
		}
		for id, v := range x.all {
			if ev.Kind == game.EvPlayerEntered && int(ev.Player) == id {
				v.host.SendClientInfo(x.world, ev.Player, true, ev.Flag)
			} else if ev.To.Has(game.PlayerID(id)) {
				v.host.SendEvent(x.world, ev)
				x.expect(id, ev)
			}
		}
	}
}

// expect takes note of an event that comes as a message.
func (x *match) expect(id int, ev *game.Event) {
	w := game.Event{Kind: ev.Kind, Player: game.Nobody, Target: game.Nobody}
	v := x.all[id]
	switch ev.Kind {
	case game.EvChat:
		if ev.Player < 0 {
			return
		}
		w.Player, w.Target, w.Chat, w.Text = ev.Player, ev.Target, ev.Chat, ev.Text
		if w.Chat == game.ChatWhisper {
			if v.guest.cfg.DDNetVersion < msg6.VersionWhisper {
				return // a line of the server's
			}
			if ev.Player == ev.Target { // once as sent, once as received
				v.told = append(v.told, w)
			}
		} else {
			w.Target = game.Nobody
		}
	case game.EvKill:
		w.Player, w.Target, w.Weapon, w.Value = ev.Player, ev.Target, ev.Weapon, ev.Value
		if w.Player < 0 {
			w.Player = w.Target
		}
	case game.EvPickup:
		if ev.Weapon < 0 {
			return
		}
		w.Player, w.Weapon, w.Pickup = ev.Player, ev.Weapon, ev.Pickup
	case game.EvEmoticon:
		w.Player, w.Value = ev.Player, ev.Value
	case game.EvBroadcast:
		w.Text = ev.Text
	case game.EvTuneParams:
	default:
		return
	}
	v.told = append(v.told, w)
}

// TestLiftUndoesDown: a client sees and hears what the server's world has for it,
// except for the losses that the package lists.
func TestLiftUndoesDown(t *testing.T) {
	var latency [game.MaxPlayers]int32
	seen := map[string]int{}
	for _, mapName := range []string{"teeyard1", "testbox"} {
		x := newMatch(t, mapName, 12, 7)
		var s snapshot.Snapshot
		for tick := range 700 {
			x.act()
			x.step()
			if tick%2 != 0 {
				continue
			}
			x.version.BeginSnapshots(x.world)
			for id, c := range x.all {
				v := x.world.View(game.PlayerID(id))
				c.host.BuildSnapshot(&x.build, &v, &latency)
				x.build.Finish(&s)
				got := c.guest.ReceiveSnapshot(v.Tick, &s)
				if (tick/2+id)%9 != 0 {
					continue // comparing is slow
				}
				want := lose(&v)
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
				x.checkEffects(&v, c.guest.Effects())
				x.checkRoster(&v, c.guest)
				seen["characters"] += len(got.Characters)
				seen["projectiles"] += len(got.Projectiles)
				seen["lasers"] += len(got.Lasers)
				seen["pickups"] += len(got.Pickups)
				seen["effects"] += len(c.guest.Effects())
				if got.VitalsOf != got.Viewer {
					seen["watching"]++
				}
			}
			x.version.EndSnapshots()
			x.effects = x.effects[:0]
			if t.Failed() {
				return
			}
		}
		for id, c := range x.all {
			if d := gocmp.Diff(c.told, c.heard); d != "" {
				t.Fatalf("%s, events of player %d (-server +client):\n%s", mapName, id, d)
			}
			seen["events"] += len(c.heard)
			seen["events of snapshots"] += c.others
		}
	}
	for _, what := range []string{"characters", "projectiles", "lasers", "pickups", "effects", "watching", "events", "events of snapshots"} {
		if seen[what] == 0 {
			t.Errorf("the matches had no %s", what)
		}
	}
	t.Log(seen)
}

// checkEffects compares effects, whatever their order, and damage by how much there
// was where.
func (x *match) checkEffects(v *game.View, got []game.Event) {
	x.t.Helper()
	count := func(n map[game.Event]int32, e *game.Event, pos vec.Vec2) {
		w := game.Event{Kind: e.Kind, Pos: pos}
		by := int32(1)
		switch e.Kind {
		case game.EvDeath:
			w.Player = e.Player
		case game.EvSound:
			w.Sound = e.Sound
		case game.EvDamage:
			by = min(e.Value+e.Extra, maxStars)
		}
		if n[w] += by; n[w] == 0 {
			delete(n, w)
		}
	}
	want, have := map[game.Event]int32{}, map[game.Event]int32{}
	for i := range x.effects {
		e := &x.effects[i]
		if pos := at(int32(e.Pos.X), int32(e.Pos.Y)); e.To.Has(v.Viewer) && v.Hears(pos) {
			count(want, e, pos)
		}
	}
	for i := range got {
		count(have, &got[i], got[i].Pos)
	}
	if d := gocmp.Diff(want, have); d != "" {
		x.t.Errorf("effects (-server +client):\n%s", d)
	}
}

func (x *match) checkRoster(v *game.View, g *ClientSide) {
	x.t.Helper()
	for id := range game.PlayerID(len(x.all)) {
		want, _ := x.world.Player(id)
		for i := range v.Players {
			if p := &v.Players[i]; p.ID == id && id == v.Viewer && p.Spectating {
				want.Team = game.TeamSpectators
			}
		}
		got, ok := g.Player(id)
		if !ok || got.Team != want.Team || got.Score != want.Score || gocmp.Diff(got.Profile, want.Profile) != "" {
			x.t.Errorf("player %d: %+v instead of %+v", id, got, want)
		}
	}
}

// TestLiftMatchState: the state of a match of any mode survives the way, as far as
// 0.6 has it.
func TestLiftMatchState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.Int32Range(1, 1<<30)
		carrier := rapid.Int32Range(-3, 63)
		small := rapid.Int32Range(0, 1000)
		want := game.GameState{
			Flags: game.GameFlags(rapid.IntRange(0, 15).Draw(t, "flags")), StartTick: tick.Draw(t, "start"),
			State: game.GameStateFlags(rapid.IntRange(0, 63).Draw(t, "state")), EndTick: rapid.OneOf(rapid.Just(int32(0)), tick).Draw(t, "end"),
			TeamScore:    [2]int32{small.Draw(t, "red") - 500, small.Draw(t, "blue") - 500},
			FlagCarrier:  [2]int32{carrier.Draw(t, "carrier"), carrier.Draw(t, "carrier")},
			FlagDropTick: [2]int32{tick.Draw(t, "drop"), tick.Draw(t, "drop")}, ScoreLimit: small.Draw(t, "score"),
			TimeLimit: small.Draw(t, "time"), MatchNum: small.Draw(t, "num"), MatchCurrent: small.Draw(t, "cur"),
		}
		now := tick.Draw(t, "tick")
		g := NewClientSide(nil, silence{}, ClientConfig{})
		got := g.ReceiveSnapshot(now, gameSnapshot(&want, now)).Game
		if d := gocmp.Diff(loseGame(want, now), got); d != "" {
			t.Fatalf("(-server +client):\n%s", d)
		}
		if l := g.GameInfo(); l.ScoreLimit != want.ScoreLimit || l.TimeLimit != want.TimeLimit || l.MatchNum != want.MatchNum || l.MatchCurrent != want.MatchCurrent {
			t.Fatalf("limits %+v of %+v", l, want)
		}
	})
}

// TestLiftEmote: the limit of the emote on the wire is the number of emotes, one more
// than there are; what is shown is always one.
func TestLiftEmote(t *testing.T) {
	for wire, want := range map[msg6.Emote]game.Emote{
		-1: game.EmoteNormal, msg6.EmoteAngry: game.EmoteAngry, msg6.EmoteBlink: game.EmoteBlink, 6: game.EmoteBlink, math.MaxInt32: game.EmoteBlink,
	} {
		var b snapshot.Builder
		add(&b, msg6.TypeCharacter, 3, msg6.SizeCharacter, &msg6.Character{Emote: wire})
		var s snapshot.Snapshot
		b.Finish(&s)
		v := NewClientSide(nil, silence{}, ClientConfig{}).ReceiveSnapshot(1, &s)
		if len(v.Characters) != 1 || v.Characters[0].Emote != want {
			t.Errorf("emote %d: %+v, want emote %d", wire, v.Characters, want)
		}
	}
}

// silence is news that nobody hears.
type silence struct{ bridge.ServerMessageHandler }

func (silence) OnEvent(*game.Event) {}
