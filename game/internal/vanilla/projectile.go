package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// OwnerFromTeam returns the owner of the shots of a player who left the team. Hits of these shots
// do not score.
func OwnerFromTeam(t Team) tee.ID {
	if t == TeamBlue {
		return -2 - tee.ID(TeamBlue)
	}
	return -2 - tee.ID(TeamRed)
}

// teamFromOwner is the inverse of OwnerFromTeam.
func teamFromOwner(id tee.ID) Team {
	if id == -2-tee.ID(TeamBlue) {
		return TeamBlue
	}
	return TeamRed
}

// DisownProjectiles makes the team the owner of a player's projectiles.
func (w *World) DisownProjectiles(id tee.ID) {
	for i := range w.Projectiles {
		if p := &w.Projectiles[i]; p.Owner == id {
			p.Owner = OwnerFromTeam(p.Team)
		}
	}
}

// DisownLasers makes the team the owner of a player's lasers. The original does not do so, and
// crashes when such a laser kills.
func (w *World) DisownLasers(id tee.ID) {
	for i := range w.Lasers {
		if l := &w.Lasers[i]; l.Owner == id {
			l.Owner = OwnerFromTeam(l.Team)
		}
	}
}

// Projectile is a shot of gun, shotgun or grenade launcher. Its path follows from where and when it
// started and in which direction.
type Projectile struct {
	ID          uint16
	Owner       tee.ID // below Nobody: the team of a player who left
	Team        Team   // of the owner when it was fired
	Weapon      tee.Weapon
	Explosive   bool
	Removed     bool
	StartPos    vec.Vec2
	Direction   vec.Vec2 // times the speed of the weapon
	LifeSpan    int32    // ticks left
	Damage      int32
	ImpactSound Sound // when it ends
	StartTick   int32
	Handle      Handle
}

// NewProjectile returns a projectile with the lifetime in the tuning. Fire adds it to the world.
func (w *World) NewProjectile(weapon tee.Weapon, owner tee.ID, pos, dir vec.Vec2) Projectile {
	p := Projectile{
		Owner: owner, Weapon: weapon, StartPos: pos, Direction: dir,
		Damage: weapons[weapon].damage, ImpactSound: noSound,
		LifeSpan: vec.Trunc(float32(tee.TickRate * w.Tuning.At(weapons[weapon].lifetime))),
	}
	if weapon == tee.WeaponGrenade {
		p.MakeExplosive()
	}
	return p
}

// MakeExplosive makes the projectile explode at its end.
func (p *Projectile) MakeExplosive() { p.Explosive, p.ImpactSound = true, SoundGrenadeExplode }

// Fire fires a projectile.
func (w *World) Fire(p Projectile) {
	id, ok := w.ids.Alloc()
	if !ok {
		return
	}
	p.ID, p.StartTick = id, w.Tick
	if p.Owner >= 0 {
		p.Team = w.host.Player(p.Owner).Team
	}
	w.Projectiles = append(w.Projectiles, p)
}

// At returns the position in a tick. It ignores walls.
func (p *Projectile) At(t *physics.Tuning, tick int32) vec.Vec2 {
	return p.Weapon.ShotAt(p.StartPos, p.Direction, t, float32(tick-p.StartTick)/tee.TickRate)
}

func (w *World) tickProjectile(i int) {
	p := &w.Projectiles[i]
	if p.Removed {
		return
	}
	prev, cur := p.At(&w.Tuning, w.Tick-1), p.At(&w.Tuning, w.Tick)
	cur, _, wall := w.collision.IntersectLine(prev, cur)
	owner := tee.Nobody
	if w.tees.Alive(p.Owner) {
		owner = p.Owner
	}
	target, at := w.firstHit(prev, cur, 6, owner, p.Owner, p.Weapon)
	if target != tee.Nobody {
		cur = at
	}
	p.LifeSpan--
	if target == tee.Nobody && wall == 0 && p.LifeSpan >= 0 && !w.collision.FarOutside(cur) {
		return
	}
	p.Removed = true
	// The calls below can append to w.Projectiles through a mod, so p is not used after them.
	shot := *p
	if (shot.LifeSpan >= 0 || shot.Weapon == tee.WeaponGrenade) && shot.ImpactSound != noSound {
		w.host.Sound(cur, shot.ImpactSound)
	}
	if shot.Explosive {
		w.Explode(cur, shot.Owner, shot.Weapon, shot.Damage)
	} else if target != tee.Nobody {
		w.Damage(Damage{
			Victim: target, Attacker: shot.Owner, Weapon: shot.Weapon, Amount: shot.Damage,
			Force: shot.Direction.Mul(0.001), Source: shot.Direction.Neg(),
		})
	}
}

// firstHit returns the first tee that a shot of the given radius hits between a and b, and the
// point of the line closest to it. It ignores except, and tees that owner cannot hit with the
// weapon.
func (w *World) firstHit(a, b vec.Vec2, radius float32, except, owner tee.ID, weapon tee.Weapon) (tee.ID, vec.Vec2) {
	best, at := tee.Nobody, vec.Vec2{}
	nearest := float32(vec.Distance(a, b) * 100)
	for _, id := range w.tees.InOrder() {
		if id == except || !w.canHit(owner, id, weapon) {
			continue
		}
		p := w.tees.All[id].Pos
		c := vec.ClosestOnSegment(a, b, p)
		if vec.Distance(p, c) < tee.ProximityRadius+radius {
			if d := vec.Distance(a, c); d < nearest {
				best, at, nearest = id, c, d
			}
		}
	}
	return best, at
}
