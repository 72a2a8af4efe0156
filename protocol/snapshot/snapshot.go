package snapshot

import "slices"

// Limits that every Teeworlds implementation shares. Items beyond them are not added.
const (
	// MaxItems is the largest number of items in one snapshot.
	MaxItems = 1023
	// MaxSize limits the in-memory size in bytes that Snapshot.Size returns. A snapshot is always
	// smaller than MaxSize.
	MaxSize = 64 << 10

	// headerSize and itemSize are the bytes that a snapshot and an item take in the original's
	// memory layout, without the data. An item has a key, a sorted key and an offset.
	headerSize = 8
	itemSize   = 12

	// maxInts is the largest number of integers in a snapshot. A snapshot with one item reaches it.
	maxInts = (MaxSize - headerSize - itemSize - 1) / 4
)

// fits reports whether numItems items with numInts integers in total are within the limits.
func fits(numItems, numInts int) bool {
	return numItems <= MaxItems && headerSize+itemSize*numItems+4*numInts < MaxSize
}

// Key identifies an item within a snapshot. A Key consists of type<<16 | id, with 16 bits each.
type Key uint32

// MakeKey returns the key of a type and id. MakeKey uses only their lowest 16 bits.
func MakeKey(typ, id int) Key { return Key(uint32(typ)<<16 | uint32(id)&0xffff) }

// Type returns the object type, 0..65535.
func (k Key) Type() int { return int(k >> 16) }

// ID returns the id within the type, 0..65535.
func (k Key) ID() int { return int(k & 0xffff) }

// ItemSizes lists, by object type, the number of integers in an item of that type. Items of a type
// with 0 or beyond the table are sent with their length. Both sides must use the same table.
type ItemSizes []uint8

// Of returns the listed size of typ in integers, or 0 if items of that type are sent with their
// length.
func (s ItemSizes) Of(typ int) int {
	if uint(typ) < uint(len(s)) {
		return int(s[typ])
	}
	return 0
}

// entry is the index entry of an item: key<<32 | offset<<16 | length. Offset and length count
// integers. A single word is fast to sort, copy and compare.
type entry uint64

func makeEntry(k Key, off, n int) entry { return entry(k)<<32 | entry(off)<<16 | entry(n) }
func (e entry) key() Key                { return Key(e >> 32) }
func (e entry) off() int                { return int(e >> 16 & 0xffff) }
func (e entry) len() int                { return int(e & 0xffff) }

// Snapshot is a set of items in ascending order of their keys. The zero value is the empty
// snapshot. Builder.Finish, ApplyDelta and CopyFrom reuse a snapshot's storage and invalidate the
// slices that Item and Find returned.
//
// Several goroutines may read a Snapshot at once, but none may write it meanwhile.
type Snapshot struct {
	entries []entry // ascending, keys unique
	// data contains the integers of the items that are not shared, without gaps, in any order.
	data []int32
	crc  int32
	// shared contains the items of entries with isShared, sharedInts integers in total. shared is
	// nil if there are none.
	shared     *SharedItems
	sharedInts int
	// pending is used by ApplyDelta for items that the base does not have.
	pending []entry
}

// Len returns the number of items, 0..MaxItems.
func (s *Snapshot) Len() int { return len(s.entries) }

// NumInts returns the total number of integers of all items.
func (s *Snapshot) NumInts() int { return len(s.data) + s.sharedInts }

// Size returns the size in bytes that MaxSize limits.
func (s *Snapshot) Size() int { return headerSize + itemSize*len(s.entries) + 4*s.NumInts() }

// Item returns the i-th item in ascending order of keys, for i in 0..Len()-1. Do not write to the
// slice: deltas and the CRC depend on it.
func (s *Snapshot) Item(i int) (Key, []int32) {
	e := s.entries[i]
	return e.key(), s.ints(e)
}

// Find returns the integers of the item with key k, or nil if there is none. For an item without
// integers it returns an empty slice that is not nil. Do not write to the slice.
func (s *Snapshot) Find(k Key) []int32 {
	i, ok := search(s.entries, k)
	if !ok {
		return nil
	}
	if v := s.ints(s.entries[i]); v != nil {
		return v
	}
	return []int32{}
}

// CRC returns the wrapping sum of all integers of all items, without keys. SNAP and SNAPSINGLE
// contain this number.
func (s *Snapshot) CRC() int32 { return s.crc }

// Reset removes all items and keeps the storage.
func (s *Snapshot) Reset() {
	s.entries, s.data, s.crc, s.shared, s.sharedInts = s.entries[:0], s.data[:0], 0, nil, 0
}

// CopyFrom makes s equal to src. A nil src counts as empty.
func (s *Snapshot) CopyFrom(src *Snapshot) {
	if s == src {
		return
	}
	if src == nil {
		s.Reset()
		return
	}
	if src.shared != nil {
		s.copyWithout(src, &bitmap{})
		return
	}
	s.entries = append(s.entries[:0], src.entries...)
	s.data = append(s.data[:0], src.data...)
	s.crc, s.shared, s.sharedInts = src.crc, nil, 0
}

// Equal reports whether both snapshots have the same items with the same integers.
func (s *Snapshot) Equal(o *Snapshot) bool {
	if len(s.entries) != len(o.entries) || s.crc != o.crc {
		return false
	}
	for i, e := range s.entries {
		f := o.entries[i]
		if e.key() != f.key() || !slices.Equal(s.ints(e), o.ints(f)) {
			return false
		}
	}
	return true
}

// ints returns the integers of an entry of s.
func (s *Snapshot) ints(e entry) []int32 {
	off := e.off()
	if off >= isShared {
		return s.shared.ints(off - isShared)
	}
	end := off + e.len()
	return s.data[off:end:end]
}

// search returns the position of k in the entries, or the position where it would be inserted.
func search(entries []entry, k Key) (int, bool) {
	want := entry(k) << 32
	lo, n := 0, len(entries)
	for n > 0 {
		half := n / 2
		if entries[lo+half] < want {
			lo += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return lo, lo < len(entries) && entries[lo].key() == k
}

// sum adds up integers as the CRC does. sum uses four independent sums for speed.
func sum(v []int32) int32 {
	var a, b, c, d int32
	for ; len(v) >= 4; v = v[4:] {
		a += v[0]
		b += v[1]
		c += v[2]
		d += v[3]
	}
	for _, x := range v {
		a += x
	}
	return a + b + c + d
}
