package server

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// drain ends a server without dropping players: new clients are refused, and the server ends after
// the scoreboard of the match, or when all players have left. DDNet's clients can be sent on to
// another server on the same machine.
type drain struct {
	active  bool
	port    int       // where clients are sent, 0 for nowhere
	decided bool      // the match is over, and its scoreboard is shown
	over    bool      // that is over, too
	endAt   conn.Time // clients have until then to go where they were sent; 0 before
	// deadline is the time at which the server ends in any case, after [Server.Terminate]; 0 for
	// none.
	deadline conn.Time
	warned   int // number of endWarnings before the deadline
}

// endWarnings are the times before a deadline at which players are told.
var endWarnings = [...]time.Duration{60 * time.Second, 10 * time.Second}

// whereTo returns the part of a line that names the port to which clients are sent.
func (d *drain) whereTo() string {
	if d.port == 0 {
		return ""
	}
	return fmt.Sprintf("; it then sends DDNet clients from 17.2 on to port %d", d.port)
}

// refusal returns the reason for clients that are refused.
func (d *drain) refusal() string {
	if d.port == 0 {
		return "This server is about to end"
	}
	return fmt.Sprintf("This server is about to end; join port %d instead", d.port)
}

// observe notes whether the match is decided, and whether its scoreboard was shown.
func (d *drain) observe(ev *game.Event) {
	switch {
	case ev.Kind == game.EvMatchEnd && !ev.Flag:
		d.decided = true
	case d.decided:
		d.decided, d.over = false, d.active
	}
}

// shutdownRequest is set by the command shutdown.
type shutdownRequest struct {
	requested bool
	reason    string
}
