package halflife

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// ErrNoAnswer is returned when nothing usable came back in time.
var ErrNoAnswer = errors.New("halflife: no answer")

// ReceiveBuffer is the longest datagram in bytes that a client should be ready
// for: old servers send answers of some kilobytes whole. Give it to
// udp.Config.MaxDatagram.
const ReceiveBuffer = 4096

// Ask is a way to ask a server.
type Ask uint8

// The ways.
const (
	// AskAny tries A2S and text and takes A2S if the server knows both.
	AskAny Ask = iota
	// AskA2S asks with A2S only.
	AskA2S
	// AskText asks with details, players and rules.
	AskText
	// AskInfostring asks with infostring, which tells nothing of players or rules.
	AskInfostring
)

// QueryConfig says what to ask. The zero value asks for everything.
type QueryConfig struct {
	// Ask is the way.
	Ask Ask
	// InfoOnly leaves out players and rules.
	InfoOnly bool
	// Tries is how often a request is sent; 0 means 3. The first waits for Wait,
	// each further one twice as long as the one before.
	Tries int
	// Wait is how long the first try waits; 0 means 500 ms.
	Wait time.Duration
	// Rate is how many servers QueryAll asks per second; 0 means 100.
	Rate int
}

// Status is what a server said.
type Status struct {
	// Peer is the server, whatever it says about its address.
	Peer transport.Peer
	// Form is the form in which Info came.
	Form InfoForm
	// Ping is how long the answer took.
	Ping time.Duration
	// Info is what the server says about itself.
	Info Info
	// Players and Rules are nil if the server gave none.
	Players []Player
	Rules   []Rule
}

// Query asks one server. conn must not be read by others meanwhile. The error
// wraps ErrNoAnswer, or is that of ctx or of the connection.
func Query(ctx context.Context, conn transport.Conn, peer transport.Peer, cfg QueryConfig) (Status, error) {
	var st Status
	var failed error
	err := QueryAll(ctx, conn, []transport.Peer{peer}, cfg, func(s Status, err error) { st, failed = s, err })
	if err == nil {
		err = failed
	}
	return st, err
}

// QueryAll asks many servers, some at a time, and calls done with what each said
// or with an error that wraps ErrNoAnswer. It returns when all are done, or
// earlier with the error of ctx or of the connection.
func QueryAll(ctx context.Context, conn transport.Conn, peers []transport.Peer, cfg QueryConfig, done func(Status, error)) error {
	cfg.Tries = orElse(cfg.Tries, 3)
	cfg.Wait = orElse(cfg.Wait, 500*time.Millisecond)
	gap := int64(time.Second) / int64(orElse(cfg.Rate, 100))
	defer context.AfterFunc(ctx, conn.Wake)()
	asked := make(map[transport.Peer]*asker)
	batch := make([]transport.Datagram, 32)
	var joiner Joiner
	next := conn.Now()
	for len(peers) > 0 || len(asked) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := conn.Now()
		for len(peers) > 0 && now >= next {
			p := transport.Unmap(peers[0])
			peers = peers[1:]
			next = max(next+gap, now-int64(time.Second))
			if asked[p] != nil {
				continue
			}
			a := &asker{cfg: cfg, send: func(b []byte) { conn.Send(p, b) }, challenge: NoChallenge}
			a.st.Peer = p
			asked[p] = a
			a.try(now)
		}
		until := now + int64(time.Hour)
		if len(peers) > 0 {
			until = next
		}
		for p, a := range asked {
			if now >= a.until {
				a.expired(now)
			}
			if a.over {
				delete(asked, p)
				done(a.result())
				continue
			}
			until = min(until, a.until)
		}
		if len(asked) == 0 && len(peers) == 0 {
			return nil
		}
		if err := conn.Flush(); err != nil {
			return err
		}
		n, err := conn.ReadBatch(batch, until)
		if err != nil {
			return err
		}
		for _, d := range batch[:n] {
			a := asked[d.Peer]
			if a == nil {
				continue
			}
			b := d.B
			if IsPart(b) {
				b = joiner.Feed(d.At, d.Peer.AddrPort, b)
			}
			if b != nil {
				a.feed(d.At, b)
			}
			if a.over {
				delete(asked, d.Peer)
				done(a.result())
			}
		}
	}
	return nil
}

