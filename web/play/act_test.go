package play

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestVotes checks that the page calls votes, and answers those of others.
func TestVotes(t *testing.T) {
	b := sitDown(t, `add_vote "the first" "echo first"; add_vote "second <b>" "echo second"`)
	anna := b.join("anna", client.Version07)
	b.join("carl", client.Version06)
	b.Wait(`game.chat.others.length === 2`)

	b.press("KeyV")
	b.Wait(`document.querySelectorAll('.votes .choices button').length === 2`)
	b.Run(`game.votes.search.focus()`)
	b.keys("<B> sec")
	b.Wait(`document.querySelectorAll('.votes .choices button').length === 1`)
	b.Run(`document.querySelector('.votes .choices button').click(); game.votes.why.focus()`)
	b.keys("why not", kb.Enter)
	v := await(t, anna, func(event.VoteStart) bool { return true })
	testenv.Check(t, v.By.Name == "page" && v.Description == "second <b>" && v.Reason == "why not", "%+v", v)
	b.check("the menu is closed", `!game.overlays.open`)
	b.Wait(`game.votes.what.textContent.includes('second <b>') && game.votes.poll.yes === 1 && game.votes.poll.total === 2`)
	testenv.NoError(t, anna.Vote(true))
	await(t, anna, func(e event.VoteEnd) bool { return e.Passed })
	b.Wait(`game.votes.what.textContent === 'The vote passed.'`)

	testenv.NoError(t, anna.VoteOption("the first", ""))
	b.Wait(`game.votes.poll.state === 'running'`)
	b.press("F4")
	b.check("the own choice", `game.votes.no.getAttribute('aria-pressed') === 'true' && game.votes.yes.getAttribute('aria-pressed') === 'false'`)
	b.Wait(`game.votes.what.textContent === 'The vote failed.'`)

	const carl = `[...document.querySelectorAll('#scoreboard button')].find((b) => b.textContent === 'carl')`
	b.Run(`game.input.scoreboard = true`)
	b.Wait(carl)
	b.Run(carl + `.click()`)
	b.check("a click in the scoreboard", `game.menu.shows('Players') && document.querySelector('.players-page .marked').textContent.includes('carl')`)
	b.Run(`game.input.scoreboard = false; game.overlays.close()`)
	b.press("KeyO")
	b.Wait(`game.players.rows.some((r) => r.name.textContent === 'carl' && !r.buttons.kick.hidden)`)
	b.Run(`game.players.rows.find((r) => r.name.textContent === 'carl').buttons.kick.click()`)
	b.Wait(`game.menu.shows('Votes') && !game.votes.call.disabled`)
	b.Run(`game.votes.call.click()`)
	v = await(t, anna, func(e event.VoteStart) bool { return e.Kind == event.VoteKick })
	testenv.Check(t, v.Target.Name == "carl", "%+v", v)
}

