package bridge6

import (
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// noBestTime stands for a race without a best time.
const noBestTime = -1

var exMapBestTime = newEx(msg6.TypeMapBestTime)

// hasBestTime reports whether a client gets the best time of the race in snapshots. Earlier clients
// get it from sendRecords.
func (e *snapshotEncoder) hasBestTime(version int32) bool {
	return e.isRace && msg6.TypeKnownBy(msg6.TypeMapBestTime, version)
}

// buildBestTime adds the best time of the race.
func (e *snapshotEncoder) buildBestTime(b *snapshot.Builder) {
	dst := b.Add(wireTypeMapBestTime, 0, msg6.SizeMapBestTime)
	if dst == nil {
		return
	}
	o := msg6.MapBestTime{Seconds: noBestTime}
	if t := e.frame.Game.Race.BestTime; t > 0 {
		o = msg6.MapBestTime{Seconds: t / 1000, Millis: t % 1000}
	}
	o.PutInts(dst)
}
