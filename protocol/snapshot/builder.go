package snapshot

import "slices"

// Builder collects the items of a new snapshot in any order. The zero value is ready for use. A
// Builder allocates some 70 KiB on first use, so a server uses one for all clients in turn.
type Builder struct {
	entries []entry
	tmp     []entry
	data    []int32 // allocated at full size, so that slices of it stay valid
	used    int

	shared     *SharedItems // nil if no items are shared
	refers     bool         // whether entries refer to shared
	sharedInts int          // number of integers in the shared entries
	sharedSum  int32        // sum of those integers
}

// Reset removes all items. Do not write to the slices that Add returned before.
func (b *Builder) Reset() {
	b.entries, b.used = b.entries[:0], 0
	b.shared, b.refers, b.sharedInts, b.sharedSum = nil, false, 0, 0
}

// Len returns the number of items added since Reset.
func (b *Builder) Len() int { return len(b.entries) }

// HasRoom reports whether the snapshot has room for the given number of items with the given total
// number of integers.
func (b *Builder) HasRoom(items, ints int) bool {
	return fits(len(b.entries)+items, b.used+b.sharedInts+ints)
}

// Add adds an item of n integers and returns the integers, all zero. Fill them in before Finish.
// Adding a key again replaces the earlier item. Add leaves the item out, as the original server
// does, if typ or id is not in 0..65535 or if the snapshot would exceed MaxItems or MaxSize. Add
// then returns nil.
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

// allocate allocates the data buffer on first use.
func (b *Builder) allocate() {
	if b.data == nil {
		b.data = make([]int32, maxInts)
	}
}

// Finish writes the items, sorted by key, to dst and replaces its contents. The builder keeps its
// items until Reset.
func (b *Builder) Finish(dst *Snapshot) {
	b.copyShared()
	b.FinishShared(dst)
}

// sort sorts the entries and reports whether all keys are unique. Entries with equal keys keep the
// order in which they were added, because an entry also contains its offset. Without integers their
// order does not matter.
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

// sortByType groups the entries by type and keeps their order within a type. This usually sorts
// them, because a server adds the objects of a type with ascending ids. If there are types above
// 255, sortByType changes nothing and returns false.
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
	withDuplicates        // ascending, with repeated keys
	unsorted              // neither
)

// orderOf returns the order that the entries are in.
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

// removeDuplicates keeps the last of several entries with equal keys and removes the data of the
// others.
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
