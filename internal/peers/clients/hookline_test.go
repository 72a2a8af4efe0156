//go:build peers

package clients

import (
	"image"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// TestHookLineOfOthers makes a DDNet client aim. The server must learn it, and another DDNet client
// must draw the line of the hook.
func TestHookLineOfOthers(t *testing.T) {
	s := startServerOf(t, mode.List{{Name: "ddrace", New: ddrace.New}}, "course", peers.DrawMap(t, raceMap), nil, "sv_gametype ddrace")
	const look = "cl_hook_coll_size 20; cl_show_others_alpha 100"
	aimer := s.joinDDNet("aimer", "bind x +showhookcoll", look)
	other := s.joinDDNet("other", look)
	other.awaitScreen("before", "the map", func(img *image.NRGBA) bool {
		return peers.PixelShare(img, image.Rectangle{}, peers.IsColor(peers.SkyColor)) > 0.1
	})
	// The line ends at the ceiling, and so it is green.
	green := func(r, g, b uint8) bool { return g > 190 && r < 160 && b < 190 }
	aimer.aim(0.5, -1)
	before := peers.PixelShare(other.Screenshot("idle"), image.Rectangle{}, green)
	aimer.Xdotool("keydown", "x")
	peers.Eventually(t, 10*time.Second, "the server sees that the client aims", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.flags[aimer.id]&game.PlayerFlagAim != 0
	})
	time.Sleep(time.Second)
	aiming := peers.PixelShare(other.Screenshot("aiming"), image.Rectangle{}, green)
	aimer.Screenshot("own")
	aimer.Xdotool("keyup", "x")
	if aiming < before+0.001 {
		t.Errorf("share of green pixels %.4f, and %.4f while the other client aims", before, aiming)
	}
}
