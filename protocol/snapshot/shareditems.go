package snapshot

import "slices"

const (
	// maxSharedItems and maxSharedInts limit SharedItems. Items beyond these limits are not shared.
	maxSharedItems = 1 << 11
	maxSharedInts  = 1 << 14

	// isShared marks the offset of an entry as an index into SharedItems. No other offset is that
	// high; see maxInts.
	isShared = 1 << 15

	// New SharedItems get room for as many items and integers as earlier ones had, rounded up to
	// multiples of sharedItemStep and sharedIntStep.
	sharedItemStep = 256
	// maxIdleShared is the maximum number of unused SharedItems kept. SharedItems are in use from
	// their round until clients acknowledge a later snapshot.
	maxIdleShared = 32
	sharedIntStep = 2048
)

// SharedItems are items that the snapshots of a round have in common. Snapshots refer to them
// instead of copying them, and a DeltaCache encodes their changes once. The bytes on the wire are
// the same as without sharing.
//
// [Builder.AddShared] adds items. Use SharedItems and the snapshots that refer to them from one
// goroutine only.
type SharedItems struct {
	items []entry // offsets are into data
	data  []int32
	round uint32 // number of the round, never 0
	refs  int    // references: the caller of Take, and stored snapshots
	pool  *SharedPool
}

// SharedRef locates an item in the SharedItems of a round. The zero value and a SharedRef of an
// earlier round belong to an item that is not added yet.
type SharedRef struct {
	round uint32
	sum   int32 // sum of the integers
	entry entry // entry for snapshots, 0 if there was no room for the item
}

// SharedPool creates SharedItems and recycles their memory. The zero value is ready for use.
type SharedPool struct {
	round       uint32
	idle        []*SharedItems
	items, ints int // room for new SharedItems
}

// Take returns empty SharedItems for a round. The SharedItems stay in use until they are released
// and no stored snapshot refers to them.
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

// Release ends the caller's use of SharedItems from Take. Calling it on nil is allowed.
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

// add adds an item and returns its location.
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

// shared returns the entry's index in the SharedItems; ok is false if the entry is not shared.
func (e entry) shared() (index int, ok bool) { return e.off() &^ isShared, e.off() >= isShared }

// Share sets the SharedItems for AddShared. The setting applies until Reset. With nil, no items are
// shared. Call it before adding items.
func (b *Builder) Share(s *SharedItems) { b.shared = s }

// AddShared adds an item that other snapshots of the round also contain. The caller keeps ref.
// Within a round, the same ref must always come with the same typ, id and ints.
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

// copyShared copies the shared items into the builder, in the order in which they were added.
// Offsets then show the order of addition.
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

// FinishShared is Finish for a snapshot that refers to the shared items. The snapshot is valid
// until the shared items are released. A copy in a [Store] stays valid longer. A copy by
// [Snapshot.CopyFrom] also does: it contains the items themselves.
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
