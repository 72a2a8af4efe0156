package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// goalKind is what a brain is after.
type goalKind uint8

const (
	goalNone     goalKind = iota
	goalPickup            // a pickup
	goalLandmark          // a landmark, to see what is there
	goalEnemy             // somebody
)

// goal is where a brain wants to be.
type goal struct {
	kind  goalKind
	index int   // of the spot or mark
	since int32 // tick
	score float32
}

// siteMemory is what a brain remembers of a place.
type siteMemory struct {
	present     bool  // the pickup was there when last seen
	respawnTick int32 // tick when it is expected back
	avoidUntil  int32 // not before this tick: it could not be reached
	visitedTick int32 // tick
}

// goalPlanner is the part of a brain that wants something.
type goalPlanner struct {
	goal           goal
	pickupMemory   []siteMemory
	landmarkMemory []siteMemory
	nextDecision   int32 // tick of the next decision
	pickupScanTick int32 // tick of the last look at the pickups
	bestTime       uint16
	bestTimeTick   int32 // tick since which it came no nearer than best
	enemySearch    [2]*nodeSearch
	readySearch    int  // which chase is finished, -1 none
	isSearching    bool // whether the other one is being worked on
	searchTick     int32
}

func (g *goalPlanner) init(n *NavGraph) {
	g.pickupMemory, g.landmarkMemory = make([]siteMemory, len(n.pickupSites)), make([]siteMemory, len(n.landmarks))
	g.enemySearch = [2]*nodeSearch{newSearch(n), newSearch(n)}
	g.reset(0)
}

// reset is for a new match: everything lies there but the ninja.
func (g *goalPlanner) reset(tick int32) {
	for i := range g.pickupMemory {
		g.pickupMemory[i] = siteMemory{present: true}
	}
	for i := range g.landmarkMemory {
		g.landmarkMemory[i] = siteMemory{visitedTick: tick - game.TickRate*60}
	}
	g.goal, g.nextDecision, g.readySearch, g.isSearching = goal{}, 0, -1, false
	g.pickupScanTick, g.searchTick, g.bestTimeTick = tick, tick, tick
}

// How long pickups stay away, in ticks.
const (
	pickupRespawnTicks = 15 * game.TickRate
	ninjaRespawnTicks  = 90 * game.TickRate
)

// pickupScanInterval is how many ticks pass between two looks at the pickups.
const pickupScanInterval = 8

// updatePickups notes what lies there and what does not, and what the own tee
// took itself.
func (b *Bot) updatePickups(v *game.View) {
	if b.tick < b.pickupScanTick+pickupScanInterval && b.tick >= b.pickupScanTick {
		return
	}
	b.pickupScanTick = b.tick
	var there [maxPickupSites]bool
	for i := range v.Pickups {
		p := &v.Pickups[i]
		at := vec.Vec2{X: float32(p.X), Y: float32(p.Y)}
		if !v.Sees(at) {
			continue
		}
		if k, ok := b.graph.siteAtTile[int32(b.graph.tileIndex(at.X, at.Y))]; ok {
			there[k] = true
		}
	}
	for i := range b.graph.pickupSites {
		s, m := &b.graph.pickupSites[i], &b.pickupMemory[i]
		if !v.Sees(s.pos) {
			if !m.present && b.tick >= m.respawnTick {
				m.present = true
			}
			continue
		}
		switch {
		case there[i]:
			m.present = true
		case m.present:
			m.present = false
			m.respawnTick = b.tick + pickupRespawnTicks
			if s.kind == game.PickupNinja {
				m.respawnTick = b.tick + ninjaRespawnTicks
			}
			if w := weaponOfPickup(s.kind); w != game.WeaponNinja && w >= 0 && vec.Distance(s.pos, b.self.Pos) < 130 {
				b.hasWeapon[w], b.ammo[w] = true, 10
			}
		case b.tick >= m.respawnTick: // late
			m.respawnTick = b.tick + game.TickRate
		}
	}
}

