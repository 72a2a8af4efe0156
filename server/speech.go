package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
)

// Players show others text of their own in the chat, with chat commands and reasons of votes, and
// by their names and clans. mayShow decides about most of it, and mutedFor about two cases: clients
// repeat requests for a name, and votes have a text of their own. A test tries all ways
// (TestMutedPlayersShowNothing).

// speech is the limits of text of a session. Ticks are ticks of the world, 0 for never.
type speech struct {
	last    int32 // of the last text
	score   int32 // sv_chat_penalty for each text, and one less with each tick; as it was in scored
	scored  int32
	mayFrom conn.Time // see sv_chat_initial_delay
	// toldName is the tick in which the player was told that they may have no other name now.
	toldName int32
}

// registerSpeech adds the variables of the limits of text.
func (s *Server) registerSpeech() error {
	mutes := 0
	if s.cfg.DDNet {
		mutes = 60
	}
	v := &s.speechLimits
	for _, v := range []console.IntVar{
		{Name: "sv_chat_delay", Help: "Seconds between two chat lines of a player, at least 1 (needs sv_spamprotection)", Value: &v.delay, Default: 1, Max: 9999},
		{Name: "sv_chat_initial_delay", Help: "Seconds until a player who joins others may chat", Value: &v.initialDelay, Max: 360},
		{Name: "sv_chat_penalty", Help: "Points for each chat line; each tick (1/50 s) removes one", Value: &v.penalty, Default: 250, Min: 50, Max: 1000},
		{Name: "sv_chat_threshold", Help: "Points above which a player is muted for sv_spam_mute_duration seconds", Value: &v.threshold, Default: 1000, Min: 50, Max: 10000},
		{Name: "sv_spam_mute_duration", Help: "Seconds that players who write too much are muted (0 = no mute)", Value: &v.muteSeconds, Default: mutes, Max: 3600},
	} {
		v.Flags = console.Server | console.Save
		if err := s.console.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// speechLimits are the variables of registerSpeech.
type speechLimits struct{ delay, initialDelay, penalty, threshold, muteSeconds int }

// startSpeech begins the time in which a player who joins others may not write yet.
func (c *session) startSpeech(now conn.Time) {
	delay := time.Duration(c.server.speechLimits.initialDelay) * time.Second
	if delay > 0 && c.server.anyInGameBefore(now.Add(-10*time.Second)) {
		c.speech.mayFrom = now.Add(delay)
	}
}

// mutedFor returns for how many seconds a player may show no text, rounded up, and the reason if
// there is one.
func (c *session) mutedFor() (seconds int, reason string) {
	s := c.server
	until := c.speech.mayFrom
	if m := s.access.Mutes.Find(s.now, c.peer.Addr()); m != nil && m.Until > until {
		until, reason = m.Until, m.Reason
	}
	return secondsUntil(s.now, until), reason
}

// secondsUntil returns the time until then, rounded up.
func secondsUntil(now, then conn.Time) int {
	return int(max(then.Sub(now)+time.Second-1, 0) / time.Second)
}

// mayShow reports whether a player may show others a text of their own, and counts it. Players who
// are muted, or are now, are told.
func (c *session) mayShow() bool {
	s, v, p := c.server, &c.server.speechLimits, &c.speech
	now := s.clock.tick + 1 // of the world when it gets the text
	if s.rules.SpamProtection && p.last != 0 && int(now) < int(p.last)+game.TickRate*v.delay {
		return false
	}
	p.last = now
	if c.tellMuted() {
		return false
	}
	if v.muteSeconds == 0 {
		return true
	}
	p.score = max(p.score-(now-p.scored), 0) + int32(v.penalty)
	p.scored = now
	if int(p.score) <= v.threshold {
		return true
	}
	p.score = 0
	m := s.access.Mutes.Add(s.now, access.NewMute(s.now, c.peer.Addr(), s.playerName(c.id), v.muteSeconds, ""))
	s.print(console.Standard, "mutes", m.Describe(s.now))
	s.sayToAll(m.Announcement(v.muteSeconds))
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

// mayRename reports whether a player who is not muted wants another name. Others are told now and
// then, since clients repeat the request.
func (c *session) mayRename() bool {
	if muted, _ := c.mutedFor(); muted == 0 {
		return true
	}
	now := c.server.clock.tick + 1
	if told := c.speech.toldName; told == 0 || int(now) >= int(told)+game.TickRate*max(int(c.server.rules.InfoChangeDelay), 1) {
		c.speech.toldName = now
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

// asDDNet reports whether players expect DDNet-Server.
func (s *Server) asDDNet() bool { return s.cfg.DDNet || s.world != nil && s.world.IsDDRace() }

// isOfDDNet reports whether the client is one of DDNet.
func (c *session) isOfDDNet() bool {
	return c.ddnetClient != nil || !c.server.isSeven(c) && c.clientVersion > 0
}

// hasText reports whether arguments of a command of the chat are more than numbers.
func hasText(args string) bool { return strings.Trim(args, "0123456789+-. ") != "" }
