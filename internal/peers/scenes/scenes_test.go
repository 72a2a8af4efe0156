//go:build peers

package scenes

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// sight is a kind of DDRace object that the test looks at.
type sight struct {
	name string
	// inside puts the tee into the object if possible, and otherwise as near as possible.
	inside bool
	is     func(t *tileOf) bool
}

// tileOf holds the tiles of all layers at one place.
type tileOf struct {
	game, front uint8
	tele        terrain.TeleTile
	speedup     terrain.SpeedupTile
	switches    terrain.SwitchTile
	tune        terrain.TuneTile
	entity      uint8 // entity of the game, front or switch layer
}

// sights lists the objects to look for. Each map has a scene for every sight in it.
var sights = []sight{
	{"spawn", true, func(t *tileOf) bool { return t.entity >= 192 && t.entity <= 194 }},
	{"start", false, func(t *tileOf) bool { return t.any(33) }},
	{"checkpoint", false, func(t *tileOf) bool { return t.any(35) }},
	{"finish", false, func(t *tileOf) bool { return t.any(34) }},
	{"freeze", true, func(t *tileOf) bool { return t.any(9) }},
	{"unfreeze", false, func(t *tileOf) bool { return t.any(11) }},
	{"deep freeze", true, func(t *tileOf) bool { return t.any(12) }},
	{"end of deep freeze", false, func(t *tileOf) bool { return t.any(13) }},
	{"live freeze", true, func(t *tileOf) bool { return t.any(144) }},
	{"teleporter", false, func(t *tileOf) bool { return t.tele.Type == 26 || t.tele.Type == 10 }},
	{"exit", false, func(t *tileOf) bool { return t.tele.Type == 27 }},
	{"teleporter to the checkpoint", false, func(t *tileOf) bool { return t.tele.Type == 31 || t.tele.Type == 63 }},
	{"speedup", false, func(t *tileOf) bool { return t.speedup.Force > 0 }},
	{"switch", false, func(t *tileOf) bool { return t.switches.Type >= 22 && t.switches.Type <= 25 }},
	{"door", false, func(t *tileOf) bool { return t.entity == 240 }},
	{"light", false, func(t *tileOf) bool { return t.entity >= 203 && t.entity <= 209 }},
	{"dragger", false, func(t *tileOf) bool { return t.entity >= 233 && t.entity <= 238 }},
	{"turret", false, func(t *tileOf) bool { return t.entity >= 220 && t.entity <= 223 }},
	{"crazy bullets", false, func(t *tileOf) bool { return t.entity == 224 || t.entity == 225 }},
	{"shield", false, func(t *tileOf) bool { return t.entity == 197 || t.entity >= 226 && t.entity <= 229 }},
	{"freezing heart", false, func(t *tileOf) bool { return t.entity == 198 }},
	{"weapon", false, func(t *tileOf) bool { return t.entity == 199 || t.entity == 200 || t.entity == 202 }},
	{"ninja", false, func(t *tileOf) bool { return t.entity == 201 }},
	{"solo", true, func(t *tileOf) bool { return t.any(21) }},
	{"stopper", false, func(t *tileOf) bool { return t.any(60) || t.any(61) || t.any(62) }},
	{"endless hook", true, func(t *tileOf) bool { return t.any(17) }},
	{"air jumps", true, func(t *tileOf) bool { return t.any(105) }},
	{"jetpack", true, func(t *tileOf) bool { return t.any(106) }},
	{"collision off", true, func(t *tileOf) bool { return t.any(88) }},
	{"hitting others off", true, func(t *tileOf) bool { return t.any(19) }},
	{"tune zone", true, func(t *tileOf) bool { return t.tune.Number > 0 }},
	{"unlock", true, func(t *tileOf) bool { return t.any(76) }},
}

// any reports whether a tile layer has the index at this place.
func (t *tileOf) any(index uint8) bool {
	return t.game == index || t.front == index || t.switches.Type == index
}

func tileAt(m *terrain.Terrain, x, y int) tileOf {
	var t tileOf
	if x < 0 || y < 0 || x >= m.Width || y >= m.Height {
		t.game = 1
		return t
	}
	i := y*m.Width + x
	t.game = m.Tiles[i]
	if m.Front != nil {
		t.front = m.Front[i]
	}
	if m.Tele != nil {
		t.tele = m.Tele[i]
	}
	if m.Speedup != nil {
		t.speedup = m.Speedup[i]
	}
	if m.Switch != nil {
		t.switches = m.Switch[i]
	}
	if m.Tune != nil {
		t.tune = m.Tune[i]
	}
	t.entity = max(t.game, t.front, t.switches.Type)
	return t
}

