package viewer

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

// openServed opens the page without its automatic start, with the tests' modules in testdata and
// the files in the map by path. data is as in Rooms, hash the fragment of the address.
func openServed(t testing.TB, data string, files map[string][]byte, hash ...string) *browsertest.Page {
	t.Helper()
	handlers := map[string]http.Handler{}
	for path, b := range files {
		handlers[path] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	}
	return openHandlers(t, data, handlers, strings.Join(hash, ""))
}

// openHandlers is openServed with handlers by path.
func openHandlers(t testing.TB, data string, handlers map[string]http.Handler, hash string) *browsertest.Page {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms(data, nil)...))
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("/viewer/main.js", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/javascript") })
	for path, h := range handlers {
		mux.Handle(path, h)
	}
	return browsertest.Open(t, mux, "/?modules"+hash)
}

// openMadeUp opens the page with the artificial match of testdata/page.js.
func openMadeUp(t *testing.T, hash string, live bool) *browsertest.Page {
	t.Helper()
	p := openServed(t, "", mapFiles(t), hash)
	p.Run(fmt.Sprintf(`import('/test/page.js').then(m => m.start("testbox", %v))`, live))
	p.Wait(`viewer.moment?.ready && viewer.clock.tick > viewer.clock.first && document.getElementById('now').textContent && !viewer.wanted`)
	return p
}

