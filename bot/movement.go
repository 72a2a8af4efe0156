package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// movement is the state that a bot needs to move.
type movement struct {
	plan            maneuver
	planTick        uint8 // next tick of the plan
	hasPlan         bool
	planCost        float32 // cost of the rest of the plan
	ticksSinceCheck int32   // ticks since the rest of the plan was simulated
	trialOptions    trialOptions
	scratch         physics.Core
	anchorPos       vec.Vec2 // position at anchorTick
	anchorTick      int32
	candidateCount  uint32   // number of candidates so far
	nextHookDir     vec.Vec2 // direction of the next hook
	nextHookTicks   int32    // ticks for which to aim in that direction
}

// clearPlan drops the plan.
func (m *movement) clearPlan() { m.hasPlan = false }

// expirePlan lets any other plan replace the current one, because the goal has changed.
func (m *movement) expirePlan() { m.planCost = noPathCost }

// Costs are the ticks until the goal is reached.
const (
	noPathCost    = 40_000  // no path from there to the goal
	noLandingCost = 60_000  // does not land
	deathCost     = 900_000 // dies
)

// move continues the best plan so far and searches for a better one.
func (b *Bot) move(passed int32) {
	b.unstick()
	b.trialOptions.wantPickup = false
	if b.goal.kind == goalPickup {
		b.trialOptions.pickupPos, b.trialOptions.wantPickup = b.graph.pickupSites[b.goal.index].pos, true
	}
	if b.goal.kind == goalFlag {
		b.trialOptions.pickupPos, b.trialOptions.wantPickup = b.flagPos(flagPlace(b.goal.index)), true
	}
	if b.hasPlan && (b.planTick >= b.plan.minTicks && b.self.Grounded() || b.planTick >= maxManeuverTicks) {
		b.hasPlan = false
	}
	tries := 1
	if b.scanCount&1 != 0 && b.hasPlan && b.planCost < noPathCost {
		tries = 0 // nearly as good with half the work
	}
	if !b.hasPlan {
		b.planCost = 2 * deathCost
		tries += 2
	} else if b.ticksSinceCheck++; b.ticksSinceCheck >= 4 || b.planCost >= noPathCost {
		// Other players push and shoot, so check whether the plan is still good.
		b.ticksSinceCheck = 0
		b.planCost = b.maneuverCost(&b.plan, b.planTick)
		if b.planCost >= deathCost {
			tries += 6
		}
	}
	for range tries {
		m := b.randomManeuver()
		if cost := b.maneuverCost(&m, 0); cost < b.planCost-1 {
			b.plan, b.planTick, b.planCost, b.hasPlan, b.ticksSinceCheck = m, 0, cost, true, 0
		}
	}
	b.applyPlan(passed)
}

// applyPlan sets the input to the next tick of the plan.
func (b *Bot) applyPlan(passed int32) {
	in := &b.input
	if !b.hasPlan {
		in.Direction, in.Jump = 0, false
		in.Hook = b.hookEnemyTicks > 0
		return
	}
	t := b.planTick
	if t == b.plan.hookTick && !b.isAimedAtHook() {
		b.hasPlan = false // wait until the bot has aimed
		in.Jump = false
		return
	}
	in.Direction, in.Jump, in.Hook = b.plan.directionAt(t), b.plan.isJumpHeldAt(t), b.plan.isHookHeldAt(t)
	if b.plan.hookTick == never {
		in.Hook = b.hookEnemyTicks > 0
	}
	b.planTick += uint8(min(max(passed, 1), 4))
	b.planCost -= float32(passed)
}

// maneuverCost returns the cost of a maneuver from the current state, beginning at its tick from.
func (b *Bot) maneuverCost(m *maneuver, from uint8) float32 {
	c := &b.scratch
	*c = b.self
	c.World = b.world
	maxTicks := int32(maxManeuverTicks)
	if b.planCost < maxManeuverTicks && from == 0 {
		maxTicks = int32(max(b.planCost, 1)) // a longer maneuver is not better
	}
	e := simulate(c, m, from, maxTicks, &b.trialOptions)
	if e.dead {
		return deathCost
	}
	cost := float32(e.ticks) + 60*e.danger
	if b.isFighting() {
		if !e.landed {
			cost += 200
		}
		return cost*0.2 + 60*e.danger + b.fightPositionCost(c.Pos)
	}
	if e.touchTick > 0 {
		return float32(e.touchTick) + 60*e.danger
	}
	if !e.landed {
		return cost + noLandingCost
	}
	times := b.timesToGoal()
	node := b.graph.nodeAt(c.Pos)
	switch {
	case times == nil:
		return cost + float32(b.rand.Uint32n(60)) + 200 // any movement will do
	case node == noNode || times[node] == unreachable:
		return cost + noPathCost
	}
	return cost + float32(times[node])
}

