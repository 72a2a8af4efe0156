package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

const (
	// sessionTime limits how long an operator stays signed in, and idleTime the time without a
	// request.
	sessionTime = 24 * time.Hour
	idleTime    = 2 * time.Hour
	maxSessions = 64
	// personsTracked limits the addresses whose requests are counted.
	personsTracked = 4096
)

var (
	// requestRate limits the requests from one address (limit.Person), loginRate its passwords, and
	// guessRate its wrong tokens. hiddenRate limits the passwords of all clients whose address a
	// proxy hides, since bans cannot tell them apart.
	requestRate = limit.Rate{PerSecond: 30, Burst: 120}
	loginRate   = limit.Rate{PerSecond: 1, Burst: 8}
	guessRate   = limit.Rate{PerSecond: 1, Burst: 20}
	hiddenRate  = limit.Rate{PerSecond: 0.1, Burst: 5}
)

var (
	errSignIn    = &apiError{http.StatusUnauthorized, "sign in first: use POST /admin/api/login, or send a token in the Authorization header"}
	errToken     = &apiError{http.StatusUnauthorized, "this token does not exist or has expired"}
	errTooMany   = &apiError{http.StatusTooManyRequests, "too many requests; wait a moment"}
	errPasswords = &apiError{http.StatusTooManyRequests, "too many login attempts from your address, perhaps by others too; wait a few seconds"}
	errHidden    = &apiError{
		http.StatusTooManyRequests,
		"too many login attempts through a proxy that does not name its clients (X-Forwarded-For, sv_http_proxy); wait a few seconds",
	}
	errCrossOrigin = &apiError{http.StatusForbidden, "the request comes from a page of another web site"}
	errInsecure    = &apiError{
		http.StatusForbidden,
		"Access denied: the request is neither secure nor from a network of sv_http_admin. On the server's machine, open the link with the key " +
			"(/admin?key=...) that the server logs at the start. From other machines " +
			"use HTTPS, from the server (sv_https) or from a trusted proxy (sv_http_proxy).",
	}
	errNotAllowed = &apiError{http.StatusForbidden, "Access denied: sv_http_admin does not allow this client."}
	errUnnamed    = &apiError{
		http.StatusForbidden,
		"Access denied: sv_http_proxy trusts the sender as a proxy, and the request has no valid X-Forwarded-For. On the server's machine, open the " +
			"link with the key (/admin?key=...) that the server logs at the start.",
	}
)

// session is a signed-in operator.
type session struct {
	op       server.Operator
	created  time.Time
	lastUsed time.Time
	ended    chan struct{} // closed when the session ends
}

// access decides what each client may do.
type access struct {
	console *Console

	mu       sync.Mutex
	sessions map[[sha256.Size]byte]*session // by hash of the cookie
	requests *limit.Limiter
	logins   *limit.Limiter
	guesses  *limit.Limiter
	hidden   limit.Bucket // for passwords, at hiddenRate
}

func (a *access) init(c *Console) {
	a.console, a.sessions = c, make(map[[sha256.Size]byte]*session)
	a.requests = limit.NewLimiter(personsTracked, requestRate)
	a.logins = limit.NewLimiter(personsTracked, loginRate)
	a.guesses = limit.NewLimiter(personsTracked, guessRate)
}

// take counts a request against a limit of the client's address.
func (a *access) take(l *limit.Limiter, client web.Client) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return l.Take(a.console.nanoseconds(), person(client), 1)
}

// takeHidden counts a password from a client whose address a proxy hides.
func (a *access) takeHidden() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hidden.Take(a.console.nanoseconds(), hiddenRate, 1)
}

// person returns the prefix under which limits count a client. All clients hidden by a proxy share
// one prefix, separate from the machine's operator.
func person(client web.Client) netip.Prefix {
	if client.IsHidden() {
		return netip.Prefix{}
	}
	return limit.Person(client.Addr.Addr())
}

// enter returns the client of a request, and an error if the client may not enter at all.
func (a *access) enter(r *http.Request) (web.Client, error) {
	if web.IsLoopback(r) && a.hasToken(r) { // like the key, a secret of the operator
		r = web.Prove(r)
	}
	client := a.console.cfg.Web.Client(r)
	switch {
	case !a.console.settings.access.Rule.AllowsClient(r, client):
		return client, whyNot(client)
	case a.console.guard.Check(r) != nil:
		return client, errCrossOrigin
	case !a.take(a.requests, client):
		return client, errTooMany
	}
	return client, nil
}

// whyNot returns the error for a client that sv_http_admin does not allow.
func whyNot(client web.Client) error {
	switch {
	case !client.Addr.IsValid():
		return errUnnamed
	case client.Secure:
		return errNotAllowed
	}
	return errInsecure
}

// hasToken reports whether a request carries a valid token.
func (a *access) hasToken(r *http.Request) bool {
	_, ok := a.token(r)
	return ok
}

// token returns the token of a request.
func (a *access) token(r *http.Request) (token, bool) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	one, ok := a.console.tokens.find(strings.TrimSpace(text), a.console.cfg.Now())
	return one, ok && strings.EqualFold(scheme, "Bearer")
}

