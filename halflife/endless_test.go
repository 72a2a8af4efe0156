package halflife_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
)

// endlessConn is a connection in virtual time that receives a datagram every step, by default every
// millisecond.
type endlessConn struct {
	t        *testing.T
	now      int64
	step     time.Duration
	from     transport.Peer
	next     func(n int) []byte // datagram n; nil if none arrives
	received int
	limit    int
	sent     int
}

var endlessPeer = transport.MustParsePeer("10.0.0.1:27010")

func newEndlessConn(t *testing.T, next func(n int) []byte) *endlessConn {
	return &endlessConn{t: t, now: 1e9, step: time.Millisecond, from: endlessPeer, next: next, limit: 200_000}
}

func (c *endlessConn) Now() int64                  { return c.now }
func (c *endlessConn) Send(transport.Peer, []byte) { c.sent++ }
func (c *endlessConn) Flush() error                { return nil }
func (c *endlessConn) Wake()                       {}
func (c *endlessConn) LocalAddr() transport.Peer   { return transport.MustParsePeer("10.0.0.2:1") }
func (c *endlessConn) Stats() transport.Stats      { return transport.Stats{} }
func (c *endlessConn) Close() error                { return nil }
func (c *endlessConn) elapsed() time.Duration      { return time.Duration(c.now - 1e9) }
func (c *endlessConn) ReadBatch(batch []transport.Datagram, until int64) (int, error) {
	b := c.next(c.received)
	if b == nil {
		c.now = max(c.now, until)
		return 0, nil
	}
	if c.received++; c.received > c.limit {
		c.t.Fatalf("%d datagrams were read in %v: it never ends", c.limit, c.elapsed())
	}
	c.now += int64(c.step)
	batch[0] = transport.Datagram{Peer: c.from, Data: b, ReceivedAt: c.now}
	return 1, nil
}

// TestEndlessMasters checks that FetchList ends, with bounded memory, when a master never stops
// sending.
func TestEndlessMasters(t *testing.T) {
	server := func(n int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, byte(n >> 16), byte(n >> 8), byte(n)}), 1)
	}
	page := func(n, size int, form wire.ListFormat, end bool) []byte {
		l := wire.List{Format: form, End: end, Next: uint32(n + 1)}
		for i := range size {
			l.Servers = append(l.Servers, server(n*size+i))
		}
		return wire.AppendList(nil, &l)
	}
	for name, c := range map[string]struct {
		form wire.ListFormat
		next func(n int) []byte
	}{
		"pages marked as the last":  {wire.ListSteam, func(n int) []byte { return page(n, 1, wire.ListSteam, true) }},
		"full pages":                {wire.ListSteam, func(n int) []byte { return page(n, 230, wire.ListSteam, false) }},
		"one page again and again":  {wire.ListSteam, func(int) []byte { return page(0, 1, wire.ListSteam, true) }},
		"pages by number":           {wire.ListBatch, func(n int) []byte { return page(n, 1, wire.ListBatch, false) }},
		"lists without pages":       {wire.ListAll, func(n int) []byte { return page(n, 1, wire.ListAll, false) }},
		"what is no page":           {wire.ListSteam, func(int) []byte { return []byte("\xff\xff\xff\xffnonsense") }},
		"empty pages":               {wire.ListSteam, func(int) []byte { return page(0, 0, wire.ListSteam, false) }},
		"a page, then what is none": {wire.ListSteam, func(n int) []byte { return [][]byte{page(0, 1, wire.ListSteam, true), []byte("x")}[min(n, 1)] }},
	} {
		conn := newEndlessConn(t, c.next)
		got, err := halflife.FetchList(t.Context(), conn, endlessPeer, halflife.ListConfig{Format: c.form})
		if len(got) > 20000 || err != nil && !errors.Is(err, halflife.ErrNoAnswer) {
			t.Errorf("%s: %d servers, %v", name, len(got), err)
		}
		if conn.elapsed() > 40*time.Second || conn.sent > 400 {
			t.Errorf("%s: ended after %v and %d requests", name, conn.elapsed(), conn.sent)
		}
		// Datagrams from another peer do not delay the end either.
		conn = newEndlessConn(t, c.next)
		conn.from = transport.MustParsePeer("10.0.0.66:27010")
		if _, err := halflife.FetchList(t.Context(), conn, endlessPeer, halflife.ListConfig{Format: c.form}); !errors.Is(err, halflife.ErrNoAnswer) ||
			conn.elapsed() > 40*time.Second {
			t.Errorf("%s, of a stranger: %v after %v", name, err, conn.elapsed())
		}
	}
	// A slow master sends a page at the end of every wait.
	conn := newEndlessConn(t, func(n int) []byte { return page(n, 1, wire.ListSteam, false) })
	conn.step = 450 * time.Millisecond
	if got, err := halflife.FetchList(t.Context(), conn, endlessPeer, halflife.ListConfig{}); err != nil || len(got) == 0 || conn.elapsed() > 40*time.Second {
		t.Errorf("slow pages: %d servers, %v, %v", len(got), err, conn.elapsed())
	}
}

// TestEndlessServers checks that queries and rcon commands end when a game server never stops
// sending.
func TestEndlessServers(t *testing.T) {
	info := &wire.Info{Name: "x"}
	replies := [][]byte{
		wire.AppendInfo(nil, info), wire.AppendInfostring(nil, info), wire.AppendDetails(nil, info),
		wire.AppendA2SChallenge(nil, 77), []byte("nonsense"), wire.AppendPart(nil, wire.SplitSource, 5, make([]byte, 3000), 1, wire.SourcePart),
	}
	for _, set := range [][]int{{0, 1}, {0, 1, 2}, {3}, {4}, {5}, {0, 1, 2, 3, 4, 5}} {
		conn := newEndlessConn(t, func(n int) []byte { return replies[set[n%len(set)]] })
		_, err := halflife.Query(t.Context(), conn, endlessPeer, halflife.QueryConfig{})
		if err != nil && !errors.Is(err, halflife.ErrNoAnswer) || conn.elapsed() > 30*time.Second || conn.sent > 100 {
			t.Errorf("%v: %v after %v and %d requests", set, err, conn.elapsed(), conn.sent)
		}
	}
	for name, next := range map[string]func(n int) []byte{
		"nonsense":   func(int) []byte { return []byte("\xff\xff\xff\xffnonsense") },
		"output":     func(int) []byte { return wire.AppendPrint(nil, strings.Repeat("x", 1000)) },
		"challenges": func(int) []byte { return wire.AppendRconChallenge(nil, 123456789) },
		"parts":      func(int) []byte { return replies[5] },
		"challenge, then": func(n int) []byte {
			return [][]byte{wire.AppendRconChallenge(nil, 123456789), []byte("\xff\xff\xff\xfflx\x00")}[min(n, 1)]
		},
	} {
		conn := newEndlessConn(t, next)
		c, err := halflife.NewRconClient(conn, endlessPeer, "password")
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Run(t.Context(), "status")
		if len(text) > 1<<20 || conn.elapsed() > 30*time.Second || conn.sent > 10 {
			t.Errorf("%s: %d bytes, %v after %v and %d requests", name, len(text), err, conn.elapsed(), conn.sent)
		}
	}
}