// described returns the handler of rooms and of a server's description, for the frame of the pages.
func described(rooms ...web.Room) http.Handler {
	return web.NewHandler(append(rooms, web.Room{Pattern: "GET /play/info.json", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"name": "<i>yard</i>", "port": 8303, "game_type": "DM", "players": 3, "max_players": 16, "map": {"name": "testbox"}}`)
	})})...)
}

func wantTrue(t *testing.T, p *browsertest.Page, what, expression string) {
	t.Helper()
	if !browsertest.Eval[bool](p, "!!("+expression+")") {
		t.Errorf("%s: %s is false", what, expression)
	}
}

func TestPageControls(t *testing.T) {
	p := openMadeUp(t, "", false)
	press := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			p.Do(chromedp.KeyEvent(k))
		}
	}
	p.Screenshot()
	press(" ")
	wantTrue(t, p, "space", `!viewer.clock.playing`)
	p.Run(`viewer.clock.seek(300.5)`)
	press(".")
	wantTrue(t, p, "a step on", `viewer.clock.tick === 302 || viewer.clock.tick === 301`)
	press("j")
	wantTrue(t, p, "five seconds back", `viewer.clock.tick < 55`)
	press("n")
	wantTrue(t, p, "the next capture", `viewer.clock.tick === 300`)
	press("]", "]")
	wantTrue(t, p, "four times as fast", `viewer.clock.speed === 4`)
	press("f")
	followed := browsertest.Eval[int](p, `viewer.director.followed`)
	press("f")
	if next := browsertest.Eval[int](p, `viewer.director.followed`); next != followed+1 {
		t.Errorf("the next player after %d is %d", followed, next)
	}
	press(kb.Escape)
	wantTrue(t, p, "escape", `viewer.director.followed === -1`)
	x := browsertest.Eval[float64](p, `viewer.camera.x`)
	p.Run(`viewer.director.zoomAt(2, 0, 0)`)
	p.Run(`viewer.director.zoomAt(0.5, 0, 0)`)
	if now := browsertest.Eval[float64](p, `viewer.camera.x`); now-x > 0.01 || x-now > 0.01 {
		t.Errorf("zooming around a point out and in moves the camera from %v to %v", x, now)
	}

	press("t")
	p.Wait(`!document.getElementById('scoreboard').hidden && document.querySelector('#scoreboard tbody button')?.textContent`)
	p.Run(`[...document.querySelectorAll('#scoreboard button')].find(b => b.textContent === 'tee 4').click()`)
	wantTrue(t, p, "a click on a name", `viewer.director.followed === 4`)
	wantTrue(t, p, "watchers", `document.querySelector('#scoreboard .watchers').textContent === 'Watching: a watcher'`)

	// Names and chat are text, and every control has an accessible name.
	p.Wait(`document.getElementById('chat').children.length === 3`)
	wantTrue(
		t,
		p,
		"no HTML from players",
		`!document.querySelector('#stage b, #stage img:not(#loading > img), #stage script') && `+
			`document.getElementById('kills').textContent.includes('<b>bold</b>')`,
	)
	wantTrue(t, p, "labels", `[...document.querySelectorAll('button, select, input')].every(e => (e.getAttribute('aria-label') || e.textContent).trim())`)
}

// TestScoreboardColumns checks that many players fit side by side, and that in team games each team
// has its own columns.
func TestScoreboardColumns(t *testing.T) {
	p := openMadeUp(t, "", false)
	p.Run(`viewer.bar.toggleScores()`)
	for flags, want := range map[int]string{0: "16,16,16,16", 1: "16,4,16,16,12"} {
		p.Run(
			fmt.Sprintf(
				`viewer.match.moment.game.flags = %d, viewer.match.moment.players.forEach((p, i) => Object.assign(p, { active: true, team: i < 20 ? 0 : 1 }))`,
				flags,
			),
		)
		p.Wait(fmt.Sprintf(`[...document.querySelectorAll('#scoreboard tbody')].map(b => b.rows.length).join() === %q`, want))
		p.Wait(`new Set([...document.querySelectorAll('#scoreboard tbody button')].map(b => b.textContent)).size === 64`)
	}
	wantTrue(
		t,
		p,
		"each column of one team",
		`[...document.querySelectorAll('#scoreboard tbody')].every(b => new Set([...b.rows].map(r => r.className.replace(/ (dead|followed)/g, `+
			`''))).size === 1)`,
	)
	wantTrue(
		t,
		p,
		"inside the window",
		`(b => b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight)(document.getElementById('scoreboard').getBoundingClientRect())`,
	)
	p.Screenshot()
}

func TestPageLinks(t *testing.T) {
	p := openMadeUp(t, "#t=4&x=300&y=200&z=1.5", false)
	wantTrue(t, p, "the time of a link", `viewer.clock.tick >= 200 && viewer.clock.tick < 30000`)
	wantTrue(
		t,
		p,
		"the camera of a link",
		`viewer.camera.x === 300 && viewer.camera.y === 200 && viewer.camera.zoom === 1.5 && viewer.director.followed === -1`,
	)
	p.Run(`viewer.clock.playing = false, viewer.clock.seek(100), viewer.director.follow(2)`)
	if link := browsertest.Eval[string](p, `viewer.link()`); !strings.HasSuffix(link, "/?modules#t=2.0&p=%3Cb%3Ebold%3C%2Fb%3E+%26+%22quoted%22&z=1.5") {
		t.Errorf("link %s", link)
	}
	p.Run(`location.hash = new URL(viewer.link()).hash.replace('t=2.0', 't=3.0'), viewer.director.free()`)
	p.Wait(`viewer.clock.tick === 150 && viewer.director.followed === 2`)
	p.Run(`location.hash = '#t=x&x=NaN&z=1e9&p='`)
	p.Wait(`!viewer.wanted`)
	wantTrue(t, p, "nonsense in a link", `viewer.clock.tick === 150 && viewer.camera.zoom === 1.5`)
}

func TestPageLive(t *testing.T) {
	p := openMadeUp(t, "", true)
	wantTrue(t, p, "live", `viewer.clock.following && !document.querySelector('.live').hidden`)
	wantTrue(t, p, "a link to the match", `(viewer.match.id = 'a-1', new URL(viewer.link()).searchParams.get('match') === 'a-1')`)
	p.Run(`viewer.match.lastTick = 5000`) // a burst of ticks has arrived
	p.Wait(`viewer.clock.tick > 4800`)
	wantTrue(t, p, "rewound", `(viewer.skip(-20), !viewer.clock.following && viewer.clock.tick <= 4000)`)
	p.Do(chromedp.Click(chromedp.CSS("#buttons .live")))
	p.Wait(`viewer.clock.following && viewer.clock.tick > 4800`)
}

// TestSizeOfPage checks the bytes that a browser loads before the first picture.
func TestSizeOfPage(t *testing.T) {
	total := 0
	for _, url := range []string{"/", "/viewer/bundle.js", "/viewer/bundle.css"} {
		n := testenv.Must(io.Copy(io.Discard, ask("GET", url, "Accept-Encoding", "gzip").Body))
		t.Logf("%s: %d bytes compressed", url, n)
		total += int(n)
	}
	testenv.Check(t, total <= 100<<10, "the page has %d bytes compressed, more than 100 KB", total)
}

// TestBundledPage checks that the page works as a server serves it, with one script and one
// stylesheet, and that a second visit loads nothing but the page.
func TestBundledPage(t *testing.T) {
	b := &broadcaster{asked: map[string]int{}, infos: map[string]string{}}
	b.set("", false, -1)
	loaded := map[string]int{}
	var mu sync.Mutex
	rooms := web.NewHandler(Rooms("", nil)...)
	p := browsertest.Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/live.json":
			b.ServeHTTP(w, r)
		case path == "/play/info.json", path == "/status.json":
			w.Write([]byte("{}"))
		default:
			mu.Lock()
			loaded[path]++
			mu.Unlock()
			rooms.ServeHTTP(w, r)
		}
	}), "/")
	p.Wait(`document.getElementById('status').textContent === 'No match is running.'`)
	p.Goto("/")
	p.Wait(`document.getElementById('status').textContent === 'No match is running.'`)
	mu.Lock()
	defer mu.Unlock()
	for path, n := range loaded {
		want := 1
		if path == "/" || strings.HasPrefix(path, "/viewer/data/") {
			want = 2
		}
		testenv.Check(t, n == want && (!strings.HasSuffix(path, ".js") || path == "/viewer/bundle.js"), "%s is loaded %d times", path, n)
	}
}

// TestTouch checks that two fingers zoom, one moves the camera, and a tap follows a tee.
func TestTouch(t *testing.T) {
	p := openMadeUp(t, "#x=1000&y=400&z=1", false)
	p.Touch(input.DispatchTouchEventTypeTouchStart, [2]float64{600, 300}, [2]float64{700, 300})
	p.Touch(input.DispatchTouchEventTypeTouchMove, [2]float64{550, 300}, [2]float64{750, 300})
	p.Touch(input.DispatchTouchEventTypeTouchEnd)
	p.Wait(`Math.abs(viewer.camera.zoom - 0.5) < 0.02`)
	x := browsertest.Eval[float64](p, `viewer.camera.x`)
	p.Touch(input.DispatchTouchEventTypeTouchStart, [2]float64{600, 300})
	p.Touch(input.DispatchTouchEventTypeTouchMove, [2]float64{500, 300})
	p.Touch(input.DispatchTouchEventTypeTouchEnd)
	p.Wait(fmt.Sprintf(`Math.abs(viewer.camera.x - %f - 100 * viewer.camera.unit) < 12`, x))
	at := browsertest.Eval[[2]float64](
		p,
		`(() => { const c = viewer.camera, t = viewer.moment.tees.items[3]; return [(t.x - c.worldX(0)) / c.unit, (t.y - c.worldY(0)) / c.unit]; })()`,
	)
	p.Touch(input.DispatchTouchEventTypeTouchStart, at)
	p.Touch(input.DispatchTouchEventTypeTouchEnd)
	p.Wait(`viewer.director.followed === viewer.moment.tees.items[3].id`)
}

func TestReplaysPage(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	maps := 0
	mux.HandleFunc("/map/0a1b", func(w http.ResponseWriter, _ *http.Request) {
		maps++
		w.Write(mapFiles(t)["/maps/yardrun"])
	})
	mux.HandleFunc("/replays.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"replays": [
			{"match": "20261122-143000-77ab01fe", "demo": "/b/20261122-143000-77ab01fe.demo", "map": {"name": "yard1", "sha256": "0a1b", "size": 9},
				"game_type": "CTF", "start": "2026-11-22T14:30:00Z", "length": 612, "size": 1893410, "team_scores": [200, 300],
				"players": [{"name": "bert", "team": 0, "score": 14}, {"name": "<i>anna</i>", "clan": "", "team": 1, "score": 12}]},
			{"match": "x\"y", "demo": "javascript:alert(1)", "map": {"name": "dm1"}, "game_type": "DM", "start": "",
				"length": 1, "size": 1, "players": []},
			{"match": "20261101-143000-77ab01fe", "demo": "/b/20261101-143000-77ab01fe.demo", "map": {"name": "yard1", "sha256": "0a1b"}, "game_type": "CTF",
				"start": "2026-11-01T14:30:00Z", "length": 612, "size": 1, "players": [{"name": "bolt", "score": 2, "bot": true}]}]}`))
	})
	mux.HandleFunc("/recordings.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(
			[]byte(
				`{"recordings": [{"name": "demos/a #1.demo", "demo": "/recordings/demos/a%20%231.demo", "map": {"name": "ctf2"}, "game_type": "",
					"start": "2026-11-21T14:30:00Z", "length": 5, "size": 9, "players": [{"name": "carl", "score": 0}], "num_players": 20, "has_result": false},
			{"name": "teehistorian/1.teehistorian", "demo": "/recordings/teehistorian/1.teehistorian.demo", "map": {"name": "run"}, "game_type": "Race",
				"start": "2026-11-20T14:30:01Z", "length": 5, "size": 9, "players": []},
			{"name": "demos/run.demo", "demo": "/recordings/demos/run.demo", "map": {"name": "run"}, "game_type": "", "start": "2026-11-20T14:30:05Z",
				"length": 0, "size": 2499000, "players": []},
			{"name": "replays/r.twreplay", "demo": "/recordings/replays/r.twreplay.demo", "map": {"name": "run"}, "game_type": "Race",
				"start": "2026-11-20T14:30:00Z", "length": 5, "size": 9,
			 "players": [{"name": "dora", "score": 65432}, {"name": "eve", "score": -1}], "num_players": 2, "has_result": true, "race": true}]}`,
			),
		)
	})
	p := browsertest.Open(t, mux, "/replays")
	const matches = `[...document.querySelectorAll('#replays section > ul > li')]`
	p.Wait(matches + `.length === 6`)
	check := func(what, expression, want string) {
		t.Helper()
		got := browsertest.Eval[string](p, expression)
		testenv.Check(t, got == want, "%s: %q, want %q", what, got, want)
	}
	texts := func(n int, selector string) string {
		return fmt.Sprintf(`[...%s[%d].querySelectorAll('%s')].map(e => e.textContent).join('|')`, matches, n, selector)
	}
	p.Screenshot()
	wantTrue(t, p, "text is text", `!document.querySelector('#replays i')`)
	accessible(t, p, "the list")
	check("players, the winners first", texts(0, ".players li"), "<i>anna</i> 12|bert 14")
	check("result", texts(0, ".result"), "200 : 300 Blue wins")
	check("links", `[...document.querySelectorAll('#replays a.title')].map(a => a.getAttribute('href')).join('|')`, "./?match=20261122-143000-77ab01fe|"+
		"./?demo=recordings%2Fdemos%2Fa%2520%25231.demo|./?demo=recordings%2Fdemos%2Frun.demo|./?demo=recordings%2Freplays%2Fr.twreplay.demo|"+
		"./?match=20261101-143000-77ab01fe|./?match=x%22y")
	check("downloads", `[...document.querySelectorAll('#replays a.download')].map(a => a.getAttribute('href') + ' ' + a.textContent).join('|')`,
		"b/20261122-143000-77ab01fe.demo 1.9 MB|recordings/demos/a%20%231.demo 1 kB|recordings/demos/run.demo 2.5 MB|recordings/replays/r.twreplay.demo Demo|"+
			"b/20261101-143000-77ab01fe.demo 1 kB")
	check("players of a file", texts(1, ".players li"), "carl|19 more|demos/a #1.demo")
	check("a log", texts(3, ".result, .players li"), "dora in 1:05.43|dora 1:05.43|eve|replays/r.twreplay")
	check("what is of the same match", texts(3, ".links a:not(.download)"), "Teehistorian")
	wantTrue(t, p, "a short one", matches+`[2].textContent.includes('less than a second')`)
	// Matches of bots are folded.
	const hidden = matches + `.map(e => e.hidden).join()`
	check("matches of bots", hidden, "false,false,false,false,true,false")
	check("what is hidden", `document.querySelector('#replays [role=status]').textContent`, "5 matches. One match of bots only is hidden.")
	p.Run(`document.querySelector('#replays .switch input').click()`)
	check("shown", hidden, "false,false,false,false,false,false")
	p.Run(`(() => { const s = document.querySelector('#replays input[type=search]'); s.value = 'ANNA yard'; s.dispatchEvent(new Event('input')); })()`)
	check("search", hidden, "false,true,true,true,true,true")
	check("found", `document.querySelector('#replays [role=status]').textContent`, "One match.")
	check("days without matches are hidden", `[...document.querySelectorAll('#replays section')].map(e => e.hidden).join()`, "false,true,true,true,true")
	// The picture shows the ground of the map, which is loaded once.
	p.Run(`(() => { const s = document.querySelector('#replays input[type=search]'); s.value = ''; s.dispatchEvent(new Event('input')); scrollTo(0, 1e6); })()`)
	const colors = `new Set(new Uint32Array(c.getContext('2d').getImageData(128, 0, 1, c.height).data.buffer)).size`
	p.Wait(`[0, 4].every(n => (c => c.width === 256 && (rows => rows > 3 && rows < c.height)(` + colors + `))(` + matches + `[n].querySelector('canvas')))`)
	testenv.Check(t, maps == 1, "the map is loaded %d times", maps)
	// The others are landscapes with words in white.
	const white = `.map(e => (c => new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)` +
		`.filter(p => p === 0xffffffff).length > 50)(e.querySelector('canvas'))).join()`
	p.Wait(matches + white + ` === 'false,true,true,true,false,true'`)
	p.Screenshot()
	p.Run(`scrollTo(0, 0)`)
	layout(t, p, `#frame, #replays h1, #replays .tools, #replays [role=status], #replays section > ul > li > *`)
}

