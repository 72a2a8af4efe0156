package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Laser is a laser beam. It is evaluated when fired and again after each bounce delay, until its
// energy is used up.
type Laser struct {
	ID        uint16
	Owner     tee.ID // below Nobody: the team of a player who left
	Team      Team   // of the owner when it was fired
	Removed   bool
	Pos       vec.Vec2 // end of the current segment
	From      vec.Vec2 // start of the current segment
	Direction vec.Vec2
	Energy    float32 // remaining length in units
	Bounces   int32
	EvalTick  int32
	Handle    Handle
}

// FireLaser fires a laser. An owner of -1 means the world. FireLaser returns false if all ids are
// in use.
func (w *World) FireLaser(owner tee.ID, pos, dir vec.Vec2, handle Handle) bool {
	id, ok := w.ids.Alloc()
	if !ok {
		return false
	}
	l := Laser{ID: id, Owner: owner, Pos: pos, Direction: dir, Energy: w.Tuning.At(physics.LaserReach), Handle: handle}
	if owner >= 0 {
		l.Team = w.host.Player(owner).Team
	}
	w.Lasers = append(w.Lasers, l)
	w.bounceLaser(len(w.Lasers) - 1)
	return true
}

func (w *World) tickLaser(i int) {
	if w.Lasers[i].Removed {
		return
	}
	if float32(w.Tick-w.Lasers[i].EvalTick) > float32(tee.TickRate*w.Tuning.At(physics.LaserBounceDelay))/1000 {
		w.bounceLaser(i)
	}
}

func (w *World) bounceLaser(i int) {
	l := &w.Lasers[i]
	l.EvalTick = w.Tick
	if l.Energy < 0 {
		l.Removed = true
		return
	}
	to := l.Pos.Add(l.Direction.Mul(l.Energy))
	_, before, wall := w.collision.IntersectLine(l.Pos, to)
	if wall != 0 {
		to = before
	}
	if w.laserHit(l, to) {
		return
	}
	l.From, l.Pos = l.Pos, to
	if wall == 0 {
		l.Energy = -1
		return
	}
	dir := l.Direction.Mul(4)
	w.collision.MovePoint(&l.Pos, &dir, 1)
	l.Direction = dir.Normalize()
	l.Energy -= vec.Distance(l.From, l.Pos) + w.Tuning.At(physics.LaserBounceCost)
	l.Bounces++
	if float32(l.Bounces) > w.Tuning.At(physics.LaserBounceNum) {
		l.Energy = -1
	}
	w.host.Sound(l.Pos, SoundLaserBounce)
}

// laserHit lets a laser hit the first tee on its way, and reports whether there is one.
func (w *World) laserHit(l *Laser, to vec.Vec2) bool {
	owner := tee.Nobody
	if w.tees.Alive(l.Owner) {
		owner = l.Owner
	}
	target, at := w.firstHit(l.Pos, to, 0, owner, l.Owner, tee.WeaponLaser)
	if target == tee.Nobody {
		return false
	}
	l.From, l.Pos, l.Energy = l.Pos, at, -1
	w.Damage(Damage{
		Victim: target, Attacker: l.Owner, Weapon: tee.WeaponLaser, Amount: weapons[tee.WeaponLaser].damage,
		Source: to.Sub(l.From).Normalize(),
	})
	return true
}
