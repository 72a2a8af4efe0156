//go:build peers

package clients

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
)

// raceMap is a straight course.
const raceMap = `
##########################################################
##########################################################
#.....>........................c................<........#
#.....>........................c................<........#
#.....>........................c................<........#
#.....>........................c................<........#
#.....>........................c................<........#
#.....>........................c................<........#
#.S.S.>........................c................<........#
##########################################################
##########################################################
##########################################################`

// TestRaceInRealClients makes both clients finish a course, and the 0.7.5 client a second time,
// more slowly. If TEEYARD_SHOTS names a folder, the screenshots are kept there.
func TestRaceInRealClients(t *testing.T) {
	s := startTestServer(t, "course", peers.DrawMap(t, raceMap), nil, "sv_gametype race; tune player_collision 0")
	red := s.join("red")
	blue := s.joinDDNet("blue", "cl_showrecord 1")
	shoot := func(name string) {
		time.Sleep(400 * time.Millisecond)
		red.Screenshot(name + "07")
		blue.Screenshot(name + "06")
	}
	finished := func(id game.PlayerID, times int) func() bool {
		return func() bool {
			return len(s.eventsSince(0, func(e game.Event) bool { return e.Kind == game.EvRaceFinish && e.Player == id })) >= times
		}
	}
	runs := func(p *realPlayer) func() bool {
		return func() bool { return s.playerState(p.id).RaceStart != 0 && p.tee().Pos.X > 8*32 }
	}
	peers.Eventually(t, 10*time.Second, "both are there", func() bool { return s.alive(red.id) && s.alive(blue.id) })
	red.holdUntil("d", "finish", finished(red.id, 1))
	shoot("first")
	blue.holdUntil("d", "finish", finished(blue.id, 1))
	shoot("second")
	red.tryUntil("begin anew", func() { red.TapKey("k") }, func() bool { return s.alive(red.id) && red.tee().Pos.X < 6*32 })
	red.holdUntil("d", "start", runs(red))
	time.Sleep(1500 * time.Millisecond)
	shoot("clock")
	red.holdUntil("d", "pass the checkpoint", red.seenOf(game.EvCheckpoint, func(game.Event) bool { return true }))
	shoot("checkpoint")
	red.holdUntil("d", "finish again", finished(red.id, 2))
	shoot("slower")
	red.Xdotool("keydown", "Tab")
	blue.Xdotool("keydown", "Tab")
	shoot("scores")
	red.Xdotool("keyup", "Tab")
	blue.Xdotool("keyup", "Tab")
}

// TestChatMenuInRealClients checks the commands that the 0.7.5 client offers when a chat line
// begins with a slash, and runs one of them.
func TestChatMenuInRealClients(t *testing.T) {
	s := startTestServer(t, "course", peers.DrawMap(t, raceMap), nil, "sv_player_ready_mode 1")
	red := s.join("red")
	red.tryUntil("run a command of the menu", func() {
		red.Xdotool("key", "t")
		time.Sleep(500 * time.Millisecond)
		red.Type("/")
		time.Sleep(500 * time.Millisecond)
		red.Screenshot("menu")
		red.Type("em")
		time.Sleep(300 * time.Millisecond)
		red.Xdotool("key", "Tab")
		time.Sleep(300 * time.Millisecond)
		red.Type("angry 60")
		time.Sleep(300 * time.Millisecond)
		red.Screenshot("completed")
		red.Xdotool("key", "Return")
	}, func() bool { return red.tee().Emote == game.EmoteAngry })
	red.Xdotool("key", "t")
	time.Sleep(500 * time.Millisecond)
	red.Type("/help ")
	red.Xdotool("key", "Return")
	time.Sleep(time.Second)
	red.Screenshot("help")
}
