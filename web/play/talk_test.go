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

// TestChat checks that the page and other clients read each other's lines, whispers and commands.
func TestChat(t *testing.T) {
	b := sitDown(t)
	anna := b.join("anna b", client.Version07)
	b.press("KeyT")
	b.check("the line is open", `document.activeElement === game.chat.input && game.input.chatting && !game.input.enabled`)
	await(t, anna, func(e event.Joined) bool { return e.Player.Name == "page" })
	b.keys("hello <b>you</b>", kb.Enter)
	testenv.Check(t, b.heard(anna, "hello <b>you</b>").Mode == game.ChatAll, "for all")
	b.shows("page: hello <b>you</b>")
	b.check("the line is closed", `!game.overlays.open && game.input.enabled && !game.input.chatting && document.activeElement === game.canvas`)

	testenv.NoError(t, anna.Say("hi, Page"))
	testenv.Check(t, has(b.shows("anna b: hi, Page"), "mention"), "it names the player")
	testenv.NoError(t, anna.SayTeam("to my team"))
	testenv.Check(t, has(b.shows("to my team"), "to-team"), "a line of the team")

	b.press("KeyX")
	b.keys("an\tpsst", kb.Enter)
	w := b.heard(anna, "psst")
	testenv.Check(t, w.Mode == game.ChatWhisper && w.From.Name == "page", "%+v", w)
	testenv.NoError(t, anna.Whisper(w.From.ID, "psst too"))
	testenv.Check(t, has(b.shows("← anna b: psst too"), "to-whisper"), "a whisper")
	b.press("KeyX")
	b.check("the answer goes to the whisperer", `game.chat.modeButton.textContent === 'To anna b'`)
	b.keys("answer", kb.Enter)
	testenv.Check(t, b.heard(anna, "answer").Mode == game.ChatWhisper, "a whisper")

	b.press("KeyT")
	b.Run(`[...game.chat.log.box.children].find((li) => li.textContent.includes('hi, Page')).click()`)
	b.check("a click on a line", `game.chat.modeButton.textContent === 'To anna b'`)
	b.Run(`game.chat.modeButton.click()`)
	b.check("a click on the mode", `game.chat.modeButton.textContent === 'All'`)
	b.keys(kb.ArrowUp)
	b.check("the line before", `game.chat.input.value === 'answer'`)
	b.press("Escape")
	b.check("closed without sending", `!game.overlays.open && game.chat.input.value === ''`)

	b.press("Slash")
	b.check("the server's commands", `document.querySelector('#talk .offers').textContent.includes('/emote')`)
	b.keys("inf\t", kb.Enter)
	b.shows("This is a teeyard")
	b.press("Slash")
	b.keys("nonsense", kb.Enter)
	testenv.Check(t, has(b.shows("No such command: /nonsense"), "to-server"), "the server answers")

	b.Run(`game.chat.toggleMute('anna b')`)
	testenv.NoError(t, anna.Say("not seen"))
	b.join("carl", client.Version06)
	b.shows("carl' entered the game")
	b.check("a muted player", `!game.chat.log.box.textContent.includes('not seen')`)
}

// TestLongLine checks that the page cuts a line as the server does, and lets lines wait that would
// come too fast.
func TestLongLine(t *testing.T) {
	b := sitDown(t, "sv_spamprotection 1")
	anna := b.join("anna", client.Version07)
	b.press("KeyT")
	long := strings.Repeat("ü😀", 70)
	b.Run(fmt.Sprintf(`game.chat.input.value = %q; game.chat.input.dispatchEvent(new InputEvent('input'))`, long))
	b.check("the number of characters that are left", `game.chat.left.textContent === '0'`)
	b.keys(kb.Enter)
	b.heard(anna, strings.Repeat("ü😀", 63)+"ü")
	b.Run(`for (const line of ['second', 'third', 'fourth']) { // at once, however slow the browser is
		game.chat.open('all', line);
		game.chat.input.form.requestSubmit();
	}`)
	b.Wait(`game.chat.hint.textContent.startsWith('Your line is sent')`)
	for _, line := range []string{"second", "third", "fourth"} {
		b.heard(anna, line)
	}
}

// TestDialogOverMenu checks that Escape closes a dialog over the menu, and not the menu.
func TestDialogOverMenu(t *testing.T) {
	b := sitDown(t)
	b.press("Escape")
	b.Run(`game.head.showClients()`)
	b.keys(kb.Escape)
	b.Wait(`!game.head.dialog.open`)
	b.check("the menu is still open", `game.overlays.open === game.overlays.menu`)
	b.keys(kb.Escape)
	b.Wait(`!game.overlays.open`)
}

// TestTyping checks the parts of the page that read what somebody types.
func TestTyping(t *testing.T) {
	p := openModules(t)
	for expression, want := range map[string]string{
		`typing.cut('a😀b', 2)`:            `"a😀"`,
		`typing.count('a😀b')`:             `3`,
		`say('hello')`:                    `{"action":"say","params":["hello"]}`,
		`say('hi', 'team')`:               `{"action":"say_team","params":["hi"]}`,
		`say('/w anna b psst')`:           `{"action":"whisper","params":[2,"psst"]}`,
		`say('/w "anna b" psst')`:         `{"action":"whisper","params":[2,"psst"]}`,
		`say('/w "q\\"\\\\" x y')`:        `{"action":"whisper","params":[3,"x y"]}`,
		`say('/w anna')`:                  `{"error":"Type a text behind the name."}`,
		`say('/w zoe hi')`:                `{"error":"There is no player with the name zoe."}`,
		`say('/c hi')`:                    `{"error":"There is nobody to reply to."}`,
		`say('/emote happy 3')`:           `{"action":"command","params":["emote","happy 3"]}`,
		`tab('an')`:                       `["anna: ","anna b: ","joanna: "]`,
		`tab('hi NA')`:                    `["hi joanna ","hi anna ","hi anna b "]`,
		`tab('/e')`:                       `["/emote ","/help "]`,
		`tab('/w an')`:                    `["/w anna ","/w \"anna b\" ","/w joanna "]`,
		`tab('zzz')`:                      `[]`,
		`readable('s[name] ?i[seconds]')`: `"<name> [seconds]"`,
		`readable("i?rs")`:                `"<number> [text] [text]"`,
		`history(['a', 'b', 'b'], [-1, -1, -1, 1, 1, 1])`: `["b","a","a","b","draft","draft"]`,
	} {
		got := browsertest.Eval[string](p, `typed.then(({ typing, say, tab, readable, history }) => JSON.stringify(`+expression+`))`)
		testenv.Check(t, got == want, "%s: %s, want %s", expression, got, want)
	}
}
