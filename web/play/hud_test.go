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
		"tally()": `["2/1","0/3","0/0","0/0","0/1","1/0"]`,
		"board()": `[false,true,false,false,false,true]`,
		"phases()": `["","Warmup | Waiting for more players.","Warmup: 4","Warmup | 2 players are not ready. Press R when you are ready.",` +
			`"Paused | 1 player is not ready.","Starts in 2",` +
			`"Game over | Blue wins. The next round begins in 10 s.","Game over | p1 wins. The next round begins in 4 s.",` +
			`"Round over | p2 survives.","You are out | 1 red and 1 blue left"]`,
		"words()": `["\u22120.35","+1.20","a finished in 1:01.230.","b finished in 0:00.900 (\u22121.50). This is a new personal best.",` +
			`"c finished in 0:00.005 (+0.02). This is a new record."]`,
		"loss()":   `[0,0,0.2,0.5]`,
		"states()": `["team team 5","jumps 1 of 3 jumps 1/3","hook endless hook","freeze frozen 2.0 s 0.67","solo solo","practice practice"]`,
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
