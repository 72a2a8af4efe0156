package server

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// OnLogin implements bridge.ClientMessageHandler.
func (c *session) OnLogin(h bridge.Login) {
	if c.state != stateAuth {
		return
	}
	if !h.VersionOK {
		c.drop("Wrong version. Server is running '" + c.version.NetVersion() + "' and client '" + printable([]byte(h.NetVersion), 64) + "'")
		return
	}
	if want := c.server.settings.Password; want != "" && want != h.Password {
		c.drop("Wrong password")
		return
	}
	c.clientVersion = h.ClientVersion
	c.setState(stateConnecting)
	c.sendMapChange()
}

// sendMapChange tells which map is played; a client that cannot read it has to go.
func (c *session) sendMapChange() {
	m, err := c.server.gameMap.forVersion(c.version)
	if err != nil {
		c.drop("This map cannot be read by your version of the game")
		return
	}
	c.download.file = m
	told := *m
	if base := c.server.settings.MapsBaseURL; base != "" {
		told.URL = fmt.Sprintf("%s/%s_%x.map", strings.TrimSuffix(base, "/"), url.PathEscape(m.Name), m.SHA256)
	}
	c.host.SendMapChange(&told)
	c.conn.Flush(c.server.now)
	c.vitalsAtMapChange = c.vitalsQueued
}

// hasAckedMapChange tells whether the client has acknowledged the map it was told of
// last. A request or a READY that comes before is about the map before, and
// taking it for the new one would leave the client waiting for ever.
func (c *session) hasAckedMapChange() bool {
	unacked, _ := c.conn.Unacked()
	return int32(c.vitalsQueued-uint32(unacked)-c.vitalsAtMapChange) >= 0
}

// OnRequestMapData implements bridge.ClientMessageHandler.
func (c *session) OnRequestMapData(chunk int) {
	if c.state == stateConnecting && c.hasAckedMapChange() {
		c.requestMap(chunk)
	}
}

// OnReady implements bridge.ClientMessageHandler.
func (c *session) OnReady() {
	if c.state != stateConnecting || !c.hasAckedMapChange() {
		return
	}
	s := c.server
	if s.leavingSeats.Has(c.id) {
		// It has begun anew in this tick. Until the world knows that its old self
		// left, others could take what becomes of the two for the same.
		c.readyPending = true
		return
	}
	c.setState(stateReady)
	s.queueCommand(game.Command{
		Kind: game.CmdJoin, Player: c.id, Target: game.Nobody,
		AsSpectator: c.wasSpectator, AddrHash: s.addrHash(c.peer),
	})
	if c.rcon.authed {
		s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody, Value: int32(game.PlayerFlagAdmin)})
	}
	s.print(console.Info, "server", "player is ready. ClientID="+idString(c.id)+" addr="+c.peer.String())
	c.sendVote()
	c.host.SendMotd(s.settings.Motd)
	c.host.SendSettings(s.world)
	c.host.SendConReady()
	c.conn.Flush(c.server.now)
}

// OnProfile implements bridge.ClientMessageHandler.
func (c *session) OnProfile(p *game.Profile) {
	if c.state != stateReady || c.hasProfile {
		return
	}
	s := c.server
	p.Name = strings.TrimSpace(p.Name)
	if p.Name == "" {
		p.Name = "(1)"
	}
	c.name = p.Name
	c.setState(stateReady)
	c.hasProfile, c.canEnter = true, true
	s.queueCommand(game.Command{Kind: game.CmdProfile, Player: c.id, Target: game.Nobody, Profile: p})
	c.host.SendVoteOptionsCleared()
	c.host.SendVoteOptions(s.votes.optionTexts())
	c.host.SendTuning(s.world)
	c.host.SendReadyToEnter()
	c.conn.Flush(c.server.now)
}

// OnEnterGame implements bridge.ClientMessageHandler.
func (c *session) OnEnterGame() {
	if c.state != stateReady || !c.canEnter {
		return
	}
	c.setState(stateEntering)
	c.server.queueCommand(game.Command{Kind: game.CmdEnterGame, Player: c.id, Target: game.Nobody})
}

// OnInput implements bridge.ClientMessageHandler. An input brings the acknowledged snapshot,
// what to do at once, and what to do in the tick it is meant for.
func (c *session) OnInput(in *bridge.InputMessage) {
	s := c.server
	if !c.limits.input.Take(int64(c.server.now), inputRate, 1) {
		s.count(dropFlood)
		return
	}
	c.ackSnapshot(c.server.now, in)
	if c.state != stateInGame {
		return
	}
	tick := in.IntendedTick
	if tick > c.lastInputTick {
		left := s.clock.tickStart(tick).Sub(c.server.now) / time.Millisecond
		c.host.SendInputTiming(tick, int32(min(max(left, minTimeLeft), maxTimeLeft)))
	}
	c.lastInputTick = tick

	c.inputs.add(max(tick, s.clock.tick+1), in.Input, in.Valid)
	if !in.Valid {
		s.count(dropInput)
		return
	}
	c.playerFlags = in.Input.Flags
	s.queueRequest(game.Command{Kind: game.CmdDirectInput, Player: c.id, Target: game.Nobody, Input: in.Input})
}

// INPUTTIMING's bounds in ms: a tick far off is as good as another.
const (
	minTimeLeft = -10_000
	maxTimeLeft = 10_000
)

// canRequest tells whether the client may ask something of the world now, which is
// in the game and not too often.
func (c *session) canRequest() bool {
	if c.state != stateInGame {
		c.server.count(dropState)
		return false
	}
	if !c.limits.request.Take(int64(c.server.now), requestRate, 1) {
		c.server.count(dropFlood)
		return false
	}
	return true
}

// OnCommand implements bridge.ClientMessageHandler.
func (c *session) OnCommand(cmd game.Command) {
	if c.canRequest() {
		cmd.Player = c.id
		c.server.queueRequest(cmd)
	}
}

// countUnwanted is for requests that nobody listens to yet.
func (c *session) countUnwanted() {
	if c.canRequest() {
		c.server.count(dropUnwanted)
	}
}

// OnChatCommand implements bridge.ClientMessageHandler.
func (c *session) OnChatCommand(_, _ string) { c.countUnwanted() }

// OnRconAuth implements bridge.ClientMessageHandler.
func (c *session) OnRconAuth(_, password string) {
	if !c.limits.auth.Take(int64(c.server.now), authRate, 1) {
		c.server.count(dropFlood)
		return
	}
	c.login(password)
}

// OnRconCmd implements bridge.ClientMessageHandler.
func (c *session) OnRconCmd(line string) {
	if !c.limits.rcon.Take(int64(c.server.now), rconRate, 1) {
		c.server.count(dropFlood)
		return
	}
	c.runRcon(line)
}
