package bridge6

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// snapshotItems are the items of a snapshot.
type snapshotItems map[snapshot.Key]msg6.Object

func (p snapshotItems) countType(typ int) (n int) {
	for k := range p {
		if k.Type() == typ {
			n++
		}
	}
	return n
}

// getItem returns the item with the given type and id, or the zero value.
func getItem[T any](p snapshotItems, typ, id int) (zero T) {
	if o, ok := any(p[snapshot.MakeKey(typ, id)]).(*T); ok {
		return *o
	}
	return zero
}

// readItems decodes a snapshot for a client that knows numIDs ids. readItems fails the test if a
// value is outside its declared range.
func readItems(t testing.TB, s *snapshot.Snapshot, numIDs int) snapshotItems {
	t.Helper()
	p := snapshotItems{}
	var reg msg6.TypeRegistry
	for i := range s.Len() {
		k, ints := s.Item(i)
		if k.Type() == msg6.TypeEx {
			reg.AddEx(k.ID(), ints)
			continue
		}
		typ := reg.Type(k.Type())
		if k.Type() >= msg6.LastExtendedWireType && typ == msg6.TypeUnknown {
			t.Errorf("item %d/%d is not described", k.Type(), k.ID())
			continue
		}
		var d msg6.ObjectDecoder
		o, err := d.Decode(typ, ints)
		if err != nil {
			t.Errorf("item %d/%d: %v", k.Type(), k.ID(), err)
			continue
		}
		if n := o.Clamp(); n != 0 {
			t.Errorf("%T %d has %d fields out of range: %v", o, k.ID(), n, ints)
		}
		limit := func(what string, id int32) {
			if id >= int32(numIDs) {
				t.Errorf("%T %d: %s %d", o, k.ID(), what, id)
			}
		}
		switch o := o.(type) {
		case *msg6.Character:
			limit("id", int32(k.ID()))
			limit("hooked", o.HookedPlayer)
			if o.Weapon < 0 || o.AmmoCount < 0 {
				t.Errorf("character %d: %+v", k.ID(), o)
			}
		case *msg6.PlayerInfo:
			limit("id", o.ClientID)
			if int(o.ClientID) != k.ID() {
				t.Errorf("player %d is %d", k.ID(), o.ClientID)
			}
		case *msg6.ClientInfo:
			limit("id", int32(k.ID()))
		case *msg6.SpectatorInfo:
			limit("id", int32(k.ID()))
			limit("watched", o.SpectatorID)
		case *msg6.EventDeath:
			limit("death", o.ClientID)
		case *msg6.GameData:
			limit("carrier", int32(o.CarrierRed))
			limit("carrier", int32(o.CarrierBlue))
		case *msg6.GameInfo:
			if o.WarmupTimer < 0 {
				t.Errorf("timer %d", o.WarmupTimer)
			}
		}
		p[snapshot.MakeKey(min(typ, 0xffff), k.ID())] = o
		if typ > 0xffff { // an item of DDNet's own, stored under its type number on the wire
			p[snapshot.MakeKey(k.Type(), k.ID())] = o
		}
	}
	if _, ok := p[snapshot.MakeKey(msg6.TypeGameInfo, 0)]; !ok {
		t.Error("no GameInfo: DDNet's client would crash")
	}
	return p
}

// viewer reads the snapshots of a world.
type viewer struct {
	t       testing.TB
	world   *game.World
	b       snapshot.Builder
	s       snapshot.Snapshot
	latency [game.MaxPlayers]int32
}

// items returns the items of a client's next snapshot.
func (v *viewer) items(s *serverSide, id game.PlayerID) snapshotItems {
	v.t.Helper()
	view := v.world.View(id)
	s.BuildSnapshot(&v.b, &view, &v.latency)
	v.b.Finish(&v.s)
	return readItems(v.t, &v.s, s.ids.Limit())
}

func intsText(ints []int32) string { return string(message.AppendIntsToStr(nil, ints)) }

