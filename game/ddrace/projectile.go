package ddrace

import "github.com/teeyard/teeyard/game/vec"

// noOwner is the owner of shots that no player fired.
const noOwner = -1

// endless is the lifetime of the bullets of entities.
const endless = -2

// Projectile is a bullet, a grenade, or a crazy bullet of an entity.
type Projectile struct {
	ID        uint16
	Weapon    Weapon // WeaponShotgun for crazy bullets
	Owner     int8   // noOwner for crazy bullets
	Pos       Vec    // where it was at Start
	Dir       Vec    // of length 1
	Start     int32  // tick
	life      int32  // ticks that remain
	zone      uint8  // tune zone of the place of birth
	Explosive bool
	Freezing  bool
	practice  bool  // its owner's team practises
	Bounces   uint8 // 1: horizontally, 2: vertically, 0: not
	Layer     Layer // of the entity
	Number    uint8 // of its switch
	gone      bool
}

// TuneZone returns the tune zone where the projectile was fired. Its tuning moves the projectile.
func (p *Projectile) TuneZone() uint8 { return p.zone }

// projectileAt returns the position of a projectile at a tick.
func (w *World) projectileAt(p *Projectile, tick int32) Vec {
	tuning := w.params(p.zone)
	var curvature, speed float32
	switch p.Weapon {
	case WeaponGrenade:
		curvature, speed = tuning[GrenadeCurvature], tuning[GrenadeSpeed]
	case WeaponShotgun:
		curvature, speed = tuning[ShotgunCurvature], tuning[ShotgunSpeed]
	case WeaponGun:
		curvature, speed = tuning[GunCurvature], tuning[GunSpeed]
	}
	time := float32(float32(tick-p.Start) / TickRate * speed)
	return Vec{
		X: p.Pos.X + float32(p.Dir.X*time),
		Y: p.Pos.Y + float32(p.Dir.Y*time) + float32(curvature/10000*float32(time*time)),
	}
}

// fireProjectile adds a projectile of a tee.
func (w *World) fireProjectile(t *Tee, weapon Weapon, pos, dir Vec, lifetime float32) {
	if len(w.entities.projectiles) >= maxEntities+maxShots {
		return
	}
	w.entities.projectiles = append(w.entities.projectiles, Projectile{
		Weapon: weapon, Owner: t.id, Pos: pos, Dir: dir, Start: w.tick,
		life: vec.Trunc(TickRate * lifetime), zone: w.m.tuneZone(w.m.mapIndex(pos)),
		Explosive: weapon == WeaponGrenade, practice: w.practises(t),
	})
}

// tickProjectile moves a projectile by one tick.
func (w *World) tickProjectile(p *Projectile) {
	if w.tired() {
		p.Start++
		return
	}
	prev, cur := w.projectileAt(p, w.tick-1), w.projectileAt(p, w.tick)
	hit, before, wall := w.m.wallLine(prev, cur, &w.looks)
	owner := w.owner(p.Owner)
	var target *Tee
	if w.affects(owner, owner != nil && owner.UnhitGrenade) {
		radius := float32(6)
		if p.Freezing {
			radius = 1
		}
		if t, at := w.firstOnLine(prev, hit, radius, owner, p.Owner, nil); t != nil {
			target, hit = t, at
		}
	}
	if p.life > -1 {
		p.life--
	}
	if owner == nil && p.Owner >= 0 && (p.Weapon != WeaponGrenade || w.settings.DestroyBulletsOnDeath != 0 || p.practice) {
		p.gone = true
		return
	}
	if target != nil || wall || w.m.outside(cur) {
		w.projectileHit(p, target, wall, hit, cur)
		if owner != nil {
			w.aimTelegun(p, owner, target, wall, hit, before, cur)
		}
		switch {
		case wall && p.Bounces != 0:
			w.bounceProjectile(p, before)
		case p.Weapon == WeaponGun:
			w.addEvent(Event{Kind: EventDamage, Tee: p.Owner, Pos: cur, Value: 10, Angle: -vec.Atan2(p.Dir.X, p.Dir.Y)})
			p.gone = true
			return
		case !p.Freezing:
			p.gone = true
			return
		}
	}
	if p.life == -1 {
		if p.Explosive {
			team := -1
			if owner != nil {
				team = int(w.team(int(owner.id)))
			}
			w.explodeProjectile(p, hit, team)
		}
		p.gone = true
		return
	}
	w.teleportProjectile(p, prev, cur)
}

