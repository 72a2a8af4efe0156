//go:build peers

package demos

import (
	"bytes"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
)

// recordStage records a match of four tees on the embedded map. They stay in their places, shoot,
// hook and chat.
func recordStage(t *testing.T, cfg recorder.Config, length time.Duration) []byte {
	t.Helper()
	places := peers.Stage{
		"yardy": {X: 46.5, Y: 20, Weapon: game.WeaponGrenade}, "kitty": {X: 44.5, Y: 12.5, Weapon: game.WeaponShotgun},
		"bopp": {X: 29, Y: 20, Weapon: game.WeaponGun}, "ranger": {X: 57.6, Y: 14, Weapon: game.WeaponLaser},
	}
	file, _ := maps.Find("teeyard1")
	parsed := testenv.Must(twmap.Parse(file.Data))
	layer := parsed.GameLayer()
	w := testenv.Must(game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    dm.Mode{}, Mods: []game.Mod{places}, Rules: game.DefaultRules(), Seed: 3,
	}))
	m := &bridge.Map{Name: "teeyard1", File: file.Data, CRC: parsed.CRC, SHA256: parsed.SHA256} // all clients can read it
	var b bytes.Buffer
	out := testenv.Must(demo.NewWriter(&b, cfg.Header(m, time.Unix(1.8e9, 0)), m.File))
	r := recorder.New(cfg)
	var rec recorder.Record
	var commands []game.Command
	step := func() {
		events := w.Step(commands)
		commands = commands[:0]
		r.Tick(w, events)
		for i := range events {
			r.Event(w, &events[i])
		}
		if r.Due(w) {
			r.Take(w, &rec)
			testenv.NoError(t, rec.WriteTo(out))
		}
	}
	for id, name := range []string{"yardy", "kitty", "bopp", "ranger"} {
		skin := peers.NewSkin(int32(id*60)<<16|200<<8|150, []string{"standard", "kitty", "bear", "fox"}[id], "whisker", "", "standard", "standard", "standard")
		commands = append(commands, game.Command{Kind: game.CmdJoin, Player: game.PlayerID(id)},
			game.Command{Kind: game.CmdProfile, Player: game.PlayerID(id), Profile: &game.Profile{Name: name, Clan: "yard", Country: -1, Skin: skin}},
			game.Command{Kind: game.CmdEnterGame, Player: game.PlayerID(id)})
	}
	for tick := range int(length / (20 * time.Millisecond)) {
		if tick%250 == 50 {
			commands = append(commands,
				game.Command{Kind: game.CmdSay, Player: 1, Target: game.Nobody, Chat: game.ChatAll, Text: "this is a demo"},
				game.Command{Kind: game.CmdEmoticon, Player: 0, Target: game.Nobody, Value: 2},
				game.Command{Kind: game.CmdKill, Player: 2, Target: game.Nobody})
		}
		angle := float64(tick) / 40
		for id := range game.PlayerID(4) {
			in := game.Input{
				TargetX: int32(200 * math.Cos(angle)), TargetY: int32(-200 * math.Abs(math.Sin(angle))), WantedWeapon: []int32{4, 3, 2, 5}[id],
				Fire: int32(tick/20*2+min(tick%20/7, 1)) & 63, Hook: id == 2 && tick%100 > 40,
			}
			commands = append(commands, game.Command{Kind: game.CmdDirectInput, Player: id, Input: in},
				game.Command{Kind: game.CmdInput, Player: id, Input: in})
		}
		step()
	}
	testenv.NoError(t, out.Close())
	return b.Bytes()
}

// showsYard reports whether a screenshot shows the embedded map in daylight.
func showsYard(img *image.NRGBA) bool {
	all := image.Rectangle{}
	grass := peers.PixelShare(img, all, func(r, g, b uint8) bool { return g > 150 && r < 190 && b < 90 && g > r+30 })
	blue := peers.PixelShare(img, all, func(r, g, b uint8) bool { return b > 180 && b > r+40 })
	return grass > 0.005 && blue > 0.05 && peers.PixelShare(img, all, peers.IsBlack) < 0.15
}

// TestRealClientsPlayOurDemos makes the real clients play our demos. They must show the game, jump
// to a later keyframe and show the game from there, and reach the end.
func TestRealClientsPlayOurDemos(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	for _, c := range []struct {
		name string
		cfg  recorder.Config
		full bool
	}{
		{"teeworlds", recorder.Config{}, false},
		{"ddnet", recorder.Config{Format: recorder.DDNet}, false},
		{"teeworlds player", recorder.Config{OfPlayer: true}, true},
		{"ddnet player", recorder.Config{Format: recorder.DDNet, OfPlayer: true}, true},
	} {
		if c.full && !testenv.Full() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			length := time.Minute // the test jumps ahead, so it ends earlier
			if c.cfg.OfPlayer {
				length *= 2 // time for the menu to close
			}
			file := recordStage(t, c.cfg, length)
			d := peers.NewDisplay(t)
			var client *peers.Client
			var seek func()
			if c.cfg.Format == recorder.DDNet {
				client = d.PlayDemoInDDNet(file, "bind n spectate 0")
				seek = func() { d.TapKey("9") } // jump to 90 %
			} else {
				client = d.PlayDemoInTeeworlds(file, "bind n spectate_next")
				seek = func() {
					seekTeeworlds(t, d)
					if c.cfg.OfPlayer {
						d.TapKey("Escape") // the menu covers the health bar
					}
				}
			}
			shows := func(name string) {
				t.Helper()
				peers.Eventually(t, 60*time.Second, "the game on our map", func() bool {
					if !c.cfg.OfPlayer {
						d.TapKey("n")
					}
					img := d.Screenshot(name)
					return showsYard(img) && (!c.cfg.OfPlayer || peers.PixelShare(img, peers.HealthBar, peers.IsHeart) > 0.02) // one heart covers 2 %
				})
			}
			shows("follow")
			d.Xdotool("keydown", "Tab")
			time.Sleep(500 * time.Millisecond)
			d.Screenshot("scoreboard")
			d.Xdotool("keyup", "Tab")
			if strings.Contains(client.Output(), "end of file") {
				t.Fatal("at the end already")
			}
			seek()
			shows("later")
			awaitDemoEnd(t, client)
			d.Screenshot("end")
		})
	}
}

// seekTeeworlds clicks near the end of the bar in 0.7's demo menu until the bar is filled up to
// there.
func seekTeeworlds(t *testing.T, d *peers.Display) {
	t.Helper()
	d.TapKey("Escape")
	peers.Eventually(t, 60*time.Second, "the demo is at another time", func() bool {
		// The client moves the pointer back to the middle of the screen after each movement.
		for _, by := range []image.Point{{-480, -300}, {-480, -300}, {255, 290}, {255, 289}} {
			time.Sleep(300 * time.Millisecond)
			d.MoveMouse(by.X, by.Y)
		}
		time.Sleep(300 * time.Millisecond)
		d.Click()
		time.Sleep(500 * time.Millisecond)
		return peers.PixelShare(d.Screenshot("menu"), image.Rect(400, 574, 480, 584), func(r, g, b uint8) bool { return r > 90 && g > 90 && b > 90 }) > 0.8
	})
}
