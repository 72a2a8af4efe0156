package client

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// reckoningSide is a ClientSide that returns the current state of tees.
type reckoningSide struct {
	bridge.ClientSide
	now physics.CoreState
}

func (r *reckoningSide) CoreState(*game.CharacterState) physics.CoreState { return r.now }

// TestReckonedCharacters checks that DDRace predictions start at the positions of the snapshot's
// tick, also for tees whose state was sent as of an earlier tick.
func TestReckonedCharacters(t *testing.T) {
	side := &reckoningSide{now: physics.CoreState{X: 5, Y: 6, VelX: 7, VelY: 8, HookState: 4, HookX: 9, Jumped: 3, HookTick: 2}}
	v := game.View{Frame: &game.Frame{Tick: 100}}
	v.Characters = []game.CharacterState{{Player: 1, X: 1, Y: 2, HookState: 5}, {Player: 2, Tick: 90, X: 1, Y: 2, Health: 4}}
	var b ddraceBase
	got := b.reckon(&Session{side: side}, &v)
	testenv.Check(t, got[0] == v.Characters[0], "one of this tick: %+v", got[0])
	c := got[1]
	testenv.Check(
		t,
		c.Tick == 0 && c.X == 5 && c.Y == 6 && c.VelX == 7 && c.VelY == 8 && c.HookState == 4 && c.HookX == 9 && c.Jumped == 3 && c.HookTick == 2 &&
			c.Health == 4 &&
			c.Player == 2,
		"one of before: %+v",
		c,
	)
	testenv.Check(t, v.Characters[1].X == 1 && v.Characters[1].Tick == 90, "the view was changed")
}
