package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/ws"
	"github.com/teeyard/teeyard/web/certificate"
)

// playedServer is a server that browsers can play on, over real sockets, until end.
type playedServer struct {
	*servertest.Server
	settings *Settings
	key      Key
	hub      *ws.Hub
	replays  servertest.Folder
	http     *httptest.Server
	end      func()
}

func startPlayedServer(t *testing.T, commands ...string) *playedServer {
	p := &playedServer{settings: new(Settings), key: NewKey(), hub: ws.NewHub()}
	cfg := server.Config{AddToConsole: p.settings.Register, AddTransport: p.hub.Join, Replays: &p.replays}
	p.Server = servertest.Start(t, cfg, append([]string{"sv_http_proxy local; sv_replay 1; sv_inactivekick 0"}, commands...)...)
	p.http = httptest.NewUnstartedServer(nil)
	p.http.Config = NewServer(p.key.Handler(p.settings.WithPlayers(p.hub.Serve, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "the page")
	}))))
	listeners := testenv.Must(Listen(t.Context(), "127.0.0.1:0", 0))
	p.http.Listener = listeners[0]
	p.http.Start()
	p.end = sync.OnceFunc(func() { p.Stop(); p.http.Close() })
	t.Cleanup(p.end)
	return p
}

// proxy forwards requests as nginx does, for a client with the address addr.
func (p *playedServer) proxy(t *testing.T, addr string) (address string) {
	to := testenv.Must(url.Parse(p.http.URL))
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Set("X-Forwarded-For", addr)
	}})
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

// player is a player in a browser.
type player struct {
	*client.Client
	snapshots atomic.Int32
	over      atomic.Bool            // the match is over, with a winner
	heard     atomic.Pointer[string] // the last chat line
}

func (p *playedServer) join(t *testing.T, address, name string, version client.Version) *player {
	t.Helper()
	return p.joinBy(t, ws.Dial, address, name, version)
}

// joinBy is join with another way to connect.
func (p *playedServer) joinBy(
	t *testing.T,
	dial func(context.Context, string) (transport.Conn, transport.Peer, error),
	address, name string,
	version client.Version,
) *player {
	t.Helper()
	pl := new(player)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var err error
	pl.Client, err = client.Dial(ctx, address, client.Config{
		Name: name, Version: version, Dial: dial, Maps: client.NewMaps(t.TempDir()),
		Play: func(*client.Client, *game.View) game.Input {
			return game.Input{Direction: 1, TargetX: 10, Fire: 1, Jump: true}
		},
		OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) {
			pl.snapshots.Add(1)
			if v.Game.State&game.StateGameOver != 0 && slices.ContainsFunc(v.Players, func(p game.PlayerState) bool { return p.Score >= 1 }) {
				pl.over.Store(true)
			}
		},
		OnEvent: func(_ *client.Client, e event.Event) {
			if c, ok := e.(event.Chat); ok {
				pl.heard.Store(&c.Text)
			}
		},
	})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, p.Log)
	}
	t.Cleanup(func() { pl.Close() })
	return pl
}

// TestMatchOverWebSocket plays a match with bots and clients of both versions behind a proxy. They
// load the map, get snapshots, chat, appear with their own addresses, can be banned by them, and
// see a winner. The match's replay log verifies.
func TestMatchOverWebSocket(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	p := startPlayedServer(t, "sv_map testbox; sv_bots 8; sv_scorelimit 1; sv_warmup 2")
	var players []*player
	addrs := []string{"203.0.113.1", "203.0.113.2", "2001:db8::3", "2001:db8:0:1::4"}
	for i, v := range []client.Version{client.Version07, client.Version06, client.Version07, client.Version06} {
		players = append(players, p.join(t, p.proxy(t, addrs[i]), fmt.Sprintf("tee %d", i), v))
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
	status := p.Console("status")
	for _, addr := range addrs {
		testenv.Check(
			t,
			strings.Contains(status, "addr=ws://"+addr+":") || strings.Contains(status, "addr=ws://["+addr+"]:"),
			"no player from %s in\n%s",
			addr,
			status,
		)
	}
	for i, target := range map[int]string{1: addrs[1], 2: "2001:db8::/64"} {
		p.Console("ban " + target + " 5 no browsers")
		testenv.Eventually(t, "the ban", func() bool { return players[i].Err() != nil })
		testenv.Check(t, strings.Contains(fmt.Sprint(players[i].Err()), "no browsers"), "%v", players[i].Err())
	}
	for _, addr := range []string{"203.0.113.2", "2001:db8::ffff"} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := client.Dial(ctx, p.proxy(t, addr), client.Config{Name: "again", Dial: ws.Dial, NoMap: true})
		testenv.Check(t, err != nil, "who is banned got in from %s", addr)
	}
	for _, i := range []int{0, 3} {
		testenv.Eventually(t, "the end of the match", func() bool { return players[i].over.Load() })
		testenv.Check(t, players[i].Err() == nil, "another was banned: %v", players[i].Err())
	}
	p.end()
	testenv.Check(t, len(testenv.Must(p.replays.Names())) > 0, "no replay log")
	for _, name := range testenv.Must(p.replays.Names()) {
		r, err := replay.NewReader(bytes.NewReader(p.replays.Content(name)))
		testenv.NoError(t, err)
		res, err := replay.Verify(r, replay.VerifyConfig{Modes: builtin.Modes().New})
		testenv.Check(t, err == nil && res.Ticks > 25, "%s: %+v, %v", name, res, err)
	}
}

