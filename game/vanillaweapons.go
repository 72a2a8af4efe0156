package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// inputMask is the largest value of the input counters.
const inputMask = 63

const (
	hammerHitDelay = TickRate / 3 // reload time after a hammer hit
	noAmmoDelay    = 125 * TickRate / 1000
)

// shotgunSpread is the angle of each pellet in radians.
var shotgunSpread = [5]float32{-0.185, -0.070, 0, 0.070, 0.185}

// countPresses returns how often a button was pressed between two values of its input
// counter. Odd values mean held.
func countPresses(prev, cur int32) int32 {
	prev &= inputMask
	steps := (cur - prev) & inputMask
	return (steps + 1 - prev&1) / 2
}

// doQueuedSwitch switches to the queued weapon if the active one has reloaded. The
// ninja cannot be switched away.
func (v *vanilla) doQueuedSwitch(c *character) {
	if c.reloadTimer != 0 || c.queuedWeapon == -1 || c.weapons[WeaponNinja].owned {
		return
	}
	v.w.setWeapon(c, Weapon(c.queuedWeapon))
}

// switchWeapon handles the weapon selection of the latest input.
func (v *vanilla) switchWeapon(id PlayerID) {
	c := &v.w.characters[id]
	if v.isDisabled(c, ControlSelect) {
		return
	}
	wanted := int32(c.activeWeapon)
	if c.queuedWeapon != -1 {
		wanted = c.queuedWeapon
	}
	if c.hasAnyWeapon() {
		for n := countPresses(c.latestPrevInput.NextWeapon, c.latestInput.NextWeapon); n > 0; {
			if wanted = (wanted + 1) % NumWeapons; c.weapons[wanted].owned {
				n--
			}
		}
		for n := countPresses(c.latestPrevInput.PrevWeapon, c.latestInput.PrevWeapon); n > 0; {
			if wanted = (wanted + NumWeapons - 1) % NumWeapons; c.weapons[wanted].owned {
				n--
			}
		}
	}
	// As in the original, the direct input decides whether a weapon is wanted, but the
	// predicted input decides which.
	if c.latestInput.WantedWeapon != 0 {
		wanted = c.input.WantedWeapon - 1
	}
	if wanted >= 0 && wanted < NumWeapons && wanted != int32(c.activeWeapon) && c.weapons[wanted].owned {
		c.queuedWeapon = wanted
	}
	v.doQueuedSwitch(c)
}

// handleWeapons runs one tick of the weapons.
func (v *vanilla) handleWeapons(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	v.handleNinja(id)
	if c.reloadTimer != 0 {
		c.reloadTimer--
		return
	}
	v.fireWeapon(id)

	s := &c.weapons[c.activeWeapon]
	regen := weapons[c.activeWeapon].ammoRegenTime
	if regen == 0 || s.ammo < 0 {
		return
	}
	if c.reloadTimer > 0 {
		s.ammoRegenStart = -1
		return
	}
	if s.ammoRegenStart < 0 {
		s.ammoRegenStart = w.tick
	}
	if w.tick-s.ammoRegenStart >= regen {
		s.ammo = min(s.ammo+1, weapons[c.activeWeapon].maxAmmo)
		s.ammoRegenStart = -1
	}
}

