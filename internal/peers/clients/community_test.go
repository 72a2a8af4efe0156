//go:build peers

package clients

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// spikeMap has all kinds of spikes on one screen.
const spikeMap = `
##############################################
##############################################
#............................................#
#..................OO...................OO...#
#...R....................................B...#
#..#####...####...####...####...####...#####.#
#..............G...............P.............#
#...R..................................B.....#
#...S...D....................U...........S...#
##############NNN############NNN##############
##############################################`

// TestCommunityModesInRealClients shows the real clients bots that play instagib, zCatch, FNG, foot
// and infection. If TEEYARD_SHOTS names a folder, the screenshots are kept there. Without
// TEEYARD_FULL=1 only the 0.7.5 client runs, in FNG.
func TestCommunityModesInRealClients(t *testing.T) {
	testenv.OnlyFull(t)
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	modes := []string{"fng"}
	if testenv.Full() {
		modes = append(modes, "ictf", "gdm", "zcatch", "solofng", "boomfng", "foot", "infection")
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) { showCommunityMode(t, mode) })
	}
}

func showCommunityMode(t *testing.T, mode string) {
	home := t.TempDir()
	drawing := spikeMap
	settings := ""
	switch mode {
	case "ictf":
		drawing = flagMap
	case "foot":
		drawing, settings = strings.Replace(flagMap, "R.1......2.B", "1.R...g..B.2", 1), "; sv_bots 0" // bots do not chase the ball
	case "infection":
		drawing, settings = flagMap, "; inf_initial_infection_delay 3"
	}
	peers.WriteFile(t, filepath.Join(home, "maps", "room.map"), peers.DrawMap(t, drawing))
	s := peers.StartTeeyardIn(t, home, "sv_map room; sv_scorelimit 60; sv_bots 6; sv_bot_skill 3; sv_gametype "+mode+settings)
	addr := s.Addr.String()
	viewers := []*peers.Client{peers.NewDisplay(t).StartTeeworlds(addr, "viewer")}
	if testenv.Full() {
		viewers = append(viewers, peers.NewDisplay(t).StartDDNet(addr, "dora"))
	}
	r := joinRival(t, addr, "rival")
	peers.Eventually(t, 90*time.Second, "the clients are there", func() bool {
		here := 0
		for id := range game.PlayerID(6) {
			if p, ok := r.PlayerInfo(id); ok && (p.Profile.Name == "viewer" || p.Profile.Name == "dora") {
				here++
			}
		}
		return here == len(viewers)
	})
	r.await("they play", func(v *game.View) bool { return v.Game.State == 0 })
	shoot := func(name string) {
		for i, c := range viewers {
			c.Screenshot(mode + "-" + name + []string{"07", "06"}[i])
		}
	}
	total := func(v *game.View) (n int32) {
		for i := range v.Players {
			n += max(v.Players[i].Score, 0)
		}
		return n
	}
	if mode != "foot" {
		r.await("points", func(v *game.View) bool { return total(v) > 0 })
	}
	for i := range 4 {
		shoot("play" + string(rune('1'+i)))
		time.Sleep(2 * time.Second)
	}
	for _, c := range viewers {
		c.Xdotool("keydown", "Tab")
	}
	time.Sleep(time.Second)
	shoot("scores")
	for _, c := range viewers {
		c.Xdotool("keyup", "Tab")
	}
	if mode == "zcatch" {
		r.await("the end of a match", func(v *game.View) bool { return v.Game.State&game.StateGameOver != 0 })
		shoot("over")
	}
}