// standsAt reports whether a tee can rest in a tile. No other tile may act on the tee there.
func standsAt(m *terrain.Terrain, x, y int, inside bool) bool {
	here, above, below := tileAt(m, x, y), tileAt(m, x, y-1), tileAt(m, x, y+1)
	solid := func(t tileOf) bool { return t.game == 1 || t.game == 3 }
	plain := func(t tileOf) bool {
		return (t.game == 0 || t.game >= 192 && t.game <= 194) && t.front == 0 && t.tele.Type == 0 && t.speedup.Force == 0 && t.switches.Type == 0
	}
	return solid(below) && !solid(here) && !solid(above) && (inside && here.tele.Type == 0 && here.speedup.Force == 0 || plain(here) && plain(above))
}

// nearest returns the place, in tiles, where the tee stands to see a sight.
func nearest(m *terrain.Terrain, s *sight) (x, y int, ok bool) {
	const far = 9
	if s.inside {
		for at := range m.Tiles {
			x, y := at%m.Width, at/m.Width
			if t := tileAt(m, x, y); s.is(&t) && standsAt(m, x, y, true) {
				return x, y, true
			}
		}
	}
	for at := range m.Tiles {
		x, y := at%m.Width, at/m.Width
		if t := tileAt(m, x, y); !s.is(&t) {
			continue
		}
		best := far*far + 1
		var bestX, bestY int
		for dy := -far; dy <= far; dy++ {
			for dx := -far; dx <= far; dx++ {
				if d := dx*dx + dy*dy; d < best && standsAt(m, x+dx, y+dy, false) {
					best, bestX, bestY = d, x+dx, y+dy
				}
			}
		}
		if best <= far*far {
			return bestX, bestY, true
		}
	}
	return 0, 0, false
}

// guide is a client of ours with operator rights that moves a real client to places.
type guide struct {
	*client.Client
	t    *testing.T
	home [2]int32 // its waiting place, in units
}

const guideName = "guide"

func newGuide(t *testing.T, s *peers.Server) *guide {
	t.Helper()
	g := &guide{Client: peers.Dial(t, s, client.Config{Name: guideName, Version: client.Version06, DDNetVersion: peers.DDNetRelease}), t: t}
	g.RconLogin("adminpw")
	peers.Eventually(t, 20*time.Second, "the guide's commands", func() bool { return len(g.RconCommands()) > 0 })
	var ok bool
	if g.home, ok = g.rest(g.Self()); !ok {
		t.Fatal("the guide does not come to rest")
	}
	return g
}

// place returns the position of a tee in the guide's view, in units.
func (g *guide) place(id game.PlayerID) (tick int32, at [2]int32, ok bool) {
	g.WithView(func(v *game.View) {
		for i := range v.Characters {
			if c := &v.Characters[i]; c.Player == id {
				tick, at, ok = v.Tick, [2]int32{c.X, c.Y}, true
			}
		}
	})
	return tick, at, ok
}

// rest waits until a tee stops moving, and returns its position.
func (g *guide) rest(id game.PlayerID) (at [2]int32, ok bool) {
	since, where := int32(0), [2]int32{}
	ok = peers.Within(10*time.Second, func() bool {
		tick, at, ok := g.place(id)
		if !ok || at != where || since == 0 {
			since, where = tick, at
			return false
		}
		return tick-since >= 15
	})
	return where, ok
}

// bring moves a player to a tile where a tee can rest. The guide goes there first and teleports the
// player to itself.
func (g *guide) bring(who string, x, y int) error {
	g.t.Helper()
	p, ok := g.FindPlayer(who)
	if !ok {
		return fmt.Errorf("%s is gone", who)
	}
	to := [2]int32{int32(x)*32 + 16, int32(y)*32 + 16}
	if err := g.RconDo(fmt.Sprintf("move_raw %d %d", to[0]-g.home[0], to[1]-g.home[1])); err != nil {
		return err
	}
	at, ok := g.rest(g.Self())
	if !ok || abs(at[0]-to[0]) > 32 || abs(at[1]-to[1]) > 32 {
		g.back()
		return fmt.Errorf("the guide is at %v, not %v", at, to)
	}
	if err := g.RconDo(fmt.Sprintf("tele %d %d", p.ID, g.Self())); err != nil {
		return err
	}
	// In solo parts the guide does not see the player's tee.
	where, seen := [2]int32{}, false
	there := peers.Within(2*time.Second, func() bool {
		_, where, seen = g.place(p.ID)
		return seen && abs(where[0]-at[0]) <= 32 && abs(where[1]-at[1]) <= 32
	})
	g.back()
	if seen && !there {
		return fmt.Errorf("%s is at %v, not %v", who, where, at)
	}
	return nil
}

