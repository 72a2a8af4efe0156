package viewer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// sizes are the windows of a laptop, a big screen and a phone.
var sizes = [][2]int64{{1280, 720}, {1920, 1080}, {390, 844}}

// layout checks at all sizes that no two of the elements of a selector overlap, and that none
// leaves the window to the side.
func layout(t *testing.T, p *browsertest.Page, selector string) {
	t.Helper()
	for _, size := range sizes {
		p.Do(chromedp.EmulateViewport(size[0], size[1]))
		p.Wait(fmt.Sprintf(`innerWidth === %d`, size[0]))
		found := p.Overlaps(selector)
		testenv.Check(t, len(found) == 0, "%d by %d: %q", size[0], size[1], found)
	}
}

// TestLayout checks the page of a match with everything in it.
func TestLayout(t *testing.T) {
	p := openMadeUp(t, "", true)
	p.Run(`import('/viewer/page/frame.js').then((m) => new m.Frame({ root: '', page: 'watch', help: () => {} }))`)
	p.Wait(`document.querySelector('#frame strong').textContent === '<i>yard</i>' && document.querySelectorAll('#kills li').length > 0`)
	p.Run(`viewer.touched = Infinity`) // the bar does not hide
	p.Wait(`!document.querySelector('#stage.idle') && document.getElementById('plate').getAnimations().length === 0`)
	const parts = `#frame > *, #top, #minimap, #kills, #scoreboard, #chat, #vote, #plate, #timeline, #buttons > :not(.more), #buttons .more:not(.open) > *`
	layout(t, p, parts)
	p.Run(`viewer.bar.toggleScores(), Object.assign(viewer.match.moment.vote, { active: true, description: 'change map to yard1', yes: 1, no: 2 })`)
	p.Wait(`document.querySelector('#scoreboard tbody button')?.textContent && document.getElementById('vote').textContent`)
	p.Run(`document.getElementById('vote').hidden = true`) // lies over the list
	layout(t, p, parts)
	// On a phone, the bar is one row, and a button opens the rest.
	wantTrue(t, p, "one row", `new Set([...document.querySelectorAll('#buttons > button')].filter(e => e.offsetWidth).map(e => e.offsetTop)).size === 1`)
	p.Do(chromedp.Click(chromedp.CSS("#buttons .opens")))
	wantTrue(t, p, "opened", `document.querySelector('.opens').ariaExpanded === 'true' && document.querySelector('#more select').offsetWidth > 0`)
	layout(t, p, `#frame > *, #top, #more, #timeline, #buttons > :not(.more)`)
	p.Screenshot()
}

// TestResizeWhileLoading checks that a window of a new size keeps the last picture while the next
// moment loads, instead of turning black.
func TestResizeWhileLoading(t *testing.T) {
	p := openMadeUp(t, "", false)
	p.Run(`(() => {
		const { match, moment, scene } = viewer, draw = scene.draw.bind(scene);
		match.at = () => Object.assign(moment, { ready: false });
		globalThis.drawn = globalThis.frames = 0;
		scene.draw = (...a) => { drawn++; draw(...a); };
		const count = () => { frames++; requestAnimationFrame(count); };
		count();
	})()`)
	p.Wait(`frames > 3`)
	wantTrue(t, p, "nothing new to draw", `drawn === 0`)
	p.Do(chromedp.EmulateViewport(844, 390))
	p.Wait(`innerWidth === 844 && viewer.canvas.width === viewer.canvas.clientWidth && drawn > 0`)
}
