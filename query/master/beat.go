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

// Ports of UDP masters.
const (
	Port6 = 8300
	Port7 = 8283
)

// Payloads of UDP masters.
const (
	tagAskCount  = "\xff\xff\xff\xffcou2"
	tagCount     = "\xff\xff\xff\xffsiz2"
	tagBeat      = "\xff\xff\xff\xffbea2"
	tagProbe     = "\xff\xff\xff\xfffw??"
	tagProbeBack = "\xff\xff\xff\xfffw!!"
	tagAccepted  = "\xff\xff\xff\xfffwok"
	tagRefused   = "\xff\xff\xff\xfffwer"
)

// The rhythm of announcing to a UDP master.
const (
	askCountEvery = int64(time.Second)
	askCountFor   = int64(3 * time.Second)
	beatEvery     = int64(15 * time.Second)
	silenceLimit  = int64(60 * time.Second)
	errorPause    = int64(60 * time.Second)
	maxBeats      = 120 // then the least loaded master is looked for again
	tokenLife     = int64(16 * time.Second)
	queueLife     = int64(5 * time.Second)
	askTokenEvery = int64(2 * time.Second)
)

type beatState uint8

const (
	beatStart beatState = iota
	beatResolving
	beatCounting
	beatBeating
	beatPausing
)

// beater announces a server to the UDP masters of one version.
type beater struct {
	cfg   *Config
	names []string
	port  uint16
	seven bool

	state   beatState
	masters []udpMaster
	found   chan []udpMaster
	since   int64 // ns, of the state; of beatBeating, the last sign of the master
	next    int64 // ns, of the next datagram
	chosen  int   // index into masters
	beats   int
	listed  bool
	buf     []byte
	payload []byte
	scratch packet.Scratch
}

// udpMaster is a master.
type udpMaster struct {
	name  string
	peer  transport.Peer
	count int // servers it has, -1 if unknown

	token   packet.Token // 0.7: the master's, valid until expires
	expires int64
	queued  string // payload that waits for the token, until dropped
	dropped int64
	asked   int64 // when its token was asked for last
}

func newBeater(cfg *Config, names []string, port uint16, seven bool) *beater {
	return &beater{cfg: cfg, names: names, port: port, seven: seven}
}

func (b *beater) version() string {
	if b.seven {
		return query.Version7.String()
	}
	return query.Version6.String()
}

// step does what is due.
func (b *beater) step(now int64, r *Registrar) {
	switch b.state {
	case beatStart:
		b.resolve(now, r)
	case beatResolving:
		select {
		case b.masters = <-b.found:
			if len(b.masters) == 0 {
				b.fail(now, "no UDP master of "+b.version()+" has an address")
				return
			}
			b.state, b.since, b.next = beatCounting, now, now
		default:
		}
	case beatCounting:
		b.askCounts(now)
	case beatBeating:
		switch {
		case now-b.since >= silenceLimit, b.beats >= maxBeats:
			b.listed = b.listed && now-b.since < silenceLimit
			b.state = beatStart
		case now >= b.next:
			b.payload = binary.BigEndian.AppendUint16(append(b.payload[:0], tagBeat...), b.cfg.Port)
			b.send(now, &b.masters[b.chosen], string(b.payload))
			b.beats++
			b.next = now + beatEvery
		}
	case beatPausing:
		if now >= b.next {
			b.state = beatStart
		}
	}
	if b.seven {
		b.askTokens(now)
	}
}

