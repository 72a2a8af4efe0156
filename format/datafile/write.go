package datafile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// MaxItems and MaxBlocks are the limits of the original's writer. The reader of the original has no
// limits, but other tools have the following ones.
const (
	MaxItems  = 1024
	MaxBlocks = 1024
)

// Writer collects items and blocks and encodes them as a version 4 file. The zero
// value is ready to use.
type Writer struct {
	items  []newItem
	blocks []newBlock
	zlib   *zlib.Writer
}

type newItem struct {
	typ, id uint16
	ints    []int32
}

type newBlock struct {
	compressed []byte
	size       int // uncompressed size in bytes
}

// AddItem adds an item. Items of one type keep their order; types are sorted. The slice is not
// copied.
func (w *Writer) AddItem(typ, id uint16, ints []int32) {
	w.items = append(w.items, newItem{typ, id, ints})
}

// AddBlock adds a data block and returns its number, for use in items. AddBlock compresses the data
// at once and does not keep it.
func (w *Writer) AddBlock(data []byte) int32 {
	var out bytes.Buffer
	if w.zlib == nil {
		// The error is always nil: the level is valid, and writing to a buffer does not fail.
		w.zlib, _ = zlib.NewWriterLevel(&out, zlib.BestCompression)
	} else {
		w.zlib.Reset(&out)
	}
	w.zlib.Write(data)
	w.zlib.Close()
	return w.addCompressed(out.Bytes(), len(data))
}

// CopyBlock adds block i of a file unchanged and returns its number. A compressed block is neither
// decompressed nor checked.
func (w *Writer) CopyBlock(f *File, i int) int32 {
	if f.sizes == nil {
		return w.AddBlock(f.storedBlock(i))
	}
	return w.addCompressed(f.storedBlock(i), f.BlockSize(i))
}

func (w *Writer) addCompressed(b []byte, size int) int32 {
	w.blocks = append(w.blocks, newBlock{b, size})
	return int32(len(w.blocks) - 1)
}

// Bytes returns the file. Equal contents give equal bytes within one version of the Go toolchain;
// zlib of another version can compress differently.
func (w *Writer) Bytes() ([]byte, error) {
	if len(w.items) > MaxItems || len(w.blocks) > MaxBlocks {
		return nil, fmt.Errorf("%w: %d items (at most %d) and %d blocks (at most %d)", ErrTooMany, len(w.items), MaxItems, len(w.blocks), MaxBlocks)
	}
	items := slices.Clone(w.items)
	slices.SortStableFunc(items, func(a, b newItem) int { return int(a.typ) - int(b.typ) })

	le := binary.LittleEndian
	var types, itemOffsets, region []byte
	numTypes := 0
	for i := 0; i < len(items); {
		n := 1
		for i+n < len(items) && items[i+n].typ == items[i].typ {
			n++
		}
		types = le.AppendUint32(types, uint32(items[i].typ))
		types = le.AppendUint32(types, uint32(i))
		types = le.AppendUint32(types, uint32(n))
		numTypes++
		i += n
	}
	for _, it := range items {
		itemOffsets = le.AppendUint32(itemOffsets, uint32(len(region)))
		region = le.AppendUint32(region, uint32(it.typ)<<16|uint32(it.id))
		region = le.AppendUint32(region, uint32(4*len(it.ints)))
		for _, v := range it.ints {
			region = le.AppendUint32(region, uint32(v))
		}
	}

	var blockOffsets, blockSizes []byte
	dataBytes := 0
	for i, b := range w.blocks {
		blockOffsets = le.AppendUint32(blockOffsets, uint32(dataBytes))
		blockSizes = le.AppendUint32(blockSizes, uint32(b.size))
		if dataBytes += len(b.compressed); b.size > math.MaxInt32 || dataBytes > math.MaxInt32 {
			return nil, fmt.Errorf("%w: block %d does not fit in 31-bit offsets", ErrTooMany, i)
		}
	}

	tables := len(types) + len(itemOffsets) + len(blockOffsets) + len(blockSizes)
	total := headerSize + tables + len(region) + dataBytes
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooMany, total)
	}
	out := make([]byte, 0, total)
	out = append(out, "DATA"...)
	for _, v := range []int{
		4,
		total - 16,             // size without the first four fields
		total - 16 - dataBytes, // the part that big endian machines swap
		numTypes, len(items), len(w.blocks), len(region), dataBytes,
	} {
		out = le.AppendUint32(out, uint32(v))
	}
	for _, part := range [][]byte{types, itemOffsets, blockOffsets, blockSizes, region} {
		out = append(out, part...)
	}
	for _, b := range w.blocks {
		out = append(out, b.compressed...)
	}
	return out, nil
}
