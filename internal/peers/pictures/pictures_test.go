//go:build peers

package pictures

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) { peers.Main(browsertest.Tests{M: m}) }

// quality is the quality of the WebP files.
const quality = 82

// The largest sizes of a picture and of the animation, in bytes. Readers load them with a page.
const maxPicture, maxAnimation = 160 << 10, 1500 << 10

var (
	laptop = browsertest.Size{Name: "laptop", Width: 1280, Height: 720}
	phone  = browsertest.Size{Name: "phone", Width: 390, Height: 844, Phone: true}
	tilted = browsertest.Size{Name: "tilted phone", Width: 844, Height: 390, Phone: true}
)

// TestPictures makes all pictures. TEEYARD_PICTURES names the folder to write them to; without it
// the test checks that those of a recorded match can be made, and with testenv.Full the others.
func TestPictures(t *testing.T) {
	peers.RequirePrograms(t, "chromium")
	s := &studio{dir: os.Getenv("TEEYARD_PICTURES")}
	s.short = s.dir == "" && !testenv.Full()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	t.Run("recorded", s.recorded)
	if s.short {
		return // the others wait for minutes
	}
	t.Run("live", s.live)
	t.Run("admin", s.admin)
	t.Run("infection", s.infection)
	t.Run("ddrace", s.ddrace)
}

// studio makes pictures.
type studio struct {
	dir   string
	short bool
}

// save writes a picture.
func (s *studio) save(t *testing.T, name string, file []byte, limit int) {
	t.Helper()
	testenv.Check(t, len(file) > 2000 && len(file) <= limit, "%s has %d bytes", name, len(file))
	testenv.NoError(t, os.WriteFile(filepath.Join(s.dir, name+".webp"), file, 0o644))
}

// shoot writes a picture of a page's window.
func (s *studio) shoot(t *testing.T, p *browsertest.Page, name string) {
	t.Helper()
	s.save(t, name, p.WebP(quality), maxPicture)
}

// steps replaces the time between the frames of a page: step(ms) draws the next one. Until held is
// set, frames follow by themselves.
const steps = `(() => {
	let queue = [], now = 0, id = 0;
	globalThis.requestAnimationFrame = (f) => { queue.push(f); return ++id; };
	globalThis.step = (ms) => {
		now += ms;
		const due = queue;
		queue = [];
		for (const f of due) f(now);
	};
	setInterval(() => { if (!globalThis.held) step(16); }, 16);
})();
localStorage.setItem('teeyard look', 'own');`

// open opens a page of a server with the rights of the local user.
func open(t *testing.T, s *peers.Server, home, path string, size browsertest.Size) *browsertest.Page {
	t.Helper()
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(home, "http.key")))))
	p := browsertest.OpenAt(t, "http://"+strings.Replace(s.Addr.String(), "127.0.0.1", "localhost", 1), "/play?key="+key)
	p.Run(`localStorage.setItem('teeyard look', 'own')`)
	p.Resize(size)
	p.Goto(path)
	return p
}

// start starts a server with the settings of all pictures.
func start(t *testing.T, home, settings string) *peers.Server {
	t.Helper()
	return peers.StartTeeyardIn(t, home, `sv_name "The Yard"; sv_max_clients 16; sv_player_slots 12; sv_rcon_password pw; sv_warmup 0; `+
		`sv_scorelimit 400; sv_http_replays all; sv_live_delay 0; `+settings)
}

