package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// mover is the part of a brain that gets about.
type mover struct {
	plan     move
	planAt   uint8 // the next tick of the plan
	planned  bool
	cost     float32 // what the rest of the plan costs
	checked  int32   // ticks since the rest was tried out
	around   around
	scratch  physics.Core
	anchor   vec.Vec2 // where it was in tick anchored
	anchored int32
	turn     uint32   // what kind of move is tried out next
	aside    vec.Vec2 // where the hook will be needed
	asideFor int32    // ticks for which it makes sense to aim there
}

// drop ends the plan.
func (m *mover) drop() { m.planned = false }

// worse makes any other plan welcome: the goal changed.
func (m *mover) worse() { m.cost = costly }

// Costs are ticks until the goal is reached.
const (
	costly   = 40_000  // no way from there
	airborne = 60_000  // no ground found
	deadly   = 900_000 // for certain
)

// move goes on with the best plan found so far, and looks for better ones.
func (b *Brain) move(passed int32) {
	b.unstick()
	b.around.wanting = false
	if b.goal.kind == goalSpot {
		b.around.want, b.around.wanting = b.nav.spots[b.goal.index].pos, true
	}
	if b.planned && (b.planAt >= b.plan.length && b.self.Grounded() || b.planAt >= maxMove) {
		b.planned = false
	}
	tries := 1
	if b.scan&1 != 0 && b.planned && b.cost < costly {
		tries = 0 // half the work is nearly as good
	}
	if !b.planned {
		b.cost = 2 * deadly
		tries += 2
	} else if b.checked++; b.checked >= 4 || b.cost >= costly {
		// Others push and shoot: is the plan still good?
		b.checked = 0
		b.cost = b.judge(&b.plan, b.planAt)
		if b.cost >= deadly {
			tries += 6
		}
	}
	for range tries {
		m := b.invent()
		if cost := b.judge(&m, 0); cost < b.cost-1 {
			b.plan, b.planAt, b.cost, b.planned, b.checked = m, 0, cost, true, 0
		}
	}
	b.step(passed)
}

// step puts the next tick of the plan into the input.
func (b *Brain) step(passed int32) {
	in := &b.input
	if !b.planned {
		in.Direction, in.Jump = 0, false
		in.Hook = b.hookFoe > 0
		return
	}
	t := b.planAt
	if t == b.plan.hook && !b.aimedAtHook() {
		b.planned = false // the aim is not there yet
		in.Jump = false
		return
	}
	in.Direction, in.Jump, in.Hook = b.plan.direction(t), b.plan.jumps(t), b.plan.hooks(t)
	if b.plan.hook == never {
		in.Hook = b.hookFoe > 0
	}
	b.planAt += uint8(min(max(passed, 1), 4))
	b.cost -= float32(passed)
}

// judge tells what a move costs from here.
func (b *Brain) judge(m *move, from uint8) float32 {
	c := &b.scratch
	*c = b.self
	c.World = b.world
	most := int32(maxMove)
	if b.cost < maxMove && from == 0 {
		most = int32(max(b.cost, 1)) // what takes longer is not better
	}
	e := try(c, m, from, most, &b.around)
	if e.dead {
		return deadly
	}
	cost := float32(e.ticks) + 60*e.danger
	if b.fighting() {
		if !e.landed {
			cost += 200
		}
		return cost*0.2 + 60*e.danger + b.standing(c.Pos)
	}
	if e.touched > 0 {
		return float32(e.touched) + 60*e.danger
	}
	if !e.landed {
		return cost + airborne
	}
	times := b.times()
	node := b.nav.at(c.Pos)
	switch {
	case times == nil:
		return cost + float32(b.rand.n(60)) + 200 // anything that moves
	case node == noNode || times[node] == unreachable:
		return cost + costly
	}
	return cost + float32(times[node])
}

