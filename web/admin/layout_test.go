package admin

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/browsertest"
)

// TestLayout checks that nothing overlaps and nothing is cut in each part of the page, in windows
// of three sizes, and that keyboard and screen reader reach all controls.
func TestLayout(t *testing.T) {
	w := newWorld(t, `sv_inactivekick_time 0; add_vote "Play the other map" sv_map testbox; ban 203.0.113.0/24 60 spam; sv_motd "Welcome"`)
	p := openConsole(t, w)
	w.join("10.0.0.7", "WWWWWWWWWWWWWWW")
	w.join("10.0.0.8", "Ada")
	look := func(part string) {
		for _, size := range browsertest.Sizes {
			p.Resize(size)
			for _, fault := range p.LayoutFaults() {
				t.Errorf("%s, %s: %s", part, size.Name, fault)
			}
			screenshot(t, p, part+"-"+size.Name)
		}
		p.Resize(browsertest.Sizes[0])
		for _, fault := range append(p.Nameless(), p.KeyboardFaults()...) {
			t.Errorf("%s: %s", part, fault)
		}
	}
	look("sign-in")
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "adminpw\r"))
	p.Wait(`(` + visible + `)('#panel-players tbody tr').length === 2`)
	for _, part := range []struct{ tab, ready string }{
		{"players", `(` + visible + `)('#panel-players button').length >= 9`},
		{"log", `document.querySelectorAll('#panel-log .log p').length > 3`},
		{"console", `(` + visible + `)('#panel-console input').length`},
		{"maps", `(` + visible + `)('#panel-maps .map-names button, #panel-maps tbody button').length > 2`},
		{"settings", `(` + visible + `)('.setting').length > 5`},
		{"bans", `(` + visible + `)('#panel-bans tbody button').length`},
		{"graphs", `(` + visible + `)('#panel-graphs .figure').every((e) => e.textContent)`},
		{"live", `(` + visible + `)('#panel-live iframe').length`},
		{"tokens", `(` + visible + `)('#panel-tokens button').length`},
	} {
		p.Run(`document.getElementById('tab-` + part.tab + `').click()`)
		p.Wait(part.ready)
		look(part.tab)
	}
	p.Run(`document.getElementById('tab-players').click()`)
	p.Run(`document.querySelector('[data-action="Ban1"]').click()`)
	look("ban")
}

// maxFirstLoad is the most that the page may load until it lists the players, in bytes: a third of
// a second over 1 Mbit/s.
const maxFirstLoad = 40_000

// TestSlowLine uses the page over 1 Mbit/s, without the browser's cache.
func TestSlowLine(t *testing.T) {
	w := newWorld(t, "sv_inactivekick_time 0")
	p := openConsole(t, w)
	for i := range 8 {
		w.join(fmt.Sprintf("10.0.0.%d", i+1), fmt.Sprintf("player %d", i))
	}
	p.SlowDown(1, 1e6)
	p.ClearCache()
	p.Goto("/admin")
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "adminpw\r"))
	since := func(step string) {
		ms := browsertest.Eval[float64](p, `performance.now() - (globalThis.began ?? 0)`)
		t.Logf("%s after %.0f ms", step, ms)
	}
	p.Wait(`(` + visible + `)('#panel-players tbody tr').length === 8`)
	since("the players, with the time to type the password,")
	n := browsertest.Eval[int](p, `['resource', 'navigation'].flatMap((t) => performance.getEntriesByType(t)).reduce((n, e) => n + e.transferSize, 0)`)
	t.Logf("%d bytes", n)
	if n == 0 || n > maxFirstLoad {
		t.Errorf("%d bytes, at most %d", n, maxFirstLoad)
	}
	for _, part := range []struct{ tab, ready string }{
		{"log", `document.querySelectorAll('#panel-log .log p').length > 3`},
		{"settings", `(` + visible + `)('.setting').length > 5`},
		{"graphs", `(` + visible + `)('#panel-graphs .figure').every((e) => e.textContent)`},
	} {
		p.Run(`void (globalThis.began = performance.now(), document.getElementById('tab-` + part.tab + `').click())`)
		p.Wait(part.ready)
		since(part.tab)
	}
}

