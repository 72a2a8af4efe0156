package bridge7

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// receivedSnapshot is a snapshot that a real 0.7 client received. See the test data of
// protocol/snapshot.
type receivedSnapshot struct {
	tick, base, crc int32
	delta           []byte
}

func readCorpus(t testing.TB, name string) []receivedSnapshot {
	t.Helper()
	b, err := os.ReadFile("../../protocol/snapshot/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var snaps []receivedSnapshot
	for len(b) >= 16 {
		le := binary.LittleEndian
		n := int(le.Uint32(b[12:]))
		if n > len(b)-16 {
			t.Fatalf("%s: snapshot %d cut", name, len(snaps))
		}
		snaps = append(snaps, receivedSnapshot{int32(le.Uint32(b)), int32(le.Uint32(b[4:])), int32(le.Uint32(b[8:])), b[16 : 16+n]})
		b = b[16+n:]
	}
	return snaps
}

// snapshotReceiver performs a client's steps from the delta to the view.
type snapshotReceiver struct {
	store  snapshot.Store
	next   snapshot.Snapshot
	sizes  snapshot.ItemSizes
	client *clientSide
}

func newSnapshotReceiver() *snapshotReceiver {
	return &snapshotReceiver{sizes: msg7.Sizes, client: NewClientSide(nil, nil).(*clientSide)}
}

func (v *snapshotReceiver) receive(t testing.TB, r *receivedSnapshot) {
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
	v.client.ReceiveSnapshot(r.tick, &v.next)
}

// TestCorpusToView decodes snapshots of real servers into views. Every CRC must match, and the
// views must contain every item type of 0.7.5.
func TestCorpusToView(t *testing.T) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		v := newSnapshotReceiver()
		items, unknown := 0, 0
		for _, r := range readCorpus(t, name) {
			v.receive(t, &r)
			f := v.client.View().Frame
			known := len(f.Players) + len(f.Characters) + len(f.Projectiles) + len(f.Lasers) + len(f.Pickups) + len(f.Flags) + len(v.client.Effects())
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
				t.Fatalf("%s, tick %d: %d items are not in the view", name, r.tick, -known)
			}
			items += v.next.Len()
		}
		t.Logf("%s: %d items, %d of them of types beyond 0.7.5", name, items, unknown)
	}
}

func TestReceiveSnapshotAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		snaps := readCorpus(t, name)
		v := newSnapshotReceiver()
		v.store = *snapshot.NewStore(snapshot.StoreConfig{})
		for range 2 {
			v.store.Clear()
			for i := range snaps {
				v.receive(t, &snaps[i])
			}
		}
		// Average over several runs, because the runtime itself may allocate once.
		n := testing.AllocsPerRun(5, func() {
			v.store.Clear()
			for i := range snaps {
				v.receive(t, &snaps[i])
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations in %d snapshots", name, n, len(snaps))
		}
	}
}

// BenchmarkReceiveSnapshot applies a delta, checks the CRC, stores the snapshot and decodes it into
// a view.
func BenchmarkReceiveSnapshot(b *testing.B) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		b.Run(name, func(b *testing.B) {
			snaps := readCorpus(b, name)
			v := newSnapshotReceiver()
			items, i := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				if i == len(snaps) {
					i = 0
					v.store.Clear()
				}
				v.receive(b, &snaps[i])
				i++
				items += v.next.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(items), "ns/item")
		})
	}
}