// TestSnapshot checks the player items and DDNet's own items. TestMatch checks the others.
func TestSnapshot(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	p := NewProtocol()
	alice, _ := newServerSide(t, p, w, 0, 16040)
	bob, _ := newServerSide(t, p, w, 1, msg6.VersionNone)
	p.snapshot.skins.set(0, skin06{name: "santa"}) // a skin other than the game's
	v := &viewer{t: t, world: w, latency: [game.MaxPlayers]int32{1: 42}}
	round := func(flags game.PlayerFlags) (ofAlice, ofBob snapshotItems) {
		cmds := []game.Command{{Kind: game.CmdPlayerFlags, Player: 0, Value: int32(flags)}}
		for _, kind := range []game.CommandKind{game.CmdDirectInput, game.CmdInput} {
			cmds = append(cmds, game.Command{Kind: kind, Player: 1, Input: game.Input{Flags: game.PlayerFlagChatting}})
		}
		for range 4 { // a tee's first inputs are ignored
			p.RecordTick(w, w.Step(cmds))
		}
		p.BeginSnapshots(w)
		defer p.EndSnapshots()
		return v.items(alice, 0), v.items(bob, 1)
	}
	items, ofBob := round(game.PlayerFlagAdmin)
	for id, want := range []struct {
		name          string
		local, health int32
		flags         msg6.PlayerFlags
	}{{"alice", 1, 10, msg6.PlayerFlagPlaying}, {"bob", 0, 0, msg6.PlayerFlagChatting}} {
		info := getItem[msg6.ClientInfo](items, msg6.TypeClientInfo, id)
		if intsText(info.Name[:]) != want.name || intsText(info.Clan[:]) != "clan" || info.Country != 276 ||
			intsText(info.Skin[:]) != "bluekitty" || info.UseCustomColor != 0 {
			t.Errorf("client %d: %q %q %q %+v", id, intsText(info.Name[:]), intsText(info.Clan[:]), intsText(info.Skin[:]), info)
		}
		if got := getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo,
			id); got != (msg6.PlayerInfo{Local: want.local, ClientID: int32(id), Latency: v.latency[id]}) {
			t.Errorf("player %d: %+v", id, got)
		}
		if got := getItem[msg6.Character](items, msg6.TypeCharacter, id); got.Health != want.health || got.PlayerFlags != want.flags || got.HookedPlayer != -1 {
			t.Errorf("character %d: %+v", id, got)
		}
	}
	if items.countType(msg6.TypeGameData) != 0 {
		t.Error("a game without teams has team scores")
	}
	if got, ok := items[snapshot.MakeKey(wireTypeGameInfoEx, 0)].(*msg6.GameInfoEx); !ok ||
		*got != (msg6.GameInfoEx{Flags: 1628438656 | msg6.GameInfoAllowEyeWheel, Version: 8, Flags2: 0x30, Missing: 2}) {
		t.Errorf("GameInfoEx %+v", got)
	}
	if got, ok := items[snapshot.MakeKey(wireTypeDDNetPlayer, 0)].(*msg6.DDNetPlayer); !ok ||
		got.AuthLevel != msg6.AuthAdmin || items.countType(wireTypeDDNetPlayer) != 1 {
		t.Errorf("DDNetPlayer %+v", got)
	}
	if getItem[msg6.PlayerInfo](ofBob, msg6.TypePlayerInfo, 1).Local != 1 || getItem[msg6.PlayerInfo](ofBob, msg6.TypePlayerInfo, 0).Local != 0 {
		t.Error("bob is not marked as the local player")
	}
	for k := range ofBob {
		if k.Type() >= msg6.LastExtendedWireType || k.Type() == 0 {
			t.Errorf("bob, whose client is not DDNet's, gets item %d", k.Type())
		}
	}
	items, _ = round(0)
	if got, ok := items[snapshot.MakeKey(wireTypeDDNetPlayer, 0)].(*msg6.DDNetPlayer); !ok || got.AuthLevel != msg6.AuthNone {
		t.Errorf("DDNetPlayer after logout: %+v", got)
	}
}

