package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
)

// Vec is a point or velocity.
type Vec = vec.Vec2

const tileSize = physics.TileSize

// Map is a terrain prepared for the simulation. A Map does not change, so worlds can share it.
type Map struct {
	// Settings are the base settings of [NewMap], changed by the map's own settings and its
	// map-wide tiles.
	Settings Settings
	// Entities are in the order in which DDNet-Server creates them.
	Entities []Entity
	// Spawns are the spawn points of the three kinds. DDRace uses all of them.
	Spawns [3][]Vec
	// Switches is the highest switch number, 0 if there are none.
	Switches int
	// Faults are the tiles and settings of the map that the simulation does not support.
	Faults Faults

	walls         *physics.Collision
	width, height int32
	tiles         []uint8
	flags         []terrain.TileFlags // nil if no tile has any
	front         []uint8             // nil without the layer, as the following
	frontFlags    []terrain.TileFlags
	tele          []terrain.TeleTile
	speedup       []terrain.SpeedupTile
	switches      []terrain.SwitchTile
	tune          []terrain.TuneTile
	doors         []doorTile
	marks         []marks
	rings         []uint8 // see countRings
	outs          exits   // of the teleporters
	checkOuts     exits   // of the checkpoints
}

// doorTile is a tile of a closed door, or air.
type doorTile struct {
	closed bool
	number uint8
}

// marks are the properties of a tile that are often asked for.
type marks uint8

const (
	markExists   marks = 1 << iota // a tee that passes it must handle it
	markLaserEnd                   // walls and laser blockers
	markNoLaser                    // laser blockers
	markDeath
	markHook // hooks can be blocked or let through here
	markSolid
	markTele // a teleporter that hooks or weapons may take
)

// exits are the destinations of teleporters, sorted by number and then by tile.
type exits struct {
	tiles []int32    // sorted by number, then by place
	first [257]int32 // tiles[first[n]:first[n+1]] are those of number n
}

// count returns the number of exits of a number.
func (e *exits) count(n uint8) int32 { return e.first[int(n)+1] - e.first[n] }

// NewMap prepares a terrain. base has the settings of the server; the map can change them.
func NewMap(t *terrain.Terrain, base Settings) (*Map, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	walls, err := physics.NewCollision(t.Width, t.Height, t.Tiles)
	if err != nil {
		return nil, fmt.Errorf("ddrace: %w", err)
	}
	m := &Map{
		Settings: base.Clone(), walls: walls, width: int32(t.Width), height: int32(t.Height),
		tiles: t.Tiles, flags: t.Flags, front: t.Front, frontFlags: t.FrontFlags,
		tele: t.Tele, speedup: t.Speedup, tune: t.Tune,
	}
	m.Settings.execRelease(t.Settings)
	for i, line := range t.Settings {
		known := len(m.Faults.List)
		m.Settings.exec(line, &m.Faults)
		for j := known; j < len(m.Faults.List); j++ {
			m.Faults.List[j].Setting = i
		}
	}
	m.Settings.alone()
	m.prepareSwitches(t.Switch)
	m.outs.collect(m.tele, TeleOut)
	m.checkOuts.collect(m.tele, TeleCheckOut)
	m.findFaults(t)
	m.markLasers()
	m.scan()
	m.markTiles()
	m.countRings()
	return m, nil
}

// prepareSwitches drops the switch tiles without a meaning, and numbers the doors.
func (m *Map) prepareSwitches(layer []terrain.SwitchTile) {
	if layer == nil {
		return
	}
	m.switches = make([]terrain.SwitchTile, len(layer))
	m.doors = make([]doorTile, len(layer))
	for i, t := range layer {
		m.Switches = max(m.Switches, int(t.Number))
		m.doors[i].number = t.Number
		known := t.Type >= switchJumps && t.Type <= switchSubTime || t.Type == tileTelePoint || t.Type == tileTeleBlue || t.Type > tileHooking
		if !known {
			t.Type = 0
		}
		m.switches[i] = t
	}
}

