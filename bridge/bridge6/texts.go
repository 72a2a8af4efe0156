package bridge6

import (
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// What 0.7 clients put into words themselves, 0.6 servers write into the chat, in
// words that players and their tools know.

// side is what a team is called, after "the".
func side(t game.Team, f game.GameFlags) string {
	switch {
	case t == game.TeamSpectators:
		return "spectators"
	case f&game.GameFlagTeams == 0:
		return "game"
	case t == game.TeamBlue:
		return "blue team"
	}
	return "red team"
}

func entered(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' entered and joined the " + side(t, f)
}

func joined(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' joined the " + side(t, f)
}

func left(name, reason string) string {
	if reason == "" {
		return "'" + name + "' has left the game"
	}
	return "'" + name + "' has left the game (" + reason + ")"
}

// captured tells of a flag that was carried for some ticks. The time is not worth
// mentioning above a minute.
func captured(flag game.Team, by string, ticks int32) string {
	color := "red"
	if flag == game.TeamBlue {
		color = "blue"
	}
	text := "The " + color + " flag was captured by '" + by + "'"
	if ticks < 0 || ticks > 60*game.TickRate {
		return text
	}
	return fmt.Sprintf("%s (%d.%02d seconds)", text, ticks/game.TickRate, ticks%game.TickRate*100/game.TickRate)
}

// called tells who wants what, or without time left what an operator had done at
// once; "" if nobody is to be told.
func called(v *bridge.Vote, caller string) string {
	forced := v.Timeout <= 0
	if !forced && v.Caller < 0 {
		return ""
	}
	switch v.Kind {
	case bridge.VoteOption:
		if forced {
			return "admin forced server option '" + v.Description + "' (" + v.Reason + ")"
		}
		return "'" + caller + "' called vote to change server option '" + v.Description + "' (" + v.Reason + ")"
	case bridge.VoteKick:
		if !forced {
			return "'" + caller + "' called for vote to kick '" + v.Description + "' (" + v.Reason + ")"
		}
	case bridge.VoteSpectate:
		if forced {
			return "admin moved '" + v.Description + "' to spectator (" + v.Reason + ")"
		}
		return "'" + caller + "' called for vote to move '" + v.Description + "' to spectators (" + v.Reason + ")"
	}
	return ""
}

// votedOn is what is asked while a vote runs.
func votedOn(v *bridge.Vote) string {
	switch v.Kind {
	case bridge.VoteKick:
		return "Kick '" + v.Description + "'"
	case bridge.VoteSpectate:
		return "move '" + v.Description + "' to spectators"
	}
	return v.Description
}

// ended tells how a vote ended; "" if none did. An operator may have decided it.
func ended(v *bridge.Vote) string {
	switch v.Kind {
	case bridge.VoteAborted:
		return "Vote aborted"
	case bridge.VotePassed:
		if v.Caller < 0 {
			return "admin forced vote yes"
		}
		return "Vote passed"
	case bridge.VoteFailed:
		if v.Caller < 0 {
			return "admin forced vote no"
		}
		return "Vote failed"
	}
	return ""
}

// What the server answers to what cannot be done.
const (
	textLocked     = "Teams are locked"
	textNoName     = "No player with name \"%s\" found"
	textBadWhisper = "Invalid whisper"
	textNoPartner  = "You do not have an ongoing conversation. Whisper to someone to start one"
	textNameStays  = "Name, clan and country cannot be changed while you are in the game; connect again"
)

// waiting tells for how many ticks a player cannot change teams.
func waiting(ticks int32) string {
	s := ticks / game.TickRate
	return fmt.Sprintf("Time to wait before changing team: %02d:%02d", s/60, s%60)
}

// full tells that all slots are taken.
func full(slots int32) string { return fmt.Sprintf("Only %d active players are allowed", slots) }
