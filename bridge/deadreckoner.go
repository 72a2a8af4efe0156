package bridge

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// maxReckonedTicks is for how many ticks at most a server sends nothing new of a tee
	// that moves by itself.
	maxReckonedTicks = 3*game.TickRate + 2
	// maxReckonedDistance bounds how far a tee is moved, in world units: the cost grows
	// with the distance, and a server could send any speed.
	maxReckonedDistance = 1 << 14
)

// DeadReckoner moves tees on from where the server last sent them: a server sends the
// core of a character again only when it does not move as predicted. The prediction is
// that of the server, in all versions: standard tuning, and no other tees.
type DeadReckoner struct {
	world *physics.World
	tees  [game.MaxPlayers]reckonedTee
}

// reckonedTee is a tee that moves by itself.
type reckonedTee struct {
	sent     physics.CoreState
	sentTick int32 // 0: the tee is where it was sent
	core     physics.Core
	coreTick int32
}

// SetMap sets the map, without which tees stay where they were sent. Nil removes it.
func (r *DeadReckoner) SetMap(c *physics.Collision) {
	r.world = nil
	if c != nil {
		r.world = physics.NewWorld(c)
	}
	r.Reset()
}

// Reset forgets all tees.
func (r *DeadReckoner) Reset() {
	for i := range r.tees {
		r.tees[i].sentTick = 0
	}
}

// sentState returns the state of the core that was sent.
func sentState(c *game.CharacterState) physics.CoreState {
	return physics.CoreState{
		X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
		HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
		HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
	}
}

// Position returns the position of a tee at a tick. It must be called once per tick and
// tee, with ascending ticks.
func (r *DeadReckoner) Position(c *game.CharacterState, tick int32) vec.Vec2 {
	t := &r.tees[c.Player]
	sent := sentState(c)
	ticks := tick - c.Tick
	if r.world == nil || c.Tick <= 0 || ticks <= 0 || ticks > maxReckonedTicks || travelDistance(&sent, ticks) > maxReckonedDistance {
		t.sent, t.sentTick, t.coreTick = sent, 0, 0
		return Point(c.X, c.Y)
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

// State returns the state of a tee at the tick of the last call of Position.
func (r *DeadReckoner) State(c *game.CharacterState) physics.CoreState {
	t := &r.tees[c.Player]
	if t.sentTick == 0 {
		return sentState(c)
	}
	return t.core.State()
}

// travelDistance estimates how far a tee moves in some ticks, in world units.
func travelDistance(s *physics.CoreState, ticks int32) int64 {
	x, y := int64(s.VelX), int64(s.VelY)
	return (max(x, -x) + max(y, -y)) / 256 * int64(ticks)
}
