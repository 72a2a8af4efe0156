package server

// dropReason is why something that came in had no effect.
type dropReason uint8

// What is refused is counted, not logged: anyone can send anything.
const (
	dropUnknownProtocol  dropReason = iota // no protocol we know
	dropUnexpected                         // no session, no valid token
	dropConnection                         // refused by a connection
	dropMessage                            // not a message, or out of range
	dropNotVital                           // has to be in a vital chunk
	dropState                              // not in this state of the session
	dropUnwanted                           // a message nobody listens to
	dropInput                              // input out of range
	dropCommands                           // too many commands in a tick
	dropBanned                             // from a banned address
	dropFull                               // no seat
	dropSnapshotTooLarge                   // a snapshot of more than 64 parts
	dropTicks                              // ticks skipped after a stall
	dropConnectRate                        // connects too often
	dropInfo                               // a request for info that is none
	dropFlood                              // more than a client may send
	dropRconLines                          // output that an operator's connection had no room for
	dropVersion                            // of another version than the session's
	dropTokenless                          // clients without a token beyond their budget
	dropHalfLife                           // requests of the Half-Life protocol that got no answer
	numDrops
)

var dropNames = [numDrops]string{
	"unknown_protocol", "unexpected", "connection", "message", "not_vital", "state", "unwanted",
	"input", "commands", "banned", "full", "snapshot_too_large", "ticks", "stress", "info", "flood", "rcon_lines", "version", "unproven", "halflife",
}

func (s *Server) count(r dropReason) { s.drops[r].Add(1) }

// Drops tells how much of what came in had no effect, by reason. It may be
// called by any goroutine.
func (s *Server) Drops() map[string]uint64 {
	m := make(map[string]uint64, numDrops)
	for i := range s.drops {
		if n := s.drops[i].Load(); n > 0 {
			m[dropNames[i]] = n
		}
	}
	return m
}
