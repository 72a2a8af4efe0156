package server

import (
	"cmp"
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
)

// OnLogin implements bridge.ClientMessageHandler.
func (c *session) OnLogin(h bridge.Login) {
	if c.state != stateAuth {
		return
	}
	if !h.VersionOK {
		c.drop("Wrong version. Server is running '" + c.version.NetVersion() + "' and client '" + printableText([]byte(h.NetVersion), 64) + "'")
		return
	}
	if !c.checkPassword(h.Password) {
		return
	}
	c.clientVersion, c.ddnetClient = h.ClientVersion, h.DDNet
	c.setState(stateConnecting)
	c.sendMapChange()
}

// OnDDNetVersion implements bridge.ClientMessageHandler.
func (c *session) OnDDNetVersion(version int32) {
	c.clientVersion = version
	c.server.record.DDNetVersion(c.id, version)
}

// checkPassword reports whether a password is the game's, and drops the client if not.
func (c *session) checkPassword(given string) bool {
	s := c.server
	refusal := s.access.Guesses.TryGame(s.now, c.peer.Addr(), c.addrProven, given)
	if refusal == access.TooManyGuesses {
		s.countDrop(dropFlood)
	}
	if refusal != "" {
		c.drop(refusal)
	}
	return refusal == ""
}

// sendMapChange sends which map is played. A client that cannot read it is dropped.
func (c *session) sendMapChange() {
	m, err := c.server.maps.Played().For(c.version)
	if err != nil {
		c.drop("This map cannot be read by your version of the game")
		return
	}
	c.download.Announce(m)
	announced := c.server.maps.Announced(m)
	if c.server.access.Logins.ExpectNames() {
		c.bridge.SendRconType(true)
	}
	c.bridge.SendMapChange(&announced)
	c.conn.Flush(c.server.now)
	c.mapsAnnounced++
	c.vitalsAtMapChange = c.vitalsQueued
}

// hasAckedMapChange reports whether the client has acknowledged the last MAP_CHANGE. A
// REQUEST_MAP_DATA or READY before that is about the previous map, and would leave the
// client waiting forever if it were taken for the new one.
func (c *session) hasAckedMapChange() bool {
	unacked, _ := c.conn.Unacked()
	return int32(c.vitalsQueued-uint32(unacked)-c.vitalsAtMapChange) >= 0
}

// OnRequestMapData implements bridge.ClientMessageHandler. Some clients ask for the map
// when they are ready, or in the game.
func (c *session) OnRequestMapData(chunk int) {
	if c.state >= stateConnecting && c.hasAckedMapChange() {
		c.requestMap(chunk)
	}
}

// OnReady implements bridge.ClientMessageHandler. A client may be ready before it has
// been told of the map; see earlySteps.
func (c *session) OnReady() {
	if c.state != stateConnecting || c.mapsAnnounced > 1 && !c.hasAckedMapChange() {
		return
	}
	if c.server.seats.leaving.Has(c.id) {
		// The client reconnected within this tick, and the world does not know yet that
		// it left. See releaseSeats.
		c.early.ready = true
		return
	}
	s := c.server
	c.setState(stateReady)
	c.conn.LimitRate(0)
	if c.mayBeBack = s.findResumed(c) != nil; !c.mayBeBack {
		s.joinWorld(c)
	}
	if c.mayAnnounce() {
		s.print(console.Info, "server",
			fmt.Sprintf("player is ready. ClientID=%d addr=%s%s", c.id, c.peer, s.logs.InDDNet(" secure=%s", yesOrNo(c.addrProven))))
	}
	s.votes.Greet(c.id)
	c.bridge.SendMotd(s.settings.Motd)
	c.bridge.SendSettings(s.world)
	c.bridge.SendConReady()
	c.conn.Flush(c.server.now)
}

// joinWorld gives a client a player in the world.
func (s *Server) joinWorld(c *session) {
	if !c.wasSpectator && s.rules.TournamentMode == 0 {
		s.freePlayerSlots(int(s.rules.PlayerSlots), c)
	}
	s.queueCommand(game.Command{
		Kind: game.CmdJoin, Player: c.id, Target: game.Nobody,
		AsSpectator: c.wasSpectator, AddrHash: s.addrHashKey.ofPerson(c.person()),
	})
	s.restoreAdmin(c)
}

// takeEarlySteps takes the steps that had to wait for the seat.
func (c *session) takeEarlySteps() {
	early := c.early
	c.early = earlySteps{}
	if !early.ready {
		return
	}
	c.OnReady()
	if early.profile != nil {
		c.OnProfile(early.profile)
	}
	if early.enter {
		c.OnEnterGame()
	}
}

// OnProfile implements bridge.ClientMessageHandler.
func (c *session) OnProfile(p *game.Profile) {
	if c.early.ready {
		c.early.profile = p
		return
	}
	if c.state != stateReady || c.hasProfile {
		return
	}
	s := c.server
	cleanProfile(p)
	if muted, _ := c.mutedFor(); muted > 0 && c.name != "" { // the map has changed
		p.Name, p.Clan = c.name, c.clan
	}
	c.name, c.clan = cmp.Or(p.Name, namelessName), p.Clan
	if b := s.access.Names.Find(c.name); b != nil {
		c.drop(b.Message())
		return
	}
	c.setState(stateReady)
	c.hasProfile, c.canEnter = true, true
	waited := c.mayBeBack
	c.mayBeBack = false
	if !waited || !s.takeResumedSeat(c) {
		if waited {
			s.joinWorld(c)
		}
		p.Name = s.freeName(c.id, p.Name)
		s.queueCommand(game.Command{Kind: game.CmdProfile, Player: c.id, Target: game.Nobody, Profile: p})
	}
	s.votes.Offer(c.id, nil)
	c.bridge.SendTuning(s.world, c.id)
	c.bridge.SendReadyToEnter()
	c.conn.Flush(c.server.now)
}

// OnEnterGame implements bridge.ClientMessageHandler.
func (c *session) OnEnterGame() {
	if c.early.profile != nil {
		c.early.enter = true
		return
	}
	if c.state != stateReady || !c.canEnter {
		return
	}
	c.setState(stateEntering)
	if s := c.server; c.back {
		s.enterClient(s.now, &game.Event{Kind: game.EvPlayerEntered, To: game.MaskAll, Player: c.id, Team: s.teamOf(c.id), Flag: true})
	} else {
		s.queueCommand(game.Command{Kind: game.CmdEnterGame, Player: c.id, Target: game.Nobody})
	}
}

// releaseSeats makes the seats available again of those who left the world in a tick,
// and goes on with clients that waited for it.
func (s *Server) releaseSeats() {
	if s.seats.leaving.IsEmpty() {
		return
	}
	s.seats.leaving = game.PlayerMask{}
	for _, c := range s.sessions {
		if c != nil && !c.dropping {
			c.takeEarlySteps()
		}
	}
}
