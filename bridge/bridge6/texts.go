package bridge6

import (
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// Clients of 0.7 contain these texts. To clients of 0.6, servers send them as chat lines. Players
// and their tools rely on the wording.

// raceDiffText compares a race time with the player's previous best. The text is "" for the first
// race.
func raceDiffText(ms int32) string {
	abs := max(ms, -ms)
	seconds := fmt.Sprintf("%5.2f second(s)", float64(abs%60_000)/1000)
	if abs >= 60_000 {
		seconds = fmt.Sprintf("%d minute(s) %s", abs/60_000, seconds)
	}
	switch {
	case ms < 0:
		return "New record: " + seconds + " better."
	case ms > 0:
		return seconds + " worse, better luck next time."
	}
	return ""
}

// voteCalledText says who called a vote or, for a vote without a timeout, what an operator forced.
// The text is "" if servers write no line about it.
func voteCalledText(v *bridge.Vote, caller string) string {
	forced := v.Timeout <= 0
	if !forced && v.Caller < 0 {
		return ""
	}
	switch v.Kind {
	case event.VoteOption:
		if forced {
			return "admin forced server option '" + v.Description + "' (" + v.Reason + ")"
		}
		return "'" + caller + "' called vote to change server option '" + v.Description + "' (" + v.Reason + ")"
	case event.VoteKick:
		if !forced {
			return "'" + caller + "' called for vote to kick '" + v.Description + "' (" + v.Reason + ")"
		}
	case event.VoteSpectate:
		if forced {
			return "admin moved '" + v.Description + "' to spectator (" + v.Reason + ")"
		}
		return "'" + caller + "' called for vote to move '" + v.Description + "' to spectators (" + v.Reason + ")"
	}
	return ""
}

// voteDescription is the text that clients show while the vote runs.
func voteDescription(v *bridge.Vote) string {
	switch v.Kind {
	case event.VoteKick:
		return "Kick '" + v.Description + "'"
	case event.VoteSpectate:
		return "move '" + v.Description + "' to spectators"
	}
	return v.Description
}

// voteEndedText says how a vote ended, "" if it did not end. A vote without a caller was decided by
// an operator.
func voteEndedText(v *bridge.Vote) string {
	switch v.Kind {
	case event.VoteAborted:
		return "Vote aborted"
	case event.VotePassed:
		if v.Caller < 0 {
			return "admin forced vote yes"
		}
		return "Vote passed"
	case event.VoteFailed:
		if v.Caller < 0 {
			return "admin forced vote no"
		}
		return "Vote failed"
	}
	return ""
}

// timeLeftText shows the time left of a pause, or of the countdown after it. The empty lines move
// it below the client's "Game paused".
func timeLeftText(seconds int32, countdown bool) string {
	if countdown {
		return fmt.Sprintf("\n\n\nGame starts in %d", seconds)
	}
	return fmt.Sprintf("\n\n\nGame continues in %d", seconds)
}

// waitingText says what a warmup without an end waits for.
func waitingText(w *game.World) string {
	if w.Rules().ReadyMode && w.NumPlaying() > 1 {
		return "Warmup: write /ready when you are ready"
	}
	return "Warmup: waiting for other players"
}
