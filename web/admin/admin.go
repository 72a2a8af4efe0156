package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/vote"
	"github.com/teeyard/teeyard/web"
)

// Server is the part of the game server that the console needs; see [server.Server].
type Server interface {
	// Do runs f between two ticks.
	Do(ctx context.Context, f func()) error
	// Bans returns the bans. Any goroutine may call it. The methods below may be called only in Do.
	Bans() []bans.Ban
	// LogIn checks a password.
	LogIn(o *server.Operator, password string) error
	// Note logs an action that is not a console line.
	Note(o *server.Operator, event, about string)
	// RunFor runs a console line and calls done when it has ended.
	RunFor(o *server.Operator, line string, print func(line string), done func(warning string))
	// Clients appends the current clients.
	Clients(dst []server.Client) []server.Client
	// Votes returns the vote options and the running vote.
	Votes() vote.State
	// Map returns the current map.
	Map() server.MapInfo
	// Maps returns a function that lists the available maps.
	Maps(level console.Level) func() []string
}

// Config is the configuration of a [Console].
type Config struct {
	// Settings are the variables of the console, Web the variables of the listener.
	Settings *Settings
	Web      *web.Settings
	// TokensFile is the file for tokens; "" keeps them in memory.
	TokensFile string
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Console is the operator's console. It implements [server.Observer].
type Console struct {
	cfg      Config
	settings *Settings
	started  time.Time
	server   atomic.Pointer[Server]
	live     http.Handler
	asking   chan struct{} // one entry for each request that waits for the server
	guard    *http.CrossOriginProtection

	log    logBuffer
	state  state
	hub    hub
	access access
	tokens tokens
	wake   chan struct{} // for the goroutine that runs pump
	closed chan struct{}
	close  sync.Once
}

// Settings are the variables of the console.
type Settings struct {
	access   web.AccessSetting
	console  *console.Console
	changed  func(level console.Level) // called when a password has changed
	password [len(passwords)]string
}

// Register adds the variables to a console and sets their defaults. It also watches the passwords
// of the remote console.
func (s *Settings) Register(c *console.Console) error {
	s.console = c
	if err := s.access.RegisterWithHelp(c, "sv_http_admin", "Clients that may open the admin page, over HTTPS or with the key of http.key on this "+
		"machine (all, off, or a list such as local,10.0.0.0/8; listed networks also without HTTPS)", "all"); err != nil {
		return fmt.Errorf("admin: %w", err)
	}
	for level, name := range passwords {
		err := c.After(name, func(*console.Call) {
			if value := c.Value(name); value != s.password[level] {
				s.password[level] = value
				if s.changed != nil {
					s.changed(console.Level(level))
				}
			}
		})
		if err != nil {
			return fmt.Errorf("admin: %w", err)
		}
	}
	return nil
}

// AllowsMachine reports whether sv_http_admin lets in the operator of this machine, who has the
// key. Any goroutine may call it.
func (s *Settings) AllowsMachine() bool {
	loopback := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	return s.access.Rule.AllowsClient(nil, web.Client{Addr: loopback, Local: true, Secure: true})
}

// passwords are the names of the password settings, by level.
var passwords = [...]string{console.LevelAdmin: "sv_rcon_password", console.LevelMod: "sv_rcon_mod_password", console.LevelHelper: "sv_rcon_helper_password"}

// maxAsking limits the requests that wait for the server at once.
const maxAsking = 8

// serverTimeout limits how long a request waits for the server to answer between two ticks.
const serverTimeout = 5 * time.Second

// New returns a console without a server. Call [Console.Attach] to set the server, and Close at the
// end.
func New(cfg Config) *Console {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Console{
		cfg: cfg, settings: cfg.Settings, started: cfg.Now(), asking: make(chan struct{}, maxAsking),
		guard: http.NewCrossOriginProtection(), wake: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	c.log.wake = c.wakePump
	c.state.init(c)
	c.access.init(c)
	c.tokens.init(cfg.TokensFile)
	cfg.Settings.changed = c.access.endAll
	return c
}

// Attach sets the server and starts the background goroutine. live serves the match without delay,
// under the paths of a broadcast; nil serves no match. Call Rooms after Attach.
func (c *Console) Attach(s Server, live http.Handler) {
	c.live = live
	c.server.Store(&s)
	go c.pump()
}

// Close ends the event streams and the background goroutine.
func (c *Console) Close() { c.close.Do(func() { close(c.closed) }) }

// TokensError returns the error of reading the token file, or nil.
func (c *Console) TokensError() error { return c.tokens.err }

// LogHandler returns the handler that receives the server's log.
func (c *Console) LogHandler() slog.Handler { return &logHandler{buffer: &c.log, system: "server"} }

// nanoseconds returns the time in the form that package limit uses.
func (c *Console) nanoseconds() int64 { return int64(c.cfg.Now().Sub(c.started)) }

// errBusy is the error while too many requests wait for the server, or while it does not answer.
var errBusy = &apiError{http.StatusServiceUnavailable, "the server is busy; try again in a moment"}

// do runs f between two ticks on the server's goroutine. After an error f may still run later, so
// the caller must not read data that f writes.
func (c *Console) do(ctx context.Context, f func(s Server)) error {
	return c.await(ctx, func(s Server, done func()) {
		f(s)
		done()
	})
}

// await is do for work that ends when done is called, possibly after f has returned.
func (c *Console) await(ctx context.Context, f func(s Server, done func())) error {
	p := c.server.Load()
	if p == nil {
		return errBusy
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	default:
		return errBusy
	}
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	ended := make(chan struct{})
	err := (*p).Do(ctx, func() { f(*p, func() { close(ended) }) })
	if err == nil {
		select {
		case <-ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	switch {
	case errors.Is(err, server.ErrClosed):
		return &apiError{http.StatusServiceUnavailable, "the server has shut down"}
	case err != nil:
		return errBusy
	}
	return nil
}

// wakePump wakes the background goroutine. It never blocks.
func (c *Console) wakePump() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// pump passes the server's news on to the readers of the event stream.
func (c *Console) pump() {
	for {
		select {
		case <-c.wake:
			c.publish()
		case <-c.closed:
			return
		}
	}
}
