package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/vec"
)

// AddEntityKind declares a kind of entities.
func (s *Setup) AddEntityKind(k EntityKind) KindID {
	w, d := s.w, s.declare("AddEntityKind")
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
	// Owner is the player who fires, or -1. The zero value is player 0.
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

// SpawnLaser fires a laser of a player, or of the world if owner is -1. It hits at once, and again
// after each reflection. SpawnLaser returns NoEntity if dir is zero or there are too many lasers.
func (tx *Tx) SpawnLaser(owner PlayerID, pos, dir vec.Vec2) EntityID {
	if !(dir.Len() > 0 && isFinite(dir)) || !isFinite(pos) || owner != Nobody && tx.player(owner) == nil {
		return NoEntity
	}
	return tx.w.sim.spawnLaser(owner, pos, dir)
}

// TeamMask returns the set of players in a team, for effects and drawings that only they see.
func (tx *Tx) TeamMask(t Team) PlayerMask {
	var m PlayerMask
	for i := range tx.w.players {
		if p := &tx.w.players[i]; p.connected && p.team == t {
			m.Add(PlayerID(i))
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
