package server

import (
	"time"

	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/transport"
)

// newRooms creates the parts of the server. Bans in memory follow a clock that begins at epoch,
// which is set before the first ban.
func (s *Server) newRooms(epoch *time.Time) {
	s.versions = newProtocolVersions(&s.lobby)
	s.votes = newVotes(s)
	s.chat = chat.New(chatHost{s})
	s.newOperatorRooms()
	s.record, s.resume.keeper, s.storage, s.mods, s.rules = s.newRecorder(), s.newKeeper(), newStorage(s), newMods(s), newRules(s)
	s.access = newAccess(s, epoch)
	s.maps = newMaps(s)
	s.bots = newBots(s)
	s.listing = listing.New(listing.Config{Host: listingHost{s}, Access: s.access})
	s.lobby = lobby{
		transportSend: func(to transport.Peer, b []byte) { s.transport.Send(to, b) },
		access:        s.access, listing: s.listing, drops: &s.drops,
	}
}
