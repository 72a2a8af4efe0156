package viewer

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
)

// poses are tees that stand side by side on the embedded map.
var poses = []struct {
	x, y   float32 // tiles
	weapon game.Weapon
	aim    [2]int32
	skin   [6]string
}{
	{40.5, 22, game.WeaponGun, [2]int32{100, -30}, [6]string{"standard", "", "", "standard", "standard", "standard"}},
	{38.6, 22, game.WeaponShotgun, [2]int32{-100, -60}, [6]string{"kitty", "whisker", "", "standard", "standard", "negative"}},
	{47, 22, game.WeaponGrenade, [2]int32{60, -100}, [6]string{"bear", "bear", "hair", "standard", "standard", "standard"}},
	{49, 22, game.WeaponLaser, [2]int32{-100, 10}, [6]string{"fox", "fox", "", "standard", "standard", "standard"}},
	{31, 24, game.WeaponHammer, [2]int32{100, 0}, [6]string{"standard", "duodonny", "twinbopp", "standard", "standard", "standard"}},
	{58.8, 22, game.WeaponHammer, [2]int32{-100, -20}, [6]string{"koala", "stripes", "", "standard", "standard", "colorable"}},
}

// posing is a mod that keeps players in their pose.
type posing struct{}

func (posing) Start(*game.Setup) {}

func (posing) PickSpawn(_ *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	return vec.Vec2{X: poses[id].x * 32, Y: poses[id].y * 32}, true
}

func (posing) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.GiveWeapon(poses[p.ID()].weapon, 10)
	}
}

// recordPoses returns a demo of the first pose's view.
func recordPoses(t *testing.T) []byte {
	t.Helper()
	file := maps.Default()
	layer := testenv.Must(twmap.Parse(file.Data)).GameLayer()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots = 64, 64
	w := testenv.Must(game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    dm.Mode{}, Mods: []game.Mod{posing{}}, Rules: rules, Seed: 1,
	}))
	cfg := recorder.Config{OfPlayer: true, Player: 0}
	var out memFile
	m := &bridge.Map{Name: file.Name, File: file.Data, CRC: crc32.ChecksumIEEE(file.Data), SHA256: sha256.Sum256(file.Data)}
	demoWriter := testenv.Must(demo.NewWriter(&out, cfg.Header(m, time.Unix(0, 0)), m.File))
	r := recorder.New(cfg)
	var rec recorder.Record
	for tick := range 1500 {
		var cmds []game.Command
		for i, p := range poses {
			id := game.PlayerID(i)
			if tick == 0 {
				skin := game.Skin{}
				for part, name := range p.skin {
					skin.PartNames[part] = name
					skin.UseCustomColors[part] = part != 5 || name != "standard"
					skin.PartColors[part] = int32(40*i)<<16 | 200<<8 | int32(100+20*part)
				}
				skin.PartColors[1] |= -1 << 24
				cmds = append(cmds,
					game.Command{Kind: game.CmdJoin, Player: id, AddrHash: uint64(i)},
					game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: fmt.Sprint("tee ", i), Country: -1, Skin: skin}},
					game.Command{Kind: game.CmdEnterGame, Player: id})
			}
			in := game.Input{TargetX: p.aim[0], TargetY: p.aim[1], WantedWeapon: int32(p.weapon) + 1}
			cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: in}, game.Command{Kind: game.CmdInput, Player: id, Input: in})
		}
		events := w.Step(cmds)
		r.Tick(w, events)
		for i := range events {
			r.Event(w, &events[i])
		}
		if r.Due(w) {
			r.Take(w, &rec)
			testenv.NoError(t, rec.WriteTo(demoWriter))
		}
	}
	testenv.NoError(t, demoWriter.Close())
	return out.Bytes()
}

// TestSideBySide shows the same moment of a demo in the 0.7.5 client and the page, with the same
// images. Tees, weapons and the tiles around them must be at the same places within two pixels.
func TestSideBySide(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds", "chromium")
	data := FindData()
	if data == "" {
		t.Fatal("the images of Teeworlds are not installed; run scripts/peers")
	}
	b := recordPoses(t)
	d := peers.NewDisplay(t)
	c := d.PlayDemoInTeeworlds(b, "cl_nameplates 0", "cl_showhud 0", "cl_show_chat 0", "cl_dynamic_camera 0", "cl_camera_smoothness 0")
	peers.Eventually(t, 90*time.Second, "the demo begins", func() bool { return strings.Contains(c.Output(), "entered and joined") })
	time.Sleep(6 * time.Second) // until all players stand, far from the demo's end
	want := d.Screenshot("client")
	if strings.Contains(c.Output(), "end of file") {
		t.Fatal("the demo ended too early")
	}

	p := openServed(t, data, map[string][]byte{"/poses.demo": b})
	p.Do(chromedp.EmulateViewport(peers.ScreenWidth, peers.ScreenHeight))
	state := browsertest.Eval[struct {
		Tees []struct {
			Name string
			X, Y float64
		}
		X, Y, Unit float64
	}](p, `import('/test/page.js').then(m => m.showEnd('/poses.demo'))`)
	got := p.Screenshot()
	if len(state.Tees) != len(poses) {
		t.Fatalf("%d tees", len(state.Tees))
	}
	check := func(what string, x, y float64) {
		r := image.Rect(int(x)-40, int(y)-40, int(x)+40, int(y)+40)
		if !r.Inset(-8).In(want.Bounds()) {
			t.Errorf("%s at %.0f, %.0f is not in the picture", what, x, y)
			return
		}
		dx, dy, off := bestShift(got, want, r, 8)
		t.Logf("%s at %.0f, %.0f: %d, %d pixels away, colours differ by %.1f of 255", what, x, y, dx, dy, off)
		if max(dx, -dx, dy, -dy) > 2 {
			t.Errorf("%s is %d, %d pixels away", what, dx, dy)
		}
		if off > 30 { // clouds move
			t.Errorf("%s looks different: colours differ by %.1f of 255", what, off)
		}
	}
	for i, tee := range state.Tees { // with their weapons
		check(fmt.Sprintf("tee %d with weapon %d", i, poses[i].weapon), tee.X, tee.Y)
	}
	for _, corner := range [...]vec.Vec2{{X: 38, Y: 26}, {X: 50, Y: 26}, {X: 25, Y: 26}, {X: 42, Y: 28}} {
		check(
			fmt.Sprint("the ground at ", corner),
			(float64(corner.X)*32-state.X)/state.Unit+peers.ScreenWidth/2,
			(float64(corner.Y)*32-state.Y)/state.Unit+peers.ScreenHeight/2,
		)
	}
}

// bestShift returns the shift with which a part of a picture is most similar to another picture,
// and the remaining difference of colours.
func bestShift(got, want image.Image, r image.Rectangle, most int) (dx, dy int, difference float64) {
	difference = math.Inf(1)
	for y := -most; y <= most; y++ {
		for x := -most; x <= most; x++ {
			sum := 0.0
			for py := r.Min.Y; py < r.Max.Y; py++ {
				for px := r.Min.X; px < r.Max.X; px++ {
					r1, g1, b1, _ := got.At(px, py).RGBA()
					r2, g2, b2, _ := want.At(px+x, py+y).RGBA()
					for _, d := range [...]float64{float64(r1) - float64(r2), float64(g1) - float64(g2), float64(b1) - float64(b2)} {
						sum += math.Abs(d)
					}
				}
			}
			if d := sum / 3 / 257 / float64(r.Dx()*r.Dy()); d < difference {
				dx, dy, difference = x, y, d
			}
		}
	}
	return dx, dy, difference
}
