package peers_test

import (
	"fmt"
	"image"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	. "github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/conn"
)

// cast is a mod that puts players on their marks, keeps them armed, and lets
// nobody be pushed away or die.
type cast map[string]mark

type mark struct {
	x, y   float32 // tiles
	weapon game.Weapon
}

// Start implements game.Mod.
func (cast) Start(*game.Tx) {}

// PickSpawn implements game.SpawnPicker.
func (c cast) PickSpawn(ctx *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	m, ok := c[ctx.Name(id)]
	return vec.Vec2{X: m.x * 32, Y: m.y * 32}, ok
}

// OnSpawn implements game.SpawnHook.
func (c cast) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.GiveWeapon(id, c[ctx.Name(id)].weapon, 10)
}

// OnTick implements game.TickHook.
func (c cast) OnTick(ctx *game.Ctx) {
	for id := range ctx.Players() {
		ctx.GiveWeapon(id, c[ctx.Name(id)].weapon, 10)
	}
}

// OnDamage implements game.DamageHook.
func (cast) OnDamage(ctx *game.Ctx, d *game.Damage) {
	d.Force = vec.Vec2{}
	if health, _ := ctx.Vitals(d.Victim); health <= d.Amount {
		d.Amount = 0
	}
}

// headless runs our own client on the real network until the test ends. The
// input is asked for every tick while it plays, with the number of ticks it has
// played.
func headless(t *testing.T, addr, name string, skin game.Skin, act func(c *client.Session, now conn.Time, tick int) game.Input) {
	t.Helper()
	sock, err := net.Dial("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewSession(client.SessionConfig{
		Send: func(b []byte) { sock.Write(b) }, Name: name, Skin: skin,
		HasMap: func(*bridge.MapChange) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	now := func() conn.Time { return conn.Time(time.Since(start)) + 1 }
	if err := c.Dial(now()); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 2048)
		ticks, next := 0, time.Now()
		for !stop.Load() {
			sock.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if n, err := sock.Read(buf); err == nil {
				c.Feed(now(), buf[:n])
			}
			if c.State() == client.Playing && !time.Now().Before(next) {
				next = next.Add(20 * time.Millisecond)
				c.SetInput(act(c, now(), ticks))
				ticks++
			}
			c.Step(now())
		}
		c.Close(now())
		sock.Close()
	}()
	t.Cleanup(func() { stop.Store(true); <-done })
}

// dress makes a skin of part names, body to eyes, and one colour for all parts.
func dress(color int32, parts ...string) game.Skin {
	var s game.Skin
	for i, p := range parts {
		s.PartNames[i] = p
		s.UseCustomColors[i] = i != 5
		s.PartColors[i] = color
		if i == 1 {
			s.PartColors[i] = -1<<24 | (color + 40) // lighter, opaque
		}
	}
	return s
}

// The picture of the README: a real client's view of a few tees on the map that
// comes with the server. TEEYARD_SHOTS names the folder it is put in.
func TestPicture(t *testing.T) {
	stage := cast{
		"yardy":  {46.5, 20, game.WeaponGrenade},
		"kitty":  {44.5, 12.5, game.WeaponShotgun},
		"bopp":   {29, 20, game.WeaponGun},
		"ranger": {57.6, 14, game.WeaponLaser},
	}
	h := startHost(t, "teeyard1", nil, stage, "sv_inactivekick_time 0; sv_scorelimit 20; sv_spamprotection 0")
	fire := func(every, tick int) int32 {
		if tick < 50 {
			return 0
		}
		return int32((tick/every*2 + min(tick%every/3, 1) + 1) & 63)
	}
	headless(t, h.addr, "kitty", dress(132<<16|118<<8|184, "kitty", "whisker", "", "standard", "standard", "standard"),
		func(c *client.Session, now conn.Time, tick int) game.Input {
			if tick%100 == 60 {
				c.Request(now, func(g bridge.ClientSide) { g.SendCommand(&game.Command{Kind: game.CmdEmoticon, Value: 2}) })
			}
			return game.Input{TargetX: 200, TargetY: 40, WantedWeapon: 3, Fire: fire(30, tick)}
		})
	headless(t, h.addr, "bopp", dress(246<<16|216<<8|108, "standard", "donny", "unibop", "standard", "standard", "standard"),
		func(c *client.Session, now conn.Time, tick int) game.Input {
			return game.Input{TargetX: -40, TargetY: -200, Hook: tick%150 > 20}
		})
	headless(t, h.addr, "ranger", dress(93<<16|95<<8|163, "standard", "toptri", "", "standard", "standard", "standard"),
		func(c *client.Session, now conn.Time, tick int) game.Input {
			return game.Input{TargetX: -200, TargetY: 101, WantedWeapon: 5, Fire: fire(45, tick)}
		})
	s := h.join(NewDisplay(t), "yardy", "gfx_high_detail 1")
	Eventually(t, 10*time.Second, "all four are there", func() bool {
		for name := range stage {
			if _, alive := h.character(h.id(name)); !alive {
				return false
			}
		}
		return true
	})
	s.aim(1, -0.75)
	s.try("take the grenade launcher", func() { s.Tap("4") }, func() bool { return s.char().Weapon == game.WeaponGrenade })
	for i := range 3 {
		fired := s.event(func(ev game.Event) bool { return ev.Kind == game.EvSound && ev.Sound == game.SoundGrenadeFire })
		s.try("fire a grenade", func() { s.Click("1", 40*time.Millisecond) }, fired)
		// Some moments to choose from.
		for j := range moments() {
			time.Sleep(50 * time.Millisecond)
			s.Shot(fmt.Sprintf("%d%d", i, j))
		}
	}
	s.shows("last", "the game on our map", func(img *image.NRGBA) bool {
		grass := Share(img, image.Rectangle{}, func(r, g, b uint8) bool { return g > 150 && r < 190 && b < 90 && g > r+30 })
		blue := Share(img, image.Rectangle{}, func(r, g, b uint8) bool { return b > 180 && b > r+40 })
		return Share(img, Hearts, Red) > 0.1 && grass > 0.005 && blue > 0.05 && Share(img, image.Rectangle{}, Black) < 0.1
	})
}

// moments is how many pictures of each shot TestPicture takes.
func moments() int {
	if os.Getenv("TEEYARD_SHOTS") == "" {
		return 0
	}
	return 8
}
