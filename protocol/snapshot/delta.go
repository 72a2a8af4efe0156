package snapshot

import "slices"

// deltaHeader is the most bytes that the header of a delta takes: the numbers of
// deleted and of updated items (two bytes each, since there are at most 1023)
// and a zero that nothing ever used.
const deltaHeader = 2 + 2 + 1

// empty stands for a missing base.
var empty Snapshot

// AppendDelta appends the delta that turns base into next, varint-packed as SNAP
// and SNAPSINGLE carry it (before it is cut into parts). If both are equal it
// appends nothing and changed is false; a server then sends SNAPEMPTY. A nil
// base is the empty snapshot, a nil sizes an empty table.
//
// The bytes are those of the original server: deleted keys ascending, then new
// and changed items ascending by key. Two things that it never does are settled
// here: an item whose length changed between base and next is sent as deleted
// and new, which only ApplyDelta understands; an item whose length contradicts
// sizes cannot be expressed and is treated as if next did not have it.
func AppendDelta(dst []byte, base, next *Snapshot, sizes *Sizes) (out []byte, changed bool) {
	if base == nil {
		base = &empty
	}
	if next == nil {
		next = &empty
	}
	var table Sizes
	if sizes != nil {
		table = *sizes
	}

	worst := deltaHeader + maxVarint*len(base.ents) + 9*len(next.ents) + maxVarint*len(next.data) + putSlack
	start := len(dst)
	b := slices.Grow(dst, worst)[:start+worst]
	p := start + deltaHeader
	p, deleted := putDeleted(b, p, base.ents, next.ents)

	updated := 0
	old, j := base.ents, 0
	for _, e := range next.ents {
		key := e.key()
		for j < len(old) && old[j].key() < key {
			j++
		}
		now := next.ints(e)
		n := table.Of(key.Type())
		if j == len(old) || old[j].key() != key {
			if n != 0 && n != len(now) {
				continue
			}
			p = putItem(b, p, key, n, now)
			updated++
			continue
		}
		was := base.ints(old[j])
		j++
		if n != 0 && n != len(now) || len(was) != len(now) {
			// Not an update. Redo the whole with a list of deletions that says so.
			return appendResized(dst, base, next, table)
		}
		same := 0
		for same < len(now) && now[same] == was[same] {
			same++
		}
		if same == len(now) {
			continue
		}
		p = putHeader(b, p, key, n, len(now))
		p = putDiffs(b, p, now, was)
		updated++
	}
	return finishDelta(b, start, p, deleted, updated)
}

// putDeleted writes the keys of old that now does not have, and counts them.
func putDeleted(b []byte, p int, old, now []entry) (int, int) {
	deleted := 0
	j := 0
	for _, e := range old {
		key := e.key()
		if j < len(now) && now[j].key() == key {
			j++
			continue
		}
		for j < len(now) && now[j].key() < key {
			j++
		}
		if j == len(now) || now[j].key() != key {
			p = putInt(b, p, int32(key))
			deleted++
		}
	}
	return p, deleted
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

// finishDelta puts the header before the body b[start+deltaHeader:p], which
// moves up to it.
func finishDelta(b []byte, start, p, deleted, updated int) ([]byte, bool) {
	if deleted|updated == 0 {
		return b[:start], false
	}
	var head [deltaHeader + putSlack]byte
	h := putInt(head[:], 0, int32(deleted))
	h = putInt(head[:], h, int32(updated))
	h = putInt(head[:], h, 0)
	body := start + copy(b[start:], head[:h])
	end := body + copy(b[body:], b[start+deltaHeader:p])
	return b[:end], true
}

// appendResized is AppendDelta when items of base and next differ in length or
// contradict the table. It is written for clearness, since no server of ours
// gets here.
func appendResized(dst []byte, base, next *Snapshot, table Sizes) ([]byte, bool) {
	var keep, change Snapshot // keep: base without what must go; change: next without what cannot be told
	var b Builder
	for _, e := range next.ents {
		if n := table.Of(e.key().Type()); n == 0 || n == e.len() {
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), next.ints(e))
		}
	}
	b.Finish(&change)
	b.Reset()
	for _, e := range base.ents {
		if now := change.Find(e.key()); now == nil || len(now) == e.len() {
			copy(b.Add(e.key().Type(), e.key().ID(), e.len()), base.ints(e))
		}
	}
	b.Finish(&keep)

	start := len(dst)
	worst := deltaHeader + maxVarint*len(base.ents) + 9*len(change.ents) + maxVarint*len(change.data) + putSlack
	out := slices.Grow(dst, worst)[:start+worst]
	p, deleted, updated := start+deltaHeader, 0, 0
	for _, e := range base.ents {
		if now := change.Find(e.key()); now == nil || len(now) != e.len() {
			p = putInt(out, p, int32(e.key()))
			deleted++
		}
	}
	for _, e := range change.ents {
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
	return finishDelta(out, start, p, deleted, updated)
}
