package server

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
)

// Players can show text to other players in the chat, with chat commands, in reasons of votes, and
// by names and clans. mayShow decides about most of it, and mutedFor about two cases: clients
// repeat requests for a name, and votes have a text of their own. A test tries all ways
// (TestMutedPlayersShowNothing).

// startSpeech begins the time in which a new player may not write yet.
func (c *session) startSpeech(now conn.Time) {
	delay := c.server.chat.Limits.InitialDelay()
	if delay > 0 && c.server.anyInGameBefore(now.Add(-10*time.Second)) {
		c.speech.MayFrom = now.Add(delay)
	}
}

// mutedFor returns the seconds, rounded up, for which a player may show no text, and the reason, if
// any.
func (c *session) mutedFor() (seconds int, reason string) {
	s := c.server
	until := c.speech.MayFrom
	if m := s.access.Mutes.Find(s.now, c.peer.Addr()); m != nil && m.Until > until {
		until, reason = m.Until, m.Reason
	}
	return secondsUntil(s.now, until), reason
}

// secondsUntil returns the time until then, rounded up.
func secondsUntil(now, then conn.Time) int {
	return int(max(then.Sub(now)+time.Second-1, 0) / time.Second)
}

// mayShow reports whether a player may show a text to other players, and counts it. It tells
// players who are muted, also if this text mutes them.
func (c *session) mayShow() bool {
	s, limits := c.server, &c.server.chat.Limits
	now := s.clock.tick + 1 // of the world when it gets the text
	if c.speech.TooSoon(limits, now, s.rules.SpamProtection) || c.tellMuted() {
		return false
	}
	if !c.speech.TooMuch(limits, now) {
		return true
	}
	m := s.access.Mutes.Add(s.now, access.NewMute(s.now, c.peer.Addr(), s.playerName(c.id), limits.MuteSeconds(), ""))
	s.print(console.Standard, "mutes", m.Describe(s.now))
	s.sayToAll(m.Announcement(limits.MuteSeconds()))
	return false
}

// tellMuted reports whether a player is muted, and tells them.
func (c *session) tellMuted() bool {
	left, reason := c.mutedFor()
	if left == 0 {
		return false
	}
	text := fmt.Sprintf("You are not permitted to talk for the next %d seconds.", left)
	if reason != "" && !c.server.asDDNet() { // where all were told why
		text += " (" + reason + ")"
	}
	c.reply(text)
	return true
}

// mayRename reports whether a player who is not muted wants another name. It tells muted players
// now and then, since clients repeat the request.
func (c *session) mayRename() bool {
	if muted, _ := c.mutedFor(); muted == 0 {
		return true
	}
	if c.speech.TellName(c.server.clock.tick+1, max(int(c.server.rules.InfoChangeDelay), 1)) {
		c.tellMuted()
	}
	return false
}

// maySay is mayShow for a line of the chat. The world has limits for lines, too. maySay sets how
// long the line may be.
func (c *session) maySay(line *game.Command) bool {
	if c.server.asDDNet() || c.isOfDDNet() {
		line.Value = game.LongLine
	}
	return c.server.world.TakesChat(line) && c.mayShow()
}

// asDDNet reports whether players expect the behaviour of DDNet-Server.
func (s *Server) asDDNet() bool { return s.cfg.DDNet || s.world != nil && s.world.IsDDRace() }

// isOfDDNet reports whether the client is one of DDNet.
func (c *session) isOfDDNet() bool {
	return c.ddnetClient != nil || !c.server.isSeven(c) && c.clientVersion > 0
}

// queueRequest adds a client's command to the next tick. The rate limits of clients bound the
// number of requests; maxRequestsPerTick is a safeguard. It does not limit the server's own
// commands, such as CmdLeave.
func (s *Server) queueRequest(cmd game.Command) {
	if cmd.Kind == game.CmdSay {
		if c := s.sessions[cmd.Player]; c != nil && !c.maySay(&cmd) {
			return
		}
	}
	if len(s.pendingCommands) >= maxRequestsPerTick {
		s.countDrop(dropCommands)
		return
	}
	s.queueCommand(cmd)
}

// maxRequestsPerTick is the largest burst that the rate limits allow all players.
const maxRequestsPerTick = game.MaxPlayers * 192
