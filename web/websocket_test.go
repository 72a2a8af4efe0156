package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/transport/ws"
)

// replays keeps the replay logs of a server in memory.
type replays struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
}

type replayFile struct {
	r *replays
	b *bytes.Buffer
}

func (f replayFile) Write(b []byte) (int, error) {
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	return f.b.Write(b)
}
func (replayFile) Close() error { return nil }

func (r *replays) Create(name string) (io.WriteCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[name] = new(bytes.Buffer)
	return replayFile{r, r.files[name]}, nil
}
func (*replays) Names() ([]string, error) { return nil, nil }
func (*replays) Remove(string) error      { return nil }

// playedServer is a server that browsers can play on, over real sockets, until end.
type playedServer struct {
	*server.Server
	settings *Settings
	hub      *ws.Hub
	replays  replays
	log      testenv.Buffer
	http     *httptest.Server
	end      func()
}

func startPlayedServer(t *testing.T, commands ...string) *playedServer {
	p := &playedServer{settings: new(Settings), hub: ws.NewHub(), replays: replays{files: map[string]*bytes.Buffer{}}}
	commands = append([]string{`bindaddr 127.0.0.1; sv_port 0; sv_register 0; sv_http_proxy local; sv_replay 1; sv_rcon_password secret; sv_spamprotection 0; sv_inactivekick 0`}, commands...)
	p.Server = testenv.Must(server.New(server.Config{
		Commands: commands, AddToConsole: p.settings.Register, AddTransport: p.hub.Join, Replays: &p.replays,
		Log: slog.New(logline.New(&p.log, slog.LevelDebug)),
	}))
	p.http = httptest.NewUnstartedServer(nil)
	p.http.Config = NewServer(p.settings.WithPlayers(p.hub.Serve, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "the page")
	})))
	listeners := testenv.Must(Listen(t.Context(), "127.0.0.1:0", 0))
	p.http.Listener = listeners[0]
	p.http.Start()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	p.end = sync.OnceFunc(func() { cancel(); <-done; p.http.Close() })
	t.Cleanup(p.end)
	return p
}

// proxy forwards requests as nginx does, for somebody with an address.
func (p *playedServer) proxy(t *testing.T, addr string) (address string) {
	to := testenv.Must(url.Parse(p.http.URL))
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Set("X-Forwarded-For", addr)
	}})
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

// player is somebody who plays in a browser.
type player struct {
	*client.Client
	snapshots atomic.Int32
	heard     atomic.Pointer[string] // the last chat
}

func (p *playedServer) join(t *testing.T, address, name string, version client.Version) *player {
	t.Helper()
	pl := new(player)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var err error
	pl.Client, err = client.Dial(ctx, address, client.Config{
		Name: name, Version: version, Dial: ws.Dial, Maps: client.NewMaps(t.TempDir()),
		Play: func(*client.Client, *game.View) game.Input {
			return game.Input{Direction: 1, TargetX: 10, Fire: 1, Jump: true}
		},
		OnSnapshot: func(*client.Client, *game.View, []game.Event) { pl.snapshots.Add(1) },
		OnEvent: func(_ *client.Client, e event.Event) {
			if c, ok := e.(event.Chat); ok {
				pl.heard.Store(&c.Text)
			}
		},
	})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, p.log.String())
	}
	t.Cleanup(func() { pl.Close() })
	return pl
}

// run runs a console line and returns what is logged.
func (p *playedServer) run(t *testing.T, line string) string {
	t.Helper()
	before := len(p.log.String())
	testenv.NoError(t, p.Do(t.Context(), func() { p.Execute(line) }))
	return p.log.String()[before:]
}

// TestMatchOverWebSocket plays a match with clients of both versions who come through a proxy: they
// get the map and snapshots, chat, are seen with their addresses, can be banned by them, and
// the replay log of the match verifies.
func TestMatchOverWebSocket(t *testing.T) {
	p := startPlayedServer(t)
	var players []*player
	for i, v := range []client.Version{client.Version07, client.Version06, client.Version07, client.Version06} {
		addr := fmt.Sprintf("203.0.113.%d", i+1)
		players = append(players, p.join(t, p.proxy(t, addr), fmt.Sprintf("tee %d", i), v))
		testenv.Check(t, players[i].Version() == v, "%v speaks %v", v, players[i].Version())
	}
	testenv.Eventually(t, "snapshots for all", func() bool {
		for _, pl := range players {
			if pl.snapshots.Load() < 25 {
				return false
			}
		}
		return true
	})
	for i, pl := range players {
		s := pl.Stats()
		testenv.Check(t, s.CRCFailures == 0 && s.BadMessage == 0 && s.BadDelta == 0, "%d: %+v", i, s)
	}
	testenv.NoError(t, players[1].Say("hello from a browser"))
	testenv.Eventually(t, "the chat", func() bool {
		text := players[2].heard.Load()
		return text != nil && *text == "hello from a browser"
	})
	status := p.run(t, "status")
	for i := range players {
		testenv.Check(t, strings.Contains(status, fmt.Sprintf("addr=ws://203.0.113.%d:", i+1)), "no player %d in\n%s", i, status)
	}
	p.run(t, "ban 203.0.113.2 5 no browsers")
	testenv.Eventually(t, "the ban", func() bool { return players[1].Err() != nil })
	testenv.Check(t, strings.Contains(fmt.Sprint(players[1].Err()), "no browsers"), "%v", players[1].Err())
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := client.Dial(ctx, p.proxy(t, "203.0.113.2"), client.Config{Name: "again", Dial: ws.Dial, NoMap: true})
	testenv.Check(t, err != nil, "who is banned got in")
	testenv.Check(t, players[0].Err() == nil, "another was banned: %v", players[0].Err())
	p.end()
	testenv.Check(t, len(p.replays.files) > 0, "no replay log")
	for name, b := range p.replays.files {
		r, err := replay.NewReader(b)
		testenv.NoError(t, err)
		res, err := replay.Verify(r, replay.VerifyConfig{Modes: server.BuiltinModes().New})
		testenv.Check(t, err == nil && res.Ticks > 25, "%s: %+v, %v", name, res, err)
	}
}