// TestSkinCache checks that 0.6 players see each other's original 0.6 skins, although the game
// stores only the 0.7 equivalents.
func TestSkinCache(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	v := NewProtocol()
	srv, l := newServerSide(t, v, w, 0, 0)
	b := &viewer{t: t, world: w}
	expect := func(what, skin string) {
		t.Helper()
		v.RecordTick(w, nil)
		v.BeginSnapshots(w)
		info := getItem[msg6.ClientInfo](b.items(srv, 0), msg6.TypeClientInfo, 0)
		if got := intsText(info.Skin[:]); got != skin {
			t.Errorf("%s: %q, want %q", what, got, skin)
		}
		v.EndSnapshots()
	}
	change := func(name string) {
		receive(t, srv, &msg6.ClChangeInfo{Profile: msg6.PlayerProfile{Name: []byte("alice"), Skin: []byte(name)}})
		var cmds []game.Command
		for _, call := range l.Take() {
			c := call.Args[0].(game.Command)
			c.Player = 0
			cmds = append(cmds, c)
		}
		w.Step(cmds)
	}
	expect("at first", "bluekitty")
	w.Step(nil)
	for range 300 {
		w.Step(nil)
	}
	change("santa") // the default skin when converted to 0.7
	expect("another", "santa")
	change("panda") // also the default in 0.7: nothing changes in the game
	expect("the same in 0.7", "panda")
	change("pinky") // refused: too soon after santa
	expect("refused", "panda")
	for range 300 {
		w.Step(nil)
	}
	change("pinky")
	expect("repeated", "pinky")
	v.RecordTick(w, []game.Event{{Kind: game.EvPlayerLeft, Player: 0}})
	if v.snapshot.skins.infos[0].hasRequested || v.snapshot.skins.infos[0].hasShown {
		t.Error("the next player with the id has the skin")
	}
}

// gameSnapshot returns a snapshot that contains only the match state.
func gameSnapshot(g *game.GameState, tick int32) *snapshot.Snapshot {
	var sc snapshotEncoder
	sc.frame = &game.Frame{}
	sc.addGame(g, tick)
	var b snapshot.Builder
	sc.shared.AppendVisible(&b, &game.View{}, nil)
	if sc.isRace {
		sc.buildRaceInfo(&b, &game.View{}, true)
	}
	sc.buildGameData(&b, &clientids.Map{})
	var s snapshot.Snapshot
	b.Finish(&s)
	return &s
}

// TestGameInfo checks how each match state is shown.
func TestGameInfo(t *testing.T) {
	for _, c := range []struct {
		g     game.GameState
		flags msg6.GameStateFlags
		timer int32
		start int32
	}{
		{game.GameState{}, 0, 0, 7},
		{game.GameState{EndTick: 500}, 0, 0, 7},
		{game.GameState{State: game.StateWarmup, EndTick: 1100}, 0, 100, 7},
		{game.GameState{State: game.StateWarmup}, 0, 0, 7},
		{game.GameState{State: game.StateWarmup, EndTick: 900}, 0, 0, 7},
		{game.GameState{State: game.StatePaused}, msg6.GameStatePaused, 0, 7},
		{game.GameState{State: game.StatePaused, EndTick: 1050}, msg6.GameStatePaused, 0, 7},
		{game.GameState{State: game.StatePaused | game.StateCountdown, EndTick: 1050}, msg6.GameStatePaused, 0, 7},
		{game.GameState{State: game.StatePaused | game.StateCountdown, StartTick: 1000, EndTick: 1050}, 0, 50, 1000},
		{game.GameState{State: game.StateSuddenDeath}, msg6.GameStateSuddenDeath, 0, 7},
		{game.GameState{State: game.StateGameOver, EndTick: 600}, msg6.GameStateGameOver | msg6.GameStatePaused, 0, 400},
		{game.GameState{State: game.StateRoundOver, EndTick: 1}, msg6.GameStateGameOver | msg6.GameStatePaused, 0, 999},
	} {
		if c.g.StartTick == 0 {
			c.g.StartTick = 7
		}
		c.g.ScoreLimit, c.g.TimeLimit, c.g.MatchNum, c.g.MatchCurrent = 20, 5, 3, 2
		s := gameSnapshot(&c.g, 1000)
		var got msg6.GameInfo
		if err := got.ReadInts(s.Find(snapshot.MakeKey(msg6.TypeGameInfo, 0))); err != nil || s.Len() != 1 {
			t.Fatalf("%d items, %v", s.Len(), err)
		}
		if want := (msg6.GameInfo{StateFlags: c.flags, RoundStartTick: c.start, WarmupTimer: c.timer, ScoreLimit: 20,
			TimeLimit: 5, RoundNum: 3, RoundCurrent: 2}); got != want {
			t.Errorf("%+v: %+v, want %+v", c.g, got, want)
		}
	}
}

