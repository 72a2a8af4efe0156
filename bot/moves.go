package bot

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// never is a moment of a move that does not come.
const never = 255

// maxMove is how long a move may take before it lands, in ticks.
const maxMove = 100

// tap is how long a jump button is held, in ticks. It must be let go between
// the two jumps.
const tap = 2

// move is a short piece of play: what is held in each of its ticks. The graph
// is made of moves tried out from everywhere, and brains try out variations from
// where they really are.
type move struct {
	first, second int8  // directions before and after turn
	turn          uint8 // tick
	jump, again   uint8 // ticks of the jump and the jump in the air
	hook, release uint8 // ticks between which the hook is out
	length        uint8 // ticks it takes at least; it ends on the ground
	hookX, hookY  int8  // direction of the hook, length 100
}

// direction is what is held in tick t.
func (m *move) direction(t uint8) int32 {
	if t < m.turn {
		return int32(m.first)
	}
	return int32(m.second)
}

// jumps tells whether the jump button is held in tick t.
func (m *move) jumps(t uint8) bool {
	return t-m.jump < tap && m.jump != never || t-m.again < tap && m.again != never
}

// hooks tells whether the hook button is held in tick t.
func (m *move) hooks(t uint8) bool { return t >= m.hook && t < m.release }

// input is what the physics get in tick t.
func (m *move) input(t uint8) physics.Input {
	in := physics.Input{Direction: m.direction(t), Jump: m.jumps(t), Hook: m.hooks(t), TargetX: 1}
	if m.hook != never {
		in.TargetX, in.TargetY = int32(m.hookX), int32(m.hookY)
	}
	return in
}

// hookUnit is a direction of a hook as moves carry it.
func hookUnit(d vec.Vec2) (x, y int8) {
	l := d.Len()
	if !(l > 0) {
		return 0, -100
	}
	d = d.Mul(100 / l)
	return int8(vec.Round(vec.Clamp(d.X, -100, 100))), int8(vec.Round(vec.Clamp(d.Y, -100, 100)))
}

// repertoire are the moves the graph is made of.
var repertoire = makeRepertoire()

func makeRepertoire() []move {
	var list []move
	base := move{turn: never, jump: never, again: never, hook: never, release: never}
	for _, d := range [2]int8{-1, 1} {
		add := func(edit func(*move)) {
			m := base
			m.first, m.second, m.length = d, d, 6
			edit(&m)
			list = append(list, m)
		}
		add(func(m *move) {})                            // walk, or off a ledge
		add(func(m *move) { m.turn, m.second = 6, 0 })   // drop beside a ledge
		add(func(m *move) { m.turn, m.second = 10, -d }) // and back below it
		for _, turn := range [3]uint8{never, 14, 28} {
			add(func(m *move) { m.jump, m.turn, m.second = 0, turn, 0 })
		}
		for _, turn := range [2]uint8{10, 20} { // up beside a wall, then over its edge
			add(func(m *move) { m.jump, m.first, m.second, m.turn = 0, 0, d, turn })
			add(func(m *move) { m.jump, m.first, m.second, m.turn = 0, -d, d, turn })
		}
		for _, again := range [4]uint8{12, 22, 28, 42} {
			add(func(m *move) { m.jump, m.again = 0, again })
		}
		add(func(m *move) { m.jump, m.again, m.turn, m.second = 0, 24, 36, 0 })
		for _, turn := range [3]uint8{20, 32, 44} {
			add(func(m *move) { m.jump, m.again, m.first, m.turn = 0, 24, 0, turn })
			add(func(m *move) { m.jump, m.again, m.first, m.turn = 0, 24, -d, turn })
		}
		add(func(m *move) { m.again = 12 }) // run over a ledge, then jump in the air
		add(func(m *move) { m.again = 24 })
		for _, h := range [3]move{{hookX: 42, hookY: -91}, {hookX: 71, hookY: -71}, {hookX: 94, hookY: -34}} {
			for _, release := range [2]uint8{24, 44} {
				for _, jump := range [2]uint8{never, 0} {
					add(func(m *move) {
						m.hookX, m.hookY = d*h.hookX, h.hookY
						m.jump, m.hook, m.release = jump, 5, release
						m.length = release
					})
				}
			}
			add(func(m *move) {
				m.hookX, m.hookY = d*h.hookX, h.hookY
				m.jump, m.again, m.hook, m.release, m.length = 0, 22, 32, 60, 60
			})
		}
	}
	return list
}

// ending is how a move ends.
type ending struct {
	ticks  int32
	landed bool // on the ground, otherwise still in the air
	dead   bool
	danger float32 // how close it came to what is to be avoided
	// touched is the tick in which it first touched what is wanted, 0 never.
	touched int32
}

// around is what a move is tried out in.
type around struct {
	threat  threat
	want    vec.Vec2 // a thing to touch
	wanting bool
	reach   *reach // if not nil, notes what can be touched
}

// touching is how near a tee's centre has to come to a pickup's, in units; the
// rules take 48.
const touching = 44

// threat is a shot to keep out of the way of.
type threat struct {
	pos, vel vec.Vec2 // units, units per tick
	radius   float32  // 0: none
}

// at is how dangerous it is to be at p in tick t, 0..1.
func (h *threat) at(p vec.Vec2, t int32) float32 {
	if h.radius == 0 || t > 25 {
		return 0
	}
	at := h.pos.Add(h.vel.Mul(float32(t)))
	if d := vec.Distance(at, p); d < h.radius {
		return 1 - d/h.radius
	}
	return 0
}

// try lets c make a move from its tick on and tells how that ends, or that it
// has not after most ticks. c is left where it ended.
func try(c *physics.Core, m *move, from uint8, most int32, a *around) ending {
	var e ending
	for t := from; t < maxMove && e.ticks < most; t++ {
		in := m.input(t)
		c.Tick(&in, true)
		c.Move()
		e.ticks++
		if c.Death {
			e.dead = true
			return e
		}
		if a != nil {
			e.danger = max(e.danger, a.threat.at(c.Pos, e.ticks))
			if a.wanting && e.touched == 0 && vec.Distance(c.Pos, a.want) < touching {
				e.touched = e.ticks
			}
			if a.reach != nil {
				a.reach.at(c.Pos, e.ticks)
			}
		}
		if t+1 >= m.length && c.Grounded() {
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
