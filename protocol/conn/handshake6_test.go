package conn

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
)

var (
	seat6  = netip.MustParseAddrPort("192.0.2.7:40000")
	tkn    = packet.PlacedToken{Place: packet.TokenInTrailer, Token: serverToken}
	header = packet.PlacedToken{Place: packet.TokenInHeader, Token: serverToken}
	plain  = packet.PlacedToken{}
)

// data6 makes a data packet by hand.
func data6(flags packet.Flags, ack int, g packet.PlacedToken, chunks ...[]byte) []byte {
	var payload []byte
	for _, c := range chunks {
		payload = append(payload, c...)
	}
	return packet.AppendPacket6(nil, flags, ack, len(chunks), g, payload)
}

func vital6(seq int, s string) []byte {
	return packet.AppendChunk6(nil, packet.ChunkVital, seq, []byte(s))
}

// online6 returns a client and a server that are online.
func online6(t testing.TB, now Time, how Handshake) (client, server *peer) {
	client, server = newPeer(t, 0), newPeer(t, 0)
	guard := plain
	switch how {
	case HandshakeTKEN:
		guard = tkn
	case HandshakeHeaderToken:
		guard = header
	}
	must(t, client.Dial6(now, how, clientToken))
	must(t, client.Feed(now, packet.AppendAccept6(nil, guard, clientToken), client))
	must(t, server.Accept6(now, how, serverToken))
	client.take()
	server.take()
	must(t, client.Queue(now, []byte("hi"), false))
	client.Flush(now)
	server.give(now, client)
	must(t, server.Queue(now, []byte("hi"), false))
	server.Flush(now)
	client.give(now, server)
	if client.State() != StateOnline || server.State() != StateOnline || len(server.got) != 1 || len(client.got) != 1 {
		t.Fatalf("client %v, server %v", client.State(), server.State())
	}
	client.got, server.got = nil, nil
	return client, server
}