// TestClockStopsAfterMatch checks that the displayed time stands still between matches.
func TestClockStopsAfterMatch(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	clock := func() int32 {
		g := w.Frame().Game
		var o msg6.GameInfo
		testenv.NoError(t, o.ReadInts(gameSnapshot(&g, w.Tick()).Find(snapshot.MakeKey(msg6.TypeGameInfo, 0))))
		return w.Tick() - o.RoundStartTick
	}
	for range 300 {
		w.Step(nil)
	}
	before := clock()
	w.Step([]game.Command{{Kind: game.CmdEndMatch, Player: game.Nobody}})
	end := clock()
	if end < before || end > before+1 {
		t.Errorf("the clock is at %d at the end, and was at %d", end, before)
	}
	for range 9 * game.TickRate {
		if got := clock(); got != end || w.Frame().Game.State != game.StateGameOver {
			t.Fatalf("tick %d: state %v, the clock is at %d and was at %d", w.Tick(), w.Frame().Game.State, got, end)
		}
		w.Step(nil)
	}
	for range 2 * game.TickRate {
		w.Step(nil)
	}
	if got := clock(); got > 2*game.TickRate {
		t.Errorf("the next match shows %d", got)
	}
}

// TestTimeLeft checks the broadcasts of the time left during a pause and during the countdown after
// it. The broadcast ends when play resumes. A countdown before a match has none.
func TestTimeLeft(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	s, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	var texts []string
	// play builds one snapshot per tick and collects the broadcasts in texts.
	play := func(ticks int) {
		for range ticks {
			s.protocol.BeginSnapshots(w)
			v := w.View(0)
			var b snapshot.Builder
			s.BuildSnapshot(&b, &v, new([game.MaxPlayers]int32))
			s.protocol.EndSnapshots()
			for _, m := range l.takeSent() {
				texts = append(texts, string(m.(*msg6.SvBroadcast).Message))
			}
			w.Step(nil)
		}
	}
	r := w.Rules()
	r.Countdown = 3
	w.Step([]game.Command{{Kind: game.CmdSetRules, Rules: &r}, {Kind: game.CmdPause, Player: game.Nobody, Value: 71}})
	play(80 * game.TickRate)
	want := []string{"\n\n\nGame continues in 70"}
	for n := 60; n > 0; n-- {
		want = append(want, fmt.Sprintf("\n\n\nGame continues in %d", n))
	}
	for n := 3; n > 0; n-- {
		want = append(want, fmt.Sprintf("\n\n\nGame starts in %d", n))
	}
	if want = append(want, ""); !slices.Equal(texts, want) {
		t.Errorf("broadcasts %q, want %q", texts, want)
	}
	texts = nil
	w.Step([]game.Command{{Kind: game.CmdRestart, Player: game.Nobody}})
	play(1)
	if g := w.Frame().Game; g.State&game.StateCountdown == 0 {
		t.Fatalf("state %v before the match", g.State)
	}
	play(4 * game.TickRate)
	w.Step([]game.Command{{Kind: game.CmdPause, Player: game.Nobody, Value: -1}})
	play(5 * game.TickRate)
	if texts != nil {
		t.Errorf("before a match, and in a pause without end: %q", texts)
	}
}

// TestWaiting checks that a warmup without an end shows the missing condition, and no clock.
func TestWaiting(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	s, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	expect := func(what string, want ...msg6.Message) {
		t.Helper()
		s.protocol.BeginSnapshots(w)
		v := w.View(0)
		var b snapshot.Builder
		s.BuildSnapshot(&b, &v, new([game.MaxPlayers]int32))
		s.protocol.EndSnapshots()
		l.expectSent(what, want...)
	}
	players, ready := broadcast("Warmup: waiting for other players"), broadcast("Warmup: write /ready when you are ready")
	expect("alone", players)
	for range 9*game.TickRate - 1 {
		w.Step(nil)
		expect("shown by the client")
	}
	w.Step(nil)
	expect("still alone", players)
	w.Step(join(1, "bob"))
	w.Step(nil)
	expect("in a match", broadcast(""))
	r := w.Rules()
	r.ReadyMode = true
	w.Step([]game.Command{{Kind: game.CmdSetRules, Rules: &r}, {Kind: game.CmdRestart, Player: game.Nobody, Value: -1}})
	expect("not ready", ready)
}