// weaponOfPickup is the weapon a pickup gives, WeaponWorld for none.
func weaponOfPickup(k game.PickupKind) game.Weapon {
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

// pickupValue is how much a pickup is wanted.
func (b *Bot) pickupValue(k game.PickupKind) float32 {
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
	w := weaponOfPickup(k)
	if w < 0 {
		return 0
	}
	armed := b.hasWeapon[game.WeaponShotgun] || b.hasWeapon[game.WeaponGrenade] || b.hasWeapon[game.WeaponLaser]
	switch {
	case !b.hasWeapon[w] && !armed:
		return 60
	case !b.hasWeapon[w]:
		return 25
	case b.ammo[w] <= 3:
		return 25
	case b.ammo[w] < 8:
		return 6
	}
	return 0
}

// timesToGoal is how long it takes to the goal, by node; nil while nobody knows.
func (b *Bot) timesToGoal() []uint16 {
	switch b.goal.kind {
	case goalPickup:
		return b.graph.pickupSites[b.goal.index].times
	case goalLandmark:
		return b.graph.landmarks[b.goal.index].times
	case goalEnemy:
		if b.readySearch >= 0 {
			return b.enemySearch[b.readySearch].times
		}
	}
	return nil
}

// chooseGoal decides now and then what is worth the most for the time it takes.
func (b *Bot) chooseGoal() {
	here := b.graph.nodeNear(b.self.Pos)
	if here == noNode {
		return
	}
	b.updateEnemySearch(here)
	b.recordLandmarkVisit()
	if b.isGoalDone() {
		b.goal.kind, b.nextDecision = goalNone, 0
	}
	if times := b.timesToGoal(); times != nil {
		if t := times[here]; t < b.bestTime {
			b.bestTime, b.bestTimeTick = t, b.tick
		}
	}
	if b.goal.kind != goalNone && b.tick-b.bestTimeTick > 4*game.TickRate {
		b.abandonGoal()
	}
	if b.tick < b.nextDecision {
		return
	}
	b.nextDecision = b.tick + 20 + int32(b.rand.intn(20))
	best := goal{}
	consider := func(kind goalKind, index int, score float32) {
		if b.goal.kind == kind && (b.goal.index == index || kind == goalEnemy) {
			score *= 1.4
		}
		if score > best.score {
			best = goal{kind: kind, index: index, score: score}
		}
	}
	for i := range b.graph.pickupSites {
		s, m := &b.graph.pickupSites[i], &b.pickupMemory[i]
		t := s.times[here]
		if t == unreachable || b.tick < m.avoidUntil || !m.present && b.tick+int32(t) < m.respawnTick {
			continue
		}
		if v := b.pickupValue(s.kind); v > 0 {
			consider(goalPickup, i, v/(float32(t)+40))
		}
	}
	if b.enemy != game.Nobody && b.tick >= b.avoidEnemyUntil {
		// Who is hurt or without a decent weapon would rather not.
		mood := b.skill.aggression * float32(2+b.health+b.armor) / 12
		consider(goalEnemy, 0, mood/(b.enemyDistance()/8+60))
	}
	for i := range b.graph.landmarks {
		m := &b.landmarkMemory[i]
		t := b.graph.landmarks[i].times[here]
		if t == unreachable || b.tick < m.avoidUntil {
			continue
		}
		age := float32(min(b.tick-m.visitedTick, 60*game.TickRate)) / (60 * game.TickRate)
		consider(goalLandmark, i, 12*age/(float32(t)+150)*(0.6+0.4*float32(b.rand.intn(100))/100))
	}
	if best.kind == goalNone {
		b.goal.kind = goalNone
		return
	}
	if best.kind != b.goal.kind || best.index != b.goal.index {
		best.since = b.tick
		b.goal = best
		b.bestTime, b.bestTimeTick = unreachable, b.tick
		b.expirePlan()
	}
	b.goal.score = best.score
}

// recordLandmarkVisit remembers the landmarks that were passed.
func (b *Bot) recordLandmarkVisit() {
	i := int(b.tick) % maxLandmarks
	if i < len(b.landmarkMemory) && vec.Distance(b.self.Pos, b.graph.nodePos[b.graph.landmarks[i].node]) < 6*physics.TileSize {
		b.landmarkMemory[i].visitedTick = b.tick
	}
}

// isGoalDone reports whether the goal is no longer one.
func (b *Bot) isGoalDone() bool {
	switch b.goal.kind {
	case goalPickup:
		s, m := &b.graph.pickupSites[b.goal.index], &b.pickupMemory[b.goal.index]
		return vec.Distance(b.self.Pos, s.pos) < pickupTouchDistance || !m.present && m.respawnTick > b.tick+2*game.TickRate
	case goalLandmark:
		k := &b.graph.landmarks[b.goal.index]
		if vec.Distance(b.self.Pos, b.graph.nodePos[k.node]) < 3*physics.TileSize {
			b.landmarkMemory[b.goal.index].visitedTick = b.tick
			return true
		}
	case goalEnemy:
		return b.enemy == game.Nobody
	}
	return false
}

// abandonGoal leaves a goal alone for a while.
func (b *Bot) abandonGoal() {
	const while = 10 * game.TickRate
	switch b.goal.kind {
	case goalPickup:
		b.pickupMemory[b.goal.index].avoidUntil = b.tick + while
	case goalLandmark:
		b.landmarkMemory[b.goal.index].avoidUntil = b.tick + while
	case goalEnemy:
		b.avoidEnemyUntil = b.tick + while/4
	}
	b.goal.kind, b.nextDecision = goalNone, 0
	b.movement.clearPlan()
}

// searchNodesPerTick is how many nodes of a chase are worked out per tick.
const searchNodesPerTick = 20

// updateEnemySearch keeps the way to the foe up to date, a little per tick.
func (b *Bot) updateEnemySearch(here uint16) {
	if b.goal.kind != goalEnemy || b.enemy == game.Nobody {
		b.isSearching, b.readySearch = false, -1
		return
	}
	next := 0
	if b.readySearch == 0 {
		next = 1
	}
	if b.isSearching {
		if b.enemySearch[next].expand(searchNodesPerTick, here) {
			b.readySearch, b.isSearching = next, false
			b.expirePlan()
		}
		return
	}
	to := b.graph.nodeNear(b.lastSighting().pos)
	if to == noNode || b.readySearch >= 0 && (b.tick < b.searchTick+20 || b.enemySearch[b.readySearch].goal == to) {
		return
	}
	b.searchTick, b.isSearching = b.tick, true
	b.enemySearch[next].start(to)
}
