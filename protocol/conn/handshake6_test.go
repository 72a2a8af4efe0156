package conn

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

var clientAddr = netip.MustParseAddrPort("192.0.2.7:40000")

// TestWorkedBytes6 performs both roles of each kind of join.
func TestWorkedBytes6(t *testing.T) {
	for _, v := range []struct {
		handshake                                  Handshake
		connect, answer, confirm, info, keep, stop string
	}{
		{
			HandshakeTKEN,
			"10000001544b454effffffff", "10000002544b454eaabbccdd", "10000003aabbccdd",
			"000001" + "400401" + "03302e36" + "aabbccdd", "10010000aabbccdd", "10010004aabbccdd",
		},
		{
			HandshakeHeaderToken,
			"1000000100000000" + "01020304" + strings.Repeat("00", 504), "180000" + "01020304" + "02aabbccdd", "",
			"080001aabbccdd" + "400401" + "03302e36", "180100aabbccdd00", "180100aabbccdd04",
		},
		{HandshakePlain, "10000001", "10000002", "10000003", "000001" + "400401" + "03302e36", "10010000", "10010004"},
	} {
		t.Run(v.handshake.String(), func(t *testing.T) {
			l := newListener(t, clientAddr)
			client, server := newPeer(t, 0), l.peer
			must(t, client.Dial6(0, v.handshake, clientToken))
			connect := client.sent[0]
			client.expectSent(t, "CONNECT", v.connect)

			l.handle(0, connect)
			answer := server.takeSent()
			if len(answer) != 1 || len(answer[0]) > len(connect) {
				t.Fatalf("%x answers %x", answer, connect)
			}
			if (server.State() == StatePending) != (v.handshake == HandshakePlain) {
				t.Fatalf("%v after CONNECT", server.State())
			}
			// Replace the example's token by the one of this server.
			want, _ := hex.DecodeString(v.answer)
			token := packet.NoToken
			if v.handshake != HandshakePlain {
				var p packet.Packet6
				must(t, p.Parse(answer[0], new(packet.Scratch)))
				token = p.HandshakeToken().Token
				copy(answer[0][len(answer[0])-4:], want[len(want)-4:])
			}
			if hex.EncodeToString(answer[0]) != v.answer {
				t.Fatalf("CONNECTACCEPT %x, want %s", answer[0], v.answer)
			}
			must(t, client.Feed(0, answer[0], client))
			if client.State() != StateOnline || client.Handshake() != v.handshake {
				t.Fatalf("%v, %v", client.State(), client.Handshake())
			}
			if v.confirm == "" {
				client.expectSent(t, "no ACCEPT")
			} else {
				client.expectSent(t, "ACCEPT", v.confirm)
			}

			must(t, client.Queue(0, []byte("\x030.6"), true))
			client.Flush(0)
			client.expectSent(t, "INFO", v.info)
			must(t, client.Feed(0, data6(0, 1, client.v6.token, vital6(1, "x")), client))
			client.Update(1001 * ms)
			client.expectSent(t, "KEEPALIVE", v.keep)
			client.Close(1001*ms, "")
			client.expectSent(t, "CLOSE", v.stop)
			if client.Version() != V7 || client.State() != StateOffline {
				t.Errorf("%v, %v", client.Version(), client.State())
			}

			// The same with the server's own token.
			must(t, client.Dial6(2*s, v.handshake, clientToken))
			client.takeSent()
			must(t, client.Feed(2*s, packet.AppendAccept6(nil, v.handshake.placeToken(token), clientToken), client))
			must(t, client.Queue(2*s, []byte("\x030.6"), true))
			client.Flush(2 * s)
			for _, b := range client.takeSent() {
				l.handle(2*s, b)
			}
			if server.State() != StateOnline || l.accepted != 1 || len(server.got) != 1 || server.got[0] != "\x030.6" {
				t.Fatalf("%v, %q", server.State(), server.got)
			}
			if server.Version() != V6 || server.Handshake() != v.handshake || server.v6.token != client.v6.token || server.MaxPayload() != 1023 {
				t.Errorf("%v, %v, %+v", server.Version(), server.Handshake(), server.v6.token)
			}
		})
	}
}