// renew kills the player and the guide. Their new tees lack the effects of the last place, such as
// freeze.
func (g *guide) renew(who string) {
	if p, ok := g.FindPlayer(who); ok {
		g.RconDo(fmt.Sprintf("kill_pl %d; kill_pl %d", p.ID, g.Self()))
		time.Sleep(time.Second)
		g.home, _ = g.rest(g.Self())
	}
}

// back moves the guide to its waiting place.
func (g *guide) back() {
	for range 5 {
		at, _ := g.rest(g.Self())
		if at == g.home {
			return
		}
		g.RconDo(fmt.Sprintf("move_raw %d %d", g.home[0]-at[0], g.home[1]-at[1]))
	}
}

// RconDo runs a command.
func (g *guide) RconDo(line string) error {
	_, err := g.RconRun(g.t.Context(), line)
	return err
}

func abs(n int32) int32 { return max(n, -n) }

// looker is a real client whose screen is compared.
type looker struct {
	*peers.Client
	guide *guide
}

const lookerName = "looker"

// frames sums up a screen over a second: the least and the greatest value of each pixel and colour.
type frames struct {
	last      *image.NRGBA
	low, high []uint8
}

// watch records several screens for a second.
func watch(lookers []*looker) []frames {
	all := make([]frames, len(lookers))
	for range 12 {
		for i, l := range lookers {
			f := &all[i]
			f.last = l.Capture()
			if f.low == nil {
				f.low, f.high = append([]uint8(nil), f.last.Pix...), append([]uint8(nil), f.last.Pix...)
			}
			for j, v := range f.last.Pix {
				f.low[j], f.high[j] = min(f.low[j], v), max(f.high[j], v)
			}
		}
		time.Sleep(90 * time.Millisecond)
	}
	return all
}

// welcome is the name of the scene directly after joining, in which each server greets.
const welcome = ": welcome"

// clock is the part of the screen with the time. On DDNet-Server the time begins with the map, on
// our server with the first player.
var clock = image.Rect(440, 0, 584, 36)

// difference returns the share of pixels whose colours differ during the whole second, and a
// picture of them.
func difference(a, b *frames) (float64, *image.NRGBA) {
	const tolerance = 24
	img := image.NewNRGBA(a.last.Rect)
	n := 0
	for at := 0; at < len(a.low); at += 4 {
		if image.Pt(at/4%peers.ScreenWidth, at/4/peers.ScreenWidth).In(clock) {
			continue
		}
		differs := false
		for c := range 3 {
			differs = differs || int(a.low[at+c]) > int(b.high[at+c])+tolerance || int(b.low[at+c]) > int(a.high[at+c])+tolerance
		}
		shade := color.NRGBA{a.last.Pix[at] / 4, a.last.Pix[at+1] / 4, a.last.Pix[at+2] / 4, 255}
		if differs {
			n++
			shade = color.NRGBA{255, 0, 0, 255}
		}
		copy(img.Pix[at:], []uint8{shade.R, shade.G, shade.B, shade.A})
	}
	return float64(n) / float64(len(a.low)/4), img
}

// compareScenes moves both clients to a map's sights and compares their screens. Each entry of
// looks has a name and a function that changes the client's view.
func compareScenes(t *testing.T, name string, m *terrain.Terrain, theirs, ours *looker, looks map[string]func(*looker)) {
	t.Helper()
	both := []*looker{theirs, ours}
	places := 0
	for i := range sights {
		s := &sights[i]
		x, y, ok := nearest(m, s)
		if !ok || !testenv.Full() && places == 2 {
			continue
		}
		places++
		errs := make(chan error)
		for _, l := range both {
			go func() { errs <- l.guide.bring(lookerName, x, y) }()
		}
		if a, b := <-errs, <-errs; a != nil || b != nil {
			t.Logf("%s: %s at %d:%d: not reached: %v, %v", name, s.name, x, y, a, b)
			continue
		}
		for lookName, look := range looks {
			for _, l := range both {
				look(l)
			}
			compareScreens(t, fmt.Sprintf("%s: %s, %s", name, s.name, lookName), fmt.Sprintf("tile %d, %d", x, y), both)
		}
		if s.inside {
			for _, l := range both {
				l.guide.renew(lookerName)
			}
		}
	}
	for _, l := range both {
		l.Xdotool("keydown", "Tab")
	}
	compareScreens(t, name+": scoreboard", "Tab", both)
	for _, l := range both {
		l.Xdotool("keyup", "Tab")
	}
}