// affects reports whether an owner's weapons affect others, given whether the owner's are disabled.
// owner is nil for entities, and for a tee that no longer exists.
func (w *World) affects(owner *Tee, disabled bool) bool {
	if owner != nil {
		return !disabled
	}
	return w.settings.Hit != 0
}

// projectileHit applies the effect of a projectile at the place where it ends or bounces.
func (w *World) projectileHit(p *Projectile, target *Tee, wall bool, hit, cur Vec) {
	switch {
	case p.Explosive && (target == nil || !p.Freezing || p.Weapon == WeaponShotgun && wall):
		team, times := -1, 1
		if target != nil {
			team = int(w.team(int(target.id)))
		}
		if w.settings.DoubleExplosion && p.life == -1 {
			times = 2
		}
		for range times {
			w.explodeProjectile(p, hit, team)
		}
	case p.Freezing:
		for t := range w.newest {
			if !(vec.Distance(t.Pos, cur) < 1+teeSize) {
				continue
			}
			if p.Layer != LayerSwitch || p.Number > 0 && w.worksFor(&carried{Layer: p.Layer, Number: p.Number}, t) {
				w.freeze(t, w.freezeDelay())
			}
		}
	}
}

func (w *World) explodeProjectile(p *Projectile, at Vec, team int) {
	w.explode(at, p.Owner, p.Owner == noOwner, team)
	if p.Weapon == WeaponGrenade {
		w.addEvent(Event{Kind: EventSound, Tee: p.Owner, Pos: at, Value: int32(SoundGrenadeExplode)})
	}
}

// bounceProjectile throws a projectile back from a wall.
func (w *World) bounceProjectile(p *Projectile, before Vec) {
	p.Start = w.tick
	p.Pos = before.Add(p.Dir.Mul(4).Neg())
	if p.Bounces == 1 {
		p.Dir.X = -p.Dir.X
	} else {
		p.Dir.Y = -p.Dir.Y
	}
	if abs(p.Dir.X) < 1e-6 {
		p.Dir.X = 0
	}
	if abs(p.Dir.Y) < 1e-6 {
		p.Dir.Y = 0
	}
	p.Pos = p.Pos.Add(p.Dir)
}

// teleportProjectile moves a projectile through a weapon teleporter. Only the tile at the start of
// this tick's way counts.
func (w *World) teleportProjectile(p *Projectile, prev, cur Vec) {
	if w.m.tele == nil {
		return
	}
	d := vec.Distance(prev, cur)
	from := vec.Mix(prev, cur, 0/d)
	if d == 0 {
		from = cur
	} else if !(d > 0) {
		return
	}
	n := w.m.teleNumber(w.m.truncIndex(from), w.weaponTeleporter())
	if count := w.m.outs.count(n); n != 0 && count > 0 {
		p.Pos = w.m.exit(&w.m.outs, n, w.rand.choose(count))
		p.Start = w.tick
	}
}

// weaponTeleporter returns the type of the teleporters that weapons take.
func (w *World) weaponTeleporter() uint8 {
	if w.settings.OldTeleportWeapons != 0 {
		return TeleIn
	}
	return teleInWeapon
}

// newCrazyBullet creates an entity's bullet. It flies and bounces without end.
func (w *World) newCrazyBullet(e *Entity) Projectile {
	angle := float32(float32(e.Turn) * (pi / 2))
	return Projectile{
		Weapon: WeaponShotgun, Owner: noOwner, Pos: e.Pos, Dir: direction(angle), Start: w.tick, life: endless,
		zone: w.m.tuneZone(w.m.mapIndex(e.Pos)), Freezing: true, Explosive: e.Kind == EntityBulletExplosive,
		Bounces: 2 - e.Turn%2, Layer: e.Layer, Number: e.Number,
	}
}
