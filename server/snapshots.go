package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// snapRate is how often a session gets a snapshot.
type snapRate uint8

const (
	// rateInit: nothing was acknowledged yet.
	rateInit snapRate = iota
	// rateFull: every round.
	rateFull
	// rateRecover: the client lost its base, every 50 ticks.
	rateRecover
)

const (
	// initialSnaps is how many first snapshots go out in successive rounds. The
	// original sends one in ten ticks until the first acknowledgement, which
	// costs a joining player 200 ms each; a client needs three before it plays.
	initialSnaps = 4
	// snapHistoryTicks is for how many ticks a sent snapshot can be a base.
	snapHistoryTicks = 150
)

// snapshotState is what a session remembers of its snapshots. The tag of a stored
// snapshot is when it was sent, in ns.
type snapshotState struct {
	store *snapshot.Store
	rate  snapRate
	acked int32 // tick of the last acknowledged snapshot, -1 none
	sent  int   // while rateInit
}

func (s *snapshotState) reset() {
	s.store.Clear()
	s.rate, s.acked, s.sent = rateInit, -1, 0
}

// due tells whether a session gets a snapshot in a round after the ticks from
// before to tick.
func (s *snapshotState) due(before, tick int32) bool {
	switch s.rate {
	case rateInit:
		return s.sent < initialSnaps || crossesMultiple(before, tick, 10)
	case rateRecover:
		return crossesMultiple(before, tick, 50)
	}
	return true
}

// sendSnapshots makes a round, after the ticks that followed before: one
// snapshot for every session that is due.
func (s *Server) sendSnapshots(now conn.Time, before int32) {
	tick := s.clock.tick
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame || !c.snaps.due(before, tick) {
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

func (s *Server) sendSnapshot(now conn.Time, c *session, tick int32) {
	s.view = s.world.View(c.id)
	c.host.BuildSnapshot(&s.builder, &s.view, &c.scoreboardLatency)
	s.builder.Finish(&s.next)

	st := &c.snaps
	st.store.PurgeBefore(max(tick-snapHistoryTicks, st.acked))
	baseTick, base := int32(-1), &s.empty
	if b := st.store.At(st.acked); b != nil {
		base, baseTick = b, st.acked
	} else if st.rate == rateFull {
		st.rate = rateRecover
	}
	next := &s.next
	delta, changed := snapshot.AppendDelta(s.delta[:0], base, next, c.host.ItemSizes())
	s.delta = delta
	st.store.Add(tick, int64(now), next)
	st.sent++
	h := snapshot.PartHeader{Tick: tick, BaseTick: baseTick, CRC: next.CRC(), Parts: int32(snapshot.PartCount(len(delta)))}
	switch {
	case !changed:
		h.Parts = 0
		c.host.SendSnapshotPart(h, 0, nil)
		c.conn.Flush(now)
	case h.Parts > snapshot.MaxParts:
		s.count(dropSnapshotTooLarge)
	default:
		for i := range int(h.Parts) {
			c.host.SendSnapshotPart(h, i, snapshot.Part(delta, i))
			c.conn.Flush(now)
		}
	}
}

// ackSnapshot takes the tick a client says it received last.
func (c *session) ackSnapshot(now conn.Time, in *bridge.InputMessage) {
	st := &c.snaps
	if in.AckTick >= 0 && in.AckTick < st.acked {
		return // an input that was overtaken on its way
	}
	if in.AckTick > c.server.clock.tick {
		return // never sent; it would make all true ones look overtaken
	}
	st.acked = in.AckTick
	if st.acked > 0 {
		st.rate = rateFull
	}
	if at, ok := st.store.Tag(st.acked); ok {
		correction := min(max(in.PingCorrection, 0), 50)
		ms := int32(now.Sub(conn.Time(at))/time.Millisecond) - correction
		c.latency.add(max(ms, 0))
	}
}

// latencyMeter is what the scoreboard shows of a connection: the least of the last
// full second, in ms.
type latencyMeter struct {
	min, shown int32
	measured   bool
}

func (l *latencyMeter) add(ms int32) {
	if !l.measured || ms < l.min {
		l.min, l.measured = ms, true
	}
}

// endSecond ends a endSecond of measuring.
func (l *latencyMeter) endSecond() {
	if l.measured {
		l.shown = l.min
	}
	l.measured = false
}

// updateLatencies copies the latencies for those who look at the scoreboard.
func (s *Server) updateLatencies() {
	if s.clock.tick%50 == 0 {
		for _, c := range s.sessions {
			if c != nil {
				c.latency.endSecond()
			}
		}
	}
	var playing game.PlayerMask
	looked := false
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame || c.playerFlags&game.PlayerFlagScoreboard == 0 {
			continue
		}
		if !looked {
			looked = true
			for id, o := range s.sessions {
				if o != nil && o.state == stateInGame && s.teamOf(game.PlayerID(id)) != game.TeamSpectators {
					playing |= game.MaskOne(game.PlayerID(id))
				}
			}
		}
		for id, o := range s.sessions {
			if playing.Has(game.PlayerID(id)) {
				c.scoreboardLatency[id] = o.latency.shown
			}
		}
	}
}
