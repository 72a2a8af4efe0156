package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// goalKind is what a brain is after.
type goalKind uint8

const (
	goalNone goalKind = iota
	goalSpot          // a pickup
	goalMark          // a landmark, to see what is there
	goalFoe           // somebody
)

// goal is where a brain wants to be.
type goal struct {
	kind  goalKind
	index int   // of the spot or mark
	since int32 // tick
	score float32
}

// memory is what a brain remembers of a place.
type memory struct {
	there   bool  // the pickup was there when last seen
	back    int32 // tick when it is expected back
	avoid   int32 // not before this tick: it could not be reached
	visited int32 // tick
}

// goals is the part of a brain that wants something.
type goals struct {
	goal    goal
	spots   []memory
	marks   []memory
	decide  int32 // tick of the next decision
	looked  int32 // tick of the last look at the pickups
	best    uint16
	bestAt  int32 // tick since which it came no nearer than best
	chase   [2]*search
	ready   int  // which chase is finished, -1 none
	running bool // whether the other one is being worked on
	chased  int32
}

func (g *goals) init(n *Nav) {
	g.spots, g.marks = make([]memory, len(n.spots)), make([]memory, len(n.marks))
	g.chase = [2]*search{newSearch(n), newSearch(n)}
	g.forget(0)
}

// forget is for a new match: everything lies there but the ninja.
func (g *goals) forget(tick int32) {
	for i := range g.spots {
		g.spots[i] = memory{there: true}
	}
	for i := range g.marks {
		g.marks[i] = memory{visited: tick - game.TickRate*60}
	}
	g.goal, g.decide, g.ready, g.running = goal{}, 0, -1, false
	g.looked, g.chased, g.bestAt = tick, tick, tick
}

// How long pickups stay away, in ticks.
const (
	pickupBack = 15 * game.TickRate
	ninjaBack  = 90 * game.TickRate
)

// lookEvery is how many ticks pass between two looks at the pickups.
const lookEvery = 8

// lookAtPickups notes what lies there and what does not, and what the own tee
// took itself.
func (b *Brain) lookAtPickups(v *game.View) {
	if b.tick < b.looked+lookEvery && b.tick >= b.looked {
		return
	}
	b.looked = b.tick
	var there [maxSpots]bool
	for i := range v.Pickups {
		p := &v.Pickups[i]
		at := vec.Vec2{X: float32(p.X), Y: float32(p.Y)}
		if !v.Sees(at) {
			continue
		}
		if k, ok := b.nav.spotAt[int32(b.nav.tile(at.X, at.Y))]; ok {
			there[k] = true
		}
	}
	for i := range b.nav.spots {
		s, m := &b.nav.spots[i], &b.spots[i]
		if !v.Sees(s.pos) {
			if !m.there && b.tick >= m.back {
				m.there = true
			}
			continue
		}
		switch {
		case there[i]:
			m.there = true
		case m.there:
			m.there = false
			m.back = b.tick + pickupBack
			if s.kind == game.PickupNinja {
				m.back = b.tick + ninjaBack
			}
			if w := weaponOf(s.kind); w != game.WeaponNinja && w >= 0 && vec.Distance(s.pos, b.self.Pos) < 130 {
				b.have[w], b.ammo[w] = true, 10
			}
		case b.tick >= m.back: // late
			m.back = b.tick + game.TickRate
		}
	}
}

// weaponOfPickup is the weapon a pickup gives, WeaponWorld for none.
func weaponOf(k game.PickupKind) game.Weapon {
	switch k {
	case game.PickupShotgun:
		return game.WeaponShotgun
	case game.PickupGrenade:
		return game.WeaponGrenade
	case game.PickupLaser:
		return game.WeaponLaser
	case game.PickupNinja:
		return game.WeaponNinja
	}
	return game.WeaponWorld
}

// value is how much a pickup is wanted.
func (b *Brain) value(k game.PickupKind) float32 {
	switch k {
	case game.PickupHealth:
		lack := float32(10 - b.health)
		if b.health <= 4 {
			lack *= 2
		}
		return lack * 5
	case game.PickupArmor:
		return float32(10-b.armor) * 3
	case game.PickupNinja:
		return 60
	}
	w := weaponOf(k)
	if w < 0 {
		return 0
	}
	armed := b.have[game.WeaponShotgun] || b.have[game.WeaponGrenade] || b.have[game.WeaponLaser]
	switch {
	case !b.have[w] && !armed:
		return 60
	case !b.have[w]:
		return 25
	case b.ammo[w] <= 3:
		return 25
	case b.ammo[w] < 8:
		return 6
	}
	return 0
}

// times is how long it takes to the goal, by node; nil while nobody knows.
func (b *Brain) times() []uint16 {
	switch b.goal.kind {
	case goalSpot:
		return b.nav.spots[b.goal.index].time
	case goalMark:
		return b.nav.marks[b.goal.index].time
	case goalFoe:
		if b.ready >= 0 {
			return b.chase[b.ready].time
		}
	}
	return nil
}

