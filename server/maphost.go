package server

import (
	"iter"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// mapHost is the server behind its maps. It implements gamemap.Host and gamemap.Players.
type mapHost struct{ s *Server }

// newMaps returns the maps of a server.
func newMaps(s *Server) *gamemap.Maps {
	h := mapHost{s}
	return gamemap.New(gamemap.Config{
		Host: h, Players: h, Rules: s.mods, Votes: s.votes, Files: s.cfg.Files, DDNet: s.cfg.DDNet,
		AnyNeedsUncompressedTiles: slices.ContainsFunc(s.versions, func(v *protocolVersion) bool { return v.NeedsUncompressedTiles() }),
		Background:                func(f func()) { s.cfg.Background(f) },
		Wake:                      func() { s.transport.Wake() },
	})
}

// Now implements gamemap.Host.
func (h mapHost) Now() conn.Time { return h.s.now }

// Tick implements gamemap.Host.
func (h mapHost) Tick() int32 { return h.s.clock.tick }

// Print implements gamemap.Host.
func (h mapHost) Print(level int, system, line string) { h.s.print(level, system, line) }

// Play implements gamemap.Host.
func (h mapHost) Play(m *gamemap.Map) error { return h.s.switchMap(h.s.now, m) }

// EndMatch implements gamemap.Host.
func (h mapHost) EndMatch() {
	h.s.queueCommand(game.Command{Kind: game.CmdEndMatch, Player: game.Nobody, Target: game.Nobody})
}

// IsDDRace implements gamemap.Host.
func (h mapHost) IsDDRace() bool { return h.s.world.IsDDRace() }

// Listings implements gamemap.Host.
func (h mapHost) Listings() iter.Seq[*gamemap.Listing] {
	return func(yield func(*gamemap.Listing) bool) {
		for _, c := range h.s.sessions {
			if c != nil && c.rcon.listing != nil && !yield(c.rcon.listing) {
				return
			}
		}
	}
}

// Ranks implements gamemap.Host.
func (h mapHost) Ranks() (gamemap.Ranks, game.RankOrigin) {
	return h.s.storage.Ranks(), game.RankOrigin{Server: h.s.storage.Settings.ServerName}
}

// Name implements gamemap.Players.
func (h mapHost) Name(id game.PlayerID) string { return h.s.playerName(id) }

// Reply implements gamemap.Players.
func (h mapHost) Reply(id game.PlayerID, line string) {
	if c := h.s.sessions[id]; c != nil {
		c.reply(line)
	}
}

// requestMap handles a client's request for the map, or for more of it. chunk is -1, or the number
// of a chunk in versions with numbers.
func (c *session) requestMap(chunk int) {
	c.server.maps.Downloads.Request(&c.download, &c.conn, c.bridge, chunk)
	c.continueDownload()
}

// continueDownload sends the client chunks of the map. It is called whenever the client may have
// acknowledged some.
func (c *session) continueDownload() {
	if !c.download.Active() || c.state < stateConnecting || c.dropping || c.isHeld() {
		return
	}
	s := c.server
	progress, flood := s.maps.Downloads.Send(&c.download, &c.conn, c.bridge)
	if progress {
		c.lastProgress = s.now
	}
	if flood {
		s.countDrop(dropFlood)
	}
}

// continueDownloads continues the downloads that wait for the next burst.
func (s *Server) continueDownloads(now conn.Time) {
	for _, c := range s.sessions {
		if c != nil && c.download.Active() && c.conn.HasBacklog() {
			c.conn.Update(now)
			c.continueDownload()
		}
	}
}
