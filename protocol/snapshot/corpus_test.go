package snapshot

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
)

// sizes7 is the table of 0.7 for object types 1 to 22. Source: Teeworlds 0.7.5.
var sizes7 = ItemSizes{0, 10, 6, 5, 3, 3, 3, 2, 4, 15, 22, 3, 4, 58, 5, 32, 2, 2, 2, 2, 3, 3, 7}

// record is one snapshot as a real 0.7 client received it.
type record struct {
	tick, base, crc int32
	delta           []byte
}

// corpus reads a capture from testdata. All numbers of a record are little endian. A record
// consists of an int32 tick, base tick (-1 for the empty one) and CRC, a uint32 length, and the
// delta with its parts joined.
func corpus(t testing.TB, name string) []record {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var recs []record
	for len(b) >= 16 {
		le := binary.LittleEndian
		n := int(le.Uint32(b[12:]))
		if n > len(b)-16 {
			t.Fatalf("%s: record %d cut", name, len(recs))
		}
		recs = append(recs, record{int32(le.Uint32(b)), int32(le.Uint32(b[4:])), int32(le.Uint32(b[8:])), b[16 : 16+n]})
		b = b[16+n:]
	}
	if len(b) != 0 || len(recs) < 150 {
		t.Fatalf("%s: %d records, %d bytes left", name, len(recs), len(b))
	}
	return recs
}

// step is a record with its decoded snapshots.
type step struct {
	record
	from, to *Snapshot
}

// replay applies a corpus and checks every CRC.
func replay(t testing.TB, name string) []step {
	t.Helper()
	at := map[int32]*Snapshot{-1: {}}
	var steps []step
	for i, r := range corpus(t, name) {
		from := at[r.base]
		if from == nil {
			t.Fatalf("%s: record %d has the unknown base %d", name, i, r.base)
		}
		to := new(Snapshot)
		if err := ApplyDelta(to, from, r.delta, &sizes7); err != nil {
			t.Fatalf("%s: record %d: %v", name, i, err)
		}
		check(t, to)
		if to.CRC() != r.crc {
			t.Fatalf("%s: record %d: CRC %d, want %d", name, i, to.CRC(), r.crc)
		}
		at[r.tick] = to
		steps = append(steps, step{r, from, to})
	}
	return steps
}

// check checks the invariants of a snapshot: keys ascend, items leave no gaps and do not overlap,
// the CRC matches the data, and the limits hold.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Snapshot) {
	t.Helper()
	seen := make([]bool, len(s.data))
	shared := map[int]bool{}
	var crc int32
	sharedInts := 0
	for i := range s.Len() {
		k, v := s.Item(i)
		if i > 0 && s.entries[i-1].key() >= k {
			t.Fatalf("item %d: key %#x after %#x", i, k, s.entries[i-1].key())
		}
		index, isShared := s.entries[i].shared()
		if isShared {
			if shared[index] || s.shared.items[index].key() != k {
				t.Fatalf("item %d: shared item %d has another key", i, index)
			}
			shared[index] = true
			sharedInts += len(v)
		}
		for j := range v {
			at := s.entries[i].off() + j
			if isShared {
				crc += v[j]
				continue
			}
			if seen[at] {
				t.Fatalf("item %d shares integer %d", i, at)
			} else {
				seen[at] = true
			}
			crc += v[j]
		}
		if got := s.Find(k); got == nil || len(got) != len(v) || len(v) > 0 && &got[0] != &v[0] {
			t.Fatalf("item %d: Find(%#x) fails", i, k)
		}
	}
	if i := bytes.IndexByte(boolBytes(seen), 0); i >= 0 {
		t.Fatalf("integer %d of %d belongs to no item", i, len(seen))
	}
	if sharedInts != s.sharedInts || (s.shared != nil) != (len(shared) > 0) {
		t.Fatalf("%d integers are shared, not %d", sharedInts, s.sharedInts)
	}
	if crc != s.CRC() {
		t.Fatalf("CRC %d, the data's is %d", s.CRC(), crc)
	}
	if s.Len() > MaxItems || s.Size() >= MaxSize {
		t.Fatalf("%d items, %d bytes", s.Len(), s.Size())
	}
}

