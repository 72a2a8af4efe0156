package snapshot

import "testing"

// FuzzApplyDelta applies arbitrary bytes to a base that is itself made of arbitrary bytes. An
// accepted result must keep the invariants of a snapshot and survive encoding as a delta.
func FuzzApplyDelta(f *testing.F) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		recs := corpus(f, name)
		for _, r := range recs[:4] {
			f.Add(recs[0].delta, r.delta, true)
		}
	}
	f.Add(pack(0, 3, 0, 4, 1, 10, 20, 30, 4, 2, 1, 1, 1, 23, 3, 1, 100), pack(1, 2, 0, 23<<16|3, 23, 3, 2, 8, 9, 4, 1, 1, 1, 1), true)
	f.Add(pack(0, 2, 0, 1, 1, 0, 2, 2, 1, 5), pack(1, 1, 0, 1<<16|1, 1, 1, 3, 1, 2, 3), false)
	f.Fuzz(func(t *testing.T, first, second []byte, table bool) {
		var sizes *ItemSizes
		if table {
			sizes = &sizes7
		}
		var base, next, again Snapshot
		err := ApplyDelta(&base, nil, first, sizes)
		check(t, &base)
		if err != nil && base.Len() != 0 {
			t.Fatal("the destination has items after an error")
		}
		err = ApplyDelta(&next, &base, second, sizes)
		check(t, &next)
		if err != nil && next.Len() != 0 {
			t.Fatal("the destination has items after an error")
		}
		if n := 4*cap(next.data) + 8*cap(next.entries) + 8*cap(next.pending); n > 64*(len(first)+len(second))+4096 {
			t.Fatalf("%d bytes of memory for %d of input", n, len(first)+len(second))
		}
		delta, changed := AppendDelta(nil, &base, &next, sizes)
		if changed == base.Equal(&next) {
			t.Fatalf("changed is %v", changed)
		}
		if err := ApplyDelta(&again, &base, delta, sizes); err != nil || !again.Equal(&next) {
			t.Fatalf("own delta: %v", err)
		}
	})
}
