package conn

import (
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

// door is a server with one seat, and what it does with those who have none.
type door struct {
	*peer
	tokens    *TokenIssuer
	from      netip.AddrPort
	challenge bool // else clients without token are trusted
	admitted  int
	scratch   packet.Scratch
}

func newDoor(t testing.TB, from netip.AddrPort) *door {
	tokens, err := NewTokenIssuer(nil)
	must(t, err)
	return &door{peer: newPeer(t, 0), tokens: tokens, from: from}
}

func (d *door) take6(now Time, b []byte) {
	if d.State() != StateOffline {
		d.Feed(now, b, d.peer)
		return
	}
	scratch := &d.scratch
	if !d.challenge {
		scratch = nil
	}
	j := d.tokens.Inspect6(now, d.from, b, scratch)
	switch {
	case j.Action == ActionReplyToken:
		d.send(j.AppendReply(nil))
	case j.Action == ActionChallenge && d.challenge:
		d.send(packet.AppendAccept6(nil, packet.PlacedToken{}, 0))
		d.send(d.tokens.AppendChallenge(nil, now, d.from))
	case j.Action == ActionChallenge, j.Action == ActionAccept:
		if d.Accept6(now, j.Handshake, j.Token) != nil {
			panic("not accepted")
		}
		d.admitted++
		if j.Handshake == HandshakeHeaderToken {
			d.Feed(now, b, d.peer)
		}
	}
}

// challenged answers a challenge as a client does that speaks the messages, and takes
// the challenge away from what was received. It returns false until it has seen it.
func (p *peer) challenged(now Time) bool {
	for i, b := range p.got {
		var u packer.Unpacker
		u.Reset([]byte(b))
		if i == 5 && u.Int() == sys6SnapEmpty {
			input := packer.AppendInt(nil, sys6Input)
			input = packer.AppendInt(input, u.Int())
			for range 12 {
				input = packer.AppendInt(input, 0)
			}
			p.Queue(now, input, false)
			p.Flush(now)
			p.got = p.got[6:]
			return true
		}
	}
	return false
}

// stage is a client and a server on a bad network.
type stage struct {
	net          *netsim.Net
	client       *peer
	door         *door
	seat, public transport.Peer
}

func newStage(t rapid.TB, seed uint64, link netsim.Link) *stage {
	net, err := netsim.New(netsim.Config{Seed: seed, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := NewTokenIssuer(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{
		net: net, client: new(peer),
		seat: transport.MustParsePeer("192.0.2.9:4000"), public: transport.MustParsePeer("192.0.2.1:8303"),
	}
	s.door = &door{peer: new(peer), tokens: tokens, from: s.seat.AddrPort}
	s.client.Init(Config{Send: func(b []byte) { net.Send(s.seat, s.public, b) }})
	s.door.Init(Config{Send: func(b []byte) { net.Send(s.public, s.seat, b) }})
	net.Handle(s.seat, func(now int64, _ transport.Peer, b []byte) { s.client.Feed(Time(now), b, s.client) })
	net.Handle(s.public, func(now int64, _ transport.Peer, b []byte) { s.door.take6(Time(now), b) })
	return s
}

func (s *stage) quality(t rapid.TB, link netsim.Link) {
	if s.net.SetLink(s.seat.Addr(), s.public.Addr(), link) != nil || s.net.SetLink(s.public.Addr(), s.seat.Addr(), link) != nil {
		t.Fatal("bad link")
	}
}

// pass lets 10 ms pass, for the connections too.
func (s *stage) pass(t rapid.TB) Time {
	s.net.Run(s.net.Now() + int64(10*time.Millisecond))
	now := Time(s.net.Now())
	s.client.Update(now)
	s.door.Update(now)
	for _, p := range []*peer{s.client, s.door.peer} {
		if p.State() == StateError {
			t.Fatalf("%v at %v: %q", p.State(), now.Sub(0), p.Reason())
		}
	}
	return now
}

// join brings both ends online, with a first chunk each way.
func (s *stage) join(t rapid.TB, how Handshake) {
	dial := how
	if how == HandshakeChallenged {
		s.door.challenge, dial = true, HandshakePlain
	}
	now := Time(s.net.Now())
	if err := s.client.Dial6(now, dial, clientToken); err != nil {
		t.Fatal(err)
	}
	asked, told := false, false
	for limit := 0; len(s.door.got) == 0 || len(s.client.got) == 0 || how == HandshakeChallenged && (s.client.got[0] != "welcome" || s.client.unacked.len > 0); limit++ {
		if limit == 3000 {
			t.Fatalf("client %v, server %v", s.client.State(), s.door.State())
		}
		now = s.pass(t)
		if s.client.State() == StateOnline && !asked {
			asked = how != HandshakeChallenged || s.client.challenged(now)
			if how != HandshakeChallenged {
				s.client.Queue(now, []byte("hello"), true)
				s.client.Flush(now)
			} else if asked {
				// What comes first is taken as the beginning, so it must
				// arrive before the next is sent.
				s.client.Queue(now, []byte("early"), true)
				s.client.Flush(now)
			}
		}
		if s.door.State() == StateOnline && !told {
			told = true
			s.door.Queue(now, []byte("welcome"), true)
			s.door.Flush(now)
		}
	}
	if s.door.admitted != 1 || s.door.Handshake() != how || s.client.Handshake() != dial {
		t.Fatalf("%d admitted, %v and %v, want %v", s.door.admitted, s.door.Handshake(), s.client.Handshake(), how)
	}
	if s.client.v6.token != s.door.v6.token {
		t.Fatalf("%+v and %+v", s.client.v6.token, s.door.v6.token)
	}
	s.client.got, s.door.got = nil, nil
}

// stream sends n vital payloads each way and checks that they arrive once and in
// order.
func (s *stage) stream(t rapid.TB, n int, random func() uint64) {
	next := map[*peer]int{}
	payload := func(i int) []byte {
		text := make([]byte, 4+(i*37)%1000)
		binary.BigEndian.PutUint32(text, uint32(i))
		return text
	}
	a, b := s.client, s.door.peer
	for limit := 0; len(a.got) < n || len(b.got) < n; limit++ {
		if limit == 200000 {
			t.Fatalf("stuck at %d and %d of %d", len(a.got), len(b.got), n)
		}
		now := s.pass(t)
		for _, p := range []*peer{a, b} {
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
	for _, p := range []*peer{a, b} {
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

func splitmix(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

// TestStream6 joins by each handshake over a network that loses, repeats and reorders,
// and streams over a worse one.
func TestStream6(t *testing.T) {
	for how := HandshakeTKEN; how <= HandshakeChallenged; how++ {
		t.Run(how.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				seed := rapid.Uint64().Draw(t, "seed")
				delay := time.Duration(rapid.IntRange(0, 200).Draw(t, "delay")) * time.Millisecond
				dup := float64(rapid.IntRange(0, 30).Draw(t, "duplicates")) / 100
				link := netsim.Link{Loss: 0.05, Duplicate: dup, Jitter: delay}
				if how == HandshakeChallenged {
					// A challenge is sent once, and the client's first chunks
					// are given up.
					link = netsim.Link{Delay: delay, Duplicate: dup, InOrder: true}
				}
				s := newStage(t, seed, link)
				s.join(t, how)
				// With more, those with a lot to send are given up for too weak.
				link = netsim.Link{Loss: float64(rapid.IntRange(0, 15).Draw(t, "loss")) / 100, Duplicate: dup, Jitter: delay}
				s.quality(t, link)
				s.stream(t, rapid.IntRange(1, 100).Draw(t, "payloads"), splitmix(seed))
				if s.door.Rejoined() {
					t.Fatal("duplicates made the server begin anew")
				}
			})
		})
	}
}

// TestLongStream6 goes around the sequence numbers.
func TestLongStream6(t *testing.T) {
	for _, how := range []Handshake{HandshakeTKEN, HandshakeChallenged} {
		t.Run(how.String(), func(t *testing.T) {
			s := newStage(t, uint64(how), netsim.Link{Delay: 20 * time.Millisecond})
			s.join(t, how)
			s.quality(t, netsim.Link{Loss: 0.05, Duplicate: 0.05, Jitter: 40 * time.Millisecond})
			s.stream(t, 1100, splitmix(uint64(how)))
		})
	}
}

// TestRejoin6: a client that has lost its connection joins again from the same
// address, while the server still holds the old one.
func TestRejoin6(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		s := newStage(t, seed, netsim.Link{
			Loss:      0.05,
			Duplicate: float64(rapid.IntRange(0, 30).Draw(t, "duplicates")) / 100,
			Jitter:    time.Duration(rapid.IntRange(0, 100).Draw(t, "delay")) * time.Millisecond,
		})
		s.join(t, HandshakeTKEN)
		s.stream(t, rapid.IntRange(1, 20).Draw(t, "payloads"), splitmix(seed))
		s.client.Reset()
		for range rapid.IntRange(20, 300).Draw(t, "pause") {
			s.pass(t)
		}
		if s.door.Rejoined() {
			t.Fatal("rejoined by itself")
		}
		generation := s.door.generation
		s.client.got, s.door.got = nil, nil
		if err := s.client.Dial6(Time(s.net.Now()), HandshakeTKEN, 0); err != nil {
			t.Fatal(err)
		}
		for limit := 0; !s.door.Rejoined(); limit++ {
			if limit == 2000 {
				t.Fatalf("not rejoined; client %v", s.client.State())
			}
			s.pass(t)
		}
		if s.door.generation == generation || s.door.Rejoined() || s.door.State() != StateOnline || s.door.admitted != 1 {
			t.Fatalf("%v, %d admitted", s.door.State(), s.door.admitted)
		}
		if n, _ := s.door.Unacked(); n != 0 {
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
