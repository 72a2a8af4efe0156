package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
)

// EntityKind is the kind of a map entity: its tile index minus 191.
type EntityKind uint8

// The kinds of entities. The names of turrets, draggers and crazy bullets tell their effect.
const (
	EntitySpawn           EntityKind = 1 // to 3, all alike
	EntityArmor           EntityKind = 6 // takes all weapons
	EntityHealth          EntityKind = 7 // freezes
	EntityShotgun         EntityKind = 8
	EntityGrenade         EntityKind = 9
	EntityNinja           EntityKind = 10
	EntityLaser           EntityKind = 11
	EntityLight           EntityKind = 12 // to 18: from fast against the clock over fixed to fast with the clock
	entityLightEnd        EntityKind = 18
	entityLength          EntityKind = 19 // to 21: length of lights and doors
	entityClosing         EntityKind = 22 // to 24: a light that begins at its full length, slow to fast
	entityOpening         EntityKind = 25 // to 27: one that begins at 0
	entityPartEnd         EntityKind = 27
	EntityTurretExplosive EntityKind = 29
	EntityTurretFreeze    EntityKind = 30
	EntityTurretBoth      EntityKind = 31
	EntityTurretUnfreeze  EntityKind = 32
	EntityBulletExplosive EntityKind = 33 // a crazy bullet
	EntityBullet          EntityKind = 34
	EntityNoShotgun       EntityKind = 35 // takes the weapon
	EntityNoGrenade       EntityKind = 36
	EntityNoNinja         EntityKind = 37
	EntityNoLaser         EntityKind = 38
	EntityDragger         EntityKind = 42 // to 44: weak, normal, strong
	EntityDraggerThrough  EntityKind = 45 // to 47: the same through walls
	entityDraggerEnd      EntityKind = 47
	EntityDoor            EntityKind = 49
)

// Layer is a layer of a terrain, with the values in DDNet's snapshots.
type Layer uint8

// The layers.
const (
	LayerGame Layer = iota
	LayerFront
	LayerTele
	LayerSpeedup
	LayerSwitch
	LayerTune
	layerSettings // not a layer, but a place of faults
)

// String returns the name of the layer.
func (l Layer) String() string {
	return [...]string{"game", "front", "tele", "speedup", "switch", "tune", "settings"}[min(l, layerSettings)]
}

// Entity is an entity of a map, before the game begins.
type Entity struct {
	Kind   EntityKind
	Layer  Layer
	Number uint8 // of its switch, 0 if it works always
	// Turn is the direction of bullets, in quarter turns counterclockwise from downwards, and of
	// lights and doors, in eighths of a turn.
	Turn uint8
	// Length is the full length of lights and doors, in units.
	Length int16
	// Growth is the change of a light's length in units per tick. Opening lights start with length
	// 0.
	Growth  int8
	Opening bool
	Pos     Vec
}

const (
	// maxEntities limits a map's cost in each tick. DDNet-Server has 32768 ids for all things in
	// the world.
	maxEntities = 12288
	// maxSeeing limits the draggers and turrets. Each of them looks for all tees.
	maxSeeing = 1024
	// maxSpawns is the maximum number of spawn points of each kind.
	maxSpawns = 64
)

// sides are the offsets of the neighbours, in the order of DDNet's directions: counterclockwise
// from below.
var sides = [8]struct{ x, y int32 }{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}

// scan creates the entities and applies the tiles that count for the whole map.
func (m *Map) scan() {
	var over overflow
	for i := range int32(len(m.tiles)) {
		for _, l := range [...]Layer{LayerGame, LayerFront, LayerSwitch} {
			index, flags, number := m.entityTile(l, i)
			if l != LayerSwitch {
				m.Settings.applyTile(index)
			}
			if index >= tileEntities {
				m.addEntity(EntityKind(index-tileEntities+1), l, i, flags, number, &over)
			}
		}
	}
	for l := range LayerTune {
		m.Faults.add(l, m, over.entities[l], fmt.Sprintf("the map has more than %d entities, this one is missing", maxEntities))
		m.Faults.add(l, m, over.seeing[l], fmt.Sprintf("the map has more than %d draggers and turrets, this one is missing", maxSeeing))
		m.Faults.add(l, m, over.spawns[l], fmt.Sprintf("the map has more than %d spawn points of this kind, this one is not used", maxSpawns))
	}
}

