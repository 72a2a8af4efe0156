package handbook

import (
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/web"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// TestPage searches with the keyboard in a browser, and measures pages in wide and narrow windows.
func TestPage(t *testing.T) {
	p := browsertest.Open(t, web.NewHandler(book(t).Rooms()...), "/protocol/join")
	p.Wait(`document.querySelector('#toc').open && document.querySelector('#pages').open`)
	if at := browsertest.Eval[string](p, `document.querySelector('[aria-current]').textContent`); at != "Join" {
		t.Errorf("the list of pages marks %q", at)
	}
	for _, fault := range append(p.Nameless(), p.KeyboardFaults()...) {
		t.Error(fault)
	}
	key := func(name string) string {
		return `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '` + name + `', bubbles: true, cancelable: true}))`
	}
	p.Run(`document.activeElement.blur()`)
	p.Run(key("/"))
	p.Wait(`document.activeElement === document.querySelector('input')`)
	p.Run(`document.activeElement.value = 'Sv_Chat'; document.activeElement.dispatchEvent(new InputEvent('input', {bubbles: true}))`)
	p.Wait(`document.querySelectorAll('#results li').length > 3 && !document.querySelector('#results').hidden`)
	p.Run(key("ArrowDown"))
	first := browsertest.Eval[string](p, `document.activeElement.getAttribute('href')`)
	if first != "/reference/messages-0.7#sv_chat" {
		t.Errorf("the first result is %q", first)
	}
	p.Run(key("Escape"))
	p.Wait(`document.querySelector('#results').hidden && document.activeElement === document.querySelector('input')`)
	for _, path := range []string{"/", "/protocol/sequences", "/reference/messages-0.7", "/search?q=vote", "/nowhere"} {
		if path == "/nowhere" {
			p.Allow("404")
		}
		p.Goto(path)
		for _, s := range []browsertest.Size{{Width: 1280, Height: 900}, {Width: 390, Height: 844}} {
			p.Resize(s)
			if over := browsertest.Eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s, %d wide: %v pixels over the edge", path, s.Width, over)
			}
		}
	}
	p.Goto(first)
	if top := browsertest.Eval[float64](p, `document.getElementById('sv_chat').getBoundingClientRect().top`); top < 0 || top > 200 {
		t.Errorf("the heading is at %v", top)
	}
}
