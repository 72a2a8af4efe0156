package server

import (
	"time"

	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Status is the state of a server for monitoring and web pages. Counters begin at the start of the
// server.
type Status struct {
	// Info is the information for server browsers, with the clients.
	Info query.Info
	// Connected counts the connections of each version of the protocol, and Joined the
	// clients of it that entered the game.
	Connected, Joined []Count
	// Bots is the number of bots in the game.
	Bots int
	// Drops counts received data without effect; see [Server.Drops].
	Drops []Count
	// Network has the counters of the transport.
	Network transport.Stats
	// TickTimes is a histogram of the duration of ticks.
	TickTimes TickTimes
	// Draining reports whether the server admits no new clients because it is about to end.
	Draining bool
	// Problems are the problems of [Server.Problems].
	Problems []string
}

// Count is a number of things of one kind.
type Count struct {
	Name string
	N    uint64
}

// TickTimes is a histogram of the time that the server's goroutine needed for a tick, with
// snapshots
// and sending. Ticks that ran together count with their mean.
type TickTimes struct {
	// Counts has a number for each of [TickTimeBounds], and one for times above the last bound.
	Counts [len(tickTimeBounds) + 1]uint64
	// Sum is the time of all ticks together.
	Sum time.Duration
}

var tickTimeBounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, time.Second,
}

// TickTimeBounds returns the upper bounds of the buckets of [TickTimes].
func TickTimeBounds() []time.Duration { return tickTimeBounds[:] }

// add counts ticks that took a time together.
func (t *TickTimes) add(ticks int, took time.Duration) {
	each, i := took/time.Duration(ticks), 0
	for i < len(tickTimeBounds) && each > tickTimeBounds[i] {
		i++
	}
	t.Counts[i] += uint64(ticks)
	t.Sum += took
}

// Status fills in the state of the server that the tick is of. It takes a few microseconds,
// so observers that need it should not call it in every tick.
func (t *Tick) Status(dst *Status) {
	s := t.server
	if s == nil {
		return
	}
	s.fillQueryInfo(&dst.Info)
	dst.Connected, dst.Joined, dst.Drops = dst.Connected[:0], dst.Joined[:0], dst.Drops[:0]
	for _, v := range s.versions {
		connected := 0
		for _, c := range s.sessions {
			if c != nil && c.version == v && c.isConnected() {
				connected++
			}
		}
		dst.Connected = append(dst.Connected, Count{v.Name(), uint64(connected)})
		dst.Joined = append(dst.Joined, Count{v.Name(), v.joined})
	}
	for i := range s.drops {
		dst.Drops = append(dst.Drops, Count{dropNames[i], s.drops[i].Load()})
	}
	dst.Bots = s.bots.count()
	dst.Network = s.transport.Stats()
	dst.TickTimes = s.tickTimes
	dst.Draining, dst.Problems = s.drain.active, s.Problems()
}
