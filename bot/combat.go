package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// sighting is a position and velocity at which an enemy was seen.
type sighting struct {
	pos, vel vec.Vec2 // units, units per tick
}

// maxSightings is for how many ticks an enemy's movement is kept. This is longer than the longest
// reaction time.
const maxSightings = 32

// combat is the state that a bot needs to fight.
type combat struct {
	teamOf [game.MaxPlayers]game.Team

	enemy           game.PlayerID // game.Nobody if there is none
	sightings       [maxSightings]sighting
	numSightings    int32 // number of sightings
	sightingTick    int32
	ticksUnseen     int32 // ticks since the last sighting
	enemyVisible    bool  // no wall is between bot and enemy
	enemyFrozen     bool  // the enemy is frozen: only hammer and hook are useful
	enemyHammers    bool  // the enemy holds a hammer, which only hurts nearby
	avoidEnemyUntil int32 // choose no enemy before this tick
	scanCount       int32

	aimAngle, aimSpeed float32 // radians, radians per tick
	aimError           float32 // current random error, radians
	idleAngle          float32 // random offset without an enemy, radians
	fireCooldown       int32   // ticks until fire can be pressed again
	wantedWeapon       game.Weapon
	wantedTicks        int32 // ticks for which wantedWeapon has been requested without success
	nextWeaponChoice   int32 // tick
	hookEnemyTicks     int32 // ticks for which to keep the hook on the enemy
	threatScanTick     int32 // tick of the last scan of the projectiles
	ignoreThreat       bool  // do not dodge the current threat
}

// forgetEnemy drops the current enemy.
func (f *combat) forgetEnemy() {
	f.enemy, f.numSightings, f.enemyVisible, f.hookEnemyTicks = game.Nobody, 0, false, 0
	f.enemyFrozen, f.enemyHammers = false, false
}

// lastSighting returns the latest sighting of the enemy.
func (f *combat) lastSighting() *sighting {
	return &f.sightings[(f.numSightings+maxSightings-1)%maxSightings]
}

// estimateEnemy returns the estimated position and velocity of the enemy. The estimate uses a
// sighting that is as old as the bot's reaction time.
func (b *Bot) estimateEnemy() (vec.Vec2, vec.Vec2, bool) {
	r := b.skill.reactionTicks
	if b.enemy == game.Nobody || b.numSightings <= r {
		return vec.Vec2{}, vec.Vec2{}, false
	}
	g := &b.sightings[(b.numSightings-1-r)%maxSightings]
	// Assume that the enemy continued in the same direction.
	at := g.pos.Add(g.vel.Mul(float32(r) * b.skill.leadFactor))
	if _, before, wall := b.graph.col.IntersectLine(g.pos, at); wall != 0 {
		at = before
	}
	return at, g.vel, true
}

// enemyDistance returns the distance to the last sighting of the enemy.
func (b *Bot) enemyDistance() float32 { return vec.Distance(b.lastSighting().pos, b.self.Pos) }

// isEnemy reports whether the player is an opponent.
func (b *Bot) isEnemy(id game.PlayerID) bool {
	return id >= 0 && id < game.MaxPlayers && (!b.teamMode || b.teamOf[id] != b.team)
}

// hasLineOfSight reports whether p is visible from the bot's tee, with no wall between them.
func (b *Bot) hasLineOfSight(p vec.Vec2) bool {
	_, _, wall := b.graph.col.IntersectLine(b.self.Pos, p)
	return wall == 0
}