// TestWhoMayPlayOverWebSocket checks that a client with an unknown address cannot play, nor any
// client if the operator forbids it. Other requests are not affected.
func TestWhoMayPlayOverWebSocket(t *testing.T) {
	for _, c := range []struct {
		name, settings, from, forwardedFor, path string
		want                                     string // the address, or the answer
	}{
		{"straight", "", "198.51.100.1:9", "", "/", "198.51.100.1:9"},
		{"through a trusted proxy", "sv_http_proxy local", "127.0.0.1:9", "203.0.113.5", "/", "203.0.113.5:9"},
		{"through another", "", "127.0.0.1:9", "203.0.113.5", "/", "403"},
		{"through one that adds no header", "", "127.0.0.1:9", "", "/", "403"},
		{"through a trusted one that adds no header", "sv_http_proxy local", "127.0.0.1:9", "", "/", "403"},
		{"on the same machine", "", "127.0.0.1:9", "", "/?key=", "127.0.0.1:9"},
		{"on the same machine, with a trusted proxy", "sv_http_proxy local", "127.0.0.1:9", "", "/?key=", "127.0.0.1:9"},
		{"with the key, through a proxy", "", "127.0.0.1:9", "203.0.113.5", "/?key=", "403"},
		{"through a proxy that names nobody", "sv_http_proxy local", "127.0.0.1:9", "unknown", "/", "403"},
		{"forged", "sv_http_proxy local", "198.51.100.1:9", "203.0.113.5", "/", "403"},
		{"switched off", "sv_websocket 0", "198.51.100.1:9", "", "/", "403"},
		{"elsewhere", "", "198.51.100.1:9", "", "/status.json", "200"},
	} {
		got, key := "", NewKey()
		settings, problem := newSettings(t, c.settings), ""
		h := settings.WithPlayers(func(_ http.ResponseWriter, r *http.Request, from netip.AddrPort) error {
			got = from.String()
			return nil
		}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		h = withProblem(settings, &problem, h)
		if c.path == "/?key=" {
			c.path = key.Link("/")
		}
		r := httptest.NewRequest("GET", c.path, nil)
		r.RemoteAddr, r.Host = c.from, "localhost:8303"
		r.Header.Set("Upgrade", "WebSocket")
		if c.forwardedFor != "" {
			r.Header.Set("X-Forwarded-For", c.forwardedFor)
		}
		w := httptest.NewRecorder()
		key.Handler(h).ServeHTTP(w, r)
		if got == "" {
			got = fmt.Sprint(w.Code)
		}
		testenv.Check(t, got == c.want, "%s: %s, want %s: %s", c.name, got, c.want, w.Body)
		same := (problem != "") == (w.Code == 403) && strings.HasPrefix(w.Body.String(), problem)
		testenv.Check(t, same, "%s: the page shows %q, not %q", c.name, problem, w.Body)
	}
}

// withProblem returns a handler that notes the problem that a page shows to the client.
func withProblem(s *Settings, problem *string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if *problem = ""; r.Header.Get("Upgrade") != "" && r.URL.Path == "/" {
			*problem = s.PlayProblem(r, r.Header.Get("Origin"))
		}
		next.ServeHTTP(w, r)
	})
}

