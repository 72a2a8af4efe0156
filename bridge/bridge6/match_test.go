package bridge6

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// version describes 0.6 to bridgetest. Every second client is DDNet's.
var version = &bridgetest.Version{
	NewProtocol: func() bridge.Protocol { return NewProtocol() },
	NewClient: func(id int, s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide {
		cfg := ClientConfig{}
		if id%2 == 0 {
			cfg.DDNetVersion = 16040
		}
		return NewClientSide(s, h, cfg)
	},
	NewDemoClient:  NewDemoClientSide,
	LoseView:       loseView,
	Effects:        shownEffects,
	DiffEffects:    diffEffects,
	ReceivedEvents: receivedEvents,
	IsMessage: func(ev *game.Event) bool {
		switch ev.Kind {
		case game.EvPlayerEntered, game.EvPlayerLeft, game.EvTeamChange, game.EvSkinChange, game.EvGameInfo,
			game.EvGameMsg: // flag events, derived from the carriers
			return false
		case game.EvChat:
			return ev.Player >= 0
		case game.EvBroadcast: // broadcasts of the time left
			return ev.Text != "" && !strings.HasPrefix(ev.Text, "\n\n\nGame ") && !strings.HasPrefix(ev.Text, "Warmup: ")
		}
		return true
	},
}

func TestMatch(t *testing.T) { bridgetest.TestMatch(t, version) }

func TestEntities(t *testing.T) { bridgetest.TestEntities(t, version) }

func TestStates(t *testing.T) { bridgetest.TestStates(t, version) }

func TestVisibility(t *testing.T) { bridgetest.TestVisibility(t, version) }

func TestTunings(t *testing.T) {
	bridgetest.TestTunings(t, version, func(id int) bool { return id%2 == 0 })
}

func TestManyEntities(t *testing.T) { bridgetest.TestManyEntities(t, version) }

func BenchmarkSnapshots(b *testing.B) { bridgetest.BenchmarkSnapshots(b, version) }

// loseView removes the parts of a view that 0.6 does not transmit.
func loseView(v *game.View) {
	visible, race := game.PlayerMask{}, v.Game.Flags&game.GameFlagRace != 0
	for i := range v.Characters {
		c := &v.Characters[i]
		visible.Add(c.Player)
		c.TriggeredEvents = 0
		if v.Viewer >= 0 && v.Viewer%2 != 0 && c.FreezeEnd != 0 { // not a new release of DDNet's client
			c.Weapon = game.WeaponNinja
		}
		if c.Ammo = min(c.Ammo, 10); c.Weapon == game.WeaponNinja || c.FreezeEnd != 0 {
			c.Ammo = 0
		}
	}
	for i := range v.Players {
		p := &v.Players[i]
		flags := game.PlayerFlagAdmin
		if visible.Has(p.ID) {
			flags |= game.PlayerFlagChatting
		}
		p.Flags &= flags
		if p.ID == v.Viewer && p.Spectating {
			p.Team = game.TeamSpectators
			if p.SpecMode == game.SpectateFree || p.SpectatorID < 0 {
				p.SpecMode, p.SpectatorID = game.SpectateFree, game.Nobody
			} else {
				p.SpecMode = game.SpectatePlayer
			}
			v.VitalsOf = p.SpectatorID
		}
	}
	loseGame(&v.Game, v.Tick)
	if !race {
		return
	}
	for i := range v.Players {
		p := &v.Players[i]
		p.Score = encodeTimeScore(p.Score)
		switch {
		case p.ID != v.VitalsOf || v.Game.State != 0:
			p.RaceStart = 0
		case p.RaceStart != 0 && v.Viewer%2 != 0: // the client knows only one clock
			v.Game.StartTick, v.Game.TimeLimit, p.RaceStart = p.RaceStart, 0, 0
		}
	}
}

// loseGame removes the parts of the match state that 0.6 does not transmit.
func loseGame(g *game.GameState, tick int32) {
	state, flags := g.State, g.Flags
	g.Flags &= game.GameFlagTeams | game.GameFlagFlags
	g.State = state & game.StateSuddenDeath
	beforeMatch := state&game.StateCountdown != 0 && g.StartTick == tick
	paused := state&(game.StatePaused|game.StateCountdown) != 0 && !beforeMatch
	over := state&(game.StateRoundOver|game.StateGameOver) != 0
	if over {
		g.StartTick = max(tick-g.EndTick, 0)
	}
	end := int32(0) // end of the displayed time, 0 without one
	if (state&game.StateWarmup != 0 || beforeMatch) && !paused {
		end = max(g.EndTick, tick)
	}
	if g.EndTick = end; end == tick {
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
	g.Race = game.RaceState{BestTime: g.Race.BestTime}
	if flags&game.GameFlagTeams == 0 {
		g.TeamScore = [2]int32{}
	}
	if flags&game.GameFlagFlags == 0 {
		g.FlagCarrier = [2]int32{-3, -3}
	}
}

// shownEffects returns the effects of a tick and the sounds of its tees.
func shownEffects(f *game.Frame, events []game.Event) (effects []game.Event) {
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
				ev.To.Remove(c.Player)
			}
			effects = append(effects, ev)
		}
	}
	for _, e := range events {
		if e.Kind.IsEffect() {
			effects = append(effects, e)
		}
	}
	return effects
}