// updateEnemy records the enemy's position. From time to time it chooses a better enemy.
func (b *Bot) updateEnemy(v *game.View) {
	at := -1
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == b.enemy && b.enemy != game.Nobody && v.Sees(c.Pos) && v.Shows(c.NotFor) {
			at = i
		}
	}
	if at >= 0 && b.isEnemy(b.enemy) {
		c := &v.Characters[at]
		b.recordSighting(c.Pos)
		b.enemyFrozen = c.FreezeEnd == game.FreezeForever || c.FreezeEnd > v.Tick
		b.enemyHammers = c.Weapon == game.WeaponHammer && !b.enemyFrozen
	} else if b.enemy != game.Nobody {
		// An enemy who disappears within sight is dead.
		g := b.lastSighting()
		b.enemyVisible = false
		if b.ticksUnseen++; b.ticksUnseen > game.TickRate || b.ticksUnseen > b.skill.reactionTicks && v.Sees(g.pos.Add(g.vel.Mul(float32(b.ticksUnseen)+20))) {
			b.forgetEnemy()
		}
	}
	b.scanCount++
	if b.scanCount%6 != 0 && (b.enemy != game.Nobody || b.scanCount%2 != 0) {
		return
	}
	// Choose the closest visible enemy. An enemy behind a wall counts as farther away.
	best, nearest := -1, float32(1e9)
	var candidates [4]struct {
		index    int
		distance float32
	}
	n := 0
	for i := range v.Characters {
		c := &v.Characters[i]
		if c.Player == v.Viewer || !b.isEnemy(c.Player) || !v.Sees(c.Pos) || !v.Shows(c.NotFor) {
			continue
		}
		d := vec.Distance(c.Pos, b.self.Pos)
		k := n
		for k > 0 && candidates[k-1].distance > d {
			if k < len(candidates) {
				candidates[k] = candidates[k-1]
			}
			k--
		}
		if k < len(candidates) {
			candidates[k].index, candidates[k].distance = i, d
			n = min(n+1, len(candidates))
		}
	}
	for _, k := range candidates[:n] {
		c := &v.Characters[k.index]
		d := k.distance
		if !b.hasLineOfSight(c.Pos) {
			d = d*2 + 400
		}
		if c.Player == b.enemy {
			d = d*0.7 - 50
		}
		if d < nearest {
			best, nearest = k.index, d
		}
	}
	if best >= 0 && v.Characters[best].Player != b.enemy {
		b.forgetEnemy()
		b.enemy = v.Characters[best].Player
		b.recordSighting(v.Characters[best].Pos)
	}
}

// recordSighting records the enemy's current position.
func (b *Bot) recordSighting(p vec.Vec2) {
	g := sighting{pos: p}
	if b.numSightings > 0 {
		last := b.lastSighting()
		dt := float32(max(b.tick-b.sightingTick, 1))
		v := p.Sub(last.pos).Mul(1 / dt)
		if v.Len() < 60 { // a higher speed means a respawn
			g.vel = last.vel.Add(v.Sub(last.vel).Mul(0.5))
		}
	}
	b.sightings[b.numSightings%maxSightings] = g
	if b.numSightings++; b.numSightings >= 4*maxSightings {
		b.numSightings -= 2 * maxSightings
	}
	b.sightingTick, b.ticksUnseen = b.tick, 0
	b.enemyVisible = b.hasLineOfSight(p)
}

// updateThreat finds the most dangerous projectile.
func (b *Bot) updateThreat(v *game.View) {
	h := &b.trialOptions.threat
	if h.radius > 0 {
		h.pos = h.pos.Add(h.vel)
	}
	if b.tick-b.threatScanTick < 3 && b.tick >= b.threatScanTick {
		return
	}
	b.threatScanTick = b.tick
	had := h.radius > 0
	h.radius = 0
	if b.skill.dodgePercent == 0 {
		return
	}
	soonest := float32(25)
	for i := range v.Projectiles {
		p := &v.Projectiles[i]
		d := b.self.Pos.Sub(p.Pos)
		if d.Dot(d) > 500*500 || !v.Sees(p.Pos) || !v.Shows(p.NotFor) {
			continue
		}
		speed, curve, radius := b.ballistics(p.Weapon)
		dir := vec.Vec2{X: float32(p.VelX) / 100, Y: float32(p.VelY) / 100}
		flown := float32(b.tick-p.StartTick) / game.TickRate * speed
		vel := vec.Vec2{X: dir.X, Y: dir.Y + 2*curve/10000*flown}.Mul(speed / game.TickRate)
		l := vel.Len()
		if l < 1 {
			continue
		}
		when := d.Dot(vel) / (l * l)
		if when < 0 || when > soonest {
			continue
		}
		if pass := d.Sub(vel.Mul(when)); pass.Dot(pass) > radius*radius*2 {
			continue
		}
		soonest = when
		*h = threat{pos: p.Pos, vel: vel, radius: radius}
	}
	if h.radius == 0 {
		return
	}
	if !had {
		b.ignoreThreat = !b.rand.Percent(b.skill.dodgePercent)
	}
	if b.ignoreThreat {
		h.radius = 0
		return
	}
	if !had {
		b.ticksSinceCheck = 100 // check the plan again
	}
}

