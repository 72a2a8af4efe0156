package snapshot

import "slices"

const (
	// maxSharedItems and maxSharedInts limit SharedItems. What is more is not shared.
	maxSharedItems = 1 << 11
	maxSharedInts  = 1 << 14

	// isShared is set in the offset of an entry that is an index of the SharedItems. No other offset
	// is that high, see maxInts.
	isShared = 1 << 15

	// New SharedItems have room for what others had, rounded up to these numbers.
	sharedItemStep = 256
	// maxIdleShared is how many unused SharedItems are kept. As many are in use as there are rounds until
	// clients acknowledge a snapshot.
	maxIdleShared = 32
	sharedIntStep = 2048
)

// SharedItems are items that the snapshots of a round have in common. Snapshots refer to them
// instead of having copies, and a DeltaCache encodes their changes once. The bytes on the wire are
// the same as without.
//
// Items are added by [Builder.AddShared]. SharedItems and the snapshots that refer to them are for
// one goroutine.
type SharedItems struct {
	items []entry // in data
	data  []int32
	round uint32 // number of the round, not 0
	refs  int    // who took them, and stored snapshots
	pool  *SharedPool
}

// SharedRef says where an item is in the SharedItems of a round. The zero value is for one that is
// not there yet, as is any of an earlier round.
type SharedRef struct {
	round uint32
	sum   int32 // of the integers
	entry entry // of snapshots, 0 if there was no room for the item
}

// SharedPool makes SharedItems and recycles their memory. The zero value is ready for use.
type SharedPool struct {
	round       uint32
	idle        []*SharedItems
	items, ints int // that new ones have room for
}

// Take returns empty SharedItems for a round. They are in use until they were released and no stored
// snapshot refers to them.
func (p *SharedPool) Take() *SharedItems {
	var s *SharedItems
	if n := len(p.idle); n > 0 {
		s, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		s = &SharedItems{pool: p}
	}
	if p.round++; p.round == 0 {
		p.round = 1
	}
	s.items, s.data = slices.Grow(s.items[:0], p.items), slices.Grow(s.data[:0], p.ints)
	s.round, s.refs = p.round, 1
	return s
}

// Release gives back what Take returned; nil is allowed.
func (s *SharedItems) Release() {
	if s == nil {
		return
	}
	if s.refs--; s.refs > 0 {
		return
	}
	p := s.pool
	p.items = max(p.items, roundUp(len(s.items), sharedItemStep))
	p.ints = max(p.ints, roundUp(len(s.data), sharedIntStep))
	if len(p.idle) < maxIdleShared {
		p.idle = append(p.idle, s)
	}
}

// add adds an item and says where it is.
func (s *SharedItems) add(key Key, ints []int32) SharedRef {
	if len(s.items) == maxSharedItems || len(s.data)+len(ints) > maxSharedInts {
		return SharedRef{round: s.round}
	}
	ref := SharedRef{s.round, sum(ints), makeEntry(key, len(s.items)|isShared, len(ints))}
	s.items = append(s.items, makeEntry(key, len(s.data), len(ints)))
	s.data = append(s.data, ints...)
	return ref
}

// ints returns the integers of the item at an index.
func (s *SharedItems) ints(index int) []int32 {
	at := s.items[index]
	end := at.off() + at.len()
	return s.data[at.off():end:end]
}

// shared reports whether the entry is one of the SharedItems, and at which index.
func (e entry) shared() (index int, ok bool) { return e.off() &^ isShared, e.off() >= isShared }

// Share has AddShared add to these items until Reset; with nil nothing is shared. It is called
// before items are added.
func (b *Builder) Share(s *SharedItems) { b.shared = s }

// AddShared adds an item that other snapshots of the round have, too. Ref is kept by the caller: with
// the same ref, typ, id and ints are the same in all snapshots of a round.
func (b *Builder) AddShared(ref *SharedRef, typ, id int, ints []int32) {
	s := b.shared
	if s == nil || typ|id < 0 || typ > 0xffff || id > 0xffff {
		copy(b.Add(typ, id, len(ints)), ints)
		return
	}
	if ref.round != s.round {
		*ref = s.add(MakeKey(typ, id), ints)
	}
	switch {
	case ref.entry == 0:
		copy(b.Add(typ, id, len(ints)), ints)
	case fits(len(b.entries)+1, b.used+b.sharedInts+len(ints)):
		b.entries = append(b.entries, ref.entry)
		b.sharedInts += len(ints)
		b.sharedSum += ref.sum
		b.refers = true
	}
}

// copyShared copies the shared items, in the order in which they were added, so that offsets say what
// was added later.
func (b *Builder) copyShared() {
	if !b.refers {
		return
	}
	b.allocate()
	end := b.used + b.sharedInts
	b.used = end
	for i := len(b.entries) - 1; i >= 0; i-- {
		e := b.entries[i]
		end -= e.len()
		if index, ok := e.shared(); ok {
			copy(b.data[end:], b.shared.ints(index))
		} else {
			copy(b.data[end:], b.data[e.off():e.off()+e.len()])
		}
		b.entries[i] = makeEntry(e.key(), end, e.len())
	}
	b.sharedInts, b.sharedSum, b.refers = 0, 0, false
}

// FinishShared is Finish for a snapshot that refers to the shared items. It is valid until they are
// released. The copy of a [Store] stays valid, and so does that of [Snapshot.CopyFrom], which does not
// refer to them.
func (b *Builder) FinishShared(dst *Snapshot) {
	unique := b.sort()
	dst.entries = append(dst.entries[:0], b.entries...)
	dst.data = append(dst.data[:0], b.data[:b.used]...)
	dst.shared, dst.sharedInts = nil, b.sharedInts
	if b.refers {
		dst.shared = b.shared
	}
	if !unique {
		dst.removeDuplicates()
	}
	dst.crc = sum(dst.data) + b.sharedSum
}