// TestWorkedBytes6 plays both roles of each join.
func TestWorkedBytes6(t *testing.T) {
	for _, v := range []struct {
		how                                        Handshake
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
		t.Run(v.how.String(), func(t *testing.T) {
			d := newDoor(t, seat6)
			client, server := newPeer(t, 0), d.peer
			must(t, client.Dial6(0, v.how, clientToken))
			connect := client.sent[0]
			expect(t, "CONNECT", client, v.connect)

			d.take6(0, connect)
			answer := server.take()
			if len(answer) != 1 || len(answer[0]) > len(connect) {
				t.Fatalf("%x answers %x", answer, connect)
			}
			if (server.State() == StatePending) != (v.how == HandshakePlain) {
				t.Fatalf("%v after CONNECT", server.State())
			}
			// The token of this server is put in place of the example's.
			want, _ := hex.DecodeString(v.answer)
			token := packet.NoToken
			if v.how != HandshakePlain {
				var p packet.Packet6
				must(t, p.Parse(answer[0], new(packet.Scratch)))
				token = p.HandshakeToken().Token
				copy(answer[0][len(answer[0])-4:], want[len(want)-4:])
			}
			if hex.EncodeToString(answer[0]) != v.answer {
				t.Fatalf("CONNECTACCEPT %x, want %s", answer[0], v.answer)
			}
			must(t, client.Feed(0, answer[0], client))
			if client.State() != StateOnline || client.Handshake() != v.how {
				t.Fatalf("%v, %v", client.State(), client.Handshake())
			}
			if v.confirm == "" {
				expect(t, "no ACCEPT", client)
			} else {
				expect(t, "ACCEPT", client, v.confirm)
			}

			must(t, client.Queue(0, []byte("\x030.6"), true))
			client.Flush(0)
			expect(t, "INFO", client, v.info)
			must(t, client.Feed(0, data6(0, 1, client.v6.token, vital6(1, "x")), client))
			client.Update(1001 * ms)
			expect(t, "KEEPALIVE", client, v.keep)
			client.Close(1001*ms, "")
			expect(t, "CLOSE", client, v.stop)
			if client.Version() != V7 || client.State() != StateOffline {
				t.Errorf("%v, %v", client.Version(), client.State())
			}

			// The same with the server's own token.
			must(t, client.Dial6(2*s, v.how, clientToken))
			client.take()
			guard := packet.PlacedToken{}
			switch v.how {
			case HandshakeTKEN:
				guard = packet.PlacedToken{Place: packet.TokenInTrailer, Token: token}
			case HandshakeHeaderToken:
				guard = packet.PlacedToken{Place: packet.TokenInHeader, Token: token}
			}
			must(t, client.Feed(2*s, packet.AppendAccept6(nil, guard, clientToken), client))
			must(t, client.Queue(2*s, []byte("\x030.6"), true))
			client.Flush(2 * s)
			for _, b := range client.take() {
				d.take6(2*s, b)
			}
			if server.State() != StateOnline || d.admitted != 1 || len(server.got) != 1 || server.got[0] != "\x030.6" {
				t.Fatalf("%v, %q", server.State(), server.got)
			}
			if server.Version() != V6 || server.Handshake() != v.how || server.v6.token != client.v6.token || server.MaxPayload() != 1023 {
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
	// After a 0.6 connection comes one of 0.7, on the same Conn.
	c.Close(0, "")
	c.take()
	must(t, c.Accept(0, serverToken, clientToken))
	expect(t, "ACCEPT", c, "0400000102030402")
	must(t, c.Feed(0, data(0, 0, serverToken), c))
	must(t, c.Queue(0, make([]byte, 1387), true))
	if c.Version() != V7 || c.MaxPayload() != 1387 || V7.String() != "0.7" || V6.String() != "0.6" {
		t.Errorf("%v, %d", c.Version(), c.MaxPayload())
	}
}

// TestFallback: what a client dialled and what the servers that there are answer.
func TestFallback(t *testing.T) {
	plainAccept := packet.AppendAccept6(nil, plain, 0)
	for _, v := range []struct {
		name   string
		how    Handshake
		answer []byte
		state  State
		guard  packet.PlacedToken
		sent   string
	}{
		{"no tokens", HandshakeTKEN, plainAccept, StateOnline, plain, "10000003"},
		{"no tokens", HandshakeHeaderToken, plainAccept, StateOnline, plain, "10000003"},
		{"token 0", HandshakeTKEN, packet.AppendAccept6(nil, packet.PlacedToken{Place: packet.TokenInTrailer}, 0), StateOnline, plain, "10000003"},
		{"token -1", HandshakeTKEN, packet.AppendAccept6(nil, packet.PlacedToken{Place: packet.TokenInTrailer, Token: packet.NoToken}, 0), StateConnect, plain, ""},
		{"0.6.5's token", HandshakeTKEN, packet.AppendAccept6(nil, header, clientToken), StateConnect, plain, ""},
		{"0.6.5's token", HandshakePlain, packet.AppendAccept6(nil, header, clientToken), StateConnect, plain, ""},
		{"wrong client token", HandshakeHeaderToken, packet.AppendAccept6(nil, header, 7), StateConnect, plain, ""},
		{"no server token", HandshakeHeaderToken, packet.AppendAccept6(nil, header, clientToken)[:8], StateConnect, plain, ""},
		{"DDNet's token", HandshakeHeaderToken, packet.AppendAccept6(nil, tkn, 0), StateConnect, plain, ""},
		{"DDNet's token", HandshakePlain, packet.AppendAccept6(nil, tkn, 0), StateConnect, plain, ""},
		{"data first", HandshakePlain, data6(0, 0, plain, vital6(1, "x")), StateConnect, plain, ""},
		{"ACCEPT", HandshakePlain, packet.AppendControl6(nil, 0, plain, packet.ControlClientAccept), StateConnect, plain, ""},
		{"an ack", HandshakePlain, []byte("\x10\x01\x00\x02"), StateConnect, plain, ""},
		{"0.7's ACCEPT", HandshakeTKEN, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept), StateConnect, plain, ""},
	} {
		c := newPeer(t, 0)
		must(t, c.Dial6(0, v.how, clientToken))
		c.take()
		err := c.Feed(0, v.answer, c)
		if c.State() != v.state || c.v6.token != v.guard || len(c.got) != 0 {
			t.Errorf("%v, %s: %v, %+v, %v", v.how, v.name, c.State(), c.v6.token, err)
		}
		if v.sent == "" {
			expect(t, v.name, c)
		} else {
			expect(t, v.name, c, v.sent)
			if c.Handshake() != HandshakePlain {
				t.Errorf("%v, %s: %v", v.how, v.name, c.Handshake())
			}
		}
	}
}

// TestRefused: CLOSE instead of CONNECTACCEPT, as a ban does.
func TestRefused(t *testing.T) {
	for how, g := range map[Handshake]packet.PlacedToken{HandshakeTKEN: plain, HandshakePlain: plain, HandshakeHeaderToken: {Place: packet.TokenInHeader, Token: clientToken}} {
		c := newPeer(t, 0)
		must(t, c.Dial6(0, how, clientToken))
		must(t, c.Feed(0, packet.AppendClose6(nil, 0, g, "banned"), c))
		if c.State() != StateError || c.Reason() != "banned" || !c.ClosedByPeer() {
			t.Errorf("%v: %v, %q", how, c.State(), c.Reason())
		}
	}
}

// TestRepeats6: what is repeated until it is answered.
func TestRepeats6(t *testing.T) {
	c := newPeer(t, 0)
	must(t, c.Dial6(0, HandshakeTKEN, 0))
	c.Update(500 * ms)
	expect(t, "too early", c, "10000001544b454effffffff")
	c.Update(501 * ms)
	expect(t, "CONNECT", c, "10000001544b454effffffff")
	must(t, c.Feed(600*ms, packet.AppendAccept6(nil, tkn, 0), c))
	expect(t, "ACCEPT", c, "10000003aabbccdd")
	must(t, c.Feed(700*ms, packet.AppendAccept6(nil, tkn, 0), c)) // for the second CONNECT
	expect(t, "nothing", c)
	c.Update(1700 * ms)
	expect(t, "KEEPALIVE", c, "10000000aabbccdd")
	c.Update(2601 * ms)
	expect(t, "ACCEPT again", c, "10000003aabbccdd")
	must(t, c.Feed(2700*ms, packet.AppendControl6(nil, 0, tkn, packet.ControlKeepAlive), c))
	c.Update(4650 * ms)
	c.Update(5700 * ms)
	expect(t, "no ACCEPT any more", c, "10000000aabbccdd", "10000000aabbccdd")

	server := newPeer(t, 0)
	must(t, server.Accept6(0, HandshakePlain, packet.NoToken))
	server.Update(501 * ms)
	expect(t, "CONNECTACCEPT", server, "10000002", "10000002")
	if err := server.Feed(510*ms, []byte("\x10\x00\x00\x01"), server); !errors.Is(err, packet.DropWrongState) {
		t.Errorf("a repeated CONNECT: %v", err)
	}
	must(t, server.Feed(520*ms, []byte("\x10\x00\x00\x03"), server))
	if server.State() != StateOnline {
		t.Errorf("%v after ACCEPT", server.State())
	}
	server.Update(1020 * ms)
	expect(t, "CONNECTACCEPT no more", server)
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
	for how := HandshakeTKEN; how <= HandshakeChallenged; how++ {
		server := newPeer(t, 0)
		must(t, server.Accept6(0, how, serverToken))
		server.Update(10 * s)
		if server.State() == StateError {
			t.Fatalf("%v: %q after 10 s", how, server.Reason())
		}
		server.Update(10*s + 1)
		if server.State() != StateError || server.Reason() != ReasonTimeout {
			t.Fatalf("%v: %v, %q", how, server.State(), server.Reason())
		}
		server.take()
		server.Close(10*s+1, "")
		want := "10000004" + hex.EncodeToString([]byte("Timeout\x00"))
		switch how {
		case HandshakeTKEN:
			want += "aabbccdd"
		case HandshakeHeaderToken:
			want = "180000aabbccdd" + want[6:]
		}
		expect(t, "CLOSE", server, want)
	}
}

// TestRejoinBytes: the token changes, so that neither a late ACCEPT of the first time
// begins anew nor anything else of it counts afterwards.
func TestRejoinBytes(t *testing.T) {
	client, server := online6(t, 0, HandshakeTKEN)
	for range 3 {
		must(t, client.Queue(0, []byte("x"), true))
		must(t, server.Queue(0, []byte("y"), true))
	}
	client.Flush(0)
	server.give(0, client)
	old := data6(0, 0, tkn, vital6(1, "old"))
	accept := packet.AppendControl6(nil, 0, tkn, packet.ControlClientAccept)
	next := packet.PlacedToken{Place: packet.TokenInTrailer, Token: serverToken + 1}
	again := packet.AppendControl6(nil, 0, next, packet.ControlClientAccept)

	must(t, server.Feed(0, accept, server)) // a duplicate
	if err := server.Feed(0, again, server); !errors.Is(err, packet.DropBadToken) || server.Rejoined() {
		t.Errorf("a token that was not offered: %v", err)
	}
	server.take()
	for range 2 {
		if err := server.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), server); !errors.Is(err, packet.DropWrongState) {
			t.Errorf("CONNECT: %v", err)
		}
	}
	expect(t, "CONNECTACCEPT", server, "10000002544b454eaabbccde", "10000002544b454eaabbccde")
	must(t, server.Feed(0, accept, server))
	if n, _ := server.Unacked(); server.Rejoined() || n != 3 || server.recvSeq != 3 {
		t.Errorf("an old ACCEPT began anew: %d pending, ack %d", n, server.recvSeq)
	}
	// The client that is still there goes on.
	must(t, client.Queue(0, []byte("z"), true))
	client.Flush(0)
	server.give(0, client)
	if len(server.got) != 4 {
		t.Errorf("%q", server.got)
	}

	must(t, server.Feed(s, again, server))
	if !server.Rejoined() || server.Rejoined() || server.State() != StateOnline || server.LastReceived() != s {
		t.Errorf("not begun anew: %v", server.State())
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
	// Nobody else is offered anything.
	for how := HandshakeHeaderToken; how <= HandshakePlain; how++ {
		_, server := online6(t, 0, how)
		if err := server.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), server); err == nil || len(server.sent) != 0 {
			t.Errorf("%v: %v, sent %x", how, err, server.sent)
		}
	}
	if client.Feed(0, packet.AppendConnect6(nil, packet.TokenInTrailer, 0), client) == nil || len(client.sent) != 0 {
		t.Errorf("a client answers CONNECT")
	}
}