// compareScreens compares the screens of two clients, and keeps the pictures.
func compareScreens(t *testing.T, scene, place string, both []*looker) {
	t.Helper()
	// After some starts DDNet's client draws the stars of air jumps darker. The 0.7 client shows
	// pings. The wheels of Gold Mine turn by the client's own clock.
	most := 0.002
	if strings.HasPrefix(scene, "Gold Mine ddnet: ") {
		most = 0.005
	}
	var f []frames
	var share float64
	var picture *image.NRGBA
	for range 5 { // a client on a busy machine may be late
		time.Sleep(1500 * time.Millisecond)
		f = watch(both)
		if share, picture = difference(&f[0], &f[1]); share <= most || strings.HasSuffix(scene, welcome) {
			break
		}
	}
	t.Logf("%s (%s): %.2f %% of the pixels differ", scene, place, 100*share)
	if share > most && !strings.HasSuffix(scene, welcome) {
		t.Errorf("%s (%s): %.2f %% of the pixels differ", scene, place, 100*share)
	}
	if dir := os.Getenv("TEEYARD_SHOTS"); dir != "" {
		base := filepath.Join(dir, strings.NewReplacer(" ", "_", ",", "", ":", "").Replace(scene))
		for suffix, img := range map[string]*image.NRGBA{"-a-ddnet.png": f[0].last, "-b-ours.png": f[1].last, "-c-differs.png": picture} {
			testenv.NoError(t, peers.SavePNG(base+suffix, img))
		}
	}
}

// TestScenesOfMaps shows both clients the same places on DDNet-Server 16.4 and on our server, for
// the maps of Debian's ddnet-data, and compares the pictures. If TEEYARD_SHOTS names a folder, the
// pictures are kept there. Without TEEYARD_FULL=1 only the 0.7 client runs, at two places of the
// Tutorial, which has trees from maps7.
func TestScenesOfMaps(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server", "DDNet", "teeworlds")
	for _, name := range []string{"Tutorial", "LearnToPlay", "Gold Mine"} {
		for _, version := range []string{"ddnet", "0.7"} {
			if !testenv.Full() && (name != "Tutorial" || version != "0.7") {
				continue
			}
			t.Run(name+" "+version, func(t *testing.T) {
				m := peers.DDNetTerrain(t, name)
				settings := fmt.Sprintf("sv_rcon_password adminpw; sv_test_cmds 1; sv_map %q", name)
				home, folder := t.TempDir(), t.TempDir()
				peers.WriteFile(t, filepath.Join(home, ".local", "share", "ddnet", "autoexec_server.cfg"), nil) // replaces Debian's
				peers.WriteFile(t, filepath.Join(folder, "maps", name+".map"), testenv.Must(os.ReadFile(filepath.Join(peers.DDNetMaps, name+".map"))))
				var lookers []*looker
				// DDNet-Server shows new players as away only after it has run for sv_max_afk_time.
				for _, s := range []*peers.Server{peers.StartDDNetIn(t, home, settings), peers.StartTeeyardIn(t, folder, settings+"; sv_max_afk_time 0")} {
					l := &looker{guide: newGuide(t, s)}
					lookers = append(lookers, l)
					if version == "ddnet" {
						l.Client = peers.NewDisplay(t).StartDDNet(s.Addr.String(), lookerName, "cl_show_welcome 0")
					} else {
						l.Client = peers.NewDisplay(t).StartTeeworlds(s.Addr.String(), lookerName)
					}
				}
				for _, l := range lookers {
					gaveUp := 0
					peers.Eventually(t, 90*time.Second, "the client is in the game", func() bool {
						gaveUp = l.RetryConnect(gaveUp)
						p, ok := l.guide.FindPlayer(lookerName)
						return ok && p.ID >= 0
					})
				}
				compareScreens(t, name+" "+version+welcome, "joined", lookers)
				time.Sleep(25 * time.Second) // until the greetings are gone
				looks := map[string]func(*looker){"design": func(*looker) {}}
				if version == "ddnet" {
					looks["design"] = func(l *looker) { l.Run("cl_overlay_entities 0") }
					looks["entities"] = func(l *looker) { l.Run("cl_overlay_entities 100") }
				}
				compareScenes(t, name+" "+version, &m, lookers[0], lookers[1], looks)
			})
		}
	}
}
