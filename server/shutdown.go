package server

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// redirectTime is how long clients that were sent to another server may take to leave.
const redirectTime = 3 * time.Second

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
