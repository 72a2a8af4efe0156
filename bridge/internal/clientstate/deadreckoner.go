package clientstate

import (
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// maxReckonedTicks is the longest time, in ticks, that a server sends no update for a tee that
	// moves as predicted.
	maxReckonedTicks = 3*game.TickRate + 2
	// maxReckonedDistance limits how far a tee is moved, in world units. The cost grows with the
	// distance, and a server can send any speed.
	maxReckonedDistance = 1 << 14
)

// deadReckoner predicts the movement of tees from the state that the server sent last. A server
// resends a character's core only if the character moves differently from this prediction. In every
// version the prediction uses the standard tuning and ignores other tees.
type deadReckoner struct {
	world *physics.World
	tees  [game.MaxPlayers]reckonedTee
}

// reckonedTee is one tee whose movement is predicted.
type reckonedTee struct {
	sent     physics.CoreState
	sentTick int32 // tick of sent; 0 if the tee is not predicted
	core     physics.Core
	coreTick int32
}

// setMap sets the map, or removes it if c is nil. Without a map, tees stay where they were sent.
func (r *deadReckoner) setMap(c *physics.Collision) {
	r.world = nil
	if c != nil {
		r.world = physics.NewWorld(c)
	}
	r.reset()
}

// reset forgets all tees.
func (r *deadReckoner) reset() {
	for i := range r.tees {
		r.tees[i].sentTick = 0
	}
}

// sentState returns the core state that the server sent.
func sentState(c *game.CharacterState) physics.CoreState {
	return physics.CoreState{
		X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
		HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
		HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
	}
}

// position returns a tee's position at a tick. Call it once per tee and tick, with ascending ticks.
func (r *deadReckoner) position(c *game.CharacterState, tick int32) vec.Vec2 {
	t := &r.tees[c.Player]
	sent := sentState(c)
	ticks := tick - c.Tick
	if r.world == nil || c.Tick <= 0 || ticks <= 0 || ticks > maxReckonedTicks || travelDistance(&sent, ticks) > maxReckonedDistance {
		t.sent, t.sentTick, t.coreTick = sent, 0, 0
		return convert.Point(c.X, c.Y)
	}
	if t.sentTick != c.Tick || t.sent != sent || t.coreTick > tick {
		t.sent, t.sentTick, t.coreTick = sent, c.Tick, c.Tick
		t.core.Reset(r.world, vec.Vec2{})
		t.core.SetState(&sent)
	}
	for t.coreTick < tick {
		t.core.Tick(nil, false)
		t.core.Move()
		t.core.Quantize()
		t.coreTick++
	}
	return t.core.Pos
}

// state returns a tee's state at the tick of the last call of position.
func (r *deadReckoner) state(c *game.CharacterState) physics.CoreState {
	t := &r.tees[c.Player]
	if t.sentTick == 0 {
		return sentState(c)
	}
	return t.core.State()
}

// travelDistance estimates how far a tee moves in the given number of ticks, and how far its flying
// hook is away, in world units.
func travelDistance(s *physics.CoreState, ticks int32) int64 {
	x, y := int64(s.VelX), int64(s.VelY)
	return (max(x, -x)+max(y, -y))/256*int64(ticks) + s.HookWay()
}
