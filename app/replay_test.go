package app

import (
	"os"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/replaytest"
)

// writeReplay writes the log of replaytest.Deathmatch.
func writeReplay(name, program string) error {
	log, err := replaytest.Deathmatch(program)
	if err != nil {
		return err
	}
	return os.WriteFile(name, log, 0o600)
}

// TestReplayScores checks the result of a log in words, with times in races.
func TestReplayScores(t *testing.T) {
	players := []replay.PlayerResult{
		{Name: "bert", Score: 3},
		{Name: "watcher", Team: game.TeamSpectators, Score: 9},
		{Name: "anna", Score: 65432},
		{Name: "eve", Score: -1},
	}
	for _, c := range []struct {
		result replay.MatchResult
		want   string
	}{
		{replay.MatchResult{Players: players}, `"anna" 65432, "bert" 3, "eve" -1`},
		{replay.MatchResult{Flags: game.GameFlagTeams, TeamScores: [2]int32{1, 2}, Players: players[:1]}, `red 1, blue 2, "bert" 3`},
		{replay.MatchResult{Flags: game.GameFlagRace, Players: players}, `"bert" 3ms, "anna" 1m5.432s`},
	} {
		if got := newReplayScores(&c.result).String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
