package server

import (
	"context"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// redirectTime is how long clients that were sent to another server may take to leave.
const redirectTime = 3 * time.Second

// Terminate makes Run end, as SIGTERM asks a process to. If players are there and sv_term_drain is
// set, Run ends after the match or that time, otherwise at once. Terminate returns the longest time
// that this may take. Any goroutine may call it while Run runs. The errors are the errors of
// [Server.Do].
func (s *Server) Terminate(ctx context.Context) (atMost time.Duration, err error) {
	err = s.Do(ctx, func() { atMost = s.drain.terminate(s) })
	return atMost, err
}

// terminate is Terminate on the server's goroutine.
func (d *drain) terminate(s *Server) (atMost time.Duration) {
	s.now = conn.Time(s.transport.Now())
	if s.settings.TermDrain == 0 || s.numClients() == 0 {
		s.shutdown.requested = true
		return 0
	}
	atMost = time.Duration(s.settings.TermDrain) * time.Second
	if !d.active {
		d.begin(s, 0)
	}
	d.deadline, d.warned = s.now.Add(atMost), 0
	for d.warned < len(endWarnings) && endWarnings[d.warned] >= atMost {
		d.warned++
	}
	s.print(console.Standard, "server", fmt.Sprintf("drain: SIGTERM ends the server after this match, in %v at the latest (sv_term_drain); "+
		"%s there", atMost, words.Clause(s.numClients(), "client", "is", "are")))
	return atMost
}

// begin makes the server refuse new clients from now on.
func (d *drain) begin(s *Server, port int) {
	d.active, d.port = true, port
	d.decided = s.world.Frame().Game.State&game.StateGameOver != 0
	s.sayToAll("The server ends after this match")
	s.listing.Hide(true)
}

// warn tells players how long the server is still there.
func (d *drain) warn(s *Server, now conn.Time) {
	if d.deadline == 0 || d.warned == len(endWarnings) || d.deadline.Sub(now) > endWarnings[d.warned] {
		return
	}
	s.sayToAll(fmt.Sprintf("The server ends in %d seconds", endWarnings[d.warned]/time.Second))
	d.warned++
}

// update ends the server if it is being drained and the time has come. It reports whether no other
// match is to begin.
func (d *drain) update(s *Server, now conn.Time) (ending bool) {
	d.warn(s, now)
	switch {
	case !d.active || s.shutdown.requested:
		return false
	case s.numClients() == 0 || d.endAt != 0 && now >= d.endAt:
		s.print(console.Standard, "server", "drain: the server ends")
		s.shutdown = shutdownRequest{requested: true}
		if d.port != 0 {
			s.shutdown.reason = fmt.Sprintf("This server has moved to port %d", d.port)
		}
	case d.deadline != 0 && now >= d.deadline:
		s.print(console.Standard, "server", "drain: the server ends before the match, because sv_term_drain is over")
		s.shutdown = shutdownRequest{requested: true}
	case d.over && d.endAt == 0:
		d.endAt = now
		sent := 0
		for _, c := range s.sessions {
			if d.port != 0 && c != nil && c.isConnected() && c.bridge.SendRedirect(d.port) {
				c.conn.Flush(now)
				sent++
			}
		}
		if sent > 0 {
			s.print(console.Standard, "server", fmt.Sprintf("drain: %s sent to port %d", words.Clause(sent, "client", "is", "are"), d.port))
			d.endAt = now.Add(redirectTime)
		}
	}
	return d.over
}
