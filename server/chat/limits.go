package chat

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Limits are the variables that limit the text of players. Delays are in seconds.
type Limits struct{ delay, initialDelay, penalty, threshold, muteSeconds int }

// Register adds the variables to a console. With ddnet, they have the defaults of DDNet-Server.
func (l *Limits) Register(c *console.Console, ddnet bool) error {
	mutes := 0
	if ddnet {
		mutes = 60
	}
	for _, v := range []console.IntVar{
		{Name: "sv_chat_delay", Help: "Seconds between two chat lines of a player, at least 1 (needs sv_spamprotection)",
			Value: &l.delay, Default: 1, Max: 9999},
		{Name: "sv_chat_initial_delay", Help: "Seconds until a player who joins others may chat", Value: &l.initialDelay, Max: 360},
		{Name: "sv_chat_penalty", Help: "Points for each chat line; each tick (1/50 s) removes one", Value: &l.penalty, Default: 250, Min: 50, Max: 1000},
		{Name: "sv_chat_threshold", Help: "Points above which a player is muted for sv_spam_mute_duration seconds",
			Value: &l.threshold, Default: 1000, Min: 50, Max: 10000},
		{Name: "sv_spam_mute_duration", Help: "Seconds that players who write too much are muted (0 = no mute)",
			Value: &l.muteSeconds, Default: mutes, Max: 3600},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// MuteSeconds returns how long players who write too much are muted.
func (l *Limits) MuteSeconds() int { return l.muteSeconds }

// InitialDelay returns how long a player who joins others may not write.
func (l *Limits) InitialDelay() time.Duration { return time.Duration(l.initialDelay) * time.Second }

// Speech counts the texts of a player. Ticks are ticks of the world, 0 for never.
type Speech struct {
	// MayFrom is the time from which the player may write.
	MayFrom conn.Time

	last   int32 // of the last text
	score  int32 // the penalty of each text, and one less with each tick; as it was in scored
	scored int32
	// toldName is the tick in which the player was told that they may have no other name now.
	toldName int32
}

// NewMap begins to count on another map, whose ticks begin at 0.
func (p *Speech) NewMap() { *p = Speech{MayFrom: p.MayFrom} }

// TooSoon reports whether a text in a tick follows the last one too soon. Otherwise it is the last.
func (p *Speech) TooSoon(l *Limits, tick int32, protected bool) bool {
	if protected && p.last != 0 && int(tick) < int(p.last)+game.TickRate*l.delay {
		return true
	}
	p.last = tick
	return false
}

// TooMuch counts a text in a tick, and reports whether the player is to be muted.
func (p *Speech) TooMuch(l *Limits, tick int32) bool {
	if l.muteSeconds == 0 {
		return false
	}
	p.score = max(p.score-(tick-p.scored), 0) + int32(l.penalty)
	p.scored = tick
	if int(p.score) <= l.threshold {
		return false
	}
	p.score = 0
	return true
}

// TellName reports whether the player is to be told again that they may have no other name now.
// Clients repeat the request. Delay is in seconds.
func (p *Speech) TellName(tick int32, delay int) bool {
	if p.toldName != 0 && int(tick) < int(p.toldName)+game.TickRate*delay {
		return false
	}
	p.toldName = tick
	return true
}
