package conn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"pgregory.net/rapid"
)

// listener is a server with one connection. listener answers the datagrams that come before the
// connection.
type listener struct {
	*peer
	tokens    *TokenIssuer
	from      netip.AddrPort
	challenge bool // challenge clients without a token instead of trusting them
	accepted  int
	scratch   packet.Scratch
}

func newListener(t testing.TB, from netip.AddrPort) *listener {
	tokens, err := NewTokenIssuer(nil)
	must(t, err)
	return &listener{peer: newPeer(t, 0), tokens: tokens, from: from}
}

// handle handles a datagram from the client.
func (l *listener) handle(now Time, b []byte) {
	if l.State() != StateOffline {
		l.Feed(now, b, l.peer)
		return
	}
	if kind, _ := packet.Classify(b); kind == packet.KindControl7 {
		var p packet.Packet
		if p.Parse(b, &l.scratch) != nil {
			return
		}
		switch action, _ := l.tokens.Inspect(now, l.from.Addr(), &p); action {
		case ActionReplyToken:
			l.send(packet.AppendTokenReply(nil, p.ResponseToken, l.tokens.Token(now, l.from.Addr())))
		case ActionAccept:
			l.accepted++
			if l.Accept(now, p.Token, p.ResponseToken) != nil {
				panic("not accepted")
			}
		}
		return
	}
	scratch := &l.scratch
	if !l.challenge {
		scratch = nil
	}
	i := l.tokens.Inspect6(now, l.from, b, scratch)
	switch {
	case i.Action == ActionReplyToken:
		l.send(i.AppendReply(nil))
	case i.Action == ActionChallenge && l.challenge:
		l.send(packet.AppendAccept6(nil, packet.PlacedToken{}, 0))
		l.send(l.tokens.AppendChallenge(nil, now, l.from))
	case i.Action == ActionChallenge, i.Action == ActionAccept:
		if l.Accept6(now, i.Handshake, i.Token) != nil {
			panic("not accepted")
		}
		l.accepted++
		if i.Handshake == HandshakeHeaderToken {
			l.Feed(now, b, l.peer)
		}
	}
}

// answerChallenge answers a challenge as a client that understands the messages, and removes the
// challenge from the received payloads. answerChallenge returns false until the challenge has
// arrived.
func (p *peer) answerChallenge(now Time) bool {
	if len(p.got) < 6 {
		return false
	}
	var u packer.Unpacker
	u.Reset([]byte(p.got[5]))
	if u.Int() != sys6SnapEmpty {
		return false
	}
	p.Queue(now, input6(u.Int()), false)
	p.Flush(now)
	p.got = p.got[6:]
	return true
}

