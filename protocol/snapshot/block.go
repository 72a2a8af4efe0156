package snapshot

import "slices"

// SharedItems is a run of items that many snapshots have in common and that changes rarely,
// such as who the players are. It is put together once and added as a whole; the
// snapshots share its integers, and of two with the same block a delta compares the
// rest only. On the wire it makes no difference.
//
// A SharedItems never changes; it may be used by several goroutines at once.
type SharedItems struct {
	ents  []entry // ascending, as in a snapshot that has the block
	data  []int32
	crc   int32
	kinds []entry // an item of each type and length, for the latter two
}

// inBlock is set in the offset of an entry whose integers are those of a snapshot's
// block. No offset is that high, see maxInts.
const inBlock = 1 << 15

// NewSharedItems makes a block of what is in s, nil being empty.
func NewSharedItems(s *Snapshot) *SharedItems {
	if s == nil {
		s = &empty
	}
	k := &SharedItems{ents: make([]entry, 0, len(s.ents)), data: make([]int32, 0, s.NumInts()), crc: s.crc}
	for _, e := range s.ents {
		k.ents = append(k.ents, makeEntry(e.key(), len(k.data)|inBlock, e.len()))
		k.data = append(k.data, s.ints(e)...)
		alike := func(f entry) bool { return f.key().Type() == e.key().Type() && f.len() == e.len() }
		if !slices.ContainsFunc(k.kinds, alike) {
			k.kinds = append(k.kinds, e)
		}
	}
	return k
}

// Len returns the number of items.
func (k *SharedItems) Len() int { return len(k.ents) }

// fit says whether no item's length contradicts the table.
func (k *SharedItems) fit(table ItemSizes) bool {
	for _, e := range k.kinds {
		if n := table.Of(e.key().Type()); n != 0 && n != e.len() {
			return false
		}
	}
	return true
}

// AddShared adds the items of a block, as Add would one by one. Snapshots profit if
// items are added in the order of their keys, and from their first block.
func (b *Builder) AddShared(k *SharedItems) {
	if !fits(len(b.ents)+len(k.ents), b.used+len(k.data)) {
		for _, e := range k.ents {
			off := e.off() - inBlock
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), k.data[off:])
		}
		return
	}
	if len(k.ents) == 0 {
		return
	}
	b.prepare()
	shift := makeEntry(0, b.used, 0) - makeEntry(0, inBlock, 0)
	if b.block == nil {
		b.block, b.at, b.from = k, len(b.ents), b.used
	} else {
		copy(b.data[b.used:], k.data)
	}
	for _, e := range k.ents {
		b.ents = append(b.ents, e+shift)
	}
	b.used += len(k.data)
}

// finishShared is Finish for a builder with a block whose items are where they were
// put.
func (b *Builder) finishShared(dst *Snapshot) {
	k := b.block
	behind := b.at + len(k.ents)
	dst.ents = append(append(append(dst.ents[:0], b.ents[:b.at]...), k.ents...), b.ents[behind:]...)
	shift := makeEntry(0, len(k.data), 0)
	for i := behind; i < len(dst.ents); i++ {
		dst.ents[i] -= shift
	}
	dst.data = append(append(dst.data[:0], b.data[:b.from]...), b.data[b.from+len(k.data):b.used]...)
	dst.crc = sum(dst.data) + k.crc
	dst.block, dst.at = k, b.at
}