// randomManeuver returns a random candidate for a better plan.
func (b *Bot) randomManeuver() maneuver {
	b.candidateCount++
	grounded := b.self.Grounded()
	if grounded && !b.isFighting() && b.candidateCount%3 == 0 {
		if m, ok := b.graphManeuver(); ok {
			return m
		}
	}
	r := &b.rand
	m := maneuver{turnTick: never, jumpTick: never, airJumpTick: never, hookTick: never, releaseTick: never}
	m.firstDir = r.direction()
	m.secondDir = m.firstDir
	m.minTicks = uint8(4 + r.Uint32n(14))
	if r.Percent(35) {
		m.turnTick, m.secondDir = uint8(4+r.Uint32n(30)), r.direction()
	}
	if b.self.HookState == physics.HookGrabbed && b.hasPlan && r.Percent(50) {
		// Keep the hook for a while.
		m.hookTick, m.releaseTick = 0, uint8(5+r.Uint32n(30))
		m.hookX, m.hookY = b.plan.hookX, b.plan.hookY
		m.minTicks = m.releaseTick
		return m
	}
	if grounded {
		if r.Percent(45) {
			m.jumpTick = uint8(r.Uint32n(6))
			if r.Percent(50) {
				m.airJumpTick = m.jumpTick + uint8(8+r.Uint32n(30))
			}
		}
	} else if r.Percent(50) {
		m.jumpTick = uint8(r.Uint32n(24))
	}
	if r.Percent(25) {
		b.addRandomHook(&m)
	}
	return m
}

// addRandomHook adds a hook to a point above if the hook can attach there.
func (b *Bot) addRandomHook(m *maneuver) {
	r := &b.rand
	angle := -pi/2 + 1.3*r.triangular()
	d := vec.Direction(angle)
	end := b.self.Pos.Add(d.Mul(b.graph.tuning.At(physics.HookLength)))
	if _, _, wall := b.graph.col.IntersectLine(b.self.Pos, end); wall == 0 || wall&physics.NoHook != 0 {
		return
	}
	m.hookX, m.hookY = hookDirection(d)
	m.hookTick = uint8(b.turnTicks(d) + int32(r.Uint32n(8)))
	m.releaseTick = m.hookTick + uint8(12+r.Uint32n(34))
	m.minTicks = m.releaseTick
}

// graphManeuver returns the maneuver of the graph on the best path from the current position.
func (b *Bot) graphManeuver() (maneuver, bool) {
	times := b.timesToGoal()
	here := b.graph.nodeAt(b.self.Pos)
	if times == nil || here == noNode {
		return maneuver{}, false
	}
	best, soonest := link{}, int32(noPathCost)
	if b.goal.kind == goalPickup && times[here] < maxManeuverTicks {
		for _, l := range b.graph.pickupSites[b.goal.index].approaches {
			if l.node == here && l.maneuver != walkLink {
				best, soonest = l, int32(l.ticks)
			}
		}
	}
	for _, l := range b.graph.linksFrom(here) {
		if t := int32(l.ticks) + int32(times[l.node]); t < soonest {
			best, soonest = l, t
		}
	}
	if soonest == noPathCost {
		return maneuver{}, false
	}
	if best.maneuver == walkLink {
		m := maneuver{turnTick: never, jumpTick: never, airJumpTick: never, hookTick: never, releaseTick: never,
			minTicks: uint8(3 + b.rand.Uint32n(8)), firstDir: 1}
		if b.graph.nodePos[best.node].X < b.self.Pos.X {
			m.firstDir = -1
		}
		m.secondDir = m.firstDir
		return m, true
	}
	m := maneuvers[best.maneuver]
	if m.hookTick != never {
		b.nextHookDir, b.nextHookTicks = vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)}, 15
		m.releaseTick += uint8(b.rand.Uint32n(4))
		wait := b.turnTicks(vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)})
		if late := max(wait-int32(m.hookTick), 0); late > 0 {
			m.hookTick += uint8(late)
			m.releaseTick += uint8(late)
			m.minTicks += uint8(late)
		}
	}
	return m, true
}

// unstick changes the goal and the plan if the tee has not moved for a while.
func (b *Bot) unstick() {
	if vec.Distance(b.anchorPos, b.self.Pos) > 48 {
		b.anchorPos, b.anchorTick = b.self.Pos, b.tick
		return
	}
	if b.tick-b.anchorTick < game.TickRate*3/2 {
		return
	}
	b.anchorTick = b.tick
	if b.goal.kind != goalNone && !b.isFighting() {
		b.abandonGoal()
	}
	// Any maneuver that the tee survives is good enough.
	for range 4 {
		m := maneuver{turnTick: never, jumpTick: uint8(b.rand.Uint32n(4)), airJumpTick: uint8(14 + b.rand.Uint32n(14)),
			hookTick: never, releaseTick: never, minTicks: 20}
		m.firstDir = 1 - 2*int8(b.rand.Uint32n(2))
		m.secondDir = m.firstDir
		if b.maneuverCost(&m, 0) < deathCost {
			b.plan, b.planTick, b.hasPlan, b.ticksSinceCheck, b.planCost = m, 0, true, -25, 0
			return
		}
	}
}