// invent makes up a move that might be better than the plan.
func (b *Brain) invent() move {
	b.turn++
	grounded := b.self.Grounded()
	if grounded && !b.fighting() && b.turn%3 == 0 {
		if m, ok := b.known(); ok {
			return m
		}
	}
	r := &b.rand
	m := move{turn: never, jump: never, again: never, hook: never, release: never}
	m.first = r.side()
	m.second = m.first
	m.length = uint8(4 + r.n(14))
	if r.percent(35) {
		m.turn, m.second = uint8(4+r.n(30)), r.side()
	}
	if b.self.HookState == physics.HookGrabbed && b.planned && r.percent(50) {
		// Go on hanging there for a while.
		m.hook, m.release = 0, uint8(5+r.n(30))
		m.hookX, m.hookY = b.plan.hookX, b.plan.hookY
		m.length = m.release
		return m
	}
	if grounded {
		if r.percent(45) {
			m.jump = uint8(r.n(6))
			if r.percent(50) {
				m.again = m.jump + uint8(8+r.n(30))
			}
		}
	} else if r.percent(50) {
		m.jump = uint8(r.n(24))
	}
	if r.percent(25) {
		b.inventHook(&m)
	}
	return m
}

// inventHook lets the move use the hook, somewhere above.
func (b *Brain) inventHook(m *move) {
	r := &b.rand
	angle := -pi/2 + 1.3*r.spread()
	d := vec.Direction(angle)
	end := b.self.Pos.Add(d.Mul(b.nav.tuning.HookLength()))
	if _, _, wall := b.nav.col.IntersectLine(b.self.Pos, end); wall == 0 || wall&physics.NoHook != 0 {
		return
	}
	m.hookX, m.hookY = hookUnit(d)
	m.hook = uint8(b.turnTicks(d) + int32(r.n(8)))
	m.release = m.hook + uint8(12+r.n(34))
	m.length = m.release
}

// known is the move that the graph has for the best way from here.
func (b *Brain) known() (move, bool) {
	times := b.times()
	here := b.nav.at(b.self.Pos)
	if times == nil || here == noNode {
		return move{}, false
	}
	best, soonest := link{}, int32(costly)
	if b.goal.kind == goalSpot && times[here] < maxMove {
		for _, l := range b.nav.spots[b.goal.index].from {
			if l.node == here && l.move != walk {
				best, soonest = l, int32(l.ticks)
			}
		}
	}
	for _, l := range b.nav.from(here) {
		if t := int32(l.ticks) + int32(times[l.node]); t < soonest {
			best, soonest = l, t
		}
	}
	if soonest == costly {
		return move{}, false
	}
	if best.move == walk {
		m := move{turn: never, jump: never, again: never, hook: never, release: never, length: uint8(3 + b.rand.n(8)), first: 1}
		if b.nav.pos[best.node].X < b.self.Pos.X {
			m.first = -1
		}
		m.second = m.first
		return m, true
	}
	m := repertoire[best.move]
	if m.hook != never {
		b.aside, b.asideFor = vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)}, 15
		m.release += uint8(b.rand.n(4))
		wait := b.turnTicks(vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)})
		if late := max(wait-int32(m.hook), 0); late > 0 {
			m.hook += uint8(late)
			m.release += uint8(late)
			m.length += uint8(late)
		}
	}
	return m, true
}

// unstick notices when the tee has not got anywhere, and does something else.
func (b *Brain) unstick() {
	if vec.Distance(b.anchor, b.self.Pos) > 48 {
		b.anchor, b.anchored = b.self.Pos, b.tick
		return
	}
	if b.tick-b.anchored < game.TickRate*3/2 {
		return
	}
	b.anchored = b.tick
	if b.goal.kind != goalNone && !b.fighting() {
		b.giveUp()
	}
	// Any move will do that does not kill.
	for range 4 {
		m := move{turn: never, jump: uint8(b.rand.n(4)), again: uint8(14 + b.rand.n(14)), hook: never, release: never, length: 20}
		m.first = 1 - 2*int8(b.rand.n(2))
		m.second = m.first
		if b.judge(&m, 0) < deadly {
			b.plan, b.planAt, b.planned, b.checked, b.cost = m, 0, true, -25, 0
			return
		}
	}
}