// recorded shows a recorded match, and an animation of it.
func (s *studio) recorded(t *testing.T) {
	home := t.TempDir()
	logs := filepath.Join(home, "replays")
	testenv.NoError(t, os.Mkdir(logs, 0o755))
	record(t, logs, match{"evening.twreplay", "ctf5", "ctf", time.Date(2026, 11, 20, 20, 15, 0, 0, time.UTC), 10, 90 * time.Second, 3, 400})
	server := start(t, home, "sv_map dm1")
	p := open(t, server, home, "/replays", laptop)
	p.RunFirst(steps)
	at := func(second float64, player string) {
		p.Goto("/replays")
		p.Goto(fmt.Sprintf("/?demo=recordings/replays/evening.twreplay.demo#t=%.2f&p=%s", second, player))
		p.Wait(`document.querySelector('#stage.drawn')`)
		p.Run(`globalThis.held = true`)
	}
	at(watchedAt, watchedPlayer)
	calm, count := 60, animatedFrames // drawings until the camera is calm, and of the animation
	if s.short {
		calm, count = 2, 3
	}
	p.Run(fmt.Sprintf(`(async () => { for (let i = 0; i < %d; i++) { step(16); await new Promise((f) => setTimeout(f)); } })()`, calm))
	s.shoot(t, p, "watch")

	p.Do(chromedp.EmulateViewport(960, 540, chromedp.EmulateScale(2./3)))
	at(animatedFrom, animatedPlayer)
	p.Run(`document.styleSheets[0].insertRule('#frame, #bar, #minimap, #plate, #tee, #stage::before { display: none !important }'),
		document.styleSheets[0].insertRule('#kills { top: 12px !important }')`)
	var frames [][]byte
	for range count {
		p.Run(`(async () => { for (let i = 0; i < 4; i++) step(20); await new Promise((f) => setTimeout(f)); })()`)
		frames = append(frames, p.WebP(animatedQuality))
	}
	file := testenv.Must(Animate(frames, 640, 360, 80*time.Millisecond))
	s.save(t, "match", file, maxAnimation)
	p.Goto("/replays")
	encoded := testenv.Must(json.Marshal(file)) // base64
	got := browsertest.Eval[[]int](p, `(async () => {
		const data = Uint8Array.from(atob(`+string(encoded)+`), (c) => c.charCodeAt(0));
		const decoder = new ImageDecoder({ data, type: 'image/webp' });
		await decoder.tracks.ready;
		const { image } = await decoder.decode({ frameIndex: `+fmt.Sprint(count-1)+` });
		return [decoder.tracks.selectedTrack.frameCount, image.displayWidth, image.displayHeight];
	})()`)
	testenv.Check(t, fmt.Sprint(got) == fmt.Sprint([]int{count, 640, 360}), "the animation has %d frames of %d x %d", got[0], got[1], got[2])
}

// The parts of the recorded match that look well.
const (
	watchedAt, watchedPlayer     = 30.0, "kitty"
	animatedFrom, animatedPlayer = 24.5, "kitty"
	animatedFrames               = 85
	animatedQuality              = 66
)

// crowd joins players that are moved by bots, until the test ends.
func crowd(t *testing.T, s *peers.Server, n int) {
	t.Helper()
	maps, navs := client.NewMaps(t.TempDir()), make(chan *bot.NavGraph, 1)
	navs <- nil
	swarm := peers.Join(t, s, load.Config{Clients: n, Configure: func(i int, cfg *client.Config) {
		cfg.Name, cfg.Skin, cfg.Maps, cfg.NoMap = names[i], skin(i), maps, false
		cfg.OnEvent = func(*client.Client, event.Event) {}
		var b *bot.Bot
		cfg.Play = func(c *client.Client, v *game.View) game.Input {
			if b == nil {
				nav := <-navs
				if nav == nil {
					nav, _ = bot.NewNavGraph(c.Map().Terrain, nil)
				}
				navs <- nav
				b, _ = bot.New(bot.Config{Nav: nav, Seed: uint64(i), Skill: bot.MaxSkill})
			}
			return b.NextInput(v)
		}
	}})
	t.Cleanup(swarm.Stop)
}

