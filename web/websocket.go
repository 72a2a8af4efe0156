package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/teeyard/teeyard/server/console"
)

// WithPlayers returns a handler that passes WebSocket requests for "/", from players in browsers,
// to serve, with their address. next serves all other requests.
func (s *Settings) WithPlayers(serve func(w http.ResponseWriter, r *http.Request, from netip.AddrPort) error, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			next.ServeHTTP(w, r)
			return
		}
		from, problem := s.player(r)
		if problem != "" {
			http.Error(w, problem, http.StatusForbidden)
			return
		}
		_ = serve(playerWriter{w, r.Context()}, r, from)
	})
}

// PlayProblem returns the sentence that says why the server rejects WebSocket requests of a client,
// or "" if the client may play. r is another request of the client, from a page of an origin. Pages
// cannot read the answer to a rejected WebSocket request.
func (s *Settings) PlayProblem(r *http.Request, origin string) string {
	r = r.Clone(r.Context())
	r.Header.Del("Origin")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	_, problem := s.player(r)
	if strings.HasPrefix(problem, needsKey) {
		return needsKey // the rest is for programs
	}
	return problem
}

const needsKey = `On the computer of the server, open the link that the server prints at its start. It has "key=" in it, and is in the server's log.`

// player returns the address of a player, or why the request may not connect one.
func (s *Settings) player(r *http.Request) (from netip.AddrPort, problem string) {
	if !s.websocket.on.Load() {
		return from, "This server does not allow playing over WebSocket (sv_websocket)."
	}
	if !s.allowsOrigin(r) {
		return from, "This server does not allow pages of this web site to connect players (sv_websocket_origins)."
	}
	from, ok := s.playerAddr(r)
	if ok {
		return from, ""
	}
	if peer, _ := peerOf(r); peer.Addr().IsLoopback() && !isForwarded(r) {
		return from, needsKey + " Programs connect to ws://localhost:" + listenerPort(r) + "/?key=KEY, with the key from the file http.key. " +
			"A proxy on this machine must set X-Forwarded-For, and sv_http_proxy must name it."
	}
	return from, "The server cannot tell your address: the request comes through a proxy that the server does not trust (sv_http_proxy), or that does " +
		"not name its clients (X-Forwarded-For)."
}

// playerAddr returns the address of a player. It returns false if the address may belong to a proxy
// that is not trusted, since all its clients would share the limits and bans of one address.
func (s *Settings) playerAddr(r *http.Request) (netip.AddrPort, bool) {
	peer, ok := peerOf(r)
	if !ok {
		return peer, false
	}
	c := s.Client(r)
	if isDirect := c.Addr.Port() != 0; isDirect {
		return c.Addr, !c.IsHidden() && !isForwarded(r)
	}
	return netip.AddrPortFrom(c.Addr.Addr(), peer.Port()), c.Addr.Addr().IsValid()
}

// webSocketSetting is the variables sv_websocket and sv_websocket_origins.
type webSocketSetting struct {
	value   int
	on      atomic.Bool
	origins originsSetting
}

func (v *webSocketSetting) register(c *console.Console) error {
	err := c.RegisterInt(console.IntVar{
		Name: "sv_websocket", Help: "Allow clients in browsers to play over WebSocket, on the listeners of sv_http and sv_https",
		Flags: console.Server | console.Save, Value: &v.value, Default: 1, Max: 1,
	})
	if err != nil {
		return err
	}
	v.on.Store(true)
	if err := v.origins.register(c); err != nil {
		return err
	}
	return c.After("sv_websocket", func(*console.Call) { v.on.Store(v.value != 0) })
}

// connKey is the context key of a request's connection.
type connKey struct{}

// keepConn is an http.Server.ConnContext.
func keepConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// playerWriteBuffer is the send buffer of a player's connection in bytes. It is small, since late
// snapshots are useless.
const playerWriteBuffer = 64 << 10

// playerWriter is the ResponseWriter of a request to play. The connection becomes a player's only
// after the handshake, when it leaves the HTTP server. A rejected connection stays an ordinary one.
type playerWriter struct {
	http.ResponseWriter
	ctx context.Context
}

// Hijack implements http.Hijacker.
func (w playerWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return c, rw, err
	}
	if capped := leaveListener(w.ctx); capped != nil {
		if t, ok := capped.Conn.(*net.TCPConn); ok {
			_ = t.SetWriteBuffer(playerWriteBuffer)
		}
		if c == net.Conn(capped) {
			c = capped.Conn // transport/ws makes faster system calls with a connection of the system
		}
	}
	return c, rw, nil
}

// leaveListener stops counting a connection against the listener's limits, so that it is not closed
// as surplus. It returns nil if the connection has no cappedListener.
func leaveListener(ctx context.Context) *cappedConn {
	c := cappedConnOf(ctx)
	if c != nil {
		c.count.release(c)
	}
	return c
}

// cappedConnOf returns the connection of a request, or nil if it has no cappedListener.
func cappedConnOf(ctx context.Context) *cappedConn {
	c, _ := ctx.Value(connKey{}).(net.Conn)
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	capped, _ := c.(*cappedConn)
	return capped
}

// KeepOpen exempts the connection of a request from being closed when there are too many. Use it
// for long answers to signed-in operators, who are few. The connection ends with the answer, which
// must not have begun.
func KeepOpen(w http.ResponseWriter, r *http.Request) {
	leaveListener(r.Context())
	w.Header().Set("Connection", "close")
}
