package server

import (
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// rconState is the remote console of a session.
type rconState struct {
	authed         bool
	level          console.Level
	key            string           // the login, as DDNet calls it
	showAddresses  bool             // show_ips
	noPasswordSent bool             // that no password is set
	lastListed     string           // the last command announced
	allListed      bool             // all commands were announced
	listing        *gamemap.Listing // nil if the client does not get the list of maps
	droppedLines   int              // lines of output beyond the room for them
	skippedLines   int              // lines from the client that were too many, see rconRate
	endMark        string           // to be answered when there is room
	refusal        *string          // what the console warned of in the last line, see console.RefusalNote
}