// diffEffects compares effects in any order, and damage by the total at each position.
func diffEffects(want, got []game.Event) string {
	count := func(effects []game.Event) map[game.Event]int32 {
		n := map[game.Event]int32{}
		for i := range effects {
			e := &effects[i]
			w := game.Event{Kind: e.Kind, Pos: e.Pos}
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
		return n
	}
	return cmp.Diff(count(want), count(got))
}

// receivedEvents returns the message events that a client receives for a server event.
func receivedEvents(client int, _ *game.Event, w game.Event) []game.Event {
	switch {
	case w.Kind == 0, w.Kind == game.EvChat && w.Player < 0:
		return nil
	case w.Kind == game.EvKill && w.Player < 0:
		w.Player = w.Target
	case w.Kind == game.EvChat && w.Chat != game.ChatWhisper:
		w.Target = game.Nobody
	case w.Kind == game.EvChat && client%2 != 0:
		return nil // sent as a line from the server
	case w.Kind == game.EvChat && w.Player == w.Target:
		return []game.Event{w, w} // once as sent, once as received
	}
	return []game.Event{w}
}

// TestGameState checks that a client sees the match state of every mode, within the limits of 0.6.
func TestGameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := bridgetest.DrawGame(t)
		want := f.Game
		c := NewClientSide(nil, &bridgetest.ServerMessages{}, ClientConfig{}).(*clientSide)
		got := c.ReceiveSnapshot(f.Tick, gameSnapshot(&want, f.Tick)).Game
		info := c.GameInfo()
		if info.ScoreLimit != want.ScoreLimit || info.TimeLimit != want.TimeLimit || info.MatchNum != want.MatchNum || info.MatchCurrent != want.MatchCurrent {
			t.Fatalf("game info %+v of %+v", info, want)
		}
		loseGame(&want, f.Tick)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-server +client):\n%s", d)
		}
	})
}

// TestClientSideAllocs checks that a client does not allocate for inputs, nor for snapshots whose
// players do not change.
func TestClientSideAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	m := bridgetest.NewMatch(t, version, "teeyard1", dm.Mode{}, 16)
	var snaps []*snapshot.Snapshot
	for range 40 {
		m.Act(true)
		m.Step()
		m.Snapshots(func(id int, _ *game.View, s *snapshot.Snapshot) {
			if id == 0 {
				snaps = append(snaps, new(snapshot.Snapshot))
				snaps[len(snaps)-1].CopyFrom(s)
			}
		})
	}
	c := NewClientSide(&bridgetest.Pipe{}, struct{ ignoreEvents }{}, ClientConfig{DDNetVersion: 16040}).(*clientSide)
	tick, in := int32(0), game.Input{}
	step := func() {
		for _, s := range snaps {
			tick += 2
			c.ReceiveSnapshot(tick, s)
			c.SendInput(tick, tick+3, &in, 0)
		}
	}
	step()
	step()
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations in %d snapshots and inputs", n, len(snaps))
	}
}

// ignoreEvents is a handler that accepts events and no other messages.
type ignoreEvents struct{ bridge.ServerMessageHandler }

func (ignoreEvents) OnEvent(*game.Event) {}

// TestServerSideAllocs checks that the server does not allocate for a tick, a round of snapshots
// and their messages, whatever ids the client knows.
func TestServerSideAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	m := bridgetest.NewMatch(t, version, "teeyard1", dm.Mode{}, 64)
	m.World.Step([]game.Command{
		{Kind: game.CmdForceTeam, Player: 6, Team: game.TeamSpectators}, {Kind: game.CmdPlayerFlags, Player: 7, Value: int32(game.PlayerFlagAdmin)},
	})
	p := m.Protocol.(*Protocol)
	data := make([]byte, 900)
	for _, tt := range []struct {
		name         string
		own          game.PlayerID
		ddnetVersion int32
	}{{"all ids", 5, 16040}, {"limited ids", 5, msg6.VersionNone}, {"spectator", 6, 16040}} {
		s, _ := newServerSide(t, p, m.World, tt.own, tt.ddnetVersion)
		s.session = discardSession{}
		var b snapshot.Builder
		var latency [game.MaxPlayers]int32
		var events []game.Event
		round := func() {
			p.RecordTick(m.World, events)
			p.BeginSnapshots(m.World)
			v := m.World.View(tt.own)
			s.BuildSnapshot(&b, &v, &latency)
			p.EndSnapshots()
			s.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: -1, CRC: 7, Parts: 1}, 0, data)
			s.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: 3, Parts: 0}, 0, nil)
			s.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: 3, CRC: 7, Parts: 2}, 1, data)
			s.SendInputTiming(5, 6)
		}
		for range 50 {
			m.Act(true)
			events = append(events[:0], m.World.Step(m.Commands)...)
			m.Commands = m.Commands[:0]
			m.World.Frame()
			round()
		}
		if n := testing.AllocsPerRun(100, round); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

type discardSession struct{ bridge.ClientMessageHandler }

func (discardSession) Queue([]byte, bool) {}
func (discardSession) FlushSoon()         {}
