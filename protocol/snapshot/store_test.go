package snapshot

import (
	"testing"

	"pgregory.net/rapid"
)

// TestStoreProperty compares a store with a map of copies.
func TestStoreProperty(t *testing.T) {
	pool := &Pool{MaxIdleBytes: 20000}
	rapid.Check(t, func(t *rapid.T) {
		type kept struct {
			s   *Snapshot
			tag int64
		}
		frames := rapid.IntRange(1, 20).Draw(t, "frames")
		limit := rapid.SampledFrom([]int{0, 2000}).Draw(t, "bytes")
		st := NewStore(StoreConfig{MaxSnapshots: frames, MaxBytes: limit, Pool: pool})
		want := map[int32]kept{}
		tick := int32(0)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				tick += rapid.Int32Range(-1, 4).Draw(t, "step")
				var s Snapshot
				if rapid.Bool().Draw(t, "again") && st.Len() > 0 {
					// A stored snapshot may be stored again, even if it is the next one to be
					// dropped.
					old, _ := oldest(st)
					s.CopyFrom(st.At(old))
					st.Add(tick, int64(tick)*2, st.At(old))
				} else {
					s = *genSnapshot(t, nil, true)
					st.Add(tick, int64(tick)*2, &s)
				}
				for k := range want {
					if k >= tick {
						delete(want, k)
					}
				}
				want[tick] = kept{&s, int64(tick) * 2}
			},
			"purge": func(t *rapid.T) {
				before := tick - rapid.Int32Range(-1, 15).Draw(t, "age")
				st.PurgeBefore(before)
				for k := range want {
					if k < before {
						delete(want, k)
					}
				}
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					st.Clear()
					clear(want)
				}
			},
			"": func(t *rapid.T) {
				if st.Len() > frames || limit > 0 && st.Len() > 1 && st.Bytes() > limit {
					t.Fatalf("%d snapshots, %d bytes", st.Len(), st.Bytes())
				}
				// Only the oldest may have been evicted.
				if oldest, ok := oldest(st); ok {
					for k := range want {
						if k < oldest {
							delete(want, k)
						}
					}
				} else if len(want) > 0 {
					t.Fatal("store is empty")
				}
				if st.Len() != len(want) {
					t.Fatalf("%d snapshots, want %d", st.Len(), len(want))
				}
				bytes := 0
				for k, w := range want {
					s := st.At(k)
					if s == nil || !s.Equal(w.s) {
						t.Fatalf("tick %d is wrong or missing", k)
					}
					if tag, ok := st.Tag(k); !ok || tag != w.tag {
						t.Fatalf("tick %d: tag %d", k, tag)
					}
					bytes += s.footprint()
				}
				if bytes != st.Bytes() {
					t.Fatalf("%d bytes, counted %d", bytes, st.Bytes())
				}
				if newest, ok := st.Newest(); ok && want[newest].s == nil {
					t.Fatalf("newest is %d", newest)
				}
				if st.At(tick+1) != nil {
					t.Fatal("found a tick that was not added")
				}
				idle := 0
				for _, l := range pool.entries {
					for _, b := range l {
						idle += 8 * cap(b)
					}
				}
				for _, l := range pool.data {
					for _, b := range l {
						idle += 4 * cap(b)
					}
				}
				if idle != pool.IdleBytes() || idle > pool.MaxIdleBytes {
					t.Fatalf("pool holds %d bytes, counted %d", idle, pool.IdleBytes())
				}
			},
		})
		st.Clear()
		if st.Bytes() != 0 {
			t.Fatalf("%d bytes in an empty store", st.Bytes())
		}
	})
}

// TestStoreEviction checks that the limits keep the newest snapshots.
func TestStoreEviction(t *testing.T) {
	st := new(Store)
	for i := range int32(1000) {
		st.Add(i*2, 0, nil)
	}
	if oldest, _ := oldest(st); st.Len() != DefaultMaxSnapshots || oldest != 2*(1000-DefaultMaxSnapshots) {
		t.Errorf("%d snapshots, oldest %d", st.Len(), oldest)
	}
	big := build(append([]int32{1, 1}, make([]int32, 1000)...))
	st = NewStore(StoreConfig{MaxBytes: 10000})
	for i := range int32(20) {
		st.Add(i, 0, big)
	}
	if st.Len() != 2 || st.At(19) == nil || st.At(18) == nil {
		t.Errorf("%d snapshots of 4 kB in 10 kB", st.Len())
	}
	st = NewStore(StoreConfig{MaxBytes: 1})
	if st.Add(1, 0, big); st.Len() != 1 {
		t.Error("the newest was not kept")
	}
}

// TestStoreMemory checks the memory of the stores of 64 clients that never acknowledge a snapshot.
// Each holds 3 s of snapshots of a full server, with 263 items. The server as a whole must stay
// within 60 MB.
func TestStoreMemory(t *testing.T) {
	steps := replay(t, "dd64.snaps")[100:175]
	pool := new(Pool)
	total, data := 0, 0
	for range 64 {
		st := NewStore(StoreConfig{Pool: pool, MaxBytes: 512 << 10})
		for _, s := range steps {
			st.Add(s.tick, 0, s.to)
		}
		total += st.Bytes()
		for i := range st.Len() {
			data += 8*st.at(i).snap.Len() + 4*st.at(i).snap.NumInts()
		}
	}
	if total > 32<<20 {
		t.Errorf("%d bytes", total)
	}
	if waste := float64(total-data) / float64(data); waste > 0.1 {
		t.Errorf("%.0f %% of the memory is waste", 100*waste)
	}
}

// oldest returns the lowest tick in a store.
func oldest(s *Store) (tick int32, ok bool) {
	if s.Len() == 0 {
		return 0, false
	}
	return s.at(0).tick, true
}
