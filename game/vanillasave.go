package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/vec"
)

func (v *vanillaHost) visitThings(to *visitor) {
	to.hashed(len(v.world.Projectiles))
	length(to, &v.world.Projectiles, tee.MaxIDs)
	for i := range v.world.Projectiles {
		to.projectile(&v.world.Projectiles[i])
	}
	to.hashed(len(v.world.Lasers))
	length(to, &v.world.Lasers, tee.MaxIDs)
	for i := range v.world.Lasers {
		to.laser(&v.world.Lasers[i])
	}
	length(to, &v.world.Pickups, tee.MaxIDs)
	for i := range v.world.Pickups {
		to.pickup(&v.world.Pickups[i])
	}
}

// visit gives a restored simulation the tick and tuning of the world.
func (v *vanillaHost) visit(of *visitor) {
	if of.op == restoring {
		v.world.Tick, v.world.Tuning = v.w.tick, v.w.tuning
	}
}

// check checks that shots stay within the limits in the next tick.
func (v *vanillaHost) check(of *visitor, use func(id uint16)) {
	near := func(p vec.Vec2) {
		if !(p.X >= -limitPos && p.X <= limitPos && p.Y >= -limitPos && p.Y <= limitPos) {
			of.fail("a shot flies out of range, to %g, %g", p.X, p.Y)
		}
	}
	w := v.w
	for i := range v.world.Projectiles {
		p := &v.world.Projectiles[i]
		use(p.ID)
		near(p.At(&w.tuning, w.tick))
		near(p.At(&w.tuning, w.tick+1))
	}
	for i := range v.world.Lasers {
		l := &v.world.Lasers[i]
		use(l.ID)
		near(l.Pos.Add(l.Direction.Mul(l.Energy)))
	}
	for i := range v.world.Pickups {
		use(v.world.Pickups[i].ID)
	}
}

// shot visits the owner of a projectile or laser. The hash combines the owner's fields in one
// number, with weapon 0 for a laser.
func (v *visitor) shot(id *uint16, owner *tee.ID, team *vanilla.Team, weapon *tee.Weapon) {
	if v.op == hashing {
		v.hash.add(uint64(*id)<<32 | uint64(uint8(*owner))<<24 | uint64(uint8(*team))<<16 | uint64(uint8(*weapon)))
		return
	}
	value(v, id)
	value(v, owner)
	value(v, team)
	value(v, weapon)
	within(v, "owner", *owner, vanilla.OwnerFromTeam(vanilla.TeamBlue), MaxPlayers-1)
	within(v, "team", *team, vanilla.TeamSpectators, vanilla.TeamBlue)
	within(v, "weapon", *weapon, 0, NumWeapons-1)
}

func (v *visitor) projectile(p *vanilla.Projectile) {
	v.shot(&p.ID, &p.Owner, &p.Team, &p.Weapon)
	v.vec(&p.StartPos, limitPos)
	v.vec(&p.Direction, limitPos)
	pair(v, &p.LifeSpan, &p.Damage)
	pair(v, &p.StartTick, &p.ImpactSound)
	v.bools(&p.Explosive, &p.Removed)
	v.handle(&p.Handle)
	v.end()
}

func (v *visitor) laser(l *vanilla.Laser) {
	weapon := tee.WeaponHammer // which is 0
	v.shot(&l.ID, &l.Owner, &l.Team, &weapon)
	v.vec(&l.Pos, limitPos)
	v.vec(&l.From, limitPos)
	v.vec(&l.Direction, limitPos)
	if v.op == hashing {
		v.hash.float(l.Energy)
	} else {
		v.float(&l.Energy, limitPos)
	}
	pair(v, &l.Bounces, &l.EvalTick)
	v.bools(&l.Removed)
	v.handle(&l.Handle)
	v.end()
}

// pickup visits a pickup. Where it is follows from the map in hashes, as from the beginning.
func (v *visitor) pickup(p *vanilla.Pickup) {
	num(v, &p.SpawnTick)
	if v.op != hashing {
		value(v, &p.ID)
		value(v, &p.Kind)
		v.vec(&p.Pos, limitPos)
	}
	if v.extra(1, p.Handle != 0) {
		pair(v, &p.Handle, &p.Respawn)
		v.bools(&p.Permanent, &p.Removed)
		if v.op == hashing {
			v.hash.pair(int32(p.ID), int32(p.Kind))
			v.hash.vec(p.Pos)
		}
	}
	v.end()
}

// handle visits the id of a shot that a mode or mod made.
func (v *visitor) handle(id *vanilla.Handle) {
	if v.extra(1, *id != 0) {
		num(v, id)
	}
}
