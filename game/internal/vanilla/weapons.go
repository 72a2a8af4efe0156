package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// weaponSpec are the constants of a weapon.
type weaponSpec struct {
	fireDelay     int32 // ticks between shots
	damage        int32
	ammoRegenTime int32 // ticks to regenerate a round, 0 for never
	lifetime      int   // parameter of the tuning, for weapons with projectiles
}

var weapons = [tee.NumWeapons]weaponSpec{
	tee.WeaponHammer:  {fireDelay: 6, damage: 3},
	tee.WeaponGun:     {fireDelay: 6, damage: 1, ammoRegenTime: 25, lifetime: physics.GunLifetime},
	tee.WeaponShotgun: {fireDelay: 25, damage: 1, lifetime: physics.ShotgunLifetime},
	tee.WeaponGrenade: {fireDelay: 25, damage: 6, lifetime: physics.GrenadeLifetime},
	tee.WeaponLaser:   {fireDelay: 40, damage: 5},
	tee.WeaponNinja:   {fireDelay: 40, damage: 9},
}

const (
	hammerHitDelay = tee.TickRate / 3 // reload time after a hammer hit
	noAmmoDelay    = 125 * tee.TickRate / 1000
)

// shotgunSpread is the angle of each pellet in radians.
var shotgunSpread = [5]float32{-0.185, -0.070, 0, 0.070, 0.185}

// countPresses returns how often a button was pressed between two values of its counter. Odd values
// mean held.
func countPresses(prev, cur int32) int32 {
	prev &= tee.CounterMask
	steps := (cur - prev) & tee.CounterMask
	return (steps + 1 - prev&1) / 2
}

// doQueuedSwitch switches to the queued weapon if the active weapon has reloaded. A tee with the
// ninja cannot switch.
func (w *World) doQueuedSwitch(c *tee.Tee) {
	if c.ReloadTimer != 0 || c.QueuedWeapon == -1 || c.Weapons[tee.WeaponNinja].Owned {
		return
	}
	w.selectWeapon(c, tee.Weapon(c.QueuedWeapon))
}

// selectWeapon makes a weapon the active one.
func (w *World) selectWeapon(c *tee.Tee, weapon tee.Weapon) {
	if c.SelectWeapon(weapon) {
		w.host.Sound(c.Pos, SoundWeaponSwitch)
	}
}

// switchWeapon handles the weapon selection of the latest input.
func (w *World) switchWeapon(id tee.ID) {
	c := &w.tees.All[id]
	if w.isDisabled(c, tee.ControlSelect) {
		return
	}
	wanted := int32(c.ActiveWeapon)
	if c.QueuedWeapon != -1 {
		wanted = c.QueuedWeapon
	}
	if hasAnyWeapon(c) {
		for n := countPresses(c.LatestPrevInput.NextWeapon, c.LatestInput.NextWeapon); n > 0; {
			if wanted = (wanted + 1) % tee.NumWeapons; c.Weapons[wanted].Owned {
				n--
			}
		}
		for n := countPresses(c.LatestPrevInput.PrevWeapon, c.LatestInput.PrevWeapon); n > 0; {
			if wanted = (wanted + tee.NumWeapons - 1) % tee.NumWeapons; c.Weapons[wanted].Owned {
				n--
			}
		}
	}
	// As in the original, the latest input decides whether a weapon is wanted, but the input that
	// moves the tee decides which.
	if c.LatestInput.WantedWeapon != 0 {
		wanted = c.Input.WantedWeapon - 1
	}
	if wanted >= 0 && wanted < tee.NumWeapons && wanted != int32(c.ActiveWeapon) && c.Weapons[wanted].Owned {
		c.QueuedWeapon = wanted
	}
	w.doQueuedSwitch(c)
}

// handleWeapons runs one tick of the weapons.
func (w *World) handleWeapons(id tee.ID) {
	c := &w.tees.All[id]
	w.handleNinja(id)
	if c.ReloadTimer != 0 {
		c.ReloadTimer--
		return
	}
	w.fireWeapon(id)

	s := &c.Weapons[c.ActiveWeapon]
	regen := weapons[c.ActiveWeapon].ammoRegenTime
	if regen == 0 || s.Ammo < 0 {
		return
	}
	if c.ReloadTimer > 0 {
		s.AmmoRegenStart = -1
		return
	}
	if s.AmmoRegenStart < 0 {
		s.AmmoRegenStart = w.Tick
	}
	if w.Tick-s.AmmoRegenStart >= regen {
		s.Ammo = min(s.Ammo+1, tee.MaxAmmo)
		s.AmmoRegenStart = -1
	}
}

