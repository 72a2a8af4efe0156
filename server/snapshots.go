package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

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
					playing.Add(game.PlayerID(id))
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
