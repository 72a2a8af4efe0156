package ddrace

import "github.com/teeyard/teeyard/game/vec"

// line is a line sampled about once a unit, as DDNet-Server looks along lines. Samples that are
// certainly in free tiles are skipped.
type line struct {
	a, b Vec
	// parts is the number of parts of equal length. The last part can be incomplete. last is the
	// last sample, or negative without samples.
	parts float32
	last  int32
	// perX and perY are the samples per unit along an axis. margin is the maximum effect of
	// rounding, in units.
	perX, perY, margin float32
}

func newLine(a, b Vec, parts float32, last int32) line {
	l := line{a: a, b: b, parts: parts, last: last}
	l.perX, l.perY = parts/abs(b.X-a.X), parts/abs(b.Y-a.Y)
	l.margin = marginOf(a, b)
	return l
}

// marginOf returns how far rounding can move a sample of a line from a to b, at most.
func marginOf(a, b Vec) float32 {
	return 1.0/16 + float32(max(abs(a.X), abs(a.Y), abs(b.X), abs(b.Y))*(1.0/(1<<21)))
}

// fullLine returns a line whose last sample is b.
func fullLine(a, b Vec) line {
	n := vec.Trunc(vec.Distance(a, b) + 1)
	return newLine(a, b, float32(n), n)
}

// openLine returns a line without b, with samples in steps of exactly one unit.
func openLine(a, b Vec) line {
	d := vec.Distance(a, b)
	n := vec.Trunc(d)
	if float32(n) == d {
		n--
	}
	return newLine(a, b, d, n)
}

// at returns sample s.
func (l *line) at(s int32) Vec { return vec.Mix(l.a, l.b, float32(s)/l.parts) }

// before returns the sample before s.
func (l *line) before(s int32) Vec {
	if s == 0 {
		return l.a
	}
	return l.at(s - 1)
}

// find returns the first sample of a line, from s on, on a tile with one of the marks, and that
// tile. ok is false without one. looks counts the samples.
func (m *Map) find(l *line, s int32, stops marks, looks *int) (sample, tile int32, ok bool) {
	for s <= l.last {
		tile, next := m.look(l, s, stops)
		*looks++
		if m.marks[tile]&stops != 0 {
			return s, tile, true
		}
		s = next
	}
	return 0, 0, false
}

// look returns the tile of a sample, and the next sample that can be on another tile with
// lineMarks. If the tile has one of the marks in stops, that is the following sample.
func (m *Map) look(l *line, s int32, stops marks) (tile, next int32) {
	p := l.at(s)
	x, y := vec.Round(p.X), vec.Round(p.Y)
	column, row := min(max(x/tileSize, 0), m.width-1), min(max(y/tileSize, 0), m.height-1)
	tile = row*m.width + column
	room := int32(m.rings[tile])
	if room == 0 && m.marks[tile]&stops == 0 {
		room = 1 // this tile
	}
	free := float32(unlimited)
	if l.a.X != l.b.X {
		free = freeUnits(p.X, x, column, room, m.width, l.b.X > l.a.X, l.margin) * l.perX
	}
	if l.a.Y != l.b.Y {
		free = min(free, freeUnits(p.Y, y, row, room, m.height, l.b.Y > l.a.Y, l.margin)*l.perY)
	}
	switch {
	case !(free > 1):
		return tile, s + 1
	case free > float32(l.last-s):
		return tile, l.last + 1
	}
	return tile, s + int32(free)
}

// unlimited is more units or samples than any line has.
const unlimited = 1 << 31

// freeUnits returns the distance that a point can move along an axis within the free rings around
// its tile, in units. A point that leaves a map of n tiles never reaches another tile.
func freeUnits(v float32, rounded, tile, room, n int32, up bool, margin float32) float32 {
	switch {
	case up && rounded >= n*tileSize, !up && rounded < 0:
		return unlimited
	case up:
		return float32((tile+room)*tileSize) - 0.5 - margin - v
	}
	return v - float32((tile-room+1)*tileSize) + 0.5 - margin
}

// maxLooks limits the samples of lines that are looked at in a tick: one limit for shots and
// entities, and one for hooks. Beyond it, shots and hooks wait for the next tick, tees do not fire,
// and entities see no tee. The recorded matches need at most 2102.
const maxLooks = 1 << 17

