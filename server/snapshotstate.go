package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// snapRate says how often a session gets a snapshot.
type snapRate uint8

const (
	// rateInit: no snapshot was acknowledged yet; see unthrottledSnaps.
	rateInit snapRate = iota
	// rateFull: in every round.
	rateFull
	// rateRecover: every 50 ticks, because the client's last snapshot is too old to
	// be the base of a delta.
	rateRecover
)

const (
	// unthrottledSnaps is the number of first snapshots that are sent in successive rounds. The
	// original sends one every ten ticks until the first acknowledgement. Each delays a joining
	// player by 200 ms, and a client needs three before it plays.
	unthrottledSnaps = 4
	// snapHistoryTicks is the number of ticks for which a sent snapshot can be the base
	// of a delta.
	snapHistoryTicks = 150
)

// snapshotState is a session's side of its snapshots. The tag of a stored snapshot is
// the time when it was sent, in ns.
type snapshotState struct {
	store     *snapshot.Store
	rate      snapRate
	ackedTick int32 // of the last acknowledged snapshot, -1 for none
	numSent   int   // since the map change
}

// snapshotBuffers are the server's buffers for one snapshot.
type snapshotBuffers struct {
	view    game.View
	builder snapshot.Builder
	snap    snapshot.Snapshot
	empty   snapshot.Snapshot
	delta   []byte
	deltas  snapshot.DeltaCache
	pool    snapshot.Pool // of all sessions' stores
}

func (s *snapshotState) reset() {
	s.store.Clear()
	s.rate, s.ackedTick, s.numSent = rateInit, -1, 0
}

// isDue reports whether the session gets a snapshot in the round after the ticks that
// followed before, up to tick.
func (s *snapshotState) isDue(before, tick int32) bool {
	switch s.rate {
	case rateInit:
		return s.numSent < unthrottledSnaps || crossesMultiple(before, tick, 10)
	case rateRecover:
		return crossesMultiple(before, tick, 50)
	}
	return true
}

// latencyMeter measures the latency that the scoreboard shows: the lowest of the last
// full second, in ms.
type latencyMeter struct {
	lowest, displayed int32
	measured          bool
}

func (l *latencyMeter) add(ms int32) {
	if !l.measured || ms < l.lowest {
		l.lowest, l.measured = ms, true
	}
}

// endSecond ends a second of measuring.
func (l *latencyMeter) endSecond() {
	if l.measured {
		l.displayed = l.lowest
	}
	l.measured = false
}
