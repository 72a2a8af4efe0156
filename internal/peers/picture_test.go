package peers

import (
	"fmt"
	"image"
	"os"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// stage is a mod that spawns players at fixed places with a fixed weapon that is always loaded. It
// prevents tees from being pushed away or dying.
type stage map[string]place

type place struct {
	x, y   float32 // in tiles
	weapon game.Weapon
}

// Start implements game.Mod.
func (stage) Start(*game.Setup) {}

// PickSpawn implements game.SpawnPicker.
func (s stage) PickSpawn(ctx *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	p, ok := s[ctx.Player(id).Name()]
	return vec.Vec2{X: p.x * 32, Y: p.y * 32}, ok
}

// OnTick implements game.TickHook.
func (s stage) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.GiveWeapon(s[p.Name()].weapon, 10)
	}
}

// OnDamage implements game.DamageHook.
func (stage) OnDamage(ctx *game.Ctx, d *game.Damage) {
	d.Force = vec.Vec2{}
	if ctx.Player(d.Victim).Health() <= d.Amount {
		d.Amount = 0
	}
}

// newSkin returns a skin of part names, from body to eyes, with one colour for all parts.
func newSkin(color int32, parts ...string) game.Skin {
	var s game.Skin
	for i, p := range parts {
		s.PartNames[i] = p
		s.UseCustomColors[i] = i != 5
		s.PartColors[i] = color
		if i == 1 {
			s.PartColors[i] = -1<<24 | (color + 40) // lighter and opaque
		}
	}
	return s
}

// TestPicture makes the README's picture: a 0.7.5 client's view of a few tees on the embedded map.
// TEEYARD_SHOTS names the folder to write it to.
func TestPicture(t *testing.T) {
	places := stage{
		"yardy":  {46.5, 20, game.WeaponGrenade},
		"kitty":  {44.5, 12.5, game.WeaponShotgun},
		"bopp":   {29, 20, game.WeaponGun},
		"ranger": {57.6, 14, game.WeaponLaser},
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
		"kitty": {newSkin(132<<16|118<<8|184, "kitty", "whisker", "", "standard", "standard", "standard"), func(tick int) game.Input {
			return game.Input{TargetX: 200, TargetY: 40, WantedWeapon: 3, Fire: fire(30, tick)}
		}},
		"bopp": {newSkin(246<<16|216<<8|108, "standard", "donny", "unibop", "standard", "standard", "standard"), func(tick int) game.Input {
			return game.Input{TargetX: -40, TargetY: -200, Hook: tick%150 > 20}
		}},
		"ranger": {newSkin(93<<16|95<<8|163, "standard", "toptri", "", "standard", "standard", "standard"), func(tick int) game.Input {
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
	Eventually(t, 10*time.Second, "all four play", func() bool {
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
		grass := PixelShare(img, all, func(r, g, b uint8) bool { return g > 150 && r < 190 && b < 90 && g > r+30 })
		blue := PixelShare(img, all, func(r, g, b uint8) bool { return b > 180 && b > r+40 })
		return showsHUD(img) && grass > 0.005 && blue > 0.05 && PixelShare(img, all, IsBlack) < 0.1
	})
}

// screenshotsPerShot returns the number of pictures to choose from.
func screenshotsPerShot() int {
	if os.Getenv("TEEYARD_SHOTS") == "" {
		return 0
	}
	return 8
}
