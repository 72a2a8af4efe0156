package snapshot

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

// build returns a snapshot with the given items, each {type, id, data...}.
func build(items ...[]int32) *Snapshot {
	var b Builder
	for _, it := range items {
		copy(b.Add(int(it[0]), int(it[1]), len(it)-2), it[2:])
	}
	s := new(Snapshot)
	b.Finish(s)
	return s
}

// pack encodes numbers as varints.
func pack(v ...int32) []byte {
	b := make([]byte, maxVarint*len(v)+putSlack)
	p := 0
	for _, x := range v {
		p = putInt(b, p, x)
	}
	return b[:p]
}

func TestKey(t *testing.T) {
	k := MakeKey(0xabcd, 0x12345)
	if k != 0xabcd2345 || k.Type() != 0xabcd || k.ID() != 0x2345 {
		t.Errorf("%#x %#x %#x", k, k.Type(), k.ID())
	}
}

// TestVarint compares with bytes worked out from the format. Bit 7 means that more bytes follow,
// and bit 6 is the sign. A negative number is stored as its complement.
func TestVarint(t *testing.T) {
	for v, want := range map[int32]string{
		0: "\x00", 63: "\x3f", 64: "\x80\x01", -1: "\x40", -64: "\x7f", -65: "\xc0\x01",
		8191: "\xbf\x7f", 8192: "\x80\x80\x01", 1 << 20: "\x80\x80\x80\x01", 1 << 27: "\x80\x80\x80\x80\x01",
		math.MaxInt32: "\xbf\xff\xff\xff\x0f", math.MinInt32: "\xff\xff\xff\xff\x0f",
	} {
		got := pack(v)
		if string(got) != want {
			t.Errorf("%d packs to %x, want %x", v, got, want)
		}
		if back, p := readInt(got, 0); back != v || p != len(want) {
			t.Errorf("%x reads as %d, %d bytes", want, back, p)
		}
		if _, p := readInt(got[:len(got)-1], 0); p != -1 {
			t.Errorf("%x is read although it is truncated", got[:len(got)-1])
		}
	}
	for in, want := range map[string]int32{
		"\x80\x00": 0, "\x80\x80\x80\x80\x00": 0, "\x81\x80\x80\x80\xf0": 1, "\x80\x80\x80\x80\xff": 0x78000000,
	} {
		if v, p := readInt([]byte(in), 0); v != want || p != len(in) {
			t.Errorf("%x reads as %d, %d bytes, want %d", in, v, p, want)
		}
	}
}

func TestBuilder(t *testing.T) {
	s := build([]int32{300, 7, 1, 2}, []int32{4, 9, 3}, []int32{4, 2}, []int32{4, 9, 5, 6}, []int32{0, 0, -1})
	check(t, s)
	want := []struct {
		k Key
		n int
	}{{0, 1}, {4<<16 | 2, 0}, {4<<16 | 9, 2}, {300<<16 | 7, 2}}
	if s.Len() != len(want) {
		t.Fatalf("%d items", s.Len())
	}
	for i, w := range want {
		if k, v := s.Item(i); k != w.k || len(v) != w.n {
			t.Errorf("item %d: %#x %v", i, k, v)
		}
	}
	if s.CRC() != 1+2+5+6-1 || s.NumInts() != 5 || s.Size() != 8+4*12+5*4 {
		t.Errorf("CRC %d, %d integers, size %d", s.CRC(), s.NumInts(), s.Size())
	}
	if v := s.Find(4<<16 | 2); v == nil || len(v) != 0 {
		t.Errorf("item without data: %v", v)
	}
	if s.Find(4<<16|3) != nil || s.Find(301<<16) != nil {
		t.Error("found an item that does not exist")
	}
}

// TestBuilderSort covers each order in which items can be added.
func TestBuilderSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SampledFrom([]int{3, 255, 256, 0xffff}).Draw(t, "types")
		want := map[Key]int32{}
		var b Builder
		for i, n := 0, rapid.IntRange(0, 60).Draw(t, "n"); i < n; i++ {
			typ, id := rapid.IntRange(0, types).Draw(t, "type"), rapid.IntRange(0, 5).Draw(t, "id")
			b.Add(typ, id, 1)[0] = int32(i)
			want[MakeKey(typ, id)] = int32(i)
		}
		var s Snapshot
		b.Finish(&s)
		check(t, &s)
		if s.Len() != len(want) {
			t.Fatalf("%d items, want %d", s.Len(), len(want))
		}
		for k, v := range want {
			if got := s.Find(k); got[0] != v {
				t.Fatalf("%#x: %d, want %d", k, got[0], v)
			}
		}
	})
}

