//go:build peers

package browser

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web/play/engine"
)

func (p *player) resize(width, height int64) { p.Do(chromedp.EmulateViewport(width, height)) }

// TestMatchBesideClients plays capture the flag with bots, a 0.7.5 client and a DDNet client to the
// end of the match. Each sees the others.
func TestMatchBesideClients(t *testing.T) {
	first, second := peers.NewDisplay(t), peers.NewDisplay(t) // other tests may have them, and players must not wait
	h := startHost(t, "sv_map ctf1; sv_gametype ctf; sv_bots 6; sv_warmup 0; sv_rcon_password pw")
	p := h.open("webby")
	p.join()
	vera := first.StartTeeworlds(h.Addr.String(), "vera")
	dora := second.StartDDNet(h.Addr.String(), "dora")
	in := func(name string) string {
		return `teeyard.moment.players.some((p) => p.active && p.name === ` + quoted(name) + `)`
	}
	retries := 0
	soon(t, "vera and dora are in the match", func() bool {
		retries = vera.RetryConnect(retries)
		return browsertest.Eval[bool](p.Page, in("vera")+" && "+in("dora"))
	})
	p.say("hello from a page")
	for _, c := range []*peers.Client{vera, dora} {
		soon(t, "a client reads the page's chat", func() bool { return strings.Contains(c.Output(), "hello from a page") })
	}
	dora.Run("say hello from dora")
	p.Wait(heard("hello from dora"))

	// The page runs and shoots, and the server says so to the others.
	before := p.own()
	p.hold("right", `!teeyard.connection.match.own || Math.abs(teeyard.connection.match.own.x - `+number(before.X)+`) > 60`)
	p.Run(`teeyard.input.press('fire')`)
	p.Wait(`teeyard.moment.projectiles.length > 0 || teeyard.connection.match.own?.attackTick > 0`)
	p.Run(`teeyard.input.release('fire')`)
	p.Run(`teeyard.connection.act('emote', 2)`)
	p.Wait(`teeyard.connection.match.events.emoticons.events.some((e) => e.id === teeyard.connection.engine.self)`)
	vera.Screenshot("seen-by-vera")
	p.Screenshot()

	p.Run(`teeyard.connection.act('rcon_login', '', 'pw')`)
	p.Run(`teeyard.connection.act('rcon', 'sv_timelimit 1')`) // which is over soon
	const gameOver = `teeyard.moment.game.state & 12`
	p.Wait(gameOver)
	p.Wait(`!(` + gameOver + `)`) // the next match begins
	testenv.Check(t, p.state(engine.StateLost) == 0, "%v reports did not fit into the shared memory", p.state(engine.StateLost))
}

// TestDDRaceFinish finishes a race with the page's client of DDNet's version; the rank is stored.
func TestDDRaceFinish(t *testing.T) {
	h := startHost(t, "sv_map yardrun; sv_gametype ddrace")
	p := h.open("racer")
	p.join()
	p.Run(raceScript)
	p.Wait(`globalThis.finished`)
	soon(t, "the rank is stored", func() bool {
		b, _ := os.ReadFile(h.home + "/ranks.journal")
		return strings.Contains(string(b), "racer")
	})
	p.Run(`teeyard.input.release('right'); teeyard.connection.act('command', 'pause', '')`)
	p.Wait(`teeyard.moment.view.spectating && !document.getElementById('spectate').hidden && !teeyard.spectate.back.hidden`)
	p.Run(`teeyard.spectate.back.click()`)
	p.Wait(`!teeyard.moment.view.spectating && teeyard.connection.match.own`)
	t.Logf("%v of %v snapshots corrected", p.state(engine.StateCorrections), p.state(engine.StatePredictions))
}

// raceScript runs to the right and jumps at random, which is enough for yardrun. A fixed rule could
// die in the same pit again and again.
const raceScript = `(() => {
	const { input, connection } = teeyard;
	input.press('right');
	let jumps = false, left = 0;
	const timer = setInterval(() => {
		if (--left > 0) return;
		jumps = !jumps;
		input[jumps ? 'press' : 'release']('jump');
		left = jumps ? 3 + Math.random() * 20 : Math.random() * 10;
	}, 20);
	connection.addEventListener('race_finish', () => { globalThis.finished = true; });
	const wait = setInterval(() => {
		if (connection.match.events.chat.events.some((c) => /finished in/.test(c.text))) globalThis.finished = true;
		if (globalThis.finished) { clearInterval(timer); clearInterval(wait); }
	}, 100);
})()`

// TestHidden hides the page for 40 s: the browser draws nothing and slows its timers down, and the
// player stays in the match.
func TestHidden(t *testing.T) {
	testenv.OnlyFull(t)
	h := startHost(t, "sv_map dm1")
	p := h.open("sleeper")
	p.join()
	p.Run(`(() => {
		Object.defineProperty(document, 'hidden', { get: () => true });
		requestAnimationFrame = () => 0;
		document.dispatchEvent(new Event('visibilitychange'));
		for (let i = setInterval(() => {}, 1e6); i > 0; i--) clearInterval(i); // no timer runs at all
	})()`)
	at := p.state(engine.StateSnapshots)
	time.Sleep(40 * time.Second)
	testenv.Check(t, p.state(engine.StateSnapshots) > at+500, "%v snapshots in 40 s", p.state(engine.StateSnapshots)-at)
	testenv.Check(t, browsertest.Eval[bool](p.Page, `teeyard.connection.playing`), "not in the match any more")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
