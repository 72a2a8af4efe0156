package peers

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
)

// flagMap has both flags on one screen, each beside its team's spawn point.
const flagMap = `
##############################################
##############################################
#............................................#
#............................................#
#............................................#
#............................................#
#............................................#
#............................................#
#................R.1......2.B................#
##############################################
##############################################
##############################################`

// TestFlagsInRealClients lets a 0.7.5 client fetch the flag of a DDNet client and win with
// it. TEEYARD_SHOTS names a folder for what both see.
func TestFlagsInRealClients(t *testing.T) {
	s := startTestServer(t, "flagroom", drawMap(t, flagMap), nil, "sv_gametype ctf; sv_scorelimit 100")
	red := s.join("red")
	blue := s.joinDDNet("blue")
	shoot := func(name string) {
		time.Sleep(500 * time.Millisecond)
		red.Screenshot(name + "07")
		blue.Screenshot(name + "06")
	}
	carrier := func(id game.PlayerID) func() bool {
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.frame.Game.FlagCarrier[game.TeamBlue] == int32(id)
		}
	}
	message := func(m game.GameMsg) func() bool {
		return s.seen(func(e game.Event) bool { return e.Kind == game.EvGameMsg && e.GameMsg == m })
	}
	if r, b := s.playerState(red.id).Team, s.playerState(blue.id).Team; r != game.TeamRed || b != game.TeamBlue {
		t.Fatalf("the teams are %d and %d", r, b)
	}
	Eventually(t, 10*time.Second, "both play the match", func() bool { return s.alive(red.id) && s.alive(blue.id) })
	shoot("stands")
	red.holdUntil("d", "take the flag", carrier(red.id))
	shoot("carried")
	captured := message(game.GameMsgCTFCapture)
	red.holdUntil("a", "bring the flag home", captured)
	shoot("captured")
	Eventually(t, 10*time.Second, "the end of the match", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.frame.Game.State&game.StateGameOver != 0 && s.frame.Game.TeamScore == [2]int32{101, 0}
	})
	shoot("over")
}

// TestRoundEndInRealClients ends a round of last team standing.
func TestRoundEndInRealClients(t *testing.T) {
	s := startTestServer(t, "flagroom", drawMap(t, flagMap), nil, "sv_gametype lts; sv_scorelimit 0")
	red := s.join("red")
	blue := s.joinDDNet("blue")
	state := func(want game.GameStateFlags) func() bool {
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.frame.Game.State == want
		}
	}
	Eventually(t, 20*time.Second, "a round", state(0))
	red.tryUntil("die", func() { red.TapKey("k") }, state(game.StateRoundOver))
	time.Sleep(500 * time.Millisecond)
	red.Screenshot("round07")
	blue.Screenshot("round06")
	if got := s.playerState(red.id); got.Flags&game.PlayerFlagDead == 0 {
		t.Errorf("the player who died: %+v", got)
	}
}
