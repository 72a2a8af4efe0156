// Package hostile attacks clients in tests. A [Middle] stands between a client and an honest
// server. It damages datagrams, messages and snapshots, and invents others. It has a connection to
// each side, so its messages are framed, compressed and numbered correctly, and reach the code
// behind the connection.
package hostile

import (
	"bytes"
	"math/rand/v2"
	"net/netip"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Message is a message of either version.
type Message interface {
	Append(dst []byte) []byte
}

// Config configures a Middle. ToClient and ToServer are required.
type Config struct {
	// V6 means the protocol of 0.6 and DDNet.
	V6 bool
	// ToClient and ToServer send datagrams, which are valid until the functions return.
	ToClient, ToServer func(b []byte)
	Rand               *rand.Rand
	// Datagrams, Messages and Snapshots are the shares of what the server sends that is damaged,
	// from 0 to 1.
	Datagrams, Messages, Snapshots float64
	// Attack is called with the number of each tick, 50 a second, once the client has snapshots.
	Attack func(m *Middle, n int)
}

// Middle is one connection of a client to a server, and what is between them.
type Middle struct {
	Config
	client, server end
	tokens         *conn.TokenIssuer
	scratch        packet.Scratch
	now            conn.Time
	nextTick       conn.Time
	ticks          int
	early          [][]byte // messages of the client for which the server's connection is not ready
	held           []byte   // a datagram that a later one overtakes
	snapshots      snapshots
}

// end is one of the connections.
type end struct {
	conn.Conn
	receive func(payload []byte, vital bool)
}

// Chunk implements conn.Handler.
func (e *end) Chunk(payload []byte, vital bool) { e.receive(payload, vital) }

// clientAddr is the address that tokens are for.
var clientAddr = netip.MustParseAddr("192.0.2.1")

// New returns a Middle without connections.
func New(cfg Config) *Middle {
	m := &Middle{Config: cfg, snapshots: newSnapshots(cfg.V6)}
	var err error
	if m.tokens, err = conn.NewTokenIssuer(bytes.NewReader(make([]byte, 24))); err != nil {
		panic(err) // the reader has enough bytes
	}
	for e, send := range map[*end]func([]byte){&m.client: m.damageDatagram, &m.server: cfg.ToServer} {
		if err := e.Init(conn.Config{Send: send, ResendBuffer: 1 << 20}); err != nil {
			panic(err) // the configuration is valid
		}
	}
	m.client.receive = m.fromClient
	m.server.receive = m.fromServer
	return m
}

// FromClient processes a datagram of the client, whose first one begins the connections.
func (m *Middle) FromClient(now conn.Time, b []byte) {
	m.now = now
	if m.client.State() == conn.StateOffline {
		m.accept(b)
	} else {
		m.client.Feed(now, b, &m.client)
		m.server.Flush(now)
	}
	if m.client.State() == conn.StateError {
		m.server.Close(now, "")
	}
}

// fromClient passes a message of the client to the server.
func (m *Middle) fromClient(payload []byte, vital bool) {
	if m.server.State() != conn.StateOnline {
		m.early = append(m.early, bytes.Clone(payload))
		return
	}
	m.server.Queue(m.now, payload, vital)
}

// accept answers the handshake of the client, and begins the one with the server.
func (m *Middle) accept(b []byte) {
	if m.V6 {
		if m.client.Accept6(m.now, conn.HandshakePlain, packet.NoToken) == nil {
			m.server.Dial6(m.now, conn.HandshakeTKEN, 0)
		}
		return
	}
	var p packet.Packet
	if p.Parse(b, &m.scratch) != nil {
		return
	}
	switch action, _ := m.tokens.Inspect(m.now, clientAddr, &p); action {
	case conn.ActionReplyToken:
		m.ToClient(packet.AppendTokenReply(nil, p.ResponseToken, m.tokens.Token(m.now, clientAddr)))
	case conn.ActionAccept:
		if m.client.Accept(m.now, p.Token, p.ResponseToken) == nil {
			m.server.Dial(m.now, 0x22222222)
		}
	}
}

// FromServer processes a datagram of the server.
func (m *Middle) FromServer(now conn.Time, b []byte) {
	m.now = now
	m.server.Feed(now, b, &m.server)
	if m.server.State() == conn.StateOnline && len(m.early) > 0 {
		for _, payload := range m.early {
			m.server.Queue(now, payload, true)
		}
		m.early = nil
		m.server.Flush(now)
	}
	m.client.Flush(now)
	m.passEnd()
}

// passEnd ends the connection to the client when the server has ended its own.
func (m *Middle) passEnd() {
	if m.server.State() == conn.StateError && m.client.State() == conn.StateOnline {
		m.client.Close(m.now, m.server.Reason())
	}
}

// Update does what is due. Call it at least once per tick.
func (m *Middle) Update(now conn.Time) {
	m.now = now
	m.client.Update(now)
	m.server.Update(now)
	m.passEnd()
	if now < m.nextTick || !m.snapshots.any || m.client.State() != conn.StateOnline {
		return
	}
	m.nextTick = now.Add(tickTime)
	if m.Attack != nil {
		m.Attack(m, m.ticks)
		m.client.Flush(now)
	}
	m.ticks++
}

const tickTime = 20e6 // ns

// Send sends vital messages to the client.
func (m *Middle) Send(messages ...Message) {
	for _, msg := range messages {
		m.SendRaw(msg.Append(nil), true)
	}
}

// SendRaw sends a payload to the client, unless too much waits already.
func (m *Middle) SendRaw(payload []byte, vital bool) {
	if n, _ := m.client.Unacked(); m.client.State() == conn.StateOnline && (!vital || n < 400) {
		m.client.Queue(m.now, payload, vital)
	}
}

// fromServer passes a message of the server to the client, or what becomes of it.
func (m *Middle) fromServer(payload []byte, vital bool) {
	if h, part, data, ok := readPart(m.V6, payload); ok {
		if changed, ok := m.snapshots.add(h, part, data); ok {
			if m.Rand.Float64() < m.Snapshots {
				m.snapshots.damage(m.Rand, changed)
			}
			m.SendSnapshot(h.Tick, changed)
		}
		return
	}
	if m.Rand.Float64() >= m.Messages {
		m.SendRaw(payload, vital)
		return
	}
	// The message itself follows, so that the client comes into the match.
	m.SendRaw(damage(m.Rand, payload), vital)
	m.SendRaw(payload, vital)
}

// SendSnapshot sends a snapshot that has no base.
func (m *Middle) SendSnapshot(tick int32, s *snapshot.Snapshot) {
	delta, _ := snapshot.AppendDelta(nil, nil, s, &m.snapshots.sizes)
	n := snapshot.PartCount(len(delta))
	for i := range n {
		m.SendRaw(writePart(m.V6, tick, s.CRC(), n, i, snapshot.Part(delta, i)), false)
	}
}

// damageDatagram sends a datagram to the client, or what becomes of it.
func (m *Middle) damageDatagram(b []byte) {
	if m.Rand.Float64() >= m.Datagrams {
		m.ToClient(b)
		return
	}
	switch m.Rand.IntN(7) {
	case 0: // lost
	case 1:
		m.ToClient(b)
		m.ToClient(b)
	case 2: // overtaken by a later one
		if len(m.held) > 0 {
			m.ToClient(m.held)
		}
		m.held = bytes.Clone(b)
	case 3: // a right header, and then anything
		bad := bytes.Clone(b)
		for i := min(7, len(bad)); i < len(bad); i++ {
			bad[i] = byte(m.Rand.Uint32())
		}
		m.ToClient(bad)
	default:
		if bad := damage(m.Rand, b); len(bad) > 0 {
			m.ToClient(bad)
		}
	}
}

// damage returns a damaged copy: changed bits, a part of it, or more bytes.
func damage(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	switch r.IntN(4) {
	case 0:
		return b[:r.IntN(len(b)+1)]
	case 1:
		for range r.IntN(8) {
			b = append(b, byte(r.Uint32()))
		}
		return b
	}
	for range 1 + r.IntN(4) {
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
	}
	return b
}

// readPart returns the content of a message with a part of a snapshot.
func readPart(v6 bool, payload []byte) (h snapshot.PartHeader, part int32, data []byte, ok bool) {
	var m Message
	var err error
	if payload = bytes.Clone(payload); v6 {
		m, err = new(msg6.Decoder).Decode(payload)
	} else {
		m, err = new(msg7.Decoder).Decode(payload)
	}
	if err != nil {
		return h, 0, nil, false
	}
	header := func(tick, delta, crc, parts int32) snapshot.PartHeader {
		return snapshot.PartHeader{Tick: tick, BaseTick: tick - delta, CRC: crc, Parts: parts}
	}
	switch m := m.(type) {
	case *msg6.Snap:
		return header(m.Tick, m.DeltaTick, m.CRC, m.Parts), m.Part, m.Data, true
	case *msg6.SnapSingle:
		return header(m.Tick, m.DeltaTick, m.CRC, 1), 0, m.Data, true
	case *msg6.SnapEmpty:
		return header(m.Tick, m.DeltaTick, 0, 1), 0, nil, true
	case *msg7.Snap:
		return header(m.Tick, m.DeltaTick, m.CRC, m.Parts), m.Part, m.Data, true
	case *msg7.SnapSingle:
		return header(m.Tick, m.DeltaTick, m.CRC, 1), 0, m.Data, true
	case *msg7.SnapEmpty:
		return header(m.Tick, m.DeltaTick, 0, 1), 0, nil, true
	}
	return h, 0, nil, false
}

// writePart returns a message with a part of a snapshot that has no base.
func writePart(v6 bool, tick, crc int32, parts, part int, data []byte) []byte {
	n, i := int32(parts), int32(part)
	switch {
	case v6 && parts == 1:
		return (&msg6.SnapSingle{Tick: tick, DeltaTick: tick + 1, CRC: crc, Data: data}).Append(nil)
	case v6:
		return (&msg6.Snap{Tick: tick, DeltaTick: tick + 1, CRC: crc, Parts: n, Part: i, Data: data}).Append(nil)
	case parts == 1:
		return (&msg7.SnapSingle{Tick: tick, DeltaTick: tick + 1, CRC: crc, Data: data}).Append(nil)
	}
	return (&msg7.Snap{Tick: tick, DeltaTick: tick + 1, CRC: crc, Parts: n, Part: i, Data: data}).Append(nil)
}
