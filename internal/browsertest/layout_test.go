package browsertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestLayoutFaults checks that a page with faults has them found, and others not.
func TestLayoutFaults(t *testing.T) {
	p := Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><style>body { margin: 0 } div { position: absolute }</style>
<div id="fine" style="top: 0"><button>Fine</button> <p>Text</p></div>
<div style="top: 100px; width: 60px; overflow: hidden; white-space: nowrap" id="cut">A long text that does not fit</div>
<div style="top: 150px; width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">Another long text with dots</div>
<div style="top: 200px; width: 60px; overflow: auto; white-space: nowrap"><span>A text that scrolls, however long</span></div>
<div style="top: 250px"><button id="below">Below</button></div><div style="top: 250px"><button id="above">Above it</button></div>
<div style="top: 300px; left: -20px"><button id="edge">Edge</button></div>`)
	}), "/")
	faults := strings.Join(p.LayoutFaults(), "\n")
	for _, want := range []string{"div#cut", "button#above \"Above it\" covers button#below", "button#edge \"Edge\" is beyond the edge: -20"} {
		if !strings.Contains(faults, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if n := strings.Count(faults, "\n") + 1; n != 3 {
		t.Errorf("%d faults:\n%s", n, faults)
	}
	got := strings.Join(p.Overlaps("button"), "\n")
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "button#below overlaps button#above by ") ||
		!strings.Contains(got, "button#edge leaves the window") {
		t.Errorf("overlaps: %s", got)
	}
}
