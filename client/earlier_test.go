package client_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestSnapshotsThatArriveTogether puts several snapshots into one datagram. OnSnapshot receives
// each of them with its content, and is not called without one.
func TestSnapshotsThatArriveTogether(t *testing.T) {
	type seen struct{ tick, score, effects, x int32 }
	var got []seen
	hs := newHostileServer(t, client.Config{Name: "anna", OnSnapshot: func(_ *client.Client, v *game.View, effects []game.Event) {
		if len(v.Players) != 1 || v.Viewer != v.Players[0].ID {
			t.Errorf("tick %d: players %+v", v.Tick, v.Players)
			return
		}
		s := seen{tick: v.Tick, score: v.Players[0].Score, effects: int32(len(effects))}
		if len(effects) > 0 {
			s.x = int32(effects[0].Pos.X)
		}
		got = append(got, s)
	}})
	hs.letIn()
	got = nil
	var want []seen
	for tick := int32(10); tick <= 14; tick += 2 {
		hs.snapshot(tick, func(b *snapshot.Builder) {
			(&msg7.EventSpawn{EventCommon: msg7.EventCommon{X: 100 * tick, Y: 5}}).PutInts(b.Add(msg7.TypeEventSpawn, 1, msg7.SizeEventSpawn))
		})
		want = append(want, seen{tick, tick, 1, 100 * tick})
	}
	hs.conn.Flush(hs.now)
	datagram, ok := hs.toClient.pop()
	if !ok {
		t.Fatal("nothing was sent")
	}
	if _, more := hs.toClient.pop(); more {
		t.Fatal("not in one datagram")
	}
	hs.client.Feed(hs.now, datagram)
	if !slices.Equal(got, want) {
		t.Errorf("OnSnapshot got %+v, want %+v", got, want)
	}
	got = nil
	hs.client.Step(hs.now)
	if len(got) != 0 {
		t.Errorf("shown again: %+v", got)
	}
}
