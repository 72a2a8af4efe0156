//go:build peers

package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// rcon runs lines on the server's console.
func (h *host) rcon(lines ...string) {
	h.t.Helper()
	if out, err := peers.RunTeeyard(h.t, "pw", append([]string{"rcon", h.Addr.String()}, lines...)...); err != nil {
		h.t.Fatalf("%s: %v\n%s", lines, err, out)
	}
}

// restart ends the server and starts it again at the same address.
func (h *host) restart(settings string) {
	h.t.Helper()
	h.Stop()
	env := []string{"HOME=" + h.home, "XDG_DATA_HOME="}
	h.Process = peers.Start(h.t, h.home, env, peers.Program(h.t), "serve", peers.CommonSettings, "bindaddr 127.0.0.1", peers.PortSetting(h.Addr), settings)
}

// ended waits until the card says how the match has ended, and returns what it says.
func (p *player) ended(title string) string {
	p.t.Helper()
	p.Wait(`!document.querySelector('#card').hidden && document.querySelector('#card h2').textContent.includes(` + quoted(title) + `)`)
	return browsertest.Eval[string](p.Page, `document.querySelector('#card .ended').innerText`)
}

// again clicks on the card's button and waits until the player is in the match.
func (p *player) again() {
	p.t.Helper()
	p.Wait(`document.querySelector('#card button.play:not(:disabled)')`)
	p.Run(`document.querySelector('#card button.play').click()`)
	p.inMatch()
}

func (p *player) inMatch() {
	p.t.Helper()
	p.Wait(`document.querySelector('#card').hidden && teeyard.connection.playing && teeyard.connection.match.own`)
}

// TestCard joins with a name and a skin, which the page remembers. Before, the page shows the match
// and does not join.
func TestCard(t *testing.T) {
	h := startHost(t, "sv_map ctf1; sv_bots 3; sv_rcon_password pw; sv_name \"the <b>yard</b>\"")
	p := h.open("")
	p.Wait(`teeyard.watching.moment?.ready && teeyard.watching.moment.tees.length > 0`)
	testenv.Check(t, !browsertest.Eval[bool](p.Page, `!!teeyard.connection.engine || !!teeyard.connection.socket`), "the link alone joins")
	p.Wait(`document.querySelector('#card h1').textContent === 'the <b>yard</b>'`)
	p.Wait(`document.querySelector('#card .facts').textContent === 'DM on ctf1 0 of 8 players, 3 bots'`)
	p.Wait(`document.querySelector('#card button.play:not(:disabled)')`)
	before := browsertest.Eval[string](p.Page, `document.querySelector('#card .tee').getAttribute('aria-label')`)
	for _, c := range [][3]string{
		{"clients: 9, maxClients: 9", "The server is full", "true"}, {"players: 8, maxPlayers: 8", "All places are taken", "true"}, {"", "", "false"},
	} {
		got := browsertest.Eval[[]string](p.Page, `(() => {
			const { card } = teeyard, { info } = card;
			card.info = { ...info, `+c[0]+` };
			teeyard.program.onchange();
			card.info = info;
		 return [card.title.textContent, String(!card.watch.hidden && card.play.classList.contains('second'))];
		})()`)
		testenv.Check(t, got[0] == c[1] && got[1] == c[2], "%s: %q", c, got)
	}
	p.Run(`document.querySelector('#card .chooser button[title="Next skin"]').click()`)
	after := browsertest.Eval[string](p.Page, `document.querySelector('#card .tee').getAttribute('aria-label')`)
	testenv.Check(t, before != after && strings.HasPrefix(after, "skin "), "%q, then %q", before, after)
	p.Screenshot()
	// Names have 15 bytes. Enter joins.
	p.Do(chromedp.SendKeys(chromedp.CSS(`#card input[type="text"]`), "annäannäannäxyz\r"))
	testenv.Check(t, browsertest.Eval[string](p.Page, `document.querySelector('#card .limited small').textContent`) == "15/15", "the limit of a name")
	p.inMatch()
	const self = `teeyard.moment.players[teeyard.connection.engine.self]`
	p.Wait(self + `.name === 'annäannäannä'`)
	p.Wait(`JSON.stringify(` + self + `.skin.parts) === JSON.stringify(teeyard.settings.get('skin').map((s) => s[0]))`)
	testenv.Check(t, browsertest.Eval[bool](p.Page, `teeyard.sounds.on && teeyard.sounds.context.state === 'running' && !teeyard.watching.live`),
		"the sound is off, or the page still watches")

	// Another visit has the name and the skin.
	p.Goto("/play")
	p.Wait(`document.querySelector('#card input').value === 'annäannäannä'`)
	p.Wait(`document.querySelector('#card .tee').getAttribute('aria-label') === ` + quoted(after))
	p.again()
	p.Wait(self + `.name === 'annäannäannä'`) // the first one has left

	// Without a broadcast there is the map to see.
	p = startHost(t, "sv_map ctf1; sv_broadcast 0").open("")
	p.Wait(`teeyard.watching.map && teeyard.watching.empty.tick > 0 && !teeyard.watching.match`)
	p.Screenshot()
}