// resolve finds the masters' addresses.
func (b *beater) resolve(now int64, r *Registrar) {
	b.state, b.since = beatResolving, now
	found := make(chan []udpMaster, 1)
	b.found = found
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

// askCounts looks for the master with the fewest servers.
func (b *beater) askCounts(now int64) {
	best, unknown := -1, 0
	for n, m := range b.masters {
		switch {
		case m.count < 0:
			unknown++
		case best < 0 || m.count < b.masters[best].count:
			best = n
		}
	}
	if unknown == 0 || now-b.since >= askCountFor {
		if best < 0 {
			b.fail(now, "no UDP master of "+b.version()+" answers")
			return
		}
		b.chosen, b.state, b.since, b.next, b.beats = best, beatBeating, now, now, 0
		b.event(Chosen, "")
		return
	}
	if now >= b.next {
		b.next = now + askCountEvery
		for n := range b.masters {
			if m := &b.masters[n]; m.count < 0 {
				b.send(now, m, tagAskCount)
			}
		}
	}
}

// fail waits before it begins anew.
func (b *beater) fail(now int64, text string) {
	b.state, b.next, b.listed = beatPausing, now+errorPause, false
	b.event(Failed, text)
}

func (b *beater) event(kind EventKind, text string) {
	e := Event{Kind: kind, System: "register", Text: text}
	if b.chosen < len(b.masters) {
		e.Master = b.masters[b.chosen].name
	}
	b.cfg.OnEvent(e)
}

// send sends a payload to a master. In 0.7 it may have to wait for a token.
func (b *beater) send(now int64, m *udpMaster, payload string) {
	if !b.seven {
		b.buf = append(append(b.buf[:0], query.Header6...), payload...)
		b.cfg.Send(m.peer, b.buf)
		return
	}
	if now < m.expires {
		own := b.cfg.Tokens.Token(conn.Time(now), m.peer.Addr())
		b.buf = packet.AppendConnless(b.buf[:0], m.token, own, []byte(payload))
		b.cfg.Send(m.peer, b.buf)
		return
	}
	m.queued, m.dropped = payload, now+queueLife
	m.asked = now - askTokenEvery
	b.askToken(now, m)
}

// askTokens repeats what was not answered.
func (b *beater) askTokens(now int64) {
	for n := range b.masters {
		m := &b.masters[n]
		if m.queued != "" && now >= m.dropped {
			m.queued = ""
		}
		b.askToken(now, m)
	}
}

func (b *beater) askToken(now int64, m *udpMaster) {
	if m.queued != "" && now-m.asked >= askTokenEvery {
		m.asked = now
		b.buf = packet.AppendTokenRequest(b.buf[:0], b.cfg.Tokens.Token(conn.Time(now), m.peer.Addr()))
		b.cfg.Send(m.peer, b.buf)
	}
}

// exchanged takes the answer to a token request.
func (b *beater) exchanged(now int64, peer transport.Peer, p *packet.Packet) bool {
	for n := range b.masters {
		m := &b.masters[n]
		if m.peer != peer || m.queued == "" {
			continue
		}
		if p.ParsePayload(&b.scratch) != nil || p.ControlID() != packet.ControlToken || p.ResponseToken == packet.NoToken ||
			!b.cfg.Tokens.Valid(conn.Time(now), peer.Addr(), p.Token) {
			return false
		}
		m.token, m.expires = p.ResponseToken, now+tokenLife
		payload := m.queued
		m.queued = ""
		b.send(now, m, payload)
		return true
	}
	return false
}

// feed takes a payload of a master.
func (b *beater) feed(now int64, peer transport.Peer, p *packet.Packet, payload []byte) bool {
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
		// It comes from another port, and the answer goes there.
		if p == nil {
			b.buf = append(append(b.buf[:0], query.Header6...), tagProbeBack...)
		} else {
			own := b.cfg.Tokens.Token(conn.Time(now), peer.Addr())
			b.buf = packet.AppendConnless(b.buf[:0], p.ResponseToken, own, []byte(tagProbeBack))
		}
		b.cfg.Send(peer, b.buf)
	case tagAccepted:
		if b.state != beatBeating {
			break
		}
		b.since = now
		if p != nil && m.peer == peer {
			m.token, m.expires = p.ResponseToken, now+tokenLife
		}
		if !b.listed {
			b.listed = true
			b.event(Registered, "")
		}
	case tagRefused:
		if b.state != beatBeating {
			break
		}
		b.event(Unreachable, fmt.Sprintf("the master cannot reach UDP port %d", b.cfg.Port))
		b.state, b.next, b.listed = beatPausing, now+errorPause, false
	default:
		return false
	}
	return true
}
