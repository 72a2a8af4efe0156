package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// ownerFromTeam returns the owner of projectiles of a team's player who left. Nobody
// scores with them; see EvKill.
func ownerFromTeam(t Team) PlayerID {
	if t == TeamBlue {
		return -2 - PlayerID(TeamBlue)
	}
	return -2 - PlayerID(TeamRed)
}

// teamFromOwner is the inverse of ownerFromTeam.
func teamFromOwner(id PlayerID) Team {
	if id == -2-PlayerID(TeamBlue) {
		return TeamBlue
	}
	return TeamRed
}

// projectile is a shot of gun, shotgun or grenade launcher. Its path follows from
// where and when it started and in which direction.
type projectile struct {
	id               uint16
	owner            PlayerID // below Nobody: the team of a player who left
	team             Team     // of the owner when it was fired
	weapon           Weapon
	explosive        bool
	markedForDestroy bool
	startPos         vec.Vec2 // position when fired
	direction        vec.Vec2
	lifeSpan         int32 // ticks left
	damage           int32
	impactSound      Sound // played when it ends, noSound for none
	startTick        int32
	handle           EntityID // of one that a mode or mod made
}

// noSound is the impact sound of a projectile that ends silently.
const noSound Sound = 255

func (v *vanilla) fireProjectile(p projectile) {
	w := v.w
	id, ok := w.entityIDs.alloc()
	if !ok {
		return
	}
	p.id, p.startTick = id, w.tick
	if p.owner >= 0 {
		p.team = w.players[p.owner].team
	}
	v.projectiles = append(v.projectiles, p)
}

// posAt returns the position t seconds after the start.
func (p *projectile) posAt(tun *Tuning, t float32) vec.Vec2 {
	return projectilePos(p.startPos, p.direction, p.weapon, tun, t)
}

// projectilePos returns the position of a projectile t seconds after its start.
func projectilePos(pos, dir vec.Vec2, weapon Weapon, tun *Tuning, t float32) vec.Vec2 {
	curvature, speed := projectilePath(weapon, tun)
	t = float32(t * speed)
	return vec.Vec2{
		X: pos.X + float32(dir.X*t),
		Y: pos.Y + float32(dir.Y*t) + float32(curvature/10000*float32(t*t)),
	}
}

// projectilePath returns the curvature of a weapon's shots, and their speed in units per
// second.
func projectilePath(weapon Weapon, tun *Tuning) (curvature, speed float32) {
	switch weapon {
	case WeaponGrenade:
		return tun.At(physics.GrenadeCurvature), tun.At(physics.GrenadeSpeed)
	case WeaponShotgun:
		return tun.At(physics.ShotgunCurvature), tun.At(physics.ShotgunSpeed)
	case WeaponGun:
		return tun.At(physics.GunCurvature), tun.At(physics.GunSpeed)
	}
	return 0, 0
}

// PosAt returns the position in a tick. It ignores walls.
func (p *ProjectileState) PosAt(tun *Tuning, tick int32) vec.Vec2 {
	pos := vec.Vec2{X: float32(p.X), Y: float32(p.Y)}
	dir := vec.Vec2{X: float32(p.VelX) / 100, Y: float32(p.VelY) / 100}
	return projectilePos(pos, dir, p.Weapon, tun, float32(tick-p.StartTick)/TickRate)
}

func (v *vanilla) tickProjectile(i int) {
	w := v.w
	p := &v.projectiles[i]
	if p.markedForDestroy {
		return
	}
	prev := p.posAt(&w.tuning, float32(w.tick-p.startTick-1)/TickRate)
	cur := p.posAt(&w.tuning, float32(w.tick-p.startTick)/TickRate)
	cur, _, wall := w.collision.IntersectLine(prev, cur)
	owner := Nobody
	if w.isAlive(p.owner) {
		owner = p.owner
	}
	target, at := v.intersectCharacter(prev, cur, 6, owner, p.owner, p.weapon)
	if target != Nobody {
		cur = at
	}
	p.lifeSpan--
	if target == Nobody && wall == 0 && p.lifeSpan >= 0 && !w.collision.FarOutside(cur) {
		return
	}
	p.markedForDestroy = true
	// The calls below can append to v.projectiles through a mod, so p is not used
	// after them.
	shot := *p
	if (shot.lifeSpan >= 0 || shot.weapon == WeaponGrenade) && shot.impactSound != noSound {
		w.sound(cur, shot.impactSound, MaskAll)
	}
	if shot.explosive {
		v.explode(cur, shot.owner, shot.weapon, shot.damage)
	} else if target != Nobody {
		v.damage(Damage{
			Victim: target, Attacker: shot.owner, Weapon: shot.weapon, Amount: shot.damage,
			Force: shot.direction.Mul(0.001), Source: shot.direction.Neg(),
		})
	}
}

// transferProjectilesToTeam makes the team the owner of a player's projectiles.
func (v *vanilla) transferProjectilesToTeam(id PlayerID) {
	for i := range v.projectiles {
		if p := &v.projectiles[i]; p.owner == id {
			p.owner = ownerFromTeam(p.team)
		}
	}
}

// intersectCharacter returns the first character that a shot of the given radius hits between a and
// b, and the point of the line closest to it. It ignores except, and characters that owner cannot
// hit with the weapon.
func (v *vanilla) intersectCharacter(a, b vec.Vec2, radius float32, except, owner PlayerID, weapon Weapon) (PlayerID, vec.Vec2) {
	w := v.w
	best, at := Nobody, vec.Vec2{}
	nearest := float32(vec.Distance(a, b) * 100)
	for i := 0; i < w.charOrder.count; i++ {
		id := w.charOrder.ids[i]
		if id == except || !v.canHit(owner, id, weapon) {
			continue
		}
		p := w.characters[id].pos
		c := vec.ClosestOnSegment(a, b, p)
		if vec.Distance(p, c) < proximityRadius+radius {
			if d := vec.Distance(a, c); d < nearest {
				best, at, nearest = id, c, d
			}
		}
	}
	return best, at
}
