package snapshot

import "slices"

// Builder collects the items of a new snapshot in any order. The zero value is
// ready for use; it takes some 70 KiB on first use, so one serves all clients of
// a server in turn.
type Builder struct {
	ents []entry
	tmp  []entry
	data []int32 // full size from the start, so that slots stay valid
	used int

	// block is one that was added; nil if there is none, or if sorting may have moved
	// its items. They are ents[at:]; for their integers there is room at data[from:].
	block    *SharedItems
	at, from int
}

// Reset forgets all items. Slots handed out before must no longer be written.
func (b *Builder) Reset() { b.ents, b.used, b.block = b.ents[:0], 0, nil }

// Len returns the number of items added since Reset.
func (b *Builder) Len() int { return len(b.ents) }

// Add makes an item of n integers and returns them, all zero, for the caller to
// fill before Finish. It returns nil when the item would pass the limits of a
// snapshot (MaxItems, MaxSize) or when typ or id is not in 0..65535; the item is
// then left out, as the original server does. Adding a key again replaces the
// earlier item.
func (b *Builder) Add(typ, id, n int) []int32 {
	if typ|id < 0 || typ > 0xffff || id > 0xffff || n < 0 || n > maxInts || !fits(len(b.ents)+1, b.used+n) {
		return nil
	}
	b.prepare()
	off := b.used
	b.used += n
	b.ents = append(b.ents, makeEntry(MakeKey(typ, id), off, n))
	slot := b.data[off:b.used:b.used]
	clear(slot)
	return slot
}

// prepare takes the memory that a builder needs.
func (b *Builder) prepare() {
	if b.data == nil {
		b.data = make([]int32, maxInts)
		b.ents = make([]entry, 0, 64)
	}
}

// Finish writes the items to dst, sorted by key, replacing what dst held. The
// builder keeps its items until Reset.
func (b *Builder) Finish(dst *Snapshot) {
	unique := b.sort()
	if b.block != nil {
		b.finishShared(dst)
		return
	}
	dst.ents = append(dst.ents[:0], b.ents...)
	dst.data = append(dst.data[:0], b.data[:b.used]...)
	dst.block = nil
	if !unique {
		dst.dropDoubles()
	}
	dst.crc = sum(dst.data)
}

// sort brings the entries into ascending order and says whether every key is
// there once. Entries with equal keys stay in order of addition, because their
// offsets (or, without integers, nothing) decide.
func (b *Builder) sort() (unique bool) {
	order := ascending(b.ents)
	if k := b.block; k != nil && order != strict {
		copy(b.data[b.from:], k.data)
		b.block = nil
	}
	if order == unsorted && b.sortByType() {
		order = ascending(b.ents)
	}
	if order == unsorted {
		slices.Sort(b.ents)
		order = ascending(b.ents)
	}
	return order == strict
}

// sortByType groups the entries by type and keeps the order within a type. A
// server adds the objects of a type with ascending ids, so this usually sorts.
// It gives up, without effect, when there are types above 255.
func (b *Builder) sortByType() bool {
	var pos [256]uint16
	for _, e := range b.ents {
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
	b.tmp = append(b.tmp[:0], b.ents...)
	for _, e := range b.tmp {
		t := e.key().Type() & 0xff
		b.ents[pos[t]] = e
		pos[t]++
	}
	return true
}

const (
	strict   = iota // ascending, keys unique
	doubles         // ascending, some keys more than once
	unsorted        // neither
)

// ascending tells how well ents are sorted.
func ascending(ents []entry) int {
	order := strict
	for i := 1; i < len(ents); i++ {
		if ents[i-1].key() >= ents[i].key() {
			if ents[i-1] > ents[i] {
				return unsorted
			}
			order = doubles
		}
	}
	return order
}

// dropDoubles keeps the last of the entries with equal keys and closes the gaps
// that the others leave in the data.
func (s *Snapshot) dropDoubles() {
	kept := s.ents[:0]
	var data []int32
	for i, e := range s.ents {
		if i+1 < len(s.ents) && s.ents[i+1].key() == e.key() {
			continue
		}
		kept = append(kept, makeEntry(e.key(), len(data), e.len()))
		data = append(data, s.ints(e)...)
	}
	s.ents, s.data = kept, data
}
