package server

// dropReason is the reason for which something that was received had no effect.
type dropReason uint8

// Drops are counted and not logged: anybody can send anything, and fill a disk with it.
const (
	dropUnknownProtocol  dropReason = iota // of no protocol that the server speaks
	dropUnexpected                         // no session, no valid token
	dropConnection                         // refused by a connection
	dropMessage                            // not a message, or out of range
	dropNotVital                           // has to be in a vital chunk
	dropState                              // not in this state of the session
	dropUnwanted                           // a message that the server does not support
	dropInput                              // input out of range
	dropCommands                           // too many commands in a tick
	dropBanned                             // from a banned address
	dropFull                               // no seat
	dropDraining                           // new, while nobody new gets in
	dropSnapshotTooLarge                   // a snapshot of more than 64 parts
	dropTicks                              // ticks skipped after a stall
	dropConnectRate                        // too many connects of an address
	dropInfo                               // a malformed request for server info
	dropFlood                              // more than the rate limit of a client
	dropRconLines                          // remote console output without room in the connection
	dropVersion                            // of another version than the session's
	dropTokenless                          // beyond the limits for clients and browsers without a token
	dropHalfLife                           // Half-Life requests that got no answer
	dropLogLines                           // lines about clients that come and go, beyond strangerLogRate
	dropTexts                              // texts of modes and mods without room in the connection
	dropTooLong                            // messages to clients that fit no datagram
	numDrops
)

var dropNames = [numDrops]string{
	"unknown_protocol", "unexpected", "connection", "message", "not_vital", "state", "unwanted",
	"input", "commands", "banned", "full", "draining", "snapshot_too_large", "ticks", "stress", "info", "flood", "rcon_lines", "version", "unproven", "halflife", "log_lines", "texts", "too_long",
}

func (s *Server) countDrop(r dropReason) { s.drops[r].Add(1) }

// Drops returns the number of datagrams, messages and other things that were received and
// had no effect, by reason. It may be called by any goroutine.
func (s *Server) Drops() map[string]uint64 {
	m := make(map[string]uint64, numDrops)
	for i := range s.drops {
		if n := s.drops[i].Load(); n > 0 {
			m[dropNames[i]] = n
		}
	}
	return m
}
