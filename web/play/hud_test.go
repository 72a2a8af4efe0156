package play

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestHudFunctions checks the functions behind the texts, the scoreboard and the spectator's view.
func TestHudFunctions(t *testing.T) {
	p := openModules(t)
	for name, want := range map[string]string{
		// The bits of the weapons: seen, picked up, a ninja's, after it, dead, sent by the server.
		"weapons()": `[2,3,19,51,19,0,2,1,11,0]`,
		"ninja()":   `[0.5,1,0]`,
		"spectating()": `{"all":["1 1","1 2","2 -1","3 -1"],"out":["1 1","1 4"],"closest":"1 2","nobody":"none","after":"2 -1","before":"3 -1","gone":"1 1",` +
			`"names":["","p2","the blue flag"],"places":[90,9,77],"zoom":[true,false,true]}`,
		"tally()": `["2/1","0/3","0/0","0/0","0/1","1/0","0/1","\u2013","0/0","0/0"]`,
		"board()": `[false,true,false,false,false,true]`,
		"phases()": `["","Warmup | Waiting for more players.","Warmup: 4","Warmup | 2 players are not ready. Press R when you are ready.",` +
			`"Paused | 1 player is not ready.","Starts in 2",` +
			`"Game over | Blue wins. The next round begins in 10 s.","Game over | p1 wins. The next round begins in 4 s.",` +
			`"Round over | p2 survives.","You are out | 1 red and 1 blue left"]`,
		"words()": `["\u22120.35","+1.20","a finished in 1:01.230.","b finished in 0:00.900 (\u22121.50). This is a new personal best.",` +
			`"c finished in 0:00.005 (+0.02). This is a new record."]`,
		// No death yet, alive, killed, alive, not again, alive twice, outlived; left, over,
		// watching, out, and out for long; another match; a race.
		"deaths()": `["","",1,"","","","","","","","",5,"",0,6,6,"",""]`,
		"deathWords()": `["Killed by p1 grenade","Killed by p1 grenade","Own fault grenade","Own fault grenade","You killed yourself","You restarted",` +
			`"The map killed you","You fell","Killed by p1 the map","Killed by p1 the map"]`,
		"comeback()": `["false 900","false 900","false 629","false 535","false 530","true 1200","false 1210","false 1300","false 9000"]`,
		"loss()":     `[0,0,0.2,0.5]`,
		"states()":   `["team team 5","jumps 1 of 3 jumps 1/3","hook endless hook","freeze frozen 2.0 s 0.67","solo solo","practice practice"]`,
	} {
		got := browsertest.Eval[json.RawMessage](p, `import('/test/hud.js').then(m => m.`+name+`)`)
		testenv.Check(t, string(got) == want, "%s: %s, want %s", name, got, want)
	}
}

