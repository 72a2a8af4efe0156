package ddrace

import "github.com/teeyard/teeyard/game/vec"

// laser is a beam of a laser, or of a shotgun. Beams of shotguns pull.
type laser struct {
	Weapon    Weapon
	Owner     int8
	From, Pos Vec   // ends of the beam that is seen
	Eval      int32 // tick in which it got there
	dir       Vec
	energy    float32 // length that remains, in units
	bounces   int32
	zone      uint8 // tune zone of the place of birth
	prev      Vec   // begin of the segment
	telePos   Vec   // where the next segment begins after a teleporter
	wasTele   bool
	zero      bool // the last bounce had no length
	noTelegun bool // the last bounce was not at a place for teleguns
	blue      bool // it was, keeping the velocity
	practice  bool
}

// fireLaser adds a beam of a tee, with its first segment.
func (w *World) fireLaser(t *Tee, weapon Weapon, dir Vec) {
	l := laser{
		Weapon: weapon, Owner: t.id, Pos: t.Pos, dir: dir, practice: w.practises(t),
		energy: w.params(t.Zone)[LaserReach], zone: w.m.tuneZone(w.m.mapIndex(t.Pos)),
	}
	if w.entities.beamsFull() || w.tired() {
		return
	}
	b := beam{kind: beamLaser, laser: l}
	w.bounceLaser(&b)
	w.entities.addShot(b)
}

// tickLaser continues a beam from its bounce.
func (w *World) tickLaser(b *beam) {
	l := &b.laser
	if (w.settings.DestroyLasersOnDeath != 0 || l.practice) && w.owner(l.Owner) == nil {
		b.gone = true // but it still bounces in this tick
	}
	delay := w.params(l.zone)[LaserBounceDelay]
	if float32(w.tick-l.Eval) > float32(TickRate*delay)/1000 && !w.tired() {
		w.bounceLaser(b)
	}
}

// shotgunBug is the velocity of a tee at the start of a shotgun's beam.
var shotgunBug = Vec{X: -1 << 31, Y: -1 << 31}

// laserTarget returns the first tee on a beam from its position.
func (w *World) laserTarget(l *laser, owner *Tee, to Vec, disabled bool) (*Tee, Vec) {
	except, only := owner, (*Tee)(nil)
	if w.settings.OldLaser == 0 && (l.bounces != 0 || l.wasTele) {
		except = nil
	}
	if !w.affects(owner, disabled) {
		only = owner
	}
	return w.firstOnLine(l.Pos, to, 0, except, l.Owner, only)
}

// mayHit reports whether a beam hits the first tee on it, as of DDNet 20. The beam of a team does
// not hit super tees of other teams. If the owner is dead but still in the game, it hits others
// only if sv_hit is off.
func (w *World) mayHit(l *laser, t, owner *Tee, disabled bool) bool {
	if t.id == l.Owner {
		return w.settings.OldLaser == 0 && (l.bounces != 0 || l.wasTele)
	}
	team := w.team(int(l.Owner))
	if team != 0 && w.team(int(t.id)) != team {
		return false
	}
	if owner != nil {
		return !disabled && !owner.Core.Solo
	}
	return w.settings.Hit == 0 || !w.players[l.Owner].inGame
}

// hitLaser hits the first tee between the beam's position and to, and reports whether there was
// one.
func (w *World) hitLaser(l *laser, to Vec) bool {
	owner := w.owner(l.Owner)
	disabled := owner != nil && (l.Weapon == WeaponLaser && owner.UnhitLaser || l.Weapon == WeaponShotgun && owner.UnhitShotgun)
	t, at := w.laserTarget(l, owner, to, disabled)
	if t == nil || w.settings.release20() && !w.mayHit(l, t, owner, disabled) {
		return false
	}
	if !w.settings.release20() {
		if t == owner && w.settings.OldLaser != 0 {
			return false
		}
		if t != owner && owner != nil {
			if disabled {
				return false
			}
		} else if w.settings.Hit == 0 {
			return false
		}
	}
	l.From, l.Pos, l.energy = l.Pos, at, -1
	if l.Weapon == WeaponLaser {
		w.unfreeze(t)
		return true
	}
	vel, begin := &t.Core.Vel, l.prev
	if w.settings.OldLaser != 0 {
		if owner == nil {
			*vel = t.Restrictions.clamp(*vel)
			return true
		}
		begin = owner.Core.Pos
	}
	if begin == t.Core.Pos {
		*vel = shotgunBug
		return true
	}
	strength := w.params(l.zone)[ShotgunStrength]
	*vel = t.Restrictions.clamp(vel.Add(normalize(begin.Sub(t.Core.Pos)).Mul(strength)))
	return true
}

// bounceLaser adds the next segment of a beam.
func (w *World) bounceLaser(b *beam) {
	l := &b.laser
	l.Eval = w.tick
	if l.energy < 0 {
		b.gone = true
		return
	}
	l.prev = l.Pos
	if l.wasTele {
		l.prev, l.Pos, l.telePos = l.telePos, l.telePos, Vec{}
	}
	end := l.Pos.Add(l.dir.Mul(l.energy))
	hit, to, wall, number := w.m.weaponLine(l.Pos, end, w.weaponTeleporter(), &w.looks)
	if !w.hitLaser(l, to) {
		l.From, l.Pos = l.Pos, to
		if wall || number != 0 {
			w.reflectLaser(l, number)
		} else {
			l.energy = -1
		}
	}
	w.aimLaserTelegun(l, to, hit)
}

// reflectLaser turns a beam at a wall, or continues it from a teleporter.
func (w *World) reflectLaser(l *laser, number uint8) {
	dir := l.dir.Mul(4)
	w.m.walls.MovePoint(&l.Pos, &dir, 1)
	l.dir = normalize(dir)
	tuning := w.params(l.zone)
	d := vec.Distance(l.From, l.Pos)
	if d == 0 && l.zero {
		l.energy = -1
	} else {
		l.energy -= d + tuning[LaserBounceCost]
	}
	l.zero = d == 0
	count := int32(0)
	if number != 0 {
		count = w.m.outs.count(number)
	}
	if l.wasTele = count > 0; l.wasTele {
		l.telePos = w.m.exit(&w.m.outs, number, w.rand.choose(count))
	} else {
		l.bounces++
	}
	if l.bounces > vec.Trunc(tuning[LaserBounceNum]) {
		l.energy = -1
	}
	w.addEvent(Event{Kind: EventSound, Tee: l.Owner, Pos: l.Pos, Value: int32(SoundLaserBounce)})
}

// aimLaserTelegun sets the destination of the owner of a beam without energy. For other beams, it
// notes whether this place allows the next segment to take the owner along.
func (w *World) aimLaserTelegun(l *laser, to, hit Vec) {
	owner := w.owner(l.Owner)
	if l.Weapon == WeaponLaser && l.energy <= 0 && !l.noTelegun && owner != nil && owner.Telelaser {
		var at Vec
		var ok bool
		if t, _ := w.laserTarget(l, owner, to, owner.UnhitLaser); t != nil {
			at, ok = w.m.freeAround(t.Pos)
		} else {
			at, ok = w.m.freeBefore(l.Pos, l.From)
		}
		if ok {
			owner.teleported, owner.teleportTo, owner.teleportBlue = true, at, l.blue
		}
		return
	}
	i := w.m.pureIndex(hit)
	if w.m.teleNumber(i, teleInWeapon) != 0 {
		return
	}
	allowed, blue := w.m.telegunTile(i, l.Weapon)
	l.blue = blue
	l.noTelegun = l.Weapon == WeaponLaser && !allowed
}