// ballistics returns the speed (units/s) and curvature of a weapon's projectiles, and the distance
// in units within which they are dangerous.
func (b *Bot) ballistics(w game.Weapon) (speed, curve, radius float32) {
	t := &b.graph.tuning
	switch w {
	case game.WeaponShotgun:
		return t.At(physics.ShotgunSpeed), t.At(physics.ShotgunCurvature), 40
	case game.WeaponGrenade:
		return t.At(physics.GrenadeSpeed), t.At(physics.GrenadeCurvature), 100
	}
	return t.At(physics.GunSpeed), t.At(physics.GunCurvature), 40
}

// isFighting reports whether the tee moves to fight rather than towards its goal.
func (b *Bot) isFighting() bool {
	if b.enemy == game.Nobody || !b.enemyVisible || b.numSightings <= b.skill.reactionTicks {
		return false
	}
	if b.goal.kind == goalPickup || b.goal.kind == goalFlag {
		return false
	}
	return b.enemyDistance() < 450
}

// preferredDistance is the best distance from the enemy for each weapon, in units.
var preferredDistance = [game.NumWeapons]float32{
	game.WeaponHammer: 30, game.WeaponGun: 220, game.WeaponShotgun: 130,
	game.WeaponGrenade: 260, game.WeaponLaser: 330, game.WeaponNinja: 60,
}

// hammerDistance is the distance in units that a bot with another weapon keeps from an enemy with a
// hammer.
const hammerDistance = 260

// fightPositionCost returns the cost of fighting from p.
func (b *Bot) fightPositionCost(p vec.Vec2) float32 {
	g := b.lastSighting()
	d := preferredDistance[b.weapon]
	if b.enemyHammers && b.weapon != game.WeaponHammer {
		d = max(d, hammerDistance)
	}
	d = vec.Distance(p, g.pos) - d
	if d < 0 {
		d = -d
	}
	bad := d * 0.15
	if _, _, wall := b.graph.col.IntersectLine(p, g.pos); wall != 0 {
		bad += 40
	}
	if vec.Distance(p, b.self.Pos) < 40 {
		bad += 15 // a standing tee is easy to hit
	}
	return bad + float32(b.rand.Uint32n(24))
}

// fight aims, chooses the weapon and fires.
func (b *Bot) fight(passed int32) {
	b.chooseWeapon()
	want, certain := b.targetAngle()
	b.turnAim(want, passed)
	b.fireCooldown -= passed
	if b.hookEnemyTicks > 0 {
		b.hookEnemyTicks -= passed
	}
	if b.input.Fire&1 != 0 {
		b.setFire(false)
		return
	}
	if !certain || b.fireCooldown > 0 {
		return
	}
	b.tryFire(want)
}