// TestOrigins checks that pages of other sites cannot connect their visitors unless the operator
// allows it, and that programs, which name no origin, can.
func TestOrigins(t *testing.T) {
	const list = "sv_websocket_origins https://a.example,http://b.example:8080/"
	for _, c := range []struct {
		settings, host, origin, forwardedHost string
		want                                  bool
	}{
		{"", "yard.example:8303", "", "", true},
		{"", "yard.example:8303", "http://yard.example:8303", "", true},
		{"", "Yard.example:8303", "http://yard.EXAMPLE:8303", "", true},
		{"", "yard.example", "https://yard.example", "", true},
		{"", "yard.example:443", "https://yard.example", "", true},
		{"", "[2001:db8::1]:8303", "http://[2001:db8::1]:8303", "", true},
		{"", "yard.example:8303", "https://client.ddnet.org", "", true},
		{"", "yard.example:8303", "http://client.ddnet.org", "", false},
		{"", "yard.example:8303", "https://attacker.example", "", false},
		{"", "yard.example:8303", "https://yard.example.attacker.example:8303", "", false},
		{"", "yard.example:8303", "https://client.ddnet.org.attacker.example", "", false},
		{"", "yard.example:8303", "https://client.ddnet.org:8443", "", false},
		{"", "yard.example:8303", "http://yard.example", "", false},
		{"", "yard.example:8303", "http://yard.example:8304", "", false},
		{"", "yard.example:8303", "null", "", false},
		{"", "", "null", "", false},
		{"", "yard.example:8303", "file://", "", false},
		{"", "yard.example:8303", "http://x@yard.example:8303", "", false},
		{"", "yard.example:8303", "https://client.ddnet.org https://attacker.example", "", false},
		{"sv_http_proxy 198.51.100.1", "game:8303", "https://yard.example", "yard.example", true},
		{"sv_http_proxy 198.51.100.1", "game:8303", "https://attacker.example", "yard.example", false},
		{list, "yard.example:8303", "https://a.example", "", true},
		{list, "yard.example:8303", "https://a.example:443", "", true},
		{list, "yard.example:8303", "http://b.example:8080", "", true},
		{list, "yard.example:8303", "http://b.example", "", false},
		{list, "yard.example:8303", "http://yard.example:8303", "", false},
		{list, "yard.example:8303", "https://client.ddnet.org", "", false},
		{"sv_websocket_origins all", "yard.example:8303", "https://attacker.example", "", true},
		{"sv_websocket_origins off", "yard.example:8303", "http://yard.example:8303", "", false},
		{"sv_websocket_origins off", "yard.example:8303", "", "", true},
	} {
		played := false
		settings, problem := newSettings(t, c.settings), ""
		h := withProblem(settings, &problem, settings.WithPlayers(func(http.ResponseWriter, *http.Request, netip.AddrPort) error {
			played = true
			return nil
		}, nil))
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = "198.51.100.1:9", c.host
		r.Header.Set("Upgrade", "websocket")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.forwardedHost != "" {
			r.Header.Set("X-Forwarded-For", "203.0.113.5")
			r.Header.Set("X-Forwarded-Host", c.forwardedHost)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		testenv.Check(t, played == c.want, "%+v: %v %s", c, played, w.Body)
		same := (problem != "") == (w.Code == 403) && strings.HasPrefix(w.Body.String(), problem)
		testenv.Check(t, same, "%+v: the page shows %q, not %q", c, problem, w.Body)
	}
	for _, text := range []string{"a.example", "https://", "https://a.example/x", "own;all", "*"} {
		_, err := ParseOrigins(text)
		testenv.Check(t, errors.Is(err, ErrOrigins) && strings.Contains(err.Error(), text), "%q: %v", text, err)
	}
}

// askPair sends a request for a connection of a pair, and returns the status of the answer. The
// connection stays open.
func (p *playedServer) askPair(t *testing.T, pair string, header ...string) int {
	conn, err := net.Dial("tcp", p.http.Listener.Addr().String())
	testenv.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	lines := append([]string{
		"GET / HTTP/1.1", "Host: yard.example", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: teeyard.2, pair." + pair,
	}, header...)
	_, err = fmt.Fprintf(conn, "%s\r\n\r\n", strings.Join(lines, "\r\n"))
	testenv.NoError(t, err)
	return testenv.Must(http.ReadResponse(bufio.NewReader(conn), nil)).StatusCode
}

// TestPairsAreChecked checks that the checks of the origin and the address apply to each connection
// of a pair, behind a proxy too, and that the id of a pair is in no log.
func TestPairsAreChecked(t *testing.T) {
	p := startPlayedServer(t)
	const id, own, from = "0123456789abcdef0123456789abcdef", "Origin: http://yard.example", "X-Forwarded-For: 203.0.113.1"
	for i, c := range []struct {
		header []string
		want   int
		peers  int
	}{
		{[]string{"Origin: https://attacker.example", from}, 403, 0},
		{[]string{own}, 403, 0}, // its address is unknown
		{[]string{own, from}, 101, 1},
		{[]string{"Origin: https://attacker.example", from}, 403, 1},
		{[]string{own, "X-Forwarded-For: 203.0.113.2"}, 403, 1},
		{[]string{own}, 403, 1},
		{[]string{own, from}, 101, 1},
	} {
		got := p.askPair(t, id, c.header...)
		testenv.Check(t, got == c.want && p.hub.Peers() == c.peers, "%d: %d and %d peers, want %d and %d", i, got, p.hub.Peers(), c.want, c.peers)
	}
	testenv.Check(t, !strings.Contains(p.Log.String(), id[:8]), "the log has the id")
}

// TestPairsPlay lets players with two connections play a match behind a proxy. Both connections are
// one player with one address.
func TestPairsPlay(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	p := startPlayedServer(t)
	for i, v := range []client.Version{client.Version07, client.Version06} {
		pl := p.joinBy(t, (&ws.Dialer{Two: true}).Dial, p.proxy(t, "203.0.113.1"), fmt.Sprint("tee ", i), v)
		testenv.Eventually(t, "snapshots", func() bool { return pl.snapshots.Load() > 50 })
		s := pl.Stats()
		testenv.Check(t, s.CRCFailures == 0 && s.BadMessage == 0 && s.BadDelta == 0, "%v: %+v", v, s)
		testenv.Check(t, p.hub.Peers() == i+1, "%d peers", p.hub.Peers())
	}
	status := p.Console("status")
	testenv.Check(t, strings.Count(status, "addr=ws://203.0.113.1:") == 2, "%s", status)
}

// TestPlayersLeaveTheListener checks that a flood of requests closes the listener's oldest
// connections, but no player's.
func TestPlayersLeaveTheListener(t *testing.T) {
	p := startPlayedServer(t)
	pl := p.join(t, p.key.Link("ws"+strings.TrimPrefix(p.http.URL, "http")), "tee", client.Version07)
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

// TestRefusedPlayersStayInTheListener checks that a rejected request to play still counts, since
// otherwise a client could open any number of connections.
func TestRefusedPlayersStayInTheListener(t *testing.T) {
	p := startPlayedServer(t)
	conn, err := net.Dial("tcp", p.http.Listener.Addr().String())
	testenv.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n", p.key.Link("/"))
	testenv.NoError(t, err)
	res := testenv.Must(http.ReadResponse(bufio.NewReader(conn), nil))
	testenv.Check(t, res.StatusCode == http.StatusUpgradeRequired, "%s", res.Status)
	l := p.http.Listener.(*cappedListener)
	l.count.mu.Lock()
	defer l.count.mu.Unlock()
	testenv.Check(t, len(l.count.open) == 1, "%d connections count", len(l.count.open))
}

// TestMatchOverTLS checks that a player over wss:// plays on when the certificate changes, and that
// new players get only the new certificate.
func TestMatchOverTLS(t *testing.T) {
	t.Parallel()
	p := startPlayedServer(t)
	dir := t.TempDir()
	certFile, keyFile := selfsigned.Write(t, dir, "first")
	cert := testenv.Must(certificate.OpenFiles(certFile, keyFile, func(err error) { t.Error(err) }))
	var passed atomic.Int64
	cert.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	l := testenv.Must(Listen(t.Context(), "127.0.0.1:0", 0))[0]
	go p.http.Config.Serve(share(l.(*cappedListener), tlsConfig(cert.Get)))
	join := func(name string, v client.Version) *player {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(testenv.Must(os.ReadFile(certFile)))
		d := ws.Dialer{TLS: &tls.Config{RootCAs: pool, ServerName: "localhost"}}
		return p.joinBy(t, d.Dial, p.key.Link("wss://"+l.Addr().String()), name, v)
	}
	first := join("first", client.Version07)
	selfsigned.Write(t, dir, "second")
	passed.Store(int64(certificate.FilesInterval))
	second := join("second", client.Version06)
	for _, pl := range []*player{first, second} {
		n := pl.snapshots.Load()
		testenv.Eventually(t, "snapshots", func() bool { return pl.snapshots.Load() > n+10 })
		testenv.Check(t, pl.Err() == nil, "%v", pl.Err())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := client.Dial(ctx, "wss://"+l.Addr().String(), client.Config{Name: "third", Dial: ws.Dial, NoMap: true})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "certificate"), "%v", err)
}
