package server

import (
	"testing"

	"github.com/teeyard/teeyard/client"
)

// TestSnapshotsShareItems: what many players see is not stored for each of them. Of its own a snapshot has
// the viewer's character and player, besides 8 bytes for each item.
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