// entityTile returns a tile of one of the layers with entities, 0 if the map lacks that layer.
func (m *Map) entityTile(l Layer, i int32) (index uint8, flags terrain.TileFlags, number uint8) {
	if l == LayerSwitch {
		t := m.switchTile(i)
		return t.Type, t.Flags, t.Number
	}
	index, flags = m.tileAndFlags(i, l == LayerFront)
	return index, flags, 0
}

// part returns the kind of the entity that is steps tiles away in the direction of a side, or 0.
func (m *Map) part(l Layer, i int32, side, steps int) EntityKind {
	x, y := i%m.width+sides[side].x*int32(steps), i/m.width+sides[side].y*int32(steps)
	if x < 0 || y < 0 || x >= m.width || y >= m.height {
		return 0
	}
	index, _, _ := m.entityTile(l, y*m.width+x)
	if index < tileEntities {
		return 0
	}
	return EntityKind(index - tileEntities + 1)
}

// addEntity adds the entity of a tile.
func (m *Map) addEntity(kind EntityKind, l Layer, i int32, flags terrain.TileFlags, number uint8, over *overflow) {
	e := Entity{Kind: kind, Layer: l, Number: number, Pos: m.center(i)}
	switch {
	case kind >= EntitySpawn && kind < EntitySpawn+3:
		s := &m.Spawns[kind-EntitySpawn]
		if len(*s) == maxSpawns {
			over.spawns[l].add(i)
			return
		}
		*s = append(*s, e.Pos)
	case kind >= EntityLight && kind <= entityLightEnd, kind == EntityDoor:
		for side := range sides {
			length := m.part(l, i, side, 1)
			if length < entityLength || length >= entityLength+3 {
				continue
			}
			e.Turn, e.Length = uint8(side), int16(length-entityLength+1)*3*tileSize
			if kind != EntityDoor {
				e.Growth, e.Opening = 0, false
				switch part := m.part(l, i, side, 2); {
				case part >= entityClosing && part < entityOpening:
					e.Growth = int8(part-entityClosing)*2 + 1
				case part >= entityOpening && part <= entityPartEnd:
					e.Growth, e.Opening = int8(part-entityOpening)*2+1, true
				}
			}
			if m.insert(e, i, over) && kind == EntityDoor {
				m.closeDoor(&e, i)
			}
		}
	case kind == EntityBulletExplosive, kind == EntityBullet:
		switch flags {
		case turned0:
		case turned90:
			e.Turn = 1
		case turned180:
			e.Turn = 2
		default:
			e.Turn = 3
		}
		m.insert(e, i, over)
	case kind >= EntityTurretExplosive && kind <= EntityTurretUnfreeze, kind >= EntityDragger && kind <= entityDraggerEnd:
		if over.seen == maxSeeing {
			over.seeing[l].add(i)
			return
		}
		over.seen++
		m.insert(e, i, over)
	case kind >= EntityArmor && kind <= EntityLaser, kind >= EntityNoShotgun && kind <= EntityNoLaser:
		m.insert(e, i, over)
	}
}

// overflow counts the entities and spawn points beyond the limits.
type overflow struct {
	entities, seeing, spawns [LayerTune]tally
	seen                     int // draggers and turrets
}

// insert adds an entity and reports whether there was room for it.
func (m *Map) insert(e Entity, i int32, over *overflow) bool {
	if len(m.Entities) == maxEntities {
		over.entities[e.Layer].add(i)
		return false
	}
	m.Entities = append(m.Entities, e)
	return true
}

// closeDoor writes a door into the door tiles, up to the first wall. The tiles get the door's
// number.
func (m *Map) closeDoor(e *Entity, i int32) {
	g, f := m.tiles[i], m.frontAt(i)
	if m.doors == nil || g >= TileSolid && g <= tileNoLaser || f == TileDeath || f == tileNoLaser {
		return
	}
	dir := directionOf(e.Turn)
	for s := range int32(e.Length) - 1 {
		p := Vec{X: e.Pos.X + float32(dir.X*float32(s)), Y: e.Pos.Y + float32(dir.Y*float32(s))}
		if m.walls.IsSolid(p) {
			return
		}
		m.doors[m.pureIndex(p)] = doorTile{closed: true, number: e.Number}
	}
}

// directionOf returns the direction of a counterclockwise angle from below, in eighths of a turn.
func directionOf(eighths uint8) Vec { return direction(float32(pi / 4 * float32(eighths))) }

// direction returns the direction of a counterclockwise angle from below, in radians.
func direction(angle float32) Vec { return Vec{X: vec.Sin(angle), Y: vec.Cos(angle)} }