// TestFields checks single fields whose meaning differs in 0.6.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		weapon         game.Weapon
		ammo, wantAmmo int32
		health, want   int32
		wantWeapon     msg6.Weapon
	}{
		{game.WeaponGun, 7, 7, 9, 9, msg6.WeaponGun},
		{game.WeaponNinja, 123456, 0, 10, 10, msg6.WeaponNinja},
		{game.WeaponGrenade, 99, 10, 99, 10, msg6.WeaponGrenade},
		{game.WeaponGrenade, -1, 0, -5, 0, msg6.WeaponGrenade},
		{game.WeaponWorld, 0, 0, 0, 0, msg6.WeaponHammer},
	} {
		var s snapshotEncoder
		s.addCharacter(&game.CharacterState{Player: 3, Weapon: c.weapon, Ammo: c.ammo, Health: c.health, Armor: c.health, HookedPlayer: 5})
		ch := &s.characters[0]
		var o msg6.Character
		if err := o.ReadInts(ch.Ints[:]); err != nil {
			t.Fatal(err)
		}
		if ch.Ammo != c.wantAmmo || ch.Health != c.want || ch.Armor != c.want || o.Weapon != c.wantWeapon ||
			o.HookedPlayer != 5 || ch.Ints[characterHooked] != 5 {
			t.Errorf("%+v: %+v, %+v", c, ch, o)
		}
		ch.Ints[characterHealth], ch.Ints[characterHealth+1], ch.Ints[characterHealth+2] = 1, 2, 3
		if err := o.ReadInts(ch.Ints[:]); err != nil || o.Health != 1 || o.Armor != 2 || o.AmmoCount != 3 {
			t.Errorf("health is at another index: %+v", o)
		}
	}
}

// TestStars checks the stars of a hit: their direction after repeated hits, and their maximum
// number.
func TestStars(t *testing.T) {
	stars := func(tick int32, s *effectEncoder, value, extra int32) (angles []int32) {
		s.Reset()
		s.recordTick(&game.Frame{Tick: tick}, []game.Event{{Kind: game.EvDamage, Player: 2, Value: value, Extra: extra, To: game.MaskAll}})
		for _, e := range s.Items {
			angles = append(angles, e.Ints[2])
		}
		return angles
	}
	angle := func(turn float64, i, n int) int32 {
		a := 3*3.14159/2 + turn
		return int32((a - math.Pi/3 + 2*math.Pi/3*float64(i+1)/float64(n+2)) * 256)
	}
	var s effectEncoder
	check := func(tick int32, turn float64, value, extra int32) {
		t.Helper()
		n := int(value + extra)
		got := stars(tick, &s, value, extra)
		if len(got) != n {
			t.Fatalf("%d stars, want %d", len(got), n)
		}
		for i, a := range got {
			if d := a - angle(turn, i, n); d < -1 || d > 1 {
				t.Errorf("tick %d, star %d of %d: %d, want %d", tick, i, n, a, angle(turn, i, n))
			}
		}
	}
	check(100, 0, 1, 0)
	check(101, 0.25, 1, 2)
	check(125, 0.5, 5, 5)
	check(150, 0, 3, 0) // 25 ticks after the last hit
	check(174, 0.25, 3, 0)
	if got := stars(175, &s, 1000, 1000); len(got) != maxStars {
		t.Errorf("%d stars", len(got))
	}
	if got := stars(176, &s, 0, 0); len(got) != 0 {
		t.Errorf("%d stars for a hit without damage", len(got))
	}

	s.Reset()
	var many []game.Event
	for range 300 {
		many = append(many, game.Event{Kind: game.EvDamage, Player: 2, Value: 9, To: game.MaskAll}, game.Event{Kind: game.EvSound})
	}
	s.recordTick(&game.Frame{Tick: 200}, many)
	if len(s.Items) > items.MaxEffectItems || s.CountEvent() {
		t.Errorf("%d effects", len(s.Items))
	}
}

// TestStarsKeepIDs checks that stars have the same ids in each round, whatever other effects there
// are.
func TestStarsKeepIDs(t *testing.T) {
	var s effectEncoder
	hit, sound := game.Event{Kind: game.EvDamage, Player: 2, Value: 2, To: game.MaskAll}, game.Event{Kind: game.EvSound, To: game.MaskAll}
	for round, events := range [][]game.Event{{hit, sound, hit}, {sound, sound, hit, hit}, {hit, hit, sound}} {
		s.Reset()
		s.recordTick(&game.Frame{Tick: int32(round)}, events)
		s.Sort()
		var ids []uint16
		seen := map[[2]uint16]bool{}
		for _, e := range s.Items {
			if seen[[2]uint16{e.Type, e.ID}] {
				t.Errorf("round %d: two items of type %d have the id %d", round, e.Type, e.ID)
			}
			seen[[2]uint16{e.Type, e.ID}] = true
			if e.Type == msg6.TypeEventDamageInd {
				ids = append(ids, e.ID)
			}
		}
		if !slices.Equal(ids, []uint16{0, 1, 2, 3}) {
			t.Errorf("round %d: ids %d", round, ids)
		}
	}
}

