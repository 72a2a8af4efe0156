package admin

import (
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// openConsole opens the page in a browser and signs in.
func openConsole(t *testing.T, w *world) *browsertest.Page {
	t.Helper()
	p := browsertest.Open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/viewer/icon.svg": // of the spectators' page
			rw.WriteHeader(http.StatusNoContent)
			return
		case "/play/info.json":
			io.WriteString(rw, `{"name":"the <b>yard</b>","port":8303,"players":2,"max_players":8}`)
			return
		case "/": // the spectators' page
			io.WriteString(rw, "<!doctype html><title>The match</title>")
			return
		}
		w.rooms.ServeHTTP(rw, r)
	}), w.key.Link("/admin"))
	p.Wait(`!document.getElementById('sign-in').hidden`)
	if got := browsertest.Eval[string](p, `location.search`); got != "" {
		t.Errorf("the key stays in the address: %s", got)
	}
	return p
}

// screenshot writes a picture to the folder that TEEYARD_SCREENSHOTS names.
func screenshot(t *testing.T, p *browsertest.Page, name string) {
	if dir := os.Getenv("TEEYARD_SCREENSHOTS"); dir != "" {
		f := testenv.Must(os.Create(dir + "/admin-" + name + ".png"))
		defer f.Close()
		testenv.NoError(t, png.Encode(f, p.Screenshot()))
	}
}

const visible = `(s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility())`

