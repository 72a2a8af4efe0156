package bridge6

import (
	"bytes"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ddraceMode is a mode that clients recognize as DDRace.
type ddraceMode struct{ race.Mode }

func (*ddraceMode) Flags() game.GameFlags { return game.GameFlagRace | game.GameFlagDDRace }

// raceSide returns the side of the first player in a race, and the session with the messages sent
// on joining.
func raceSide(t *testing.T, w *game.World, version int32) (*serverSide, *testSession) {
	p, l := NewProtocol(), &testSession{t: t}
	s := p.NewServerSide(l).(*serverSide)
	s.setDDNetVersion(version)
	p.RecordTick(w, nil)
	s.SendClientInfo(w, 0, true, true)
	return s, l
}

// TestTeams checks that clients learn the DDRace teams in the form that their release knows.
func TestTeams(t *testing.T) {
	w := newWorld(t, &ddraceMode{}, "alice", "bob")
	for _, tt := range []struct {
		version, super int32
		n              int
		legacy         bool
	}{{15000, 64, 64, true}, {16040, 64, 64, false}, {19000, 64, 128, false}, {20000, 128, 128, false}} {
		s, l := raceSide(t, w, tt.version)
		f := w.Frame()
		f.Players[0].DDRaceTeam, f.Players[1].DDRaceTeam = 7, game.TeamSuper
		if !slices.ContainsFunc(l.takeSent(), func(m msg6.Message) bool {
			return m.ID() == msg6.IDSvTeamsState || m.ID() == msg6.IDSvTeamsStateLegacy
		}) {
			t.Errorf("release %d: a joining client does not get the teams", tt.version)
		}
		s.SendEvent(w, &game.Event{Kind: game.EvTeamChange, Player: 1, Team: game.TeamSpectators}) // no client is told of it
		s.SendEvent(w, &game.Event{Kind: game.EvDDRaceTeam, Player: 1, Value: game.TeamSuper})
		sent := l.takeSent()
		var teams []int32
		switch m := sent[0].(type) {
		case *msg6.SvTeamsState:
			teams = m.Teams
		case *msg6.SvTeamsStateLegacy:
			teams = m.Teams
		}
		if _, legacy := sent[0].(*msg6.SvTeamsStateLegacy); legacy != tt.legacy || len(sent) != 1 ||
			len(teams) != tt.n || teams[0] != 7 || teams[1] != tt.super || teams[2] != 0 {
			t.Fatalf("release %d: %d messages, %T %v", tt.version, len(sent), sent[0], teams)
		}

		c := newTestClient(t, ClientConfig{DDNetVersion: tt.version})
		for range 2 { // the second time, nothing has changed
			receive(t, c, sent[0])
		}
		got := c.Take()
		event := func(id game.PlayerID, team int32) any {
			return eventCall(game.Event{Kind: game.EvDDRaceTeam, Player: id, Target: game.Nobody, Value: team})
		}
		if len(got) != 2 || !gocmp.Equal(any(got[0]), event(0, 7)) || !gocmp.Equal(any(got[1]), event(1, game.TeamSuper)) {
			t.Errorf("release %d: the client got %+v", tt.version, got)
		}
	}
	s, l := raceSide(t, w, msg6.VersionNone)
	s.SendEvent(w, &game.Event{Kind: game.EvDDRaceTeam})
	l.expectSent("teams for a client of Teeworlds")
}

// ddraceFrame returns a view of a race. The view contains a closed and an open door on switches 1
// and 2, a shield that takes the laser, and a tee whose hook reaches into the view.
func ddraceFrame() *game.View {
	f := &game.Frame{
		Tick: 500, Extended: true, Game: game.GameState{Flags: game.GameFlagRace | game.GameFlagDDRace},
		Players:  []game.PlayerState{{ID: 0, SpectatorID: game.Nobody}, {ID: 1, SpectatorID: game.Nobody, DDRaceTeam: 5}},
		Switches: []game.SwitchState{{Highest: 2, Active: [8]uint32{1 << 1}}, {Team: 5, Highest: 2, Active: [8]uint32{1 << 2}}},
		Pickups:  []game.PickupState{{ID: 9, X: 100, Y: 100, Kind: game.PickupArmorLaser}},
		Characters: []game.CharacterState{
			{Player: 0, Tick: 500, X: 100, Y: 100, Pos: vec.Vec2{X: 100, Y: 100}, HookedPlayer: -1},
			{Player: 1, Tick: 500, X: 3000, Y: 100, Pos: vec.Vec2{X: 3000, Y: 100}, HookedPlayer: -1, HookState: 5, HookX: 1000, HookY: 100},
		},
	}
	for i := range uint8(2) {
		f.Lasers = append(f.Lasers, game.LaserState{
			ID: uint16(i), X: 100, Y: 50, FromX: 100, FromY: 200, Pos: vec.Vec2{X: 100, Y: 50}, From: vec.Vec2{X: 100, Y: 200}, StartTick: 500,
			Kind: game.LaserBeam, Owner: game.Nobody, Entity: game.MapEntity{Kind: game.MapDoor, Switch: i + 1},
		})
	}
	return &game.View{Frame: f, Viewer: 0, VitalsOf: 0, Pos: vec.Vec2{X: 100, Y: 100}, Range: game.DDRaceRange}
}

// build returns the snapshot of a view for a client of the given release.
func build(v *game.View, version int32) *snapshot.Snapshot {
	var enc snapshotEncoder
	var b snapshot.Builder
	s := new(snapshot.Snapshot)
	var latency [game.MaxPlayers]int32
	for i := range v.Players {
		latency[v.Players[i].ID] = v.Players[i].Latency
	}
	enc.beginFrame(v.Frame)
	enc.buildSnapshot(&b, v, &latency, &clientids.Map{}, version, version >= msg6.VersionNewHUD)
	b.Finish(s)
	return s
}

// TestPlainDDRace checks the view of clients without support for switches and shields.
func TestPlainDDRace(t *testing.T) {
	for viewer, door := range []uint16{0, 1} {
		v := ddraceFrame()
		v.Viewer = game.PlayerID(viewer)
		items := readItems(t, build(v, msg6.VersionNone), msg6.MaxClients)
		for i := range uint16(2) { // an open door is a point
			l := getItem[msg6.Laser](items, msg6.TypeLaser, int(i))
			if closed := l.FromY != l.Y; l.StartTick != 500 || closed != (i == door) {
				t.Errorf("player %d sees door %d as %+v", viewer, i, l)
			}
		}
		if p := getItem[msg6.Pickup](items, msg6.TypePickup, 9); p.Type != msg6.PickupArmor {
			t.Errorf("the shield is %+v", p)
		}
		if items.countType(msg6.TypeCharacter) != 2 {
			t.Errorf("player %d sees %d tees", viewer, items.countType(msg6.TypeCharacter))
		}
	}
}

// TestShowDistance checks that a client in a race gets exactly the part of the map that it
// displays.
func TestShowDistance(t *testing.T) {
	w := newWorld(t, &ddraceMode{}, "alice")
	s, _ := raceSide(t, w, 16040)
	sees := func(x float32) bool {
		v := ddraceFrame()
		return s.viewOf(v).Sees(vec.Vec2{X: 100 + x, Y: 100})
	}
	if !sees(1200) || sees(1201) {
		t.Error("without a message")
	}
	receive(t, s, &msg6.ClShowDistance{X: 3000, Y: 2000})
	if !sees(3000) || sees(3001) {
		t.Error("3000 units")
	}
	receive(t, s, &msg6.ClShowDistance{X: 1 << 30, Y: -5})
	if !sees(maxShowDistance) || sees(maxShowDistance+1) {
		t.Error("absurd distances")
	}
	v := ddraceFrame()
	if v.Range = (vec.Vec2{}); s.viewOf(v) != v {
		t.Error("the range grows in a game that is not a race")
	}
	if w = newWorld(t, ddrace.New(), "alice"); w.View(0).Range != game.DDRaceRange {
		t.Error("the world's view has no range")
	}
}

// TestManyDDRaceEntities checks that tees and players are still sent when there are more entities
// than a snapshot can hold.
func TestManyDDRaceEntities(t *testing.T) {
	for _, version := range []int32{msg6.VersionNone, 16040} {
		v := ddraceFrame()
		for i := range 3000 {
			l := v.Frame.Lasers[0]
			l.ID = uint16(100 + i)
			v.Frame.Lasers = append(v.Frame.Lasers, l)
		}
		s := build(v, version)
		got := NewClientSide(nil, struct{ ignoreEvents }{}, ClientConfig{DDNetVersion: version}).ReceiveSnapshot(500, s)
		if len(got.Characters) != 2 || len(got.Players) != 2 || len(got.Lasers) < 100 || s.Len() > snapshot.MaxItems {
			t.Errorf("release %d: %d tees, %d players, %d lasers in %d items", version, len(got.Characters), len(got.Players), len(got.Lasers), s.Len())
		}
	}
}

// TestDDRaceAllocs checks that encoding and decoding the snapshots of a race does not allocate.
func TestDDRaceAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	v := rapid.Custom(drawDDRace).Example(7)
	var enc snapshotEncoder
	var b snapshot.Builder
	var s snapshot.Snapshot
	var latency [game.MaxPlayers]int32
	c := NewClientSide(nil, struct{ ignoreEvents }{}, ClientConfig{DDNetVersion: 16040})
	round := func() {
		enc.beginFrame(v.Frame)
		for _, version := range []int32{msg6.VersionNone, 16020, 16040} {
			enc.buildSnapshot(&b, v, &latency, &clientids.Map{}, version, true)
			b.Finish(&s)
		}
		enc.endRound()
		c.ReceiveSnapshot(v.Tick, &s)
	}
	round()
	if n := testing.AllocsPerRun(50, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDDRaceTuning checks that a spawning player in a race gets the same tuning as from
// DDNet-Server, and that a world with changed tuning sends its own.
func TestDDRaceTuning(t *testing.T) {
	var want [][]byte // in the order in which they were sent
	var d msg6.Decoder
	var scratch packet.Scratch
	for _, datagram := range golden.Datagrams(t, golden.DDRace) {
		var p packet.Packet6
		if err := p.Parse(datagram.B, &scratch); err != nil || p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		it := p.Chunks()
		for c := (packet.Chunk{}); it.Next(&c); {
			if m, err := d.Decode(bytes.Clone(c.Data)); err == nil && m.ID() == msg6.IDSvTuneParams {
				want = append(want, bytes.Clone(c.Data))
			}
		}
	}
	if len(want) < 2 || bytes.Equal(want[0], want[1]) {
		t.Fatalf("%d tunings", len(want))
	}

	terrain := game.Terrain{Width: 10, Height: 10, Tiles: make([]uint8, 100)}
	for i := range terrain.Tiles {
		if x, y := i%10, i/10; x == 0 || y == 0 || x == 9 || y == 9 {
			terrain.Tiles[i] = 1
		}
	}
	terrain.Tiles[85] = 192
	w := testenv.Must(game.New(game.Config{Terrain: terrain, Mode: ddrace.New(), Rules: game.DefaultRules(), Seed: 1}))
	p, l := NewProtocol(), &testSession{t: t}
	s := p.NewServerSide(l).(*serverSide)
	s.setDDNetVersion(16040)
	s.SendTuning(w, game.Nobody)
	step := func(cmds ...game.Command) {
		events := w.Step(cmds)
		p.RecordTick(w, events)
		for i := range events {
			s.SendEvent(w, &events[i])
		}
	}
	step(bridgetest.Join(0, game.Profile{Name: "alice"})...)
	s.SendClientInfo(w, 0, true, true)
	for range 5 {
		step()
	}
	tuning := w.Tuning()
	tuning[physics.Gravity] = 70
	step(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Tuning: &tuning})
	var got [][]byte
	var last msg6.SvTuneParams
	for _, m := range l.takeSent() {
		if m, ok := m.(*msg6.SvTuneParams); ok {
			got, last = append(got, m.Append(nil)), *m
		}
	}
	if len(got) != 3 || !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
		t.Fatalf("sent %x, want %x", got, want[:2])
	}
	if last.Params[physics.Gravity] != 70 || len(last.Params) != 45 {
		t.Errorf("after a change: %v", last.Params)
	}
	if shown := w.PredictedTuning(0); shown[physics.Gravity] != 70 || shown[physics.PlayerCollision] != 100 {
		t.Errorf("the other clients got %v", shown)
	}

	// With the physics of DDNet 20, two more parameters follow. Clients of earlier releases ignore
	// them.
	terrain.Settings = []string{"tune ground_elasticity_x 0.5", "tune ground_elasticity_y -0.25", "sv_ddnet_physics 20"}
	w = testenv.Must(game.New(game.Config{Terrain: terrain, Mode: ddrace.New(), Rules: game.DefaultRules(), Seed: 1}))
	s.SendTuning(w, game.Nobody)
	sent := l.takeSent()
	if last = *sent[len(sent)-1].(*msg6.SvTuneParams); len(last.Params) != 47 || last.Params[45] != 50 || last.Params[46] != -25 {
		t.Errorf("with the physics of DDNet 20: %v", last.Params)
	}
}