// TestNoReplays checks that an empty list explains how to fill it.
func TestNoReplays(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.HandleFunc("/replays.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"replays": []}`)) })
	mux.HandleFunc("/recordings.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"recordings": []}`)) })
	p := browsertest.Open(t, mux, "/replays")
	p.Wait(`document.querySelector('#replays [role=status]')?.textContent.includes('ten seconds')`)
}

// TestPageShowsDemo opens a demo in the page as a user does.
func TestPageShowsDemo(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.HandleFunc("/live.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"match":"","reason":"The match is not broadcast."}`))
	})
	b := record(t, 16, 1500)
	mux.HandleFunc("/some.demo", func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	p := browsertest.Open(t, mux, "/#t=6&z=1.2")
	p.Wait(`document.querySelector('input[type=file]')`)
	p.Run(`(async () => {
		const files = new DataTransfer();
		files.items.add(new File([await (await fetch('/some.demo')).arrayBuffer()], 'some.demo'));
		const input = document.querySelector('input[type=file]');
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	})()`)
	p.Wait(`document.getElementById('now').textContent.startsWith('0:07')`)
	if colors := colorsOf(p.Screenshot()); colors < 1000 {
		t.Errorf("the picture has %d colours", colors)
	}
	wantTrue(t, p, "players", `document.querySelectorAll('select[aria-label="player to follow"] option').length === 18`)
	wantTrue(t, p, "no complaint", `document.getElementById('status').textContent === ''`)
}

func colorsOf(img image.Image) int {
	seen := make(map[color.Color]bool)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen)
}
