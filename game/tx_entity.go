package game

import (
	"iter"
	"math"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// AddEntityKind declares a kind of entities. Call it in Start.
func (tx *Tx) AddEntityKind(k EntityKind) KindID {
	w, d := tx.w, tx.declare("AddEntityKind")
	if len(w.entityKinds) == maxEntityKinds {
		d.fail("kind of entities", "256", "at most 255 can be declared")
		return 0
	}
	k.of = w.running
	k.Parts = min(max(k.Parts, 1), MaxEntityParts)
	w.entityKinds = append(w.entityKinds, k)
	return KindID(len(w.entityKinds))
}

// SpawnEntity makes an entity with the exported fields of e. It returns NoEntity if the kind is not
// declared or there are too many entities.
func (tx *Tx) SpawnEntity(kind KindID, e Entity) EntityID {
	if made := tx.w.spawnEntity(kind, &e); made != nil {
		return made.id
	}
	return NoEntity
}

// Entity returns an entity that SpawnEntity made, or nil if it is gone. The entity can be changed.
// The pointer is valid during the call.
func (tx *Tx) Entity(id EntityID) *Entity { return tx.w.findEntity(id) }

// Entities iterates over the entities of a kind, oldest first. Entities that are made during the
// iteration are not included.
func (tx *Tx) Entities(kind KindID) iter.Seq[*Entity] {
	return func(yield func(*Entity) bool) {
		for i, n := 0, len(tx.w.entities); i < n; i++ {
			if e := &tx.w.entities[i]; e.kind == kind && !e.removed && !yield(e) {
				return
			}
		}
	}
}

// Remove removes a thing that SpawnEntity, SpawnPickup, SpawnProjectile or SpawnLaser made. It
// reports whether the thing still existed.
func (tx *Tx) Remove(id EntityID) bool {
	w := tx.w
	if id == NoEntity {
		return false
	}
	if e := w.findEntity(id); e != nil {
		e.removed = true
		return true
	}
	return w.sim.remove(id)
}

// SpawnPickup makes a pickup. It comes back respawn ticks after a player has taken it; 0 means the
// usual time of its kind, Once means never. A pickup from Start or OnEntity is part of the map, and
// a reset of the map brings it back; a reset removes all others. SpawnPickup returns NoEntity if
// there are too many pickups.
func (tx *Tx) SpawnPickup(kind PickupKind, pos vec.Vec2, respawn int32) EntityID {
	if kind > PickupHammer || !isFinite(pos) {
		return NoEntity
	}
	return tx.w.sim.spawnPickup(kind, pos, respawn)
}

// Once is the respawn time of a pickup that does not come back after a player has taken it.
const Once int32 = -1

// Shot describes a projectile for [Tx.SpawnProjectile].
type Shot struct {
	// Owner is the player who fires, or Nobody. The zero value is player 0.
	Owner PlayerID
	// Weapon is WeaponGun, WeaponShotgun or WeaponGrenade. It decides the path and the look.
	Weapon Weapon
	Pos    vec.Vec2
	// Dir is the direction of flight. Its length, at most 20, multiplies the weapon's speed.
	Dir vec.Vec2
	// Damage is the damage of a hit: 0 means the weapon's damage, a negative value none.
	Damage int32
	// Ticks is the lifetime in ticks; 0 means the weapon's.
	Ticks int32
	// Explosive makes the shot explode on impact. Grenades always do.
	Explosive bool
}

// SpawnProjectile fires a projectile. It returns NoEntity if a field of s is invalid or there are
// too many projectiles.
func (tx *Tx) SpawnProjectile(s Shot) EntityID {
	if s.Weapon < WeaponGun || s.Weapon > WeaponGrenade || !isFinite(s.Pos) || !(s.Dir.Len() <= maxShotSpeed) ||
		s.Owner != Nobody && tx.player(s.Owner) == nil {
		return NoEntity
	}
	return tx.w.sim.spawnProjectile(s)
}

// SpawnLaser fires a laser of a player, or of Nobody. It hits at once, and again after each
// reflection. SpawnLaser returns NoEntity if dir is zero or there are too many lasers.
func (tx *Tx) SpawnLaser(owner PlayerID, pos, dir vec.Vec2) EntityID {
	if !(dir.Len() > 0 && isFinite(dir)) || !isFinite(pos) || owner != Nobody && tx.player(owner) == nil {
		return NoEntity
	}
	return tx.w.sim.spawnLaser(owner, pos, dir)
}

// Ray is a line along which [Tx.Raycast] searches.
type Ray struct {
	From, To vec.Vec2 // ends of the line; only the first 2048 tiles count
	// IgnoreWalls lets the ray pass through walls.
	IgnoreWalls bool
	// Tees lets the ray stop at living tees, except those in Except. The ray hits a tee whose
	// middle is less than Radius + 28 units away from the line.
	Tees   bool
	Radius float32
	Except PlayerMask
}

// RayHit is the first thing that a ray hit.
type RayHit struct {
	Pos vec.Vec2
	// Player is the tee that the ray hit, or Nobody.
	Player PlayerID
	// Wall reports whether the ray hit a wall; Pos is then just before the wall. Hookable reports
	// whether a hook can hold that wall.
	Wall, Hookable bool
}

// Raycast returns the first hit along a ray, and false without one. Without a hit, Pos is the end
// of the ray.
func (tx *Tx) Raycast(r Ray) (RayHit, bool) {
	hit := RayHit{Pos: r.To, Player: Nobody}
	if !isFinite(r.From) || !isFinite(r.To) {
		return hit, false
	}
	if d := vec.Distance(r.From, r.To); d > maxRay {
		hit.Pos = vec.Mix(r.From, r.To, maxRay/d)
	}
	if !r.IgnoreWalls {
		if _, before, flags := tx.w.collision.IntersectLine(r.From, hit.Pos); flags != 0 {
			hit = RayHit{Pos: before, Player: Nobody, Wall: true, Hookable: flags&physics.NoHook == 0}
		}
	}
	if r.Tees {
		if id, at := tx.w.rayTees(r.From, hit.Pos, r.Radius, r.Except); id != Nobody {
			hit = RayHit{Pos: at, Player: id}
		}
	}
	return hit, hit.Wall || hit.Player != Nobody
}

// rayTees returns the living tee closest to a along the segment to b.
func (w *World) rayTees(a, b vec.Vec2, radius float32, except PlayerMask) (PlayerID, vec.Vec2) {
	best, at, nearest := Nobody, b, float32(math.MaxFloat32)
	for _, id := range w.charOrder.ids[:w.charOrder.count] {
		if except.Has(id) || !w.characters[id].alive {
			continue
		}
		p := w.characters[id].pos
		c := a
		if a != b {
			c = vec.ClosestOnSegment(a, b, p)
		}
		if vec.Distance(p, c) < proximityRadius+radius {
			if d := vec.Distance(a, c); d < nearest {
				best, at, nearest = id, c, d
			}
		}
	}
	return best, at
}

// NearestCharacter returns the living tee closest to pos among those that touch a circle around
// pos, or Nobody. Tees in except are ignored.
func (tx *Tx) NearestCharacter(pos vec.Vec2, radius float32, except PlayerMask) PlayerID {
	best, nearest := Nobody, radius+proximityRadius
	for _, id := range tx.w.charOrder.ids[:tx.w.charOrder.count] {
		if c := &tx.w.characters[id]; c.alive && !except.Has(id) {
			if d := vec.Distance(c.pos, pos); d < nearest {
				best, nearest = id, d
			}
		}
	}
	return best
}

// MoveBox moves a box by its velocity, in units per tick. At a wall the box stops, and the blocked
// component of the velocity is reversed and multiplied by elasticity. MoveBox reports whether the
// box touched a death tile.
func (tx *Tx) MoveBox(pos, vel *vec.Vec2, size vec.Vec2, elasticity float32) (death bool) {
	const most = 32 * physics.TileSize
	if !isFinite(*pos) || !isFinite(*vel) || !(size.X > 0 && size.X <= most) || !(size.Y > 0 && size.Y <= most) {
		return false
	}
	if l := vel.Len(); l > most {
		*vel = vel.Mul(most / l)
	}
	return tx.w.collision.MoveBox(pos, vel, size, elasticity)
}

// TeamMask returns the set of players in a team, for effects and drawings that only they see.
func (tx *Tx) TeamMask(t Team) PlayerMask {
	var m PlayerMask
	for i := range tx.w.players {
		if p := &tx.w.players[i]; p.connected && p.team == t {
			m |= MaskOne(PlayerID(i))
		}
	}
	return m
}

// maxModEvents is the number of events in a tick after which modes and mods can add no more effects
// and texts. Clients see 128 in a snapshot.
const maxModEvents = 4096

// effect adds an effect or a text, unless there are very many.
func (tx *Tx) effect(e Event) {
	if len(tx.w.events) < maxModEvents {
		tx.w.addEvent(e)
	}
}

// Effects without their causes.

// ShowSpawn shows the effect of a spawn.
func (tx *Tx) ShowSpawn(pos vec.Vec2, to PlayerMask) {
	tx.effect(Event{Kind: EvSpawn, To: to, Player: Nobody, Pos: pos})
}

// ShowHammerHit shows the effect of a hammer hit.
func (tx *Tx) ShowHammerHit(pos vec.Vec2, to PlayerMask) {
	tx.effect(Event{Kind: EvHammerHit, To: to, Player: Nobody, Pos: pos})
}

// ShowExplosion shows an explosion without damage.
func (tx *Tx) ShowExplosion(pos vec.Vec2, to PlayerMask) {
	tx.effect(Event{Kind: EvExplosion, To: to, Player: Nobody, Pos: pos})
}

// ShowDeath shows the effect of a death in a player's colours.
func (tx *Tx) ShowDeath(pos vec.Vec2, id PlayerID, to PlayerMask) {
	if tx.player(id) != nil {
		tx.effect(Event{Kind: EvDeath, To: to, Player: id, Pos: pos})
	}
}

// ShowDamage shows n stars, at most 10, for damage to a player from an angle in radians.
func (tx *Tx) ShowDamage(pos vec.Vec2, id PlayerID, angle float32, n int32, to PlayerMask) {
	if tx.player(id) != nil && n > 0 {
		tx.effect(Event{Kind: EvDamage, To: to, Player: id, Target: Nobody, Pos: pos, Angle: vec.Trunc(float32(angle * 256)), Value: min(n, maxHealth)})
	}
}
