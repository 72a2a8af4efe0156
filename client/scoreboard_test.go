package client

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// scores is a ClientSide with fixed players.
type scores struct {
	bridge.ClientSide
	view game.View
}

func (s *scores) View() *game.View { return &s.view }

func (s *scores) Player(id game.PlayerID) (game.PlayerInfo, bool) {
	return game.PlayerInfo{ID: id, InGame: true}, true
}

// TestScoreboardOrder checks that the highest score comes first and, in a race, the shortest time.
func TestScoreboardOrder(t *testing.T) {
	for _, tt := range []struct {
		flags game.GameFlags
		want  []int32
	}{{0, []int32{5000, 2000, 0, -1}}, {game.GameFlagRace, []int32{0, 2000, 5000, game.NoRaceTime}}} {
		s := &scores{view: game.View{Frame: &game.Frame{Game: game.GameState{Flags: tt.flags}}}}
		for i, score := range []int32{2000, -1, 5000, 0} {
			s.view.Players = append(s.view.Players, game.PlayerState{ID: game.PlayerID(i), Score: score, DDRaceTeam: score})
		}
		var got []int32
		for _, r := range Scoreboard(s) {
			if got = append(got, r.Score); r.Timed != (tt.flags != 0) || r.DDRaceTeam != r.Score {
				t.Errorf("%+v", r)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("flags %d: %v, want %v", tt.flags, got, tt.want)
		}
	}
}