// live shows the page that plays: before the match, in it, and on a phone.
func (s *studio) live(t *testing.T) {
	home := t.TempDir()
	server := start(t, home, "sv_map ctf5; sv_gametype ctf")
	crowd(t, server, 9)
	p := open(t, server, home, "/play", laptop)
	p.Run(`teeyard.settings.set('name', 'Olive')`)
	p.Goto("/play")
	p.Run(`teeyard.resolution.update = () => false, undefined`)
	p.Wait(`document.querySelector('#card .play:not(:disabled)') && teeyard.watching.moment?.ready`)
	time.Sleep(8 * time.Second) // some kills
	s.shoot(t, p, "lobby")

	p.Resize(tilted)
	p.Run(`document.querySelector('#card .play').click()`)
	p.Wait(`teeyard.connection.playing && teeyard.connection.match.own`)
	p.Run(player)
	time.Sleep(6 * time.Second) // icons are drawn, and the page has seen some kills
	p.Run(`teeyard.touch.start()`)
	s.best(t, p, "play-phone")

	rcon(t, server, "sv_gametype dm; sv_map dm1") // a small map in daylight
	p.Resize(laptop)
	p.Goto("/play")
	p.Wait(`document.querySelector('#card .play:not(:disabled)')`)
	p.Run(`teeyard.resolution.update = () => false, undefined`)
	p.Run(`document.querySelector('#card .play').click()`)
	p.Wait(`teeyard.connection.playing && teeyard.connection.match.own`)
	p.Run(player)
	time.Sleep(6 * time.Second)
	s.best(t, p, "play")

	for _, m := range []string{"sv_gametype ctf; sv_map ctf2", "sv_gametype tdm; sv_map dm8", "sv_map dm6"} {
		rcon(t, server, m)
		time.Sleep(20 * time.Second) // the list has matches of ten seconds or more
	}
	p.Resize(laptop)
	p.Goto("/replays")
	p.Wait(`document.querySelectorAll('#replays .days canvas').length >= 4`)
	time.Sleep(3 * time.Second) // the pictures of the maps are drawn one after the other
	s.shoot(t, p, "replays")
}

