package bridge7

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// record is one snapshot as a real 0.7 client received it; see the test data of
// protocol/snapshot.
type record struct {
	tick, base, crc int32
	delta           []byte
}

func corpus(t testing.TB, name string) []record {
	t.Helper()
	b, err := os.ReadFile("../../protocol/snapshot/testdata/" + name)
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
	return recs
}

// viewer is the way of a snapshot in a client, from the delta to the view.
type viewer struct {
	store snapshot.Store
	next  snapshot.Snapshot
	sizes snapshot.ItemSizes
	lift  *Lift
}

func newViewer() *viewer { return &viewer{sizes: msg7.Sizes, lift: NewLift()} }

func (v *viewer) take(t testing.TB, r *record) {
	var base *snapshot.Snapshot
	if r.base >= 0 {
		if base = v.store.At(r.base); base == nil {
			t.Fatalf("tick %d: no base %d", r.tick, r.base)
		}
	}
	if err := snapshot.ApplyDelta(&v.next, base, r.delta, &v.sizes); err != nil {
		t.Fatalf("tick %d: %v", r.tick, err)
	}
	if v.next.CRC() != r.crc {
		t.Fatalf("tick %d: CRC %d instead of %d", r.tick, v.next.CRC(), r.crc)
	}
	v.store.Add(r.tick, 0, &v.next)
	v.store.PurgeBefore(r.base)
	v.lift.ReceiveSnapshot(r.tick, &v.next)
}

// TestCorpusToView: what the real servers sent becomes views: every CRC is right,
// and every object that 0.7.5 defines is in them.
func TestCorpusToView(t *testing.T) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		v := newViewer()
		objects, unknown := 0, 0
		for _, r := range corpus(t, name) {
			v.take(t, &r)
			f := v.lift.View().Frame
			known := len(f.Players) + len(f.Characters) + len(f.Projectiles) + len(f.Lasers) + len(f.Pickups) + len(f.Flags) + len(v.lift.Effects())
			for i := range v.next.Len() {
				k, _ := v.next.Item(i)
				switch typ := k.Type(); {
				case typ == msg7.TypeGameData, typ == msg7.TypeGameDataTeam, typ == msg7.TypeGameDataFlag, typ == msg7.TypeSpectatorInfo:
				case typ > msg7.TypeEventDamage || typ == 0:
					unknown++
				default:
					known--
				}
			}
			if known != 0 {
				t.Fatalf("%s, tick %d: %d objects are not in the view", name, r.tick, -known)
			}
			objects += v.next.Len()
		}
		t.Logf("%s: %d objects, %d of them of types beyond 0.7.5", name, objects, unknown)
	}
}

func TestLiftAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		recs := corpus(t, name)
		v := newViewer()
		v.store = *snapshot.NewStore(snapshot.StoreConfig{})
		for range 2 {
			v.store.Clear()
			for i := range recs {
				v.take(t, &recs[i])
			}
		}
		n := testing.AllocsPerRun(1, func() {
			v.store.Clear()
			for i := range recs {
				v.take(t, &recs[i])
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations in %d snapshots", name, n, len(recs))
		}
	}
}

// BenchmarkToView is one snapshot per operation: delta applied, CRC compared,
// stored, made a view.
func BenchmarkToView(b *testing.B) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		b.Run(name, func(b *testing.B) {
			recs := corpus(b, name)
			v := newViewer()
			items, i := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				if i == len(recs) {
					i = 0
					v.store.Clear()
				}
				v.take(b, &recs[i])
				i++
				items += v.next.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(items), "ns/item")
		})
	}
}
