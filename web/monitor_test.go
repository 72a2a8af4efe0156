package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/storage"
)

// watchedServer is a server with a monitor, in virtual time.
type watchedServer struct {
	*servertest.Server
	monitor  *Monitor
	settings Settings
	rooms    http.Handler
	ranks    ranks
}

// ranks have the error of a database.
type ranks struct{ err error }

func (*ranks) Submit(*game.RankRequest, game.RankOrigin, func(game.RankAnswer)) {}
func (r *ranks) Err() error                                                     { return r.err }
func (*ranks) Close() error                                                     { return nil }

// away is the error of a database on another machine.
type away struct{ error }

func (away) Away() bool { return true }

func newWatchedServer(t testing.TB, commands ...string) *watchedServer {
	w := new(watchedServer)
	w.monitor = newMonitor(&w.settings, func() time.Time {
		if w.Server == nil { // which is being created
			return time.Unix(3600, 0)
		}
		return time.Unix(0, int64(w.Now()))
	})
	w.Server = servertest.New(t, server.Config{
		Observers: []server.Observer{w.monitor}, AddToConsole: w.settings.Register, OpenRanks: func(string) storage.Ranks { return &w.ranks },
	},
		append([]string{"sv_max_clients 8; sv_player_slots 8"}, commands...)...)
	w.rooms = NewHandler(w.monitor.Rooms()...)
	return w
}

// get sends a request as a program on the same machine that has the key.
func (w *watchedServer) get(path string) (code int, body string) {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5000", "localhost:8303"
	answer := httptest.NewRecorder()
	w.rooms.ServeHTTP(answer, Prove(r))
	return answer.Code, answer.Body.String()
}

func (w *watchedServer) expect(t *testing.T, path string, code int, text string) {
	t.Helper()
	if got, body := w.get(path); got != code || !strings.Contains(body, text) {
		t.Errorf("%s: %d %q, want %d %q", path, got, body, code, text)
	}
}

// expectPrivate checks that no cache keeps a page.
func (w *watchedServer) expectPrivate(t *testing.T, path string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5000", "localhost:8303"
	answer := httptest.NewRecorder()
	w.rooms.ServeHTTP(answer, Prove(r))
	if got := answer.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("%s: Cache-Control %q", path, got)
	}
}

// TestHealth checks that a server is healthy while its ticks run, and ready once it has registered
// and while players can join.
func TestHealth(t *testing.T) {
	w := newWatchedServer(t)
	w.expect(t, "/healthz", 200, "ok")
	w.expect(t, "/readyz", 503, "is starting")
	w.Wait(time.Second)
	w.expect(t, "/readyz", 200, "ok")
	w.Stall(stallTime + time.Second)
	w.expect(t, "/healthz", 503, "no tick for 6s\n")
	w.expect(t, "/readyz", 503, "no tick for 6s\n")
	w.Wait(2 * time.Second)
	w.expect(t, "/healthz", 200, "ok")
	w.ranks.err = away{errors.New("results wait for the database")}
	w.Wait(2 * time.Second)
	w.expect(t, "/readyz", 200, "ok\nwarning: results wait for the database\n")
	w.ranks.err = errors.New("the disk is full")
	w.Wait(2 * time.Second)
	w.expect(t, "/readyz", 503, "the disk is full")
	w.ranks.err = nil
	w.Wait(2 * time.Second)
	w.expect(t, "/readyz", 200, "ok")
	w.Execute("drain")
	w.Wait(20 * time.Millisecond)
	w.expect(t, "/readyz", 503, "is draining")
	w.Wait(2 * time.Second)
	w.expect(t, "/healthz", 200, "ok")
	w.expect(t, "/readyz", 503, "is draining")

	w = newWatchedServer(t, "sv_gametype zcatch")
	w.Wait(2 * time.Second)
	w.expect(t, "/healthz", 200, "ok")
	w.expect(t, "/readyz", 503, "sv_gametype 'zcatch' does not exist: dm is played instead")
}

// TestStatusPage reads /status.json with the types of the lists of master servers.
func TestStatusPage(t *testing.T) {
	w := newWatchedServer(t, "sv_name \"a <yard>\"; sv_gametype ctf; password x")
	w.monitor.Add(Value{"things", metrics.Gauge, "Things.", func() float64 { return 3 }})
	w.Wait(3 * time.Second)
	_, body := w.get("/status.json")
	var got status
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	info, err := query.ParseJSON(got.Info)
	if err != nil || info.Name != "a <yard>" || info.GameType != "CTF" || !info.Password || got.Uptime < 2 || got.Draining || len(got.Clients) != 2 ||
		got.Values["things"] != 3 {
		t.Errorf("%v, %s", err, body)
	}
}