// tired reports whether maxLooks is reached for shots and entities.
func (w *World) tired() bool { return w.looks >= maxLooks }

// lineMarks marks all tiles that lines look for.
const lineMarks = markSolid | markLaserEnd | markNoLaser | markHook | markTele

// countRings counts the rings of tiles without lineMarks around each tile, the tile included. A
// tile has one ring more than its smallest neighbour, so two sweeps are enough.
func (m *Map) countRings() {
	m.rings = make([]uint8, len(m.marks))
	sweep := func(i, dir int32) {
		if m.marks[i]&lineMarks != 0 {
			return
		}
		x, y := i%m.width, i/m.width
		room := m.rings[i]
		if dir > 0 {
			room = 255
		}
		near := func(dx, dy int32) {
			if x+dx >= 0 && x+dx < m.width && y+dy >= 0 && y+dy < m.height {
				if r := m.rings[i+dy*m.width+dx]; r < room {
					room = r + 1
				}
			}
		}
		near(-dir, 0)
		near(-1, -dir)
		near(0, -dir)
		near(1, -dir)
		m.rings[i] = room
	}
	n := int32(len(m.marks))
	for i := range n {
		sweep(i, 1)
	}
	for i := n - 1; i >= 0; i-- {
		sweep(i, -1)
	}
}

// wallLine returns the point where a line from a to b enters a wall, and the sample before it.
// Without a wall, both are b.
func (m *Map) wallLine(a, b Vec, looks *int) (hit, before Vec, wall bool) {
	l := fullLine(a, b)
	s, _, ok := m.find(&l, 0, markSolid, looks)
	if !ok {
		return b, b, false
	}
	return l.at(s), l.before(s), true
}

// weaponLine is wallLine, but also ends at a teleporter of a kind, and returns its number.
func (m *Map) weaponLine(a, b Vec, kind uint8, looks *int) (hit, before Vec, wall bool, number uint8) {
	l := fullLine(a, b)
	for s := int32(0); ; {
		var tile int32
		var ok bool
		if s, tile, ok = m.find(&l, s, markSolid|markTele, looks); !ok {
			return b, b, false, 0
		}
		number = m.teleNumber(tile, kind)
		if wall = number == 0 && m.marks[tile]&markSolid != 0; wall || number != 0 {
			return l.at(s), l.before(s), wall, number
		}
		_, s = m.look(&l, s, 0) // another teleporter
	}
}

// hookLine returns the end of a hook's flight from a to b. hit is the wall that the hook hits, or
// 0; a tile that blocks hooks counts as an unhookable wall. tele is the number of the teleporter
// that the hook enters, or 0.
func (m *Map) hookLine(a, b Vec, oldTeleport bool, looks *int) (end Vec, hit, tele uint8) {
	kind := uint8(teleInHook)
	if oldTeleport {
		kind = TeleIn
	}
	back := throughOffset(a, b)
	l := fullLine(a, b)
	for s := int32(0); ; {
		var tile int32
		var ok bool
		if s, tile, ok = m.find(&l, s, markSolid|markHook|markTele, looks); !ok {
			return b, 0, 0
		}
		p := l.at(s)
		if n := m.teleNumber(tile, kind); n != 0 {
			return p, 0, n
		}
		switch solid := m.marks[tile]&markSolid != 0; {
		case solid && !m.hookPasses(tile, p, back, a, b):
			return p, m.tiles[tile], 0
		case !solid && m.blocksHook(tile, a, b):
			return p, TileNoHook, 0
		case solid:
			s++ // the tile before it can be another one
		default:
			_, s = m.look(&l, s, 0)
		}
	}
}

// endOfLight returns the end of an entity's line from a to b, and whether an obstacle stopped it.
// Laser blockers are obstacles, and so are walls, unless throughWalls is set.
func (m *Map) endOfLight(a, b Vec, throughWalls bool, looks *int) (end Vec, stopped bool) {
	stops := markLaserEnd
	if throughWalls {
		stops = markNoLaser
	}
	l := openLine(a, b)
	if s, _, ok := m.find(&l, 0, stops, looks); ok {
		return l.at(s), true
	}
	return b, false
}
