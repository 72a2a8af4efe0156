package server

import (
	"slices"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/transport"
)

// Feed handles a datagram, in bounded time and memory for any content. An address that has not
// echoed a token gets no more bytes than it sent. Clients and server browsers without tokens are an
// exception, within limits.
//
// The datagram of a client goes from here to session.feed, conn.Conn.Feed, session.Chunk,
// bridge.ServerSide.Receive and a method of the session named after the message, such as
// OnInput.
func (s *Server) Feed(now conn.Time, peer transport.Peer, b []byte) {
	s.now = now
	if len(b) == 0 && peer.Kind != transport.UDP {
		s.connectionLost(now, peer)
		return
	}
	c := s.sessionByPeer[peer]
	ban, banned := s.access.Bans.Find(peer.Addr())
	switch {
	case c != nil && (!banned || ban.Temporary) && c.feed(now, b): // see access.Bans.AddForNow
	case c != nil && banned && !ban.Temporary: // by another server with the same bans
		c.drop(s.access.Bans.Message(&ban))
	case banned:
		s.handleBanned(now, peer, b, &ban)
	default:
		s.handleUnconnected(now, peer, b)
	}
}

// handleUnconnected handles a datagram that belongs to no session. Masters come first,
// as they have tokens of their own. They, and the tools that ask in other protocols, use UDP.
func (s *Server) handleUnconnected(now conn.Time, peer transport.Peer, b []byte) {
	if peer.Kind == transport.UDP {
		if taken, answered := s.listing.Feed(now, peer, b); taken {
			if !answered {
				s.countDrop(dropHalfLife)
			}
			return
		}
	}
	v, action := s.inspect(now, peer, b)
	if v == nil {
		s.countDrop(dropUnknownProtocol)
		return
	}
	switch action {
	case conn.ActionReplyToken:
		v.sendToken()
	case conn.ActionAccept:
		s.admit(now, peer, b, v, true)
	case conn.ActionChallenge:
		s.handleTokenless(now, peer, b, v)
	case conn.ActionConnless:
		v.answerBrowser()
	default:
		s.countDrop(dropUnexpected)
	}
}

// inspect returns the version that a datagram is of, nil if of none, and what to do about
// it. The methods of its handshaker are about this datagram then.
func (s *Server) inspect(now conn.Time, peer transport.Peer, b []byte) (*protocolVersion, conn.Action) {
	kind, _ := packet.Classify(b)
	for _, v := range s.versions {
		if slices.Contains(v.kinds, kind) {
			return v, v.inspect(now, peer, kind, b)
		}
	}
	return nil, conn.ActionIgnore
}

// handleTokenless handles a datagram of a client that knows no tokens. Its address may be
// forged, so little is done for all such clients in a second, and none gets a seat before
// it has answered a challenge, unless sv_vanilla_antispoof is 0. The message with its
// password is lost meanwhile.
func (s *Server) handleTokenless(now conn.Time, peer transport.Peer, b []byte, v *protocolVersion) {
	if !s.access.Arrivals.AllowUnproven(now, peer.Addr()) {
		s.countDrop(dropTokenless)
		return
	}
	switch {
	case s.access.Settings.VanillaAntispoof == 0:
		s.admit(now, peer, b, v, false)
	case s.access.Settings.Password != "":
		v.refuse("This server has a password, and your version cannot send one")
	default:
		v.sendChallenge()
	}
}

// handleBanned tells a banned address about the ban, but not each time.
func (s *Server) handleBanned(now conn.Time, peer transport.Peer, b []byte, e *bans.Ban) {
	s.countDrop(dropBanned)
	if !s.access.Bans.MayAnswer(e) {
		return
	}
	switch v, action := s.inspect(now, peer, b); action {
	case conn.ActionChallenge:
		if s.access.Arrivals.AllowUnproven(now, peer.Addr()) {
			v.refuse(s.access.Bans.Message(e))
		}
	case conn.ActionReplyToken, conn.ActionAccept:
		v.refuse(s.access.Bans.Message(e))
	}
}

