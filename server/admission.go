package server

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
)

// Feed takes one datagram. Whatever it holds, it costs bounded time and memory,
// and an address that has not echoed a token gets no more bytes than it sent.
func (s *Server) Feed(now conn.Time, peer transport.Peer, b []byte) {
	if e := s.bans.find(now, peer.Addr()); e != nil {
		s.feedBanned(now, peer, b, e)
		return
	}
	if c := s.byPeer[peer]; c != nil {
		s.feedSession(now, c, b)
		return
	}
	kind, _ := packet.Classify(b)
	switch kind {
	case packet.KindConnless7, packet.KindControl7:
		s.feedStranger(now, peer, b)
	default:
		s.count(dropClass)
	}
}

// feedSession hands a datagram to the session it is for.
func (s *Server) feedSession(now conn.Time, c *session, b []byte) {
	c.now = now
	c.replies = false
	err := c.conn.Feed(now, b, c)
	if c.replies {
		c.conn.Flush(now)
	}
	if err == packet.DropConnless {
		// A player's own browser asks from another port, but an address is
		// free to ask for information while it plays.
		s.feedStranger(now, c.peer, b)
		return
	} else if err != nil {
		s.count(dropConn)
	}
	if c.conn.State() == conn.StateError {
		c.drop(c.conn.Reason())
		return
	}
	c.continueDownload()
}

// feedStranger answers an address without a session.
func (s *Server) feedStranger(now conn.Time, peer transport.Peer, b []byte) {
	var p packet.Packet
	if p.Parse(b, &s.scratch) != nil {
		s.count(dropUnexpected)
		return
	}
	verdict, _ := s.tokens.Judge(now, peer.Addr(), &p)
	switch verdict {
	case conn.Reply:
		s.out = packet.AppendTokenReply(s.out[:0], p.Response, s.tokens.Token(now, peer.Addr()))
		s.net.Send(peer, s.out)
	case conn.Admit:
		s.admit(now, peer, &p)
	case conn.Connless:
		s.feedConnless(now, peer, &p)
	default:
		s.count(dropUnexpected)
	}
}

// feedBanned tells a banned address why, now and then.
func (s *Server) feedBanned(now conn.Time, peer transport.Peer, b []byte, e *ban) {
	s.count(dropBanned)
	if now.Sub(e.told) <= banRefresh {
		e.told = now
		return
	}
	e.told = now
	var p packet.Packet
	if p.Parse(b, &s.scratch) != nil || p.Response == packet.NoToken {
		return
	}
	s.out = packet.AppendClose(s.out[:0], 0, p.Response, e.text(now))
	if len(s.out) <= len(b) {
		s.net.Send(peer, s.out)
	}
}

// admit gives a client a seat, or says why not. Its address has echoed a token.
func (s *Server) admit(now conn.Time, peer transport.Peer, p *packet.Packet) {
	refuse := func(reason string, why dropReason) {
		s.count(why)
		s.out = packet.AppendClose(s.out[:0], 0, p.Response, reason)
		s.net.Send(peer, s.out)
	}
	if s.clients() >= int(s.settings.MaxClients) {
		refuse("This server is full", dropFull)
		return
	}
	sameIP, sameNet := 0, 0
	for _, c := range s.sessions {
		if c == nil {
			continue
		}
		if c.peer.Addr() == peer.Addr() {
			sameIP++
		}
		if network(c.peer.Addr()) == network(peer.Addr()) {
			sameNet++
		}
	}
	if most := int(s.settings.MaxClientsPerIP); sameIP >= most {
		refuse(fmt.Sprintf("Only %d players with the same IP are allowed", most), dropFull)
		return
	}
	if most := int(s.settings.MaxClientsPerNetwork); most > 0 && sameNet >= most && !peer.Addr().IsLoopback() {
		refuse(fmt.Sprintf("Only %d players of the same network are allowed", most), dropFull)
		return
	}
	if !s.stress.allow(now, peer.Addr()) {
		refuse("Too many connections, wait a moment", dropStress)
		return
	}
	waits := false
	for id := range min(int(s.settings.MaxClients), len(s.sessions)) {
		if s.sessions[id] != nil || s.bots.has(game.PlayerID(id)) {
			continue
		}
		if s.leaving.Has(game.PlayerID(id)) {
			waits = true // for the tick that clears the seat; the client asks again
			continue
		}
		c, err := s.newSession(now, game.PlayerID(id), peer, s.dialects[0])
		if err != nil || c.conn.Accept(now, p.Token, p.Response) != nil {
			return
		}
		s.sessions[id], s.byPeer[peer] = c, c
		s.thinBots()
		return
	}
	if bot := s.lastBot(); !waits && bot != game.Nobody && int(bot) < int(s.settings.MaxClients) {
		s.dropBot(bot, "made room")
		waits = true
	}
	if !waits {
		refuse("This server is full", dropFull)
	}
}

// reap ends the sessions that are to end.
func (s *Server) reap(now conn.Time) {
	for i := 0; i < len(s.dropped); i++ { // dropping one may drop others
		s.end(now, s.dropped[i])
	}
	clear(s.dropped)
	s.dropped = s.dropped[:0]
}

func (s *Server) end(now conn.Time, c *session) {
	if s.sessions[c.id] != c {
		return
	}
	quick := c.conn.State() == conn.StateError && now.Sub(c.since) < time.Second
	c.conn.Close(now, c.dropReason)
	s.print(console.Info, "server", fmt.Sprintf("client dropped. cid=%d addr=%s reason='%s'", c.id, c.peer, text([]byte(c.dropReason), 128)))
	if c.state >= stateReady {
		s.leaving |= game.Only(c.id)
		s.lastSeen[c.id] = seen{name: s.nameOf(c.id), team: s.team(c.id)}
		s.command(game.Command{Kind: game.CmdLeave, Player: c.id, Target: game.Nobody, Text: c.dropReason})
	}
	c.snap.reset()
	s.sessions[c.id] = nil
	delete(s.byPeer, c.peer)
	if quick {
		s.ban(now, c.peer.Addr(), time.Minute, "Stressing network")
	}
}

// ban bans an address and drops its clients.
func (s *Server) ban(now conn.Time, addr netip.Addr, span time.Duration, reason string) error {
	e, err := s.bans.add(now, addr, span, reason)
	if err != nil {
		return err
	}
	for _, c := range s.sessions {
		if c != nil && c.peer.Addr() == addr {
			c.drop(e.text(now))
		}
	}
	how := "for life"
	if span > 0 {
		how = "for " + minutes(span)
	}
	s.print(console.Standard, "net_ban", fmt.Sprintf("banned '%s' %s (%s)", addr, how, e.reason))
	return nil
}

// network is what counts as one network: /24 for IPv4, /64 for IPv6.
func network(a netip.Addr) netip.Prefix {
	bits := 64
	if a.Is4() {
		bits = 24
	}
	p, _ := a.Prefix(bits)
	return p
}
