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

// OnHello implements bridge.Requests.
func (c *session) OnHello(h bridge.Hello) {
	if c.state != stateAuth {
		return
	}
	if !h.Fits {
		c.drop("Wrong version. Server is running '" + c.dialect.Speaks() + "' and client '" + text([]byte(h.Wants), 64) + "'")
		return
	}
	if want := c.srv.settings.Password; want != "" && want != h.Password {
		c.drop("Wrong password")
		return
	}
	c.version = h.Client
	c.advance(stateConnecting)
	c.sendMapChange()
}

// sendMapChange tells which map is played; a client that cannot read it has to go.
func (c *session) sendMapChange() {
	m, err := c.srv.gameMap.For(c.dialect)
	if err != nil {
		c.drop("This map cannot be read by your version of the game")
		return
	}
	c.download.file = m
	told := *m
	if base := c.srv.settings.MapsBaseURL; base != "" {
		told.URL = fmt.Sprintf("%s/%s_%x.map", strings.TrimSuffix(base, "/"), url.PathEscape(m.Name), m.SHA256)
	}
	c.host.MapChange(&told)
	c.conn.Flush(c.now)
	c.mapVital = c.vitals
}

// knowsMap tells whether the client has acknowledged the map it was told of
// last. A request or a READY that comes before is about the map before, and
// taking it for the new one would leave the client waiting for ever.
func (c *session) knowsMap() bool {
	unacked, _ := c.conn.Pending()
	return int32(c.vitals-uint32(unacked)-c.mapVital) >= 0
}

// OnMapRequest implements bridge.Requests.
func (c *session) OnMapRequest(chunk int) {
	if c.state == stateConnecting && c.knowsMap() {
		c.requestMap(chunk)
	}
}

// OnReady implements bridge.Requests.
func (c *session) OnReady() {
	if c.state != stateConnecting || !c.knowsMap() {
		return
	}
	s := c.srv
	if s.leaving.Has(c.id) {
		// It has begun anew in this tick. Until the world knows that its old self
		// left, others could take what becomes of the two for the same.
		c.readyLater = true
		return
	}
	c.advance(stateReady)
	s.command(game.Command{
		Kind: game.CmdJoin, Player: c.id, Target: game.Nobody,
		Flag: c.spectator, Origin: s.origin(c.peer),
	})
	if c.rcon.authed {
		s.command(game.Command{Kind: game.CmdFlags, Player: c.id, Target: game.Nobody, Value: int32(game.FlagAdmin)})
	}
	s.print(console.Info, "server", "player is ready. ClientID="+itoa(c.id)+" addr="+c.peer.String())
	c.tellVote()
	c.host.Motd(s.settings.Motd)
	c.host.Settings(s.world)
	c.host.ConReady()
	c.conn.Flush(c.now)
}

// OnProfile implements bridge.Requests.
func (c *session) OnProfile(p *game.Profile) {
	if c.state != stateReady || c.profiled {
		return
	}
	s := c.srv
	p.Name = strings.TrimSpace(p.Name)
	if p.Name == "" {
		p.Name = "(1)"
	}
	c.name = p.Name
	c.advance(stateReady)
	c.profiled, c.mayEnter = true, true
	s.command(game.Command{Kind: game.CmdProfile, Player: c.id, Target: game.Nobody, Profile: p})
	c.host.VoteClear()
	c.host.VoteOptions(s.votes.texts())
	c.host.Tuning(s.world)
	c.host.ReadyToEnter()
	c.conn.Flush(c.now)
}

// OnEnter implements bridge.Requests.
func (c *session) OnEnter() {
	if c.state != stateReady || !c.mayEnter {
		return
	}
	c.advance(stateEntering)
	c.srv.command(game.Command{Kind: game.CmdEnter, Player: c.id, Target: game.Nobody})
}

// OnInput implements bridge.Requests. An input brings the acknowledged snapshot,
// what to do at once, and what to do in the tick it is meant for.
func (c *session) OnInput(in *bridge.Input) {
	s := c.srv
	if !c.allowed.input.take(c.now, inputRate) {
		s.count(dropFlood)
		return
	}
	c.ack(c.now, in)
	if c.state != stateInGame {
		return
	}
	tick := in.Tick
	if tick > c.lastInput {
		left := s.clock.begins(tick).Sub(c.now) / time.Millisecond
		c.host.InputTiming(tick, int32(min(max(left, minTimeLeft), maxTimeLeft)))
	}
	c.lastInput = tick

	c.inputs.add(max(tick, s.clock.tick+1), in.Do, in.Valid)
	if !in.Valid {
		s.count(dropInput)
		return
	}
	c.flags = in.Do.Flags
	s.request(game.Command{Kind: game.CmdDirect, Player: c.id, Target: game.Nobody, Input: in.Do})
}

// INPUTTIMING's bounds in ms: a tick far off is as good as another.
const (
	minTimeLeft = -10_000
	maxTimeLeft = 10_000
)

// mayAsk tells whether the client may ask something of the world now, which is
// in the game and not too often.
func (c *session) mayAsk() bool {
	if c.state != stateInGame {
		c.srv.count(dropState)
		return false
	}
	if !c.allowed.request.take(c.now, requestRate) {
		c.srv.count(dropFlood)
		return false
	}
	return true
}

// OnCommand implements bridge.Requests.
func (c *session) OnCommand(cmd game.Command) {
	if c.mayAsk() {
		cmd.Player = c.id
		c.srv.request(cmd)
	}
}

// unwanted is for requests that nobody listens to yet.
func (c *session) unwanted() {
	if c.mayAsk() {
		c.srv.count(dropUnwanted)
	}
}

// OnChatCommand implements bridge.Requests.
func (c *session) OnChatCommand(_, _ string) { c.unwanted() }

// OnLogin implements bridge.Requests.
func (c *session) OnLogin(_, password string) {
	if !c.allowed.auth.take(c.now, authRate) {
		c.srv.count(dropFlood)
		return
	}
	c.login(password)
}

// OnRcon implements bridge.Requests.
func (c *session) OnRcon(line string) {
	if !c.allowed.rcon.take(c.now, rconRate) {
		c.srv.count(dropFlood)
		return
	}
	c.runRcon(line)
}
