package snapshot

import "slices"

// deltaHeader is the largest size of a delta's header: two bytes each for the numbers of deleted
// and updated items (at most 1023), and an unused zero.
const deltaHeader = 2 + 2 + 1

// empty replaces a missing base.
var empty Snapshot

// AppendDelta appends the delta that turns base into next, in packed integers as SNAP and
// SNAPSINGLE contain it before it is cut into parts. If both snapshots are equal, AppendDelta
// appends nothing and changed is false; a server then sends SNAPEMPTY. A nil base is the empty
// snapshot, and nil sizes are an empty table.
//
// The bytes are the same as from the original server: deleted keys in ascending order, then new and
// changed items in ascending order of keys. Two cases do not occur in the original. An item whose
// length changed is sent as deleted and new; only ApplyDelta supports that. An item whose length
// contradicts sizes cannot be sent and is left out.
func AppendDelta(dst []byte, base, next *Snapshot, sizes *ItemSizes) (out []byte, changed bool) {
	return appendDelta(nil, dst, base, next, sizes)
}

// appendDelta is AppendDelta with an optional cache.
func appendDelta(cache *DeltaCache, dst []byte, base, next *Snapshot, sizes *ItemSizes) (out []byte, changed bool) {
	if base == nil {
		base = &empty
	}
	if next == nil {
		next = &empty
	}
	var table ItemSizes
	if sizes != nil {
		table = *sizes
	}

	// Updated items are written near their final place. The few deleted keys are written after the
	// space for all items.
	b, start, worst := makeSpace(dst, base, next)
	d := deltaWriter{b: b, base: base, next: next, table: table, p: start + deltaHeader, gone: start + worst}
	if cache != nil && base.shared != nil && next.shared != nil {
		d.changes = cache.find(base.shared, next.shared, table)
	}
	if !d.write(base.entries, next.entries) {
		return appendResized(dst, base, next, table)
	}
	return finishDelta(b, start, d.p, b[start+worst:d.gone], d.deleted, d.updated)
}

// makeSpace extends dst from start on by enough space for any delta, at most worst bytes. After
// that it leaves space for the keys of all items of the base.
func makeSpace(dst []byte, base, next *Snapshot) (b []byte, start, worst int) {
	keys := maxVarint * len(base.entries)
	start, worst = len(dst), deltaHeader+keys+9*len(next.entries)+maxVarint*next.NumInts()+putSlack
	size := worst + keys + putSlack
	return slices.Grow(dst, size)[:start+size], start, worst
}

// deltaWriter writes a delta.
type deltaWriter struct {
	b                []byte
	base, next       *Snapshot
	table            ItemSizes
	p, gone          int // positions of the next item and of the next deleted key
	deleted, updated int
	changes          *sharedChanges // changes of the shared items, or nil if they are not cached
}

// write compares entries of the base and of the next snapshot, both ascending. write returns false
// if it meets an item that must be listed as deleted because it cannot be updated.
func (d *deltaWriter) write(old, now []entry) bool {
	b, p, j := d.b, d.p, 0
	var changes []sharedChange
	if d.changes != nil {
		changes = d.changes.items
	}
	for _, e := range now {
		if j < len(old) && e&(isShared<<16) != 0 && changes != nil {
			if x := &changes[e.off()&^isShared]; x.was == old[j] && x.was != 0 { // in the cache, as most are
				if j++; x.n > 0 {
					p += copy(b[p:], d.changes.bytes[x.off:x.off+x.n])
					d.updated++
				}
				continue
			}
		}
		key := e.key()
		for j < len(old) && old[j].key() < key {
			d.delete(old[j])
			j++
		}
		n := d.table.Of(key.Type())
		if j == len(old) || old[j].key() != key {
			ints := d.next.ints(e)
			if n != 0 && n != len(ints) {
				continue
			}
			p = putItem(b, p, key, n, ints)
			d.updated++
			continue
		}
		if d.changes != nil && e&old[j]&(isShared<<16) != 0 {
			change, ok := d.changes.of(e, old[j], n)
			if !ok {
				return false
			}
			if j++; len(change) > 0 {
				p += copy(b[p:], change)
				d.updated++
			}
			continue
		}
		ints, was := d.next.ints(e), d.base.ints(old[j])
		j++
		if n != 0 && n != len(ints) || len(was) != len(ints) {
			return false
		}
		if equal(ints, was) {
			continue
		}
		p = putHeader(b, p, key, n, len(ints))
		p = putDiffs(b, p, ints, was)
		d.updated++
	}
	for _, e := range old[j:] {
		d.delete(e)
	}
	d.p = p
	return true
}

func (d *deltaWriter) delete(e entry) {
	d.gone = putInt(d.b, d.gone, int32(e.key()))
	d.deleted++
}

// equal reports whether two items of the same length are equal.
func equal(a, b []int32) bool {
	b = b[:len(a)]
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// putHeader writes type, id and, for a type without listed size, the length.
func putHeader(b []byte, p int, key Key, listed, n int) int {
	p = putInt(b, p, int32(key.Type()))
	p = putInt(b, p, int32(key.ID()))
	if listed == 0 {
		p = putInt(b, p, int32(n))
	}
	return p
}

// putItem writes an item that the base does not have.
func putItem(b []byte, p int, key Key, listed int, now []int32) int {
	p = putHeader(b, p, key, listed, len(now))
	for _, v := range now {
		p = putInt(b, p, v)
	}
	return p
}

// finishDelta puts the header and the deleted keys before the body b[start+deltaHeader:p] and moves
// the body accordingly. The keys may be in b after the space for the delta.
func finishDelta(b []byte, start, p int, gone []byte, deleted, updated int) ([]byte, bool) {
	if deleted|updated == 0 {
		return b[:start], false
	}
	var head [deltaHeader + putSlack]byte
	h := putInt(head[:], 0, int32(deleted))
	h = putInt(head[:], h, int32(updated))
	h = putInt(head[:], h, 0)
	body := start + h + len(gone)
	end := body + copy(b[body:], b[start+deltaHeader:p])
	copy(b[start+h:], gone)
	copy(b[start:], head[:h])
	return b[:end], true
}

// appendResized is AppendDelta for items whose length changed or contradicts the table.
// appendResized is written for clarity, because this server never needs it.
func appendResized(dst []byte, base, next *Snapshot, table ItemSizes) ([]byte, bool) {
	var keep, change Snapshot // base without deleted items; next without items that cannot be sent
	var b Builder
	for _, e := range next.entries {
		if n := table.Of(e.key().Type()); n == 0 || n == e.len() {
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), next.ints(e))
		}
	}
	b.Finish(&change)
	b.Reset()
	for _, e := range base.entries {
		if now := change.Find(e.key()); now == nil || len(now) == e.len() {
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), base.ints(e))
		}
	}
	b.Finish(&keep)

	out, start, worst := makeSpace(dst, base, &change)
	p, gone, deleted, updated := start+deltaHeader, start+worst, 0, 0
	for _, e := range base.entries {
		if now := change.Find(e.key()); now == nil || len(now) != e.len() {
			gone = putInt(out, gone, int32(e.key()))
			deleted++
		}
	}
	for _, e := range change.entries {
		key, now := e.key(), change.ints(e)
		was := keep.Find(key)
		if was != nil && slices.Equal(was, now) {
			continue
		}
		p = putHeader(out, p, key, table.Of(key.Type()), len(now))
		for i, v := range now {
			if was != nil {
				v -= was[i]
			}
			p = putInt(out, p, v)
		}
		updated++
	}
	return finishDelta(out, start, p, out[start+worst:gone], deleted, updated)
}
