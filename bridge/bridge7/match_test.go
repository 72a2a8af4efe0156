package bridge7

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// version describes 0.7 to bridgetest.
var version = &bridgetest.Version{
	NewProtocol: func() bridge.Protocol { return NewProtocol() },
	NewClient: func(_ int, s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide {
		return NewClientSide(s, h)
	},
	NewDemoClient: NewDemoClientSide,
	LoseView:      loseView,
	Effects: func(_ *game.Frame, events []game.Event) (effects []game.Event) {
		for _, e := range events {
			if e.Kind.IsEffect() {
				effects = append(effects, e)
			}
		}
		return effects
	},
	DiffEffects:    diffEffects,
	ReceivedEvents: receivedEvents,
	IsMessage:      func(*game.Event) bool { return true },
}

func TestMatch(t *testing.T) { bridgetest.TestMatch(t, version) }

func TestEntities(t *testing.T) { bridgetest.TestEntities(t, version) }

func TestStates(t *testing.T) { bridgetest.TestStates(t, version) }

func TestVisibility(t *testing.T) { bridgetest.TestVisibility(t, version) }

func TestTunings(t *testing.T) {
	bridgetest.TestTunings(t, version, func(int) bool { return false })
}

func TestManyEntities(t *testing.T) { bridgetest.TestManyEntities(t, version) }

func BenchmarkSnapshots(b *testing.B) { bridgetest.BenchmarkSnapshots(b, version) }

// loseView removes the parts of a view that 0.7 does not transmit.
func loseView(v *game.View) {
	v.Extended = false
	for i := range v.Characters {
		c := &v.Characters[i]
		if c.FreezeEnd != 0 {
			c.Weapon = game.WeaponNinja
			if c.Player == v.Viewer || c.Player == v.VitalsOf {
				if c.Ammo = c.FreezeEnd; c.Ammo == game.FreezeForever {
					c.Ammo = v.Tick + 15*game.TickRate
				}
			}
		}
		c.Flags, c.FreezeStart, c.FreezeEnd, c.TickOrder, c.Jumps, c.AirJumps, c.NinjaStart = 0, 0, 0, 0, 0, 0, 0
	}
	g := &v.Game
	if g.Flags&game.GameFlagTeams == 0 {
		g.TeamScore = [2]int32{}
	}
	if g.Flags&game.GameFlagFlags == 0 {
		g.FlagCarrier, g.FlagDropTick = [2]int32{-3, -3}, [2]int32{}
	}
}

func diffEffects(want, got []game.Event) string {
	for i, e := range want {
		w := game.Event{Kind: e.Kind, Player: game.Nobody, Target: game.Nobody, Pos: e.Pos}
		switch e.Kind {
		case game.EvDeath:
			w.Player = e.Player
		case game.EvSound:
			w.Sound = e.Sound
		case game.EvDamage:
			w.Player, w.Angle, w.Value, w.Extra, w.Flag = e.Player, e.Angle, e.Value, e.Extra, e.Flag
		}
		want[i] = w
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// receivedEvents returns the event that a client receives for a server event.
func receivedEvents(_ int, e *game.Event, w game.Event) []game.Event {
	kind := e.Kind
	switch e.Kind {
	case game.EvPlayerEntered:
		w.Player, w.Team, w.Flag = e.Player, e.Team, e.Flag
	case game.EvPlayerLeft:
		w.Player, w.Text, w.Flag = e.Player, e.Text, e.Flag
	case game.EvTeamChange:
		w.Player, w.Team, w.Flag, w.Tick = e.Player, e.Team, e.Flag, e.Tick
	case game.EvKill:
		if w.Player == game.Nobody {
			w.Player = -2
		}
	case game.EvSkinChange:
		w.Player = e.Player
	case game.EvGameMsg:
		w.GameMsg, w.Value, w.Extra, w.Player = e.GameMsg, e.Value, e.Extra, e.Player
		if e.GameMsg == game.GameMsgCTFGrab || e.GameMsg == game.GameMsgCTFReturn {
			w.Player = game.Nobody
		}
	case game.EvGameInfo, game.EvServerSettings:
	default:
		kind = w.Kind
	}
	if kind == 0 {
		return nil
	}
	w.Kind = kind
	return []game.Event{w}
}

// TestGameState checks that a client sees the match state of every mode.
func TestGameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := bridgetest.DrawGame(t)
		for team := range game.Team(rapid.IntRange(0, 2).Draw(t, "flags")) {
			f.Flags = append(f.Flags, game.FlagState{Team: team, X: int32(team) * 50, Y: 9, Pos: convert.Point(int32(team)*50, 9)})
		}
		v := game.View{Frame: f, Viewer: game.Nobody, VitalsOf: game.Nobody, ShowAll: true}
		var e snapshotEncoder
		var b snapshot.Builder
		var snap snapshot.Snapshot
		e.beginRound(f)
		e.buildSnapshot(&b, &v, new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, nil)
		b.Finish(&snap)
		c := NewClientSide(nil, nil).(*clientSide)
		g := &f.Game
		c.decodeEvent(&msg7.SvGameInfo{
			GameFlags: msg7.GameFlags(g.Flags), ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, MatchNum: g.MatchNum, MatchCurrent: g.MatchCurrent,
		})
		got := c.ReceiveSnapshot(f.Tick, &snap)
		got.ShowAll = true // clients do not know it
		want := bridgetest.VisibleView(&v)
		loseView(want)
		if d := bridgetest.DiffViews(want, got); d != "" {
			t.Fatal(d)
		}
	})
}