// collect finds the exits of a type.
func (e *exits) collect(tele []terrain.TeleTile, kind uint8) {
	for _, t := range tele {
		if t.Type == kind && t.Number != 0 {
			e.first[int(t.Number)+1]++
		}
	}
	for n := 1; n < len(e.first); n++ {
		e.first[n] += e.first[n-1]
	}
	e.tiles = make([]int32, e.first[256])
	next := e.first
	for i, t := range tele {
		if t.Type == kind && t.Number != 0 {
			e.tiles[next[t.Number]] = int32(i)
			next[t.Number]++
		}
	}
}

// markLasers sets the marks that entities need when they are created.
func (m *Map) markLasers() {
	m.marks = make([]marks, len(m.tiles))
	for i, g := range m.tiles {
		f := m.frontAt(int32(i))
		var v marks
		if g == tileNoLaser || f == tileNoLaser {
			v |= markNoLaser | markLaserEnd
		}
		if g == TileSolid || g == TileNoHook {
			v |= markLaserEnd | markSolid
		}
		if g == TileDeath || f == TileDeath {
			v |= markDeath
		}
		m.marks[i] = v
	}
}

// markTiles sets the remaining marks. They depend on doors.
func (m *Map) markTiles() {
	for i, g := range m.tiles {
		f := m.frontAt(int32(i))
		if g == tileThroughAll || g == tileThroughDir || f == tileThroughAll || f == tileThroughDir || f == tileCut {
			m.marks[i] |= markHook
		}
		if m.tele != nil {
			if t := m.tele[i]; t.Number != 0 && (t.Type == teleInHook || t.Type == teleInWeapon || t.Type == TeleIn) {
				m.marks[i] |= markTele
			}
		}
		if m.exists(int32(i), g, f) {
			m.marks[i] |= markExists
		}
	}
}

// exists reports whether a tee handles the tile.
func (m *Map) exists(i int32, g, f uint8) bool {
	acts := func(index uint8) bool {
		return index >= TileFreeze && index <= tileUntelelaser || index == TileLive || index == tileUnlive
	}
	switch {
	case acts(g), acts(f),
		m.speedup != nil && m.speedup[i].Force > 0,
		m.doors != nil && m.doors[i].closed,
		m.switches != nil && m.switches[i].Type != 0,
		m.tune != nil && m.tune[i].Type != 0:
		return true
	}
	if m.tele != nil {
		switch m.tele[i].Type {
		case TeleIn, TeleInEvil, TeleCheckInEvil, teleCheck, TeleCheckIn:
			return true
		}
	}
	return m.besideStopper(i)
}

// besideStopper reports whether a neighbour keeps tees from moving onto it. Rows are not separated:
// the right neighbour of a row's last tile is the first tile of the next row.
func (m *Map) besideStopper(i int32) bool {
	n := int32(len(m.tiles))
	left, above, right, below := i, i, i, i
	if i-1 > 0 {
		left = i - 1
	}
	if i-m.width > 0 {
		above = i - m.width
	}
	if i+1 < n {
		right = i + 1
	}
	if i+m.width < n {
		below = i + m.width
	}
	stops := func(at int32, turned terrain.TileFlags) bool {
		for front := range 2 {
			index, flags := m.tileAndFlags(at, front == 1)
			if index == tileStop && flags == turned || index == tileStops || index == tileStopAll {
				return true
			}
		}
		return m.doors != nil && m.doors[at].closed
	}
	return stops(right, turned270) || stops(left, turned90) || stops(below, turned0) || stops(above, turned180)
}

// frontAt returns the index of a tile of the front layer, 0 without that layer.
func (m *Map) frontAt(i int32) uint8 {
	if m.front == nil {
		return 0
	}
	return m.front[i]
}

// tileAndFlags returns a tile of the game layer or of the front layer.
func (m *Map) tileAndFlags(i int32, front bool) (index uint8, flags terrain.TileFlags) {
	tiles, all := m.tiles, m.flags
	if front {
		tiles, all = m.front, m.frontFlags
	}
	if tiles == nil {
		return 0, 0
	}
	if all != nil {
		flags = all[i]
	}
	return tiles[i], flags
}

