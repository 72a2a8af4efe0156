package server

import (
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
	// TickTimes is a histogram of the duration of ticks. TickCPU is one of the processor time that
	// the server's goroutine used meanwhile. It is empty without [Config.ThreadTime].
	TickTimes, TickCPU TickTimes
	// Draining reports whether the server admits no new clients because it is about to end.
	Draining bool
	// Problems are the problems of [Server.Problems].
	Problems []string
	// Warnings are sentences about services outside of the server that are away, such as a database
	// that many servers share. The match is as configured, and nothing is lost.
	Warnings []string
}

// Count is a number of things of one kind.
type Count struct {
	Name string
	N    uint64
}

// Status fills in the state of the server that the tick is of. It takes a few microseconds,
// so observers that need it should not call it in every tick.
func (t *Tick) Status(dst *Status) {
	s := t.server
	if s == nil {
		return
	}
	s.listing.FillInfo(&dst.Info)
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
	dst.Bots = s.bots.Count()
	dst.Network = s.transport.Stats()
	dst.TickTimes, dst.TickCPU = s.tickTimes.clock, s.tickTimes.cpu
	dst.Draining, dst.Problems, dst.Warnings = s.drain.active, s.Problems(), warnings(s)
}