func TestBuilderLimits(t *testing.T) {
	var b Builder
	for i := range MaxItems {
		if b.Add(1, i, 0) == nil {
			t.Fatalf("item %d refused", i)
		}
	}
	if b.Add(2, 0, 0) != nil {
		t.Error("Add accepts one item too many")
	}
	b.Reset()
	// 8 + 12 + 4n < 65536
	if b.Add(1, 0, 16379) != nil {
		t.Error("65536 bytes taken")
	}
	if b.Add(1, 0, 16378) == nil {
		t.Error("65532 bytes refused")
	}
	if b.Add(1, 1, 0) != nil {
		t.Error("Add accepts a second item in a full snapshot")
	}
	b.Reset()
	for _, bad := range [][3]int{{-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {1 << 16, 0, 1}, {0, 1 << 16, 1}, {0, 0, math.MaxInt}} {
		if b.Add(bad[0], bad[1], bad[2]) != nil {
			t.Errorf("%v taken", bad)
		}
	}
	// A returned slice stays valid while more items are added.
	first := b.Add(5, 5, 2)
	for i := range 500 {
		b.Add(6, i, 20)
	}
	first[1] = 77
	var s Snapshot
	b.Finish(&s)
	if got := s.Find(MakeKey(5, 5)); got[1] != 77 {
		t.Error("slot of the first item lost")
	}
	if s.Len() != b.Len() {
		t.Errorf("%d items of %d", s.Len(), b.Len())
	}
}

// TestDeltaBytes checks every byte of one delta.
func TestDeltaBytes(t *testing.T) {
	base := build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100}, []int32{4, 7, 0, 0, 0})
	next := build([]int32{4, 1, 10, 21, -70}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 101}, []int32{23, 4, 9}, []int32{6, 0, 1, 2, 3})
	got, changed := AppendDelta([]byte("ab"), base, next, &sizes7)
	want := append([]byte("ab"), pack(1, 4, 0, 4<<16|7, // deleted
		4, 1, 0, 1, -100,
		6, 0, 1, 2, 3,
		23, 3, 1, 1,
		23, 4, 1, 9)...)
	if !changed || string(got) != string(want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
	if got, changed := AppendDelta(got[:2], next, next, &sizes7); changed || len(got) != 2 {
		t.Errorf("no change yields %x", got)
	}
	if got, changed := AppendDelta(nil, nil, nil, nil); changed || len(got) != 0 {
		t.Errorf("nothing yields %x", got)
	}
}

// TestApplyOddities covers deltas that this package never writes but others may send.
func TestApplyOddities(t *testing.T) {
	base := build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100})
	for _, c := range []struct {
		name  string
		delta []byte
		want  *Snapshot
	}{
		{"empty", nil, base},
		{"nothing, third number ignored", pack(0, 0, 99), base},
		{"surplus", append(pack(0, 0, 0), 1, 2, 0x80), base},
		{"unsorted", pack(2, 2, 0, 23<<16|3, 4<<16|2, 50, 9, 1, 7, 4, 1, 1, 1, 1),
			build([]int32{4, 1, 11, 21, 31}, []int32{50, 9, 7})},
		{"deleting what is not there", pack(2, 0, 0, 1, 4<<16|1), build([]int32{4, 2, 1, 1, 1}, []int32{23, 3, 100})},
		{"deleting twice", pack(2, 0, 0, 23<<16|3, 23<<16|3), build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1})},
		{"updating twice counts once, from the base", pack(0, 2, 0, 4, 1, 5, 5, 5, 4, 1, 1, 2, 3),
			build([]int32{4, 1, 11, 22, 33}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100})},
		{"setting twice", pack(0, 3, 0, 4, 9, 5, 5, 5, 4, 8, 6, 6, 6, 4, 9, 1, 2, 3),
			build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{4, 8, 6, 6, 6}, []int32{4, 9, 1, 2, 3}, []int32{23, 3, 100})},
		{"deleted and updated adds to the base", pack(1, 2, 0, 4<<16|1, 4, 1, 9, 9, 9, 4, 1, 1, 1, 1),
			build([]int32{4, 1, 11, 21, 31}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100})},
		{"deleted and set with another length", pack(1, 1, 0, 23<<16|3, 23, 3, 2, 8, 9),
			build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 8, 9})},
		{"id beyond 16 bit", pack(0, 1, 0, 23, -1, 1, 5),
			build([]int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100}, []int32{23, 0xffff, 5})},
		{"item without data", pack(0, 1, 0, 0, 0, 0),
			build([]int32{0, 0}, []int32{4, 1, 10, 20, 30}, []int32{4, 2, 1, 1, 1}, []int32{23, 3, 100})},
	} {
		var got Snapshot
		if err := ApplyDelta(&got, base, c.delta, &sizes7); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		check(t, &got)
		if !got.Equal(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, *c.want)
		}
	}
}

