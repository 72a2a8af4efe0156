package halflife

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
)

// ErrNoAnswer is returned when no valid answer arrives in time.
var ErrNoAnswer = errors.New("halflife: no answer")

// ReceiveBuffer is a datagram size in bytes for udp.Config.MaxDatagram. A client should be able to
// receive such datagrams, since old servers send answers of some kilobytes in one.
const ReceiveBuffer = 4096

// QueryMethod selects the request formats of a query.
type QueryMethod uint8

// The methods of a query.
const (
	// QueryAny sends A2S and text requests and prefers the answer in A2S.
	QueryAny QueryMethod = iota
	// QueryA2S sends A2S requests only.
	QueryA2S
	// QueryText sends details, players and rules.
	QueryText
	// QueryInfostring sends infostring, whose answer has no players and rules.
	QueryInfostring
)

// QueryConfig configures Query and QueryAll. The zero value requests everything.
type QueryConfig struct {
	// Method selects the request formats.
	Method QueryMethod
	// InfoOnly leaves out players and rules.
	InfoOnly bool
	// Tries is how often a request is sent; 0 means 3. The first try waits for Timeout, and each
	// further try twice as long as the previous one.
	Tries int
	// Timeout is how long the first try waits; 0 means 500 ms.
	Timeout time.Duration
	// Rate is how many servers per second QueryAll queries; 0 means 100.
	Rate int
}

// Status is the answer of a server.
type Status struct {
	// Peer is the address of the server.
	Peer transport.Peer
	// Format is the format of the answer that Info was read from.
	Format wire.InfoFormat
	// Ping is the time from the request to the answer.
	Ping time.Duration
	// Info is the server's description of itself.
	Info wire.Info
	// Players and Rules are nil if the server did not send them.
	Players []wire.Player
	Rules   []wire.Rule
}

// Query queries one server. No other goroutine may read from conn meanwhile. The error wraps
// ErrNoAnswer, or comes from ctx or the connection.
func Query(ctx context.Context, conn transport.Conn, peer transport.Peer, cfg QueryConfig) (Status, error) {
	var st Status
	var failed error
	err := QueryAll(ctx, conn, []transport.Peer{peer}, cfg, func(s Status, err error) { st, failed = s, err })
	if err == nil {
		err = failed
	}
	return st, err
}

// QueryAll queries many servers at a limited rate. It calls done for each server with its status,
// or with an error that wraps ErrNoAnswer. It returns nil when all servers are done, or earlier an
// error of ctx or of the connection.
func QueryAll(ctx context.Context, conn transport.Conn, peers []transport.Peer, cfg QueryConfig, done func(Status, error)) error {
	cfg.Tries = cmp.Or(cfg.Tries, 3)
	cfg.Timeout = cmp.Or(cfg.Timeout, 500*time.Millisecond)
	gap := int64(time.Second) / int64(cmp.Or(cfg.Rate, 100))
	asked := make(map[transport.Peer]*serverQuery)
	var parts wire.PartAssembler
	next := conn.Now()
	step := func(now int64) (until int64, more bool) {
		for len(peers) > 0 && now >= next {
			p := transport.Unmap(peers[0])
			peers = peers[1:]
			next = max(next+gap, now-int64(time.Second))
			if asked[p] != nil {
				continue
			}
			a := &serverQuery{cfg: cfg, send: func(b []byte) { conn.Send(p, b) }, challenge: wire.NoChallenge}
			a.status.Peer = p
			asked[p] = a
			a.sendRequests(now)
		}
		until = now + int64(time.Hour)
		if len(peers) > 0 {
			until = next
		}
		for p, a := range asked {
			if now >= a.deadline {
				a.handleTimeout(now)
			}
			if a.done {
				delete(asked, p)
				done(a.result())
				continue
			}
			until = min(until, a.deadline)
		}
		return until, len(asked)+len(peers) > 0
	}
	return transport.Run(ctx, conn, step, func(d transport.Datagram) {
		a, b := asked[d.Peer], d.Data
		if a == nil || a.done {
			return
		}
		if wire.IsPart(b) {
			b = parts.Feed(d.ReceivedAt, d.Peer.AddrPort, b)
		}
		if b != nil {
			a.handleAnswer(d.ReceivedAt, b)
		}
	})
}

// serverQuery queries one server: first the info, then players and rules.
type serverQuery struct {
	cfg    QueryConfig
	status Status
	send   func(b []byte)
	buf    []byte

	haveInfo   bool
	challenge  uint32
	challenges int
	tries      int
	sentAt     int64 // when the last try began
	deadline   int64 // when to try again or give up
	done       bool
}

// a2sTimeout is how long to wait for an A2S answer after a text answer. A2S has more fields.
const a2sTimeout = 250 * time.Millisecond

