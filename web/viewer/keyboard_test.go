package viewer

import (
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
)

// accessible checks that keyboard and screen reader reach every control of a page.
func accessible(t *testing.T, p *browsertest.Page, what string) {
	t.Helper()
	for _, fault := range append(p.Nameless(), p.KeyboardFaults()...) {
		t.Errorf("%s: %s", what, fault)
	}
}

// TestAccessible uses the page of a match, its help, and the list of matches with the keyboard.
func TestAccessible(t *testing.T) {
	p := openMadeUp(t, "", true)
	p.Run(`import('/viewer/page/frame.js').then((m) => { globalThis.frame = new m.Frame({ root: '', page: 'watch', help: () => {} }); })`)
	p.Wait(`document.querySelector('#frame strong').textContent && document.querySelectorAll('#kills li').length > 0`)
	accessible(t, p, "a match")
	p.Run(`viewer.bar.toggleScores()`)
	p.Wait(`document.querySelector('#scoreboard tbody button')?.textContent`)
	accessible(t, p, "the scoreboard")
	p.Run(`frame.showClients()`)
	accessible(t, p, "how to join")
	wantTrue(t, p, "new lines of the chat are read out", `document.querySelector('#chat:is([aria-live=polite], [role=log])') !== null`)
}
