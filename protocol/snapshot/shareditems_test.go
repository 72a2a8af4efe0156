package snapshot

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// plain is a copy of s that knows of no block.
func plain(s *Snapshot) *Snapshot {
	var b Builder
	for i := range s.Len() {
		k, v := s.Item(i)
		copy(b.Add(k.Type(), k.ID(), len(v)), v)
	}
	c := new(Snapshot)
	b.Finish(c)
	return c
}

// TestBlockProperty: blocks change neither snapshots nor deltas, wherever they are,
// whatever becomes of snapshots in between, and whatever the table says.
func TestBlockProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := genSizes(t)
		blocks := []*SharedItems{NewSharedItems(genSnapshot(t, table, false)), NewSharedItems(genSnapshot(t, table, true)), NewSharedItems(nil)}
		var b, one Builder
		add := func(b *Builder, s *Snapshot, from, to int) {
			for i := from; i < to; i++ {
				k, v := s.Item(i)
				copy(b.Add(k.Type(), k.ID(), len(v)), v)
			}
		}
		var last *Snapshot // had something else before
		draw := func() *Snapshot {
			b.Reset()
			one.Reset()
			around := genSnapshot(t, table, false)
			before := rapid.IntRange(0, around.Len()).Draw(t, "before")
			add(&b, around, 0, before)
			add(&one, around, 0, before)
			for range rapid.IntRange(0, 2).Draw(t, "blocks") {
				k := blocks[rapid.IntRange(0, len(blocks)-1).Draw(t, "block")]
				b.AddShared(k)
				for _, e := range k.entries {
					from := e.off() - isShared
					copy(one.Add(e.key().Type(), e.key().ID(), e.len()), k.data[from:from+e.len()])
				}
			}
			add(&b, around, before, around.Len())
			add(&one, around, before, around.Len())
			s, want := new(Snapshot), new(Snapshot)
			s.CopyFrom(last)
			b.Finish(s)
			one.Finish(want)
			check(t, s)
			if !s.Equal(want) {
				t.Fatalf("got %v\nwant %v", *s, *want)
			}
			last = s
			return s
		}
		base, next := draw(), draw()
		st := NewStore(StoreConfig{})
		if rapid.Bool().Draw(t, "store") {
			base = st.Add(1, 0, base)
		}
		same := func() []byte {
			want, wantChanged := AppendDelta(nil, plain(base), plain(next), &table)
			got, changed := AppendDelta([]byte("x"), base, next, &table)
			if got[0] != 'x' || !bytes.Equal(got[1:], want) || changed != wantChanged {
				t.Fatalf("%x %v, want %x %v\nbase %v\nnext %v", got[1:], changed, want, wantChanged, *base, *next)
			}
			return want
		}
		delta := same()
		// Snapshots that had a block get another content.
		used, third := new(Snapshot), draw()
		used.CopyFrom(third)
		if err := ApplyDelta(used, base, delta, &table); err != nil {
			t.Fatal(err)
		}
		base, next = used, third
		same()
		base = new(Snapshot)
		base.CopyFrom(third)
		same()
		base.Reset()
		same()
	})
}

// TestBlockOddities: a block whose items contradict the table, and items around one and
// of one that a delta removes.
func TestBlockOddities(t *testing.T) {
	k := NewSharedItems(build([]int32{5, 0, 1, 2}, []int32{5, 1, 3, 4}))
	var b Builder
	var base, other, got Snapshot
	copy(b.Add(1, 7, 1), []int32{6})
	b.AddShared(k)
	copy(b.Add(9, 7, 1), []int32{7})
	b.Finish(&base)
	table := ItemSizes{5: 1}
	delta, _ := AppendDelta(nil, &base, &base, &table)
	want, _ := AppendDelta(nil, plain(&base), plain(&base), &table)
	if len(want) == 0 || !bytes.Equal(delta, want) {
		t.Errorf("delta %x, want %x", delta, want)
	}
	b.Reset()
	copy(b.Add(9, 7, 1), []int32{7})
	copy(b.Add(5, 1, 2), []int32{8, 9})
	b.Finish(&other)
	delta, _ = AppendDelta(nil, &base, &other, nil)
	if err := ApplyDelta(&got, &base, delta, nil); err != nil || !got.Equal(&other) {
		t.Errorf("got %v, want %v, error %v", got, other, err)
	}
	check(t, &got)
	// A snapshot that had a block and is filled with something unsorted.
	b.Finish(&base)
	check(t, &base)
}

// TestBlockFull: of a block that does not fit as much is taken as of single items.
func TestBlockFull(t *testing.T) {
	var b Builder
	for i := range 10 {
		b.Add(1, i, 100)
	}
	var s Snapshot
	b.Finish(&s)
	k := NewSharedItems(&s)
	if k.Len() != 10 {
		t.Fatalf("%d items", k.Len())
	}
	b.Reset()
	b.Add(0, 0, maxInts-550)
	b.AddShared(k)
	b.Finish(&s)
	check(t, &s)
	if s.Len() != 1+5 {
		t.Errorf("%d items", s.Len())
	}
	b.Reset()
	for i := range MaxItems - 3 {
		b.Add(0, i, 0)
	}
	b.AddShared(k)
	b.Finish(&s)
	check(t, &s)
	if s.Len() != MaxItems {
		t.Errorf("%d items", s.Len())
	}
}

// TestBlockIsSkipped: what both snapshots have as a block is there once and not looked
// at, and what may have been moved is no block.
func TestBlockIsSkipped(t *testing.T) {
	k := NewSharedItems(build([]int32{5, 0, 1, 2}, []int32{5, 1, 3, 4}))
	make := func(second int, ids ...int) *Snapshot {
		var b Builder
		b.Add(1, 7, 1)
		b.AddShared(k)
		for _, id := range ids {
			b.Add(second, id, 0)
		}
		s := new(Snapshot)
		b.Finish(s)
		check(t, s)
		return s
	}
	if s := make(9, 1); s.shared != k || s.sharedEntry != 1 {
		t.Errorf("in order: block at %d", s.sharedEntry)
	}
	for _, s := range []*Snapshot{make(2, 1), make(9, 2, 1), make(9, 1, 1)} {
		if s.shared != nil {
			t.Errorf("sorted: block at %d", s.sharedEntry)
		}
	}
	base, next := make(9, 1), make(9, 1)
	if a, b := base.Find(MakeKey(5, 1)), next.Find(MakeKey(5, 1)); &a[0] != &b[0] {
		t.Error("two copies")
	}
	next.entries[1] = makeEntry(MakeKey(5, 0), isShared, 1)
	if d, changed := AppendDelta(nil, base, next, nil); changed {
		t.Errorf("delta %x", d)
	}
	next.data[0] = 1
	if d, _ := AppendDelta(nil, base, next, nil); !bytes.Equal(d, pack(0, 1, 0, 1, 7, 1, 1)) {
		t.Errorf("delta %x", d)
	}
}
