package game

import "github.com/teeyard/teeyard/game/vec"

func (v *vanilla) visitThings(to *visitor) {
	to.hashed(len(v.projectiles))
	length(to, &v.projectiles, maxEntityIDs)
	for i := range v.projectiles {
		to.projectile(&v.projectiles[i])
	}
	to.hashed(len(v.lasers))
	length(to, &v.lasers, maxEntityIDs)
	for i := range v.lasers {
		to.laser(&v.lasers[i])
	}
	length(to, &v.pickups, maxEntityIDs)
	for i := range v.pickups {
		to.pickup(&v.pickups[i])
	}
}

func (v *vanilla) visit(*visitor) {}

// check checks that shots stay within the limits in the next tick.
func (v *vanilla) check(of *visitor, use func(id uint16)) {
	near := func(p vec.Vec2) {
		if !(p.X >= -limitPos && p.X <= limitPos && p.Y >= -limitPos && p.Y <= limitPos) {
			of.fail("a shot flies out of range, to %g, %g", p.X, p.Y)
		}
	}
	w := v.w
	for i := range v.projectiles {
		p := &v.projectiles[i]
		use(p.id)
		near(p.posAt(&w.tuning, float32(w.tick-p.startTick)/TickRate))
		near(p.posAt(&w.tuning, float32(w.tick+1-p.startTick)/TickRate))
	}
	for i := range v.lasers {
		l := &v.lasers[i]
		use(l.id)
		near(l.pos.Add(l.direction.Mul(l.energy)))
	}
	for i := range v.pickups {
		use(v.pickups[i].id)
	}
}

// shot visits the owner of a projectile or laser. The owner is hashed as one number, with weapon 0
// for a laser.
func (v *visitor) shot(id *uint16, owner *PlayerID, team *Team, weapon *Weapon) {
	if v.op == hashing {
		v.hash.add(uint64(*id)<<32 | uint64(uint8(*owner))<<24 | uint64(uint8(*team))<<16 | uint64(uint8(*weapon)))
		return
	}
	value(v, id)
	value(v, owner)
	value(v, team)
	value(v, weapon)
	within(v, "owner", *owner, ownerFromTeam(TeamBlue), MaxPlayers-1)
	within(v, "team", *team, TeamSpectators, TeamBlue)
	within(v, "weapon", *weapon, 0, NumWeapons-1)
}

func (v *visitor) projectile(p *projectile) {
	v.shot(&p.id, &p.owner, &p.team, &p.weapon)
	v.vec(&p.startPos, limitPos)
	v.vec(&p.direction, limitPos)
	pair(v, &p.lifeSpan, &p.damage)
	pair(v, &p.startTick, &p.impactSound)
	v.bools(&p.explosive, &p.markedForDestroy)
	v.handle(&p.handle)
	v.end()
}

func (v *visitor) laser(l *laser) {
	weapon := WeaponHammer // which is 0
	v.shot(&l.id, &l.owner, &l.team, &weapon)
	v.vec(&l.pos, limitPos)
	v.vec(&l.segmentStart, limitPos)
	v.vec(&l.direction, limitPos)
	if v.op == hashing {
		v.hash.float(l.energy)
	} else {
		v.float(&l.energy, limitPos)
	}
	pair(v, &l.bounces, &l.evalTick)
	v.bools(&l.markedForDestroy)
	v.handle(&l.handle)
	v.end()
}

// pickup visits a pickup. Where it is follows from the map in hashes, as from the beginning.
func (v *visitor) pickup(p *pickup) {
	num(v, &p.spawnTick)
	if v.op != hashing {
		value(v, &p.id)
		value(v, &p.kind)
		v.vec(&p.pos, limitPos)
	}
	if v.extra(1, p.handle != NoEntity) {
		pair(v, &p.handle, &p.respawn)
		v.bools(&p.permanent, &p.removed)
		if v.op == hashing {
			v.hash.pair(int32(p.id), int32(p.kind))
			v.hash.vec(p.pos)
		}
	}
	v.end()
}

// handle visits the id of a shot that a mode or mod made.
func (v *visitor) handle(id *EntityID) {
	if v.extra(1, *id != NoEntity) {
		num(v, id)
	}
}
