package snapshot

import "slices"

// Block is a run of items that many snapshots have in common and that changes rarely,
// such as who the players are: put together once, it is added as a whole, and of two
// snapshots with the same block a delta compares the rest only. On the wire it makes
// no difference.
//
// A Block never changes; it may be used by several goroutines at once.
type Block struct {
	items Snapshot
	kinds []entry // an item of each type and length, for the latter two
}

// NewBlock makes a block of what is in s, nil being empty.
func NewBlock(s *Snapshot) *Block {
	k := new(Block)
	k.items.CopyFrom(s)
	k.items.block = nil
	for _, e := range k.items.ents {
		alike := func(f entry) bool { return f.key().Type() == e.key().Type() && f.len() == e.len() }
		if !slices.ContainsFunc(k.kinds, alike) {
			k.kinds = append(k.kinds, e)
		}
	}
	return k
}

// Len returns the number of items.
func (k *Block) Len() int { return k.items.Len() }

// fit says whether no item's length contradicts the table.
func (k *Block) fit(table Sizes) bool {
	for _, e := range k.kinds {
		if n := table.Of(e.key().Type()); n != 0 && n != e.len() {
			return false
		}
	}
	return true
}

// AddBlock adds the items of a block, as Add would one by one. Deltas profit if
// items are added in the order of their keys, and from the first block of a snapshot.
func (b *Builder) AddBlock(k *Block) {
	s := &k.items
	if !fits(len(b.ents)+len(s.ents), b.used+len(s.data)) {
		for _, e := range s.ents {
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), s.ints(e))
		}
		return
	}
	if len(s.ents) == 0 {
		return
	}
	b.prepare()
	if b.block == nil {
		b.block, b.at, b.from = k, len(b.ents), b.used
	}
	shift := makeEntry(0, b.used, 0)
	for _, e := range s.ents {
		b.ents = append(b.ents, e+shift)
	}
	b.used += copy(b.data[b.used:], s.data)
}
