package snapshot

import "slices"

// SharedItems are consecutive items that many snapshots have in common and that
// change rarely, such as the players. They are prepared once and added together; the
// snapshots share their integers, and a delta between two with the same SharedItems
// compares only the other items. The bytes on the wire are the same as without.
//
// SharedItems never change and may be used by several goroutines at once.
type SharedItems struct {
	entries []entry // ascending, as in a snapshot that has them
	data    []int32
	crc     int32
	lengths []entry // an entry of each type and length
}

// isShared is set in the offset of an entry whose integers are those of the
// SharedItems. No offset is that high, see maxInts.
const isShared = 1 << 15

// NewSharedItems returns the items of s; nil counts as empty.
func NewSharedItems(s *Snapshot) *SharedItems {
	if s == nil {
		s = &empty
	}
	i := &SharedItems{entries: make([]entry, 0, len(s.entries)), data: make([]int32, 0, s.NumInts()), crc: s.crc}
	for _, e := range s.entries {
		i.entries = append(i.entries, makeEntry(e.key(), len(i.data)|isShared, e.len()))
		i.data = append(i.data, s.ints(e)...)
		sameLength := func(f entry) bool { return f.key().Type() == e.key().Type() && f.len() == e.len() }
		if !slices.ContainsFunc(i.lengths, sameLength) {
			i.lengths = append(i.lengths, e)
		}
	}
	return i
}

// Len returns the number of items.
func (i *SharedItems) Len() int { return len(i.entries) }

// fitSizes reports whether the lengths of all items agree with the table.
func (i *SharedItems) fitSizes(table ItemSizes) bool {
	for _, e := range i.lengths {
		if n := table.Of(e.key().Type()); n != 0 && n != e.len() {
			return false
		}
	}
	return true
}

// AddShared adds the items as Add would one by one. Snapshots benefit if items are
// added in the order of their keys, and only from the first SharedItems.
func (b *Builder) AddShared(i *SharedItems) {
	if !fits(len(b.entries)+len(i.entries), b.used+len(i.data)) {
		for _, e := range i.entries {
			off := e.off() - isShared
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), i.data[off:])
		}
		return
	}
	if len(i.entries) == 0 {
		return
	}
	b.allocate()
	shift := makeEntry(0, b.used, 0) - makeEntry(0, isShared, 0)
	if b.shared == nil {
		b.shared, b.sharedEntry, b.sharedData = i, len(b.entries), b.used
	} else {
		copy(b.data[b.used:], i.data)
	}
	for _, e := range i.entries {
		b.entries = append(b.entries, e+shift)
	}
	b.used += len(i.data)
}

// finishShared is Finish for a builder whose shared items are where they were added.
func (b *Builder) finishShared(dst *Snapshot) {
	i := b.shared
	after := b.sharedEntry + len(i.entries)
	dst.entries = append(append(append(dst.entries[:0], b.entries[:b.sharedEntry]...), i.entries...), b.entries[after:]...)
	shift := makeEntry(0, len(i.data), 0)
	for n := after; n < len(dst.entries); n++ {
		dst.entries[n] -= shift
	}
	dst.data = append(append(dst.data[:0], b.data[:b.sharedData]...), b.data[b.sharedData+len(i.data):b.used]...)
	dst.crc = sum(dst.data) + i.crc
	dst.shared, dst.sharedEntry = i, b.sharedEntry
}