func TestConfig6(t *testing.T) {
	c := newPeer(t, 0)
	for _, err := range []error{
		c.Dial6(0, HandshakeChallenged, 1), c.Dial6(0, 9, 1), c.Accept6(0, 9, 1),
		c.Accept6(0, HandshakeTKEN, 0), c.Accept6(0, HandshakeTKEN, packet.NoToken), c.Accept6(0, HandshakeHeaderToken, packet.NoToken),
	} {
		if !errors.Is(err, ErrConfig) || c.State() != StateOffline {
			t.Errorf("%v", err)
		}
	}
	must(t, c.Dial6(0, HandshakePlain, 0))
	for _, err := range []error{c.Dial6(0, HandshakeTKEN, 1), c.Accept6(0, HandshakePlain, 0), c.Dial(0, 1), c.Queue(0, nil, true)} {
		if !errors.Is(err, ErrWrongState) {
			t.Errorf("%v", err)
		}
	}
	// The same Conn is then used for 0.7.
	c.Close(0, "")
	c.takeSent()
	must(t, c.Accept(0, serverToken, clientToken))
	c.expectSent(t, "ACCEPT", "0400000102030402")
	must(t, c.Feed(0, data7(0, 0, serverToken), c))
	must(t, c.Queue(0, make([]byte, 1387), true))
	if c.Version() != V7 || c.MaxPayload() != 1387 || V7.String() != "0.7" || V6.String() != "0.6" {
		t.Errorf("%v, %d", c.Version(), c.MaxPayload())
	}
}

// TestFallback checks how a client reacts to each kind of answer to its CONNECT.
func TestFallback(t *testing.T) {
	plainAccept := packet.AppendAccept6(nil, noToken, 0)
	for _, v := range []struct {
		name      string
		handshake Handshake
		answer    []byte
		state     State
		token     packet.PlacedToken
		sent      string
	}{
		{"no tokens", HandshakeTKEN, plainAccept, StateOnline, noToken, "10000003"},
		{"no tokens", HandshakeHeaderToken, plainAccept, StateOnline, noToken, "10000003"},
		{"token 0", HandshakeTKEN, packet.AppendAccept6(nil, packet.PlacedToken{Place: packet.TokenInTrailer}, 0), StateOnline, noToken, "10000003"},
		{"token -1", HandshakeTKEN, packet.AppendAccept6(nil, packet.PlacedToken{Place: packet.TokenInTrailer, Token: packet.NoToken}, 0),
			StateConnect, noToken, ""},
		{"0.6.5's token", HandshakeTKEN, packet.AppendAccept6(nil, headerToken, clientToken), StateConnect, noToken, ""},
		{"0.6.5's token", HandshakePlain, packet.AppendAccept6(nil, headerToken, clientToken), StateConnect, noToken, ""},
		{"wrong client token", HandshakeHeaderToken, packet.AppendAccept6(nil, headerToken, 7), StateConnect, noToken, ""},
		{"no server token", HandshakeHeaderToken, packet.AppendAccept6(nil, headerToken, clientToken)[:8], StateConnect, noToken, ""},
		{"DDNet's token", HandshakeHeaderToken, packet.AppendAccept6(nil, trailerToken, 0), StateConnect, noToken, ""},
		{"DDNet's token", HandshakePlain, packet.AppendAccept6(nil, trailerToken, 0), StateConnect, noToken, ""},
		{"data first", HandshakePlain, data6(0, 0, noToken, vital6(1, "x")), StateConnect, noToken, ""},
		{"ACCEPT", HandshakePlain, packet.AppendControl6(nil, 0, noToken, packet.ControlClientAccept), StateConnect, noToken, ""},
		{"an ack", HandshakePlain, []byte("\x10\x01\x00\x02"), StateConnect, noToken, ""},
		{"0.7's ACCEPT", HandshakeTKEN, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept), StateConnect, noToken, ""},
	} {
		c := newPeer(t, 0)
		must(t, c.Dial6(0, v.handshake, clientToken))
		c.takeSent()
		err := c.Feed(0, v.answer, c)
		if c.State() != v.state || c.v6.token != v.token || len(c.got) != 0 {
			t.Errorf("%v, %s: %v, %+v, %v", v.handshake, v.name, c.State(), c.v6.token, err)
		}
		if v.sent == "" {
			c.expectSent(t, v.name)
		} else {
			c.expectSent(t, v.name, v.sent)
			if c.Handshake() != HandshakePlain {
				t.Errorf("%v, %s: %v", v.handshake, v.name, c.Handshake())
			}
		}
	}
}