// fireWeapon fires if the latest input requests it and the weapon has reloaded.
func (v *vanilla) fireWeapon(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	if c.reloadTimer != 0 || v.isDisabled(c, ControlFire) {
		return
	}
	v.doQueuedSwitch(c)
	dir := vec.Vec2{X: float32(c.latestInput.TargetX), Y: float32(c.latestInput.TargetY)}.Normalize()
	auto := c.activeWeapon == WeaponGrenade || c.activeWeapon == WeaponShotgun || c.activeWeapon == WeaponLaser
	ammo := &c.weapons[c.activeWeapon].ammo
	shoot := countPresses(c.latestPrevInput.Fire, c.latestInput.Fire) != 0 ||
		auto && c.latestInput.Fire&1 != 0 && *ammo != 0
	if !shoot {
		return
	}
	if *ammo == 0 {
		c.reloadTimer = noAmmoDelay
		if c.lastNoAmmoSound+TickRate <= w.tick {
			w.sound(c.pos, SoundWeaponNoAmmo, MaskAll)
			c.lastNoAmmoSound = w.tick
		}
		return
	}
	weapon := c.activeWeapon
	wasAlive := c.alive // in the tick of its death a tee can still fire
	fires := w.callFire(id, weapon, dir)
	if fires && c.alive == wasAlive {
		v.fireActiveWeapon(id, weapon, dir)
	}
	if !c.exists {
		return // a mod removed the character
	}
	c.attackTick = w.tick
	if s := &c.weapons[c.activeWeapon]; fires && s.ammo > 0 {
		s.ammo--
	}
	if c.reloadTimer == 0 {
		c.reloadTimer = weapons[c.activeWeapon].fireDelay
	}
}

func (v *vanilla) fireActiveWeapon(id PlayerID, weapon Weapon, dir vec.Vec2) {
	w := v.w
	c := &w.characters[id]
	start := c.pos.Add(dir.Mul(proximityRadius).Mul(0.75))
	shot := projectile{
		owner: id, weapon: weapon, startPos: start, direction: dir,
		damage: weapons[weapon].damage, impactSound: noSound,
	}
	switch weapon {
	case WeaponHammer:
		v.hammerHit(id, start)
	case WeaponGun:
		shot.lifeSpan = lifetimeTicks(w.tuning.At(physics.GunLifetime))
		v.fireProjectile(shot)
		w.sound(c.pos, SoundGunFire, MaskAll)
	case WeaponShotgun:
		shot.lifeSpan = lifetimeTicks(w.tuning.At(physics.ShotgunLifetime))
		for i, spread := range shotgunSpread {
			middle := 1 - float32(float32(max(i-2, 2-i))/2)
			speed := vec.MixScalar(w.tuning.At(physics.ShotgunSpeeddiff), 1, middle)
			shot.direction = vec.Direction(dir.Angle() + spread).Mul(speed)
			v.fireProjectile(shot)
		}
		w.sound(c.pos, SoundShotgunFire, MaskAll)
	case WeaponGrenade:
		shot.lifeSpan = lifetimeTicks(w.tuning.At(physics.GrenadeLifetime))
		shot.explosive, shot.impactSound = true, SoundGrenadeExplode
		v.fireProjectile(shot)
		w.sound(c.pos, SoundGrenadeFire, MaskAll)
	case WeaponLaser:
		pos := c.pos
		v.fireLaser(id, pos, dir, NoEntity)
		w.sound(pos, SoundLaserFire, MaskAll)
	case WeaponNinja:
		c.numObjectsHit = 0
		c.ninja.activationDir = dir
		c.ninja.currentMoveTime = 10
		c.ninja.oldVelAmount = vec.Trunc(c.core.Vel.Len())
		w.sound(c.pos, SoundNinjaFire, MaskAll)
	}
}

// lifetimeTicks converts a lifetime of the tuning from seconds to ticks.
func lifetimeTicks(seconds float32) int32 { return vec.Trunc(float32(TickRate * seconds)) }

