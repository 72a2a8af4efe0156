package server

import (
	"sync/atomic"
)

// dropReason is the reason why received data had no effect.
type dropReason uint8

// Drops are counted and not logged: strangers could fill the disk otherwise.
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
	"input", "commands", "banned", "full", "draining", "snapshot_too_large", "ticks", "stress", "info", "flood",
	"rcon_lines", "version", "unproven", "halflife", "log_lines", "texts", "too_long",
}

// drops counts received data without effect. Any goroutine may read it.
type drops [numDrops]atomic.Uint64

// add adds n to a counter.
func (d *drops) add(r dropReason, n int) { d[r].Add(uint64(n)) }

// byReason returns the counters that are not 0.
func (d *drops) byReason() map[string]uint64 {
	m := make(map[string]uint64, numDrops)
	for i := range d {
		if n := d[i].Load(); n > 0 {
			m[dropNames[i]] = n
		}
	}
	return m
}