// TestConsolePage uses the page as an operator does: it signs in, lists the players, kicks one,
// changes the map and reads the log.
func TestConsolePage(t *testing.T) {
	w := newWorld(t, "sv_inactivekick_time 0") // test machines are slow
	p := openConsole(t, w)
	w.join("10.0.0.7", "<img src=x>")
	bad := w.join("10.0.0.8", "<i>bad</i>")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() { // advance the server's time
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(40 * time.Millisecond):
				w.run(40 * time.Millisecond)
			}
		}
	}()
	defer func() { close(stop); <-done }()
	screenshot(t, p, "sign-in")

	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "wrong\r"))
	p.Wait(`document.getElementById('sign-in-error').textContent === 'wrong password'`)
	if problems := p.Expect(); len(problems) > 1 || len(problems) == 1 && !strings.Contains(problems[0], "401") {
		t.Errorf("%q", problems)
	}
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "adminpw\r"))
	p.Wait(`(` + visible + `)('#panel-players tbody tr').length === 2`)
	if n := browsertest.Eval[int](p, `document.querySelectorAll('#app img, #app i').length`); n != 0 {
		t.Error("names are taken for HTML")
	}
	if got := browsertest.Eval[string](p, `document.querySelector('#panel-players tbody tr td:nth-child(2)').textContent`); got != "<img src=x>" {
		t.Errorf("the name is shown as %q", got)
	}
	if got := browsertest.Eval[string](p, `document.querySelector('#frame strong').textContent`); got != "the <b>yard</b>" {
		t.Errorf("the server is called %q", got)
	}
	screenshot(t, p, "players")

	p.Do(chromedp.Click(chromedp.CSS(`[data-action="Mute1"]`)), chromedp.KeyEvent(kb.Escape))
	p.Wait(`document.activeElement.dataset.action === 'Mute1' && !document.querySelector('dialog')`)
	p.Do(chromedp.Click(chromedp.CSS(`[data-action="Kick1"]`)))
	p.Do(chromedp.SendKeys(chromedp.CSS("#field-reason"), `so "bad"; shutdown`))
	screenshot(t, p, "kick")
	p.Do(chromedp.SendKeys(chromedp.CSS("#field-reason"), "\r"))
	p.Wait(`(` + visible + `)('#panel-players tbody').length && document.querySelectorAll('#panel-players > div:first-child tbody tr').length === 1`)
	w.mu.Lock()
	if bad.Reason != `Kicked (so "bad"; shutdown)` {
		t.Errorf("the player is told %q", bad.Reason)
	}
	w.mu.Unlock()

	p.Do(chromedp.Click(chromedp.CSS("#tab-maps")))
	p.Wait(`document.querySelector('#panel-maps .figure').textContent === 'teeyard1 · DM'`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#map"), "testbox"))
	p.Run(`[...document.querySelectorAll('#panel-maps button')].find((b) => b.textContent === 'Change at once').click()`)
	p.Wait(`document.querySelector('#panel-maps .figure').textContent === 'testbox · DM'`)
	screenshot(t, p, "maps")

	p.Do(chromedp.Click(chromedp.CSS("#tab-log")))
	p.Wait(`document.querySelector('#panel-log .log').textContent.includes('rcon=')`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#panel-log input"), "KICKED"))
	p.Wait(
		`(` + visible + `)('#panel-log .log p').length >= 1 && (` + visible +
			`)('#panel-log .log p').every((e) => e.textContent.toLowerCase().includes('kicked'))`,
	)
	screenshot(t, p, "log")

	// The page keeps a limited number of lines, however long it is open.
	p.Run(`(() => { const i = document.querySelector('#panel-log input'); i.value = ''; i.dispatchEvent(new Event('input')); })()`)
	for range 2500 {
		w.Execute("echo line")
	}
	w.Execute("echo the last line")
	w.run(time.Second)
	p.Do(chromedp.Click(chromedp.CSS("#tab-players")), chromedp.Click(chromedp.CSS("#tab-log")))
	p.Wait(`document.querySelector('#panel-log .log').textContent.includes('the last line')`)
	if n := browsertest.Eval[int](p, `document.querySelectorAll('#panel-log .log p').length`); n < 100 || n > 2000 {
		t.Errorf("the page has %d lines of the log", n)
	}

	p.Do(chromedp.Click(chromedp.CSS("#tab-console")))
	p.Do(chromedp.SendKeys(chromedp.CSS("#panel-console input"), "sv_score"))
	p.Wait(`document.querySelectorAll('#suggestions li').length > 0`)
	screenshot(t, p, "console")
	p.Do(chromedp.SendKeys(chromedp.CSS("#panel-console input"), "\t5\r"))
	p.Wait(`document.querySelector('#panel-console .log').textContent.includes('sv_scorelimit 5')`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#panel-console input"), "sv_scorelimit\r"))
	p.Wait(`document.querySelector('#panel-console .log').textContent.includes('Value: 5')`)

	p.Do(chromedp.Click(chromedp.CSS("#tab-settings")))
	p.Wait(`document.getElementById('setting-sv_scorelimit')?.value === '5'`)
	p.Run(`[...document.querySelectorAll('.subjects button')].find((b) => b.textContent.startsWith('Match')).click()`)
	p.Do(chromedp.Click(chromedp.CSS("#setting-sv_teamdamage")))
	p.Wait(`document.getElementById('toast').textContent.includes('sv_teamdamage')`)
	if on := browsertest.Eval[bool](p, `document.getElementById('setting-sv_rcon_password').value === ''`); !on {
		t.Error("a password is shown")
	}
	screenshot(t, p, "settings")

	p.Do(chromedp.Click(chromedp.CSS("#tab-graphs")))
	p.Wait(`document.querySelector('#panel-graphs .figure').textContent.endsWith(' ms')`)
	screenshot(t, p, "graphs")
	checkLabels(t, p)

	p.Do(chromedp.EmulateViewport(390, 800, chromedp.EmulateMobile))
	p.Do(chromedp.Click(chromedp.CSS("#tab-players")))
	p.Wait(`document.querySelectorAll('#panel-players tbody tr').length > 0`)
	if wide := browsertest.Eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
	screenshot(t, p, "phone")

	p.Do(chromedp.Click(chromedp.CSS("#sign-out")))
	p.Wait(`!document.getElementById('sign-in').hidden`)
	w.expectAudit(`"command":"sv_map \"testbox\""`)
}

// checkLabels checks that every control has an accessible name, and that the Tab key reaches the
// controls in order.
func checkLabels(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, tab := range browsertest.Eval[[]string](p, `[...document.querySelectorAll('[role=tab]')].map((e) => e.id)`) {
		p.Run(`document.getElementById('` + tab + `').click()`)
		p.Run(`new Promise((r) => setTimeout(r, 100))`)
		for _, bad := range browsertest.Eval[[]string](p, `(`+visible+`)('button, input, select, a, [role=log], canvas').filter((e) =>
			!(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).map((e) => e.outerHTML.slice(0, 200))`) {
			t.Errorf("%s: without a name: %s", tab, bad)
		}
	}
	for _, bad := range browsertest.Eval[[]string](p, `[...document.querySelectorAll('[role=tab]')].filter((tab) => {
		const panel = document.getElementById(tab.getAttribute('aria-controls'));
		const chosen = tab.ariaSelected === 'true';
		return panel?.getAttribute('role') !== 'tabpanel' || panel.getAttribute('aria-labelledby') !== tab.id || panel.hidden === chosen ||
			tab.tabIndex !== (chosen ? 0 : -1);
	}).map((tab) => tab.id)`) {
		t.Errorf("the roles of %s are wrong", bad)
	}
	for _, id := range browsertest.Eval[[]string](p, `[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)`) {
		t.Errorf("two elements have the id %s", id)
	}
	p.Run(`document.getElementById('tab-players').focus(); document.getElementById('tab-players').click()`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight)) // right arrow
	if got := browsertest.Eval[string](p, `document.activeElement.id`); got != "tab-log" {
		t.Errorf("the arrow key leads to %q", got)
	}
	if got := browsertest.Eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`); got != "solid" {
		t.Errorf("the outline of the focused tab is %q", got)
	}
	p.Do(chromedp.KeyEvent("\t"))
	if got := browsertest.Eval[string](p, `document.activeElement.getAttribute('aria-label')`); got != "Find in the log" {
		t.Errorf("after the tab comes %q", got)
	}
}

// TestRedirectsBelowAPath checks that paths with a missing or extra slash redirect below the
// proxy's path.
func TestRedirectsBelowAPath(t *testing.T) {
	w := newWorld(t)
	viewers := web.NewHandler(viewer.Rooms("", nil)...)
	s := httptest.NewServer(http.StripPrefix("/yard", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/admin") {
			w.rooms.ServeHTTP(rw, r)
			return
		}
		viewers.ServeHTTP(rw, r)
	})))
	defer s.Close()
	for from, to := range map[string]string{"/yard/admin/": "/yard/admin", "/yard/replays/": "/yard/replays", "/yard/viewer": "/yard/",
		"/yard/viewer/": "/yard/"} {
		r := testenv.Must(http.NewRequest("GET", s.URL+from, nil))
		w.key.Authorize(r)
		res := testenv.Must(http.DefaultClient.Do(r))
		res.Body.Close()
		if got := res.Request.URL.Path; got != to || res.StatusCode != http.StatusOK {
			t.Errorf("%s leads to %s: %s", from, got, res.Status)
		}
	}
}

// TestBelowAPath checks that behind a proxy that serves the server below a path, the console and
// the spectators' page request nothing outside that path.
func TestBelowAPath(t *testing.T) {
	w := newWorld(t, "sv_http_proxy local")
	viewers := web.NewHandler(append(viewer.Rooms("", nil), web.Room{
		Pattern: "GET /play/info.json",
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, `{"name":"the <b>yard</b>"}`) }),
	})...)
	p := browsertest.Open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, "/yard")
		if !ok {
			t.Errorf("asked for %s", r.URL.Path)
		}
		r.URL.Path = path
		r.Header.Set("X-Forwarded-For", "127.0.0.1")
		r.Header.Set("X-Forwarded-Proto", "https")
		r.Header.Set("X-Forwarded-Prefix", "/yard")
		switch {
		case path == "/live.json":
			io.WriteString(rw, `{"match":"","live":false,"reason":"nothing here","first":0,"last":-1,"last_tick":-1,"wait":1}`)
		case path == "/replays.json":
			io.WriteString(
				rw,
				`{"replays":[{"match":"20260101-000000-00000000","demo":"/b/20260101-000000-00000000.demo","map":{"name":"yard1"},"game_type":"DM",`+
					`"start":"2026-01-01T00:00:00Z","length":9,"size":9,"players":[]}]}`,
			)
		case path == "/recordings.json":
			io.WriteString(rw, `{"recordings":[]}`)
		case strings.HasPrefix(path, "/admin"):
			w.rooms.ServeHTTP(rw, r)
		default:
			viewers.ServeHTTP(rw, r)
		}
	}), "/yard/admin")
	p.Wait(`!document.getElementById('sign-in').hidden`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "adminpw\r"))
	p.Wait(`document.querySelector('#frame strong').textContent === 'the <b>yard</b>'`)
	p.Do(chromedp.Click(chromedp.CSS("#tab-settings")))
	p.Wait(`document.getElementById('setting-sv_scorelimit')`)
	p.Goto("/yard/admin")
	p.Wait(`document.querySelector('#frame strong').textContent === 'the <b>yard</b>'`) // still signed in
	p.Goto("/yard/replays")
	p.Wait(`document.querySelector('a[href$=".demo"]')?.pathname === '/yard/b/20260101-000000-00000000.demo'`)
	p.Goto("/yard/")
	p.Wait(`performance.getEntriesByType('resource').some((e) => new URL(e.name).pathname === '/yard/live.json')`)
}