func TestApplyErrors(t *testing.T) {
	base := build([]int32{4, 1, 10, 20, 30}, []int32{23, 3, 100})
	many := build()
	{
		var b Builder
		for i := range MaxItems {
			b.Add(1, i, 10)
		}
		b.Finish(many)
	}
	for _, c := range []struct {
		name  string
		base  *Snapshot
		delta []byte
		want  error
	}{
		{"header", base, pack(0, 0), ErrTruncated},
		{"cut in a number", base, []byte{0, 0x80}, ErrTruncated},
		{"negative deletions", base, pack(-1, 0, 0), ErrCount},
		{"negative updates", base, pack(0, math.MinInt32, 0), ErrCount},
		{"deletions missing", base, pack(2, 0, 0, 1), ErrTruncated},
		{"deletions, far too many", base, pack(math.MaxInt32, 0, 0, 1), ErrTruncated},
		{"updates missing", base, pack(0, math.MaxInt32, 0), ErrTruncated},
		{"data missing", base, pack(0, 1, 0, 4, 1, 1, 1), ErrTruncated},
		{"data cut", base, append(pack(0, 1, 0, 4, 1, 1), 0x80, 0x80), ErrTruncated},
		{"length missing", base, pack(0, 1, 0, 23, 1), ErrTruncated},
		{"negative length", base, pack(0, 1, 0, 23, 1, -1), ErrSize},
		{"huge length", base, pack(0, 1, 0, 23, 1, math.MaxInt32), ErrTruncated},
		{"length differs from the base", base, pack(0, 1, 0, 23, 3, 2, 1, 1), ErrSize},
		{"length differs from the same delta", base, pack(0, 2, 0, 23, 4, 2, 1, 1, 23, 4, 1, 1), ErrSize},
		{"negative type", base, pack(0, 1, 0, -1, 1, 1, 1), ErrType},
		{"type beyond 16 bit", base, pack(0, 1, 0, 65536, 1, 1, 1), ErrType},
		{"item too many", many, pack(0, 1, 0, 2, 0, 1, 1, 1, 1, 1, 1), ErrTooLarge},
		{"bytes too many", base, append(pack(0, 1, 0, 99, 0, 16379), make([]byte, 16379)...), ErrTooLarge},
	} {
		got := build([]int32{1, 1, 1})
		err := ApplyDelta(got, c.base, c.delta, &sizes7)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if got.Len() != 0 || got.CRC() != 0 || got.NumInts() != 0 {
			t.Errorf("%s: the destination has items after an error", c.name)
		}
	}
	if err := ApplyDelta(base, base, nil, nil); !errors.Is(err, ErrAlias) {
		t.Errorf("own base: %v", err)
	}
}

// genSnapshot draws a snapshot with so few possible keys that two snapshots overlap. With obey set,
// items of listed types have the listed length.
func genSnapshot(t *rapid.T, table ItemSizes, obey bool) *Snapshot {
	var b Builder
	b.Reset()
	for range rapid.IntRange(0, 40).Draw(t, "items") {
		typ := rapid.OneOf(rapid.IntRange(0, 6), rapid.IntRange(32700, 32703), rapid.Just(65535)).Draw(t, "type")
		n := table.Of(typ)
		if n == 0 || !obey {
			n = rapid.IntRange(0, 4).Draw(t, "n")
		}
		for i := range b.Add(typ, rapid.IntRange(0, 4).Draw(t, "id"), n) {
			b.data[b.used-n+i] = rapid.OneOf(rapid.Int32Range(-2, 2), rapid.Int32()).Draw(t, "v")
		}
	}
	s := new(Snapshot)
	b.Finish(s)
	return s
}

func genSizes(t *rapid.T) ItemSizes {
	return rapid.SliceOfN(rapid.Uint8Range(0, 5), 0, 8).Draw(t, "sizes")
}

