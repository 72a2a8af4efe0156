package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// laser is a laser beam. It is evaluated when fired and again after each bounce delay,
// until its energy is used up.
type laser struct {
	id               uint16
	owner            PlayerID // below Nobody: the team of a player who left
	team             Team     // of the owner when it was fired
	markedForDestroy bool
	pos              vec.Vec2 // end of the current segment
	segmentStart     vec.Vec2
	direction        vec.Vec2
	energy           float32 // remaining length, world units
	bounces          int32
	evalTick         int32
	handle           EntityID // of one that a mode or mod made
}

// fireLaser fires a laser, of Nobody for the world. It returns the handle.
func (v *vanilla) fireLaser(owner PlayerID, pos, dir vec.Vec2, handle EntityID) EntityID {
	w := v.w
	id, ok := w.entityIDs.alloc()
	if !ok {
		return NoEntity
	}
	l := laser{id: id, owner: owner, pos: pos, direction: dir, energy: w.tuning.At(physics.LaserReach), handle: handle}
	if owner >= 0 {
		l.team = w.players[owner].team
	}
	v.lasers = append(v.lasers, l)
	v.bounceLaser(len(v.lasers) - 1)
	return handle
}

func (v *vanilla) tickLaser(i int) {
	w := v.w
	if v.lasers[i].markedForDestroy {
		return
	}
	if float32(w.tick-v.lasers[i].evalTick) > float32(TickRate*w.tuning.At(physics.LaserBounceDelay))/1000 {
		v.bounceLaser(i)
	}
}

func (v *vanilla) bounceLaser(i int) {
	w := v.w
	l := &v.lasers[i]
	l.evalTick = w.tick
	if l.energy < 0 {
		l.markedForDestroy = true
		return
	}
	to := l.pos.Add(l.direction.Mul(l.energy))
	_, before, wall := w.collision.IntersectLine(l.pos, to)
	if wall != 0 {
		to = before
	}
	if v.laserHit(l, to) {
		return
	}
	l.segmentStart, l.pos = l.pos, to
	if wall == 0 {
		l.energy = -1
		return
	}
	dir := l.direction.Mul(4)
	w.collision.MovePoint(&l.pos, &dir, 1)
	l.direction = dir.Normalize()
	l.energy -= vec.Distance(l.segmentStart, l.pos) + w.tuning.At(physics.LaserBounceCost)
	l.bounces++
	if float32(l.bounces) > w.tuning.At(physics.LaserBounceNum) {
		l.energy = -1
	}
	w.sound(l.pos, SoundLaserBounce, MaskAll)
}

func (v *vanilla) laserHit(l *laser, to vec.Vec2) bool {
	owner := Nobody
	if v.w.isAlive(l.owner) {
		owner = l.owner
	}
	target, at := v.intersectCharacter(l.pos, to, 0, owner, l.owner, WeaponLaser)
	if target == Nobody {
		return false
	}
	l.segmentStart, l.pos, l.energy = l.pos, at, -1
	v.damage(Damage{
		Victim: target, Attacker: l.owner, Weapon: WeaponLaser, Amount: weapons[WeaponLaser].damage,
		Source: to.Sub(l.segmentStart).Normalize(),
	})
	return true
}

// transferLasersToTeam makes the team the owner of the lasers of a player who left.
// The original does not do so, and crashes when such a laser kills.
func (v *vanilla) transferLasersToTeam(id PlayerID) {
	for i := range v.lasers {
		if l := &v.lasers[i]; l.owner == id {
			l.owner = ownerFromTeam(l.team)
		}
	}
}
