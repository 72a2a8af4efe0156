package snapshot

import "slices"

// maxCachedPairs is the maximum number of pairs of SharedItems in a DeltaCache, that is, of
// different bases. Deltas from further bases are encoded without the cache.
const maxCachedPairs = 32

// DeltaCache encodes the changes of shared items once for all deltas of a round. Many deltas have
// the same base, because clients acknowledge one of the last few snapshots. The zero value is ready
// for use.
type DeltaCache struct {
	pairs []*sharedChanges
	used  int
}

// sharedChanges are the differences between the shared items of two rounds.
type sharedChanges struct {
	from, to           *SharedItems
	fromRound, toRound uint32
	table              ItemSizes
	items              []sharedChange // by index in to.items
	bytes              []byte
}

// sharedChange is the difference of one item.
type sharedChange struct {
	was    entry  // the old item, 0 if it is not known yet
	off, n uint32 // range of the encoded update; empty if the item is unchanged
}

// Reset forgets all pairs. Call it for each round.
func (c *DeltaCache) Reset() { c.used = 0 }

// AppendDelta returns the same result as the function [AppendDelta].
func (c *DeltaCache) AppendDelta(dst []byte, base, next *Snapshot, sizes *ItemSizes) (out []byte, changed bool) {
	return appendDelta(c, dst, base, next, sizes)
}

// find returns the changes between two SharedItems, or nil if there are too many pairs.
func (c *DeltaCache) find(from, to *SharedItems, table ItemSizes) *sharedChanges {
	for _, p := range c.pairs[:c.used] {
		if p.from == from && p.to == to && p.fromRound == from.round && p.toRound == to.round && isSameTable(p.table, table) {
			p.makeRoom()
			return p
		}
	}
	if c.used == maxCachedPairs {
		return nil
	}
	if c.used == len(c.pairs) {
		c.pairs = append(c.pairs, new(sharedChanges))
	}
	p := c.pairs[c.used]
	c.used++
	*p = sharedChanges{from, to, from.round, to.round, table, p.items[:0], p.bytes[:0]}
	p.makeRoom()
	return p
}

// isSameTable reports whether both are the same table in memory.
func isSameTable(a, b ItemSizes) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// makeRoom extends items to the current number of items of the round.
func (c *sharedChanges) makeRoom() {
	if n, have := len(c.to.items), len(c.items); have < n {
		c.items = slices.Grow(c.items, n-have)[:n]
		clear(c.items[have:])
	}
}

// of returns the encoded update of an item, empty if it did not change. Listed is the size of its
// type in the table. The result is false if the item cannot be updated.
func (c *sharedChanges) of(e, was entry, listed int) (update []byte, ok bool) {
	x := &c.items[e.off()&^isShared]
	if x.was != was && !c.encode(x, e, was, listed) {
		return nil, false
	}
	return c.bytes[x.off : x.off+x.n], true
}

// encode encodes an update.
func (c *sharedChanges) encode(x *sharedChange, e, was entry, listed int) bool {
	now, old := c.to.ints(e.off()&^isShared), c.from.ints(was.off()&^isShared)
	if listed != 0 && listed != len(now) || len(now) != len(old) {
		return false
	}
	*x = sharedChange{was: was, off: uint32(len(c.bytes))}
	if equal(now, old) {
		return true
	}
	c.bytes = slices.Grow(c.bytes, maxVarint*(3+len(now))+putSlack)
	b := c.bytes[:cap(c.bytes)]
	end := putDiffs(b, putHeader(b, len(c.bytes), e.key(), listed, len(now)), now, old)
	x.n = uint32(end - len(c.bytes))
	c.bytes = b[:end]
	return true
}