// maxChallenges limits how often a server may send another challenge.
const maxChallenges = 6

func (a *serverQuery) result() (Status, error) {
	if a.status.Format == 0 {
		return a.status, fmt.Errorf("%w from %v", ErrNoAnswer, a.status.Peer)
	}
	return a.status, nil
}

// sendRequests sends all requests without an answer.
func (a *serverQuery) sendRequests(now int64) {
	wait := a.cfg.Timeout << a.tries
	a.tries++
	a.sentAt, a.deadline = now, now+int64(wait)
	if a.haveInfo {
		a.requestLists()
		return
	}
	if a.cfg.Method == QueryAny || a.cfg.Method == QueryA2S {
		a.sendRequest(wire.AppendA2SRequest(a.buf[:0], wire.RequestA2SInfo, a.challenge))
	}
	if a.cfg.Method == QueryAny || a.cfg.Method == QueryText {
		a.sendRequest(wire.AppendTextRequest(a.buf[:0], wire.RequestDetails))
		if a.tries > 1 {
			a.sendRequest(wire.AppendTextRequest(a.buf[:0], wire.RequestInfo))
		}
	}
	if a.cfg.Method == QueryInfostring || a.cfg.Method == QueryAny && a.tries > 2 {
		a.sendRequest(wire.AppendTextRequest(a.buf[:0], wire.RequestInfostring))
	}
}

func (a *serverQuery) sendRequest(b []byte) {
	a.buf = b
	a.send(b)
}

func (a *serverQuery) requestLists() {
	if a.status.Players == nil {
		if a.status.Format == wire.FormatA2S {
			a.sendRequest(wire.AppendA2SRequest(a.buf[:0], wire.RequestA2SPlayers, a.challenge))
		} else {
			a.sendRequest(wire.AppendTextRequest(a.buf[:0], wire.RequestPlayers))
		}
	}
	if a.status.Rules == nil {
		if a.status.Format == wire.FormatA2S {
			a.sendRequest(wire.AppendA2SRequest(a.buf[:0], wire.RequestA2SRules, a.challenge))
		} else {
			a.sendRequest(wire.AppendTextRequest(a.buf[:0], wire.RequestRules))
		}
	}
}

// handleTimeout repeats the requests, continues with the lists, or gives up.
func (a *serverQuery) handleTimeout(now int64) {
	switch {
	case !a.haveInfo && a.status.Format != 0: // text arrived, A2S did not
		a.startLists(now)
	case a.tries >= a.cfg.Tries:
		a.done = true
	default:
		a.sendRequests(now)
	}
}

func (a *serverQuery) startLists(now int64) {
	if a.cfg.InfoOnly || a.status.Format == wire.FormatInfostring {
		a.done = true
		return
	}
	a.haveInfo, a.tries = true, 0
	a.sendRequests(now)
}

func (a *serverQuery) handleAnswer(now int64, b []byte) {
	if c, err := wire.ParseA2SChallenge(b); err == nil {
		a.handleChallenge(now, c)
		return
	}
	if !a.haveInfo {
		a.handleInfo(now, b)
		return
	}
	if players, err := wire.ParsePlayers(b); err == nil && a.status.Players == nil {
		a.status.Players = players
	}
	if rules, err := wire.ParseRules(b); err == nil && a.status.Rules == nil {
		a.status.Rules = rules
	}
	if a.status.Players != nil && a.status.Rules != nil {
		a.done = true
	}
}

// handleChallenge repeats the current requests with the challenge that the server sent.
func (a *serverQuery) handleChallenge(now int64, c uint32) {
	if a.challenges == maxChallenges || a.cfg.Method == QueryText || a.cfg.Method == QueryInfostring {
		return
	}
	a.challenges++
	a.challenge = c
	if a.haveInfo {
		a.requestLists()
		return
	}
	a.sendRequest(wire.AppendA2SRequest(a.buf[:0], wire.RequestA2SInfo, c))
	// A server with challenges supports A2S. Wait a whole try for its answer.
	a.deadline = max(a.deadline, now+int64(a.cfg.Timeout))
}

// handleInfo handles an answer that may be an Info.
func (a *serverQuery) handleInfo(now int64, b []byte) {
	i, form, err := wire.ParseInfo(b)
	if err != nil || form == a.status.Format || a.status.Format == wire.FormatDetails && form != wire.FormatA2S {
		return
	}
	first := a.status.Format == 0
	if first || form == wire.FormatA2S {
		a.status.Ping = time.Duration(now - a.sentAt)
	}
	a.status.Info, a.status.Format = i, form
	if form == wire.FormatA2S || a.cfg.Method != QueryAny {
		a.startLists(now)
		return
	}
	if first && a.challenges == 0 { // only once: a server may send answers of all formats forever
		a.deadline = now + int64(a2sTimeout)
	}
}