// identify returns the session of a request: the one of its cookie, or a new one for a token.
func (a *access) identify(r *http.Request, client web.Client) (*session, error) {
	now := a.console.cfg.Now()
	if r.Header.Get("Authorization") != "" && !web.HasKey(r) {
		a.mu.Lock()
		may := a.guesses.Has(a.console.nanoseconds(), person(client), 1)
		a.mu.Unlock()
		if !may {
			return nil, errTooMany
		}
		one, ok := a.token(r)
		if !ok {
			a.take(a.guesses, client)
			return nil, errToken
		}
		level, _ := console.ParseLevel(one.Level)
		return &session{op: server.Operator{Level: level, Via: "http", Name: one.Name, Addr: client.Addr, Local: client.Local}}, nil
	}
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil, errSignIn
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hash := sha256.Sum256([]byte(cookie.Value))
	s := a.sessions[hash]
	if s == nil {
		return nil, errSignIn
	}
	if s.isOver(now) {
		a.end(hash)
		return nil, errSignIn
	}
	s.lastUsed = now
	mine := *s // the address may differ with each request
	mine.op.Addr = client.Addr
	return &mine, nil
}

func (s *session) isOver(now time.Time) bool {
	return now.Sub(s.created) >= sessionTime || now.Sub(s.lastUsed) >= idleTime
}

// end ends a session. The caller holds the lock.
func (a *access) end(hash [sha256.Size]byte) {
	if s := a.sessions[hash]; s != nil {
		close(s.ended)
		delete(a.sessions, hash)
	}
}

// endAll ends the sessions of a level after its password has changed.
func (a *access) endAll(level console.Level) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for hash, s := range a.sessions {
		if s.op.Level == level {
			a.end(hash)
		}
	}
}

// start starts the session of an operator and returns its cookie. If there are too many sessions,
// it ends one of the lowest level, the longest unused first. So moderators cannot sign out
// administrators.
func (a *access) start(op server.Operator) (cookie string) {
	now := a.console.cfg.Now()
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	cookie = base64.RawURLEncoding.EncodeToString(secret[:])
	a.mu.Lock()
	defer a.mu.Unlock()
	for hash, s := range a.sessions {
		if s.isOver(now) {
			a.end(hash)
		}
	}
	if len(a.sessions) >= maxSessions {
		var oldest [sha256.Size]byte
		for hash, s := range a.sessions {
			o := a.sessions[oldest]
			if o == nil || s.op.Level > o.op.Level || s.op.Level == o.op.Level && s.lastUsed.Before(o.lastUsed) {
				oldest = hash
			}
		}
		a.end(oldest)
	}
	a.sessions[sha256.Sum256([]byte(cookie))] = &session{op: op, created: now, lastUsed: now, ended: make(chan struct{})}
	return cookie
}

// cookieName returns the name of the cookie. It contains the port, since browsers share cookies
// between the ports of a host, and other ports may be other servers.
func cookieName(r *http.Request) string {
	name := "teeyard-admin"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "-" + port
	}
	return name
}

// setCookie sets a cookie that scripts cannot read and that the browser sends only to this page. An
// empty value deletes the cookie.
func setCookie(q *request, value string, secure bool) {
	age := int(sessionTime / time.Second)
	if value == "" {
		age = -1
	}
	http.SetCookie(q.w, &http.Cookie{
		Name: cookieName(q.Request), Value: value, Path: q.client.Prefix + "/admin", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure,
	})
}

// logIn checks a password and starts a session.
func (c *Console) logIn(q *request, in *api.LoginRequest) (api.Me, error) {
	if !c.access.take(c.access.logins, q.client) {
		return api.Me{}, errPasswords
	}
	if q.client.IsHidden() && !c.access.takeHidden() {
		return api.Me{}, errHidden
	}
	op := server.Operator{Via: "http", Addr: q.client.Addr, Local: q.client.Local}
	var refused error
	if err := c.do(q.Context(), func(s Server) { refused = s.LogIn(&op, in.Password) }); err != nil {
		return api.Me{}, err
	}
	switch {
	case errors.Is(refused, server.ErrLogin):
		return api.Me{}, &apiError{http.StatusUnauthorized, "wrong password"}
	case errors.Is(refused, server.ErrLoginLater):
		return api.Me{}, &apiError{http.StatusTooManyRequests, refused.Error()}
	case refused != nil:
		return api.Me{}, &apiError{http.StatusForbidden, refused.Error()}
	}
	// Secure also behind a proxy that uses TLS. On the machine itself browsers would reject it.
	https := q.TLS != nil || !q.client.Local && q.client.Secure
	setCookie(q, c.access.start(op), https)
	q.op = op
	return c.about(q), nil
}

// logOut ends the session.
func (c *Console) logOut(q *request, _ *struct{}) (api.Done, error) {
	if cookie, err := q.Cookie(cookieName(q.Request)); err == nil {
		c.access.mu.Lock()
		c.access.end(sha256.Sum256([]byte(cookie.Value)))
		c.access.mu.Unlock()
	}
	setCookie(q, "", false)
	op := q.op
	return api.Done{}, c.do(q.Context(), func(s Server) { s.Note(&op, "logout", "") })
}
