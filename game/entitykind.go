package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// EntityKind is the behaviour of entities of a mode or mod. All functions are optional. They must
// keep their state in the [Entity], because the world hashes and saves it.
type EntityKind struct {
	// Tick is called for each entity in every tick in which entities move, after the tees have
	// moved, oldest entity first.
	Tick func(ctx *Ctx, e *Entity)
	// Draw is called at the end of every tick, also in a pause. It draws the entity for clients,
	// and must not change the world.
	Draw func(ctx *Ctx, e *Entity, d *Drawing)
	// Reset is called when the map is reset for a match or round. If it is nil, entities from Start
	// or OnEntity stay as they are, and all others are removed.
	Reset func(ctx *Ctx, e *Entity)
	// Parts is the number of lasers, of projectiles and of pickups that Draw can draw: 1 to
	// MaxEntityParts; 0 means 1.
	Parts int

	of owner
}

// KindID identifies an [EntityKind] of a world.
type KindID uint8

// MaxEntityParts is the maximum number of parts of an entity; see [EntityKind.Parts].
const MaxEntityParts = 16

// The limits of things that modes and mods make. They leave enough ids and time for the players.
const (
	maxEntityKinds = 255
	maxEntities    = 1024
	maxModPickups  = 2048
	maxModShots    = 2048 // projectiles, and lasers
	reservedIDs    = 4096 // entity ids that only the rules take
	maxDrawn       = 4096 // projectiles, lasers, and pickups
	maxRay         = 2048 * physics.TileSize
	maxShotSpeed   = 20 // times that of the weapon
)

// Entity is a thing in the world whose kind a mode or mod declares. It is plain data: the world
// hashes, saves and resets it.
type Entity struct {
	// Pos and Vel are a position and a velocity, in units and units per tick. The world does not
	// move entities: EntityKind.Tick does, for example with [Map.MoveBox].
	Pos vec.Vec2
	Vel vec.Vec2
	// To is the other end of a beam, a destination, or any other vector that the kind needs. A
	// vector that is not finite or is longer than 2^24 units becomes zero.
	To vec.Vec2
	// Owner is a player, or -1. The zero value is player 0. It becomes -1 when the player leaves.
	Owner PlayerID
	Team  Team
	// Data are numbers for the kind's own use.
	Data [8]int32

	id        EntityID
	kind      KindID
	permanent bool // made with the map
	removed   bool
	born      int32 // tick
	parts     [MaxEntityParts]uint16
}

// ID returns the entity's id.
func (e *Entity) ID() EntityID { return e.id }

// Kind returns the entity's kind.
func (e *Entity) Kind() KindID { return e.kind }

// Born returns the tick in which the entity was made. Ticks in which entities stand still, such as
// in a pause, do not count: they move the result.
func (e *Entity) Born() int32 { return e.born }

// Remove removes the entity from the world at the end of the tick.
func (e *Entity) Remove() { e.removed = true }

// Drawing collects the things that clients show of an entity. A part is a number from 0 to
// EntityKind.Parts-1. Use the same part for the same thing in each tick: clients then show it as
// one moving thing. A laser, a projectile and a pickup can each use the same part number. The
// argument to is the set of players who see the thing.
type Drawing struct {
	w *World
	e *Entity
}

// notFor returns the id of a part and the players who do not see it. It returns false if the part
// cannot be drawn.
func (d *Drawing) notFor(part int, to PlayerMask, drawn int) (id uint16, hidden PlayerMask, ok bool) {
	if part < 0 || part >= d.w.entityKinds[d.e.kind-1].Parts || drawn >= maxDrawn || to.IsEmpty() {
		return 0, PlayerMask{}, false
	}
	return d.e.parts[part], to.Not(), true
}

// Laser draws a laser beam of full width between two points.
func (d *Drawing) Laser(part int, from, pos vec.Vec2, to PlayerMask) {
	list := &d.w.drawn.lasers
	if id, hidden, ok := d.notFor(part, to, len(*list)); ok && isFinite(from) && isFinite(pos) {
		*list = append(*list, laserState(id, pos, from, d.w.tick, hidden))
	}
}

// Pickup draws a pickup that players cannot take.
func (d *Drawing) Pickup(part int, kind PickupKind, pos vec.Vec2, to PlayerMask) {
	list := &d.w.drawn.pickups
	if id, hidden, ok := d.notFor(part, to, len(*list)); ok && kind <= PickupHammer && isFinite(pos) {
		*list = append(*list, pickupState(id, kind, pos, hidden))
	}
}

// Projectile draws a projectile of a gun, shotgun or grenade launcher that moves vel units per
// tick. WeaponHammer draws a trail of light instead. The trail does not move.
func (d *Drawing) Projectile(part int, weapon Weapon, pos, vel vec.Vec2, to PlayerMask) {
	list := &d.w.drawn.projectiles
	id, hidden, ok := d.notFor(part, to, len(*list))
	if !ok || weapon < WeaponHammer || weapon > WeaponGrenade || !isFinite(pos) || !isFinite(vel) {
		return
	}
	// Clients show a projectile from its start on, and the time between the last two
	// snapshots. So it starts one round of snapshots earlier than now.
	const lead = 2
	start, dir, startTick := pos, vec.Vec2{}, max(d.w.tick-lead, 0)
	shot := tee.Weapon(weapon)
	if _, speed := shot.Path(&d.w.tuning); speed > 0 {
		dir = vel.Mul(TickRate / speed)
		start = pos.Sub(shot.ShotAt(pos, dir, &d.w.tuning, lead/float32(TickRate)).Sub(pos))
	}
	*list = append(*list, d.w.projectileState(id, shot, start, dir, startTick, hidden))
}

