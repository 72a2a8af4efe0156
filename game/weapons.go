package game

import "github.com/teeyard/teeyard/game/vec"

// inputMask is the range of the input counters.
const inputMask = 63

type weaponSpec struct {
	delay   int32 // ticks between shots
	damage  int32
	maxAmmo int32
	regen   int32 // ticks for a round to load, 0 never
}

var weapons = [NumWeapons]weaponSpec{
	WeaponHammer:  {delay: 6, damage: 3, maxAmmo: 10},
	WeaponGun:     {delay: 6, damage: 1, maxAmmo: 10, regen: 25},
	WeaponShotgun: {delay: 25, damage: 1, maxAmmo: 10},
	WeaponGrenade: {delay: 25, damage: 6, maxAmmo: 10},
	WeaponLaser:   {delay: 40, damage: 5, maxAmmo: 10},
	WeaponNinja:   {delay: 40, damage: 9, maxAmmo: 10},
}

const (
	hammerHitDelay = TickRate / 3 // the hammer's reload after a hit
	emptyDelay     = 125 * TickRate / 1000
)

// shotgunSpread is the angle of each pellet, radians.
var shotgunSpread = [5]float32{-0.185, -0.070, 0, 0.070, 0.185}

// presses counts how often an input counter was pressed on its way from prev
// to cur; odd values mean held.
func presses(prev, cur int32) int32 {
	prev &= inputMask
	steps := (cur - prev) & inputMask
	return (steps + 1 - prev&1) / 2
}

func (c *character) ownsAny() bool {
	for i := range c.weapons {
		if c.weapons[i].got {
			return true
		}
	}
	return false
}

// setWeapon makes weapon the active one.
func (w *World) setWeapon(c *character, weapon Weapon) {
	if weapon == c.active {
		return
	}
	c.last = c.active
	c.queued = -1
	c.active = weapon
	w.sound(c.pos, SoundWeaponSwitch, Everybody)
	c.weapons[weapon].regen = -1
}

// doQueuedSwitch switches when the weapon in hand has been reloaded. The ninja
// sword stays in hand.
func (w *World) doQueuedSwitch(c *character) {
	if c.reload != 0 || c.queued == -1 || c.weapons[WeaponNinja].got {
		return
	}
	w.setWeapon(c, Weapon(c.queued))
}

// switchWeapon reads the weapon wishes of the latest input.
func (w *World) switchWeapon(id PlayerID) {
	c := &w.chars[id]
	wanted := int32(c.active)
	if c.queued != -1 {
		wanted = c.queued
	}
	if c.ownsAny() {
		for n := presses(c.latestPrev.NextWeapon, c.latest.NextWeapon); n > 0; {
			if wanted = (wanted + 1) % NumWeapons; c.weapons[wanted].got {
				n--
			}
		}
		for n := presses(c.latestPrev.PrevWeapon, c.latest.PrevWeapon); n > 0; {
			if wanted = (wanted + NumWeapons - 1) % NumWeapons; c.weapons[wanted].got {
				n--
			}
		}
	}
	// Whether a weapon is wanted is asked of the input that just arrived, but
	// which one of the movement input; so in the original.
	if c.latest.WantedWeapon != 0 {
		wanted = c.input.WantedWeapon - 1
	}
	if wanted >= 0 && wanted < NumWeapons && wanted != int32(c.active) && c.weapons[wanted].got {
		c.queued = wanted
	}
	w.doQueuedSwitch(c)
}

// handleWeapons is the weapons' part of a tick.
func (w *World) handleWeapons(id PlayerID) {
	c := &w.chars[id]
	w.handleNinja(id)
	if c.reload != 0 {
		c.reload--
		return
	}
	w.fire(id)

	s := &c.weapons[c.active]
	regen := weapons[c.active].regen
	if regen == 0 || s.ammo < 0 {
		return
	}
	if c.reload > 0 {
		s.regen = -1
		return
	}
	if s.regen < 0 {
		s.regen = w.tick
	}
	if w.tick-s.regen >= regen {
		s.ammo = min(s.ammo+1, weapons[c.active].maxAmmo)
		s.regen = -1
	}
}

// fire fires if the latest input asks for it and the weapon is ready.
func (w *World) fire(id PlayerID) {
	c := &w.chars[id]
	if c.reload != 0 {
		return
	}
	w.doQueuedSwitch(c)
	dir := vec.Vec2{X: float32(c.latest.TargetX), Y: float32(c.latest.TargetY)}.Normalize()
	auto := c.active == WeaponGrenade || c.active == WeaponShotgun || c.active == WeaponLaser
	ammo := &c.weapons[c.active].ammo
	will := presses(c.latestPrev.Fire, c.latest.Fire) != 0 ||
		auto && c.latest.Fire&1 != 0 && *ammo != 0
	if !will {
		return
	}
	if *ammo == 0 {
		c.reload = emptyDelay
		if c.noAmmo+TickRate <= w.tick {
			w.sound(c.pos, SoundWeaponNoAmmo, Everybody)
			c.noAmmo = w.tick
		}
		return
	}
	weapon := c.active
	w.shoot(id, weapon, dir)
	if !c.exists {
		return // a mod took the character away
	}
	c.attack = w.tick
	if s := &c.weapons[c.active]; s.ammo > 0 {
		s.ammo--
	}
	if c.reload == 0 {
		c.reload = weapons[c.active].delay
	}
}

