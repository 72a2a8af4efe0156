package server

import (
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestSnapshotsShareItems: what many players see is not stored for each of them. Of its own a
// snapshot has the viewer's character and player, besides 8 bytes for each item.
func TestSnapshotsShareItems(t *testing.T) {
	for name, kind := range map[string]client.SessionConfig{"0.7": player07, "0.6": player06DDNet} {
		bs := newBenchServer(t, 16, 16, only(kind))
		for _, c := range bs.srv.sessions {
			if c == nil {
				continue
			}
			st := c.snapshots.store
			tick, _ := st.Newest()
			s := st.At(tick)
			own := (st.Bytes()/st.Len() - 8*(s.Len()+32)) / 4
			if own > 128 {
				t.Errorf("%s: of %d integers of a snapshot, up to %d are stored for the player", name, s.NumInts(), own)
			}
		}
	}
}

// TestSnapshotPartsShareDatagrams: a short last part of a snapshot needs no datagram of its own.
func TestSnapshotPartsShareDatagrams(t *testing.T) {
	bs := newBenchServer(t, 24, 24, only(player06DDNet))
	saved := 0
	for _, c := range bs.srv.sessions {
		if c == nil {
			continue
		}
		c.conn.Flush(bs.now)
		bs.clientsReceive()
		c.snapshots.reset() // so that all of the snapshot is sent
		bs.srv.sendSnapshot(bs.now, c, bs.srv.clock.tick)
		delta, _ := snapshot.AppendDelta(nil, nil, c.snapshots.store.At(bs.srv.clock.tick), c.bridge.ItemSizes())
		parts := snapshot.PartCount(len(delta))
		const headers = 40 // of two parts, or some less
		if len(snapshot.Part(delta, parts-1)) <= packet.MaxPayload6-headers-snapshot.PartSize {
			saved++
			if bs.toClients.n != parts-1 {
				t.Errorf("%d bytes in %d parts went into %d datagrams", len(delta), parts, bs.toClients.n)
			}
		}
		bs.clientsReceive()
	}
	if saved == 0 {
		t.Error("no part is short")
	}
}
