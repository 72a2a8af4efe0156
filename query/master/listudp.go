package master

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Payloads of the list.
const (
	tagAskList = "\xff\xff\xff\xffreq2"
	tagList    = "\xff\xff\xff\xfflis2"
)

// UDPConfig says how UDP masters are asked. The zero value is fine.
type UDPConfig struct {
	// Timeout is how long a master has for its first answer; 0 means 4 s.
	Timeout time.Duration
	// Retry is the time after which it is asked again; 0 means 1 s.
	Retry time.Duration
	// Settle is how long datagrams that are missing are waited for; 0 means
	// 500 ms.
	Settle time.Duration
}

// UDPMaster is a UDP master to ask.
type UDPMaster struct {
	Peer transport.Peer
	// Version is query.Version6 or query.Version7.
	Version query.Versions
}

// ListUDP asks UDP masters for their servers. Each server is listed once per
// version. The error wraps ErrNoAnswer if none of them answered.
func ListUDP(ctx context.Context, c transport.Conn, cfg UDPConfig, masters ...UDPMaster) ([]Addr, error) {
	l := newLister(cfg, masters, c.Send)
	stop := context.AfterFunc(ctx, c.Wake)
	defer stop()
	batch := make([]transport.Datagram, 64)
	for {
		if ctx.Err() != nil {
			return l.addrs, fmt.Errorf("master: %w", context.Cause(ctx))
		}
		next, more := l.step(c.Now())
		if err := c.Flush(); err != nil {
			return l.addrs, fmt.Errorf("master: %w", err)
		}
		if !more {
			return l.addrs, l.err()
		}
		n, err := c.ReadBatch(batch, next)
		if err != nil {
			return l.addrs, fmt.Errorf("master: %w", err)
		}
		for _, d := range batch[:n] {
			l.feed(d.At, d.Peer, d.B)
		}
	}
}

// lister asks masters, without input and output of its own.
type lister struct {
	cfg     UDPConfig
	masters []*listing
	addrs   []Addr
	seen    map[Addr]bool
	send    func(transport.Peer, []byte)
}

// listing is what one master has said.
type listing struct {
	UDPMaster
	began   bool
	end     int64 // ns, when no more is waited for
	again   int64
	own     packet.Token
	token   packet.Token // the master's
	count   int          // how many servers it says it has, -1 if unknown
	servers map[netip.AddrPort]bool
}

func newLister(cfg UDPConfig, masters []UDPMaster, send func(transport.Peer, []byte)) *lister {
	for _, d := range []struct {
		v         *time.Duration
		otherwise time.Duration
	}{{&cfg.Timeout, 4 * time.Second}, {&cfg.Retry, time.Second}, {&cfg.Settle, 500 * time.Millisecond}} {
		if *d.v <= 0 {
			*d.v = d.otherwise
		}
	}
	l := &lister{cfg: cfg, seen: map[Addr]bool{}, send: send}
	for _, m := range masters {
		l.masters = append(l.masters, &listing{UDPMaster: m, own: packet.Token(rand.Uint32N(1 << 31)), token: packet.NoToken, count: -1, servers: map[netip.AddrPort]bool{}})
	}
	return l
}

// step does what is due at the time now (ns) and returns when to call it next, and
// whether there is anything left to do.
func (l *lister) step(now int64) (next int64, more bool) {
	next = now + int64(time.Second)
	for _, m := range l.masters {
		if !m.began {
			m.began, m.end, m.again = true, now+int64(l.cfg.Timeout), now
		}
		if now >= m.end {
			continue
		}
		more = true
		if now >= m.again {
			m.again = now + int64(l.cfg.Retry)
			l.ask(m)
		}
		next = min(next, m.end, m.again)
	}
	return next, more
}

func (l *lister) ask(m *listing) {
	switch {
	case m.Version == query.Version6:
		l.send(m.Peer, []byte(query.Header6+tagAskCount))
		l.send(m.Peer, []byte(query.Header6+tagAskList))
	case m.token == packet.NoToken:
		l.send(m.Peer, packet.AppendTokenRequest(nil, m.own))
	default:
		l.send(m.Peer, packet.AppendConnless(nil, m.token, m.own, []byte(tagAskCount)))
		l.send(m.Peer, packet.AppendConnless(nil, m.token, m.own, []byte(tagAskList)))
	}
}

// feed takes a datagram.
func (l *lister) feed(now int64, from transport.Peer, b []byte) {
	kind, _ := packet.Classify(b)
	for _, m := range l.masters {
		if m.Peer != from || now >= m.end {
			continue
		}
		switch {
		case kind == packet.KindConnless6 && m.Version == query.Version6:
			l.payload(now, m, b[len(query.Header6):])
		case kind == packet.KindConnless7 && m.Version == query.Version7:
			var p packet.Packet
			if p.ParseHeader(b) == nil && p.Token == m.own {
				l.payload(now, m, p.Payload)
			}
		case kind == packet.KindControl7 && m.Version == query.Version7 && m.token == packet.NoToken:
			var p packet.Packet
			var scratch packet.Scratch
			if p.Parse(b, &scratch) == nil && p.Token == m.own && p.ControlID() == packet.ControlToken && p.ResponseToken != packet.NoToken {
				m.token = p.ResponseToken
				l.ask(m)
			}
		}
	}
}

func (l *lister) payload(now int64, m *listing, payload []byte) {
	if len(payload) < 8 {
		return
	}
	tag, rest := string(payload[:8]), payload[8:]
	switch {
	case tag == tagCount && len(rest) >= 2:
		m.count = int(binary.BigEndian.Uint16(rest))
	case tag == tagList:
		m.end = max(min(m.end, now+int64(l.cfg.Settle)), now+1)
		for ; len(rest) >= 18 && len(l.addrs) < MaxServers; rest = rest[18:] {
			peer := transport.Unmap(transport.UDPPeer(netip.AddrFrom16([16]byte(rest[:16])), binary.BigEndian.Uint16(rest[16:])))
			if ip := peer.Addr(); peer.Port() == 0 || ip.IsUnspecified() || ip.IsMulticast() {
				continue
			}
			m.servers[peer.AddrPort] = true
			if a := (Addr{peer, m.Version}); !l.seen[a] {
				l.seen[a] = true
				l.addrs = append(l.addrs, a)
			}
		}
	default:
		return
	}
	if m.count < 0 || len(m.servers) < m.count {
		return
	}
	m.end = now
	for _, other := range l.masters {
		// One port rarely is a master of both versions.
		if other.Peer == m.Peer && other.token == packet.NoToken && len(other.servers) == 0 {
			other.end = min(other.end, now+int64(l.cfg.Settle))
		}
	}
}

// err says whether anybody answered.
func (l *lister) err() error {
	for _, m := range l.masters {
		if m.count >= 0 || len(m.servers) > 0 {
			return nil
		}
	}
	return ErrNoAnswer
}
