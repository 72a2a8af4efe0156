package hostile

import (
	"math"
	"math/rand/v2"

	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// snapshots reads the snapshots of the server, and damages them.
type snapshots struct {
	sizes      snapshot.ItemSizes
	assembler  snapshot.PartAssembler
	store      *snapshot.Store
	empty, now snapshot.Snapshot
	builder    snapshot.Builder
	// Last is the tick of the last one.
	last int32
	any  bool
}

func newSnapshots(v6 bool) snapshots {
	sizes := msg7.Sizes
	if v6 {
		sizes = msg6.Sizes
	}
	return snapshots{sizes: sizes, store: snapshot.NewStore(snapshot.StoreConfig{})}
}

// add adds a part, and returns the snapshot that it completes.
func (s *snapshots) add(h snapshot.PartHeader, part int32, data []byte) (*snapshot.Snapshot, bool) {
	delta, complete, err := s.assembler.Add(h, part, data)
	if err != nil || !complete {
		return nil, false
	}
	base := &s.empty
	if h.BaseTick >= 0 {
		if base = s.store.At(h.BaseTick); base == nil {
			return nil, false
		}
	}
	if len(delta) == 0 {
		s.now.CopyFrom(base)
	} else if snapshot.ApplyDelta(&s.now, base, delta, &s.sizes) != nil {
		return nil, false
	}
	s.store.Add(h.Tick, 0, &s.now)
	s.last, s.any = h.Tick, true
	return &s.now, true
}

// nasty are values at the borders of ranges. Those of floats follow.
var nasty = []int32{0, 1, -1, -2, 2, 63, 64, 127, 128, 255, 256, 1 << 15, 1 << 16, 1 << 24, 1 << 30, math.MaxInt32, math.MinInt32, math.MinInt32 + 1,
	0x7f800000, 0x7fc00000, -0x00800000}

// Nasty returns a value at a border, or any.
func Nasty(r *rand.Rand) int32 {
	switch r.IntN(4) {
	case 0:
		return int32(r.Uint32())
	case 1:
		return r.Int32N(64)
	}
	return nasty[r.IntN(len(nasty))]
}

// damage changes some values of a snapshot, and repeats or removes items.
func (s *snapshots) damage(r *rand.Rand, to *snapshot.Snapshot) {
	s.builder.Reset()
	rate := math.Pow(10, -3*r.Float64())
	for i := range to.Len() {
		key, ints := to.Item(i)
		id := key.ID()
		switch r.IntN(40) {
		case 0:
			continue
		case 1:
			id = int(Nasty(r)) & 0xffff
		}
		if !s.builder.HasRoom(1, len(ints)) {
			break
		}
		for k, slot := 0, s.builder.Add(key.Type(), id, len(ints)); k < len(slot); k++ {
			slot[k] = ints[k]
			if r.Float64() < rate {
				slot[k] = Nasty(r)
			}
		}
	}
	var out snapshot.Snapshot
	s.builder.Finish(&out)
	to.CopyFrom(&out)
}

// beginSnapshot begins a snapshot with the items of the server's last one but its tees, so that the
// client shows the rest.
func (m *Middle) beginSnapshot() {
	b, character := &m.snapshots.builder, msg7.TypeCharacter
	if m.V6 {
		character = msg6.TypeCharacter
	}
	b.Reset()
	for i := range m.snapshots.now.Len() {
		if key, ints := m.snapshots.now.Item(i); key.Type() != character {
			copy(b.Add(key.Type(), key.ID(), len(ints)), ints)
		}
	}
}

// Absurd returns a snapshot that is as full as possible: items of all types with values at borders,
// or with valid values if they are what most clients would draw.
func (m *Middle) Absurd(types ...int) *snapshot.Snapshot {
	r, b := m.Rand, &m.snapshots.builder
	m.beginSnapshot()
	for n := 0; ; n++ {
		typ, size := r.IntN(40), 1+r.IntN(30)
		if len(types) > 0 {
			typ = types[r.IntN(len(types))]
		}
		if typ < len(m.snapshots.sizes) && m.snapshots.sizes[typ] != 0 {
			size = int(m.snapshots.sizes[typ])
		}
		id := 1000 + n
		if typ > 0 && r.IntN(3) == 0 {
			id = r.IntN(130)
		}
		if !b.HasRoom(1, size) {
			break
		}
		for i, slot := 0, b.Add(typ, id, size); i < len(slot); i++ {
			if slot[i] = Nasty(r); r.IntN(2) == 0 {
				slot[i] = r.Int32N(6)
			}
		}
	}
	out := new(snapshot.Snapshot)
	b.Finish(out)
	return out
}

// Last returns a copy of the server's last snapshot.
func (m *Middle) Last() *snapshot.Snapshot {
	out := new(snapshot.Snapshot)
	out.CopyFrom(&m.snapshots.now)
	return out
}

// Tick returns the tick of the server's last snapshot.
func (m *Middle) Tick() int32 { return m.snapshots.last }