// rcon runs lines on a server's console.
func rcon(t *testing.T, s *peers.Server, lines ...string) {
	t.Helper()
	if out, err := peers.RunTeeyard(t, "pw", append([]string{"rcon", s.Addr.String()}, lines...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// player moves the tee of the page: towards the nearest other one, jumping and shooting.
const player = `(() => {
	const { input, connection } = teeyard;
	let n = 0;
	const set = (action, on) => input[on ? 'press' : 'release'](action, 'picture');
	setInterval(() => {
		const m = teeyard.moment, { own } = connection.match;
		if (!m || !own) return;
		n++;
		let [near, at] = [1e9, null];
		for (const t of m.tees.items.slice(0, m.tees.length)) {
			const d = Math.hypot(t.x - own.x, t.y - own.y);
			if (t.id !== connection.engine.self && d < near) [near, at] = [d, t];
		}
		const x = at ? at.x - own.x : 200, y = at ? at.y - own.y : 0;
		[input.x, input.y] = [x * 300 / Math.max(300, Math.hypot(x, y)), y * 300 / Math.max(300, Math.hypot(x, y))];
		set('right', at ? x > 80 : n % 80 < 40);
		set('left', at ? x < -80 : n % 80 >= 40);
		set('jump', n % 9 < 2);
		set('fire', near < 600 && n % 6 < 3);
		set('hook', n % 40 < 14);
	}, 50);
})()`

// best takes the picture of the moment in which most happens around the own tee.
func (s *studio) best(t *testing.T, p *browsertest.Page, name string) {
	t.Helper()
	var file []byte
	p.Run(`globalThis.most = 0`)
	for end := time.Now().Add(watchFor); time.Now().Before(end) || file == nil; time.Sleep(20 * time.Millisecond) {
		better := browsertest.Eval[bool](p, `(() => {
			const m = teeyard.moment, { own } = teeyard.connection.match, { camera } = teeyard;
			const drawn = document.querySelector('#own [aria-current] .icon')?.style.backgroundImage;
			if (!m || !own || own.health < 3 || teeyard.overlays.open || !/url/.test(drawn)) return false;
			const seen = (o) => Math.abs(o.x - camera.x) < camera.width * 0.42 && Math.abs(o.y - camera.y) < camera.height * 0.4;
			const count = (l) => l.items.slice(0, l.length).filter(seen).length;
			const value = 3 * Math.min(count(m.tees), 5) + 2 * Math.min(count(m.projectiles), 2) + count(m.lasers) + 2 * count(m.flags) +
				Math.min(document.querySelectorAll('#kills li').length, 2);
			if (value <= most) return false;
			globalThis.most = value;
			globalThis.frameOf = teeyard.frame;
			teeyard.frame = () => {}; // the moment stays
			return true;
		})()`)
		if better {
			file = p.WebP(quality)
			p.Run(`teeyard.frame = frameOf`)
		}
	}
	t.Logf("%s: %v", name, browsertest.Eval[int](p, `most`))
	s.save(t, name, file, maxPicture)
}

// watchFor is how long the script waits for a good moment.
const watchFor = 35 * time.Second

// admin shows the page of operators.
func (s *studio) admin(t *testing.T) {
	home := t.TempDir()
	server := start(t, home, `sv_map dm1; add_vote "Map: dm1" sv_map dm1; add_vote "Map: dm6" sv_map dm6; `+
		`add_vote "Map: ctf5" "sv_gametype ctf; sv_map ctf5"; add_vote "Restart the match" restart; sv_bots 8; ban 203.0.113.0/24 60 spam`)
	crowd(t, server, 5)
	p := open(t, server, home, "/admin", laptop)
	p.Wait(`!document.getElementById('sign-in').hidden`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "pw\r"))
	p.Wait(`document.querySelectorAll('#panel-players tbody tr').length >= 8`)
	rcon(t, server, "say Welcome to the yard. The next match starts at eight.", "say Vote for a map with F3.")
	time.Sleep(65 * time.Second) // the graphs fill
	s.shoot(t, p, "admin")
	for _, tab := range []struct{ name, ready, file string }{
		{"maps", `document.querySelectorAll('#panel-maps .map-names button').length > 2`, "admin-votes"},
		{"graphs", `[...document.querySelectorAll('#panel-graphs .figure')].every((e) => e.textContent)`, "admin-graphs"},
		{"settings", `document.querySelectorAll('.setting').length > 5`, "admin-settings"},
	} {
		p.Run(`document.getElementById('tab-` + tab.name + `').click()`)
		p.Wait(tab.ready)
		time.Sleep(time.Second)
		s.shoot(t, p, tab.file)
	}
	p.Resize(phone)
	p.Run(`document.getElementById('tab-players').click()`)
	time.Sleep(time.Second)
	s.shoot(t, p, "admin-phone")
}

// infection and ddrace show other game types.
func (s *studio) infection(t *testing.T) {
	s.mode(t, "infection", "sv_map ctf5; sv_gametype infection; sv_bots 10", 12)
}

func (s *studio) ddrace(t *testing.T) {
	s.mode(t, "ddrace", "sv_map Tutorial; sv_gametype ddrace; sv_bots 4", 25)
}

// mode shows the match of bots as viewers see it, some seconds after its start.
func (s *studio) mode(t *testing.T, name, settings string, seconds int) {
	home := t.TempDir()
	if from := "/usr/share/games/ddnet/data/maps/Tutorial.map"; name == "ddrace" {
		peers.WriteFile(t, filepath.Join(home, "maps", "Tutorial.map"), testenv.Must(os.ReadFile(from)))
	}
	server := start(t, home, settings)
	p := open(t, server, home, "/replays", laptop)
	p.RunFirst(steps)
	time.Sleep(time.Duration(seconds) * time.Second)
	p.Goto("/")
	p.Wait(`document.querySelector('#stage.drawn')`)
	time.Sleep(3 * time.Second)
	p.Run(`globalThis.held = true`)
	s.shoot(t, p, name)
}