// admit gives a client a seat, or tells it why not. addrProven says that the client has
// echoed a token or the number of a challenge.
func (s *Server) admit(now conn.Time, peer transport.Peer, b []byte, v *protocolVersion, addrProven bool) {
	refuse := func(reason string, drop dropReason) {
		s.countDrop(drop)
		v.refuse(reason)
	}
	if s.drain.active {
		refuse(s.drain.refusal(), dropDraining)
		return
	}
	if s.numClients() >= int(s.rules.MaxClients) {
		refuse("This server is full", dropFull)
		return
	}
	// Kept seats give way, see timeouts.go. Their players could not come back otherwise.
	samePerson, sameSite := s.countNear(peer.Addr(), (*session).isConnected)
	if reason := s.access.Arrivals.Crowded(peer.Addr(), samePerson+1, sameSite+1); reason != "" {
		refuse(reason, dropFull)
		return
	}
	switch s.access.Arrivals.Admit(now, peer.Addr()) {
	case limit.ArrivalRefused:
		refuse("Too many connections, wait a moment", dropConnectRate)
		return
	case limit.ArrivalMustWait: // without a word: clients ask again, but not after a refusal
		s.countDrop(dropConnectRate)
		return
	}
	hello := v.helloState()
	if hello == helloConsumed && s.access.Settings.Password != "" {
		refuse(access.WrongPassword, dropTokenless) // it was set after the challenge was sent
		return
	}
	id, soon := s.freeSeat()
	if id == game.Nobody {
		if !soon {
			refuse("This server is full", dropFull)
		}
		return
	}
	c, err := s.newSession(now, id, peer, v)
	if err != nil || v.accept(&c.conn) != nil {
		return
	}
	// Packets without a token may be forged even if the address was proven.
	c.addrProven = addrProven && c.conn.Token() != packet.NoToken
	if c.addrProven {
		s.access.Arrivals.Prove(now, peer.Addr())
	}
	s.sessions[id], s.sessionByPeer[peer] = c, c
	s.bots.RemoveExcess()
	switch hello {
	case helloInDatagram:
		c.feed(now, b)
	case helloConsumed:
		c.mapsAnnounced = 1 // the challenge has a map, for which READY may still come
		c.setState(stateConnecting)
		c.sendMapChange()
	}
}

// restartSession handles a client that connects again while its session lasts, as after a
// crash. This counts as a connect, and the rate limits of the session stay as they are.
func (s *Server) restartSession(now conn.Time, c *session) {
	if !s.access.Arrivals.AdmitAgain(now, c.peer.Addr()) {
		s.countDrop(dropConnectRate)
		c.drop("Too many connections, wait a moment")
		return
	}
	c.sayFarewell("reconnects")
	s.leaveWorld(c, "")
	s.votes.Recount()
	limits := c.limits
	c.reset(now, c.peer, c.version)
	c.limits = limits
}

// closeDropped closes the sessions that were dropped.
func (s *Server) closeDropped(now conn.Time) {
	for i := 0; i < len(s.droppedSessions); i++ { // dropping a session may drop others
		s.closeSession(now, s.droppedSessions[i])
	}
	clear(s.droppedSessions)
	s.droppedSessions = s.droppedSessions[:0]
}

// closeSession ends a session and frees its seat. A client whose connection fails within a second
// may not connect for a minute. Web pages may: reloading one ends its connection in this way, and
// all players behind one address would have to wait.
func (s *Server) closeSession(now conn.Time, c *session) {
	if s.sessions[c.id] != c {
		return
	}
	failedAtOnce := c.addrProven && c.conn.State() == conn.StateError && now.Sub(c.connectedAt) < time.Second
	c.conn.Close(now, c.dropReason)
	c.sayFarewell(c.dropReason)
	s.votes.Left(c.id)
	s.leaveWorld(c, c.dropReason)
	c.snapshots.reset()
	s.sessions[c.id] = nil
	if s.sessionByPeer[c.peer] == c { // and not another one, if the seat was kept
		delete(s.sessionByPeer, c.peer)
	}
	exempt := c.peer.Kind == transport.WebSocket || c.peer.Addr().IsLoopback() // loopback: the operator's tests and bots
	if failedAtOnce && !exempt {
		s.access.Bans.AddForNow(c.peer.Addr(), time.Minute, "Stressing network")
	}
}

// freeSeat returns a free seat for a client, or -1. soon reports whether one will be free after the
// next tick; clients ask again until then. Kept seats are not free, so that their players can come
// back.
func (s *Server) freeSeat() (id game.PlayerID, soon bool) {
	seats := min(int(s.rules.MaxClients)+s.numHeld(), s.rules.Seats())
	for id := range game.PlayerID(seats) {
		if s.sessions[id] != nil || s.bots.Has(id) {
			continue
		}
		if !s.seats.leaving.Has(id) {
			return id, false
		}
		soon = true
	}
	if bot := s.bots.Last(); !soon && bot != game.Nobody && int(bot) < seats {
		s.bots.Remove(bot, "")
		soon = true
	}
	if held := s.oldestHeld(); !soon && held != nil {
		held.drop(conn.ReasonTimeout)
		soon = true
	}
	return game.Nobody, soon
}

// feed handles a datagram from the client's address. It returns false for one that is
// not of the connection: an address may ask for server info while it plays.
func (c *session) feed(now conn.Time, b []byte) bool {
	c.flushSoon = false
	err := c.conn.Feed(now, b, c)
	if c.conn.Rejoined() && !c.dropping {
		c.server.restartSession(now, c)
	}
	if c.flushSoon {
		c.conn.Flush(now)
	}
	switch err {
	case nil:
	case packet.DropConnless:
		return false
	case packet.DropOtherVersion:
		c.server.countDrop(dropVersion)
	default:
		c.server.countDrop(dropConnection)
	}
	if c.conn.State() == conn.StateError {
		c.drop(c.conn.Reason())
		return true
	}
	c.continueDownload()
	return true
}