// TestMetricsPage checks that all documented metrics are present and the page is well-formed.
func TestMetricsPage(t *testing.T) {
	w := newWatchedServer(t)
	w.monitor.Add(Value{"things", metrics.Gauge, "Things.", func() float64 { return 3 }})
	w.Wait(3 * time.Second)
	_, body := w.get("/metrics")
	for _, line := range []string{
		"teeyard_players 0", "teeyard_spectators 0", "teeyard_bots 0", "teeyard_player_slots 8", "teeyard_client_slots 8", "teeyard_draining 0",
		"teeyard_things 3",
		`teeyard_clients{version="0.6"} 0`, `teeyard_clients{version="0.7"} 0`, `teeyard_joins_total{version="0.7"} 0`,
		`teeyard_dropped_total{reason="ticks"} 0`, `teeyard_network_dropped_total{reason="overflow"} 0`,
		"teeyard_received_bytes_total 0", "teeyard_sent_bytes_total 0", "teeyard_start_time_seconds 3600",
		`teeyard_tick_seconds_bucket{le="0.02"} 100`, `teeyard_tick_seconds_bucket{le="+Inf"} 100`, "teeyard_tick_seconds_count 100",
	} {
		if !strings.Contains(body, "\n"+line+"\n") {
			t.Errorf("%q is not in\n%s", line, body)
		}
	}
	if !strings.Contains(body, `",map="teeyard1",gametype="DM"} 1`) {
		t.Errorf("no map in\n%s", body)
	}
}

// TestWhoMayRead checks the default rules of the settings, and changed ones.
func TestWhoMayRead(t *testing.T) {
	w := newWatchedServer(t)
	w.Wait(time.Second)
	stranger := func(path string, want int) {
		t.Helper()
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr, r.Host = "198.51.100.1:5000", "teeyard:8303"
		answer := httptest.NewRecorder()
		if w.rooms.ServeHTTP(answer, r); answer.Code != want {
			t.Errorf("%s: %d, want %d", path, answer.Code, want)
		}
	}
	stranger("/healthz", 200)
	stranger("/readyz", 200)
	stranger("/status.json", 200)
	stranger("/metrics", 403)
	stranger("/debug/pprof/heap", 403)
	w.expect(t, "/metrics", 200, "teeyard_players")
	w.expectPrivate(t, "/metrics")
	w.expect(t, "/debug/pprof/heap", 403, "sv_http_pprof")
	w.Execute("sv_http_status off; sv_http_metrics 198.51.100.0/24; sv_http_pprof local")
	stranger("/status.json", 403)
	stranger("/metrics", 200)
	stranger("/debug/pprof/heap", 403)
	w.expect(t, "/metrics", 403, "sv_http_metrics")
	w.expect(t, "/debug/pprof/", 200, "goroutine")
	w.expectPrivate(t, "/debug/pprof/")
	w.expect(t, "/debug/pprof/goroutine?debug=1", 200, "goroutine profile")
	w.expect(t, "/debug/pprof/nonsense", 404, "")
	w.expect(t, "/debug/pprof/cmdline", 404, "") // the arguments contain passwords
	w.Execute("sv_http_metrics everybody")
	stranger("/metrics", 200)
}

// TestProfilesRegisterNothing checks that importing the package does not add profiles to a
// program's default HTTP handlers.
func TestProfilesRegisterNothing(t *testing.T) {
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/profile"} {
		if _, pattern := http.DefaultServeMux.Handler(httptest.NewRequest("GET", path, nil)); pattern != "" {
			t.Errorf("%s is served by http.DefaultServeMux: %s", path, pattern)
		}
	}
}

