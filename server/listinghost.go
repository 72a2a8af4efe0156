package server

import (
	"net/netip"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/transport"
)

// listingHost is the server that is shown to others. It implements listing.Host.
type listingHost struct{ s *Server }

// Now implements listing.Host.
func (h listingHost) Now() conn.Time { return h.s.now }

// Match implements listing.Host.
func (h listingHost) Match() listing.Match {
	return listing.Match{World: h.s.world, Map: h.s.maps.Played().Compatible(), Rules: &h.s.rules.Rules}
}

// AppendSeats implements listing.Host.
func (h listingHost) AppendSeats(dst []listing.Seat) []listing.Seat {
	for i, c := range h.s.sessions {
		switch id := game.PlayerID(i); {
		case c != nil:
			dst = append(dst, listing.Seat{ID: id, InGame: c.state == stateInGame, Held: c.isHeld(), Since: c.connectedAt})
		case h.s.bots.Has(id):
			dst = append(dst, listing.Seat{ID: id, Bot: true, Since: h.s.bots.Since(id)})
		}
	}
	return dst
}

// IsPlayer implements listing.Host.
func (h listingHost) IsPlayer(a netip.Addr) bool {
	for _, c := range h.s.sessions {
		if c != nil && c.addrProven && c.peer.Addr() == a {
			return true
		}
	}
	return false
}

// Print implements listing.Host.
func (h listingHost) Print(who console.Caller, level int, system, line string) {
	h.s.printFor(who, level, system, line)
}

// WriteFile implements listing.Host.
func (h listingHost) WriteFile(name string, content []byte) error {
	return h.s.files.Write(name, content)
}

// RunRcon implements listing.Host.
func (h listingHost) RunRcon(peer transport.Peer, level int, line string, print func(text string), done func()) {
	h.s.RunFor(&Operator{Level: console.Level(level), Via: "halflife", Addr: peer.AddrPort}, line, print, func(warning string) {
		if warning != "" {
			print(console.RefusalNote(warning))
		}
		done()
	})
}

// LoginFailed implements listing.Host.
func (h listingHost) LoginFailed(peer transport.Peer) {
	h.s.logs.Audit(logs.Entry{Event: "login_failed", Via: "halflife", Addr: peer.String()})
}