// TestHud checks what the page shows of a match: the own tee, the scoreboard, the message of the
// day, a pause, a stalled connection, and what a spectator sees.
func TestHud(t *testing.T) {
	b := sitDown(t, "sv_motd Be_kind.", "sv_warmup 0")
	anna := b.join("anna", client.Version07)
	b.Wait(`document.querySelector('#own [aria-label=health]').getAttribute('aria-valuenow') === '10' && !document.getElementById('own').hidden`)
	b.Wait(`document.querySelector('#own [aria-current] [aria-label]')?.ariaLabel === 'gun'`)
	b.check("the first keys", `!document.getElementById('hint').hidden && document.getElementById('hint').textContent.startsWith('Esc menu')`)
	b.check("the message of the day", `document.querySelector('#motd p').textContent === 'Be_kind.' && !document.getElementById('motd').hidden`)
	b.press("Escape")
	b.check("Escape closes the message only", `document.getElementById('motd').hidden && !game.overlays.open`)
	const before = `document.querySelector('#own li:not([aria-current]) [aria-label=gun]')`
	for range 3 { // the match begins when anna has joined, and a tee that begins with the hammer has not shown its gun
		b.press("Digit1")
		b.Wait(`document.querySelector('#own [aria-current] [aria-label]')?.ariaLabel === 'hammer'`)
		if b.is(before) {
			break
		}
		b.press("Digit2")
		b.Wait(`document.querySelector('#own [aria-current] [aria-label]')?.ariaLabel === 'gun'`)
	}
	b.check("the weapon before", before)

	b.Run(`game.input.scoreboard = true`)
	b.Wait(`document.querySelector('#scoreboard .followed button')?.textContent === 'page' && document.querySelectorAll('#scoreboard tbody tr').length === 2`)
	b.Run(`game.input.scoreboard = false`)
	b.Wait(`document.getElementById('scoreboard').hidden`)

	b.server.Console("pause")
	b.Wait(`document.querySelector('#phase strong').textContent.startsWith('Paused')`)
	b.Run(`game.input.scoreboard = true`)
	b.Wait(`document.querySelector('#scoreboard:not([hidden]) > #phase strong')`)
	b.Run(`game.input.scoreboard = false`)
	b.server.Console("pause")
	b.Wait(`document.querySelector('#stage > #phase')?.hidden`)
	b.Run(`for (const late of [0, 2500]) game.parts.find((p) => p.sign?.id === 'stalls').frame(game.moment, performance.now() + late)`)
	b.check("a stalled connection", `/for [2-9] s/.test(document.getElementById('stalls').textContent)`)
	b.Wait(`document.getElementById('stalls').hidden`)

	b.Run(`game.connection.act('team', -1)`)
	b.Wait(`game.moment.view.spectating && document.querySelector('#spectate strong').textContent === 'Free view' && document.getElementById('own').hidden`)
	b.Run(`game.input.press('fire', 'test')`)
	b.Run(`game.input.release('fire', 'test')`)
	b.Wait(`document.querySelector('#spectate strong').textContent === 'anna' && game.scene.followed === game.moment.view.id`)
	b.Wait(`game.moment.tees.items.some((t) => t.id === game.moment.view.id && Math.hypot(game.camera.x - t.x, game.camera.y - t.y) < 100)`)
	b.Run(`game.input.press('right', 'test')`)
	b.Wait(`document.querySelector('#spectate strong').textContent === 'Free view'`)
	b.Run(`void (window.before = game.camera.x)`)
	b.Wait(`game.camera.x > before`)
	b.Run(`game.input.release('right', 'test')`)
	b.Run(`game.view.zoomBy(2)`)
	b.Wait(`Math.abs(game.camera.zoom - 2) < 0.1`)
	b.Run(`game.board.choose()`)
	b.Wait(`[...document.querySelectorAll('#scoreboard button')].some((e) => e.textContent === 'anna')`)
	b.Run(`[...document.querySelectorAll('#scoreboard button')].find((e) => e.textContent === 'anna').click()`)
	b.Wait(fmt.Sprintf(`game.moment.view.id === %d && !game.overlays.open`, anna.Self()))
	// The server accepts a change of the team some seconds after the last one.
	b.Wait(`[...document.querySelectorAll('#spectate button')].find((e) => e.textContent === 'Join the game')?.click(), ` +
		`!game.moment.view.spectating && game.connection.match.own && game.camera.zoom < 1.1 && document.getElementById('spectate').hidden`)
}

