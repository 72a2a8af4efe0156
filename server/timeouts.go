package server

import (
	"cmp"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
)

// A player whose address changes times out and comes back as a new client. DDNet's client therefore
// sends a secret when it joins, the timeout code. The server keeps the seat of a player who sent
// one for conn_timeout_protection seconds after a timeout, and gives it to the player who sends the
// same code then.
//
// A kept seat counts for the limits of clients per server, address and network, but never keeps a
// new client out. It leaves the game for the spectators, with its score, as soon as a newcomer
// needs its player slot. Seats of a resumed match do not: their players all come back at once. A
// kept seat ends when the server has too many clients, newcomers who may still send its code aside.
// The oldest seats go first.
//
// A client gets a kept seat only while the seat's player is silent, even with the code. A
// connection has one try. The server stores only a hash of the code.

const (
	// minTimeoutCode is the length of the shortest code that counts, in bytes. DDNet's client sends
	// 15 or 16 random letters.
	minTimeoutCode = 8
	// silentAfter is the time without a datagram after which a player is timing out.
	// Clients send several in a second.
	silentAfter = 2 * time.Second
	// reclaimTime is the time in the game after which a client is not expected to send a code.
	// DDNet's client sends it after 50 snapshots: two seconds.
	reclaimTime = 5 * time.Second
)

// isSettled reports whether the session has a seat for good: it is kept, or its player is
// in the game and no longer expected to take back another one.
func (c *session) isSettled() bool {
	return !c.dropping && (c.isHeld() ||
		c.state == stateInGame && (c.timeoutCode != 0 || c.server.now.Sub(c.enteredAt) > reclaimTime))
}

// isTimingOut reports whether the seat may be given to another player.
func (c *session) isTimingOut(now conn.Time) bool {
	return c.state == stateInGame && !c.dropping && (c.isHeld() || now.Sub(c.conn.LastReceived()) > silentAfter)
}

// OnTimeoutCode implements bridge.ClientMessageHandler. Some clients send the code together
// with the last step of the login.
func (c *session) OnTimeoutCode(code string) {
	s := c.server
	switch {
	case c.state < stateEntering:
		s.countDrop(dropState)
	case s.settings.TimeoutProtection == 0 || len(code) < minTimeoutCode || c.timeoutCode != 0:
		s.countDrop(dropUnwanted)
	default:
		c.timeoutCode = cmp.Or(s.addrHashKey.sum([]byte(code)), 1)
		c.reclaimSeat()
	}
}

// reclaimSeat gives a player in the game the seat of the player who has timed out and has
// the same code, if there is one.
func (c *session) reclaimSeat() {
	s := c.server
	if c.state != stateInGame || c.timeoutCode == 0 {
		return
	}
	for _, old := range s.sessions {
		if old != nil && old != c && old.timeoutCode == c.timeoutCode && old.isTimingOut(s.now) {
			s.giveBackSeat(c, old)
			return
		}
	}
}

// connectionLost ends the session of a peer whose connection has ended, as when a page in a browser
// is closed. It counts as a timeout.
func (s *Server) connectionLost(now conn.Time, peer transport.Peer) {
	if c := s.sessionByPeer[peer]; c != nil && !c.dropping && !s.keepSeat(now, c, conn.ReasonTimeout) {
		c.drop("Connection lost")
	}
}

// keepSeat keeps the seat of a player whose connection has ended for a reason, if that is a
// timeout. It returns false if the player has sent no code, or is back already.
func (s *Server) keepSeat(now conn.Time, c *session, reason string) bool {
	if c.timeoutCode == 0 || s.settings.TimeoutProtection == 0 || c.state != stateInGame || c.dropping ||
		reason != conn.ReasonTimeout && reason != conn.ReasonNotAcked {
		return false
	}
	for _, o := range s.sessions {
		if o != nil && o != c && o.timeoutCode == c.timeoutCode {
			return false
		}
	}
	s.hold(now, c)
	s.queueCommand(game.Command{
		Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll,
		Text: fmt.Sprintf("'%s' has timed out and may come back", s.playerName(c.id)),
	})
	s.print(console.Info, "server",
		fmt.Sprintf("client timed out, its seat is kept for %d seconds. cid=%d addr=%s", s.settings.TimeoutProtection, c.id, c.peer))
	return true
}