// TestTeamsAndEmotes checks that others see the page's emoticons, eyes and changes of the team.
func TestTeamsAndEmotes(t *testing.T) {
	b := sitDown(t, "sv_gametype tdm; sv_teambalance_time 0")
	anna := b.join("anna", client.Version07)
	b.Wait(`game.chat.commands.get('emote')`)
	turn := func(x, y int) {
		t.Helper()
		b.Run(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyE', key: 'e', bubbles: true }))`)
		b.check("the wheel is open", `!game.emotes.box.hidden`)
		b.Run(fmt.Sprintf(`game.canvas.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, movementX: %d, movementY: %d,
			clientX: innerWidth / 2 + %d, clientY: innerHeight / 2 + %d }))`, x, y, x, y))
		b.Run(`document.activeElement.dispatchEvent(new KeyboardEvent('keyup', { code: 'KeyE', key: 'e', bubbles: true }))`)
		b.check("the wheel is closed", `game.emotes.box.hidden && game.input.enabled`)
	}
	turn(5, 5) // chooses nothing
	turn(0, 120)
	e := await(t, anna, func(event.Emoticon) bool { return true })
	testenv.Check(t, e.Player.Name == "page" && e.Emoticon == 4, "%+v", e)
	turn(-60, 0)
	b.Wait(`game.connection.match.own?.emote === 4`) // angry

	b.press("KeyG")
	b.Wait(`game.menu.shows('Team') && game.teams.teams.get(-1).textContent.startsWith('Spectate')`)
	b.Run(`game.teams.teams.get(-1).click()`)
	await(t, anna, func(e event.TeamChange) bool { return e.Player.Name == "page" && e.Player.Team == game.TeamSpectators })
	b.Wait(`game.moment.players[game.connection.engine.self].team === -1`)
	b.Run(`game.menu.open('Team')`)
	b.Wait(`game.teams.note.textContent.startsWith('You can change your team again in') && game.teams.teams.get(0).disabled`)
	b.server.Console("sv_teams_locked 1; lock_teams")
	b.Wait(`game.teams.settings?.teams_locked`)
	for expression, want := range map[string]string{
		`refusal(0, { own: -1, counts: { 0: 2 }, teams: false, wait: 0, settings: { player_slots: 2 } })`:         "All 2 places are taken.",
		`refusal(1, { own: 0, counts: { 0: 2, 1: 2 }, teams: true, wait: 0, settings: { team_balance: true } })`:  "The teams would not be balanced.",
		`refusal(0, { own: -1, counts: { 0: 2, 1: 2 }, teams: true, wait: 0, settings: { team_balance: true } })`: "",
		`refusal(-1, { own: 0, counts: { 0: 2 }, teams: false, wait: 0, settings: { teams_locked: true } })`:      "The teams are locked.",
		`refusal(0, { own: 0, counts: { 0: 2 }, teams: false, wait: 9, settings: null })`:                         "",
	} {
		got := browsertest.Eval[string](b.Page, `import('/play/page/teams.js').then(({ refusal }) => `+expression+`)`)
		testenv.Check(t, got == want, "%s: %q, want %q", expression, got, want)
	}
}

// TestRemoteConsole logs in and runs a command. The browser keeps no password.
func TestRemoteConsole(t *testing.T) {
	b := sitDown(t)
	b.press("F2")
	b.keys("wrong", kb.Enter)
	b.Wait(`game.rcon.lines.textContent.includes('Wrong password')`)
	b.keys("adminpw", kb.Enter)
	b.Wait(`game.rcon.on && document.activeElement === game.rcon.line && game.rcon.commands.get('sv_scorelimit')`)
	b.check("no password is left", `game.rcon.password.value === '' && !JSON.stringify(localStorage).includes('adminpw')`)
	b.keys("sv_scorel")
	b.Wait(`document.querySelector('#rcon .offers').textContent.includes('sv_scorelimit')`)
	b.keys("\t17", kb.Enter, "sv_scorelimit", kb.Enter)
	b.Wait(`game.rcon.lines.textContent.includes('Value: 17')`)
	b.keys(kb.ArrowUp, kb.ArrowUp)
	b.check("the line before", `game.rcon.line.value === 'sv_scorelimit 17'`)
	b.Run(`game.rcon.line.value = ''`)
	b.keys("echo 1; change_map dm\t")
	b.Wait(`game.rcon.line.value.startsWith('echo 1; change_map dm')`)
	b.press("F2")
	b.check("closed", `!game.overlays.open && game.rcon.box.hidden`)
	b.Run(`game.menu.open('Votes')`)
	b.Wait(`!game.votes.force.hidden && game.votes.decide.hidden && game.votes.note.textContent === 'This server offers no votes.'`)
	b.server.Console(`add_vote "a \"b\" c" "sv_scorelimit 12"`)
	b.Wait(`game.votes.list.children.length === 1`)
	b.Run(`game.votes.list.querySelector('button').click(); game.votes.force.disabled = false; game.votes.force.click()`)
	b.Wait(`game.moment.game.scoreLimit === 12`)
	b.Run(`document.querySelector('#frame a[href$="/replays"]').click()`)
	b.check("a question before a link leaves", `document.querySelector('dialog[open] .main').textContent === 'Stay' && game.connection.playing`)
	b.Run(`document.querySelector('dialog[open] .main').click()`)
	b.Run(`game.menu.open('Team'); [...game.teams.actions.children].find((b) => b.textContent === 'Remote console').click()`)
	b.check("open without a key", `game.overlays.open === game.rcon.overlay && game.menu.box.hidden`)
	b.Run(`game.card.leave()`)
	b.check("a menu without a match", `!game.rcon.on && !game.rcon.commands.size`)
	b.Run(`game.menu.open('Team')`)
	b.check("the section of a match is not shown", `game.menu.selected === 'Settings'`)
}

// TestFloods gives the page what a hostile server can send, and checks that it keeps little of it.
func TestFloods(t *testing.T) {
	b := sitDown(t)
	b.Run(`{
		const send = (event, detail) => game.connection.dispatchEvent(new CustomEvent(event, { detail }));
		globalThis.odd = ['\u202Eeman\u202C', '\u200B\u200B\u200B', 'Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334',
			'\u05D0\u05D1\u05D2', '<img src=x onerror=alert(1)>', '\u{1F600}'.repeat(15), '\u0600'.repeat(15)];
		for (let i = 0; i < 5000; i++) {
			send('vote_option_entry', { option: 'option ' + i + odd[i % 7], removed: false });
			send('chat_command', { name: 'c' + i, params: 's[' + odd[i % 7] + ']', help: odd[i % 7].repeat(20), removed: false });
			send('rcon_command', { name: 'r' + i, params: '', help: odd[i % 7], removed: false });
			send('map_entry', { map: 'm' + i, removed: false });
			send('chat', { from: i % 64, from_name: odd[i % 7], to: -1, to_name: '', mode: ['all', 'team', 'whisper'][i % 3],
				text: (odd[i % 7] + ' ').repeat(60) });
			send('rcon_line', { text: 'x'.repeat(i) });
			send('vote_start', { by: 1, by_name: odd[i % 7], what: odd[i % 7].repeat(60), reason: odd[i % 7].repeat(60), seconds: 2 ** 31 });
			send('joined', { player: i % 64, player_name: odd[i % 7], known: false, quiet: false });
		}
	}`)
	b.Wait(`game.chat.log.pending.length === 0`)
	for what, limit := range map[string]int{
		`game.chat.log.box.children.length`: 250, `game.chat.commands.size`: 4096, `game.votes.options.size`: 4096, `game.rcon.commands.size`: 4096,
		`game.rcon.maps.names.size`: 4096, `game.rcon.pending.length`: 1000,
	} {
		got := browsertest.Eval[int](b.Page, what)
		testenv.Check(t, got > 0 && got <= limit, "%s is %d, at most %d is allowed", what, got, limit)
	}
	b.Run(`game.menu.open('Votes')`)
	b.Wait(`document.querySelectorAll('.votes .choices button').length === 150`)
	b.check("the others are found by a search", `game.votes.note.textContent.includes('3946 more')`)
	b.press("Escape", "F2")
	b.Wait(`game.rcon.lines.childNodes.length === 1000`)
	b.press("F2", "Slash")
	b.Wait(`document.querySelectorAll('#talk .offers li').length === 6`)
	b.check("texts of others stay texts", `!document.querySelector('#talk img, #menu img[src=x], #poll img')`)
	b.check("nothing is wider than the page", `document.documentElement.scrollWidth <= innerWidth`)
	text := browsertest.Eval[string](b.Page, `game.chat.log.box.textContent`)
	testenv.Check(t, !strings.ContainsAny(text, "\u202e\u200b"), "characters that change other texts")
}