func (v *vanilla) hammerHit(id PlayerID, start vec.Vec2) {
	w := v.w
	c := &w.characters[id]
	c.numObjectsHit = 0
	w.sound(c.pos, SoundHammerFire, MaskAll)
	var near [MaxPlayers]PlayerID
	n := w.findCharacters(start, proximityRadius*0.5, &near)
	pos, hits := c.pos, 0
	for _, target := range near[:n] {
		if target == id || !w.characters[target].exists || !v.canHit(id, target, WeaponHammer) {
			continue
		}
		at := w.characters[target].pos
		if _, _, wall := w.collision.IntersectLine(start, at); wall != 0 {
			continue
		}
		if d := at.Sub(start); d.Len() > 0 {
			w.addEvent(Event{Kind: EvHammerHit, To: MaskAll, Pos: at.Sub(d.Normalize().Mul(proximityRadius).Mul(0.5))})
		} else {
			w.addEvent(Event{Kind: EvHammerHit, To: MaskAll, Pos: start})
		}
		dir := vec.Vec2{Y: -1}
		if d := at.Sub(pos); d.Len() > 0 {
			dir = d.Normalize()
		}
		push := vec.Vec2{Y: -1}.Add(dir.Add(vec.Vec2{Y: -1.1}).Normalize().Mul(10))
		v.damage(Damage{
			Victim: target, Attacker: id, Weapon: WeaponHammer, Amount: weapons[WeaponHammer].damage,
			Force: push, Source: dir.Neg(),
		})
		hits++
	}
	if hits > 0 {
		c.reloadTimer = hammerHitDelay
	}
}

// giveNinja makes the ninja the active weapon.
func (v *vanilla) giveNinja(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	c.ninja.activationTick = w.tick
	c.ninja.currentMoveTime = -1
	c.weapons[WeaponNinja].owned = true
	c.weapons[WeaponNinja].ammo = -1
	if c.activeWeapon != WeaponNinja {
		c.lastWeapon = c.activeWeapon
	}
	c.activeWeapon = WeaponNinja
	w.sound(c.pos, SoundPickupNinja, MaskAll)
}

const (
	ninjaTicks = 15 * TickRate
	ninjaSpeed = 50
)

// handleNinja moves a character that dashes with the ninja, and hits others.
func (v *vanilla) handleNinja(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	if c.activeWeapon != WeaponNinja {
		return
	}
	if w.tick-c.ninja.activationTick > ninjaTicks {
		c.weapons[WeaponNinja].owned = false
		c.activeWeapon = c.lastWeapon
		if c.ninja.currentMoveTime > 0 {
			c.core.Vel = c.ninja.activationDir.Mul(float32(c.ninja.oldVelAmount))
		}
		return
	}
	c.ninja.currentMoveTime--
	if c.ninja.currentMoveTime == 0 {
		c.core.Vel = c.ninja.activationDir.Mul(float32(c.ninja.oldVelAmount))
	}
	if c.ninja.currentMoveTime <= 0 {
		return
	}
	c.core.Vel = c.ninja.activationDir.Mul(ninjaSpeed)
	w.collision.MoveBox(&c.core.Pos, &c.core.Vel, vec.Vec2{X: proximityRadius, Y: proximityRadius}, 0)
	c.core.Vel = vec.Vec2{}

	// Others are searched around the position in the last tick, since the position of
	// this tick is set only in the deferred phase.
	var near [MaxPlayers]PlayerID
	n := w.findCharacters(c.pos, proximityRadius*2, &near)
	own, dir := c.pos, c.ninja.activationDir
	for _, target := range near[:n] {
		if target == id || !w.characters[target].exists || c.hasHitObject(target) || !v.canHit(id, target, WeaponNinja) {
			continue
		}
		at := w.characters[target].pos
		if vec.Distance(at, own) > proximityRadius*2 {
			continue
		}
		w.sound(at, SoundNinjaHit, MaskAll)
		if c.numObjectsHit < len(c.hitObjects) {
			c.hitObjects[c.numObjectsHit] = target
			c.numObjectsHit++
		}
		v.damage(Damage{
			Victim: target, Attacker: id, Weapon: WeaponNinja, Amount: weapons[WeaponNinja].damage,
			Force: vec.Vec2{Y: -10}, Source: dir.Neg(),
		})
	}
}

func (c *character) hasHitObject(id PlayerID) bool {
	for _, h := range c.hitObjects[:c.numObjectsHit] {
		if h == id {
			return true
		}
	}
	return false
}