func (w *World) shoot(id PlayerID, weapon Weapon, dir vec.Vec2) {
	c := &w.chars[id]
	start := c.pos.Add(dir.Mul(charRadius).Mul(0.75))
	shot := projectile{
		owner: id, weapon: weapon, pos: start, dir: dir,
		damage: weapons[weapon].damage, impact: noSound,
	}
	switch weapon {
	case WeaponHammer:
		w.hammer(id, start)
	case WeaponGun:
		shot.life = lifetime(w.tuning.GunLifetime())
		w.fireProjectile(shot)
		w.sound(c.pos, SoundGunFire, Everybody)
	case WeaponShotgun:
		shot.life = lifetime(w.tuning.ShotgunLifetime())
		for i, spread := range shotgunSpread {
			v := 1 - float32(float32(max(i-2, 2-i))/2)
			speed := vec.MixScalar(w.tuning.ShotgunSpeeddiff(), 1, v)
			shot.dir = vec.Direction(dir.Angle() + spread).Mul(speed)
			w.fireProjectile(shot)
		}
		w.sound(c.pos, SoundShotgunFire, Everybody)
	case WeaponGrenade:
		shot.life = lifetime(w.tuning.GrenadeLifetime())
		shot.explosive, shot.impact = true, SoundGrenadeExplode
		w.fireProjectile(shot)
		w.sound(c.pos, SoundGrenadeFire, Everybody)
	case WeaponLaser:
		pos := c.pos
		w.fireLaser(id, pos, dir)
		w.sound(pos, SoundLaserFire, Everybody)
	case WeaponNinja:
		c.numHits = 0
		c.ninja.dir = dir
		c.ninja.move = 10
		c.ninja.oldSpeed = vec.Trunc(c.core.Vel.Len())
		w.sound(c.pos, SoundNinjaFire, Everybody)
	}
}

// lifetime is a tuning's seconds in ticks.
func lifetime(seconds float32) int32 { return vec.Trunc(float32(TickRate * seconds)) }

func (w *World) hammer(id PlayerID, start vec.Vec2) {
	c := &w.chars[id]
	c.numHits = 0
	w.sound(c.pos, SoundHammerFire, Everybody)
	var near [MaxPlayers]PlayerID
	n := w.charsWithin(start, charRadius*0.5, &near)
	pos, hits := c.pos, 0
	for _, target := range near[:n] {
		if target == id || !w.chars[target].exists {
			continue
		}
		at := w.chars[target].pos
		if _, _, wall := w.col.IntersectLine(start, at); wall != 0 {
			continue
		}
		if d := at.Sub(start); d.Len() > 0 {
			w.emit(Event{Kind: EvHammerHit, To: Everybody, Pos: at.Sub(d.Normalize().Mul(charRadius).Mul(0.5))})
		} else {
			w.emit(Event{Kind: EvHammerHit, To: Everybody, Pos: start})
		}
		dir := vec.Vec2{Y: -1}
		if d := at.Sub(pos); d.Len() > 0 {
			dir = d.Normalize()
		}
		push := vec.Vec2{Y: -1}.Add(dir.Add(vec.Vec2{Y: -1.1}).Normalize().Mul(10))
		w.damage(Damage{
			Victim: target, From: id, Weapon: WeaponHammer, Amount: weapons[WeaponHammer].damage,
			Force: push, Source: dir.Neg(),
		})
		hits++
	}
	if hits > 0 {
		c.reload = hammerHitDelay
	}
}

// giveNinja arms a character with the ninja sword.
func (w *World) giveNinja(id PlayerID) {
	c := &w.chars[id]
	c.ninja.start = w.tick
	c.ninja.move = -1
	c.weapons[WeaponNinja].got = true
	c.weapons[WeaponNinja].ammo = -1
	if c.active != WeaponNinja {
		c.last = c.active
	}
	c.active = WeaponNinja
	w.sound(c.pos, SoundPickupNinja, Everybody)
}

const (
	ninjaTicks = 15 * TickRate
	ninjaSpeed = 50
)

// handleNinja carries the ninja along his dash.
func (w *World) handleNinja(id PlayerID) {
	c := &w.chars[id]
	if c.active != WeaponNinja {
		return
	}
	if w.tick-c.ninja.start > ninjaTicks {
		c.weapons[WeaponNinja].got = false
		c.active = c.last
		if c.ninja.move > 0 {
			c.core.Vel = c.ninja.dir.Mul(float32(c.ninja.oldSpeed))
		}
		return
	}
	c.ninja.move--
	if c.ninja.move == 0 {
		c.core.Vel = c.ninja.dir.Mul(float32(c.ninja.oldSpeed))
	}
	if c.ninja.move <= 0 {
		return
	}
	c.core.Vel = c.ninja.dir.Mul(ninjaSpeed)
	w.col.MoveBox(&c.core.Pos, &c.core.Vel, vec.Vec2{X: charRadius, Y: charRadius}, 0)
	c.core.Vel = vec.Vec2{}

	// Others are looked for around where the ninja was in the last tick: his
	// own place follows only in the deferred phase.
	var near [MaxPlayers]PlayerID
	n := w.charsWithin(c.pos, charRadius*2, &near)
	own, dir := c.pos, c.ninja.dir
	for _, target := range near[:n] {
		if target == id || !w.chars[target].exists || c.hasHit(target) {
			continue
		}
		at := w.chars[target].pos
		if vec.Distance(at, own) > charRadius*2 {
			continue
		}
		w.sound(at, SoundNinjaHit, Everybody)
		if c.numHits < len(c.hits) {
			c.hits[c.numHits] = target
			c.numHits++
		}
		w.damage(Damage{
			Victim: target, From: id, Weapon: WeaponNinja, Amount: weapons[WeaponNinja].damage,
			Force: vec.Vec2{Y: -10}, Source: dir.Neg(),
		})
	}
}

func (c *character) hasHit(id PlayerID) bool {
	for _, h := range c.hits[:c.numHits] {
		if h == id {
			return true
		}
	}
	return false
}
