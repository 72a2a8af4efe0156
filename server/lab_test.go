package server

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// lab is a server whose clients are puppets: no network between them, and every
// byte under control.
type lab struct {
	tb  testing.TB
	srv *Server
	now conn.Time
	log strings.Builder
	// out takes what the server sends.
	out     func(to transport.Peer, b []byte)
	puppets map[transport.Peer]*puppet
	sent    int // bytes
	packets int
}

// The lab is the server's transport.

func (l *lab) Now() int64                                         { return int64(l.now) }
func (l *lab) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, transport.ErrClosed }
func (l *lab) Send(to transport.Peer, b []byte)                   { l.sent += len(b); l.packets++; l.out(to, b) }
func (l *lab) Flush() error                                       { return nil }
func (l *lab) Wake()                                              {}
func (l *lab) LocalAddr() transport.Peer                          { return netip.MustParseAddrPort("10.0.0.1:8303") }
func (l *lab) Stats() transport.Stats                             { return transport.Stats{} }
func (l *lab) Close() error                                       { return nil }

// labConfig is what most labs run with.
const labConfig = "sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_rcon_password adminpw; console_output_level 0; sv_register_url \"\"; sv_register_udp \"\""

func newLab(tb testing.TB, files fs.FS, commands ...string) *lab {
	tb.Helper()
	l := &lab{tb: tb, now: conn.Time(time.Hour), puppets: map[transport.Peer]*puppet{}}
	l.out = func(to transport.Peer, b []byte) {
		if p := l.puppets[to]; p != nil {
			p.receive(b)
		}
	}
	var err error
	l.srv, err = New(Config{
		Transport: l, Seed: 1, Files: files,
		Commands: append([]string{labConfig}, commands...),
		Log:      slog.New(rawLog{&l.log}),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// rawLog writes lines as they are, where real handlers may escape them.
type rawLog struct{ to *strings.Builder }

func (rawLog) Enabled(context.Context, slog.Level) bool { return true }
func (h rawLog) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h rawLog) WithGroup(string) slog.Handler          { return h }

func (h rawLog) Handle(_ context.Context, r slog.Record) error {
	system := ""
	r.Attrs(func(a slog.Attr) bool { system = a.Value.String(); return false })
	fmt.Fprintf(h.to, "[%s]: %s\n", system, r.Message)
	return nil
}

// step lets n ticks pass.
func (l *lab) step(n int) {
	for range n {
		l.now = l.now.Add(tickDuration)
		l.srv.Advance(l.now)
	}
}

// feed gives the server a datagram, with its own copy of the bytes.
func (l *lab) feed(from transport.Peer, b []byte) { l.srv.Feed(l.now, from, bytes.Clone(b)) }

// ip makes a peer of an address that is no loopback.
func ip(n int) transport.Peer {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 5000)
}

// local makes a peer on loopback, where nothing is banned.
func local(port int) transport.Peer {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// puppet is a client that does what it is told, however wrong.
type puppet struct {
	l          *lab
	peer       transport.Peer
	own, token packet.Token
	seq, ack   int
	snapTick   int32
	accepted   bool
	closed     bool
	reason     string // of CLOSE
	deaf       bool   // acknowledges nothing any more
	scratch    packet.Scratch
	decoder    msg7.Decoder
	buf, msg   []byte
	payload    []byte
	ids        map[msg7.ID]int
	lines      []string // rcon
	chat       []string
	onMessage  func(m msg7.Message)
	resends    int
	taken      int // the last of our vital chunks that the server had taken
}

// puppet makes a client that has asked for a token.
func (l *lab) puppet(peer transport.Peer) *puppet {
	p := &puppet{l: l, peer: peer, own: 0x01020304, token: packet.NoToken, ids: map[msg7.ID]int{}, snapTick: -1}
	l.puppets[peer] = p
	l.feed(peer, packet.AppendTokenRequest(nil, p.own))
	return p
}

// connect asks for a seat.
func (p *puppet) connect() *puppet {
	p.l.feed(p.peer, packet.AppendConnect(nil, p.token, p.own))
	return p
}

func (p *puppet) receive(b []byte) {
	var k packet.Packet
	if err := k.Parse(b, &p.scratch); err != nil {
		p.l.tb.Errorf("the server sent %x: %v", b, err)
		return
	}
	if k.Flags&packet.FlagConnless != 0 {
		return
	}
	p.taken = k.Ack
	if k.Flags&packet.FlagResend != 0 {
		p.resends++
	}
	if k.Flags&packet.FlagControl != 0 {
		switch k.ControlID() {
		case packet.ControlToken:
			p.token = k.ResponseToken
		case packet.ControlAccept:
			p.accepted = true
		case packet.ControlClose:
			p.closed, p.reason = true, string(k.AppendReason(nil))
		}
		return
	}
	var chunk packet.Chunk
	for it := k.Chunks(); it.Next(&chunk); {
		if chunk.Flags&packet.ChunkVital != 0 && !p.deaf {
			if chunk.Seq != (p.ack+1)&packet.SeqMask {
				continue
			}
			p.ack = chunk.Seq
		}
		m, err := p.decoder.Decode(chunk.Data)
		if err != nil {
			p.l.tb.Errorf("the server sent %x: %v", chunk.Data, err)
			continue
		}
		p.ids[m.ID()]++
		switch m := m.(type) {
		case *msg7.SnapSingle:
			p.snapTick = m.Tick
		case *msg7.Snap:
			p.snapTick = m.Tick
		case *msg7.SnapEmpty:
			p.snapTick = m.Tick
		case *msg7.RconLine:
			p.lines = append(p.lines, string(m.Line))
		case *msg7.SvChat:
			p.chat = append(p.chat, string(m.Message))
		}
		if p.onMessage != nil {
			p.onMessage(m)
		}
	}
}

// packet makes a datagram of messages, all vital or none.
func (p *puppet) packet(flags packet.Flags, vital bool, ms ...msg7.Message) []byte {
	p.payload = p.payload[:0]
	for _, m := range ms {
		p.msg = m.Append(p.msg[:0])
		if vital {
			p.seq = (p.seq + 1) & packet.SeqMask
			p.payload = packet.AppendChunk(p.payload, packet.ChunkVital, p.seq, p.msg)
		} else {
			p.payload = packet.AppendChunk(p.payload, 0, 0, p.msg)
		}
	}
	p.buf = packet.AppendPacket(p.buf[:0], flags, p.ack, len(ms), p.token, p.payload)
	return p.buf
}

// vital sends messages in vital chunks of one datagram.
func (p *puppet) vital(ms ...msg7.Message) { p.l.srv.Feed(p.l.now, p.peer, p.packet(0, true, ms...)) }

// loose sends messages in chunks that are not vital.
func (p *puppet) loose(ms ...msg7.Message) { p.l.srv.Feed(p.l.now, p.peer, p.packet(0, false, ms...)) }

// alive says nothing but that it is there.
func (p *puppet) alive() {
	p.l.feed(p.peer, packet.AppendControl(nil, p.ack, p.token, packet.ControlKeepAlive))
}

// The steps on the way into the game.

func (p *puppet) info() *puppet {
	p.vital(&msg7.Info{NetVersion: []byte(msg7.NetVersion), ClientVersion: msg7.ClientVersion})
	return p
}

func (p *puppet) ready() *puppet {
	p.vital(&msg7.Ready{})
	return p
}

func (p *puppet) profile(name string) *puppet {
	p.vital(&msg7.ClStartInfo{Name: []byte(name), Clan: []byte("lab")})
	return p
}

func (p *puppet) enter() *puppet {
	p.vital(&msg7.EnterGame{})
	return p
}

// play brings a client all the way in.
func (l *lab) play(peer transport.Peer, name string) *puppet {
	l.tb.Helper()
	p := l.puppet(peer).connect().info().ready().profile(name).enter()
	l.step(2)
	if c := l.srv.sessionByPeer[peer]; c == nil || c.state != stateInGame {
		l.tb.Fatalf("%s did not get in: %q, drops %v", name, p.reason, l.srv.Drops())
	}
	return p
}

// session is the server's side of a puppet; nil if it has none.
func (p *puppet) session() *session { return p.l.srv.sessionByPeer[p.peer] }

// hold sends an input for the next tick, which also keeps the connection.
func (p *puppet) hold(in msg7.PlayerInput) {
	m := msg7.Input{AckTick: p.snapTick, IntendedTick: p.l.srv.clock.tick + 1}
	m.SetPlayer(&in)
	p.loose(&m)
}

// ask is a browser's question; it returns the datagram that answers it.
func (l *lab) ask(peer transport.Peer, token int32) []byte {
	var answer []byte
	before := l.out
	l.out = func(to transport.Peer, b []byte) {
		if to == peer {
			answer = bytes.Clone(b)
		}
	}
	defer func() { l.out = before }()
	l.feed(peer, packet.AppendTokenRequest(nil, 0x0a0b0c0d))
	var p packet.Packet
	var scratch packet.Scratch
	if p.Parse(answer, &scratch) != nil {
		return nil
	}
	answer = nil
	l.feed(peer, packet.AppendConnless(nil, p.ResponseToken, 0x0a0b0c0d, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), token)))
	return answer
}

// netipPort is a peer's address with another port.
func netipPort(p transport.Peer, port int) transport.Peer {
	return netip.AddrPortFrom(p.Addr(), uint16(port))
}

// peer6 makes peers of one IPv6 network.
func peer6(n int) transport.Peer {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8, 14: byte(n >> 8), 15: byte(n)}
	return netip.AddrPortFrom(netip.AddrFrom16(a), 5000)
}

// mapPiece is how many bytes of the map a 0.7 client gets at once.
const mapPiece = 1384