// TestRefused checks a CLOSE instead of a CONNECTACCEPT, as a ban sends it.
func TestRefused(t *testing.T) {
	for handshake, g := range map[Handshake]packet.PlacedToken{HandshakeTKEN: noToken, HandshakePlain: noToken,
		HandshakeHeaderToken: {Place: packet.TokenInHeader, Token: clientToken}} {
		c := newPeer(t, 0)
		must(t, c.Dial6(0, handshake, clientToken))
		must(t, c.Feed(0, packet.AppendClose6(nil, 0, g, "banned"), c))
		if c.State() != StateError || c.Reason() != "banned" || !c.ClosedByPeer() {
			t.Errorf("%v: %v, %q", handshake, c.State(), c.Reason())
		}
	}
}

// TestRepeats6 checks which messages are repeated until they are answered.
func TestRepeats6(t *testing.T) {
	c := newPeer(t, 0)
	must(t, c.Dial6(0, HandshakeTKEN, 0))
	c.Update(500 * ms)
	c.expectSent(t, "too early", "10000001544b454effffffff")
	c.Update(501 * ms)
	c.expectSent(t, "CONNECT", "10000001544b454effffffff")
	must(t, c.Feed(600*ms, packet.AppendAccept6(nil, trailerToken, 0), c))
	c.expectSent(t, "ACCEPT", "10000003aabbccdd")
	must(t, c.Feed(700*ms, packet.AppendAccept6(nil, trailerToken, 0), c)) // the answer to the second CONNECT
	c.expectSent(t, "nothing")
	c.Update(1700 * ms)
	c.expectSent(t, "KEEPALIVE", "10000000aabbccdd")
	c.Update(2601 * ms)
	c.expectSent(t, "ACCEPT again", "10000003aabbccdd")
	must(t, c.Feed(2700*ms, packet.AppendControl6(nil, 0, trailerToken, packet.ControlKeepAlive), c))
	c.Update(4650 * ms)
	c.Update(5700 * ms)
	c.expectSent(t, "no ACCEPT any more", "10000000aabbccdd", "10000000aabbccdd")

	server := newPeer(t, 0)
	must(t, server.Accept6(0, HandshakePlain, packet.NoToken))
	server.Update(501 * ms)
	server.expectSent(t, "CONNECTACCEPT", "10000002", "10000002")
	if err := server.Feed(510*ms, []byte("\x10\x00\x00\x01"), server); !errors.Is(err, packet.DropWrongState) {
		t.Errorf("a repeated CONNECT: %v", err)
	}
	must(t, server.Feed(520*ms, []byte("\x10\x00\x00\x03"), server))
	if server.State() != StateOnline {
		t.Errorf("%v after ACCEPT", server.State())
	}
	server.Update(1020 * ms)
	server.expectSent(t, "CONNECTACCEPT no more")
}

func TestTimeouts6(t *testing.T) {
	c := newPeer(t, 0)
	must(t, c.Dial6(0, HandshakeTKEN, 0))
	c.Update(5 * s)
	if c.State() != StateConnect {
		t.Fatalf("%v after 5 s", c.State())
	}
	c.Update(5*s + 1)
	if c.State() != StateError || c.Reason() != ReasonUnreachable {
		t.Fatalf("%v, %q", c.State(), c.Reason())
	}
	for handshake := HandshakeTKEN; handshake <= HandshakeChallenged; handshake++ {
		server := newPeer(t, 0)
		must(t, server.Accept6(0, handshake, serverToken))
		server.Update(10 * s)
		if server.State() == StateError {
			t.Fatalf("%v: %q after 10 s", handshake, server.Reason())
		}
		server.Update(10*s + 1)
		if server.State() != StateError || server.Reason() != ReasonTimeout {
			t.Fatalf("%v: %v, %q", handshake, server.State(), server.Reason())
		}
		server.takeSent()
		server.Close(10*s+1, "")
		want := "10000004" + hex.EncodeToString([]byte("Timeout\x00"))
		switch handshake {
		case HandshakeTKEN:
			want += "aabbccdd"
		case HandshakeHeaderToken:
			want = "180000aabbccdd" + want[6:]
		}
		server.expectSent(t, "CLOSE", want)
	}
}