func boolBytes(v []bool) []byte {
	b := make([]byte, len(v))
	for i, x := range v {
		if x {
			b[i] = 1
		}
	}
	return b
}

// TestGolden applies the deltas of real servers and makes the same deltas again. Those of
// teeworlds-server 0.7.5 must be equal to the byte. DDNet-Server 16.4 sends items in another order,
// so there only the resulting snapshots must be equal.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		exact bool
	}{{"tw16.snaps", true}, {"dd64.snaps", false}} {
		t.Run(c.name, func(t *testing.T) {
			var buf []byte
			var got Snapshot
			same, longer := 0, 0
			steps := replay(t, c.name)
			for i, s := range steps {
				var changed bool
				buf, changed = AppendDelta(buf[:0], s.from, s.to, &sizes7)
				if changed != (len(buf) > 0) {
					t.Fatalf("record %d: changed is %v with %d bytes", i, changed, len(buf))
				}
				if bytes.Equal(buf, s.delta) {
					same++
				} else if c.exact {
					t.Errorf("record %d:\n got %x\nwant %x", i, buf, s.delta)
				}
				if len(buf) > len(s.delta) {
					longer++
				}
				if err := ApplyDelta(&got, s.from, buf, &sizes7); err != nil {
					t.Fatalf("record %d: own delta: %v", i, err)
				}
				if !got.Equal(s.to) {
					t.Fatalf("record %d: own delta yields another snapshot", i)
				}
			}
			if longer > 0 {
				t.Errorf("%d own deltas are longer than the real server's", longer)
			}
			t.Logf("%d of %d deltas have the same bytes", same, len(steps))
		})
	}
}

// items returns the mean number of items in the resulting snapshots.
func items(steps []step) float64 {
	n := 0
	for _, s := range steps {
		n += s.to.Len()
	}
	return float64(n) / float64(len(steps))
}

func eachCorpus(b *testing.B, f func(b *testing.B, steps []step)) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		b.Run(name, func(b *testing.B) {
			steps := replay(b, name)
			b.ReportAllocs()
			b.ResetTimer()
			f(b, steps)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items(steps), "ns/item")
		})
	}
}

// BenchmarkApplyDelta applies one delta and compares the CRC per operation.
func BenchmarkApplyDelta(b *testing.B) {
	eachCorpus(b, func(b *testing.B, steps []step) {
		var got Snapshot
		for i := range b.N {
			s := &steps[i%len(steps)]
			if err := ApplyDelta(&got, s.from, s.delta, &sizes7); err != nil || got.CRC() != s.crc {
				b.Fatal(err, got.CRC(), s.crc)
			}
		}
	})
}

// BenchmarkAppendDelta compares and packs one snapshot per operation.
func BenchmarkAppendDelta(b *testing.B) {
	eachCorpus(b, func(b *testing.B, steps []step) {
		var buf []byte
		for i := range b.N {
			s := &steps[i%len(steps)]
			buf, _ = AppendDelta(buf[:0], s.from, s.to, &sizes7)
		}
	})
}

// BenchmarkBuild adds the items of one snapshot to a builder and finishes it per operation.
func BenchmarkBuild(b *testing.B) {
	eachCorpus(b, func(b *testing.B, steps []step) {
		var bld Builder
		var got Snapshot
		for i := range b.N {
			s := steps[i%len(steps)].to
			bld.Reset()
			for j := range s.Len() {
				k, v := s.Item(j)
				copy(bld.Add(k.Type(), k.ID(), len(v)), v)
			}
			bld.Finish(&got)
		}
	})
}

// BenchmarkStore adds one snapshot and purges one per operation.
func BenchmarkStore(b *testing.B) {
	eachCorpus(b, func(b *testing.B, steps []step) {
		var st Store
		for i := range b.N {
			st.Add(int32(i), 0, steps[i%len(steps)].to)
			st.PurgeBefore(int32(i) - 75)
		}
	})
}