// TestSpectating checks the views of spectators and of players who are out of the round.
func TestSpectating(t *testing.T) {
	w := newWorld(t, flagMode{game.GameFlagTeams | game.GameFlagFlags}, "red", "looks")
	w.Step([]game.Command{{Kind: game.CmdForceTeam, Player: 1, Team: game.TeamSpectators}})
	v := NewProtocol()
	srv, _ := newServerSide(t, v, w, 1, 0)
	red, _ := newServerSide(t, v, w, 0, 0)
	b := &viewer{t: t, world: w}
	v.BeginSnapshots(w)
	if got := getItem[msg6.SpectatorInfo](b.items(srv, 1), msg6.TypeSpectatorInfo, 1); got.SpectatorID != -1 {
		t.Errorf("free view: %+v", got)
	}
	if b.items(red, 0).countType(msg6.TypeSpectatorInfo) != 0 {
		t.Error("a player has a SpectatorInfo")
	}
	w.Step([]game.Command{{Kind: game.CmdSpectate, Player: 1, Spectate: game.SpectatePlayer, Target: 0}})
	w.Step(nil)
	v.BeginSnapshots(w)
	p := b.items(srv, 1)
	if got := getItem[msg6.SpectatorInfo](p, msg6.TypeSpectatorInfo, 1); got.SpectatorID != 0 || got.X == 0 {
		t.Errorf("watching: %+v", got)
	}
	if got := getItem[msg6.Character](p, msg6.TypeCharacter, 0); got.Health != 10 {
		t.Errorf("health of the watched player: %+v", got)
	}

	// A flag at rest, a carried flag, and a player who is out of the round.
	f := *w.Frame()
	f.Players = append([]game.PlayerState(nil), f.Players...)
	view := w.View(1)
	view.Frame = &f
	for _, c := range []struct {
		p    game.PlayerState
		team msg6.Team
		want msg6.SpectatorInfo
	}{
		{game.PlayerState{Team: game.TeamSpectators, SpecMode: game.SpectateFlagRed, SpectatorID: 0, ViewX: 5, ViewY: 6},
			-1, msg6.SpectatorInfo{SpectatorID: 0, X: 5, Y: 6}},
		{game.PlayerState{Team: game.TeamSpectators, SpecMode: game.SpectateFlagBlue, SpectatorID: game.Nobody, ViewX: 5, ViewY: 6},
			-1, msg6.SpectatorInfo{SpectatorID: -1, X: 5, Y: 6}},
		{game.PlayerState{Team: game.TeamSpectators, SpecMode: game.SpectateFree, SpectatorID: 0, ViewX: 5, ViewY: 6},
			-1, msg6.SpectatorInfo{SpectatorID: -1, X: 5, Y: 6}},
		{game.PlayerState{Team: game.TeamBlue, Flags: game.PlayerFlagDead, SpecMode: game.SpectatePlayer, SpectatorID: 0, ViewX: 5, ViewY: 6},
			-1, msg6.SpectatorInfo{SpectatorID: 0, X: 5, Y: 6}},
	} {
		c.p.ID, c.p.Spectating = 1, true
		f.Players[1] = c.p
		v.snapshot.frame = &f
		srv.BuildSnapshot(&b.b, &view, &b.latency)
		b.b.Finish(&b.s)
		p := readItems(t, &b.s, 16)
		if got := getItem[msg6.SpectatorInfo](p, msg6.TypeSpectatorInfo, 1); got != c.want {
			t.Errorf("%+v: %+v", c.p, got)
		}
		if got := getItem[msg6.PlayerInfo](p, msg6.TypePlayerInfo, 1); got.Team != c.team {
			t.Errorf("%+v: %+v", c.p, got)
		}
	}
	if diff := cmp.Diff(msg6.TeamRed, getItem[msg6.PlayerInfo](p, msg6.TypePlayerInfo, 0).Team); diff != "" {
		t.Error(diff)
	}
}

