package master

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Default ports of UDP masters.
const (
	Port6 = 8300
	Port7 = 8283
)

// Tags of the payloads from and to UDP masters.
const (
	tagAskCount   = "\xff\xff\xff\xffcou2"
	tagCount      = "\xff\xff\xff\xffsiz2"
	tagHeartbeat  = "\xff\xff\xff\xffbea2"
	tagProbe      = "\xff\xff\xff\xfffw??"
	tagProbeReply = "\xff\xff\xff\xfffw!!"
	tagAccepted   = "\xff\xff\xff\xfffwok"
	tagRefused    = "\xff\xff\xff\xfffwer"
)

// The intervals and timeouts of registering with a UDP master.
const (
	countInterval        = int64(time.Second)
	countTimeout         = int64(3 * time.Second)
	heartbeatInterval    = int64(15 * time.Second)
	masterTimeout        = int64(60 * time.Second)
	retryDelay           = int64(60 * time.Second)
	maxHeartbeats        = 120 // after that, choose the master with the fewest servers again
	tokenLifetime        = int64(16 * time.Second)
	queueTimeout         = int64(5 * time.Second)
	tokenRequestInterval = int64(2 * time.Second)
)

type announceState uint8

const (
	stateStart announceState = iota
	stateResolving
	stateCounting
	stateAnnouncing
	statePausing
)

// udpAnnouncer registers a server with the UDP masters of one version.
type udpAnnouncer struct {
	cfg      *Config
	names    []string
	port     uint16
	version7 bool

	state      announceState
	masters    []udpMaster
	resolved   chan []udpMaster
	stateSince int64 // ns, when the state began; in stateAnnouncing, when the master last sent a datagram
	nextSend   int64 // ns, when to send the next datagram
	chosen     int   // index into masters
	heartbeats int
	listed     bool
	buf        []byte
	payload    []byte
	scratch    packet.Scratch
}

// udpMaster is the state of one master.
type udpMaster struct {
	name  string
	peer  transport.Peer
	count int // number of its servers, -1 if unknown

	token            packet.Token // 0.7: the master's token, valid until tokenExpires
	tokenExpires     int64
	queued           string // payload that waits for the token, until queueExpires
	queueExpires     int64
	lastTokenRequest int64 // ns
}

func (b *udpAnnouncer) version() string {
	if b.version7 {
		return query.Version7.String()
	}
	return query.Version6.String()
}

// step sends the datagrams that are due.
func (b *udpAnnouncer) step(now int64, r *Registrar) {
	switch b.state {
	case stateStart:
		b.resolve(now, r)
	case stateResolving:
		select {
		case b.masters = <-b.resolved:
			if len(b.masters) == 0 {
				b.fail(now, "no UDP master of "+b.version()+" could be resolved")
				return
			}
			b.state, b.stateSince, b.nextSend = stateCounting, now, now
		default:
		}
	case stateCounting:
		b.requestCounts(now)
	case stateAnnouncing:
		switch {
		case now-b.stateSince >= masterTimeout, b.heartbeats >= maxHeartbeats:
			b.listed = b.listed && now-b.stateSince < masterTimeout
			b.state = stateStart
		case now >= b.nextSend:
			b.payload = binary.BigEndian.AppendUint16(append(b.payload[:0], tagHeartbeat...), b.cfg.Port)
			b.send(now, &b.masters[b.chosen], string(b.payload))
			b.heartbeats++
			b.nextSend = now + heartbeatInterval
		}
	case statePausing:
		if now >= b.nextSend {
			b.state = stateStart
		}
	}
	if b.version7 {
		b.requestTokens(now)
	}
}

// resolve resolves the masters' addresses on another goroutine.
func (b *udpAnnouncer) resolve(now int64, r *Registrar) {
	b.state, b.stateSince = stateResolving, now
	found := make(chan []udpMaster, 1)
	b.resolved = found
	r.running.Go(func() {
		var masters []udpMaster
		for _, name := range b.names {
			ctx, cancel := context.WithTimeout(r.ctx, requestTimeout)
			peer, err := b.cfg.Resolve(ctx, name, b.port)
			cancel()
			if err == nil {
				masters = append(masters, udpMaster{name: name, peer: peer, count: -1})
			}
		}
		found <- masters
	})
}

// requestCounts requests the numbers of servers, and chooses the master with the fewest.
func (b *udpAnnouncer) requestCounts(now int64) {
	best, unknown := -1, 0
	for n, m := range b.masters {
		switch {
		case m.count < 0:
			unknown++
		case best < 0 || m.count < b.masters[best].count:
			best = n
		}
	}
	if unknown == 0 || now-b.stateSince >= countTimeout {
		if best < 0 {
			b.fail(now, "no UDP master of "+b.version()+" answers")
			return
		}
		b.chosen, b.state, b.stateSince, b.nextSend, b.heartbeats = best, stateAnnouncing, now, now, 0
		b.event(EventMasterChosen, "")
		return
	}
	if now >= b.nextSend {
		b.nextSend = now + countInterval
		for n := range b.masters {
			if m := &b.masters[n]; m.count < 0 {
				b.send(now, m, tagAskCount)
			}
		}
	}
}

