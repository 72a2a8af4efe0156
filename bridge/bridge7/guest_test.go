package bridge7

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestStandardMaps: the names of the original's maps are for them alone.
func TestStandardMaps(t *testing.T) {
	for _, c := range []struct {
		offer  bridge.MapChange
		refuse bool
	}{
		{bridge.MapChange{Name: "dm1", CRC: 0x64548818, Size: 6793}, false},
		{bridge.MapChange{Name: "dm1", CRC: 0x64548818, Size: 6794}, true},
		{bridge.MapChange{Name: "dm1", CRC: 0x64548819, Size: 6793}, true},
		{bridge.MapChange{Name: "ctf5", CRC: 0x20b97905, Size: 10292}, false}, // 0.7.4
		{bridge.MapChange{Name: "ctf5", CRC: 0x3a1694a7, Size: 10250}, false}, // before
		{bridge.MapChange{Name: "ctf5", CRC: 0x3a1694a7, Size: 10292}, true},
		{bridge.MapChange{Name: "teeyard1", CRC: 1, Size: 1}, false},
		{bridge.MapChange{Name: "", CRC: 1, Size: 1}, false},
	} {
		if got := refusal(&c.offer); (got != "") != c.refuse {
			t.Errorf("%+v: %q", c.offer, got)
		}
	}
}

// TestRace: what a race's objects tell, until a snapshot has them no more.
func TestRace(t *testing.T) {
	l := NewLift()
	if r := l.RaceInfo(); r.Active || r.BestTime != -1 {
		t.Errorf("before any: %+v", r)
	}
	var b snapshot.Builder
	var s snapshot.Snapshot
	(&msg7.PlayerInfoRace{StartTick: 900}).PutInts(b.Add(msg7.TypePlayerInfoRace, 7, msg7.SizePlayerInfoRace))
	(&msg7.GameDataRace{BestTime: 12345, Precision: 2, RaceFlags: msg7.RaceFlagFinishAsChat}).
		PutInts(b.Add(msg7.TypeGameDataRace, 0, msg7.SizeGameDataRace))
	b.Finish(&s)
	l.ReceiveSnapshot(1000, &s)
	want := bridge.RaceInfo{Active: true, BestTime: 12345, Precision: 2, FinishAsChat: true}
	want.StartTick[7] = 900
	if r := l.RaceInfo(); *r != want {
		t.Errorf("%+v instead of %+v", *r, want)
	}
	b.Reset()
	b.Finish(&s)
	l.ReceiveSnapshot(1002, &s)
	if r := l.RaceInfo(); r.Active || r.StartTick[7] != 0 {
		t.Errorf("after it: %+v", r)
	}
}
