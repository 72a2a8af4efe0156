// Package listing shows a server to programs outside of the game: it answers server browsers,
// registers the server with masters, and serves the queries and the remote console of Half-Life.
package listing

import (
	"net/netip"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/transport"
)

// Host is the server that is shown.
type Host interface {
	// Now returns the time of the datagram, tick or console line that the server handles.
	Now() conn.Time
	// Match returns the match that the server plays.
	Match() Match
	// AppendSeats appends the clients and bots, in the order of their ids.
	AppendSeats(dst []Seat) []Seat
	// IsPlayer reports whether a client has proven to be at an address.
	IsPlayer(a netip.Addr) bool
	// Print prints a line for the caller of a command, and for the log.
	Print(who console.Caller, level int, system, line string)
	// WriteFile replaces a file of the operator.
	WriteFile(name string, content []byte) error
	// RunRcon implements halflife.Console.
	RunRcon(peer transport.Peer, level int, line string, print func(text string), done func())
	// LoginFailed writes to the audit log that the Half-Life remote console has refused a password.
	LoginFailed(peer transport.Peer)
}

// Match is the match that a server plays.
type Match struct {
	World *game.World
	// Map is the map in the form that the most clients can read.
	Map *bridge.Map
	// Rules are the rules as configured.
	Rules *game.Rules
}

// Seat is the seat of a client or bot.
type Seat struct {
	ID game.PlayerID
	// Bot reports whether the server itself plays. The other fields are about clients.
	Bot bool
	// InGame reports whether the client plays or watches. Before that, it connects.
	InGame bool
	// Held reports whether the connection is lost, and the server keeps the seat.
	Held bool
	// Since is when the client connected, or the bot got its seat.
	Since conn.Time
}

// Config is the configuration of a [Listing]. All fields must be set.
type Config struct {
	Host   Host
	Access *access.Control
}

// Listing shows a server.
type Listing struct {
	Settings Settings
	HalfLife *HalfLife

	host      Host
	access    *access.Control
	console   *console.Console
	transport transport.Conn
	browsers  browsers
	masters   masters
	seats     []Seat // space for listed
}

// New returns a Listing without settings; see [Listing.Register].
func New(cfg Config) *Listing {
	l := &Listing{host: cfg.Host, access: cfg.Access}
	l.masters.l = l
	l.HalfLife = &HalfLife{l: l, masters: halfLifeMasters{l: l}}
	l.browsers.short.Short = true
	l.browsers.budget = query.NewBudget(query.BudgetConfig{IsProven: l.isProven})
	return l
}

// Open begins to use the socket of the server. tokens issues the tokens of the socket. Call Open
// before Start, Feed and Advance.
func (l *Listing) Open(t transport.Conn, tokens *conn.TokenIssuer) error {
	l.transport, l.masters.tokens = t, tokens
	return l.HalfLife.open()
}

// Start applies the settings of the Half-Life remote console. Call it when its passwords are set.
func (l *Listing) Start() { l.HalfLife.configure(console.Operator) }

// Feed handles a datagram from outside of the game. taken is false if it is neither from a master
// nor a request of a Half-Life program. answered is false if a request got no answer.
func (l *Listing) Feed(now conn.Time, peer transport.Peer, b []byte) (taken, answered bool) {
	if wire.IsDatagram(b) {
		if taken, answered = l.HalfLife.feed(now, peer, b); taken {
			return taken, answered
		}
	}
	return l.masters.feed(now, peer, b), true
}

// Advance keeps the server on the lists of masters. It never waits.
func (l *Listing) Advance(now conn.Time) {
	l.masters.advance(now)
	l.HalfLife.masters.advance(now)
}

// Hide takes the server off the lists of server browsers, or puts it back on them.
func (l *Listing) Hide(hidden bool) { l.masters.hidden, l.masters.outdated = hidden, true }

// Withdraw takes the server off the lists of Half-Life masters. Call it before the socket closes.
func (l *Listing) Withdraw() { l.HalfLife.masters.unregister() }

// Close takes the server off the lists of the other masters. That may take a second.
func (l *Listing) Close() { l.masters.close() }

// print prints a line for the log.
func (l *Listing) print(level int, system, line string) {
	l.host.Print(console.Operator, level, system, line)
}
