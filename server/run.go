package server

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/watchdog"
	"github.com/teeyard/teeyard/transport"
)

// Run serves until ctx ends or the command shutdown runs. It sends the reason to the clients.
func (s *Server) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, s.transport.Wake)
	defer stop()
	defer s.watch()()
	gatherer, _ := s.transport.(transport.Gatherer)
	r := newReader(s)
	for ctx.Err() == nil && !s.shutdown.requested {
		n, err := s.transport.ReadBatch(r.datagrams, int64(s.nextAdvanceTime()))
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		delay := r.feed(r.datagrams[:n])
		now := s.transport.Now()
		s.Advance(conn.Time(now))
		if gatherer != nil && delay > 0 {
			gatherer.Gather(now + int64(delay))
		}
		s.tasks.run()
	}
	s.Shutdown(conn.Time(s.transport.Now()), s.shutdown.reason)
	return nil
}

// reader hands what the transport receives to the server.
type reader struct {
	server    *Server
	datagrams []transport.Datagram // of one ReadBatch
	strangers pace
}

func newReader(s *Server) *reader {
	return &reader{server: s, datagrams: make([]transport.Datagram, 64)}
}

// feed handles what one read returned. It returns how much later the next datagrams may be read, 0
// for as soon as they are there.
func (r *reader) feed(batch []transport.Datagram) (delay time.Duration) {
	s := r.server
	strangers, players := 0, 0
	for _, d := range batch {
		// What arrived before the last tick and is read after it counts as if it had
		// come with that tick.
		s.Feed(max(conn.Time(d.ReceivedAt), s.now), d.Peer, d.Data)
		if c := s.sessionByPeer[d.Peer]; c == nil {
			strangers++
		} else if c.state == stateInGame {
			players++
		}
	}
	if strangers > 0 {
		r.strangers.add(s.now, strangers)
	}
	switch {
	case len(batch) == 0, len(batch) == cap(r.datagrams): // there may be more
		return 0
	case players == len(batch):
		// Their inputs count in the next tick.
		return maxReadDelay
	case players+strangers == len(batch):
		return r.strangers.delay()
	default:
		// Logins and downloads come one after the other.
		return 0
	}
}

// watch watches the ticks until end is called, if Config.Stuck ends the program.
func (s *Server) watch() (end func()) {
	if s.cfg.Stuck == nil {
		return func() {}
	}
	return s.watchdog.Watch(s.stuck)
}

// stuck logs the code that does not return, and writes recordings, ranks and files to the disk. The
// goroutine of the server never continues.
func (s *Server) stuck(at watchdog.Stuck) {
	s.print(console.Warning, "server", fmt.Sprintf("the server ends because tick %d does not: %s", at.Tick, &at))
	for _, l := range at.Stack {
		s.print(console.Warning, "server", l)
	}
	s.record.Close(replay.EndCrash)
	s.storage.Close()
	s.files.Close()
	s.logs.Close()
	s.cfg.Stuck()
}

// Shutdown tells all clients the reason, closes the socket and unregisters the server from the
// masters. That may take a second.
func (s *Server) Shutdown(now conn.Time, reason string) {
	reason = cmp.Or(reason, "Server shutdown")
	s.now = now
	s.closeResume()
	for _, c := range s.sessions {
		if c != nil {
			c.drop(reason)
		}
	}
	s.closeDropped(now)
	if !s.seats.leaving.IsEmpty() {
		s.tick(now, true) // in which they leave, so that the log and observers have it
	}
	s.lines.lose("the server shuts down")
	s.lines.asked.end()
	s.listing.Withdraw()
	s.econ.Close()
	if !s.tasks.isClosed() {
		s.print(console.Standard, "server", fmt.Sprintf("shut down (%s)", reason))
	}
	s.transport.Flush()
	s.transport.Close()
	s.bots.Close()
	s.record.Close(replay.EndShutdown)
	s.storage.Close()
	s.files.Close()
	s.logs.Close()
	s.tasks.close()
	s.listing.Close()
}
