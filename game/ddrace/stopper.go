package ddrace

import "github.com/teeyard/teeyard/game/terrain"

// Restrictions are the directions in which a tee cannot move.
type Restrictions uint8

const (
	cannotLeft Restrictions = 1 << iota
	cannotRight
	cannotUp
	cannotDown
	cannotMove = cannotLeft | cannotRight | cannotUp | cannotDown
)

// clamp returns a velocity without its components into restricted directions.
func (r Restrictions) clamp(v Vec) Vec {
	if v.X > 0 && r&cannotRight != 0 || v.X < 0 && r&cannotLeft != 0 {
		v.X = 0
	}
	if v.Y > 0 && r&cannotDown != 0 || v.Y < 0 && r&cannotUp != 0 {
		v.Y = 0
	}
	return v
}

// SwitchSet is a set of switch numbers, such as the active switches of a team.
type SwitchSet [8]uint32

// Has reports whether a number is in the set.
func (s *SwitchSet) Has(n uint8) bool { return s[n>>5]>>(n&31)&1 != 0 }

// Set adds or removes a number.
func (s *SwitchSet) Set(n uint8, in bool) {
	s[n>>5] &^= 1 << (n & 31)
	if in {
		s[n>>5] |= 1 << (n & 31)
	}
}

// stopperOf returns the directions that a stopper forbids.
func stopperOf(index uint8, flags terrain.TileFlags) Restrictions {
	turned := flags & turnMask
	switch index {
	case tileStop:
		switch turned {
		case turned0, turned180 ^ terrain.TileFlipY:
			return cannotDown
		case turned90, turned270 ^ terrain.TileFlipY:
			return cannotLeft
		case turned180, turned0 ^ terrain.TileFlipY:
			return cannotUp
		case turned270, turned90 ^ terrain.TileFlipY:
			return cannotRight
		}
	case tileStops:
		if turned&terrain.TileRotate != 0 {
			return cannotLeft | cannotRight
		}
		return cannotUp | cannotDown
	case tileStopAll:
		return cannotMove
	}
	return 0
}

// restrictionSides are the offsets around a tee at which restrictions looks for tiles, and the
// directions that the tiles there restrict.
var restrictionSides = [...]struct {
	x, y float32
	mask Restrictions
}{{1, 0, cannotRight}, {0, 1, cannotDown}, {-1, 0, cannotLeft}, {0, -1, cannotUp}}

// restrictions returns the directions in which a tee at p cannot move. distance (units) is the
// distance of the points to look at. here is the index of the tile under the tee, or -1 for the one
// at p. Doors with an active switch are closed; nil opens all doors.
func (m *Map) restrictions(p Vec, distance float32, here int32, active *SwitchSet) Restrictions {
	if here < 0 {
		here = m.pureIndex(p)
	}
	// Only one-way stoppers act on the tees above them.
	var r Restrictions
	for front := range 2 {
		if index, flags := m.tileAndFlags(here, front == 1); index == tileStop {
			r |= stopperOf(index, flags)
		}
	}
	for _, s := range restrictionSides {
		at := m.pureIndex(Vec{X: p.X + float32(s.x*distance), Y: p.Y + float32(s.y*distance)})
		for front := range 2 {
			index, flags := m.tileAndFlags(at, front == 1)
			r |= stopperOf(index, flags) & s.mask
		}
		if m.doors != nil && active != nil && m.doors[at].closed && active.Has(m.doors[at].number) {
			r |= s.mask
		}
	}
	return r
}
