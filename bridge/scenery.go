package bridge

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// SharedItems is what a round of snapshots shows alike to all who see it, such as
// pickups and shots. Its objects are encoded once and then copied into the snapshot
// of each viewer. The zero value is empty. It is for Hosts.
type SharedItems struct {
	props []prop
	ints  []int32
}

// prop is an object of the scenery.
type prop struct {
	typ, id uint16
	off     uint32 // of its integers
	n       uint16
	global  bool // seen from everywhere
	pos     vec.Vec2
	pos2    vec.Vec2 // the other end of a beam, else pos
}

func (p *prop) key() uint32 { return uint32(p.typ)<<16 | uint32(p.id) }

// Reset takes all objects away.
func (s *SharedItems) Reset() { s.props, s.ints = s.props[:0], s.ints[:0] }

// AddGlobal makes room for an object of n integers that everybody sees. It returns them,
// all 0, to be written before the next call.
func (s *SharedItems) AddGlobal(typ, id, n int) []int32 {
	off := len(s.ints)
	for range n {
		s.ints = append(s.ints, 0)
	}
	s.props = append(s.props, prop{typ: uint16(typ), id: uint16(id), off: uint32(off), n: uint16(n), global: true})
	return s.ints[off : off+n]
}

// AddNear is Add for an object that is seen by those who are near p.
func (s *SharedItems) AddNear(typ, id, n int, p vec.Vec2) []int32 { return s.AddBeam(typ, id, n, p, p) }

// AddBeam is Add for an object that is seen by those who are near one of its ends.
func (s *SharedItems) AddBeam(typ, id, n int, p, q vec.Vec2) []int32 {
	dst := s.AddGlobal(typ, id, n)
	o := &s.props[len(s.props)-1]
	o.global, o.pos, o.pos2 = false, p, q
	return dst
}

// Sort brings the objects into the order of their types and ids, once, so that no
// viewer's snapshot has to be sorted.
func (s *SharedItems) Sort() {
	slices.SortFunc(s.props, func(a, b prop) int { return cmp.Compare(a.key(), b.key()) })
}

// AppendVisible adds to b what the view shows of the scenery, as far as it has room.
func (s *SharedItems) AppendVisible(b *snapshot.Builder, v *game.View) {
	for i := range s.props {
		o := &s.props[i]
		if !o.global && !v.Sees(o.pos) && (o.pos2 == o.pos || !v.Sees(o.pos2)) {
			continue
		}
		copy(b.Add(int(o.typ), int(o.id), int(o.n)), s.ints[o.off:])
	}
}
