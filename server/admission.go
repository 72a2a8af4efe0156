package server

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
)

// Feed takes one datagram. Whatever it holds, it costs bounded time and memory,
// and an address that has not echoed a token gets no more bytes than it sent,
// but for what budgets allow to clients and browsers that know no tokens.
func (s *Server) Feed(now conn.Time, peer transport.Peer, b []byte) {
	s.now = now
	if e, banned := s.bans.find(peer.Addr()); banned {
		s.handleBanned(now, peer, b, &e)
		return
	}
	if c := s.sessionByPeer[peer]; c == nil || !c.feed(now, b) {
		s.handleUnconnected(now, peer, b)
	}
}

// handleUnconnected answers an address without a session. Masters come first: what they
// prove themselves with is none of what others need.
func (s *Server) handleUnconnected(now conn.Time, peer transport.Peer, b []byte) {
	if halflife.IsDatagram(b) && s.halfLife.feed(now, peer, b) {
		return
	}
	if s.registration.feed(now, peer, b) {
		return
	}
	d, verdict := s.inspect(now, peer, b)
	if d == nil {
		s.count(dropUnknownProtocol)
		return
	}
	switch verdict {
	case conn.ActionReplyToken:
		d.sendToken()
	case conn.ActionAccept:
		s.admit(now, peer, b, d, true)
	case conn.ActionChallenge:
		s.handleTokenless(now, peer, b, d)
	case conn.ActionConnless:
		d.answerBrowser()
	default:
		s.count(dropUnexpected)
	}
}

// inspect brings a datagram to the gate that it is for; nil if there is none.
func (s *Server) inspect(now conn.Time, peer transport.Peer, b []byte) (*protocolVersion, conn.Action) {
	kind, _ := packet.Classify(b)
	for _, d := range s.versions {
		if slices.Contains(d.kinds, kind) {
			return d, d.inspect(now, peer, kind, b)
		}
	}
	return nil, conn.ActionIgnore
}

// handleTokenless takes a client that knows no tokens. Anybody can claim to be at its
// address, so there is little that is done for such clients in a second, and
// unless the operator wants it otherwise none gets a seat before it has shown that
// it reads what is sent there. In that it says its password to nobody.
func (s *Server) handleTokenless(now conn.Time, peer transport.Peer, b []byte, d *protocolVersion) {
	if !s.spoofLimiter.allow(now, peer.Addr(), s.settings.VanillaConnPerSecond) {
		s.count(dropTokenless)
		return
	}
	switch {
	case s.settings.VanillaAntispoof == 0:
		s.admit(now, peer, b, d, false)
	case s.settings.Password != "":
		d.refuse("This server has a password, which your version cannot tell it")
	default:
		d.sendChallenge()
	}
}

// handleBanned tells a banned address why, now and then.
func (s *Server) handleBanned(now conn.Time, peer transport.Peer, b []byte, e *bans.Ban) {
	s.count(dropBanned)
	if !s.bans.mayAnswer(now, e.Net) {
		return
	}
	switch d, verdict := s.inspect(now, peer, b); verdict {
	case conn.ActionChallenge:
		if s.spoofLimiter.allow(now, peer.Addr(), s.settings.VanillaConnPerSecond) {
			d.refuse(banMessage(*e, s.bans.clock()))
		}
	case conn.ActionReplyToken, conn.ActionAccept:
		d.refuse(banMessage(*e, s.bans.clock()))
	}
}

