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

// ErrNoAnswer is returned when a server answers no request in time.
var ErrNoAnswer = errors.New("query: no answer")

// Versions is a set of protocol versions.
type Versions uint8

// The versions. 0 in a Target means both.
const (
	Version6 Versions = 1 << iota
	Version7
)

// Config configures queries. The zero value suits one server as well as thousands.
type Config struct {
	// Timeout is how long to wait for a server's answer; 0 means 2.5 s.
	Timeout time.Duration
	// Retry is the time after which unanswered requests are repeated; 0 means 500 ms.
	Retry time.Duration
	// SettleTime is how long to wait for answers in other formats once one answer is complete; 0
	// means 250 ms. SettleTime should be at least twice the latency. A format with an incomplete
	// answer is requested once or twice more.
	SettleTime time.Duration
	// Concurrency is how many servers are queried at the same time; 0 means 256.
	Concurrency int
	// Rate is how many servers per second get their first request; 0 means 200.
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

// Target is a server to query.
type Target struct {
	Addr transport.Peer
	// Versions are the versions to query; 0 means all.
	Versions Versions
}

// Result is the answer of a server.
type Result struct {
	Addr transport.Peer
	// Err wraps ErrNoAnswer if the server did not answer.
	Err error
	// Info is merged from the answers in all formats.
	Info Info
	// Formats reports for each format whether it was answered.
	Formats [NumFormats]bool
	// Complete reports whether Info lists all clients.
	Complete bool
	// Latency is the shortest time between a request and its answer.
	Latency time.Duration
}

// Versions returns the versions in which the server answered.
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

// AddressVersions returns the version in the scheme of an address, or 0 if it names none. For an
// unsupported version the error wraps udp.ErrAddress.
func AddressVersions(a transport.Address) (Versions, error) {
	switch v := a.Version(); {
	case v == "" && a.Scheme != transport.SchemeDDNet:
		return 0, nil
	case v == "" || v == Version6.String():
		return Version6, nil
	case v == Version7.String():
		return Version7, nil
	default:
		return 0, fmt.Errorf("%w: %q: version %s is not supported; use 0.6 or 0.7", udp.ErrAddress, a.String(), v)
	}
}

// AskHost queries the server at an address in the syntax of transport.ParseAddress. It sends
// requests in all formats at once, or in the formats of the version that the scheme names. The
// error wraps ErrNoAnswer, udp.ErrAddress, or the cause of ctx.
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

// Ask queries one server in all formats.
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

// AskAll queries many servers and calls f with each result as soon as it is complete. targets
// should list each server once. No other goroutine may use conn meanwhile. A non-nil error means
// that not all servers were queried.
func AskAll(ctx context.Context, conn transport.Conn, cfg Config, targets []Target, f func(Result)) error {
	a := newMultiQuery(cfg, targets, conn.Send, f)
	err := transport.Run(ctx, conn, a.step, func(d transport.Datagram) { a.feed(d.ReceivedAt, d.Peer, d.Data) })
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	return nil
}

// multiQuery queries many servers. It has no socket.
type multiQuery struct {
	cfg       Config
	queue     []Target
	active    map[transport.Peer]*serverQuery
	send      func(transport.Peer, []byte)
	onResult  func(Result)
	nextStart int64 // ns, when the next server may be queried
	buf       []byte
	random    func() uint32
}

func newMultiQuery(cfg Config, targets []Target, send func(transport.Peer, []byte), done func(Result)) *multiQuery {
	return &multiQuery{cfg: cfg.withDefaults(), queue: targets, active: make(map[transport.Peer]*serverQuery),
		send: send, onResult: done, nextStart: -1 << 62, random: rand.Uint32}
}

// step sends the requests that are due at time now in ns. It returns the time of the next call, and
// whether any work is left.
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