// TestReadersCostTheGameNothing counts the work of the game's goroutine for readers: one copy a
// second for any number of requests, and none while the last copy is being read.
func TestReadersCostTheGameNothing(t *testing.T) {
	copies := 0
	count := func(w *watchedServer, seconds int, ask func()) int {
		copies = 0
		for range seconds * 50 {
			before := w.monitor.copiedAt
			w.Wait(20 * time.Millisecond)
			if w.monitor.copiedAt != before {
				copies++
			}
			ask()
		}
		return copies
	}
	w := newWatchedServer(t, "sv_http_pprof local")
	if n := count(w, 10, func() {}); n > 10 {
		t.Errorf("%d copies in 10 s", n)
	}
	if n := count(w, 10, func() {
		for range 4 {
			w.get("/metrics")
			w.get("/status.json")
			w.get("/readyz")
			w.get("/nonsense")
		}
	}); n > 10 || n < 9 {
		t.Errorf("%d copies in 10 s while many ask", n)
	}
	w.monitor.mu.Lock()
	if n := count(w, 10, func() {}); n != 0 {
		t.Errorf("%d copies while somebody reads the last one", n)
	}
	w.monitor.mu.Unlock()
	if n := count(w, 1, func() {}); n != 1 {
		t.Errorf("%d copies after that", n)
	}
	testenv.RequireExactAllocs(t)
	w.Stall(time.Hour)
	if n := testing.AllocsPerRun(100, func() { w.monitor.ObserveTick(new(server.Tick)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestBadClients opens connections that stall or send garbage. They end, and other requests are
// served meanwhile.
func TestBadClients(t *testing.T) {
	w := newWatchedServer(t)
	w.Wait(time.Second)
	listeners, err := Listen(t.Context(), "localhost:0", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(w.rooms)
	defer s.Close()
	for _, l := range listeners {
		go s.Serve(l)
	}
	addr := listeners[0].Addr().String()
	dial := func(send string) net.Conn {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, send)
		return c
	}
	for range 20 {
		dial("GET /metrics HT") // stalls
	}
	for _, garbage := range []string{
		"\x00\x01\x02\r\n\r\n", "GET /metrics HTTP/1.1\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 32<<10) + "\r\n\r\n",
		"PUT /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n",
		"GET /debug/pprof/../../metrics HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n",
	} {
		c := dial(garbage)
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && answer.StatusCode < 300 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%.40q: %v, %v", garbage, answer, err)
		}
	}
	answer, err := http.Get("http://" + addr + "/healthz")
	if err != nil || answer.StatusCode != 200 {
		t.Errorf("%v, %v", answer, err)
	}
	answer.Body.Close()
}

// TestListen checks the addresses of the listeners.
func TestListen(t *testing.T) {
	listeners, err := Listen(t.Context(), "localhost", 0)
	if err != nil {
		t.Fatal(err)
	}
	port := ""
	for i, l := range listeners {
		defer l.Close()
		host, p, _ := net.SplitHostPort(l.Addr().String())
		if i == 0 {
			port = p
		}
		if p != port || host != "127.0.0.1" && host != "::1" {
			t.Errorf("listens on %v", l.Addr())
		}
	}
	// The error for a port in use names the port.
	if _, err := Listen(t.Context(), "localhost:"+port, 0); err == nil || !strings.Contains(err.Error(), port) {
		t.Errorf("%v", err)
	}
	for _, addr := range []string{"localhost:x", "localhost:", ":70000", "a:b:c"} {
		if l, err := Listen(t.Context(), addr, 0); err == nil {
			t.Errorf("%q: listens on %v", addr, l[0].Addr())
		}
	}
	for addr, want := range map[string][2]string{
		"": {"", "8303"}, "::1": {"::1", "8303"}, "[::1]": {"::1", "8303"}, "[::1]:80": {"::1", "80"}, ":80": {"", "80"}, "yard.example": {"yard.example",
			"8303"},
	} {
		if host, port, err := splitAddr(addr, 8303); err != nil || [2]string{host, port} != want {
			t.Errorf("%q: %s, %s, %v", addr, host, port, err)
		}
	}
}

// TestBoard checks that the Grafana dashboard shows exactly the existing metrics.
func TestBoard(t *testing.T) {
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	testenv.NoError(t, json.Unmarshal(testenv.Must(os.ReadFile("../deploy/grafana.json")), &board))
	w := newWatchedServer(t)
	w.Wait(time.Second)
	_, body := w.get("/metrics")
	there := map[string]bool{}
	for line := range strings.SplitSeq(body, "\n") {
		if name, _, _ := strings.Cut(line, " "); !strings.HasPrefix(line, "#") && name != "" {
			name, _, _ = strings.Cut(name, "{")
			there[name] = true
		}
	}
	shown := map[string]bool{}
	metric := regexp.MustCompile(`teeyard_[a-z_]+`)
	for _, p := range board.Panels {
		testenv.Check(t, len(p.Targets) > 0, "%s shows nothing", p.Title)
		for _, target := range p.Targets {
			for _, name := range metric.FindAllString(target.Expr, -1) {
				shown[name] = true
				testenv.Check(t, there[name], "%s: there is no %s", p.Title, name)
			}
		}
	}
	for name := range there {
		testenv.Check(t, shown[name], "%s is not shown", name)
	}
}