// admit gives a client a seat, or says why not. That its address is proven means
// that it has echoed a token, or something like one.
func (s *Server) admit(now conn.Time, peer transport.Peer, b []byte, d *protocolVersion, proven bool) {
	refuse := func(reason string, why dropReason) {
		s.count(why)
		d.refuse(reason)
	}
	if s.numClients() >= int(s.settings.MaxClients) {
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
		if limit.Network(c.peer.Addr()) == limit.Network(peer.Addr()) {
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
	if !s.mayConnect(now, peer.Addr()) {
		refuse("Too many connections, wait a moment", dropConnectRate)
		return
	}
	opening := d.helloState()
	if opening == helloConsumed && s.settings.Password != "" {
		refuse("Wrong password", dropTokenless) // set since the challenge was sent
		return
	}
	id, waits := s.freeSeat()
	if id == game.Nobody {
		if !waits {
			refuse("This server is full", dropFull)
		}
		return
	}
	c, err := s.newSession(now, id, peer, d)
	if err != nil || d.accept(&c.conn) != nil {
		return
	}
	// Without a token in its packets, anybody can make a client misbehave.
	c.addrProven = proven && c.conn.Token() != packet.NoToken
	s.sessions[id], s.sessionByPeer[peer] = c, c
	s.removeExcessBots()
	switch opening {
	case helloInDatagram:
		c.feed(now, b)
	case helloConsumed:
		c.setState(stateConnecting)
		c.sendMapChange()
	}
}

// freeSeat finds a seat for a client, Nobody if there is none; waits tells that
// there will be one after the next tick, when the client asks again.
func (s *Server) freeSeat() (id game.PlayerID, waits bool) {
	for id := range game.PlayerID(min(int(s.settings.MaxClients), len(s.sessions))) {
		if s.sessions[id] != nil || s.bots.has(id) {
			continue
		}
		if !s.leavingSeats.Has(id) {
			return id, false
		}
		waits = true // for the tick that clears the seat
	}
	if bot := s.lastBot(); !waits && bot != game.Nobody && int(bot) < int(s.settings.MaxClients) {
		s.removeBot(bot, "made room")
		waits = true
	}
	return game.Nobody, waits
}

// rejoin is for a client that has begun anew in its seat, as after a crash. To begin
// anew is no cheaper than to connect, and restores nothing that was used up.
func (s *Server) rejoin(now conn.Time, c *session) {
	if !s.mayConnect(now, c.peer.Addr()) {
		s.count(dropConnectRate)
		c.drop("Too many connections, wait a moment")
		return
	}
	s.print(console.Info, "server", fmt.Sprintf("client begins anew. cid=%d addr=%s", c.id, c.peer))
	s.queueLeave(c, "")
	s.voterChanged()
	limits := c.limits
	c.reset(now, c.peer, c.version)
	c.limits = limits
}

// closeDropped ends the sessions that are to end.
func (s *Server) closeDropped(now conn.Time) {
	for i := 0; i < len(s.dropping); i++ { // dropping one may drop others
		s.closeSession(now, s.dropping[i])
	}
	clear(s.dropping)
	s.dropping = s.dropping[:0]
}

func (s *Server) closeSession(now conn.Time, c *session) {
	if s.sessions[c.id] != c {
		return
	}
	quick := c.addrProven && c.conn.State() == conn.StateError && now.Sub(c.connectedAt) < time.Second
	c.conn.Close(now, c.dropReason)
	s.print(console.Info, "server", fmt.Sprintf("client dropped. cid=%d addr=%s reason='%s'", c.id, c.peer, printable([]byte(c.dropReason), 128)))
	s.handleVoterLeft(c)
	s.queueLeave(c, c.dropReason)
	c.snaps.reset()
	s.sessions[c.id] = nil
	delete(s.sessionByPeer, c.peer)
	if quick && !c.peer.Addr().IsLoopback() { // tests and bots of the operator come from there
		s.addBan(console.Operator, now, bans.Ban{Net: addrPrefix(c.peer.Addr()), Duration: time.Minute, Reason: "Stressing network", Temporary: true})
	}
}

// queueLeave clears the seat of a session in the world.
func (s *Server) queueLeave(c *session, reason string) {
	if c.state < stateReady {
		return
	}
	s.leaveSeat(c.id, reason)
}

// banAddr bans an address and drops its clients.
func (s *Server) banAddr(who console.Caller, now conn.Time, addr netip.Addr, duration time.Duration, reason string) error {
	return s.addBan(who, now, bans.Ban{Net: addrPrefix(addr), Duration: duration, Reason: reason})
}

// addBan adds a ban and drops the clients that it hits.
func (s *Server) addBan(who console.Caller, now conn.Time, b bans.Ban) error {
	b, err := s.bans.add(now, b)
	if err != nil {
		return err
	}
	s.applyBan(who, b)
	return nil
}

// applyBan tells of a ban and drops those whom it hits.
func (s *Server) applyBan(who console.Caller, b bans.Ban) {
	now := s.bans.clock()
	s.printFor(who, console.Standard, "net_ban", fmt.Sprintf("banned '%s' %s", bans.FormatNet(b.Net), banTerms(b, now)))
	for _, c := range s.sessions {
		if c != nil && b.Net.Contains(c.peer.Addr()) {
			c.drop(banMessage(b, now))
		}
	}
}