// TestDeltaProperty checks that a delta applied to its base gives the snapshot that it was made
// from, for any table and even if items change their length.
func TestDeltaProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := genSizes(t)
		base, next := genSnapshot(t, table, true), genSnapshot(t, table, true)
		delta, changed := AppendDelta(nil, base, next, &table)
		if changed == base.Equal(next) {
			t.Fatalf("changed is %v", changed)
		}
		got := *genSnapshot(t, table, true)
		if err := ApplyDelta(&got, base, delta, &table); err != nil {
			t.Fatal(err)
		}
		check(t, &got)
		if !got.Equal(next) {
			t.Fatalf("got %v\nwant %v\nbase %v\ndelta %x", got, *next, *base, delta)
		}
	})
}

// TestContradictingSizes checks that items whose length contradicts the table are left out.
func TestContradictingSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := genSizes(t)
		base, next := genSnapshot(t, table, true), genSnapshot(t, table, false)
		var b Builder
		for i := range next.Len() {
			if k, v := next.Item(i); table.Of(k.Type()) == 0 || table.Of(k.Type()) == len(v) {
				copy(b.Add(k.Type(), k.ID(), len(v)), v)
			}
		}
		var want, got Snapshot
		b.Finish(&want)
		delta, _ := AppendDelta(nil, base, next, &table)
		if err := ApplyDelta(&got, base, delta, &table); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(&want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

// TestLargest checks deltas of snapshots at the limits of size.
func TestLargest(t *testing.T) {
	for _, n := range []int{1, 100, MaxItems} {
		var b Builder
		for i := range n {
			for j, v := 0, b.Add(40000, i, (MaxSize-headerSize-1)/n/4-3); j < len(v); j++ {
				v[j] = math.MinInt32 + int32(j)
			}
		}
		var s, got Snapshot
		b.Finish(&s)
		if s.Len() != n {
			t.Fatalf("%d items of %d", s.Len(), n)
		}
		delta, _ := AppendDelta(nil, nil, &s, nil)
		if err := ApplyDelta(&got, nil, delta, nil); err != nil || !got.Equal(&s) {
			t.Errorf("%d items: %v", n, err)
		}
		delta, _ = AppendDelta(delta[:0], &s, nil, nil)
		if err := ApplyDelta(&got, &s, delta, nil); err != nil || got.Len() != 0 {
			t.Errorf("%d items deleted: %v", n, err)
		}
	}
}

// TestAllocs checks that nothing allocates after the first pass over the capture.
func TestAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		steps := replay(t, name)[:150]
		var got, built Snapshot
		var buf []byte
		var bld Builder
		var join PartAssembler
		pool := &Pool{}
		st := NewStore(StoreConfig{Pool: pool})
		tick := int32(0)
		round := func() {
			for i := range steps {
				s := &steps[i]
				tick++
				if err := ApplyDelta(&got, s.from, s.delta, &sizes7); err != nil {
					t.Fatal(err)
				}
				buf, _ = AppendDelta(buf[:0], s.from, s.to, &sizes7)
				n := int32(PartCount(len(buf)))
				for p := range n {
					if _, _, err := join.Add(PartHeader{tick, -1, 0, n}, p, Part(buf, int(p))); err != nil {
						t.Fatal(err)
					}
				}
				bld.Reset()
				for j := s.to.Len() - 1; j >= 0; j-- {
					k, v := s.to.Item(j)
					copy(bld.Add(k.Type(), k.ID(), len(v)), v)
				}
				bld.Finish(&built)
				st.Add(tick, 0, &got)
				st.PurgeBefore(tick - 75)
			}
		}
		round()
		round()
		if n := testing.AllocsPerRun(5, round); n > 0 {
			t.Errorf("%s: %v allocations in %d snapshots", name, n, len(steps))
		}
	}
}

func TestEqualAndCopy(t *testing.T) {
	snap := func(id int, v int32) *Snapshot {
		var b Builder
		b.Add(1, id, 1)[0] = v
		s := new(Snapshot)
		b.Finish(s)
		return s
	}
	a := snap(1, 5)
	if !a.Equal(snap(1, 5)) || a.Equal(snap(2, 5)) || a.Equal(snap(1, 6)) || a.Equal(new(Snapshot)) {
		t.Error("Equal is wrong")
	}
	if a.CopyFrom(a); !a.Equal(snap(1, 5)) {
		t.Error("a snapshot copied to itself differs")
	}
	if err := ApplyDelta(new(Snapshot), nil, nil, nil); err != nil {
		t.Errorf("no delta: %v", err)
	}
	if err := ApplyDelta(new(Snapshot), nil, []byte{0x80}, nil); !errors.Is(err, ErrTruncated) {
		t.Errorf("half a header: %v", err)
	}
	if _, ok := new(Store).Tag(1); ok {
		t.Error("an empty store has a tag")
	}
}