// TestDeath checks that the page says how the own tee has died, until it is back, and that the
// camera stays where it was.
func TestDeath(t *testing.T) {
	b := sitDown(t, "sv_gametype dm; sv_warmup 0")
	anna := b.join("anna", client.Version07)
	// A second player ends the warmup: the match begins anew, with new tees.
	b.Wait(`!game.moment.game.state && game.moment.tick > game.moment.game.startTick + 10 && game.connection.match.own`)
	b.Wait(`document.querySelector('#death').childElementCount === 0`)
	// The pictures from the last one with the tee to the first one with the next.
	b.Run(`void (window.places = [], game.parts.push({ frame: () => {
		const { own } = game.connection.match, { x, y } = game.camera;
		if (own && places.length < 2) window.places = [];
		if (places.length < 1 || !places.done) places.push([x, y, Boolean(own)]);
		if (own && places.length > 2) places.done = true;
	} }))`)
	b.Wait(`places.length`)
	b.Run(`game.connection.act('kill')`)
	b.Wait(`document.querySelector('#death strong')?.textContent === 'You killed yourself'`)
	b.check("a picture of the cause", `document.querySelector('#death .cause svg')`)
	b.Wait(`places.done && document.querySelector('#death').childElementCount === 0`)
	b.check("the camera stays", `places.slice(1, -1).every(([x, y, alive]) => !alive && x === places[0][0] && y === places[0][1])`)

	b.Run(fmt.Sprintf(`const { self } = game.connection.engine;
		game.frame = () => {}; // the death below stays
		game.connection.match.own = null;
		game.parts.find((p) => p.deaths).frame({ ...game.moment, kills: { length: 1, items: [{ key: 1e6, tick: game.moment.tick, victim: self, killer: %d,
			weapon: 3, killerName: 'anna', victimName: 'page', killerTeam: 0, victimTeam: 0, flags: 0 }] } })`, anna.Self()))
	b.check("the killer", `/Killed by/.test(document.getElementById('death').textContent) && document.querySelector('#death .name').textContent === 'anna' &&
		document.querySelector('#death .by').textContent === 'grenade'`)
}

// TestResolution checks that the picture of a slow browser gets fewer pixels, and more when it is
// fast again.
func TestResolution(t *testing.T) {
	b := sitDown(t)
	widths := browsertest.Eval[[]int](b.Page, `(() => {
		const { frame } = game.constructor.prototype, widths = [];
		game.frame = game.scene.draw = () => {}; // only the pictures below count
		let now = 1e6;
		game.resolution = new game.resolution.constructor();
		game.resize();
		for (const ms of [16, 40, 16]) {
			for (let t = 0; t < 8000; t += ms) frame.call(game, now += ms);
			widths.push(game.canvas.width);
		}
		return widths;
	})()`)
	full := browsertest.Eval[int](b.Page, `innerWidth * devicePixelRatio`)
	testenv.Check(t, widths[0] == full && widths[1] < full && widths[2] > widths[1], "%d, of %d", widths, full)
	b.check("the camera shows as much", `game.camera.pixelWidth === game.canvas.width`)
}

// TestAccessible uses the card, the menu, the help and the match with the keyboard.
func TestAccessible(t *testing.T) {
	b := sitDown(t, "sv_warmup 0")
	look := func(what string) {
		t.Helper()
		for _, fault := range append(b.Nameless(), b.KeyboardFaults()...) {
			t.Errorf("%s: %s", what, fault)
		}
	}
	b.check("new lines of the chat are read out", `document.querySelector('#talk :is([aria-live=polite], [role=log])')`)
	b.Run(`game.help.open()`)
	look("the help")
	b.Run(`game.overlays.close()`)
	for _, name := range browsertest.Eval[[]string](b.Page, `[...document.querySelectorAll('#menu [role=tab]')].map((e) => e.textContent)`) {
		b.Run(fmt.Sprintf(`game.menu.open(%q), new Promise((f) => { requestAnimationFrame(f); }).then(() => { window.opened = performance.now(); })`, name))
		b.Wait(`game.textAt > opened + 200`) // the texts are written
		look("the menu, " + name)
	}
	b.Run(`game.overlays.close()`)
	b.Run(`game.card.leave()`)
	b.Wait(`!game.card.box.hidden`)
	look("the card")
	b.Run(`game.card.show({ title: 'The connection is lost.', text: 'Why.', watch: true, field: 'password' })`)
	look("the end of a match")
}
