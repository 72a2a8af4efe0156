package datafile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

// words encodes integers as little endian and appends strings unchanged.
func words(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = binary.LittleEndian.AppendUint32(out, uint32(p))
		case string:
			out = append(out, p...)
		case []byte:
			out = append(out, p...)
		}
	}
	return out
}

// version3 is a handwritten file with one item of type 1 and id 7, one item of type 5, and two raw
// blocks.
var version3 = words("DATA", 3, 104, 97, 2, 2, 2, 28, 7,
	1, 0, 1, 5, 1, 1, // types
	0, 16, // items
	0, 4, // blocks
	1<<16|7, 8, -1, 42,
	5<<16, 4, 9,
	"abcdefg")

func TestVersion3(t *testing.T) {
	f, err := Parse(version3)
	if err != nil {
		t.Fatal(err)
	}
	it, ok := f.FindItem(1, 7)
	testenv.Check(t, ok && slices.Equal(it.Ints(), []int32{-1, 42}), "Find(1, 7) = %v, %v", it, ok)
	testenv.Check(t, it.Int(2) == 0 && it.Int(-1) == 0, "fields outside of an item are not 0")
	if got := f.ItemsOf(5); len(got) != 1 || got[0].Int(0) != 9 {
		t.Errorf("ItemsOf(5) = %v", got)
	}
	if _, ok := f.FindItem(1, 8); ok || f.ItemsOf(2) != nil {
		t.Error("found an item that does not exist")
	}
	for i, want := range []string{"abcd", "efg"} {
		b, err := f.Block(i, 100)
		testenv.Check(t, err == nil && string(b) == want, "Block(%d) = %q, %v, want %q", i, b, err, want)
	}
	if _, err := f.Block(2, 100); !errors.Is(err, ErrNoBlock) {
		t.Errorf("Block(2): %v", err)
	}
	if _, err := f.Block(0, 3); !errors.Is(err, ErrLimit) {
		t.Errorf("Block over the limit: %v", err)
	}
}

// TestDamage checks that the error about a damaged file names the place.
func TestDamage(t *testing.T) {
	at := func(offset int, v int32) []byte {
		b := bytes.Clone(version3)
		binary.LittleEndian.PutUint32(b[offset:], uint32(v))
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":              {nil, "0 bytes"},
		"short header":       {version3[:35], "35 bytes"},
		"signature":          {at(0, 0), "offset 0"},
		"version":            {at(4, 5), "version 5 at offset 4"},
		"negative count":     {at(20, -1), "offset 20"},
		"truncated":          {version3[:len(version3)-1], "7 data bytes"},
		"item count":         {at(20, 1<<30), "1073741824 items"},
		"item offset":        {at(60, 24), "item 0 starts at 24"},
		"items overlap":      {at(64, 8), "item 1 starts at 8"},
		"item size":          {at(80, 1<<20), "item 0 (type 1, id 7) at offset 76"},
		"item size odd":      {at(80, 7), "declares 7 bytes"},
		"type of item":       {at(48, 6), "item 1 has type 5, but the type table says 6"},
		"types overlap":      {at(52, 0), "type record 1 at offset 48"},
		"type count":         {at(56, 2), "declares 2 items"},
		"block offset":       {at(72, 8), "block 1 starts at 8"},
		"block order":        {at(68, 5), "block 1 starts at 4"},
		"negative blocks":    {at(68, -4), "block 0 starts at -4"},
		"item region beyond": {at(28, 1<<30), "item bytes"},
	} {
		_, err := Parse(c.file)
		testenv.Check(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), c.want), "%s: error %v, want one with %q", name, err, c.want)
	}
}

