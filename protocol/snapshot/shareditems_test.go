package snapshot

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"pgregory.net/rapid"
)

// plain returns a copy of s that shares no items.
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

// TestSharingProperty checks that sharing items never changes a snapshot or a delta.
// TestSharingProperty draws the snapshots in between and the table of sizes at random.
func TestSharingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := genSizes(t)
		var cache DeltaCache
		var pool SharedPool
		var st Store
		var b, one Builder
		var last *Snapshot // contains other items before the test
		for tick := range int32(rapid.IntRange(1, 5).Draw(t, "rounds")) {
			cache.Reset()
			round := pool.Take()
			all := genSnapshot(t, table, rapid.Bool().Draw(t, "obey"))
			refs := make([]SharedRef, all.Len())
			for range rapid.IntRange(1, 3).Draw(t, "viewers") {
				b.Reset()
				one.Reset()
				b.Share(round)
				swap := rapid.IntRange(0, 20).Draw(t, "unsorted") == 0
				for i := range all.Len() {
					if swap {
						i = all.Len() - 1 - i
					}
					k, v := all.Item(i)
					switch rapid.IntRange(0, 5).Draw(t, "item") {
					case 0: // the item is not visible
						continue
					case 1: // the item is replaced
						b.AddShared(&refs[i], k.Type(), k.ID(), v)
						copy(one.Add(k.Type(), k.ID(), len(v)), v)
						fallthrough
					case 2: // the item is not shared
						own := append([]int32{int32(i)}, v...)[:len(v)]
						copy(b.Add(k.Type(), k.ID(), len(v)), own)
						copy(one.Add(k.Type(), k.ID(), len(v)), own)
					default:
						b.AddShared(&refs[i], k.Type(), k.ID(), v)
						copy(one.Add(k.Type(), k.ID(), len(v)), v)
					}
				}
				s, want := new(Snapshot), new(Snapshot)
				s.CopyFrom(last)
				b.FinishShared(s)
				one.Finish(want)
				check(t, s)
				if !s.Equal(want) {
					t.Fatalf("got %v\nwant %v", *s, *want)
				}
				base := st.At(int32(rapid.IntRange(-1, int(tick)).Draw(t, "base")))
				wantDelta, wantChanged := AppendDelta(nil, plain(orEmpty(base)), want, &table)
				for range 2 {
					got, changed := cache.AppendDelta([]byte("x"), base, s, &table)
					if got[0] != 'x' || !bytes.Equal(got[1:], wantDelta) || changed != wantChanged {
						t.Fatalf("%x %v, want %x %v\nbase %v\nnext %v", got[1:], changed, wantDelta, wantChanged, base, *s)
					}
				}
				if base != nil { // dst also serves as a base
					got := new(Snapshot)
					if err := ApplyDelta(got, base, wantDelta, &table); err != nil {
						t.Fatal(err)
					}
					check(t, got)
				}
				owned := new(Snapshot)
				if b.Finish(owned); owned.shared != nil || !owned.Equal(want) {
					t.Fatalf("finished as %v", *owned)
				}
				check(t, owned)
				if owned.CopyFrom(s); owned.shared != nil || !owned.Equal(want) {
					t.Fatalf("copied as %v", *owned)
				}
				check(t, owned)
				st.Add(tick, 0, s)
				last = owned
			}
			round.Release()
			if stored := st.At(tick); !stored.Equal(last) {
				t.Fatalf("stored %v, want %v", *stored, *last)
			}
			if rapid.Bool().Draw(t, "purge") {
				st.PurgeBefore(tick)
			}
		}
		st.Clear()
		for _, s := range pool.idle {
			if s.refs != 0 {
				t.Fatalf("idle SharedItems have %d references", s.refs)
			}
		}
		if n := int(pool.round); len(pool.idle) == 0 || len(pool.idle) > n {
			t.Fatalf("%d idle after %d rounds", len(pool.idle), n)
		}
	})
}

func orEmpty(s *Snapshot) *Snapshot {
	if s == nil {
		return &empty
	}
	return s
}