// targetAngle returns the angle to aim at. certain reports whether a shot at that angle would be
// aimed at the enemy.
func (b *Bot) targetAngle() (angle float32, certain bool) {
	b.aimError += -b.aimError*0.05 + b.rand.triangular()*b.skill.aimError*0.75
	if b.hasPlan && b.plan.hookTick != never && b.planTick <= b.plan.hookTick {
		return vec.Vec2{X: float32(b.plan.hookX), Y: float32(b.plan.hookY)}.Angle(), false
	}
	p, v, ok := b.estimateEnemy()
	if !ok || !b.enemyVisible && b.ticksUnseen == 0 && b.enemyDistance() > 600 {
		return b.idleAim(), false
	}
	return b.aimDirection(p, v).Angle() + b.aimError, b.enemyVisible
}

// idleAim returns the angle to aim at without an enemy: ahead.
func (b *Bot) idleAim() float32 {
	if b.nextHookTicks > 0 {
		b.nextHookTicks--
		return b.nextHookDir.Angle()
	}
	if b.rand.Uint32n(60) == 0 {
		b.idleAngle = 0.5 * b.rand.triangular()
	}
	ahead := vec.Vec2{X: b.self.Vel.X * 12, Y: b.self.Vel.Y * 4}
	if ahead.Len() < 30 {
		ahead = vec.Vec2{X: 1}
		if vec.Cos(b.aimAngle) < 0 {
			ahead.X = -1
		}
	}
	return ahead.Angle() + b.idleAngle
}

// aimDirection returns the direction in which a shot hits an enemy at p that moves by v per tick.
func (b *Bot) aimDirection(p, v vec.Vec2) vec.Vec2 {
	from := b.self.Pos
	switch b.weapon {
	case game.WeaponHammer, game.WeaponLaser, game.WeaponNinja:
		return p.Add(v.Mul(b.skill.leadFactor)).Sub(from)
	}
	speed, curve, _ := b.ballistics(b.weapon)
	aim := p
	for range 3 {
		t := vec.Distance(from, aim) / speed // seconds
		at := p.Add(v.Mul(t * game.TickRate * b.skill.leadFactor))
		if t > 0.05 {
			if _, before, wall := b.graph.col.IntersectLine(p, at); wall != 0 {
				at = before
			}
		}
		drop := curve / 10000 * (speed * t) * (speed * t)
		aim = vec.Vec2{X: at.X, Y: at.Y - drop}
	}
	return aim.Sub(from)
}

// turnAim turns the aim towards an angle with limited speed and acceleration, like a mouse.
func (b *Bot) turnAim(want float32, passed int32) {
	for range min(max(passed, 1), 4) {
		diff := wrapAngle(want - b.aimAngle)
		goal := vec.Clamp(diff*0.45, -b.skill.maxTurn, b.skill.maxTurn)
		b.aimSpeed += vec.Clamp(goal-b.aimSpeed, -b.skill.maxTurn*0.5, b.skill.maxTurn*0.5)
		b.aimAngle = wrapAngle(b.aimAngle + b.aimSpeed)
	}
	reach := float32(160)
	if b.enemy != game.Nobody {
		reach = vec.Clamp(b.enemyDistance(), 60, 380)
	}
	d := vec.Direction(b.aimAngle).Mul(reach)
	b.input.TargetX, b.input.TargetY = vec.Round(d.X), vec.Round(d.Y)
}

// turnTicks returns the number of ticks needed to aim in the direction d.
func (b *Bot) turnTicks(d vec.Vec2) int32 {
	diff := wrapAngle(d.Angle() - b.aimAngle)
	if diff < 0 {
		diff = -diff
	}
	return 5 + vec.Trunc(diff/(b.skill.maxTurn*0.8))
}

// isAimedAtHook reports whether the aim points in the direction of the plan's hook.
func (b *Bot) isAimedAtHook() bool {
	d := wrapAngle(vec.Vec2{X: float32(b.plan.hookX), Y: float32(b.plan.hookY)}.Angle() - b.aimAngle)
	return d < 0.1 && d > -0.1
}

