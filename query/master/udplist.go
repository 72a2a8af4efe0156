package master

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Tags of the payloads for lists.
const (
	tagAskList = "\xff\xff\xff\xffreq2"
	tagList    = "\xff\xff\xff\xfflis2"
)

// UDPConfig configures ListUDP.
type UDPConfig struct {
	// Timeout is how long to wait for a master's first answer; 0 means 4 s.
	Timeout time.Duration
	// Retry is the time after which requests are repeated; 0 means 1 s.
	Retry time.Duration
	// SettleTime is how long to wait for missing datagrams; 0 means 500 ms.
	SettleTime time.Duration
}

// UDPMaster is a UDP master of one version.
type UDPMaster struct {
	Peer transport.Peer
	// Version is query.Version6 or query.Version7.
	Version query.Versions
}

// ListUDP requests the lists of UDP masters. It returns each server once per version. Servers in
// local networks are left out unless their master is in one. The error wraps ErrNoAnswer if no
// master answered.
func ListUDP(ctx context.Context, c transport.Conn, cfg UDPConfig, masters ...UDPMaster) ([]Addr, error) {
	l := newListRequester(cfg, masters, c.Send)
	err := transport.Run(ctx, c, l.step, func(d transport.Datagram) { l.feed(d.ReceivedAt, d.Peer, d.Data) })
	if err != nil {
		return l.addrs, fmt.Errorf("master: %w", err)
	}
	return l.addrs, l.result()
}

// listRequester requests the lists of masters. It has no socket.
type listRequester struct {
	cfg     UDPConfig
	masters []*masterQuery
	addrs   []Addr
	seen    map[Addr]bool
	send    func(transport.Peer, []byte)
}

// masterQuery requests the list of one master.
type masterQuery struct {
	UDPMaster
	started     bool
	deadline    int64 // ns, when to stop waiting
	nextTry     int64
	ownToken    packet.Token
	masterToken packet.Token // the master's token
	count       int          // number of servers that the master announced, -1 if unknown
	servers     map[netip.AddrPort]bool
}

func newListRequester(cfg UDPConfig, masters []UDPMaster, send func(transport.Peer, []byte)) *listRequester {
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), 4*time.Second)
	cfg.Retry = cmp.Or(max(cfg.Retry, 0), time.Second)
	cfg.SettleTime = cmp.Or(max(cfg.SettleTime, 0), 500*time.Millisecond)
	l := &listRequester{cfg: cfg, seen: map[Addr]bool{}, send: send}
	for _, m := range masters {
		l.masters = append(l.masters, &masterQuery{UDPMaster: m, ownToken: packet.Token(rand.Uint32N(1 << 31)),
			masterToken: packet.NoToken, count: -1, servers: map[netip.AddrPort]bool{}})
	}
	return l
}

// step sends the requests that are due at time now in ns. It returns the time of the next call, and
// whether any work is left.
func (l *listRequester) step(now int64) (next int64, more bool) {
	next = now + int64(time.Second)
	for _, m := range l.masters {
		if !m.started {
			m.started, m.deadline, m.nextTry = true, now+int64(l.cfg.Timeout), now
		}
		if now >= m.deadline {
			continue
		}
		more = true
		if now >= m.nextTry {
			m.nextTry = now + int64(l.cfg.Retry)
			l.sendRequests(m)
		}
		next = min(next, m.deadline, m.nextTry)
	}
	return next, more
}

func (l *listRequester) sendRequests(m *masterQuery) {
	switch {
	case m.Version == query.Version6:
		l.send(m.Peer, []byte(query.Header6+tagAskCount))
		l.send(m.Peer, []byte(query.Header6+tagAskList))
	case m.masterToken == packet.NoToken:
		l.send(m.Peer, packet.AppendTokenRequest(nil, m.ownToken))
	default:
		l.send(m.Peer, packet.AppendConnless(nil, m.masterToken, m.ownToken, []byte(tagAskCount)))
		l.send(m.Peer, packet.AppendConnless(nil, m.masterToken, m.ownToken, []byte(tagAskList)))
	}
}

// feed handles a datagram.
func (l *listRequester) feed(now int64, from transport.Peer, b []byte) {
	kind, _ := packet.Classify(b)
	for _, m := range l.masters {
		if m.Peer != from || now >= m.deadline {
			continue
		}
		switch {
		case kind == packet.KindConnless6 && m.Version == query.Version6:
			l.handlePayload(now, m, b[len(query.Header6):])
		case kind == packet.KindConnless7 && m.Version == query.Version7:
			var p packet.Packet
			if p.ParseHeader(b) == nil && p.Token == m.ownToken {
				l.handlePayload(now, m, p.Payload)
			}
		case kind == packet.KindControl7 && m.Version == query.Version7 && m.masterToken == packet.NoToken:
			var p packet.Packet
			var scratch packet.Scratch
			if p.Parse(b, &scratch) == nil && p.Token == m.ownToken && p.ControlID() == packet.ControlToken && p.ResponseToken != packet.NoToken {
				m.masterToken = p.ResponseToken
				l.sendRequests(m)
			}
		}
	}
}

func (l *listRequester) handlePayload(now int64, m *masterQuery, payload []byte) {
	if len(payload) < 8 {
		return
	}
	tag, rest := string(payload[:8]), payload[8:]
	switch {
	case tag == tagCount && len(rest) >= 2:
		m.count = int(binary.BigEndian.Uint16(rest))
	case tag == tagList:
		m.deadline = max(min(m.deadline, now+int64(l.cfg.SettleTime)), now+1)
		for ; len(rest) >= 18 && len(l.addrs) < MaxServers; rest = rest[18:] {
			peer := transport.Unmap(transport.UDPPeer(netip.AddrFrom16([16]byte(rest[:16])), binary.BigEndian.Uint16(rest[16:])))
			if ip := peer.Addr(); peer.Port() == 0 || ip.IsUnspecified() || ip.IsMulticast() {
				continue
			}
			m.servers[peer.AddrPort] = true
			if transport.IsLAN(peer.Addr()) && !transport.IsLAN(m.Peer.Addr()) {
				continue
			}
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
	m.deadline = now
	for _, other := range l.masters {
		// A port is rarely a master of both versions.
		if other.Peer == m.Peer && other.masterToken == packet.NoToken && len(other.servers) == 0 {
			other.deadline = min(other.deadline, now+int64(l.cfg.SettleTime))
		}
	}
}

// result returns ErrNoAnswer if no master answered.
func (l *listRequester) result() error {
	if slices.ContainsFunc(l.masters, func(m *masterQuery) bool { return m.count >= 0 || len(m.servers) > 0 }) {
		return nil
	}
	return ErrNoAnswer
}
