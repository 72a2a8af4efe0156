package snapshot

import "slices"

// Limits that every Teeworlds implementation shares. Items that would pass them
// are not added.
const (
	// MaxItems is the largest number of items in one snapshot.
	MaxItems = 1023
	// MaxSize bounds the in-memory size in bytes that Snapshot.Size counts; a
	// snapshot is always smaller than this.
	MaxSize = 64 << 10

	// headerSize and itemSize are what the original's memory layout costs per
	// snapshot and per item (key, sorted key, offset), data excluded.
	headerSize = 8
	itemSize   = 12

	// maxInts is the most data a snapshot can hold, reached with one item.
	maxInts = (MaxSize - headerSize - itemSize - 1) / 4
)

// fits says whether items items with ints integers together stay in the limits.
func fits(items, ints int) bool {
	return items <= MaxItems && headerSize+itemSize*items+4*ints < MaxSize
}

// Key names an item within a snapshot: type<<16 | id, both 16 bit.
type Key uint32

// MakeKey puts a key together. Bits of typ and id above the lowest 16 are lost.
func MakeKey(typ, id int) Key { return Key(uint32(typ)<<16 | uint32(id)&0xffff) }

// Type returns the object type, 0..65535.
func (k Key) Type() int { return int(k >> 16) }

// ID returns the id within the type, 0..65535.
func (k Key) ID() int { return int(k & 0xffff) }

// ItemSizes lists, by object type, how many integers an item of that type has. Zero,
// or a type beyond the table, means that the length travels with each item.
// Both ends must use the same table.
type ItemSizes []uint8

// Of returns the listed size of typ in integers, 0 if it travels on the wire.
func (s ItemSizes) Of(typ int) int {
	if uint(typ) < uint(len(s)) {
		return int(s[typ])
	}
	return 0
}

// entry is one item of the index: key<<32 | offset<<16 | length, the latter two
// in integers. A single word sorts, copies and compares as one.
type entry uint64

func makeEntry(k Key, off, n int) entry { return entry(k)<<32 | entry(off)<<16 | entry(n) }
func (e entry) key() Key                { return Key(e >> 32) }
func (e entry) off() int                { return int(e >> 16 & 0xffff) }
func (e entry) len() int                { return int(e & 0xffff) }

// Snapshot is a set of items in ascending order of their keys. The zero value is
// the empty snapshot. Its storage is reused whenever it is filled again
// (Builder.Finish, ApplyDelta, CopyFrom), which also invalidates the slices that
// Item and Find returned.
//
// A Snapshot may be read by several goroutines at once, not written.
type Snapshot struct {
	ents []entry // ascending, keys unique
	// data holds the items' integers without gaps, in any order, but for those of
	// block.
	data []int32
	crc  int32
	// block is where the integers of ents[at:] are, as many as it has; nil if all are
	// in data.
	block *SharedItems
	at    int
	// pending is scratch of ApplyDelta: items that the base did not have.
	pending []entry
}

// Len returns the number of items, 0..MaxItems.
func (s *Snapshot) Len() int { return len(s.ents) }

// NumInts returns the number of integers in all items together.
func (s *Snapshot) NumInts() int {
	if s.block != nil {
		return len(s.data) + len(s.block.data)
	}
	return len(s.data)
}

// Size returns the size in bytes that counts against MaxSize.
func (s *Snapshot) Size() int { return headerSize + itemSize*len(s.ents) + 4*s.NumInts() }

// Item returns the i-th item in ascending order of keys; i must be 0..Len()-1.
// The slice belongs to the snapshot and must not be written to: deltas and the
// CRC depend on it.
func (s *Snapshot) Item(i int) (Key, []int32) {
	e := s.ents[i]
	return e.key(), s.ints(e)
}

// Find returns the integers of the item with that key, nil if there is none. An
// item without integers yields an empty slice that is not nil. The slice must
// not be written to.
func (s *Snapshot) Find(k Key) []int32 {
	i, ok := search(s.ents, k)
	if !ok {
		return nil
	}
	if v := s.ints(s.ents[i]); v != nil {
		return v
	}
	return []int32{}
}

// CRC returns the wrapping sum of all integers of all items, as SNAP and
// SNAPSINGLE carry it. Keys do not take part.
func (s *Snapshot) CRC() int32 { return s.crc }

// Reset empties the snapshot and keeps its storage.
func (s *Snapshot) Reset() {
	s.ents, s.data, s.crc, s.block = s.ents[:0], s.data[:0], 0, nil
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
	s.ents = append(s.ents[:0], src.ents...)
	s.data = append(s.data[:0], src.data...)
	s.crc, s.block, s.at = src.crc, src.block, src.at
}

// Equal says whether both hold the same items with the same integers.
func (s *Snapshot) Equal(o *Snapshot) bool {
	if len(s.ents) != len(o.ents) || s.crc != o.crc {
		return false
	}
	for i, e := range s.ents {
		f := o.ents[i]
		if e.key() != f.key() || !slices.Equal(s.ints(e), o.ints(f)) {
			return false
		}
	}
	return true
}

// ints returns the data of an entry of s.
func (s *Snapshot) ints(e entry) []int32 {
	off, data := e.off(), s.data
	if off >= inBlock {
		off, data = off-inBlock, s.block.data
	}
	end := off + e.len()
	return data[off:end:end]
}

// search returns the position of k in ents, or where it would be inserted.
func search(ents []entry, k Key) (int, bool) {
	want := entry(k) << 32
	lo, n := 0, len(ents)
	for n > 0 {
		half := n / 2
		if ents[lo+half] < want {
			lo += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return lo, lo < len(ents) && ents[lo].key() == k
}

// sum adds up integers as the CRC does, in four chains that do not wait for each
// other.
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
