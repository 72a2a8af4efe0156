// Package datafile reads and writes the container format of Teeworlds maps: typed items of 32-bit
// integers, and blocks of raw data.
//
// It reads versions 3 (raw blocks) and 4 (zlib compressed blocks) and writes version 4. All numbers
// are little endian.
//
// Files can come from any source, so all declared sizes are checked. The tables must fit in the
// available bytes, items and blocks must not overlap, and the declared size of a block only limits
// its decompression. Parse uses memory in proportion to the length of its input. Blocks are
// decompressed one at a time, on request and up to a limit given by the caller.
package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	// ErrFormat is wrapped by all errors about files that are not well-formed.
	ErrFormat = errors.New("datafile: malformed file")
	// ErrLimit is wrapped if a block is larger than the caller's limit.
	ErrLimit = errors.New("datafile: block over the size limit")
	// ErrNoBlock is wrapped if the file has no block with the given number.
	ErrNoBlock = errors.New("datafile: no such block")
	// ErrTooMany is wrapped if a Writer has more items or blocks than a file can hold.
	ErrTooMany = errors.New("datafile: too many items or blocks")
)

const (
	headerSize     = 36
	typeRecordSize = 12
	itemHeaderSize = 8
)

// File is a parsed data file. A File refers to the bytes given to Parse and is safe for concurrent
// use.
type File struct {
	version int
	items   []Item
	types   []typeRange
	data    []byte  // the data section of the file
	offsets []int32 // offsets of the blocks in data, ascending
	sizes   []int32 // declared uncompressed sizes; version 4 only
}

type typeRange struct {
	typ, first, count int
}

// Item is one record of integers.
type Item struct {
	// Type and ID are the upper and lower half of the item's 32-bit key.
	Type, ID uint16
	// Payload contains the item's integers in little endian and points into the file. The length of
	// Payload is a multiple of four.
	Payload []byte
}

// Len returns the number of integers in the item.
func (it Item) Len() int { return len(it.Payload) / 4 }

// Int returns integer i, or 0 beyond the end of the item. Newer versions of an item have more
// fields, and 0 is the value of a field that an older file lacks.
func (it Item) Int(i int) int32 {
	if i < 0 || i >= it.Len() {
		return 0
	}
	return int32(binary.LittleEndian.Uint32(it.Payload[4*i:]))
}

// Ints returns the whole payload as integers.
func (it Item) Ints() []int32 {
	out := make([]int32, it.Len())
	for i := range out {
		out[i] = it.Int(i)
	}
	return out
}

// Parse reads the tables of a data file. The result points into b.
//
// Like the original, Parse ignores the two fields with the file size in the header: they are wrong
// in old files.
func Parse(b []byte) (*File, error) {
	if len(b) < headerSize {
		return nil, fmt.Errorf("%w: the file has %d bytes; the header alone needs %d", ErrFormat, len(b), headerSize)
	}
	if sig := string(b[:4]); sig != "DATA" && sig != "ATAD" {
		return nil, fmt.Errorf("%w: signature %q at offset 0, want \"DATA\"", ErrFormat, sig)
	}
	field := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32(b[4*i:]))) }
	version := field(1)
	if version != 3 && version != 4 {
		return nil, fmt.Errorf("%w: version %d at offset 4, want 3 or 4", ErrFormat, version)
	}
	numTypes, numItems, numBlocks := field(4), field(5), field(6)
	itemBytes, dataBytes := field(7), field(8)
	for i, v := range []int64{numTypes, numItems, numBlocks, itemBytes, dataBytes} {
		if v < 0 {
			return nil, fmt.Errorf("%w: negative count %d at offset %d", ErrFormat, v, 16+4*i)
		}
	}
	perBlock := int64(4)
	if version == 4 {
		perBlock = 8
	}
	// 64-bit sums of 31-bit counts cannot overflow.
	tables := headerSize + numTypes*typeRecordSize + numItems*4 + numBlocks*perBlock
	if need := tables + itemBytes + dataBytes; need > int64(len(b)) {
		return nil, fmt.Errorf("%w: header declares %d types, %d items, %d blocks, %d item bytes and %d data bytes, in total %d bytes; the file has %d",
			ErrFormat, numTypes, numItems, numBlocks, itemBytes, dataBytes, need, len(b))
	}

	f := &File{version: int(version)}
	off := headerSize
	ints := func(n int64) []int32 {
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(binary.LittleEndian.Uint32(b[off+4*i:]))
		}
		off += 4 * int(n)
		return out
	}
	types := ints(3 * numTypes)
	itemOffsets := ints(numItems)
	f.offsets = ints(numBlocks)
	if version == 4 {
		f.sizes = ints(numBlocks)
	}
	itemEnd := off + int(itemBytes)
	if err := f.readItems(b[off:itemEnd], off, itemOffsets); err != nil {
		return nil, err
	}
	if err := f.readTypes(types); err != nil {
		return nil, err
	}
	f.data = b[itemEnd : itemEnd+int(dataBytes)]
	if err := f.checkBlocks(); err != nil {
		return nil, err
	}
	return f, nil
}

