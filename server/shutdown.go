package server

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Shutdown tells all clients the reason, closes the socket and unregisters the server
// from the masters, which may take a second.
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
	if s.seats.leaving != 0 {
		s.tick(now) // in which they leave, so that the log and observers have it
	}
	s.asked.lose(s, "the server shuts down")
	s.asked.end()
	s.listing.Withdraw()
	s.closeEcon()
	select {
	case <-s.closed:
	default:
		s.print(console.Standard, "server", fmt.Sprintf("shut down (%s)", reason))
	}
	s.transport.Flush()
	s.transport.Close()
	s.bots.ways.end()
	s.record.Close(replay.EndShutdown)
	s.closeStorage()
	s.closeFiles()
	s.closeLogs()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.listing.Close()
}

func (s *Server) cmdShutdown(call *console.Call) {
	s.shutdown.requested, s.shutdown.reason = true, call.Arg(0)
}

// redirectTime is how long clients that were sent to another server may take to leave.
const redirectTime = 3 * time.Second

// cmdDrain is the command drain.
func (s *Server) cmdDrain(call *console.Call) {
	d, arg := &s.drain, call.Arg(0)
	switch port := call.Int(0); {
	case strings.EqualFold(arg, "off"):
		if !d.active {
			call.Warn("server", "drain: the server is not draining")
			return
		}
		*d = drain{}
		call.Print("server", "drain: stopped; new clients may join again")
		s.sayToAll("The server continues after this match")
	case arg != "" && (port < 1 || port > 0xffff || arg != strconv.Itoa(port) || port == int(s.Addr().Port())):
		call.Warn("server", "drain: '%s' is not the port of another server on this machine; without a port, the server only tells clients that it ends", arg)
		return
	default:
		began := !d.active
		d.active, d.port = true, port
		if began {
			d.decided = s.world.Frame().Game.State&game.StateGameOver != 0
			s.sayToAll("The server ends after this match")
		}
		call.Print("server", "drain: new clients are rejected; the server ends after this match, or as soon as the %s left (drain off cancels this)%s", words.Clause(s.numClients(), "client", "has", "have"), d.whereTo())
	}
	s.listing.Hide(d.active)
}

// updateDrain ends the server if it is being drained and the time has come. It reports
// whether no other match is to begin.
func (s *Server) updateDrain(now conn.Time) (ending bool) {
	d := &s.drain
	switch {
	case !d.active || s.shutdown.requested:
		return false
	case s.numClients() == 0 || d.endAt != 0 && now >= d.endAt:
		s.print(console.Standard, "server", "drain: the server ends")
		s.shutdown = shutdownRequest{requested: true}
		if d.port != 0 {
			s.shutdown.reason = fmt.Sprintf("This server has moved to port %d", d.port)
		}
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
