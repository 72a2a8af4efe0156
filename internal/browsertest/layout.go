package browsertest

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
)

//go:embed layout.js
var layout string

//go:embed overlaps.js
var overlaps string

// Size is the size of a window in pixels.
type Size struct {
	Name          string
	Width, Height int64
	Phone         bool
}

// Sizes are the windows in which pages must look right.
var Sizes = []Size{{"laptop", 1280, 720, false}, {"screen", 1920, 1080, false}, {"phone", 390, 844, true}}

// Resize changes the size of the window.
func (p *Page) Resize(s Size) {
	p.t.Helper()
	var options []chromedp.EmulateViewportOption
	if s.Phone {
		options = append(options, chromedp.EmulateMobile)
	}
	p.Do(chromedp.EmulateViewport(s.Width, s.Height, options...))
}

// LayoutFaults returns a line for each text or control that is cut, or that another element covers.
// Content that a box can scroll to is not cut, and neither is text that ends in an ellipsis.
func (p *Page) LayoutFaults() []string {
	p.t.Helper()
	return Eval[[]string](p, layout)
}

// Overlaps returns a line for each two visible elements of a selector that overlap, for each one
// that leaves the window to the side, and for each button whose text is cut. Elements may lie
// within each other.
func (p *Page) Overlaps(selector string) []string {
	p.t.Helper()
	return Eval[[]string](p, fmt.Sprintf("%s(%q)", strings.TrimSpace(overlaps), selector))
}