// TestRejoinBytes checks that a rejoin changes the token. A late ACCEPT or any other late datagram
// of the first connection must have no effect.
func TestRejoinBytes(t *testing.T) {
	client, server := variant{V6, HandshakeTKEN}.connect(t, 0, 0)
	for range 3 {
		must(t, client.Queue(0, []byte("x"), true))
		must(t, server.Queue(0, []byte("y"), true))
	}
	client.Flush(0)
	server.feedFrom(0, client)
	old := data6(0, 0, trailerToken, vital6(1, "old"))
	accept := packet.AppendControl6(nil, 0, trailerToken, packet.ControlClientAccept)
	next := packet.PlacedToken{Place: packet.TokenInTrailer, Token: serverToken + 1}
	again := packet.AppendControl6(nil, 0, next, packet.ControlClientAccept)

	must(t, server.Feed(0, accept, server)) // a duplicate
	if err := server.Feed(0, again, server); !errors.Is(err, packet.DropBadToken) || server.Rejoined() {
		t.Errorf("ACCEPT with a token that was not offered: %v", err)
	}
	server.takeSent()
	for range 2 {
		if err := server.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), server); !errors.Is(err, packet.DropWrongState) {
			t.Errorf("CONNECT: %v", err)
		}
	}
	server.expectSent(t, "CONNECTACCEPT", "10000002544b454eaabbccde", "10000002544b454eaabbccde")
	must(t, server.Feed(0, accept, server))
	if n, _ := server.Unacked(); server.Rejoined() || n != 3 || server.recvSeq != 3 {
		t.Errorf("an old ACCEPT began anew: %d pending, ack %d", n, server.recvSeq)
	}
	// The new connection of the client works.
	must(t, client.Queue(0, []byte("z"), true))
	client.Flush(0)
	server.feedFrom(0, client)
	if len(server.got) != 4 {
		t.Errorf("%q", server.got)
	}

	must(t, server.Feed(s, again, server))
	if !server.Rejoined() || server.Rejoined() || server.State() != StateOnline || server.LastReceived() != s {
		t.Errorf("the connection did not restart: %v", server.State())
	}
	if n, _ := server.Unacked(); n != 0 || server.recvSeq != 0 || server.Token() != serverToken+1 {
		t.Errorf("%d pending, ack %d, token %x", n, server.recvSeq, server.Token())
	}
	must(t, server.Feed(s, again, server)) // a duplicate
	if err := server.Feed(s, old, server); !errors.Is(err, packet.DropBadToken) || server.Rejoined() {
		t.Errorf("old data: %v", err)
	}
	must(t, server.Feed(s, data6(0, 0, next, vital6(1, "new")), server))
	if server.got[len(server.got)-1] != "new" {
		t.Errorf("%q", server.got)
	}
	for _, token := range []packet.Token{packet.NoToken, packet.NoToken - 1, 0, 1} {
		if n := nextToken(token); n == 0 || n == packet.NoToken || n == token {
			t.Errorf("%x after %x", n, token)
		}
	}
	// Clients of other handshakes are not offered a rejoin.
	for handshake := HandshakeHeaderToken; handshake <= HandshakePlain; handshake++ {
		_, server := variant{V6, handshake}.connect(t, 0, 0)
		if err := server.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), server); err == nil || len(server.sent) != 0 {
			t.Errorf("%v: %v, sent %x", handshake, err, server.sent)
		}
	}
	if client.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), client) == nil || len(client.sent) != 0 {
		t.Errorf("a client answered CONNECT")
	}
}
