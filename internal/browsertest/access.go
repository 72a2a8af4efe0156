package browsertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed access.js
var access string

// controls are the roles of elements that a user operates, and of lists of news.
var controls = []string{
	"button", "checkbox", "combobox", "link", "listbox", "log", "menuitem", "option", "progressbar",
	"radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
}

// Nameless returns a line for each control that a screen reader would announce without a name.
func (p *Page) Nameless() []string {
	p.t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			json.Unmarshal(v.Value, &s) // other values are no texts
		}
		return s
	}
	var lines []string
	found := 0
	for _, n := range tree.Nodes {
		if role := text(n.Role); !n.Ignored && slices.Contains(controls, role) {
			if found++; text(n.Name) == "" {
				lines = append(lines, fmt.Sprintf("a %s has no name: %s", role, text(n.Description)))
			}
		}
	}
	if found == 0 {
		lines = append(lines, "the page has no controls")
	}
	return lines
}

// KeyboardFaults presses Tab until the focus is where it began. It returns a line for each control
// that the focus does not reach, or not in the order of the document, and for each one that does
// not look focused.
func (p *Page) KeyboardFaults() []string {
	p.t.Helper()
	n := Eval[int](p, "("+access+").begin()")
	for range n {
		p.Do(chromedp.KeyEvent(kb.Tab))
		p.Run(`tabbing.step()`)
	}
	return Eval[[]string](p, `tabbing.faults()`)
}