// TestWhoMayPlayOverWebSocket: nobody whose address is not known, or when the operator says so. Other
// requests are not affected.
func TestWhoMayPlayOverWebSocket(t *testing.T) {
	for _, c := range []struct {
		name, settings, from, forwardedFor, path string
		want                                     string // the address, or what is answered
	}{
		{"straight", "", "198.51.100.1:9", "", "/", "198.51.100.1:9"},
		{"through a trusted proxy", "sv_http_proxy local", "127.0.0.1:9", "203.0.113.5", "/", "203.0.113.5:9"},
		{"through another", "", "127.0.0.1:9", "203.0.113.5", "/", "403"},
		{"through a proxy that names nobody", "sv_http_proxy local", "127.0.0.1:9", "unknown", "/", "403"},
		{"forged", "sv_http_proxy local", "198.51.100.1:9", "203.0.113.5", "/", "403"},
		{"switched off", "sv_websocket 0", "198.51.100.1:9", "", "/", "403"},
		{"elsewhere", "", "198.51.100.1:9", "", "/status.json", "200"},
	} {
		got := ""
		h := newSettings(t, c.settings).WithPlayers(func(_ http.ResponseWriter, _ *http.Request, from netip.AddrPort) error {
			got = from.String()
			return nil
		}, http.NotFoundHandler())
		if c.want == "200" {
			h = newSettings(t, c.settings).WithPlayers(nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		}
		r := httptest.NewRequest("GET", c.path, nil)
		r.RemoteAddr = c.from
		r.Header.Set("Upgrade", "WebSocket")
		r.Header.Set("Origin", "https://elsewhere.example")
		if c.forwardedFor != "" {
			r.Header.Set("X-Forwarded-For", c.forwardedFor)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got == "" {
			got = fmt.Sprint(w.Code)
		}
		testenv.Check(t, got == c.want, "%s: %s, want %s: %s", c.name, got, c.want, w.Body)
	}
}

// TestPlayersLeaveTheListener: a flood of requests closes the oldest connections of the listener, but
// none of players.
func TestPlayersLeaveTheListener(t *testing.T) {
	p := startPlayedServer(t)
	pl := p.join(t, "ws"+strings.TrimPrefix(p.http.URL, "http"), "tee", client.Version07)
	l := p.http.Listener.(*cappedListener)
	testenv.Eventually(t, "the player does not count", func() bool {
		l.count.mu.Lock()
		defer l.count.mu.Unlock()
		return len(l.count.open) == 0
	})
	for range maxConns + 10 {
		conn, err := net.Dial("tcp", p.http.Listener.Addr().String())
		testenv.NoError(t, err)
		defer conn.Close()
	}
	n := pl.snapshots.Load()
	testenv.Eventually(t, "the player plays on", func() bool { return pl.snapshots.Load() > n+5 })
	testenv.Check(t, pl.Err() == nil, "%v", pl.Err())
}

// TestRefusedPlayersStayInTheListener: who only asks to be a player counts as before, or anybody
// could have as many connections as they like.
func TestRefusedPlayersStayInTheListener(t *testing.T) {
	p := startPlayedServer(t)
	conn, err := net.Dial("tcp", p.http.Listener.Addr().String())
	testenv.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n"))
	testenv.NoError(t, err)
	res := testenv.Must(http.ReadResponse(bufio.NewReader(conn), nil))
	testenv.Check(t, res.StatusCode == http.StatusUpgradeRequired, "%s", res.Status)
	l := p.http.Listener.(*cappedListener)
	l.count.mu.Lock()
	defer l.count.mu.Unlock()
	testenv.Check(t, len(l.count.open) == 1, "%d connections count", len(l.count.open))
}
