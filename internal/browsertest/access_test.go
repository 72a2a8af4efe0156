package browsertest

import (
	"io"
	"net/http"
	"slices"
	"testing"
)

// TestAccess checks that a page with faults has them found, and others not.
func TestAccess(t *testing.T) {
	p := Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><style>.plain { outline: none }</style>
<a href="/fine">Fine</a> <button disabled>Off</button> <button hidden>Away</button> <input aria-label="Search"> <button title="Named by its title"></button>
<p><button></button> <button id="early" tabindex="1">Early</button> <input> <a href="/plain" class="plain">Plain</a></p>`)
	}), "/")
	if got, want := p.Nameless(), []string{"a button has no name: ", "a textbox has no name: "}; !slices.Equal(got, want) {
		t.Errorf("names: %q, want %q", got, want)
	}
	if got, want := p.KeyboardFaults(), []string{`a "Plain" does not look focused`, `button#early "Early" comes after a "Plain"`}; !slices.Equal(got, want) {
		t.Errorf("keyboard: %q, want %q", got, want)
	}
}
