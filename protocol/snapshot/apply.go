package snapshot

import (
	"errors"
	"fmt"
	"slices"
)

// Errors of ApplyDelta. The errors are wrapped together with the place in the delta.
var (
	// ErrTruncated means that the delta ends before the items that its header announces.
	ErrTruncated = errors.New("snapshot: delta truncated")
	// ErrCount means that the number of deleted or updated items is negative.
	ErrCount = errors.New("snapshot: negative item count")
	// ErrType means that an object type is outside 0..65535.
	ErrType = errors.New("snapshot: object type out of range")
	// ErrSize means that an item's length is negative or differs from its length in the base.
	ErrSize = errors.New("snapshot: bad item length")
	// ErrTooLarge means that the result would exceed MaxItems or MaxSize.
	ErrTooLarge = errors.New("snapshot: too large")
	// ErrAlias means that destination and base are the same snapshot.
	ErrAlias = errors.New("snapshot: delta applied onto its own base")
)

// bitmap marks items by index, 0..MaxItems.
type bitmap [(MaxItems + 1) / 64]uint64

func (m *bitmap) has(i int) bool { return m[uint(i)/64%uint(len(m))]>>(uint(i)%64)&1 != 0 }
func (m *bitmap) set(i int)      { m[uint(i)/64%uint(len(m))] |= 1 << (uint(i) % 64) }

// ApplyDelta sets dst to the result of applying a delta to base. The delta consists of packed
// integers, as in SNAP and SNAPSINGLE. An empty delta means no change, as in SNAPEMPTY. A nil base
// is the empty snapshot, and nil sizes are an empty table. Bytes after the announced items are
// ignored.
//
// Updates and deletions may be in any order. An update adds to the integers of the base's item, if
// there is one, and otherwise sets the item. An update adds even if the same delta deletes the
// item, unless the lengths differ. The last of several updates of a key counts. Deleting an item
// twice has no further effect.
func ApplyDelta(dst, base *Snapshot, delta []byte, sizes *ItemSizes) error {
	if base == nil {
		base = &empty
	}
	if dst == base {
		return ErrAlias
	}
	if len(delta) == 0 {
		dst.CopyFrom(base)
		return nil
	}
	var table ItemSizes
	if sizes != nil {
		table = *sizes
	}
	if err := dst.apply(base, delta, table); err != nil {
		dst.Reset()
		return err
	}
	return nil
}

// apply does the work of ApplyDelta. apply copies the items that stay, adds updates to them in
// place, appends new items, and merges both indexes at the end.
func (s *Snapshot) apply(base *Snapshot, b []byte, sizes ItemSizes) error {
	deleted, p := readInt(b, 0)
	if p < 0 {
		return fmt.Errorf("%w: in the header", ErrTruncated)
	}
	updated, p := readInt(b, p)
	if p < 0 {
		return fmt.Errorf("%w: in the header", ErrTruncated)
	}
	if _, p = readInt(b, p); p < 0 {
		return fmt.Errorf("%w: in the header", ErrTruncated)
	}
	if deleted < 0 || updated < 0 {
		return fmt.Errorf("%w: %d deleted, %d updated", ErrCount, deleted, updated)
	}
	if int(deleted) > len(b)-p {
		return fmt.Errorf("%w: %d deletions in %d bytes", ErrTruncated, deleted, len(b)-p)
	}

	var deletedItems bitmap
	anyDeleted := false // whether the delta deletes an item of the base
	hint := 0
	for i := range int(deleted) {
		var v int32
		if v, p = readInt(b, p); p < 0 {
			return fmt.Errorf("%w: in deletion %d of %d", ErrTruncated, i, deleted)
		}
		if at, ok := findNear(base.entries, Key(v), hint); ok {
			deletedItems.set(at)
			anyDeleted = true
			hint = at
		}
	}
	if anyDeleted || base.shared != nil { // new items may come between the shared ones
		s.copyWithout(base, &deletedItems)
	} else {
		s.CopyFrom(base)
	}

	s.pending = s.pending[:0]
	var touched bitmap
	var hints [16]int // position of the last key found, by the low bits of the type
	for i := range int(updated) {
		typ, q := readInt(b, p)
		if q < 0 {
			return fmt.Errorf("%w: in update %d of %d", ErrTruncated, i, updated)
		}
		id, q := readInt(b, q)
		if q < 0 {
			return fmt.Errorf("%w: in update %d of %d", ErrTruncated, i, updated)
		}
		if typ < 0 || typ > 0xffff {
			return fmt.Errorf("%w: %d in update %d", ErrType, typ, i)
		}
		n := sizes.Of(int(typ))
		if n == 0 {
			var v int32
			if v, q = readInt(b, q); q < 0 {
				return fmt.Errorf("%w: in update %d of %d", ErrTruncated, i, updated)
			}
			if n = int(v); n < 0 {
				return fmt.Errorf("%w: %d in update %d", ErrSize, n, i)
			}
		}
		if n > len(b)-q {
			return fmt.Errorf("%w: %d integers in %d bytes of update %d", ErrTruncated, n, len(b)-q, i)
		}

		key := MakeKey(int(typ), int(id))
		var slot []int32
		if at, ok := findNear(s.entries, key, hints[typ&15]); ok {
			hints[typ&15] = at
			slot = s.ints(s.entries[at])
			if len(slot) != n {
				return fmt.Errorf("%w: update %d has %d integers, but the base's item has %d", ErrSize, i, n, len(slot))
			}
			if touched.has(at) {
				s.restore(slot, base.Find(key))
			}
			touched.set(at)
		} else {
			var err error
			if slot, err = s.addPending(key, n); err != nil {
				return fmt.Errorf("%w: update %d of %d, %d integers", err, i, updated, n)
			}
			if anyDeleted {
				if was := base.Find(key); len(was) == n {
					s.restore(slot, was)
				}
			}
		}
		var add int32
		if p, add = addInts(slot, b, q); p < 0 {
			return fmt.Errorf("%w: in the data of update %d of %d", ErrTruncated, i, updated)
		}
		s.crc += add
	}
	if len(s.pending) > 0 {
		s.mergePending()
	}
	return nil
}