// drawn holds the things that entities draw. It is rebuilt in every tick.
type drawn struct {
	projectiles []ProjectileState
	lasers      []LaserState
	pickups     []PickupState
}

// newHandle returns the id of the next thing that a mode or mod makes.
func (w *World) newHandle() EntityID {
	w.lastEntity++
	return w.lastEntity
}

// hasIDs reports whether a mode or mod can have n more entity ids.
func (w *World) hasIDs(n int) bool {
	return w.entityIDs.Used()+n <= tee.MaxIDs-reservedIDs
}

// spawnEntity makes an entity. It returns nil if there are too many.
func (w *World) spawnEntity(kind KindID, template *Entity) *Entity {
	if kind == 0 || int(kind) > len(w.entityKinds) || len(w.entities) >= maxEntities {
		return nil
	}
	parts := w.entityKinds[kind-1].Parts
	if !w.hasIDs(parts) {
		return nil
	}
	if w.entities == nil {
		// Functions of kinds hold pointers to entities while others are made.
		w.entities = make([]Entity, 0, maxEntities)
	}
	w.entities = append(w.entities, *template)
	e := &w.entities[len(w.entities)-1]
	e.id, e.kind, e.born, e.permanent, e.removed = w.newHandle(), kind, w.tick, w.building, false
	e.tidy(w)
	w.usesEntities = true
	e.parts = [MaxEntityParts]uint16{}
	for i := range parts {
		e.parts[i], _ = w.entityIDs.Alloc()
	}
	return e
}

// findEntity returns the entity with that id, or nil.
func (w *World) findEntity(id EntityID) *Entity {
	lo, hi := 0, len(w.entities) // ascending by id
	for lo < hi {
		if mid := (lo + hi) / 2; w.entities[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(w.entities) || w.entities[lo].id != id || w.entities[lo].removed {
		return nil
	}
	return &w.entities[lo]
}

// eachEntity calls a function of the kinds for the entities that there are now.
func (w *World) eachEntity(call func(k *EntityKind, ctx *Ctx, e *Entity)) {
	for i, n := 0, len(w.entities); i < n; i++ {
		e := &w.entities[i]
		if e.removed {
			continue
		}
		if c := w.enterHook(); c != nil {
			k := &w.entityKinds[e.kind-1]
			w.protect(k.of, func() { call(k, &c.ctx, e) })
			w.exitHook(c)
		}
	}
}

func (w *World) tickKinds() {
	w.eachEntity(func(k *EntityKind, ctx *Ctx, e *Entity) {
		if k.Tick != nil {
			k.Tick(ctx, e)
		}
	})
}

func (w *World) resetKinds() {
	w.eachEntity(func(k *EntityKind, ctx *Ctx, e *Entity) {
		if k.Reset != nil {
			k.Reset(ctx, e)
		} else if !e.permanent {
			e.removed = true
		}
	})
}

// finishEntities removes entities that are gone and draws the others.
func (w *World) finishEntities() {
	w.sim.sweep()
	w.drawEntities()
}

func (w *World) drawEntities() {
	w.drawn.projectiles, w.drawn.lasers, w.drawn.pickups = w.drawn.projectiles[:0], w.drawn.lasers[:0], w.drawn.pickups[:0]
	w.eachEntity(func(k *EntityKind, ctx *Ctx, e *Entity) {
		if k.Draw != nil {
			w.drawing.w, w.drawing.e = w, e
			k.Draw(ctx, e, &w.drawing)
			w.drawing = Drawing{}
		}
		e.tidy(w)
	})
}

// tidy replaces invalid values in the fields that mods can set.
func (e *Entity) tidy(w *World) {
	for _, p := range [...]*vec.Vec2{&e.Pos, &e.Vel, &e.To} {
		if !isFinite(*p) {
			*p = vec.Vec2{}
		}
	}
	if w.tx.player(e.Owner) == nil {
		e.Owner = Nobody
	}
	e.Team = min(max(e.Team, TeamSpectators), TeamBlue)
}

// removeModEntities removes the entities that are marked as removed.
func (w *World) removeModEntities() {
	kept := w.entities[:0]
	for i := range w.entities {
		e := &w.entities[i]
		if !e.removed {
			kept = append(kept, *e)
			continue
		}
		for _, id := range e.parts[:w.entityKinds[e.kind-1].Parts] {
			w.entityIDs.Free(id)
		}
	}
	w.entities = kept
}

// disownEntities clears the owner of a leaving player's entities.
func (w *World) disownEntities(id PlayerID) {
	for i := range w.entities {
		if e := &w.entities[i]; e.Owner == id {
			e.Owner = Nobody
		}
	}
}

// isFinite reports whether the coordinates of a vector are numbers within the world's limits.
func isFinite(v vec.Vec2) bool {
	const limit = 1 << 24 // of the exact whole numbers
	return v.X > -limit && v.X < limit && v.Y > -limit && v.Y < limit
}