// input6 returns an INPUT of 0.6 that acks a tick.
func input6(tick int32) []byte {
	b := packer.AppendInt(nil, sys6Input)
	return packer.AppendInts(b, []int32{tick, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
}

// session is a client and a server on a simulated network.
type session struct {
	net                    *netsim.Net
	client                 *peer
	server                 *listener
	clientPeer, serverPeer transport.Peer
}

func newSession(t rapid.TB, seed uint64, link netsim.Link) *session {
	net, err := netsim.New(netsim.Config{Seed: seed, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := NewTokenIssuer(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{
		net: net, client: new(peer),
		clientPeer: transport.MustParsePeer("192.0.2.9:4000"), serverPeer: transport.MustParsePeer("192.0.2.1:8303"),
	}
	s.server = &listener{peer: new(peer), tokens: tokens, from: s.clientPeer.AddrPort}
	s.client.Init(Config{Send: func(b []byte) { net.Send(s.clientPeer, s.serverPeer, b) }})
	s.server.Init(Config{
		Send: func(b []byte) { net.Send(s.serverPeer, s.clientPeer, b) },
		// As transport.Padder may do.
		SendCompressed: func(b []byte) {
			padding := min(len(b)/4, packet.MaxDatagram-len(b))
			net.Send(s.serverPeer, s.clientPeer, append(bytes.Clone(b), make([]byte, padding)...))
		},
	})
	net.Handle(s.clientPeer, func(now int64, _ transport.Peer, b []byte) { s.client.Feed(Time(now), b, s.client) })
	net.Handle(s.serverPeer, func(now int64, _ transport.Peer, b []byte) { s.server.handle(Time(now), b) })
	return s
}

func (s *session) setLink(t rapid.TB, link netsim.Link) {
	if s.net.SetLink(s.clientPeer.Addr(), s.serverPeer.Addr(), link) != nil || s.net.SetLink(s.serverPeer.Addr(), s.clientPeer.Addr(), link) != nil {
		t.Fatal("bad link")
	}
}

// step advances the time by 10 ms.
func (s *session) step(t rapid.TB) Time {
	s.net.Run(s.net.Now() + int64(10*time.Millisecond))
	now := Time(s.net.Now())
	for _, p := range []*peer{s.client, s.server.peer} {
		p.Update(now)
		if p.State() == StateError {
			t.Fatalf("%v at %v: %q", p.State(), now.Sub(0), p.Reason())
		}
	}
	return now
}

// join brings both sides online and delivers a first chunk each way.
func (s *session) join(t rapid.TB, v variant) {
	now := Time(s.net.Now())
	dialled := v.handshake
	challenged := dialled == HandshakeChallenged
	if challenged {
		s.server.challenge, dialled = true, HandshakePlain
	}
	var err error
	if v.version == V7 {
		err = s.client.Dial(now, clientToken)
	} else {
		err = s.client.Dial6(now, dialled, clientToken)
	}
	if err != nil {
		t.Fatal(err)
	}
	clientSent, serverSent := false, false
	for limit := 0; len(s.server.got) == 0 || len(s.client.got) == 0 || challenged && (s.client.got[0] != "welcome" || !s.client.unacked.isEmpty()); limit++ {
		if limit == 3000 {
			t.Fatalf("client %v, server %v", s.client.State(), s.server.State())
		}
		now = s.step(t)
		if s.client.State() == StateOnline && !clientSent && (!challenged || s.client.answerChallenge(now)) {
			clientSent = true
			// The first chunk of a challenged client sets its sequence number, so it must arrive
			// before the next one is sent.
			s.client.Queue(now, []byte("hello"), true)
			s.client.Flush(now)
		}
		if s.server.State() == StateOnline && !serverSent {
			serverSent = true
			s.server.Queue(now, []byte("welcome"), true)
			s.server.Flush(now)
		}
	}
	if s.server.accepted != 1 || s.server.Version() != v.version || s.server.Handshake() != v.handshake || s.client.Handshake() != dialled {
		t.Fatalf("%d accepted, %v and %v, want %v", s.server.accepted, s.server.Handshake(), s.client.Handshake(), v)
	}
	if s.client.v6.token != s.server.v6.token || s.client.Token() != s.server.PeerToken() || s.server.Token() != s.client.PeerToken() {
		t.Fatalf("%+v and %+v", s.client.v6.token, s.server.v6.token)
	}
	s.client.got, s.server.got = nil, nil
}

// startAt sets the sequence numbers of both sides while no datagrams are on their way.
func (s *session) startAt(seq int) {
	for _, p := range []*peer{s.client, s.server.peer} {
		p.reliability.reset()
	}
	s.net.Run(s.net.Now() + int64(time.Second))
	for _, p := range []*peer{s.client, s.server.peer} {
		p.startAt(seq)
		p.recvSeq, p.peerAck = seq, seq
		p.got = nil
	}
}

// stream sends n vital payloads each way and checks that they arrive once and in order.
func (s *session) stream(t rapid.TB, n int, random func() uint64) {
	next := map[*peer]int{}
	payload := func(i int) []byte {
		text := make([]byte, 4+(i*37)%1000)
		binary.BigEndian.PutUint32(text, uint32(i))
		return text
	}
	peers := []*peer{s.client, s.server.peer}
	for limit := 0; len(s.client.got) < n || len(s.server.got) < n; limit++ {
		if limit == 200000 {
			t.Fatalf("stuck at %d and %d of %d", len(s.client.got), len(s.server.got), n)
		}
		now := s.step(t)
		for _, p := range peers {
			for range random() % 4 {
				if i := next[p]; i < n && p.FreeResendBuffer() >= 1023 {
					if err := p.Queue(now, payload(i), true); err != nil {
						t.Fatal(err)
					}
					next[p]++
				}
			}
			if random()%2 == 0 {
				p.Flush(now)
			}
		}
	}
	for _, p := range peers {
		if len(p.got) != n {
			t.Fatalf("%d payloads arrived, want %d", len(p.got), n)
		}
		for i, text := range p.got {
			if text != string(payload(i)) {
				t.Fatalf("payload %d is not the right one", i)
			}
		}
		p.got = nil
	}
}

var challenged = variant{V6, HandshakeChallenged}

// TestStream joins over a network that loses, duplicates and reorders packets, and then streams
// over a worse network.
func TestStream(t *testing.T) {
	for _, v := range append(variants, challenged) {
		t.Run(v.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				seed := rapid.Uint64().Draw(t, "seed")
				delay := time.Duration(rapid.IntRange(0, 200).Draw(t, "delay")) * time.Millisecond
				duplicate := float64(rapid.IntRange(0, 30).Draw(t, "duplicates")) / 100
				link := netsim.Link{Loss: 0.05, Duplicate: duplicate, Jitter: delay}
				if v == challenged {
					// A challenge is sent only once, and the client's first chunks are not resent.
					link = netsim.Link{Delay: delay, Duplicate: duplicate, InOrder: true}
				}
				s := newSession(t, seed, link)
				s.join(t, v)
				if start := rapid.SampledFrom([]int{0, 500, 1000, 1020}).Draw(t, "start"); start > 0 {
					s.startAt(start)
				}
				// With more loss, connections with much data to send time out.
				s.setLink(t, netsim.Link{Loss: float64(rapid.IntRange(0, 15).Draw(t, "loss")) / 100, Duplicate: duplicate, Jitter: delay})
				s.stream(t, rapid.IntRange(1, 100).Draw(t, "payloads"), splitmix(seed))
				if s.server.Rejoined() {
					t.Fatal("duplicates made the client rejoin")
				}
			})
		})
	}
}

// TestLongStream sends enough chunks for the sequence numbers to wrap around.
func TestLongStream(t *testing.T) {
	for _, v := range []variant{variants[0], variants[1], challenged} {
		t.Run(v.String(), func(t *testing.T) {
			s := newSession(t, uint64(v.handshake), netsim.Link{Delay: 20 * time.Millisecond})
			s.join(t, v)
			s.setLink(t, netsim.Link{Loss: 0.05, Duplicate: 0.05, Jitter: 40 * time.Millisecond})
			s.stream(t, 1100, splitmix(uint64(v.handshake)))
		})
	}
}

// TestRejoin checks a client that has lost its connection and joins again from the same address
// while the server still has the old connection.
func TestRejoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		s := newSession(t, seed, netsim.Link{
			Loss:      0.05,
			Duplicate: float64(rapid.IntRange(0, 30).Draw(t, "duplicates")) / 100,
			Jitter:    time.Duration(rapid.IntRange(0, 100).Draw(t, "delay")) * time.Millisecond,
		})
		s.join(t, variants[1])
		s.stream(t, rapid.IntRange(1, 20).Draw(t, "payloads"), splitmix(seed))
		s.client.Reset()
		for range rapid.IntRange(20, 300).Draw(t, "pause") {
			s.step(t)
		}
		if s.server.Rejoined() {
			t.Fatal("rejoined by itself")
		}
		generation := s.server.generation
		s.client.got, s.server.got = nil, nil
		if err := s.client.Dial6(Time(s.net.Now()), HandshakeTKEN, 0); err != nil {
			t.Fatal(err)
		}
		for limit := 0; !s.server.Rejoined(); limit++ {
			if limit == 2000 {
				t.Fatalf("not rejoined; client %v", s.client.State())
			}
			s.step(t)
		}
		if s.server.generation == generation || s.server.Rejoined() || s.server.State() != StateOnline || s.server.accepted != 1 {
			t.Fatalf("%v, %d accepted", s.server.State(), s.server.accepted)
		}
		if n, _ := s.server.Unacked(); n != 0 {
			t.Fatalf("%d chunks of the old connection wait", n)
		}
		s.stream(t, 30, splitmix(seed))
	})
}

func ExampleConn_Dial6() {
	var now Time
	server := netip.MustParseAddrPort("192.0.2.1:8303")
	c, err := New(Config{Send: func(b []byte) { fmt.Printf("to %v: %q\n", server, b) }})
	if err != nil {
		panic(err)
	}
	c.Dial6(now, HandshakeTKEN, 0)
	fmt.Println(c.Version(), c.State())
	c.Feed(now, []byte("\x10\x00\x00\x02TKEN\x23\xfb\x48\x79"), nil)
	fmt.Println(c.State(), c.Handshake())
	// Output:
	// to 192.0.2.1:8303: "\x10\x00\x00\x01TKEN\xff\xff\xff\xff"
	// 0.6 connect
	// to 192.0.2.1:8303: "\x10\x00\x00\x03#\xfbHy"
	// online TKEN
}
