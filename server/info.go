package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/query"
)

// gameVersion is the release that the server behaves like.
const gameVersion = "0.7.5"

// infoCache is the replies to server browsers, which are made at most once a tick, because
// anybody may ask.
type infoCache struct {
	world   *game.World
	tick    int32
	info    query.Info
	replies query.ReplyEncoder
	short   query.ReplyEncoder // without the list of players
}

// browserReplies returns the current replies to server browsers, full and short ones.
func (s *Server) browserReplies() (full, short *query.ReplyEncoder) {
	b := &s.infoCache
	if b.world != s.world || b.tick != s.clock.tick {
		b.world, b.tick = s.world, s.clock.tick
		s.fillQueryInfo(&b.info)
		b.short.Short = true
		b.replies.SetInfo(&b.info)
		b.short.SetInfo(&b.info)
	}
	return &b.replies, &b.short
}

// serverInfo returns the description of the server for its clients.
func (s *Server) serverInfo() bridge.ServerInfo {
	players, clients := 0, 0
	listed := s.listedSeats()
	for id := range s.sessions {
		if !listed.Has(game.PlayerID(id)) {
			continue
		}
		clients++
		if s.teamOf(game.PlayerID(id)) != game.TeamSpectators {
			players++
		}
	}
	bots := s.bots.count()
	players, clients = players+bots, clients+bots
	return bridge.ServerInfo{
		TimeScore: s.world.GameFlags()&game.GameFlagRace != 0,
		Version:   gameVersion, Name: s.settings.Name, Hostname: s.settings.Hostname,
		Map: s.gameMap.Name, GameType: s.displayedGameType(),
		NeedsPassword: s.access.Settings.Password != "", SkillLevel: int32(s.settings.SkillLevel),
		Players: int32(players), PlayerSlots: s.rules.PlayerSlots,
		Clients: int32(clients), MaxClients: int32(max(clients, int(s.rules.MaxClients))),
	}
}

// listedSeats returns the seats of the sessions that clients and browsers are told of: all but
// kept ones with newcomers in their places, who may still take them back.
func (s *Server) listedSeats() (listed game.PlayerMask) {
	excess := s.numClients() + s.numHeld() - int(s.rules.MaxClients)
	for id, c := range s.sessions {
		switch {
		case c == nil:
		case c.isHeld() && excess > 0:
			excess--
		default:
			listed |= game.MaskOne(game.PlayerID(id))
		}
	}
	return listed
}

// vanillaSlots is the number of player slots in the original.
const vanillaSlots = 16

// displayedGameType returns the game type that clients are told. They discard the info of
// a server that has an original mode and more slots than the original, so that such a
// server needs another name for its mode.
func (s *Server) displayedGameType() string {
	if s.rules.PlayerSlots > vanillaSlots && s.world.GameFlags()&game.GameFlagRace == 0 {
		return s.world.ModeName() + "+"
	}
	return s.world.ModeName()
}

// fillQueryInfo fills q with the description of the server for server browsers.
func (s *Server) fillQueryInfo(q *query.Info) {
	i, m := s.serverInfo(), s.gameMap.compatibleMap()
	*q = query.Info{
		Version: i.Version, Name: i.Name, Hostname: i.Hostname,
		Map: m.Name, MapCRC: m.CRC, MapSize: uint32(len(m.File)), MapSHA256: m.SHA256,
		GameType: s.world.ModeName(), TimeScore: i.TimeScore, Password: i.NeedsPassword, SkillLevel: int(i.SkillLevel),
		NumPlayers: int(i.Players), MaxPlayers: int(i.PlayerSlots), NumClients: int(i.Clients), MaxClients: int(i.MaxClients),
		Clients: q.Clients[:0],
	}
	listed := s.listedSeats()
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if !listed.Has(pid) && !s.bots.has(pid) {
			continue
		}
		p, seated := s.world.Player(pid)
		about := query.Client{
			Name: p.Profile.Name, Clan: p.Profile.Clan, Country: p.Profile.Country, Score: p.Score,
			Spectator: p.Team == game.TeamSpectators || !seated, Bot: c == nil,
		}
		if i.TimeScore {
			about.Score = timeScore(p.Score)
		}
		if c != nil && c.state != stateInGame {
			about.Name, about.Clan, about.Country = "(connecting)", "", -1
		}
		q.Clients = append(q.Clients, about)
	}
}

// timeScore returns the score of a race as server browsers get it.
func timeScore(ms int32) int32 {
	if ms == game.NoRaceTime {
		return query.NoTime
	}
	return ms / 1000
}