// fail reports a failure and starts the wait before the next try.
func (b *udpAnnouncer) fail(now int64, text string) {
	b.state, b.nextSend, b.listed = statePausing, now+retryDelay, false
	b.event(EventFailed, text)
}

func (b *udpAnnouncer) event(kind EventKind, text string) {
	e := Event{Kind: kind, System: "register", Text: text}
	if b.chosen < len(b.masters) {
		e.Master = b.masters[b.chosen].name
	}
	b.cfg.OnEvent(e)
}

// send sends a payload to a master. In 0.7 the payload waits until the master's token is known.
func (b *udpAnnouncer) send(now int64, m *udpMaster, payload string) {
	if !b.version7 {
		b.buf = append(append(b.buf[:0], query.Header6...), payload...)
		b.cfg.Send(m.peer, b.buf)
		return
	}
	if now < m.tokenExpires {
		own := b.cfg.Tokens.Token(conn.Time(now), m.peer.Addr())
		b.buf = packet.AppendConnless(b.buf[:0], m.token, own, []byte(payload))
		b.cfg.Send(m.peer, b.buf)
		return
	}
	m.queued, m.queueExpires = payload, now+queueTimeout
	m.lastTokenRequest = now - tokenRequestInterval
	b.requestToken(now, m)
}

// requestTokens repeats token requests that were not answered.
func (b *udpAnnouncer) requestTokens(now int64) {
	for n := range b.masters {
		m := &b.masters[n]
		if m.queued != "" && now >= m.queueExpires {
			m.queued = ""
		}
		b.requestToken(now, m)
	}
}

func (b *udpAnnouncer) requestToken(now int64, m *udpMaster) {
	if m.queued != "" && now-m.lastTokenRequest >= tokenRequestInterval {
		m.lastTokenRequest = now
		b.buf = packet.AppendTokenRequest(b.buf[:0], b.cfg.Tokens.Token(conn.Time(now), m.peer.Addr()))
		b.cfg.Send(m.peer, b.buf)
	}
}

// handleTokenReply handles the answer to a token request.
func (b *udpAnnouncer) handleTokenReply(now int64, peer transport.Peer, p *packet.Packet) bool {
	for n := range b.masters {
		m := &b.masters[n]
		if m.peer != peer || m.queued == "" {
			continue
		}
		if p.ParsePayload(&b.scratch) != nil || p.ControlID() != packet.ControlToken || p.ResponseToken == packet.NoToken ||
			!b.cfg.Tokens.Valid(conn.Time(now), peer.Addr(), p.Token) {
			return false
		}
		m.token, m.tokenExpires = p.ResponseToken, now+tokenLifetime
		payload := m.queued
		m.queued = ""
		b.send(now, m, payload)
		return true
	}
	return false
}

// feed handles a payload from a master.
func (b *udpAnnouncer) feed(now int64, peer transport.Peer, p *packet.Packet, payload []byte) bool {
	var m *udpMaster
	for n := range b.masters {
		if b.masters[n].peer == peer || m == nil && b.masters[n].peer.Addr() == peer.Addr() {
			m = &b.masters[n]
		}
	}
	if m == nil {
		return false
	}
	switch tag := string(payload[:8]); tag {
	case tagCount:
		if m.peer != peer || len(payload) < 10 {
			return false
		}
		m.count = int(binary.BigEndian.Uint16(payload[8:]))
	case tagProbe:
		// Send the answer to the port that the probe came from. That port differs from the master's
		// port.
		if p == nil {
			b.buf = append(append(b.buf[:0], query.Header6...), tagProbeReply...)
		} else {
			own := b.cfg.Tokens.Token(conn.Time(now), peer.Addr())
			b.buf = packet.AppendConnless(b.buf[:0], p.ResponseToken, own, []byte(tagProbeReply))
		}
		b.cfg.Send(peer, b.buf)
	case tagAccepted:
		if b.state != stateAnnouncing {
			break
		}
		b.stateSince = now
		if p != nil && m.peer == peer {
			m.token, m.tokenExpires = p.ResponseToken, now+tokenLifetime
		}
		if !b.listed {
			b.listed = true
			b.event(EventRegistered, "")
		}
	case tagRefused:
		if b.state != stateAnnouncing {
			break
		}
		b.event(EventUnreachable, fmt.Sprintf("the master cannot reach UDP port %d", b.cfg.Port))
		b.state, b.nextSend, b.listed = statePausing, now+retryDelay, false
	default:
		return false
	}
	return true
}