// TestEnds has the server end the match for each reason, which the card explains.
func TestEnds(t *testing.T) {
	testenv.OnlyFull(t)
	h := startHost(t, "sv_map ctf1; sv_bots 0; sv_rcon_password pw; sv_max_clients 1; sv_player_slots 1")
	p, late := h.open("anna"), h.open("late")
	p.join()

	late.Wait(`document.querySelector('#card button.play:not(:disabled)')`)
	late.Run(`document.querySelector('#card button.play').click()`)
	late.ended("The server is full")
	late.Screenshot()

	h.rcon("kick 0 <i>bad</i> manners")
	testenv.Check(t, strings.Contains(p.ended("You were kicked"), "Reason: <i>bad</i> manners."), "%q", p.ended("kicked"))
	testenv.Check(t, !browsertest.Eval[bool](p.Page, `!!document.querySelector('#card i') || teeyard.card.rejoin.active`),
		"HTML of others, or the page joins again")
	p.Wait(`teeyard.watching.live`)
	p.again()

	h.rcon("password secret")
	h.rcon("kick 0")
	p.ended("kicked")
	p.Wait(`!document.querySelector('#card input[type="password"]').hidden`)
	p.Run(`document.querySelector('#card input[type="password"]').value = 'guess'; document.querySelector('#card button.play').click()`)
	p.ended("The password is wrong")
	p.Screenshot()
	p.Run(`document.querySelector('#card input[type="password"]').value = 'secret'`)
	p.again()

	h.rcon("ban 0 7 spam")
	got := p.ended("You are banned from this server")
	testenv.Check(t, strings.Contains(got, "7 minutes") && strings.Contains(got, "Reason: spam."), "%q", got)
	p.Screenshot()
	p.Run(`document.querySelector('#card button.play').click()`)
	p.Wait(`document.querySelector('#card').hidden`)
	p.ended("You are banned from this server") // and not joined
}

// TestCrash has the program in the page crash. A new one plays in the old seat.
func TestCrash(t *testing.T) {
	h := startHost(t, "sv_map ctf1; sv_bots 3; sv_rcon_password pw")
	p := h.open("anna")
	p.join()
	p.inMatch()
	before := browsertest.Eval[int](p.Page, `teeyard.connection.engine.self`)
	p.Allow("panic: runtime error: slice bounds out of range")
	p.Run(`(() => { const e = teeyard.connection.engine, { program } = e; e.program = { ...program, frame: (now) => program.feed(now, 1 << 24) }; })()`)
	got := p.ended("The game has crashed")
	testenv.Check(t, strings.Contains(got, "panic: runtime error"), "%q", got)
	p.Screenshot()
	p.again()
	p.Wait(`teeyard.connection.engine.self === ` + number(float64(before)))
}

// TestReconnect loses the connection, and then the server. Both times the page comes back with the
// same seat and team.
func TestReconnect(t *testing.T) {
	for _, mode := range []string{"sv_map ctf1; sv_gametype ctf", "sv_map yardrun; sv_gametype ddrace"} {
		t.Run(mode, func(t *testing.T) {
			settings := mode + "; sv_bots 3; sv_rcon_password pw; sv_resume 1; sv_warmup 0"
			h := startHost(t, settings)
			p := h.open("anna")
			p.Allow("404 (Not Found)") // the match behind the card is another one after the restart
			p.join()
			p.inMatch()
			const seat = `[teeyard.connection.engine?.self, teeyard.moment.players[teeyard.connection.engine?.self]?.team].join()`
			p.Run(`new Promise((f) => { setTimeout(f, 1500); })`) // until the server has the code
			before := browsertest.Eval[string](p.Page, seat)
			p.Run(`for (const c of teeyard.connection.socket.open) c.ws.close()`)
			p.ended("The connection is lost")
			p.Wait(`/^Connecting again in \d s\.$/.test(document.querySelector('#card .count').textContent)`)
			p.Screenshot()
			p.inMatch()
			p.Wait(seat + ` === ` + quoted(before))

			// The stored state counts after ten seconds.
			p.Allow("net::ERR_CONNECTION_REFUSED")
			p.Allow("WebSocket connection to")
			p.Allow(".json") // of the match before
			h.restart(settings)
			p.ended("The server has stopped or restarts")
			p.inMatch()
			p.Wait(seat + ` === ` + quoted(before))

			// Cancel ends the attempts.
			p.Run(`for (const c of teeyard.connection.socket.open) c.ws.close()`)
			p.ended("The connection is lost")
			p.Run(`document.querySelector('#card .cancel').click()`)
			p.Run(`new Promise((f) => { setTimeout(f, 3000); })`)
			testenv.Check(t, !browsertest.Eval[bool](p.Page, `!!teeyard.connection.engine`), "the page joins although it was cancelled")
		})
	}
}

// TestMapChange plays on when the map changes. Until the new one is there the old one is not shown.
func TestMapChange(t *testing.T) {
	h := startHost(t, "sv_map ctf1; sv_bots 3; sv_rcon_password pw")
	p := h.open("anna")
	p.join()
	p.inMatch()
	p.Run(`globalThis.seen = []; teeyard.connection.addEventListener('map_loading', () => setTimeout(() => {
		seen.push(document.body.classList.contains('loading'), document.getElementById('status').textContent);
	}))`)
	h.rcon("sv_map ctf2")
	p.Wait(`teeyard.connection.map?.name === 'ctf2' && teeyard.scene.mapName === 'ctf2' && teeyard.connection.match.own`)
	p.Wait(`!document.body.classList.contains('loading') && document.getElementById('status').textContent === ''`)
	seen := browsertest.Eval[[]any](p.Page, `seen`)
	testenv.Check(t, len(seen) == 2 && seen[0] == true && seen[1] == "Loading the map ctf2.", "%v", seen)
}
