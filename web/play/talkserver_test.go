package play

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/ws"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// table is a server in real time with a page in a browser, whose player is called page.
type table struct {
	*browsertest.Page
	t      *testing.T
	server *servertest.Server
}

// sitDown starts a server and lets the page join it.
func sitDown(t *testing.T, commands ...string) *table {
	t.Helper()
	return sitDownWith(t, way{}, commands...)
}

// way is what lies between a page and its server.
type way struct {
	datagrams func(c transport.Conn) transport.Conn
	requests  func(h http.Handler) http.Handler
}

// sitDownWith is sitDown with a way.
func sitDownWith(t *testing.T, by way, commands ...string) *table {
	t.Helper()
	settings, key, hub := new(web.Settings), web.NewKey(), ws.NewHub()
	page := New(settings)
	join := hub.Join
	if by.datagrams != nil {
		join = func(c transport.Conn) transport.Conn { return by.datagrams(hub.Join(c)) }
	}
	s := servertest.Start(t, server.Config{
		AddToConsole: settings.Register, AddTransport: join, Observers: []server.Observer{page},
		Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
	}, append([]string{"sv_map testbox; sv_inactivekick 0; sv_http_proxy local"}, commands...)...)
	rooms := web.NewHandler(slices.Concat(viewer.Rooms("", nil), page.Rooms(s.Addr().Port()))...)
	handler := key.Handler(settings.WithPlayers(hub.Serve, rooms))
	if by.requests != nil {
		handler = by.requests(handler)
	}
	tab := browsertest.Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-For", "198.51.100.1") // not the address of the others: each has a vote
		r.Header.Set("X-Forwarded-Proto", "https")
		handler.ServeHTTP(w, r)
	}), "/play")
	b := &table{tab, t, s}
	b.Allow("/viewer/data/")
	b.Allow("live.json")
	b.Wait(`globalThis.teeyard`)
	b.Run(`void (globalThis.game = teeyard)`)
	b.Do(chromedp.EmulateViewport(480, 270)) // a browser without a graphics card draws it fast
	b.Wait(`!game.card.play.disabled`)
	b.Run(`game.settings.set('name', 'page'); game.card.play.click()`)
	b.playing()
	return b
}

// playing waits until the page is in the match.
func (b *table) playing() {
	b.Wait(`game.connection.playing && game.moment?.players[game.connection.engine.self].active`)
}

// keys types a text into the focused field, as a keyboard does.
func (b *table) keys(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.Do(chromedp.KeyEvent(k))
	}
}

// press presses a key by its code, once per argument.
func (b *table) press(codes ...string) {
	b.t.Helper()
	for _, code := range codes {
		b.Run(fmt.Sprintf(`for (const type of ['keydown', 'keyup']) document.activeElement.dispatchEvent(`+
			`new KeyboardEvent(type, { code: %q, key: %q, bubbles: true, cancelable: true }))`, code, code))
	}
}

// other is a client beside the page.
type other struct {
	*client.Client
	mu     sync.Mutex
	events []event.Event
}

// join lets another client join the server.
func (b *table) join(name string, version client.Version) *other {
	b.t.Helper()
	o := new(other)
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	var err error
	o.Client, err = client.Dial(ctx, b.server.Addr().String(), client.Config{
		Name: name, Version: version, Maps: client.NewMaps(b.t.TempDir()),
		OnEvent: func(_ *client.Client, e event.Event) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.events = append(o.events, e)
		},
	})
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", name, err, b.server.Log)
	}
	b.t.Cleanup(func() { o.Close() })
	return o
}

// await waits until another client has got an event.
func await[E event.Event](t *testing.T, o *other, wanted func(E) bool) (found E) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		o.mu.Lock()
		i := slices.IndexFunc(o.events, func(e event.Event) bool { found, ok := e.(E); return ok && wanted(found) })
		if i >= 0 {
			found = o.events[i].(E)
		}
		o.mu.Unlock()
		if i >= 0 {
			return found
		}
		if time.Now().After(end) {
			t.Fatalf("no %T as wanted", found)
		}
	}
}

// heard waits for a line of chat that a client sees.
func (b *table) heard(o *other, text string) event.Chat {
	b.t.Helper()
	return await(b.t, o, func(e event.Chat) bool { return e.Text == text })
}

// shows waits for a line of chat on the page that contains a text, and returns its classes.
func (b *table) shows(text string) string {
	b.t.Helper()
	line := fmt.Sprintf(`[...document.querySelectorAll('#talk .lines li')].findLast((li) => li.textContent.includes(%q))`, text)
	for end := time.Now().Add(time.Minute); !browsertest.Eval[bool](b.Page, `!!`+line); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("no line has %q: %s", text, browsertest.Eval[string](b.Page, `game.chat.log.box.innerText`))
		}
	}
	return browsertest.Eval[string](b.Page, line+`.className`)
}

func (b *table) check(what, expression string) {
	b.t.Helper()
	testenv.Check(b.t, b.is(expression), "%s: %s is false", what, expression)
}

// is evaluates a condition.
func (b *table) is(expression string) bool {
	b.t.Helper()
	return browsertest.Eval[bool](b.Page, `Promise.resolve(`+expression+`).then(Boolean)`)
}

func has(classes, class string) bool { return slices.Contains(strings.Fields(classes), class) }

// openModules opens a page without a match, and the modules of testdata/typed.js as typed.
func openModules(t *testing.T) *browsertest.Page {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", web.NewHandler(slices.Concat(viewer.Rooms("", nil), New(new(web.Settings)).Rooms(0))...))
	mux.HandleFunc("/play/main.js", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/javascript") })
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	p := browsertest.Open(t, mux, "/play?modules")
	p.Run(`void (window.typed = import("/test/typed.js"))`)
	return p
}