// readItems splits the item region into items. The region starts at file offset base. Items must
// not overlap; otherwise a small file could contain many large items.
func (f *File) readItems(region []byte, base int, offsets []int32) error {
	f.items = make([]Item, len(offsets))
	end := 0
	for i, o := range offsets {
		at := int(o)
		if at < end || at > len(region)-itemHeaderSize {
			return fmt.Errorf("%w: item %d starts at %d of the item region, want %d..%d", ErrFormat, i, at, end, len(region)-itemHeaderSize)
		}
		key := binary.LittleEndian.Uint32(region[at:])
		size := int64(int32(binary.LittleEndian.Uint32(region[at+4:])))
		rest := len(region) - at - itemHeaderSize
		if size < 0 || size%4 != 0 || size > int64(rest) {
			return fmt.Errorf("%w: item %d (type %d, id %d) at offset %d declares %d bytes; only %d are left",
				ErrFormat, i, key>>16, key&0xffff, base+at, size, rest)
		}
		start := at + itemHeaderSize
		end = start + int(size)
		f.items[i] = Item{Type: uint16(key >> 16), ID: uint16(key), Payload: region[start:end:end]}
	}
	return nil
}

// readTypes checks the index of items by type. The ranges must follow each other and contain only
// items of their type. Lookups by type and iteration over all items then agree.
func (f *File) readTypes(table []int32) error {
	next := 0
	for i := 0; i < len(table); i += 3 {
		r := typeRange{int(table[i]), int(table[i+1]), int(table[i+2])}
		if r.first < next || r.count < 0 || r.first > len(f.items) || r.count > len(f.items)-r.first {
			return fmt.Errorf("%w: type record %d at offset %d declares %d items from item %d on; "+
				"the file has %d items, and the first %d belong to earlier types",
				ErrFormat, i/3, headerSize+4*i, r.count, r.first, len(f.items), next)
		}
		for j := range r.count {
			if got := f.items[r.first+j].Type; int(got) != r.typ {
				return fmt.Errorf("%w: item %d has type %d, but the type table says %d", ErrFormat, r.first+j, got, r.typ)
			}
		}
		next = r.first + r.count
		f.types = append(f.types, r)
	}
	return nil
}

func (f *File) checkBlocks() error {
	prev := int32(0)
	for i, o := range f.offsets {
		if o < prev || int(o) > len(f.data) {
			return fmt.Errorf("%w: block %d starts at %d of the data region, want %d..%d", ErrFormat, i, o, prev, len(f.data))
		}
		prev = o
	}
	for i, s := range f.sizes {
		if s < 0 {
			return fmt.Errorf("%w: block %d declares a size of %d bytes", ErrFormat, i, s)
		}
	}
	return nil
}

// Version returns the version of the container format, 3 or 4.
func (f *File) Version() int { return f.version }

// Items returns all items in file order. Do not modify the slice.
func (f *File) Items() []Item { return f.items }

// ItemsOf returns the items of one type in file order.
func (f *File) ItemsOf(typ uint16) []Item {
	for _, r := range f.types {
		if r.typ == int(typ) {
			return f.items[r.first : r.first+r.count]
		}
	}
	return nil
}

// FindItem returns the first item with the given type and id.
func (f *File) FindItem(typ, id uint16) (Item, bool) {
	for _, it := range f.ItemsOf(typ) {
		if it.ID == id {
			return it, true
		}
	}
	return Item{}, false
}

// NumBlocks returns the number of data blocks.
func (f *File) NumBlocks() int { return len(f.offsets) }
