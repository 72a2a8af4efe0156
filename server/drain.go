package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// drain is how a server ends without throwing anybody out: nobody new gets in, and it ends
// after the match, when the scoreboard has been shown, or when everybody has left. DDNet's
// clients can be sent on to another server on the same machine.
type drain struct {
	active  bool
	port    int       // where clients are sent, 0 for nowhere
	decided bool      // the match is over, and its scoreboard is shown
	over    bool      // that is over, too
	endAt   conn.Time // clients have until then to go where they were sent; 0 before
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
		s.sayAsServer("The server continues after this match")
	case arg != "" && (port < 1 || port > 0xffff || arg != strconv.Itoa(port) || port == int(s.Addr().Port())):
		call.Warn("server", "drain: '%s' is not the port of another server on this machine; without a port, the server only tells clients that it ends", arg)
		return
	default:
		began := !d.active
		d.active, d.port = true, port
		if began {
			d.decided = s.world.Frame().Game.State&game.StateGameOver != 0
			s.sayAsServer("The server ends after this match")
		}
		call.Print("server", "drain: new clients are rejected; the server ends after this match, or as soon as the %s left (drain off cancels this)%s", words.Clause(s.numClients(), "client", "has", "have"), d.whereTo())
	}
	s.registration.outdated = true
}

// whereTo says where clients are sent.
func (d *drain) whereTo() string {
	if d.port == 0 {
		return ""
	}
	return fmt.Sprintf("; it then sends DDNet clients from 17.2 on to port %d", d.port)
}

// refusal is what clients are told that want to get in.
func (d *drain) refusal() string {
	if d.port == 0 {
		return "This server is about to end"
	}
	return fmt.Sprintf("This server is about to end; join port %d instead", d.port)
}

// sayAsServer says a line in the chat.
func (s *Server) sayAsServer(text string) {
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// observe takes note of how far the match is.
func (d *drain) observe(ev *game.Event) {
	switch {
	case ev.Kind == game.EvMatchEnd && !ev.Flag:
		d.decided = true
	case d.decided:
		d.decided, d.over = false, d.active
	}
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