// TestBlockDamage checks that a version 4 block must have exactly its declared length.
func TestBlockDamage(t *testing.T) {
	var w Writer
	w.AddBlock(bytes.Repeat([]byte("teeworlds "), 1000))
	file, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	const sizeAt = headerSize + 4
	for name, c := range map[string]struct {
		change func(b []byte)
		want   error
	}{
		"declared shorter": {func(b []byte) { binary.LittleEndian.PutUint32(b[sizeAt:], 9999) }, ErrFormat},
		"declared longer":  {func(b []byte) { binary.LittleEndian.PutUint32(b[sizeAt:], 10001) }, ErrFormat},
		"a gigabyte":       {func(b []byte) { binary.LittleEndian.PutUint32(b[sizeAt:], 1<<30) }, ErrLimit},
		"cannot be":        {func(b []byte) { binary.LittleEndian.PutUint32(b[sizeAt:], 1<<19) }, ErrFormat},
		"checksum":         {func(b []byte) { b[len(b)-1] ^= 1 }, ErrFormat},
		"zlib header":      {func(b []byte) { b[sizeAt+4] ^= 0xff }, ErrFormat},
	} {
		b := bytes.Clone(file)
		c.change(b)
		f, err := Parse(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := f.Block(0, 1<<20); !errors.Is(err, c.want) || !strings.Contains(err.Error(), "block 0") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		// A failed block must not affect the next one.
		g, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := g.Block(0, 10000); err != nil || len(out) != 10000 {
			t.Errorf("after %s: %d bytes, %v", name, len(out), err)
		}
	}
}

// TestHostileHeader checks that headers with huge sizes do not allocate memory.
func TestHostileHeader(t *testing.T) {
	const most = 0x7fffffff
	for _, h := range [][]byte{
		words("DATA", 4, most, most, most, most, most, most, most),
		words("DATA", 4, 20, 20, 0, most, 0, 0, 0),
		words("DATA", 4, 20, 20, 0, 0, most, 0, 0),
		words("DATA", 4, 20, 20, 0, 0, 0, most, 0),
		words("DATA", 3, 20, 20, most, 0, 0, 0, most),
	} {
		var err error
		n := testenv.Allocated(func() { _, err = Parse(h) })
		testenv.Check(t, errors.Is(err, ErrFormat), "% x: %v", h, err)
		testenv.Check(t, n <= 64<<10, "% x: %d bytes allocated", h, n)
	}
}

func TestWriterLimits(t *testing.T) {
	var w Writer
	for range MaxItems + 1 {
		w.AddItem(5, 0, nil)
	}
	if _, err := w.Bytes(); !errors.Is(err, ErrTooMany) {
		t.Errorf("%d items: %v", MaxItems+1, err)
	}
}

// TestWriteRead checks that a written file can be read.
func TestWriteRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Writer
		type item struct {
			typ, id uint16
			ints    []int32
		}
		var items []item
		for range rapid.IntRange(0, 20).Draw(t, "items") {
			it := item{rapid.Uint16Range(0, 8).Draw(t, "type"), rapid.Uint16().Draw(t, "id"), rapid.SliceOfN(rapid.Int32(), 0, 30).Draw(t, "ints")}
			items = append(items, it)
			w.AddItem(it.typ, it.id, it.ints)
		}
		blocks := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 2000), 0, 5).Draw(t, "blocks")
		for i, b := range blocks {
			if n := w.AddBlock(b); int(n) != i {
				t.Fatalf("block %d is number %d", i, n)
			}
		}
		file, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if f.Version() != 4 || len(f.Items()) != len(items) || f.NumBlocks() != len(blocks) {
			t.Fatalf("version %d, %d items, %d blocks", f.Version(), len(f.Items()), f.NumBlocks())
		}
		slices.SortStableFunc(items, func(a, b item) int { return int(a.typ) - int(b.typ) })
		for i, it := range f.Items() {
			if it.Type != items[i].typ || it.ID != items[i].id || !slices.Equal(it.Ints(), items[i].ints) {
				t.Fatalf("item %d is %+v, want %+v", i, it, items[i])
			}
		}
		for i, want := range blocks {
			testenv.Require(t, f.BlockSize(i) == len(want), "block %d declares %d bytes, want %d", i, f.BlockSize(i), len(want))
			got, err := f.Block(i, len(want))
			testenv.Require(t, err == nil && bytes.Equal(got, want), "block %d: %v", i, err)
		}
	})
}

// FuzzParse checks that any input is either parsed or refused, with memory proportional to its
// length.
func FuzzParse(f *testing.F) {
	f.Add(version3)
	var w Writer
	w.AddItem(0, 0, []int32{1})
	w.AddItem(5, 1, []int32{1, 2, 3})
	w.AddBlock([]byte("hello"))
	w.AddBlock(make([]byte, 5000))
	file, err := w.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(words("DATA", 4, -1, -1, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 20
		var df *File
		var err error
		if n := testenv.Allocated(func() { df, err = Parse(b) }); n > uint64(64*len(b)+256<<10) {
			t.Fatalf("Parse allocated %d bytes for an input of %d", n, len(b))
		}
		if err != nil {
			testenv.Require(t, errors.Is(err, ErrFormat), "error of an unknown kind: %v", err)
			return
		}
		for i := range df.NumBlocks() {
			var out []byte
			n := testenv.Allocated(func() { out, err = df.Block(i, limit) })
			testenv.Require(t, n <= 4*limit+256<<10 && len(out) <= limit, "block %d of %d bytes: %d allocated", i, len(out), n)
			testenv.Require(t, err != nil || len(out) == df.BlockSize(i), "block %d has %d bytes, declares %d", i, len(out), df.BlockSize(i))
		}
	})
}

func BenchmarkBlock(b *testing.B) {
	var w Writer
	w.AddBlock(make([]byte, 100*50*4))
	file, err := w.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	f, err := Parse(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100 * 50 * 4)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Block(0, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