// findNear finds a key and looks first next to the last position. Servers send the items of a type
// in ascending or descending runs.
func findNear(entries []entry, k Key, hint int) (int, bool) {
	if hint+1 < len(entries) && entries[hint+1].key() == k {
		return hint + 1, true
	}
	if uint(hint-1) < uint(len(entries)) && entries[hint-1].key() == k {
		return hint - 1, true
	}
	return search(entries, k)
}

// copyWithout sets s to a copy of base without the deleted items. copyWithout copies neighbours
// with adjacent data together.
func (s *Snapshot) copyWithout(base *Snapshot, deletedItems *bitmap) {
	s.entries = slices.Grow(s.entries[:0], len(base.entries))
	s.data = slices.Grow(s.data[:0], base.NumInts())
	s.crc, s.shared, s.sharedInts = base.crc, nil, 0
	if base.shared != nil {
		s.copyShared(base, deletedItems)
		return
	}
	from, to := 0, 0 // range of data that is still to be copied
	shift := 0       // distance by which its offsets move
	for i, e := range base.entries {
		if deletedItems.has(i) {
			s.crc -= sum(base.ints(e))
			continue
		}
		if e.off() != to {
			s.data = append(s.data, base.data[from:to]...)
			from, to = e.off(), e.off()
			shift = len(s.data) - from
		}
		to += e.len()
		s.entries = append(s.entries, makeEntry(e.key(), e.off()+shift, e.len()))
	}
	s.data = append(s.data, base.data[from:to]...)
}

// copyShared is copyWithout for a base with SharedItems. copyShared is slow, because programs that
// apply deltas have no such bases.
func (s *Snapshot) copyShared(base *Snapshot, deletedItems *bitmap) {
	for i, e := range base.entries {
		if deletedItems.has(i) {
			s.crc -= sum(base.ints(e))
			continue
		}
		s.entries = append(s.entries, makeEntry(e.key(), len(s.data), e.len()))
		s.data = append(s.data, base.ints(e)...)
	}
}

// restore undoes an earlier update of an item in the same delta.
func (s *Snapshot) restore(slot, was []int32) {
	s.crc -= sum(slot)
	copy(slot, was)
	s.crc += sum(slot)
}

// addPending returns the integers, all zero, of a new item that the copied base does not have.
// pending stays sorted.
func (s *Snapshot) addPending(k Key, n int) ([]int32, error) {
	at := len(s.pending)
	if at > 0 && s.pending[at-1].key() >= k {
		var ok bool
		if at, ok = search(s.pending, k); ok {
			slot := s.ints(s.pending[at])
			if len(slot) != n {
				return nil, ErrSize
			}
			s.crc -= sum(slot)
			clear(slot)
			return slot, nil
		}
	}
	off := len(s.data)
	if n > maxInts || !fits(len(s.entries)+len(s.pending)+1, off+n) {
		return nil, ErrTooLarge
	}
	s.data = slices.Grow(s.data, n)[:off+n]
	s.pending = slices.Insert(s.pending, at, makeEntry(k, off, n))
	slot := s.data[off:]
	clear(slot)
	return slot, nil
}

// mergePending merges the pending items into the entries, from the end.
func (s *Snapshot) mergePending() {
	i, j := len(s.entries)-1, len(s.pending)-1
	s.entries = append(s.entries, s.pending...)
	for k := len(s.entries) - 1; j >= 0; k-- {
		if i >= 0 && s.entries[i] > s.pending[j] {
			s.entries[k] = s.entries[i]
			i--
		} else {
			s.entries[k] = s.pending[j]
			j--
		}
	}
}
