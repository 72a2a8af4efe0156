package web

import (
	"io"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.AtOnce(4)
	browsertest.Main(m)
}

// TestBrowserPlays lets pages in a browser play a match with bots to its end, as clients of 0.6 and
// 0.7. All snapshots have the right checksum, and the clients read each other's chat.
func TestBrowserPlays(t *testing.T) {
	p := startPlayedServer(t, "sv_map testbox; sv_bots 8; sv_scorelimit 3; sv_warmup 1")
	mux := http.NewServeMux()
	mux.Handle("GET /viewer/wire/", http.StripPrefix("/viewer/", http.FileServer(http.Dir("viewer/static"))))
	mux.Handle("GET /test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("GET /empty", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><title>play</title>`)
	})
	page := browsertest.Open(t, p.key.Handler(p.settings.WithPlayers(func(w http.ResponseWriter, r *http.Request, from netip.AddrPort) error {
		return p.hub.Serve(w, r, from)
	}, mux)), p.key.Link("/empty"))
	type seen struct {
		Protocol, Map, Reason                  string
		Snapshots, Wrong, First, Last, Objects int
		Chat                                   []string
		Over                                   bool
	}
	both := browsertest.Eval[map[string]seen](page, `import('/test/play.js').then(async (m) => {
		const [six, seven] = await Promise.all(['0.6', '0.7'].map((v) => m.play('ws://' + location.host + '/', v, 'browser ' + v)));
		return { six, seven };
	})`)
	for version, s := range both {
		t.Logf("%s: %+v", version, s)
		testenv.Check(t, s.Protocol == "binary" && s.Map == "testbox" && s.Over && s.Reason == "", "%s: %+v", version, s)
		testenv.Check(t, s.Snapshots > 25 && s.Wrong == 0 && s.Objects > 8, "%s: %+v", version, s)
		for _, text := range []string{"hello from 0.6", "hello from 0.7"} {
			testenv.Check(t, slices.Contains(s.Chat, text), "%s: %q is not in %q", version, text, s.Chat)
		}
	}
	testenv.Check(t, len(both) == 2, "%v", both)
}