// fng is a mode that DDNet's clients recognize as FNG.
type fng struct{ dm.Mode }

func (fng) Flags() game.GameFlags { return game.GameFlagFNG }

// TestFNGIsPredicted checks that DDNet's clients learn whether hammers push as in FNG.
func TestFNGIsPredicted(t *testing.T) {
	for _, mode := range []game.Mode{dm.Mode{}, fng{}} {
		w := newWorld(t, mode, "alice")
		p := NewProtocol()
		alice, _ := newServerSide(t, p, w, 0, 16040)
		v := &viewer{t: t, world: w}
		p.RecordTick(w, w.Step(nil))
		p.BeginSnapshots(w)
		got, ok := v.items(alice, 0)[snapshot.MakeKey(wireTypeGameInfoEx, 0)].(*msg6.GameInfoEx)
		p.EndSnapshots()
		if _, want := mode.(fng); !ok || got.Flags&msg6.GameInfoPredictFNG != 0 != want {
			t.Errorf("%T: %+v", mode, got)
		}
	}
}

// TestGameInfoEx checks the versions and second flags that DDNet-Server 16.4 and 20.1 send.
func TestGameInfoEx(t *testing.T) {
	for version, want := range map[int32]msg6.GameInfoEx{
		16040: {Flags: gameInfoExDDRace.Flags, Version: 8, Flags2: 0x40, Missing: 2},
		16200: {Flags: gameInfoExDDRace.Flags, Version: 13, Flags2: 0xe40, MinTeamSize: 2, MaxTeamSize: 64},
		20010: {Flags: gameInfoExDDRace.Flags, Version: 13, Flags2: 0xe40, MinTeamSize: 2, MaxTeamSize: 64},
	} {
		w := newWorld(t, ddrace.New(), "alice")
		p := NewProtocol()
		alice := p.NewServerSide(&testSession{t: t}).(*serverSide)
		alice.setDDNetVersion(version)
		v := &viewer{t: t, world: w}
		p.RecordTick(w, w.Step(nil))
		p.BeginSnapshots(w)
		got := v.items(alice, 0)[snapshot.MakeKey(wireTypeGameInfoEx, 0)].(*msg6.GameInfoEx)
		p.EndSnapshots()
		if *got != want {
			t.Errorf("%d: %+v, want %+v", version, got, want)
		}
	}
}

// TestPausedPlayer checks that a pausing player is shown as a spectator only to clients without
// support for pauses.
func TestPausedPlayer(t *testing.T) {
	v := ddraceFrame()
	v.Frame.Players[0].Spectating, v.Frame.Players[0].Pause = true, game.PauseInPlace
	for version, want := range map[int32]msg6.Team{msg6.VersionSpectatorsTeam - 1: msg6.TeamSpectators, msg6.VersionSpectatorsTeam: msg6.TeamRed} {
		items := readItems(t, build(v, version), msg6.MaxClients)
		if got := getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo, 0); got.Team != want {
			t.Errorf("%d: team %v, want %v", version, got.Team, want)
		}
	}
}

// TestFarProjectile checks that a projectile too far away for a DDRaceProjectile is sent as a plain
// one.
func TestFarProjectile(t *testing.T) {
	v := ddraceFrame()
	v.ShowAll = true
	for i, x := range []int32{maxProjectilePos, -maxProjectilePos, maxProjectilePos - 1} {
		v.Frame.Projectiles = append(v.Frame.Projectiles,
			game.ProjectileState{ID: uint16(20 + i), X: x, Y: 7, VelX: 1, VelY: 2, Weapon: game.WeaponGrenade, StartTick: 3, Owner: game.Nobody})
	}
	items := readItems(t, build(v, 16040), msg6.MaxClients)
	for i, x := range []int32{maxProjectilePos, -maxProjectilePos} {
		if got := getItem[msg6.Projectile](items, msg6.TypeProjectile,
			20+i); got != (msg6.Projectile{X: x, Y: 7, VelX: 1, VelY: 2, Type: msg6.WeaponGrenade, StartTick: 3}) {
			t.Errorf("%+v", got)
		}
	}
	if n := items.countType(msg6.TypeProjectile); n != 2 {
		t.Errorf("%d plain projectiles", n)
	}
}