// TestRaceClock checks the race clock of clients. Players see their own clock, also in a free view
// such as /spec. Others see the clock of the player that they follow.
func TestRaceClock(t *testing.T) {
	for _, c := range []struct {
		name   string
		viewer game.PlayerState
		want   int32
	}{
		{"plays", game.PlayerState{RaceStart: 5}, 5},
		{"spec", game.PlayerState{RaceStart: 5, Spectating: true, Pause: game.PauseVanished, SpectatorID: game.Nobody}, 5},
		{"pause", game.PlayerState{RaceStart: 5, Spectating: true, Pause: game.PauseInPlace, SpectatorID: game.Nobody}, 5},
		{"follows", game.PlayerState{RaceStart: 5, Spectating: true, SpecMode: game.SpectatePlayer, SpectatorID: 1}, 7},
		{"follows one without a race", game.PlayerState{RaceStart: 5, Spectating: true, SpecMode: game.SpectatePlayer, SpectatorID: 2}, 0},
		{"hides it", game.PlayerState{RaceStart: 5, HideClock: true}, 0},
		{"no race", game.PlayerState{Spectating: true, SpectatorID: game.Nobody}, 0},
	} {
		v := ddraceFrame()
		v.Viewer, v.VitalsOf, v.Frame.Game.State = 0, game.Nobody, 0
		v.Frame.Players = []game.PlayerState{c.viewer, {ID: 1, RaceStart: 7}, {ID: 2}}
		var got msg6.GameInfo
		if err := got.ReadInts(build(v, 16040).Find(snapshot.MakeKey(msg6.TypeGameInfo, 0))); err != nil {
			t.Fatal(err)
		}
		if shows := got.StateFlags&msg6.GameStateRaceTime != 0; shows != (c.want != 0) || shows && got.WarmupTimer != -c.want {
			t.Errorf("%s: %+v, want %d", c.name, got, c.want)
		}
	}
}
