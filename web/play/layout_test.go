package play

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// sideways is a phone that is held sideways.
var sideways = browsertest.Size{Name: "phone held sideways", Width: 844, Height: 390, Phone: true}

// resize changes the window and waits until the page has its parts in their places.
func (b *table) resize(s browsertest.Size) {
	b.t.Helper()
	b.Resize(s)
	b.Wait(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, s.Width, s.Height))
	b.Run(`void (globalThis.resized = performance.now())`)
	b.Wait(`game.textAt > resized + 200`)
}

// apart checks that no two of the elements of a selector overlap.
func (b *table) apart(what, selector string) {
	b.t.Helper()
	for _, fault := range b.Overlaps(selector) {
		b.t.Errorf("%s: %s", what, fault)
	}
}

// whole checks that no text or control of the card is cut or covered. The card may cover the match.
func (b *table) whole(what string) {
	b.t.Helper()
	for _, fault := range b.LayoutFaults() {
		if !strings.Contains(fault, " covers canvas#view ") {
			b.t.Errorf("%s: %s", what, fault)
		}
	}
}

// TestHudLayout checks that nothing over the picture overlaps, in windows of all sizes, with and
// without touch.
func TestHudLayout(t *testing.T) {
	b := sitDown(t, "sv_map testbox", "sv_gametype ctf", "sv_warmup 0", "sv_bots 4")
	b.Wait(`game.connection.match.own && !document.getElementById('own').hidden`)
	// The longest names kill each other all the time.
	b.Run(`game.parts.push({ frame: (m) => {
		m.kills = { length: 6, items: [...Array(6)].map((_, i) => ({ key: 1e6 + i, tick: m.tick, victim: 1, killer: 0, weapon: i, killerName: 'WWWWWWWWWWWWWWW',
			victimName: 'WWWWWWWWWWWWWWW', killerTeam: 0, victimTeam: 1, flags: 0 })) };
	} })`)
	// The match waits for players who are not ready.
	b.Run(`void (globalThis.waits = true, game.parts.unshift({ frame: (m) => {
		m.game.state = waits ? 1 : 0; // STATE.WARMUP
		m.game.stateEndTick = 0;
		for (const p of m.players) p.ready = !waits;
	} }))`)
	b.Wait(`/not ready/.test(document.querySelector('#stage > #phase:not([hidden]) span')?.textContent)`)
	const hud = `#top, #own .bar, #own li, #kills li, #hint, #phase > *`
	// While the own tee is dead, the scoreboard has the phase.
	const phase = `document.querySelector('#stage > #phase:not([hidden])')`
	for _, size := range browsertest.Sizes {
		size.Phone = false
		b.resize(size)
		b.Wait(`document.querySelectorAll('#kills li').length === 6 && ` + phase)
		b.apart(size.Name+" without touch", hud)
	}
	b.Run(`game.touch.start()`)
	const touch = `#touch [data-control]:not([hidden])`
	for _, size := range []browsertest.Size{browsertest.Sizes[2], sideways, {Name: "small phone held sideways", Width: 640, Height: 360, Phone: true}} {
		b.Run(`game.input.scoreboard = false`)
		b.resize(size)
		b.Wait(phase)
		b.apart(size.Name, `#top, #own .bar, #own li, #kills li, #phase > *`)
		b.apart(size.Name, `#top, #own .bar, #own li, #phase > *, `+touch)
		b.Run(`game.input.scoreboard = true`)
		b.Wait(`document.querySelectorAll('#scoreboard:not([hidden]) tbody tr').length >= 4`)
		b.apart(size.Name+" with the scoreboard", `#top, #scoreboard, `+touch)
		names := browsertest.Eval[int](b.Page, `(() => {
			return Math.min(...[...document.querySelectorAll('#scoreboard tbody button')].map((e) => e.closest('td').offsetWidth));
		})()`)
		testenv.Check(t, names >= 60, "%s: %d pixels for a name", size.Name, names)
	}
	b.Run(`void (globalThis.waits = false)`)
	b.resize(browsertest.Sizes[0])
	goals := browsertest.Eval[int](b.Page, `(() => {
		const shown = [...document.querySelectorAll('#stage *')].filter((e) => e.children.length === 0 && e.checkVisibility());
		return shown.filter((e) => /\bto 20\b/.test(e.textContent)).length;
	})()`)
	testenv.Check(t, goals == 1, "the score limit is shown %d times", goals)
}

// TestLobby checks the facts and the layout of the card before the match.
func TestLobby(t *testing.T) {
	b := sitDown(t, "sv_warmup 0")
	b.Run(`game.card.leave()`)
	b.Wait(`!game.card.box.hidden && !game.card.play.disabled`)
	b.check("the facts", `/^DM on testbox/.test(document.querySelector('#card .facts').textContent) && document.querySelector('#card h1').textContent`)
	for _, size := range append([]browsertest.Size{sideways}, browsertest.Sizes...) {
		b.Resize(size)
		b.Wait(fmt.Sprintf(`innerWidth === %d`, size.Width))
		b.apart("the lobby, "+size.Name, `#card > :not([hidden]), #frame > *`)
		b.whole("the lobby, " + size.Name)
	}
}

// TestServerGone ends the server during the match. The card says so, and tries again.
func TestServerGone(t *testing.T) {
	b := sitDown(t, "sv_warmup 0")
	b.Allow("net::ERR")
	b.Allow("WebSocket")
	b.Allow("status of")
	b.server.Stop()
	b.Wait(`!game.card.box.hidden && /stopped or restarts|connection is lost/.test(document.querySelector('#card h2').textContent)`)
	for _, size := range append([]browsertest.Size{sideways}, browsertest.Sizes...) {
		b.Resize(size)
		b.Wait(fmt.Sprintf(`innerWidth === %d`, size.Width))
		b.whole("the server is gone, " + size.Name)
		b.apart("the server is gone, "+size.Name, `#card > :not([hidden]), #card .ended > :not([hidden]), #frame > *`)
	}
	b.check("it tries again", `game.card.rejoin.active && /Connecting again/.test(document.querySelector('#card .count').textContent)`)
}