// Width returns the width in tiles.
func (m *Map) Width() int { return int(m.width) }

// Height returns the height in tiles.
func (m *Map) Height() int { return int(m.height) }

// pureIndex returns the index of the tile at the nearest whole position. Outside of the map it
// returns the nearest tile of the border.
func (m *Map) pureIndex(p Vec) int32 { return int32(m.walls.TileIndex(p.X, p.Y)) }

// truncIndex is pureIndex for the position without its fraction.
func (m *Map) truncIndex(p Vec) int32 {
	x := min(max(vec.Trunc(p.X)/tileSize, 0), m.width-1)
	y := min(max(vec.Trunc(p.Y)/tileSize, 0), m.height-1)
	return y*m.width + x
}

// mapIndex returns the index of the tile at a position, -1 if tees need not handle it.
func (m *Map) mapIndex(p Vec) int32 {
	i := m.truncIndex(p)
	if m.marks[i]&markExists == 0 {
		return -1
	}
	return i
}

// appendWay appends the indices of the tiles that a tee must handle on its way from a to b.
func (m *Map) appendWay(dst []int32, a, b Vec) []int32 {
	d := vec.Distance(a, b)
	if d == 0 {
		if i := m.mapIndex(b); i >= 0 {
			dst = append(dst, i)
		}
		return dst
	}
	if !m.acts(a, b) {
		return dst
	}
	last := int32(0)
	for s := range vec.Trunc(d + 1) {
		i := m.mapIndex(vec.Mix(a, b, float32(s)/d))
		if i >= 0 && i != last {
			dst = append(dst, i)
			last = i
		}
	}
	return dst
}

// acts reports whether the rectangle around the way from a to b may have a tile that tees handle.
func (m *Map) acts(a, b Vec) bool {
	const margin, most = 1, 16 // units, tiles
	first := m.truncIndex(Vec{X: min(a.X, b.X) - margin, Y: min(a.Y, b.Y) - margin})
	last := m.truncIndex(Vec{X: max(a.X, b.X) + margin, Y: max(a.Y, b.Y) + margin})
	columns := last%m.width - first%m.width
	if columns >= most || last-first >= most*m.width {
		return true // to look at all would take longer than to go the way
	}
	for ; first <= last; first += m.width {
		for i := first; i <= first+columns; i++ {
			if m.marks[i]&markExists != 0 {
				return true
			}
		}
	}
	return false
}

// outside reports whether a point is so far outside of the map that tees die and bullets end.
func (m *Map) outside(p Vec) bool {
	x, y := vec.Round(p.X)/tileSize, vec.Round(p.Y)/tileSize
	return x < -200 || x > m.width+200 || y < -200 || y > m.height+200
}

// center returns the middle of a tile.
func (m *Map) center(i int32) Vec {
	return Vec{X: float32(i%m.width*tileSize + tileSize/2), Y: float32(i/m.width*tileSize + tileSize/2)}
}

// exit returns exit i of a number, 0 <= i < count(n).
func (m *Map) exit(e *exits, n uint8, i int32) Vec { return m.center(e.tiles[e.first[n]+i]) }

// teleNumber returns the number of a tile of the tele layer if it is of that type, otherwise 0.
func (m *Map) teleNumber(i int32, kind uint8) uint8 {
	if i < 0 || m.tele == nil || m.tele[i].Type != kind {
		return 0
	}
	return m.tele[i].Number
}

// tuneZone returns the tune zone of a tile, 0 if it is in none.
func (m *Map) tuneZone(i int32) uint8 {
	if i < 0 || m.tune == nil || m.tune[i].Type == 0 {
		return 0
	}
	return m.tune[i].Number
}

// switchTile returns a tile of the switch layer, or the zero value.
func (m *Map) switchTile(i int32) terrain.SwitchTile {
	if i < 0 || m.switches == nil || m.switches[i].Type == 0 {
		return terrain.SwitchTile{}
	}
	return m.switches[i]
}