// hold ends the connection of a session and keeps its seat. The tee stands still, under the bubble
// of a player who types.
func (s *Server) hold(now conn.Time, c *session) {
	c.conn.Close(now, conn.ReasonTimeout)
	delete(s.sessionByPeer, c.peer)
	c.heldUntil = now.Add(time.Duration(s.settings.TimeoutProtection) * time.Second)
	if c.rcon.authed {
		c.logout(console.Operator, "")
	}
	c.inputs.reset()
	c.snapshots.reset()
	s.queueCommand(game.Command{Kind: game.CmdDirectInput, Player: c.id, Target: game.Nobody, Input: game.Input{Flags: game.PlayerFlagChatting}})
	s.votes.Recount()
}

// giveBackSeat gives a player the seat of an old session, and ends that session. The player's
// current seat is freed.
func (s *Server) giveBackSeat(c, old *session) {
	if !old.isHeld() {
		s.hold(s.now, old)
	}
	s.votes.Left(c.id)
	plays := s.teamOf(c.id) != game.TeamSpectators
	c.sayFarewell("Timeout protection used")
	s.leaveWorld(c, "Timeout protection used")
	c.whisperPartner = old.whisperPartner
	s.print(console.Info, "server", fmt.Sprintf("client is back after a timeout. cid=%d addr=%s before=%d", old.id, c.peer, c.id))
	s.swapSeats(c, old)
	c.bridge.SendClientInfo(s.world, c.id, true, true)
	c.bridge.SendTuning(s.world, c.id)
	if plays && s.teamOf(c.id) == game.TeamSpectators && old.leftTeam != game.TeamSpectators {
		s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: c.id, Target: game.Nobody, Team: old.leftTeam})
	}
	s.restoreAdmin(c)
}

// swapSeats gives a session the seat of an old one, and ends the old one.
func (s *Server) swapSeats(c, old *session) {
	s.votes.SwapSeats(c.id, old.id)
	c.id, old.id = old.id, c.id
	s.sessions[c.id], s.sessions[old.id] = c, nil
	s.sessionPool[c.id], s.sessionPool[old.id] = c, old
}

// releaseExcessSeats ends kept seats beyond the limits, and keeps a player slot free for
// spectators. Without a free slot, their clients do not let them ask to join.
func (s *Server) releaseExcessSeats() {
	if s.numHeld() == 0 {
		return
	}
	for held := s.excessSeat(int(s.rules.MaxClients), (*session).isSettled); held != nil; held = s.excessSeat(int(s.rules.MaxClients), (*session).isSettled) {
		held.drop(conn.ReasonTimeout)
	}
	for _, c := range s.sessions {
		if c != nil && c.state == stateInGame && c.isConnected() && s.teamOf(c.id) == game.TeamSpectators {
			s.freePlayerSlots(int(s.rules.PlayerSlots)-1, nil)
			return
		}
	}
}

// freePlayerSlots makes kept seats leave the game until at most a number of player slots
// are taken, and no more than the limits of their person and network allow. That of a
// newcomer, who may be nil, counts as taken.
func (s *Server) freePlayerSlots(most int, newcomer *session) {
	if s.hasResumed() {
		return
	}
	plays := func(c *session) bool {
		if c.dropping || c.state < stateReady || s.seats.givingWay.Has(c.id) {
			return false
		}
		p, joined := s.world.Player(c.id)
		return c == newcomer || !joined || p.Team != game.TeamSpectators
	}
	for held := s.excessSeat(most, plays); held != nil; held = s.excessSeat(most, plays) {
		held.leftTeam = s.teamOf(held.id)
		s.seats.givingWay.Add(held.id)
		s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: held.id, Target: game.Nobody, Team: game.TeamSpectators})
	}
}

// excessSeat returns the oldest kept seat that has to give way, or nil. A seat has to if there are
// more than most sessions, or too many from its person or network. Only sessions for which counts
// returns true count.
func (s *Server) excessSeat(most int, counts func(*session) bool) (oldest *session) {
	total := 0
	for _, c := range s.sessions {
		if c != nil && counts(c) {
			total++
		}
	}
	for _, c := range s.sessions {
		if c == nil || !c.isHeld() || !counts(c) || oldest != nil && oldest.heldUntil <= c.heldUntil {
			continue
		}
		addr := c.peer.Addr()
		samePerson, sameSite := s.countNear(addr, counts)
		if total > most || s.access.Arrivals.Crowded(addr, samePerson, sameSite) != "" {
			oldest = c
		}
	}
	return oldest
}

// restoreAdmin tells the world that the new client in a seat is logged in.
func (s *Server) restoreAdmin(c *session) {
	if c.rcon.authed {
		s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody, Value: int32(game.PlayerFlagAdmin)})
	}
}
