package bridge7

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

// reckoner follows tees from where the server last told of them: it tells again
// only when they do not go on by themselves. The rules are those of the server:
// standard tuning, and nobody else in the way.
type reckoner struct {
	world *physics.World
	tees  [game.MaxPlayers]ghost
}

// ghost is a tee as it goes on by itself.
type ghost struct {
	from physics.State // as told
	tick int32         // of from; 0 nothing
	now  int32         // the tick of core
	core physics.Core
}

func (r *reckoner) setMap(c *physics.Collision) {
	r.world = nil
	if c != nil {
		r.world = physics.NewWorld(c)
	}
	r.forget()
}

func (r *reckoner) forget() {
	for i := range r.tees {
		r.tees[i].tick = 0
	}
}

// told is the state that was sent.
func told(c *game.CharacterState) physics.State {
	return physics.State{
		X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
		HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
		HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
	}
}

// pos is where a tee is in a tick.
func (r *reckoner) pos(c *game.CharacterState, tick int32) vec.Vec2 {
	g := &r.tees[c.Player]
	from := told(c)
	lag := tick - c.Tick
	if r.world == nil || c.Tick <= 0 || lag <= 0 || lag > maxLag || way(&from, lag) > maxWay {
		g.from, g.tick, g.now = from, 0, 0
		return at(c.X, c.Y)
	}
	if g.tick != c.Tick || g.from != from || g.now > tick {
		g.from, g.tick, g.now = from, c.Tick, c.Tick
		g.core.Reset(r.world, vec.Vec2{})
		g.core.Read(&from)
	}
	for g.now < tick {
		g.core.Tick(nil, false)
		g.core.Move()
		g.core.Quantize()
		g.now++
	}
	return g.core.Pos
}

// state is a tee's state in the tick for which pos was asked.
func (r *reckoner) state(c *game.CharacterState) physics.State {
	g := &r.tees[c.Player]
	if g.tick == 0 {
		return told(c)
	}
	return g.core.Write()
}

// way is about how far a tee gets in some ticks, in world units.
func way(s *physics.State, ticks int32) int64 {
	x, y := int64(s.VelX), int64(s.VelY)
	return (max(x, -x) + max(y, -y)) / 256 * int64(ticks)
}