// fireWeapon fires if the latest input requests it and the weapon has reloaded.
func (w *World) fireWeapon(id tee.ID) {
	c := &w.tees.All[id]
	if c.ReloadTimer != 0 || w.isDisabled(c, tee.ControlFire) {
		return
	}
	w.doQueuedSwitch(c)
	dir := vec.Vec2{X: float32(c.LatestInput.TargetX), Y: float32(c.LatestInput.TargetY)}.Normalize()
	auto := c.ActiveWeapon == tee.WeaponGrenade || c.ActiveWeapon == tee.WeaponShotgun || c.ActiveWeapon == tee.WeaponLaser
	ammo := &c.Weapons[c.ActiveWeapon].Ammo
	shoot := countPresses(c.LatestPrevInput.Fire, c.LatestInput.Fire) != 0 ||
		auto && c.LatestInput.Fire&1 != 0 && *ammo != 0
	if !shoot {
		return
	}
	if *ammo == 0 {
		c.ReloadTimer = noAmmoDelay
		if c.LastNoAmmoSound+tee.TickRate <= w.Tick {
			w.host.Sound(c.Pos, SoundWeaponNoAmmo)
			c.LastNoAmmoSound = w.Tick
		}
		return
	}
	weapon := c.ActiveWeapon
	wasAlive := c.Alive // in the tick of its death a tee can still fire
	fires := w.host.Fire(id, weapon, dir)
	if fires && c.Alive == wasAlive {
		w.fireActiveWeapon(id, weapon, dir)
	}
	if !c.Exists {
		return // a mod removed the tee
	}
	c.AttackTick = w.Tick
	if s := &c.Weapons[c.ActiveWeapon]; fires && s.Ammo > 0 {
		s.Ammo--
	}
	if c.ReloadTimer == 0 {
		c.ReloadTimer = weapons[c.ActiveWeapon].fireDelay
	}
}

// fireActiveWeapon fires a weapon. The shots start in front of the tee.
func (w *World) fireActiveWeapon(id tee.ID, weapon tee.Weapon, dir vec.Vec2) {
	c := &w.tees.All[id]
	start := c.Pos.Add(dir.Mul(tee.ProximityRadius).Mul(0.75))
	switch weapon {
	case tee.WeaponHammer:
		w.hammerHit(id, start)
	case tee.WeaponGun:
		w.Fire(w.NewProjectile(weapon, id, start, dir))
		w.host.Sound(c.Pos, SoundGunFire)
	case tee.WeaponShotgun:
		shot := w.NewProjectile(weapon, id, start, dir)
		for i, spread := range shotgunSpread {
			middle := 1 - float32(float32(max(i-2, 2-i))/2)
			speed := vec.MixScalar(w.Tuning.At(physics.ShotgunSpeeddiff), 1, middle)
			shot.Direction = vec.Direction(dir.Angle() + spread).Mul(speed)
			w.Fire(shot)
		}
		w.host.Sound(c.Pos, SoundShotgunFire)
	case tee.WeaponGrenade:
		w.Fire(w.NewProjectile(weapon, id, start, dir))
		w.host.Sound(c.Pos, SoundGrenadeFire)
	case tee.WeaponLaser:
		pos := c.Pos
		w.FireLaser(id, pos, dir, 0)
		w.host.Sound(pos, SoundLaserFire)
	case tee.WeaponNinja:
		c.NumObjectsHit = 0
		c.Ninja.ActivationDir = dir
		c.Ninja.MoveTime = 10
		c.Ninja.OldSpeed = vec.Trunc(c.Core.Vel.Len())
		w.host.Sound(c.Pos, SoundNinjaFire)
	}
}