// chooseGoal decides now and then what is worth the most for the time it takes.
func (b *Brain) chooseGoal() {
	here := b.nav.near(b.self.Pos)
	if here == noNode {
		return
	}
	b.pursue(here)
	b.note()
	if b.reached() {
		b.goal.kind, b.decide = goalNone, 0
	}
	if times := b.times(); times != nil {
		if t := times[here]; t < b.best {
			b.best, b.bestAt = t, b.tick
		}
	}
	if b.goal.kind != goalNone && b.tick-b.bestAt > 4*game.TickRate {
		b.giveUp()
	}
	if b.tick < b.decide {
		return
	}
	b.decide = b.tick + 20 + int32(b.rand.n(20))
	best := goal{}
	consider := func(kind goalKind, index int, score float32) {
		if b.goal.kind == kind && (b.goal.index == index || kind == goalFoe) {
			score *= 1.4
		}
		if score > best.score {
			best = goal{kind: kind, index: index, score: score}
		}
	}
	for i := range b.nav.spots {
		s, m := &b.nav.spots[i], &b.spots[i]
		t := s.time[here]
		if t == unreachable || b.tick < m.avoid || !m.there && b.tick+int32(t) < m.back {
			continue
		}
		if v := b.value(s.kind); v > 0 {
			consider(goalSpot, i, v/(float32(t)+40))
		}
	}
	if b.foe != game.Nobody && b.tick >= b.avoidFoe {
		// Who is hurt or without a decent weapon would rather not.
		mood := b.skill.daring * float32(2+b.health+b.armor) / 12
		consider(goalFoe, 0, mood/(b.foeDistance()/8+60))
	}
	for i := range b.nav.marks {
		m := &b.marks[i]
		t := b.nav.marks[i].time[here]
		if t == unreachable || b.tick < m.avoid {
			continue
		}
		age := float32(min(b.tick-m.visited, 60*game.TickRate)) / (60 * game.TickRate)
		consider(goalMark, i, 12*age/(float32(t)+150)*(0.6+0.4*float32(b.rand.n(100))/100))
	}
	if best.kind == goalNone {
		b.goal.kind = goalNone
		return
	}
	if best.kind != b.goal.kind || best.index != b.goal.index {
		best.since = b.tick
		b.goal = best
		b.best, b.bestAt = unreachable, b.tick
		b.worse()
	}
	b.goal.score = best.score
}

// note remembers the landmarks that were passed.
func (b *Brain) note() {
	i := int(b.tick) % landmarks
	if i < len(b.marks) && vec.Distance(b.self.Pos, b.nav.pos[b.nav.marks[i].node]) < 6*physics.TileSize {
		b.marks[i].visited = b.tick
	}
}

// reached tells whether the goal is no longer one.
func (b *Brain) reached() bool {
	switch b.goal.kind {
	case goalSpot:
		s, m := &b.nav.spots[b.goal.index], &b.spots[b.goal.index]
		return vec.Distance(b.self.Pos, s.pos) < touching || !m.there && m.back > b.tick+2*game.TickRate
	case goalMark:
		k := &b.nav.marks[b.goal.index]
		if vec.Distance(b.self.Pos, b.nav.pos[k.node]) < 3*physics.TileSize {
			b.marks[b.goal.index].visited = b.tick
			return true
		}
	case goalFoe:
		return b.foe == game.Nobody
	}
	return false
}

// giveUp leaves a goal alone for a while.
func (b *Brain) giveUp() {
	const while = 10 * game.TickRate
	switch b.goal.kind {
	case goalSpot:
		b.spots[b.goal.index].avoid = b.tick + while
	case goalMark:
		b.marks[b.goal.index].avoid = b.tick + while
	case goalFoe:
		b.avoidFoe = b.tick + while/4
	}
	b.goal.kind, b.decide = goalNone, 0
	b.mover.drop()
}

// pursueNodes is how many nodes of a chase are worked out per tick.
const pursueNodes = 20

// pursue keeps the way to the foe up to date, a little per tick.
func (b *Brain) pursue(here uint16) {
	if b.goal.kind != goalFoe || b.foe == game.Nobody {
		b.running, b.ready = false, -1
		return
	}
	next := 0
	if b.ready == 0 {
		next = 1
	}
	if b.running {
		if b.chase[next].expand(pursueNodes, here) {
			b.ready, b.running = next, false
			b.worse()
		}
		return
	}
	to := b.nav.near(b.foeSeen().pos)
	if to == noNode || b.ready >= 0 && (b.tick < b.chased+20 || b.chase[b.ready].goal == to) {
		return
	}
	b.chased, b.running = b.tick, true
	b.chase[next].begin(to)
}
