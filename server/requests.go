package server

import (
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// OnInput implements bridge.ClientMessageHandler. An input acknowledges a snapshot, takes
// effect at once in part, and fully in the tick that it is for.
func (c *session) OnInput(in *bridge.InputMessage) {
	s := c.server
	if !c.limits.input.Take(int64(c.server.now), inputRate, 1) {
		s.countDrop(dropFlood)
		return
	}
	c.ackSnapshot(c.server.now, in)
	if c.state != stateInGame {
		return
	}
	tick := in.IntendedTick
	// After a stall, the original sends this message with the time of the stall. Clients of 0.7.5
	// then move their clocks ahead and send nothing for seconds.
	if tick > c.lastInputTick && !s.clock.waited(s.now, tick) {
		left := s.clock.tickStart(tick).Sub(c.server.now) / time.Millisecond
		c.bridge.SendInputTiming(tick, int32(min(max(left, minTimeLeft), maxTimeLeft)))
	}
	c.lastInputTick = tick

	c.inputs.add(max(tick, s.clock.tick+1), in.Input, in.Valid)
	if !in.Valid {
		s.countDrop(dropInput)
		return
	}
	c.playerFlags = in.Input.Flags
	c.forwardInput(max(tick, s.clock.tick+1), &in.Input)
	s.queueRequest(game.Command{Kind: game.CmdDirectInput, Player: c.id, Target: game.Nobody, Input: in.Input})
}

// maxForwardTicks is the number of ticks that a forwarded input may be ahead.
const maxForwardTicks = 4 * game.TickRate

// forwardInput sends a client's input to the clients that predict with it, if anything but the aim
// changed. As with DDNet, the aim alone would cost too many messages.
func (c *session) forwardInput(tick int32, in *game.Input) {
	s, f := c.server, &c.forwarded
	now := s.clock.tick
	if s.settings.PreInput == 0 || tick > now+maxForwardTicks {
		return
	}
	if f.tick != now {
		f.tick, f.count = now, 0
	}
	keys := *in
	keys.TargetX, keys.TargetY, keys.Flags = 0, 0, 0
	if keys == f.keys || s.settings.MaxPreInputs != 0 && f.count >= s.settings.MaxPreInputs {
		return
	}
	f.keys = keys
	f.count++
	for _, o := range s.sessions {
		if o != nil && o != c && o.state == stateInGame && !o.isHeld() && !o.dropping && o.bridge.SendOtherInput(c.id, tick, in) {
			o.conn.Flush(s.now)
		}
	}
}

// The bounds of the time in an INPUTTIMING message, in ms.
const (
	minTimeLeft = -10_000
	maxTimeLeft = 10_000
)

// canRequest reports whether the client may send a request to the game now: it must be in the game,
// within its rate limit, and not an unannounced newcomer.
func (c *session) canRequest() bool {
	if c.state != stateInGame {
		c.server.countDrop(dropState)
		return false
	}
	if !c.announced && c.isNewcomer() || !c.limits.request.Take(int64(c.server.now), requestRate, 1) {
		c.server.countDrop(dropFlood)
		return false
	}
	return true
}

// OnCommand implements bridge.ClientMessageHandler.
func (c *session) OnCommand(cmd game.Command) {
	if !c.canRequest() {
		return
	}
	if cmd.Kind == game.CmdSay && cmd.Chat != game.ChatWhisper {
		// A client whose code comes here cannot become another player.
		if _, isCode := bridge.ParseTimeoutCode(cmd.Text); isCode || strings.HasPrefix(cmd.Text, "/") && c.server.chat.Run(c.id, cmd.Text) {
			return
		}
	}
	if cmd.Kind == game.CmdProfile && !c.changeProfile(&cmd) {
		return
	}
	cmd.Player = c.id
	c.server.queueRequest(cmd)
}

// OnRconAuth implements bridge.ClientMessageHandler.
func (c *session) OnRconAuth(name, password string) {
	if !c.limits.auth.Take(int64(c.server.now), authRate, 1) {
		c.server.countDrop(dropFlood)
		if c.limits.authNotice.Take(int64(c.server.now), authNoticeRate, 1) {
			c.sendRconLine("Too many passwords at once, wait a moment.")
		}
		return
	}
	c.login(name, password)
}

// OnRconCmd implements bridge.ClientMessageHandler.
func (c *session) OnRconCmd(line string) {
	if !c.limits.rcon.Take(int64(c.server.now), rconRate, 1) {
		c.skipRcon(line)
		return
	}
	c.runRcon(line)
}

// OnCallVote implements bridge.ClientMessageHandler. The lines of a mod's menu look like options.
func (c *session) OnCallVote(kind event.VoteKind, value, reason string, force bool) {
	if !c.canRequest() {
		return
	}
	s := c.server
	if lines, _ := s.world.MenuLines(c.id); kind == event.VoteOption && slices.Contains(lines, value) {
		s.queueRequest(game.ChooseLine(c.id, value))
		return
	}
	s.votes.Call(c.id, kind, value, reason, force)
}

// OnVote implements bridge.ClientMessageHandler.
func (c *session) OnVote(choice int32) {
	if c.canRequest() {
		c.server.votes.Cast(c.id, choice)
	}
}

// OnChatCommand implements bridge.ClientMessageHandler.
func (c *session) OnChatCommand(name, args string) {
	text := "/" + name
	if args != "" {
		text += " " + args
	}
	c.OnCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}
