package ddrace

import (
	"slices"

	"github.com/teeyard/teeyard/game/vec"
)

// entities are the things in the world besides tees. The lists go from the oldest to the newest.
// Ticks walk through them backwards, and do not reach things that are added meanwhile.
type entities struct {
	projectiles []Projectile
	// beams are the shots of tees and map entities along lines. fixtures are the lights, draggers
	// and turrets, all older than the beams. DDNet keeps both in one list, together with doors,
	// which do nothing.
	beams    []beam
	shots    int // lasers and plasma of beams
	fixtures []fixture
	lights   []light
	draggers []dragger
	turrets  []turret
	pickups  []Pickup
}

// maxShots limits the shots that are on their way, since a map's tuning can give them no end and no
// reload time.
const maxShots = 2048

// beamsFull reports whether the world is full of lasers and plasma.
func (e *entities) beamsFull() bool { return e.shots >= maxShots }

// addShot adds a laser or plasma.
func (e *entities) addShot(b beam) {
	e.beams = append(e.beams, b)
	e.shots++
}

// beamKind is the kind of a beam.
type beamKind uint8

const (
	beamLaser beamKind = iota
	beamDragger
	beamPlasma
)

// beam is a beam of a tee, one of a dragger, or plasma.
type beam struct {
	id     uint16
	kind   beamKind
	gone   bool
	target int8  // the tee of a dragger's beam or of plasma
	of     int32 // the dragger
	laser  laser
	plasma plasma
}

// fixture is an entity of the map that does not go away.
type fixture struct {
	kind  fixtureKind
	index int32 // in the list of its kind
}

type fixtureKind uint8

const (
	fixtureLight fixtureKind = iota
	fixtureDragger
	fixtureTurret
)

// createEntities creates the entities of the map.
func (w *World) createEntities() {
	e := &w.entities
	for i := range w.m.Entities {
		from := &w.m.Entities[i]
		switch k := from.Kind; {
		case k >= EntityLight && k <= entityLightEnd:
			e.fixtures = append(e.fixtures, fixture{fixtureLight, int32(len(e.lights))})
			e.lights = append(e.lights, newLight(from))
		case k >= EntityDragger && k <= entityDraggerEnd:
			e.fixtures = append(e.fixtures, fixture{fixtureDragger, int32(len(e.draggers))})
			e.draggers = append(e.draggers, newDragger(from))
		case k >= EntityTurretExplosive && k <= EntityTurretUnfreeze:
			e.fixtures = append(e.fixtures, fixture{fixtureTurret, int32(len(e.turrets))})
			e.turrets = append(e.turrets, newTurret(from))
		case k == EntityBulletExplosive || k == EntityBullet:
			e.projectiles = append(e.projectiles, w.newCrazyBullet(from))
		case k == EntityDoor:
		default:
			e.pickups = append(e.pickups, Pickup{Kind: k, carried: carried{Pos: from.Pos, Layer: from.Layer, Number: from.Number}})
		}
	}
}

// tickEntities ticks projectiles, then beams and fixtures (lasers, plasma, lights, draggers,
// turrets), then pickups.
func (w *World) tickEntities() {
	e := &w.entities
	for i := len(e.projectiles) - 1; i >= 0; i-- {
		w.tickProjectile(&e.projectiles[i])
	}
	for i := len(e.beams) - 1; i >= 0; i-- {
		switch b := &e.beams[i]; {
		case b.kind == beamLaser:
			w.tickLaser(b)
		case b.gone:
		case b.kind == beamDragger:
			w.tickDraggerBeam(b)
		case b.kind == beamPlasma:
			w.tickPlasma(b)
		}
	}
	for i := len(e.fixtures) - 1; i >= 0; i-- {
		switch f := e.fixtures[i]; f.kind {
		case fixtureLight:
			w.tickLight(&e.lights[f.index])
		case fixtureDragger:
			w.tickDragger(f.index)
		case fixtureTurret:
			w.tickTurret(&e.turrets[f.index])
		}
	}
	for i := len(e.pickups) - 1; i >= 0; i-- {
		w.tickPickup(&e.pickups[i])
	}
}

// removeEntities removes the entities that ended in this tick.
func (w *World) removeEntities() {
	e := &w.entities
	e.projectiles = slices.DeleteFunc(e.projectiles, func(p Projectile) bool { return p.gone })
	// Beams of draggers that chose other tees end together.
	chosen := w.endBeams
	w.endBeams = false
	e.beams = slices.DeleteFunc(e.beams, func(b beam) bool {
		if chosen && b.kind == beamDragger && !e.draggers[b.of].beams.Has(int(b.target)) {
			return true
		}
		if b.gone && b.kind != beamDragger {
			e.shots--
		}
		return b.gone
	})
}

// owner returns the living tee of a player, in the world or paused; nil if there is none.
func (w *World) owner(id int8) *Tee {
	if id < 0 || !w.players[id].alive {
		return nil
	}
	return &w.tees[id]
}

// firstOnLine returns the first tee within a distance (units) of the line from a to b, and the
// point of the line closest to it. The tee differs from except, and is only if that is set. It must
// be able to collide with the tee of player with, unless with is noTee.
func (w *World) firstOnLine(a, b Vec, distance float32, except *Tee, with int8, only *Tee) (first *Tee, at Vec) {
	best, around := vec.Distance(a, b)*100, boxAround(a, b, teeSize+distance)
	for t := range w.newest {
		if around.misses(t.Pos) || t == except || only != nil && t != only || with >= 0 && !w.canCollide(int(t.id), int(with)) {
			continue
		}
		p, ok := closest(a, b, t.Pos)
		if !ok || !(vec.Distance(t.Pos, p) < teeSize+distance) {
			continue
		}
		if l := vec.Distance(a, p); l < best {
			first, at, best = t, p, l
		}
	}
	return first, at
}