// TestSharedFull checks the limits. An item that does not fit the snapshot is left out. An item
// that does not fit the shared items is not shared.
func TestSharedFull(t *testing.T) {
	var b Builder
	var s Snapshot
	var pool SharedPool
	round := pool.Take()
	b.Share(round)
	b.Add(0, 0, maxInts-550)
	ints := make([]int32, 100)
	for i := range 10 {
		b.AddShared(new(SharedRef), 1, i, ints)
	}
	b.FinishShared(&s)
	if check(t, &s); s.Len() != 1+5 {
		t.Errorf("%d items", s.Len())
	}
	b.Reset()
	b.Share(round)
	for i := range MaxItems + 3 {
		b.AddShared(new(SharedRef), 1, i, nil)
	}
	b.FinishShared(&s)
	if check(t, &s); s.Len() != MaxItems {
		t.Errorf("%d items", s.Len())
	}
	b.Reset()
	b.Share(round)
	for i := range maxSharedItems {
		b.AddShared(new(SharedRef), 2, i, ints[:1])
	}
	if len(round.items) != maxSharedItems || len(round.data) > maxSharedInts {
		t.Errorf("%d shared items with %d integers", len(round.items), len(round.data))
	}
	b.Reset()
	b.Share(round)
	b.AddShared(new(SharedRef), 1, 1, []int32{5})
	b.AddShared(new(SharedRef), -1, 1, []int32{5})
	b.AddShared(new(SharedRef), 1, 1<<16, []int32{5})
	b.FinishShared(&s)
	if check(t, &s); s.Len() != 1 || s.shared != nil || s.CRC() != 5 {
		t.Errorf("%d items, shared %v", s.Len(), s.shared)
	}
}

// TestSharedOnce checks that items seen by many clients are stored once, and that their changes are
// encoded once.
func TestSharedOnce(t *testing.T) {
	var pool SharedPool
	var cache DeltaCache
	var b Builder
	var s Snapshot
	const viewers, items, ints = 20, 50, 20
	stores := make([]Store, viewers)
	var encoded []int // length in bytes
	for tick := range int32(3) {
		cache.Reset()
		round := pool.Take()
		var refs [items]SharedRef
		for v := range stores {
			b.Reset()
			b.Share(round)
			for i := range refs {
				var values [ints]int32
				values[i%ints] = tick
				b.AddShared(&refs[i], 1, i, values[:])
			}
			b.FinishShared(&s)
			st := &stores[v]
			cache.AppendDelta(nil, st.At(tick-1), &s, nil)
			if cache.used > 0 {
				encoded = append(encoded, len(cache.pairs[0].bytes))
			}
			if st.Add(tick, 0, &s); len(st.At(tick).data) != 0 {
				t.Fatalf("%d integers stored for viewer %d", len(st.At(tick).data), v)
			}
		}
		if len(round.items) != items || len(round.data) != items*ints {
			t.Errorf("%d shared items with %d integers", len(round.items), len(round.data))
		}
		round.Release()
	}
	if len(encoded) != 2*viewers || encoded[0] == 0 || encoded[viewers-1] != encoded[0] || cache.used != 1 {
		t.Errorf("encoded %d bytes, then %v", encoded[0], encoded)
	}
	for i := range stores {
		stores[i].PurgeBefore(1)
	}
	if len(pool.idle) != 1 {
		t.Errorf("%d idle, want 1: the SharedItems without references", len(pool.idle))
	}
}

// TestSharedAllocs checks that rounds after the first ones do not allocate.
func TestSharedAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	steps := replay(t, "dd64.snaps")[:150]
	var pool SharedPool
	var cache DeltaCache
	var b Builder
	var s Snapshot
	var buf []byte
	st := NewStore(StoreConfig{Pool: new(Pool)})
	tick := int32(0)
	var refs [MaxItems]SharedRef
	round := func() {
		for i := range steps {
			tick++
			cache.Reset()
			shared := pool.Take()
			for range 2 {
				b.Reset()
				b.Share(shared)
				for j := range steps[i].to.Len() {
					k, v := steps[i].to.Item(j)
					b.AddShared(&refs[j], k.Type(), k.ID(), v)
				}
				b.FinishShared(&s)
				buf, _ = cache.AppendDelta(buf[:0], st.At(tick-3), &s, &sizes7)
				st.Add(tick, 0, &s)
			}
			st.PurgeBefore(tick - 75)
			shared.Release()
		}
	}
	round()
	round()
	if n := testing.AllocsPerRun(5, round); n > 0 {
		t.Errorf("%v allocations in %d snapshots", n, len(steps))
	}
}
