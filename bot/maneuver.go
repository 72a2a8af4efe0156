package bot

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// never is a tick that no maneuver reaches.
const never = 255

// maxManeuverTicks limits the duration of a maneuver until it lands.
const maxManeuverTicks = 100

// jumpHoldTicks is how long the jump button is held. The button must be released between two jumps.
const jumpHoldTicks = 2

// maneuver is a short sequence of inputs. The graph consists of simulated maneuvers. Bots simulate
// variations of them from their own positions.
type maneuver struct {
	firstDir, secondDir   int8  // directions before and after turnTick
	turnTick              uint8 // tick
	jumpTick, airJumpTick uint8 // of the ground jump and the air jump
	hookTick, releaseTick uint8 // the hook is held from hookTick until before releaseTick
	minTicks              uint8 // minimum duration; after it, landing ends the maneuver
	hookX, hookY          int8  // direction of the hook, as a vector of length 100
}

// directionAt returns the direction held in tick t.
func (m *maneuver) directionAt(t uint8) int32 {
	if t < m.turnTick {
		return int32(m.firstDir)
	}
	return int32(m.secondDir)
}

// isJumpHeldAt reports whether the jump button is held in tick t.
func (m *maneuver) isJumpHeldAt(t uint8) bool {
	return t-m.jumpTick < jumpHoldTicks && m.jumpTick != never || t-m.airJumpTick < jumpHoldTicks && m.airJumpTick != never
}

// isHookHeldAt reports whether the hook button is held in tick t.
func (m *maneuver) isHookHeldAt(t uint8) bool { return t >= m.hookTick && t < m.releaseTick }

// inputAt returns the input in tick t.
func (m *maneuver) inputAt(t uint8) physics.Input {
	in := physics.Input{Direction: m.directionAt(t), Jump: m.isJumpHeldAt(t), Hook: m.isHookHeldAt(t), TargetX: 1}
	if m.hookTick != never {
		in.TargetX, in.TargetY = int32(m.hookX), int32(m.hookY)
	}
	return in
}

// hookDirection converts a direction to hookX and hookY.
func hookDirection(d vec.Vec2) (x, y int8) {
	l := d.Len()
	if !(l > 0) {
		return 0, -100
	}
	d = d.Mul(100 / l)
	return int8(vec.Round(vec.Clamp(d.X, -100, 100))), int8(vec.Round(vec.Clamp(d.Y, -100, 100)))
}

// maneuvers are the maneuvers that the graph tries from each node.
var maneuvers = makeManeuvers()

func makeManeuvers() []maneuver {
	var list []maneuver
	base := maneuver{turnTick: never, jumpTick: never, airJumpTick: never, hookTick: never, releaseTick: never}
	for _, d := range [2]int8{-1, 1} {
		add := func(edit func(*maneuver)) {
			m := base
			m.firstDir, m.secondDir, m.minTicks = d, d, 6
			edit(&m)
			list = append(list, m)
		}
		add(func(m *maneuver) {})                                   // walk, perhaps off a ledge
		add(func(m *maneuver) { m.turnTick, m.secondDir = 6, 0 })   // drop beside a ledge
		add(func(m *maneuver) { m.turnTick, m.secondDir = 10, -d }) // drop, then move back below the ledge
		for _, turn := range [3]uint8{never, 14, 28} {
			add(func(m *maneuver) { m.jumpTick, m.turnTick, m.secondDir = 0, turn, 0 })
		}
		for _, turn := range [2]uint8{10, 20} { // jump up beside a wall, then over its edge
			add(func(m *maneuver) { m.jumpTick, m.firstDir, m.secondDir, m.turnTick = 0, 0, d, turn })
			add(func(m *maneuver) { m.jumpTick, m.firstDir, m.secondDir, m.turnTick = 0, -d, d, turn })
		}
		for _, again := range [4]uint8{12, 22, 28, 42} {
			add(func(m *maneuver) { m.jumpTick, m.airJumpTick = 0, again })
		}
		add(func(m *maneuver) { m.jumpTick, m.airJumpTick, m.turnTick, m.secondDir = 0, 24, 36, 0 })
		for _, turn := range [3]uint8{20, 32, 44} {
			add(func(m *maneuver) { m.jumpTick, m.airJumpTick, m.firstDir, m.turnTick = 0, 24, 0, turn })
			add(func(m *maneuver) { m.jumpTick, m.airJumpTick, m.firstDir, m.turnTick = 0, 24, -d, turn })
		}
		add(func(m *maneuver) { m.airJumpTick = 12 }) // run over a ledge, then jump in the air
		add(func(m *maneuver) { m.airJumpTick = 24 })
		for _, h := range [3]maneuver{{hookX: 42, hookY: -91}, {hookX: 71, hookY: -71}, {hookX: 94, hookY: -34}} {
			for _, release := range [2]uint8{24, 44} {
				for _, jump := range [2]uint8{never, 0} {
					add(func(m *maneuver) {
						m.hookX, m.hookY = d*h.hookX, h.hookY
						m.jumpTick, m.hookTick, m.releaseTick = jump, 5, release
						m.minTicks = release
					})
				}
			}
			add(func(m *maneuver) {
				m.hookX, m.hookY = d*h.hookX, h.hookY
				m.jumpTick, m.airJumpTick, m.hookTick, m.releaseTick, m.minTicks = 0, 22, 32, 60, 60
			})
		}
	}
	return list
}

// outcome is the result of a simulated maneuver.
type outcome struct {
	ticks  int32
	landed bool // on the ground; otherwise still in the air
	dead   bool
	danger float32 // how close it came to the threat, 0 to 1
	// touchTick is the tick in which it first touched the wanted pickup, 0 for never.
	touchTick int32
}

// trialOptions are the conditions of a simulation.
type trialOptions struct {
	threat     threat
	pickupPos  vec.Vec2 // of the wanted pickup
	wantPickup bool
}

// pickupTouchDistance is the distance in units at which a tee surely takes a pickup. The rules use
// 48.
const pickupTouchDistance = 44

// threat is a projectile to dodge.
type threat struct {
	pos, vel vec.Vec2 // units, units per tick
	radius   float32  // 0 for no threat
}

// dangerAt returns the danger of being at p in tick t, from 0 to 1.
func (h *threat) dangerAt(p vec.Vec2, t int32) float32 {
	if h.radius == 0 || t > 25 {
		return 0
	}
	at := h.pos.Add(h.vel.Mul(float32(t)))
	if d := vec.Distance(at, p); d < h.radius {
		return 1 - d/h.radius
	}
	return 0
}

// simulate runs a maneuver on c, beginning at its tick from, for at most maxTicks ticks. It returns
// the outcome. c keeps the final state.
func simulate(c *physics.Core, m *maneuver, from uint8, maxTicks int32, a *trialOptions) outcome {
	var e outcome
	for t := from; t < maxManeuverTicks && e.ticks < maxTicks; t++ {
		in := m.inputAt(t)
		c.Tick(&in, true)
		c.Move()
		e.ticks++
		if c.Death {
			e.dead = true
			return e
		}
		if a != nil {
			e.danger = max(e.danger, a.threat.dangerAt(c.Pos, e.ticks))
			if a.wantPickup && e.touchTick == 0 && vec.Distance(c.Pos, a.pickupPos) < pickupTouchDistance {
				e.touchTick = e.ticks
			}
		}
		if t+1 >= m.minTicks && c.Grounded() {
			e.landed = true
			return e
		}
		if e.ticks&15 == 0 && c.World.Collision.FarOutside(c.Pos) {
			e.dead = true
			return e
		}
	}
	return e
}
