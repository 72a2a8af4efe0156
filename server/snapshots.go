package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
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
	// unthrottledSnaps is the number of first snapshots that are sent in successive rounds.
	// The original sends one every ten ticks until the first acknowledgement, which
	// delays a joining player by 200 ms each; a client needs three before it plays.
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

// snapshotBuffers are what the server needs to make one snapshot.
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

// sendSnapshots makes a round of snapshots after the ticks that followed before: one for
// every session that is due.
func (s *Server) sendSnapshots(now conn.Time, before int32) {
	tick := s.clock.tick
	s.snapshotBuffers.deltas.Reset()
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame || c.isHeld() || !c.snapshots.isDue(before, tick) {
			continue
		}
		if !c.version.roundBegun {
			c.version.roundBegun = true
			c.version.BeginSnapshots(s.world)
		}
		s.sendSnapshot(now, c, tick)
	}
	for _, d := range s.versions {
		d.roundBegun = false
		d.EndSnapshots()
	}
}

// sendSnapshot sends a session the snapshot of a tick, as a delta from the last one that
// the client acknowledged.
func (s *Server) sendSnapshot(now conn.Time, c *session, tick int32) {
	b := &s.snapshotBuffers
	b.view = s.world.View(c.id)
	c.bridge.BuildSnapshot(&b.builder, &b.view, &c.scoreboardLatency)
	b.builder.FinishShared(&b.snap)

	st := &c.snapshots
	st.store.PurgeBefore(max(tick-snapHistoryTicks, st.ackedTick))
	baseTick, base := int32(-1), &b.empty
	if acked := st.store.At(st.ackedTick); acked != nil {
		base, baseTick = acked, st.ackedTick
	} else if st.rate == rateFull {
		st.rate = rateRecover
	}
	delta, changed := b.deltas.AppendDelta(b.delta[:0], base, &b.snap, c.bridge.ItemSizes())
	b.delta = delta
	st.store.Add(tick, int64(now), &b.snap)
	st.numSent++
	h := snapshot.PartHeader{Tick: tick, BaseTick: baseTick, CRC: b.snap.CRC(), Parts: int32(snapshot.PartCount(len(delta)))}
	switch {
	case !changed:
		h.Parts = 0
		c.bridge.SendSnapshotPart(h, 0, nil)
	case h.Parts > snapshot.MaxParts:
		s.countDrop(dropSnapshotTooLarge)
		return
	default:
		for i := range int(h.Parts) {
			c.bridge.SendSnapshotPart(h, i, snapshot.Part(delta, i)) // a short one goes into the datagram of the one before
		}
	}
	c.conn.Flush(now)
}

// ackSnapshot handles the acknowledgement of a snapshot that an input carries.
func (c *session) ackSnapshot(now conn.Time, in *bridge.InputMessage) {
	st := &c.snapshots
	if in.AckTick >= 0 && in.AckTick < st.ackedTick {
		return // an input that was overtaken by a later one
	}
	if in.AckTick > c.server.clock.tick {
		return // never sent, and later acknowledgements would look overtaken
	}
	st.ackedTick = in.AckTick
	if st.ackedTick > 0 {
		st.rate = rateFull
	}
	if at, ok := st.store.Tag(st.ackedTick); ok {
		correction := min(max(in.PingCorrection, 0), 50)
		ms := int32(now.Sub(conn.Time(at))/time.Millisecond) - correction
		c.latency.add(max(ms, 0))
	}
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

// updateLatencies updates the latencies in the snapshots of clients that show the
// scoreboard; others do not need them.
func (s *Server) updateLatencies() {
	if s.clock.tick%50 == 0 {
		for _, c := range s.sessions {
			if c != nil {
				c.latency.endSecond()
			}
		}
	}
	var playing game.PlayerMask
	counted := false
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame || c.playerFlags&game.PlayerFlagScoreboard == 0 {
			continue
		}
		if !counted {
			counted = true
			for id, o := range s.sessions {
				if o != nil && o.state == stateInGame && s.teamOf(game.PlayerID(id)) != game.TeamSpectators {
					playing |= game.MaskOne(game.PlayerID(id))
				}
			}
		}
		for id, o := range s.sessions {
			if playing.Has(game.PlayerID(id)) {
				c.scoreboardLatency[id] = o.latency.displayed
			}
		}
	}
}