// asker asks one server: first what it is, then for the lists.
type asker struct {
	cfg  QueryConfig
	st   Status
	send func(b []byte)
	buf  []byte

	lists      bool // the info is there
	challenge  uint32
	challenges int
	tries      int
	sent       int64 // when the last try began
	until      int64 // when to try again or give up
	over       bool
}

// secondForm is how long an answer in text waits for one in A2S, which tells
// more.
const secondForm = 250 * time.Millisecond

// maxChallenges is how often a server may ask for another challenge.
const maxChallenges = 6

func (a *asker) result() (Status, error) {
	if a.st.Form == 0 {
		return a.st, fmt.Errorf("%w from %v", ErrNoAnswer, a.st.Peer)
	}
	return a.st, nil
}

// try sends what is not answered yet.
func (a *asker) try(now int64) {
	wait := a.cfg.Wait << a.tries
	a.tries++
	a.sent, a.until = now, now+int64(wait)
	if a.lists {
		a.askLists()
		return
	}
	if a.cfg.Ask == AskAny || a.cfg.Ask == AskA2S {
		a.ask(AppendA2SRequest(a.buf[:0], RequestA2SInfo, a.challenge))
	}
	if a.cfg.Ask == AskAny || a.cfg.Ask == AskText {
		a.ask(AppendTextRequest(a.buf[:0], RequestDetails))
		if a.tries > 1 {
			a.ask(AppendTextRequest(a.buf[:0], RequestInfo))
		}
	}
	if a.cfg.Ask == AskInfostring || a.cfg.Ask == AskAny && a.tries > 2 {
		a.ask(AppendTextRequest(a.buf[:0], RequestInfostring))
	}
}

func (a *asker) ask(b []byte) {
	a.buf = b
	a.send(b)
}

func (a *asker) askLists() {
	if a.st.Players == nil {
		if a.st.Form == FormA2S {
			a.ask(AppendA2SRequest(a.buf[:0], RequestA2SPlayers, a.challenge))
		} else {
			a.ask(AppendTextRequest(a.buf[:0], RequestPlayers))
		}
	}
	if a.st.Rules == nil {
		if a.st.Form == FormA2S {
			a.ask(AppendA2SRequest(a.buf[:0], RequestA2SRules, a.challenge))
		} else {
			a.ask(AppendTextRequest(a.buf[:0], RequestRules))
		}
	}
}

// expired goes on when a try brought nothing.
func (a *asker) expired(now int64) {
	switch {
	case !a.lists && a.st.Form != 0: // in text, and nothing better came
		a.toLists(now)
	case a.tries >= a.cfg.Tries:
		a.over = true
	default:
		a.try(now)
	}
}

func (a *asker) toLists(now int64) {
	if a.cfg.InfoOnly || a.st.Form == FormInfostring {
		a.over = true
		return
	}
	a.lists, a.tries = true, 0
	a.try(now)
}

func (a *asker) feed(now int64, b []byte) {
	switch kind(b) {
	case kindChallenge:
		c, err := ParseA2SChallenge(b)
		if err != nil || a.challenges == maxChallenges || a.cfg.Ask == AskText || a.cfg.Ask == AskInfostring {
			return
		}
		a.challenges++
		a.challenge = c
		if a.lists {
			a.askLists()
		} else {
			a.ask(AppendA2SRequest(a.buf[:0], RequestA2SInfo, c))
			// A server that challenges knows A2S; it gets a whole try to say so.
			a.until = max(a.until, now+int64(a.cfg.Wait))
		}
	case kindPlayers:
		if players, err := ParsePlayers(b); err == nil && a.lists && a.st.Players == nil {
			a.st.Players = players
		}
	case kindRules:
		if rules, err := ParseRules(b); err == nil && a.lists && a.st.Rules == nil {
			a.st.Rules = rules
		}
	default:
		if !a.lists {
			a.info(now, b)
		}
	}
	if a.lists && a.st.Players != nil && a.st.Rules != nil {
		a.over = true
	}
}

// info takes an answer that says what the server is.
func (a *asker) info(now int64, b []byte) {
	i, form, err := ParseInfo(b)
	if err != nil || form == a.st.Form || a.st.Form == FormDetails && form != FormA2S {
		return
	}
	if a.st.Form == 0 || form == FormA2S {
		a.st.Ping = time.Duration(now - a.sent)
	}
	a.st.Info, a.st.Form = i, form
	if form == FormA2S || a.cfg.Ask != AskAny {
		a.toLists(now)
		return
	}
	if a.challenges == 0 {
		a.until = now + int64(secondForm)
	}
}
