package snapshot

import "slices"

// Builder collects the items of a new snapshot in any order. The zero value is ready
// for use. It takes some 70 KiB on first use, so a server uses one for all clients in
// turn.
type Builder struct {
	entries []entry
	tmp     []entry
	data    []int32 // of full size from the start, so that slices of it stay valid
	used    int

	shared     *SharedItems // nil if nothing is shared
	refers     bool         // entries refer to shared
	sharedInts int          // integers of these entries
	sharedSum  int32        // their sum
}

// Reset removes all items. The slices that Add returned must no longer be written.
func (b *Builder) Reset() {
	b.entries, b.used = b.entries[:0], 0
	b.shared, b.refers, b.sharedInts, b.sharedSum = nil, false, 0, 0
}

// Len returns the number of items added since Reset.
func (b *Builder) Len() int { return len(b.entries) }

// HasRoom reports whether so many items with so many integers in total can be added.
func (b *Builder) HasRoom(items, ints int) bool {
	return fits(len(b.entries)+items, b.used+b.sharedInts+ints)
}

// Add adds an item of n integers and returns them, all zero, for the caller to fill
// before Finish. It returns nil when the item would exceed the limits of a snapshot
// (MaxItems, MaxSize) or when typ or id is not in 0..65535; like in the original
// server the item is then left out. Adding a key again replaces the earlier item.
func (b *Builder) Add(typ, id, n int) []int32 {
	if typ|id < 0 || typ > 0xffff || id > 0xffff || n < 0 || n > maxInts || !fits(len(b.entries)+1, b.used+b.sharedInts+n) {
		return nil
	}
	b.allocate()
	off := b.used
	b.used += n
	b.entries = append(b.entries, makeEntry(MakeKey(typ, id), off, n))
	slot := b.data[off:b.used:b.used]
	clear(slot)
	return slot
}

// allocate allocates the memory of a builder.
func (b *Builder) allocate() {
	if b.data == nil {
		b.data = make([]int32, maxInts)
	}
}

// Finish writes the items, sorted by key, to dst, replacing its contents. The builder
// keeps its items until Reset.
func (b *Builder) Finish(dst *Snapshot) {
	b.copyShared()
	b.FinishShared(dst)
}

// sort sorts the entries and reports whether all keys are unique. Entries with equal
// keys stay in the order in which they were added, because their offsets (or, without
// integers, nothing) decide.
func (b *Builder) sort() (unique bool) {
	order := orderOf(b.entries)
	if order != strictlySorted {
		b.copyShared()
		order = orderOf(b.entries)
	}
	if order == unsorted && b.sortByType() {
		order = orderOf(b.entries)
	}
	if order == unsorted {
		slices.Sort(b.entries)
		order = orderOf(b.entries)
	}
	return order == strictlySorted
}

// sortByType groups the entries by type and keeps the order within a type. A server
// adds the objects of a type with ascending ids, so this usually sorts them. It
// returns false, and changes nothing, if there are types above 255.
func (b *Builder) sortByType() bool {
	var pos [256]uint16
	for _, e := range b.entries {
		t := e.key().Type()
		if t > 255 {
			return false
		}
		pos[t]++
	}
	next := uint16(0)
	for t, n := range pos {
		pos[t] = next
		next += n
	}
	b.tmp = append(b.tmp[:0], b.entries...)
	for _, e := range b.tmp {
		t := e.key().Type() & 0xff
		b.entries[pos[t]] = e
		pos[t]++
	}
	return true
}

const (
	strictlySorted = iota // ascending, keys unique
	withDuplicates        // ascending, some keys more than once
	unsorted              // neither
)

// orderOf returns how the entries are ordered.
func orderOf(entries []entry) int {
	order := strictlySorted
	for i := 1; i < len(entries); i++ {
		if entries[i-1].key() >= entries[i].key() {
			if entries[i-1] > entries[i] {
				return unsorted
			}
			order = withDuplicates
		}
	}
	return order
}

// removeDuplicates keeps the last of the entries with equal keys and removes the data
// of the others.
func (s *Snapshot) removeDuplicates() {
	kept := s.entries[:0]
	var data []int32
	for i, e := range s.entries {
		if i+1 < len(s.entries) && s.entries[i+1].key() == e.key() {
			continue
		}
		kept = append(kept, makeEntry(e.key(), len(data), e.len()))
		data = append(data, s.ints(e)...)
	}
	s.entries, s.data = kept, data
}
