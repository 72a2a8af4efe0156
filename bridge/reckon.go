package bridge

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// maxLag is how many ticks a server lets a tee go on without telling of it.
	maxLag = 3*game.TickRate + 2
	// maxWay bounds how far a tee is followed, in world units: moving costs time
	// in proportion, and a server could send any speed.
	maxWay = 1 << 14
)

// DeadReckoner follows tees from where the server last told of them: it tells again
// only when they do not go on by themselves. The rules are those of the server, in all
// versions: standard tuning, and nobody else in the way. It is for Guests.
type DeadReckoner struct {
	world *physics.World
	tees  [game.MaxPlayers]ghost
}

// ghost is a tee as it goes on by itself.
type ghost struct {
	from physics.CoreState // as told
	tick int32             // of from; 0 nothing
	now  int32             // the tick of core
	core physics.Core
}

// SetMap gives the map, without which tees stay where they were told to be. Nil takes
// it away.
func (r *DeadReckoner) SetMap(c *physics.Collision) {
	r.world = nil
	if c != nil {
		r.world = physics.NewWorld(c)
	}
	r.Reset()
}

// Reset forgets the tees.
func (r *DeadReckoner) Reset() {
	for i := range r.tees {
		r.tees[i].tick = 0
	}
}

// told is the state that was sent.
func told(c *game.CharacterState) physics.CoreState {
	return physics.CoreState{
		X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
		HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
		HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
	}
}

// Position is where a tee is in a tick, for which it is asked once and in order.
func (r *DeadReckoner) Position(c *game.CharacterState, tick int32) vec.Vec2 {
	g := &r.tees[c.Player]
	from := told(c)
	lag := tick - c.Tick
	if r.world == nil || c.Tick <= 0 || lag <= 0 || lag > maxLag || way(&from, lag) > maxWay {
		g.from, g.tick, g.now = from, 0, 0
		return vec.Vec2{X: float32(c.X), Y: float32(c.Y)}
	}
	if g.tick != c.Tick || g.from != from || g.now > tick {
		g.from, g.tick, g.now = from, c.Tick, c.Tick
		g.core.Reset(r.world, vec.Vec2{})
		g.core.SetState(&from)
	}
	for g.now < tick {
		g.core.Tick(nil, false)
		g.core.Move()
		g.core.Quantize()
		g.now++
	}
	return g.core.Pos
}

// State is how a tee moves in the tick for which Pos was asked.
func (r *DeadReckoner) State(c *game.CharacterState) physics.CoreState {
	g := &r.tees[c.Player]
	if g.tick == 0 {
		return told(c)
	}
	return g.core.State()
}

// way is about how far a tee gets in some ticks, in world units.
func way(s *physics.CoreState, ticks int32) int64 {
	x, y := int64(s.VelX), int64(s.VelY)
	return (max(x, -x) + max(y, -y)) / 256 * int64(ticks)
}
