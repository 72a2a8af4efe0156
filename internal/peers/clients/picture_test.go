//go:build peers

package clients

import (
	"fmt"
	"image"
	"os"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
)

// TestPicture makes the README's picture: a 0.7.5 client's view of a few tees on the embedded map.
// TEEYARD_SHOTS names the folder to write it to.
func TestPicture(t *testing.T) {
	places := peers.Stage{
		"yardy":  {X: 46.5, Y: 20, Weapon: game.WeaponGrenade},
		"kitty":  {X: 44.5, Y: 12.5, Weapon: game.WeaponShotgun},
		"bopp":   {X: 29, Y: 20, Weapon: game.WeaponGun},
		"ranger": {X: 57.6, Y: 14, Weapon: game.WeaponLaser},
	}
	s := startTestServer(t, "teeyard1", nil, places, "sv_scorelimit 20")
	// fire returns an Input.Fire that shoots once every so many ticks, after the first second.
	fire := func(every, tick int) int32 {
		if tick < 50 {
			return 0
		}
		return int32((tick/every*2 + min(tick%every/3, 1) + 1) & 63)
	}
	for name, p := range map[string]struct {
		skin  game.Skin
		input func(tick int) game.Input
	}{
		"kitty": {peers.NewSkin(132<<16|118<<8|184, "kitty", "whisker", "", "standard", "standard", "standard"), func(tick int) game.Input {
			return game.Input{TargetX: 200, TargetY: 40, WantedWeapon: 3, Fire: fire(30, tick)}
		}},
		"bopp": {peers.NewSkin(246<<16|216<<8|108, "standard", "donny", "unibop", "standard", "standard", "standard"), func(tick int) game.Input {
			return game.Input{TargetX: -40, TargetY: -200, Hook: tick%150 > 20}
		}},
		"ranger": {peers.NewSkin(93<<16|95<<8|163, "standard", "toptri", "", "standard", "standard", "standard"), func(tick int) game.Input {
			return game.Input{TargetX: -200, TargetY: 101, WantedWeapon: 5, Fire: fire(45, tick)}
		}},
	} {
		tick := 0
		c, err := client.Dial(t.Context(), s.addr, client.Config{
			Name: name, Skin: p.skin, Maps: client.NewMaps(t.TempDir()), OnEvent: func(*client.Client, event.Event) {},
			Play: func(c *client.Client, _ *game.View) game.Input {
				if tick++; name == "kitty" && tick%100 == 60 {
					c.Emote(2)
				}
				return p.input(tick)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
	}
	yardy := s.join("yardy", "gfx_high_detail 1")
	peers.Eventually(t, 10*time.Second, "all four play", func() bool {
		for name := range places {
			if !s.alive(s.playerID(name)) {
				return false
			}
		}
		return true
	})
	yardy.aim(1, -0.75)
	yardy.tryUntil("take the grenade launcher", func() { yardy.TapKey("4") }, func() bool { return yardy.tee().Weapon == game.WeaponGrenade })
	for i := range 3 {
		fired := s.seen(func(ev game.Event) bool { return ev.Kind == game.EvSound && ev.Sound == game.SoundGrenadeFire })
		yardy.tryUntil("fire a grenade", yardy.Click, fired)
		for j := range screenshotsPerShot() {
			time.Sleep(50 * time.Millisecond)
			yardy.Screenshot(fmt.Sprintf("%d%d", i, j))
		}
	}
	yardy.awaitScreen("last", "the game on our map", func(img *image.NRGBA) bool {
		all := image.Rectangle{}
		grass := peers.PixelShare(img, all, func(r, g, b uint8) bool { return g > 150 && r < 190 && b < 90 && g > r+30 })
		blue := peers.PixelShare(img, all, func(r, g, b uint8) bool { return b > 180 && b > r+40 })
		return showsHUD(img) && grass > 0.005 && blue > 0.05 && peers.PixelShare(img, all, peers.IsBlack) < 0.1
	})
}

// screenshotsPerShot returns the number of pictures to choose from.
func screenshotsPerShot() int {
	if os.Getenv("TEEYARD_SHOTS") == "" {
		return 0
	}
	return 8
}
