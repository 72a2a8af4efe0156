package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// DefaultPort is the default port of game servers.
const DefaultPort = 8303

// ErrNoAnswer is returned when a server answers none of the requests in time.
var ErrNoAnswer = errors.New("query: no answer")

// Versions is a set of protocol versions.
type Versions uint8

// The versions. Zero, in a Target, stands for both.
const (
	Version6 Versions = 1 << iota
	Version7
)

// Config says how servers are asked. The zero value is good for one server and for
// thousands.
type Config struct {
	// Timeout is how long a server has for its answer; 0 means 2.5 s.
	Timeout time.Duration
	// Retry is the time after which requests without an answer are repeated; 0 means
	// 500 ms.
	Retry time.Duration
	// SettleTime is how long to wait for answers in the other formats after one is
	// complete, at least twice the latency; 0 means 250 ms. A format that is answered
	// in part is requested once or twice more.
	SettleTime time.Duration
	// Concurrency is how many servers are asked at a time; 0 means 256.
	Concurrency int
	// Rate is how many servers per second are asked first; 0 means 200.
	Rate int
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(max(c.Timeout, 0), 2500*time.Millisecond)
	c.Retry = cmp.Or(max(c.Retry, 0), 500*time.Millisecond)
	c.SettleTime = cmp.Or(max(c.SettleTime, 0), 250*time.Millisecond)
	c.Concurrency = cmp.Or(max(c.Concurrency, 0), 256)
	c.Rate = cmp.Or(max(c.Rate, 0), 200)
	return c
}

// Target is a server to ask.
type Target struct {
	Addr transport.Peer
	// Versions are the versions to ask in; 0 means all.
	Versions Versions
}

// Result is what a server answered.
type Result struct {
	Addr transport.Peer
	// Err wraps ErrNoAnswer if there was no answer.
	Err error
	// Info is merged from all answers.
	Info Info
	// Formats are those of the answers.
	Formats [NumFormats]bool
	// Complete reports whether all clients are listed.
	Complete bool
	// Latency is the shortest time that an answer took.
	Latency time.Duration
}

// Versions returns the versions that the server answered in.
func (r *Result) Versions() Versions {
	var v Versions
	if r.Formats[FormatPlain6] || r.Formats[FormatExtended6] || r.Formats[FormatLegacy64] {
		v |= Version6
	}
	if r.Formats[Format7] {
		v |= Version7
	}
	return v
}

// String returns the versions, such as "0.6, 0.7".
func (v Versions) String() string {
	switch v {
	case Version6:
		return "0.6"
	case Version7:
		return "0.7"
	case Version6 | Version7:
		return "0.6, 0.7"
	}
	return "none"
}

// AddressVersions returns the version that the scheme of an address names, 0 if it names none.
// The error wraps udp.ErrAddress for other versions.
func AddressVersions(a transport.Address) (Versions, error) {
	switch v := a.Version(); {
	case v == "" && a.Scheme != transport.SchemeDDNet:
		return 0, nil
	case v == "" || v == Version6.String():
		return Version6, nil
	case v == Version7.String():
		return Version7, nil
	default:
		return 0, fmt.Errorf("%w: %q is of version %s, which is not supported", udp.ErrAddress, a.String(), v)
	}
}

// AskHost asks a server at an address as transport.ParseAddress reads it, in all formats at once,
// or in those of the version that its scheme names. The error wraps ErrNoAnswer, udp.ErrAddress, or
// the cause of ctx.
func AskHost(ctx context.Context, cfg Config, address string) (Result, error) {
	a, err := transport.ParseAddress(address)
	if err != nil {
		return Result{}, fmt.Errorf("query: %w", err)
	}
	target := Target{}
	if target.Versions, err = AddressVersions(a); err == nil {
		target.Addr, err = udp.Resolve(ctx, address, DefaultPort)
	}
	if err != nil {
		return Result{}, fmt.Errorf("query: %w", err)
	}
	sock, err := Listen()
	if err != nil {
		return Result{}, err
	}
	defer sock.Close()
	return askTarget(ctx, sock, cfg, target)
}

// Listen opens a socket for Ask and AskAll.
func Listen() (transport.Conn, error) {
	sock, err := udp.Listen(udp.Config{})
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return sock, nil
}

// Ask asks one server in all formats, as AskHost does.
func Ask(ctx context.Context, conn transport.Conn, cfg Config, addr transport.Peer) (Result, error) {
	return askTarget(ctx, conn, cfg, Target{Addr: addr})
}

func askTarget(ctx context.Context, conn transport.Conn, cfg Config, target Target) (Result, error) {
	var result Result
	err := AskAll(ctx, conn, cfg, []Target{target}, func(r Result) { result = r })
	if err == nil {
		err = result.Err
	}
	return result, err
}

// AskAll asks many servers and calls f with the result of each, in the order in which
// they are done. Each server should be given once. The connection must have no other
// user. The error says why not all servers were asked.
func AskAll(ctx context.Context, conn transport.Conn, cfg Config, targets []Target, f func(Result)) error {
	a := newMultiQuery(cfg, targets, conn.Send, f)
	err := transport.Run(ctx, conn, a.step, func(d transport.Datagram) { a.feed(d.ReceivedAt, d.Peer, d.Data) })
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	return nil
}

// multiQuery asks many servers. It has no socket.
type multiQuery struct {
	cfg       Config
	queue     []Target
	active    map[transport.Peer]*serverQuery
	send      func(transport.Peer, []byte)
	onResult  func(Result)
	nextStart int64 // ns, when the next server may be asked
	buf       []byte
	random    func() uint32
}

func newMultiQuery(cfg Config, targets []Target, send func(transport.Peer, []byte), done func(Result)) *multiQuery {
	return &multiQuery{cfg: cfg.withDefaults(), queue: targets, active: make(map[transport.Peer]*serverQuery), send: send, onResult: done, nextStart: -1 << 62, random: rand.Uint32}
}

// step sends what is due at the time now in ns. It returns when to call it next, and
// whether there is anything left to do.
func (a *multiQuery) step(now int64) (next int64, more bool) {
	next = now + int64(time.Second)
	for addr, t := range a.active {
		if now >= t.waitUntil(a) {
			delete(a.active, addr)
			a.onResult(t.result())
			continue
		}
		if now >= t.nextTry {
			t.sendRequests(now, a)
		}
		next = min(next, t.nextTry, t.waitUntil(a))
	}
	for len(a.queue) > 0 && len(a.active) < a.cfg.Concurrency {
		if now < a.nextStart {
			next = min(next, a.nextStart)
			break
		}
		target := a.queue[0]
		a.queue = a.queue[1:]
		if target.Versions == 0 {
			target.Versions = Version6 | Version7
		}
		if _, twice := a.active[target.Addr]; twice {
			continue
		}
		t := newServerQuery(target, now+int64(a.cfg.Timeout), a.random)
		a.active[target.Addr] = t
		t.sendRequests(now, a)
		a.nextStart = now + int64(time.Second)/int64(a.cfg.Rate)
		next = min(next, t.nextTry, t.waitUntil(a))
	}
	return next, len(a.active)+len(a.queue) > 0
}

// feed handles a datagram.
func (a *multiQuery) feed(now int64, from transport.Peer, b []byte) {
	t := a.active[from]
	if t == nil {
		return
	}
	full := t.feed(now, b, a)
	if full && t.allComplete() {
		t.deadline = now
		return
	}
	if full && !t.settling {
		t.settling = true
		t.settleUntil = now + max(int64(a.cfg.SettleTime), 2*int64(t.latency))
	}
}
