package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/query"
)

// gameVersion is the release whose behaviour clients may expect.
const gameVersion = "0.7.5"

// infoCache is what server browsers are told, made at most once a tick: asking is
// cheap for them.
type infoCache struct {
	world   *game.World
	tick    int32
	info    query.Info
	answers query.ReplyEncoder
}

// browserAnswers are those to server browsers, of now.
func (s *Server) browserAnswers() *query.ReplyEncoder {
	b := &s.infoCache
	if b.world != s.world || b.tick != s.clock.tick {
		b.world, b.tick = s.world, s.clock.tick
		s.fillInfo(&b.info)
		b.answers.SetInfo(&b.info)
	}
	return &b.answers
}

// info is what the server is, for those who are connected.
func (s *Server) info() bridge.ServerInfo {
	players, clients := 0, 0
	for id, c := range s.sessions {
		if c == nil {
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
		Version: gameVersion, Name: s.settings.Name, Hostname: s.settings.Hostname,
		Map: s.gameMap.Name, GameType: s.gameType(),
		NeedsPassword: s.settings.Password != "", SkillLevel: int32(s.settings.SkillLevel),
		Players: int32(players), PlayerSlots: int32(s.settings.PlayerSlots),
		Clients: int32(clients), MaxClients: int32(max(clients, int(s.settings.MaxClients))),
	}
}

// vanillaSlots is how many may play at once in the original.
const vanillaSlots = 16

// gameType is what clients are told. They throw a record away that names an
// original mode with more slots than the original has, so such a server calls
// its mode by another name.
func (s *Server) gameType() string {
	if s.settings.PlayerSlots > vanillaSlots {
		return s.world.ModeName() + "+"
	}
	return s.world.ModeName()
}

// fillInfo fills in what browsers are told.
func (s *Server) fillInfo(q *query.Info) {
	i, m := s.info(), s.gameMap.mostCompatible()
	*q = query.Info{
		Version: i.Version, Name: i.Name, Hostname: i.Hostname,
		Map: m.Name, MapCRC: m.CRC, MapSize: uint32(len(m.File)), MapSHA256: m.SHA256,
		GameType: s.world.ModeName(), Password: i.NeedsPassword, SkillLevel: int(i.SkillLevel),
		NumPlayers: int(i.Players), MaxPlayers: int(i.PlayerSlots), NumClients: int(i.Clients), MaxClients: int(i.MaxClients),
		Clients: q.Clients[:0],
	}
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if c == nil && !s.bots.has(pid) {
			continue
		}
		p, seated := s.world.Player(pid)
		about := query.Client{
			Name: p.Profile.Name, Clan: p.Profile.Clan, Country: p.Profile.Country, Score: p.Score,
			Spectator: p.Team == game.TeamSpectators || !seated, Bot: c == nil,
		}
		if c != nil && c.state != stateInGame {
			about.Name, about.Clan, about.Country = "(connecting)", "", -1
		}
		q.Clients = append(q.Clients, about)
	}
}
