package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/web"
)

// world is a server with an admin console, in virtual time.
type world struct {
	*servertest.Server
	tb       testing.TB
	console  *Console
	web      web.Settings
	settings Settings
	rooms    http.Handler
	key      web.Key
	audit    testenv.Buffer
	log      testenv.Buffer
	tokens   string
	mu       sync.Mutex // stands in for the server's goroutine
}

// Do runs f at once, since no other goroutine uses the server.
func (w *world) Do(_ context.Context, f func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	return nil
}

// Execute runs a console line as the operator.
func (w *world) Execute(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Server.Execute(line)
}

// pass lets time pass without ticks.
func (w *world) pass(span time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Stall(span)
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock()
}

func (w *world) clock() time.Time {
	since := time.Hour
	if w.Server != nil { // otherwise it is being created
		since = time.Duration(w.Now())
	}
	return time.Unix(1_700_000_000, 0).Add(since)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func newWorld(tb testing.TB, commands ...string) *world {
	w := &world{tb: tb, tokens: filepath.Join(tb.TempDir(), "tokens.json")}
	w.console = New(Config{Settings: &w.settings, Web: &w.web, TokensFile: w.tokens, Now: func() time.Time {
		if w.mu.TryLock() { // otherwise the server's goroutine is asking
			defer w.mu.Unlock()
		}
		return w.clock()
	}})
	w.Server = servertest.New(tb, server.Config{
		Files: fstest.MapFS{"maps/other.map": {}}, Observers: []server.Observer{w.console},
		AddToConsole: func(c *console.Console) error { return errors.Join(w.web.Register(c), w.settings.Register(c)) },
		OpenLog:      func(string) (io.WriteCloser, error) { return nopCloser{&w.audit}, nil },
		Log:          slog.New(slog.NewMultiHandler(w.console.LogHandler(), slog.NewTextHandler(&w.log, nil))),
		Commands: []string{"sv_max_clients 8; sv_player_slots 8; sv_max_clients_per_ip 4; sv_spamprotection 1",
			`sv_audit_log audit; sv_rcon_mod_password modpw; sv_name "the <b>yard</b>"`},
	}, commands...)
	w.console.Attach(w, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, "live "+r.URL.Path) }))
	tb.Cleanup(w.console.Close)
	w.key = web.NewKey()
	w.rooms = w.key.Handler(web.NewHandler(w.console.Rooms()...))
	w.run(2 * time.Second)
	return w
}

// expectAudit waits until the audit log contains a text. Another goroutine writes the log.
func (w *world) expectAudit(text string) {
	w.tb.Helper()
	testenv.Eventually(w.tb, "audit log with "+text, func() bool { return strings.Contains(w.audit.String(), text) })
}

// run lets time pass while clients keep their connections.
func (w *world) run(span time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Idle(int(span / (20 * time.Millisecond)))
}

// join adds a player.
func (w *world) join(addr, name string) *testclient.Client {
	w.mu.Lock()
	c := w.Connect(transport.MustParsePeer(addr + ":5000")).Join(name)
	w.mu.Unlock()
	w.run(100 * time.Millisecond)
	return c
}

// visitor is a browser or a program that uses the API.
type visitor struct {
	w      *world
	addr   string
	header http.Header
	cookie *http.Cookie
	tls    bool
	key    bool // links carry the key
	host   string
}

// visitor returns a browser at an address: over TLS, or on the machine itself.
func (w *world) visitor(addr string) *visitor {
	v := &visitor{w: w, addr: addr + ":4000", header: http.Header{}, host: "yard.example"}
	if v.key = netip.MustParseAddr(addr).IsLoopback(); v.key {
		v.host = "localhost:8303"
	}
	v.tls = !v.key
	return v
}

// signedIn returns a browser whose user has signed in.
func (w *world) signedIn(addr, password string) *visitor {
	w.tb.Helper()
	v := w.visitor(addr)
	if code, body := v.ask("POST", "/login", `{"password":"`+password+`"}`); code != 200 {
		w.tb.Fatalf("%s cannot sign in: %d %s", addr, code, body)
	}
	return v
}

// link returns a path, with the key if the visitor has it.
func (v *visitor) link(path string) string {
	if v.key {
		return v.w.key.Link(path)
	}
	return path
}

// send sends a request to a path of the listener.
func (v *visitor) send(method, path, body string) *http.Response {
	path = v.link(path)
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr, r.Host = v.addr, v.host
	if !v.tls {
		r.TLS = nil
	} else {
		r = httptest.NewRequest(method, "https://"+v.host+path, strings.NewReader(body)) // with TLS
		r.RemoteAddr, r.Host = v.addr, v.host
	}
	r.URL.Host, r.URL.Scheme = "", "" // as a server receives it
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range v.header {
		r.Header[name] = values
	}
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	answer := httptest.NewRecorder()
	v.w.rooms.ServeHTTP(answer, r)
	res := answer.Result()
	for _, c := range res.Cookies() {
		if v.cookie = c; c.MaxAge < 0 {
			v.cookie = nil
		}
	}
	return res
}

// ask sends a request to the API.
func (v *visitor) ask(method, path, body string) (code int, answer string) {
	res := v.send(method, apiPath+path, body)
	return res.StatusCode, string(testenv.Must(io.ReadAll(res.Body)))
}

// expect sends a request and checks the status, and that the answer contains a text.
func (v *visitor) expect(method, path, body string, code int, text string) string {
	v.w.tb.Helper()
	got, answer := v.ask(method, path, body)
	if got != code || !strings.Contains(answer, text) {
		v.w.tb.Errorf("%s %s %s: %d %s, want %d %s", method, path, body, got, answer, code, text)
	}
	return answer
}

// get sends a request and decodes the answer.
func get[T any](v *visitor, path string) (out T) {
	v.w.tb.Helper()
	code, answer := v.ask("GET", path, "")
	d := json.NewDecoder(bytes.NewReader([]byte(answer)))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil || code != 200 {
		v.w.tb.Fatalf("GET %s: %d %s %v", path, code, answer, err)
	}
	return out
}