// TestSettingsPanel uses the settings: one subject at a time, a search in names and descriptions,
// the changed ones, and the way back to a default. The page is also used for the axes of graphs.
func TestSettingsPanel(t *testing.T) {
	w := newWorld(t, "sv_timelimit 7")
	p := openConsole(t, w)
	p.Do(chromedp.SendKeys(chromedp.CSS("#password"), "adminpw\r"))
	p.Wait(`!document.getElementById('app').hidden`)
	p.Run(`document.getElementById('tab-settings').click()`)
	p.Wait(`document.getElementById('setting-sv_timelimit')`)
	shown := func(want string) {
		t.Helper()
		p.Wait(`(` + visible + `)('.subject').map((s) => s.ariaLabel + ' ' + s.querySelectorAll('.setting:not([hidden])').length).join() === '` + want + `'`)
	}
	count := browsertest.Eval[int](p, `document.querySelectorAll('.subject')[0].querySelectorAll('.setting').length`)
	shown(fmt.Sprintf("Server %d", count))
	p.Run(`[...document.querySelectorAll('.subjects button')].find((b) => b.textContent.startsWith('Match')).click()`)
	p.Wait(`document.getElementById('setting-sv_timelimit').checkVisibility() && !document.getElementById('setting-sv_name').checkVisibility()`)
	if got := browsertest.Eval[string](p, `document.querySelector('.subjects [aria-current]').textContent`); got != "Match1 changed" {
		t.Errorf("the subject is %q", got)
	}
	p.Do(chromedp.SendKeys(chromedp.CSS("#panel-settings input[type=search]"), "bots strong"))
	shown("Bots 1") // sv_bot_skill, by its description
	p.Run(`document.getElementById('only-changed').click()`)
	shown("")
	p.Run(`(() => {
		const find = document.querySelector('#panel-settings input[type=search]');
		find.value = 'time limit';
		find.dispatchEvent(new Event('input'));
	})()`)
	shown("Match 1")
	p.Do(chromedp.Click(chromedp.CSS(`[aria-label^="Reset sv_timelimit"]`)))
	p.Wait(`document.querySelector('dialog p').textContent === 'sv_timelimit becomes 0.'`)
	p.Run(`document.querySelector('dialog .primary').click()`)
	shown("")
	if value := browsertest.Eval[string](p, `document.getElementById('setting-sv_timelimit').value`); value != "0" {
		t.Errorf("sv_timelimit is %s", value)
	}
	checkAxes(t, p)
}

// checkAxes checks the axes of graphs and their texts.
func checkAxes(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, c := range []struct {
		call, units, want string
	}{
		{"0.31, 1", "TIME", "0,0.5 ms,1.0 ms"},
		{"3.9, 1", "TIME", "0,1 ms,2 ms,3 ms,4 ms"},
		{"63.2, 1", "TIME", "0,20 ms,40 ms,60 ms,80 ms"},
		{"1300, 1", "TIME", "0,0.5 s,1.0 s,1.5 s"},
		{"0, 1", "TIME", "0,0.5 ms,1.0 ms"},
		{"NaN, 1", "TIME", "0,0.5 ms,1.0 ms"},
		{"1e9, 1000", "DATA", "0,0.5 GB/s,1.0 GB/s"},
		{"11200, 1000", "DATA", "0,5 kB/s,10 kB/s,15 kB/s"},
		{"1, 0, 1", "NUMBER", "0,1"},
		{"64, 4, 1", "NUMBER", "0,20,40,60,80"},
	} {
		got := browsertest.Eval[string](p, `import('/admin/static/axis.js').then((m) => m.axisTexts(m.makeAxis(`+c.call+`), m.UNITS.`+c.units+`).join())`)
		if got != c.want {
			t.Errorf("makeAxis(%s): %s, want %s", c.call, got, c.want)
		}
	}
	texts := `[0.1234, 12.34, 999.6, 1234].map((v) => m.valueText(v, m.UNITS.TIME)).join()`
	got := browsertest.Eval[string](p, `import('/admin/static/axis.js').then((m) => `+texts+`)`)
	if want := "0.12 ms,12.3 ms,1000 ms,1.23 s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestClientText checks how the page names the releases of clients.
func TestClientText(t *testing.T) {
	p := openConsole(t, newWorld(t, ""))
	got := browsertest.Eval[string](p, `import('/admin/static/version.js').then((m) =>
		['705', '70a', '0.6/16040', '0.6/18091', '0.6/19100', '0.6/707', '0.6/0', '0.7/x', ''].map(m.clientText).join(' | '))`)
	if want := "0.7.5 | 0.7.10 | DDNet 16.4 | DDNet 18.9.1 | DDNet 19.10 | 0.6, client 707 | 0.6 | 0.7/x | "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
