package server

import (
	"bytes"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// gameVersion is the release whose behaviour clients may expect.
const gameVersion = "0.7.5"

var (
	tagGetInfo = []byte("\xff\xff\xff\xffgie3")
	tagInfo    = []byte("\xff\xff\xff\xffinf3")
)

// feedConnless answers a browser. Its address has echoed a token.
func (s *Server) feedConnless(now conn.Time, peer transport.Peer, p *packet.Packet) {
	if !bytes.HasPrefix(p.Payload, tagGetInfo) {
		s.count(dropInfo)
		return
	}
	var u packer.Unpacker
	u.Reset(p.Payload[len(tagGetInfo):])
	token := u.Int()
	if u.Err() != nil {
		s.count(dropInfo)
		return
	}
	s.buf = append(s.buf[:0], tagInfo...)
	s.buf = packer.AppendInt(s.buf, token)
	s.buf = append(s.buf, s.browse()...)
	s.out = packet.AppendConnless(s.out[:0], p.Response, s.tokens.Token(now, peer.Addr()), s.buf)
	s.net.Send(peer, s.out)
}

// browsed is what browsers get, made once a tick: asking is cheap for them.
type browsed struct {
	world  *game.World
	tick   int32
	record []byte
}

// maxInfo is the longest record with its list of clients, in bytes, beside the
// tag and the browser's token.
var maxInfo = packet.MaxConnlessPayload - len(tagInfo) - packer.MaxIntLen

// browse returns the record with the list of clients. It has to list all; with
// many long names it would not fit, and browsers would see nothing at all.
// Shorter names are better.
func (s *Server) browse() []byte {
	b := &s.browsed
	if b.world == s.world && b.tick == s.clock.tick {
		return b.record
	}
	b.world, b.tick = s.world, s.clock.tick
	for _, limit := range [...]int{15, 8, 4, 1} {
		b.record = s.appendInfo(b.record[:0], limit)
		if len(b.record) <= maxInfo {
			break
		}
	}
	return b.record
}

// info is the record that browsers and clients get.
func (s *Server) info() bridge.Info {
	players, clients := 0, 0
	for id, c := range s.sessions {
		if c == nil {
			continue
		}
		clients++
		if s.team(game.PlayerID(id)) != game.TeamSpectators {
			players++
		}
	}
	bots := s.bots.count()
	players, clients = players+bots, clients+bots
	return bridge.Info{
		Version: gameVersion, Name: s.settings.Name, Hostname: s.settings.Hostname,
		Map: s.gameMap.Name, GameType: s.gameType(),
		Password: s.settings.Password != "", SkillLevel: int32(s.settings.SkillLevel),
		Players: int32(players), Slots: int32(s.settings.PlayerSlots),
		Clients: int32(clients), MaxClients: int32(max(clients, int(s.settings.MaxClients))),
	}
}

// vanillaSlots is how many may play at once in the original.
const vanillaSlots = 16

// gameType is what browsers show. Clients throw a record away that names an
// original mode with more slots than the original has, so such a server calls
// its mode by another name.
func (s *Server) gameType() string {
	if s.settings.PlayerSlots > vanillaSlots {
		return s.world.ModeName() + "+"
	}
	return s.world.ModeName()
}

// appendInfo writes the record with the list of clients.
func (s *Server) appendInfo(dst []byte, nameLimit int) []byte {
	about := s.info()
	record := bridge7.Record(&about)
	dst = record.Append(dst)
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if c == nil && !s.bots.has(pid) {
			continue
		}
		info, seated := s.world.Player(pid)
		p := &info.Profile
		if c != nil && c.state != stateInGame {
			p = &game.Profile{Name: "(connecting)", Country: -1}
		}
		dst = packer.AppendStringLimit(dst, []byte(p.Name), nameLimit)
		dst = packer.AppendStringLimit(dst, []byte(p.Clan), min(nameLimit, 11))
		dst = packer.AppendInt(dst, p.Country)
		dst = packer.AppendInt(dst, info.Score)
		kind := int32(0)
		if info.Team == game.TeamSpectators || !seated {
			kind = 1
		}
		if c == nil {
			kind |= 2 // a bot
		}
		dst = packer.AppendInt(dst, kind)
	}
	return dst
}
