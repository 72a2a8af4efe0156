package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// goalKind is a kind of goal.
type goalKind uint8

const (
	goalNone     goalKind = iota
	goalPickup            // a pickup site
	goalLandmark          // a landmark, to explore
	goalEnemy             // the enemy
	goalFlag              // a flag or the bot's own stand
)

// goal is the place that the bot moves to.
type goal struct {
	kind  goalKind
	index int // of the pickup site or landmark, or a flagPlace
	score float32
}

// siteMemory is the bot's knowledge of a pickup site or landmark.
type siteMemory struct {
	present     bool  // whether the pickup was there when last seen
	respawnTick int32 // tick of its expected respawn
	avoidUntil  int32 // not a goal before this tick, since it could not be reached
	visitedTick int32 // tick of the last visit
}

// goalPlanner is the state that a bot needs to choose goals.
type goalPlanner struct {
	goal           goal
	pickupMemory   []siteMemory
	landmarkMemory []siteMemory
	nextDecision   int32 // tick
	pickupScanTick int32 // tick of the last scan of the pickups
	bestTime       uint16
	bestTimeTick   int32 // tick at which bestTime was reached
	targetSearch   [2]*nodeSearch
	readySearch    int  // index of the finished search, -1 for none
	isSearching    bool // whether the other search is running
	searchTick     int32

	id              game.PlayerID
	flags           [2]flagSight
	avoidFlagsUntil int32 // flags are not a goal before this tick, since they could not be reached
}

func (g *goalPlanner) init(n *NavGraph) {
	g.pickupMemory, g.landmarkMemory = make([]siteMemory, len(n.pickupSites)), make([]siteMemory, len(n.landmarks))
	g.targetSearch = [2]*nodeSearch{newSearch(n), newSearch(n)}
	g.reset(0)
}

// reset prepares for a new match, in which all pickups except the ninja are present.
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

// Respawn times of pickups in ticks.
const (
	pickupRespawnTicks = 15 * game.TickRate
	ninjaRespawnTicks  = 90 * game.TickRate
)

// pickupScanInterval is the number of ticks between two scans of the pickups.
const pickupScanInterval = 8

// updatePickups records which pickups are present, and the weapons that the bot took.
func (b *Bot) updatePickups(v *game.View) {
	if b.tick < b.pickupScanTick+pickupScanInterval && b.tick >= b.pickupScanTick {
		return
	}
	b.pickupScanTick = b.tick
	var there [maxPickupSites]bool
	for i := range v.Pickups {
		p := &v.Pickups[i]
		at := vec.Vec2{X: float32(p.X), Y: float32(p.Y)}
		if !v.Sees(at) || !v.Shows(p.NotFor) {
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
			if w := s.kind.Weapon(); w != game.WeaponNinja && w >= 0 && vec.Distance(s.pos, b.self.Pos) < 130 {
				b.hasWeapon[w], b.ammo[w] = true, 10
			}
		case b.tick >= m.respawnTick: // the respawn is late
			m.respawnTick = b.tick + game.TickRate
		}
	}
}

// pickupValue returns how useful a pickup is for the bot.
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
	w := k.Weapon()
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

// timesToGoal returns the ticks to the goal by node, or nil if they are not known yet.
func (b *Bot) timesToGoal() []uint16 {
	switch b.goal.kind {
	case goalPickup:
		return b.graph.pickupSites[b.goal.index].times
	case goalLandmark:
		return b.graph.landmarks[b.goal.index].times
	case goalEnemy, goalFlag:
		if b.readySearch >= 0 {
			return b.targetSearch[b.readySearch].times
		}
	}
	return nil
}

// chooseGoal chooses the goal with the best value per time. It does so from time to time.
func (b *Bot) chooseGoal() {
	here := b.graph.nodeNear(b.self.Pos)
	if here == noNode {
		return
	}
	b.updateTargetSearch(here)
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
	b.nextDecision = b.tick + 20 + int32(b.rand.Uint32n(20))
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
		// A bot with little health fights less.
		mood := b.skill.aggression * float32(2+b.health+b.armor) / 12
		consider(goalEnemy, 0, mood/(b.enemyDistance()/8+60))
	}
	b.considerFlags(consider)
	for i := range b.graph.landmarks {
		m := &b.landmarkMemory[i]
		t := b.graph.landmarks[i].times[here]
		if t == unreachable || b.tick < m.avoidUntil {
			continue
		}
		age := float32(min(b.tick-m.visitedTick, 60*game.TickRate)) / (60 * game.TickRate)
		consider(goalLandmark, i, 12*age/(float32(t)+150)*(0.6+0.4*float32(b.rand.Uint32n(100))/100))
	}
	if best.kind == goalNone {
		b.goal.kind = goalNone
		return
	}
	if best.kind != b.goal.kind || best.index != b.goal.index {
		b.goal = best
		b.bestTime, b.bestTimeTick = unreachable, b.tick
		b.readySearch, b.isSearching = -1, false
		b.expirePlan()
	}
}

// recordLandmarkVisit records a visit when the tee passes a landmark.
func (b *Bot) recordLandmarkVisit() {
	i := int(b.tick) % maxLandmarks
	if i < len(b.landmarkMemory) && vec.Distance(b.self.Pos, b.graph.nodePos[b.graph.landmarks[i].node]) < 6*physics.TileSize {
		b.landmarkMemory[i].visitedTick = b.tick
	}
}

// isGoalDone reports whether the goal was reached or no longer exists.
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
	case goalFlag:
		return b.flagValue(flagPlace(b.goal.index)) == 0
	}
	return false
}

// abandonGoal drops the goal and excludes it for a while.
func (b *Bot) abandonGoal() {
	const while = 10 * game.TickRate
	switch b.goal.kind {
	case goalPickup:
		b.pickupMemory[b.goal.index].avoidUntil = b.tick + while
	case goalLandmark:
		b.landmarkMemory[b.goal.index].avoidUntil = b.tick + while
	case goalEnemy:
		b.avoidEnemyUntil = b.tick + while/4
	case goalFlag:
		b.avoidFlagsUntil = b.tick + while/4
	}
	b.goal.kind, b.nextDecision = goalNone, 0
	b.movement.clearPlan()
}

// searchNodesPerTick is how many nodes a search expands per tick.
const searchNodesPerTick = 20

// updateTargetSearch updates the times to an enemy or flag, in small steps per tick.
func (b *Bot) updateTargetSearch(here uint16) {
	var target vec.Vec2
	switch {
	case b.goal.kind == goalEnemy && b.enemy != game.Nobody:
		target = b.lastSighting().pos
	case b.goal.kind == goalFlag:
		target = b.flagPos(flagPlace(b.goal.index))
	default:
		b.isSearching, b.readySearch = false, -1
		return
	}
	next := 0
	if b.readySearch == 0 {
		next = 1
	}
	if b.isSearching {
		if b.targetSearch[next].expand(searchNodesPerTick, here) {
			b.readySearch, b.isSearching = next, false
			b.expirePlan()
		}
		return
	}
	to := b.graph.nodeNear(target)
	if to == noNode || b.readySearch >= 0 && (b.tick < b.searchTick+20 || b.targetSearch[b.readySearch].goal == to) {
		return
	}
	b.searchTick, b.isSearching = b.tick, true
	b.targetSearch[next].start(to)
}