func TestSizes6(t *testing.T) {
	for how := HandshakeTKEN; how <= HandshakePlain; how++ {
		client, server := online6(t, 0, how)
		if err := server.Queue(0, make([]byte, 1024), false); !errors.Is(err, ErrTooLarge) {
			t.Errorf("1024 bytes: %v", err)
		}
		// Bytes that do not compress, as many as fit.
		random := splitmix(1)
		noise := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(random())
			}
			return b
		}
		must(t, server.Queue(0, noise(1023), true))
		must(t, server.Queue(0, noise(1390-1023-3-3), true))
		must(t, server.Queue(0, nil, false))
		server.Flush(0)
		extra := map[Handshake]int{HandshakeTKEN: 4, HandshakeHeaderToken: 4}[how]
		if len(server.sent) != 2 || len(server.sent[0]) != 3+1390+extra {
			t.Errorf("%v: %d packets, the first has %d bytes", how, len(server.sent), len(server.sent[0]))
		}
		client.give(0, server)
		if len(client.got) != 3 || len(client.got[0]) != 1023 {
			t.Errorf("%v: %d arrived", how, len(client.got))
		}
	}
}

func TestNoAllocations6(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for how := HandshakeTKEN; how <= HandshakePlain; how++ {
		var client, server *Conn
		var handle nothing
		buffers := new(Buffers)
		var now Time
		var toClient, toServer [2048]byte
		var nClient, nServer int
		client, _ = New(Config{Buffers: buffers, Send: func(b []byte) { nServer = copy(toServer[:], b) }})
		server, _ = New(Config{Buffers: buffers, Send: func(b []byte) { nClient = copy(toClient[:], b) }})
		must(t, client.Dial6(now, how, clientToken))
		guard := map[Handshake]packet.PlacedToken{HandshakeTKEN: tkn, HandshakeHeaderToken: header}[how]
		must(t, client.Feed(now, packet.AppendAccept6(nil, guard, clientToken), handle))
		must(t, server.Accept6(now, how, serverToken))
		snap := []byte(strings.Repeat("\x00\x01\x02 snapshot", 60))
		input := []byte(strings.Repeat("\x00\x07", 20))
		round := func() {
			now += 20 * ms
			client.Queue(now, input, true)
			client.Queue(now, input, false)
			client.Flush(now)
			if server.Feed(now, toServer[:nServer], handle) != nil {
				t.Error("dropped")
			}
			server.Queue(now, snap, false)
			server.Queue(now, input, true)
			server.Flush(now)
			if client.Feed(now, toClient[:nClient], handle) != nil {
				t.Error("dropped")
			}
			client.Update(now)
			server.Update(now)
		}
		round()
		if n := testing.AllocsPerRun(500, round); n != 0 {
			t.Errorf("%v: %v allocations", how, n)
		}
		if client.State() != StateOnline || server.State() != StateOnline {
			t.Errorf("%v, %v", client.State(), server.State())
		}
	}
}