// wrapAngle maps an angle to the range -pi to pi.
func wrapAngle(a float32) float32 {
	for a > pi {
		a -= 2 * pi
	}
	for a < -pi {
		a += 2 * pi
	}
	return a
}

// tryFire presses fire if the aim is good enough. Sometimes it hooks a nearby enemy.
func (b *Bot) tryFire(want float32) {
	d := b.enemyDistance()
	off := wrapAngle(want - b.aimAngle)
	if off < 0 {
		off = -off
	}
	slack := vec.Clamp(22/(d+1), 0.02, 0.6)
	if off > slack+0.02 {
		return
	}
	if d < 320 && d > 70 && b.hookEnemyTicks <= 0 && !b.input.Hook && b.rand.Uint32n(1000) < b.skill.hookPermille*4 {
		b.hookEnemyTicks = int32(15 + b.rand.Uint32n(40))
	}
	if b.enemyFrozen && b.weapon != game.WeaponHammer {
		return
	}
	switch b.weapon {
	case game.WeaponHammer:
		if d > 70 {
			return
		}
	case game.WeaponShotgun:
		if d > 480 {
			return
		}
	case game.WeaponNinja:
		if d > 400 {
			return
		}
	case game.WeaponGrenade:
		if d < 90 {
			return
		}
		ahead := b.self.Pos.Add(vec.Direction(b.aimAngle).Mul(100))
		if _, _, wall := b.graph.col.IntersectLine(b.self.Pos, ahead); wall != 0 {
			return
		}
	}
	if b.ammo[b.weapon] == 0 {
		return
	}
	b.setFire(true)
	b.fireCooldown = b.skill.fireInterval + int32(b.rand.Uint32n(4))
}

// chooseWeapon selects the weapon for the distance to the enemy.
func (b *Bot) chooseWeapon() {
	b.input.WantedWeapon = 0
	if b.weapon == game.WeaponNinja {
		return
	}
	if b.tick >= b.nextWeaponChoice || b.tick < b.nextWeaponChoice-100 {
		b.nextWeaponChoice = b.tick + 15 + int32(b.rand.Uint32n(20))
		b.wantedWeapon = b.bestWeapon()
	}
	if b.wantedWeapon == b.weapon {
		b.wantedTicks = 0
		return
	}
	if b.wantedTicks++; b.wantedTicks > game.TickRate {
		b.hasWeapon[b.wantedWeapon], b.wantedTicks, b.nextWeaponChoice = false, 0, 0
		return
	}
	b.input.WantedWeapon = int32(b.wantedWeapon) + 1
}

// bestWeapon returns the best of the weapons that the bot assumes it has.
func (b *Bot) bestWeapon() game.Weapon {
	d := float32(300)
	if b.enemy != game.Nobody {
		d = b.enemyDistance()
	}
	if b.enemyFrozen && b.hasWeapon[game.WeaponHammer] {
		return game.WeaponHammer
	}
	worth := [game.NumWeapons]float32{game.WeaponGun: 3, game.WeaponLaser: 7}
	if d < 75 && !b.enemyHammers {
		worth[game.WeaponHammer] = 9
	}
	if d < 350 {
		worth[game.WeaponShotgun] = 8
	}
	if d > 110 && d < 550 {
		worth[game.WeaponGrenade] = 7.5
	}
	if d > 790 {
		worth[game.WeaponLaser] = 0
	}
	best, bestValue := game.WeaponHammer, float32(-1)
	careless := !b.rand.Percent(b.skill.bestWeaponPercent)
	for w := game.WeaponHammer; w < game.WeaponNinja; w++ {
		if !b.hasWeapon[w] || b.ammo[w] == 0 && w != game.WeaponGun {
			continue
		}
		v := worth[w]
		if b.ammo[w] == 0 {
			v = 1 // the gun reloads only while it is active
		}
		if careless {
			v = float32(b.rand.Uint32n(8))
		}
		if v > bestValue {
			best, bestValue = w, v
		}
	}
	return best
}

const pi = 3.14159265