// hammerHit hits the tees near start that no wall hides.
func (w *World) hammerHit(id tee.ID, start vec.Vec2) {
	c := &w.tees.All[id]
	c.NumObjectsHit = 0
	w.host.Sound(c.Pos, SoundHammerFire)
	var near [tee.Max]tee.ID
	found := w.tees.Near(start, tee.ProximityRadius*0.5, &near)
	pos, hits := c.Pos, 0
	for _, target := range found {
		if target == id || !w.tees.All[target].Exists || !w.canHit(id, target, tee.WeaponHammer) {
			continue
		}
		at := w.tees.All[target].Pos
		if _, _, wall := w.collision.IntersectLine(start, at); wall != 0 {
			continue
		}
		if d := at.Sub(start); d.Len() > 0 {
			w.host.HammerHit(at.Sub(d.Normalize().Mul(tee.ProximityRadius).Mul(0.5)))
		} else {
			w.host.HammerHit(start)
		}
		dir := vec.Vec2{Y: -1}
		if d := at.Sub(pos); d.Len() > 0 {
			dir = d.Normalize()
		}
		push := vec.Vec2{Y: -1}.Add(dir.Add(vec.Vec2{Y: -1.1}).Normalize().Mul(10))
		w.Damage(Damage{
			Victim: target, Attacker: id, Weapon: tee.WeaponHammer, Amount: weapons[tee.WeaponHammer].damage,
			Force: push, Source: dir.Neg(),
		})
		hits++
	}
	if hits > 0 {
		c.ReloadTimer = hammerHitDelay
	}
}

// GiveNinja makes the ninja the active weapon.
func (w *World) GiveNinja(id tee.ID) {
	c := &w.tees.All[id]
	c.Ninja.ActivationTick = w.Tick
	c.Ninja.MoveTime = -1
	c.Weapons[tee.WeaponNinja].Owned = true
	c.Weapons[tee.WeaponNinja].Ammo = -1
	if c.ActiveWeapon != tee.WeaponNinja {
		c.LastWeapon = c.ActiveWeapon
	}
	c.ActiveWeapon = tee.WeaponNinja
	w.host.Sound(c.Pos, SoundPickupNinja)
}

// ninjaSpeed is the speed of a dash with the ninja, in units per tick.
const ninjaSpeed = 50

// handleNinja moves a tee that dashes with the ninja, and hits others.
func (w *World) handleNinja(id tee.ID) {
	c := &w.tees.All[id]
	if c.ActiveWeapon != tee.WeaponNinja {
		return
	}
	if w.Tick-c.Ninja.ActivationTick > tee.NinjaTicks {
		c.Weapons[tee.WeaponNinja].Owned = false
		c.ActiveWeapon = c.LastWeapon
		if c.Ninja.MoveTime > 0 {
			c.Core.Vel = c.Ninja.ActivationDir.Mul(float32(c.Ninja.OldSpeed))
		}
		return
	}
	c.Ninja.MoveTime--
	if c.Ninja.MoveTime == 0 {
		c.Core.Vel = c.Ninja.ActivationDir.Mul(float32(c.Ninja.OldSpeed))
	}
	if c.Ninja.MoveTime <= 0 {
		return
	}
	c.Core.Vel = c.Ninja.ActivationDir.Mul(ninjaSpeed)
	w.collision.MoveBox(&c.Core.Pos, &c.Core.Vel, vec.Vec2{X: tee.ProximityRadius, Y: tee.ProximityRadius}, 0)
	c.Core.Vel = vec.Vec2{}

	// Others are searched around the position in the last tick, since moveTee has not run yet.
	var near [tee.Max]tee.ID
	found := w.tees.Near(c.Pos, tee.ProximityRadius*2, &near)
	own, dir := c.Pos, c.Ninja.ActivationDir
	for _, target := range found {
		if target == id || !w.tees.All[target].Exists || hasHit(c, target) || !w.canHit(id, target, tee.WeaponNinja) {
			continue
		}
		at := w.tees.All[target].Pos
		if vec.Distance(at, own) > tee.ProximityRadius*2 {
			continue
		}
		w.host.Sound(at, SoundNinjaHit)
		if c.NumObjectsHit < len(c.HitObjects) {
			c.HitObjects[c.NumObjectsHit] = target
			c.NumObjectsHit++
		}
		w.Damage(Damage{
			Victim: target, Attacker: id, Weapon: tee.WeaponNinja, Amount: weapons[tee.WeaponNinja].damage,
			Force: vec.Vec2{Y: -10}, Source: dir.Neg(),
		})
	}
}

// hasHit reports whether the ninja has hit a tee in this dash.
func hasHit(c *tee.Tee, id tee.ID) bool {
	for _, h := range c.HitObjects[:c.NumObjectsHit] {
		if h == id {
			return true
		}
	}
	return false
}

func hasAnyWeapon(c *tee.Tee) bool {
	for i := range c.Weapons {
		if c.Weapons[i].Owned {
			return true
		}
	}
	return false
}
