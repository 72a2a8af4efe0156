package conn

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

func TestTokens(t *testing.T) {
	tokens, err := NewTokenIssuer(bytes.NewReader(make([]byte, 24)))
	must(t, err)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	now := 1000 * s
	token := tokens.Token(now, a)
	if token == tokens.Token(now, b) || token == tokens.BroadcastToken(now) {
		t.Error("different addresses have the same token")
	}
	if token != tokens.Token(now, netip.MustParseAddr("::ffff:192.0.2.1")) {
		t.Error("an IPv4 address has another token in its IPv6 form")
	}
	other, err := NewTokenIssuer(nil)
	must(t, err)
	if other.Valid(now, a, token) {
		t.Error("the token does not depend on the key")
	}
	if tokens.Valid(now, b, token) || tokens.Valid(now, a, packet.NoToken) {
		t.Error("a wrong token is valid")
	}
	if !tokens.Valid(now+16*s, a, token) || tokens.Valid(now+33*s, a, token) {
		t.Error("a token is not valid for 16 to 32 seconds")
	}
	if tokens.Valid(now-16*s, a, token) {
		t.Error("a token is valid before its time")
	}
	if tokens.Token(-1, a) == tokens.Token(0, a) {
		t.Error("the epochs around zero are the same")
	}
	if _, err := NewTokenIssuer(bytes.NewReader(nil)); err == nil {
		t.Error("NewTokenIssuer accepts an empty source")
	}
}

func TestInspect(t *testing.T) {
	tokens, err := NewTokenIssuer(nil)
	must(t, err)
	ip := netip.MustParseAddr("2001:db8::1")
	now := 100 * s
	own := tokens.Token(now, ip)
	const theirs = 0x01020304
	padded := func(extra int) []byte {
		b := packet.AppendControl(nil, 0, packet.NoToken, packet.ControlToken)
		b = append(b, 1, 2, 3, 4)
		return append(b, make([]byte, extra)...)
	}
	for _, v := range []struct {
		name string
		b    []byte
		want Action
		drop packet.DropReason
	}{
		{"token request", packet.AppendTokenRequest(nil, theirs), ActionReplyToken, packet.DropNone},
		{"token request of 512 bytes of payload", padded(507), ActionReplyToken, packet.DropNone},
		{"token request of 511", padded(506), ActionIgnore, packet.DropNoPadding},
		{"token request without response token", packet.AppendTokenRequest(nil, packet.NoToken), ActionIgnore, packet.DropBadControl},
		{"connect", packet.AppendConnect(nil, own, theirs), ActionAccept, packet.DropNone},
		{"connect with no token", packet.AppendConnect(nil, packet.NoToken, theirs), ActionIgnore, packet.DropBadToken},
		{"connect with a wrong token", packet.AppendConnect(nil, own+1, theirs), ActionIgnore, packet.DropBadToken},
		{"connect with the global token", packet.AppendConnect(nil, tokens.BroadcastToken(now), theirs), ActionIgnore, packet.DropBadToken},
		{"connect without response token", packet.AppendControl(nil, 0, own, packet.ControlConnect), ActionIgnore, packet.DropBadControl},
		{"keep-alive", packet.AppendControl(nil, 0, own, packet.ControlKeepAlive), ActionIgnore, packet.DropWrongState},
		{"data", data7(0, 0, own, vital7(1, "x")), ActionIgnore, packet.DropWrongState},
		{"connless", packet.AppendConnless(nil, own, theirs, []byte("x")), ActionConnless, packet.DropNone},
		{"connless with no token", packet.AppendConnless(nil, packet.NoToken, theirs, nil), ActionIgnore, packet.DropBadToken},
		{"connless with the global token", packet.AppendConnless(nil, tokens.BroadcastToken(now), theirs, nil), ActionIgnore, packet.DropBadToken},
		{"token reply", packet.AppendTokenReply(nil, own, theirs), ActionTokenReceived, packet.DropNone},
		{"token reply to a broadcast", packet.AppendTokenReply(nil, tokens.BroadcastToken(now), theirs), ActionTokenReceived, packet.DropNone},
		{"token reply with a wrong token", packet.AppendTokenReply(nil, own+1, theirs), ActionIgnore, packet.DropBadToken},
		{"token reply without token", packet.AppendControl(nil, 0, own, packet.ControlToken), ActionIgnore, packet.DropBadControl},
	} {
		var p packet.Packet
		must(t, p.Parse(v.b, new(packet.Scratch)))
		if got, drop := tokens.Inspect(now, ip, &p); got != v.want || drop != v.drop {
			t.Errorf("%s: %v, %v, want %v, %v", v.name, got, drop, v.want, v.drop)
		}
	}
}

func TestInspectNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	tokens, _ := NewTokenIssuer(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	b := packet.AppendConnect(nil, 5, 6)
	var scratch packet.Scratch
	if n := testing.AllocsPerRun(10, func() {
		var p packet.Packet
		p.Parse(b, &scratch)
		tokens.Inspect(0, ip, &p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkInspect(b *testing.B) {
	tokens, _ := NewTokenIssuer(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	var p packet.Packet
	p.Parse(packet.AppendConnect(nil, 5, 6), new(packet.Scratch))
	b.ReportAllocs()
	for b.Loop() {
		tokens.Inspect(0, ip, &p)
	}
}

func TestInspect6(t *testing.T) {
	tokens, err := NewTokenIssuer(bytes.NewReader([]byte("a key of twenty-four byt")))
	must(t, err)
	from := netip.MustParseAddrPort("192.0.2.1:4000")
	port := netip.MustParseAddrPort("192.0.2.1:4001")
	now := 100 * s
	ask := func(from netip.AddrPort, place packet.TokenPlace) packet.Token {
		j := tokens.Inspect6(now, from, packet.AppendConnect6(nil, place, clientToken), nil)
		if j.Action != ActionReplyToken || j.Token == 0 || j.Token == packet.NoToken {
			t.Fatalf("%+v", j)
		}
		return j.Token
	}
	tkn := packet.PlacedToken{Place: packet.TokenInTrailer, Token: ask(from, packet.TokenInTrailer)}
	head := packet.PlacedToken{Place: packet.TokenInHeader, Token: ask(from, packet.TokenInHeader)}
	if ask(port, packet.TokenInTrailer) != tkn.Token || ask(port, packet.TokenInHeader) == head.Token {
		t.Error("DDNet's token must depend on the address only, and 0.6.5's token also on the port")
	}
	if tkn.Token == head.Token || tkn.Token == tokens.Token(now, from.Addr()) {
		t.Error("tokens of different kinds are the same")
	}
	other := func(g packet.PlacedToken) packet.PlacedToken { g.Token++; return g }
	confirm := packet.AppendControl6(nil, 0, tkn, packet.ControlClientAccept)
	acks := func(b []byte) []byte { b = bytes.Clone(b); b[1] = 1; return b }
	for _, v := range []struct {
		name string
		b    []byte
		want Action
		how  Handshake
		drop packet.DropReason
	}{
		{"plain CONNECT", packet.AppendConnect6(nil, packet.TokenAbsent, 0), ActionChallenge, HandshakePlain, 0},
		{"padded CONNECT", append(packet.AppendConnect6(nil, packet.TokenAbsent, 0), make([]byte, 511)...), ActionChallenge, HandshakePlain, 0},
		{"TKEN CONNECT", packet.AppendConnect6(nil, packet.TokenInTrailer, 0), ActionReplyToken, HandshakeTKEN, 0},
		{"0.6.5 CONNECT", packet.AppendConnect6(nil, packet.TokenInHeader, 5), ActionReplyToken, HandshakeHeaderToken, 0},
		{"ACCEPT", confirm, ActionAccept, HandshakeTKEN, 0},
		{"plain ACCEPT", packet.AppendControl6(nil, 0, packet.PlacedToken{}, packet.ControlClientAccept), ActionIgnore, 0, packet.DropWrongState},
		{"ACCEPT with a wrong token", packet.AppendControl6(nil, 0, other(tkn), packet.ControlClientAccept), ActionIgnore, 0, packet.DropBadToken},
		{"ACCEPT with 0.6.5's token", packet.AppendControl6(nil, 0, packet.PlacedToken{Place: packet.TokenInTrailer, Token: head.Token},
			packet.ControlClientAccept), ActionIgnore, 0, packet.DropBadToken},
		{"ACCEPT with 0.7's token", packet.AppendControl6(nil, 0, packet.PlacedToken{Place: packet.TokenInTrailer,
			Token: tokens.Token(now, from.Addr())}, packet.ControlClientAccept), ActionIgnore, 0, packet.DropBadToken},
		{"ACCEPT with an ack", acks(confirm), ActionIgnore, 0, packet.DropBadAck},
		{"data with DDNet's token", data6(0, 0, tkn, vital6(1, "x")), ActionAccept, HandshakeTKEN, 0},
		{"data with a wrong token of DDNet", data6(0, 0, other(tkn), vital6(1, "x")), ActionIgnore, 0, packet.DropWrongState},
		{"data with DDNet's token and an ack", data6(0, 1, tkn, vital6(1, "x")), ActionIgnore, 0, packet.DropWrongState},
		{"later data with DDNet's token", data6(0, 0, tkn, vital6(2, "x")), ActionIgnore, 0, packet.DropWrongState},
		{"data with DDNet's token that is not vital", data6(0, 0, tkn, packet.AppendChunk6(nil, 0, 0, []byte("x"))), ActionIgnore, 0, packet.DropWrongState},
		{"nothing but DDNet's token", data6(0, 0, tkn, nil), ActionIgnore, 0, packet.DropWrongState},
		{"KEEPALIVE with DDNet's token", packet.AppendControl6(nil, 0, tkn, packet.ControlKeepAlive), ActionIgnore, 0, packet.DropWrongState},
		{"CLOSE", packet.AppendClose6(nil, 0, tkn, ""), ActionIgnore, 0, packet.DropWrongState},
		{"0.6.5 data", data6(0, 0, head, vital6(1, "x")), ActionAccept, HandshakeHeaderToken, 0},
		{"0.6.5 KEEPALIVE", packet.AppendControl6(nil, 0, head, packet.ControlKeepAlive), ActionAccept, HandshakeHeaderToken, 0},
		{"0.6.5 data with an ack", data6(0, 1, head, vital6(1, "x")), ActionIgnore, 0, packet.DropBadAck},
		{"0.6.5 data with a wrong token", data6(0, 0, other(head), vital6(1, "x")), ActionIgnore, 0, packet.DropBadToken},
		{"0.6.5 CLOSE", packet.AppendClose6(nil, 0, head, ""), ActionIgnore, 0, packet.DropWrongState},
		{"0.6.5 CONNECT with token", packet.AppendControl6(nil, 0, head, packet.ControlConnect), ActionIgnore, 0, packet.DropWrongState},
		{"INPUT that acks nothing of ours", data6(0, 0, packet.PlacedToken{}, packet.AppendChunk6(nil, 0, 0, input6(77))),
			ActionIgnore, 0, packet.DropWrongState},
		{"bad Huffman code", []byte("\x80\x00\x01\xff"), ActionIgnore, 0, packet.DropBadHuffman},
		{"connless", packet.AppendConnless6(nil, []byte("x")), ActionIgnore, 0, packet.DropConnless},
		{"0.7", packet.AppendTokenRequest(nil, 5), ActionIgnore, 0, packet.DropUnknownFlags},
		{"nothing", nil, ActionIgnore, 0, packet.DropTooShort},
	} {
		j := tokens.Inspect6(now, from, v.b, new(packet.Scratch))
		if j.Action != v.want || j.Drop != v.drop || v.want != ActionIgnore && j.Handshake != v.how {
			t.Errorf("%s: %v, %v, %v", v.name, j.Action, j.Handshake, j.Drop)
		}
		if v.want == ActionReplyToken {
			if r := j.AppendReply(nil); len(r) > len(v.b) {
				t.Errorf("%s: %d bytes are answered with %d", v.name, len(v.b), len(r))
			}
		}
	}
	// A token expires, and is valid for one address only.
	inHead := data6(0, 0, head, vital6(1, "x"))
	for _, b := range [][]byte{confirm, inHead} {
		if tokens.Inspect6(now+16*s, from, b, nil).Action != ActionAccept || tokens.Inspect6(now+33*s, from, b, nil).Action != ActionIgnore {
			t.Error("a token is not valid for 16 to 32 seconds")
		}
		if tokens.Inspect6(now, netip.MustParseAddrPort("192.0.2.2:4000"), b, nil).Action != ActionIgnore {
			t.Error("the token of another address")
		}
	}
	if tokens.Inspect6(now, port, inHead, nil).Action != ActionIgnore || tokens.Inspect6(now, port, confirm, nil).Action != ActionAccept {
		t.Error("the token of another port")
	}
}

// TestInspectionClose checks that a refusal has the format that the client understands.
func TestInspectionClose(t *testing.T) {
	for _, v := range []struct {
		j    Inspection6
		want string
	}{
		{Inspection6{Action: ActionChallenge, Handshake: HandshakePlain, Token: packet.NoToken}, "10000004686900"},
		{Inspection6{Action: ActionAccept, Handshake: HandshakeChallenged, Token: packet.NoToken}, "10000004686900"},
		{Inspection6{Action: ActionReplyToken, Handshake: HandshakeTKEN, Token: serverToken}, "10000004686900"},
		{Inspection6{Action: ActionAccept, Handshake: HandshakeTKEN, Token: serverToken}, "10000004686900aabbccdd"},
		{Inspection6{Action: ActionReplyToken, Handshake: HandshakeHeaderToken, Token: serverToken, clientToken: clientToken}, "1800000102030404686900"},
		{Inspection6{Action: ActionAccept, Handshake: HandshakeHeaderToken, Token: serverToken}, "180000aabbccdd04686900"},
	} {
		if got := hex.EncodeToString(v.j.AppendClose(nil, "hi")); got != v.want {
			t.Errorf("%v of %v: %s, want %s", v.j.Action, v.j.Handshake, got, v.want)
		}
	}
}

// TestChallenge reads a challenge as a client does, and answers it.
func TestChallenge(t *testing.T) {
	tokens, err := NewTokenIssuer(nil)
	must(t, err)
	now := 100 * s
	b := tokens.AppendChallenge(nil, now, clientAddr)
	if len(b) > 90 {
		t.Errorf("%d bytes", len(b))
	}
	client := newPeer(t, 0)
	must(t, client.Dial6(0, HandshakePlain, 0))
	must(t, client.Feed(0, packet.AppendAccept6(nil, packet.PlacedToken{}, 0), client))
	must(t, client.Feed(0, b, client))
	client.takeSent()
	if len(client.got) != 6 || client.recvSeq != 6 {
		t.Fatalf("%q", client.got)
	}
	var u packer.Unpacker
	read := func(i, id, n int) (v []int32) {
		u.Reset([]byte(client.got[i]))
		if got := u.Int(); got != int32(id<<1|1) {
			t.Errorf("message %d is %d", i, got)
		}
		if id == 2 && string(u.String(packer.SanitizeMode(0))) != "dm1" {
			t.Error("another map")
		}
		for range n {
			v = append(v, u.Int())
		}
		if u.Err() != nil || u.Len() != 0 {
			t.Errorf("message %d: %v, %d bytes left", i, u.Err(), u.Len())
		}
		return v
	}
	if v := read(0, 2, 2); uint32(v[0]) != 0xf2159e6e || v[1] != 5805 {
		t.Errorf("map %x, %d bytes", v[0], v[1])
	}
	if v := read(1, 3, 4); v[0] != 1 || v[1] != 0 || v[2] != 0 || v[3] != 0 {
		t.Errorf("map data %v", v)
	}
	read(2, 4, 0)
	tick := int32(0)
	for i := 3; i < 6; i++ {
		v := read(i, 6, 2)
		if i > 3 && v[0] != tick+1 || v[0] < 1 || v[1] != v[0]+1 {
			t.Errorf("snapshot %v", v)
		}
		tick = v[0]
	}
	// INPUT follows chunks that are resent.
	must(t, client.Queue(0, []byte("INFO"), true))
	must(t, client.Queue(0, input6(tick), false))
	client.Flush(0)
	answer := client.takeSent()[0]
	scratch := new(packet.Scratch)
	admits := func(now Time, from netip.AddrPort, b []byte) bool {
		j := tokens.Inspect6(now, from, b, scratch)
		return j.Action == ActionAccept && j.Handshake == HandshakeChallenged
	}
	if !admits(now, clientAddr, answer) || !admits(now+16*s, clientAddr, answer) {
		t.Error("not admitted")
	}
	if admits(now+33*s, clientAddr, answer) || admits(now, netip.MustParseAddrPort("192.0.2.7:40001"), answer) ||
		admits(now, netip.MustParseAddrPort("192.0.2.8:40000"), answer) {
		t.Error("accepted late, or from another address")
	}
	if tokens.Inspect6(now, clientAddr, answer, nil).Action != ActionIgnore {
		t.Error("accepted without inspection")
	}
	for _, b := range [][]byte{input6(tick + 1), input6(tick - 1), input6(-1), input6(0), input6(tick)[:3],
		packer.AppendInts(nil, []int32{sys6Input - 1, tick})} {
		if admits(now, clientAddr, data6(0, 6, packet.PlacedToken{}, packet.AppendChunk6(nil, 0, 0, b))) {
			t.Errorf("%x is an answer", b)
		}
	}
	// For many addresses, the challenge must be a valid tick with room behind it.
	for i := range 2000 {
		from := netip.AddrPortFrom(clientAddr.Addr(), uint16(i))
		if tick := int32(tokens.issue(now, kindChallenge, from)); tick < 3 || tick > 1<<30+2 {
			t.Fatalf("tick %d", tick)
		}
	}
}

// TestChallengedSequence checks that the first vital chunk from a challenged client sets the
// sequence number.
func TestChallengedSequence(t *testing.T) {
	server := newPeer(t, 0)
	must(t, server.Accept6(0, HandshakeChallenged, packet.NoToken))
	must(t, server.Queue(0, []byte("MAP_CHANGE"), true))
	server.Flush(0)
	if got := server.sentChunks(t); got != "1:7:MAP_CHANGE" {
		t.Errorf("sent %v", got)
	}
	must(t, server.Feed(0, data6(0, 6, packet.PlacedToken{}, vital6(1000, "a"), vital6(1001, "b"), vital6(1003, "d"), vital6(999, "old")), server))
	if len(server.got) != 2 || server.got[1] != "b" || server.recvSeq != 1001 || server.flags != packet.FlagResend {
		t.Errorf("%q, ack %d", server.got, server.recvSeq)
	}
	if server.Feed(0, data6(0, 8, packet.PlacedToken{}, vital6(1002, "c")), server) == nil {
		t.Error("accepted an ack of a chunk that was not sent")
	}
	must(t, server.Feed(0, data6(0, 7, packet.PlacedToken{}, vital6(1002, "c")), server))
	if n, _ := server.Unacked(); n != 0 || len(server.got) != 3 {
		t.Errorf("%d pending", n)
	}
}

func FuzzInspect(f *testing.F) {
	tokens, _ := NewTokenIssuer(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	f.Add(packet.AppendTokenRequest(nil, 5))
	f.Add(packet.AppendConnect(nil, 1, 5))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p packet.Packet
		if p.Parse(b, new(packet.Scratch)) != nil {
			return
		}
		v, drop := tokens.Inspect(0, ip, &p)
		if (v == ActionIgnore) != (drop != packet.DropNone) {
			t.Fatalf("%v, %v", v, drop)
		}
		if v == ActionAccept && !tokens.Valid(0, ip, p.Token) {
			t.Fatal("accepted without a valid token")
		}
	})
}
func FuzzInspect6(f *testing.F) {
	tokens, _ := NewTokenIssuer(nil)
	f.Add(packet.AppendConnect6(nil, packet.TokenAbsent, 5), false)
	f.Add(packet.AppendConnect6(nil, packet.TokenInTrailer, 5), false)
	f.Add(packet.AppendConnect6(nil, packet.TokenInHeader, 5), false)
	f.Add(packet.AppendControl6(nil, 0, trailerToken, packet.ControlClientAccept), true)
	f.Add(data6(0, 0, headerToken, vital6(1, "x")), true)
	f.Add(data6(0, 6, noToken, packet.AppendChunk6(nil, 0, 0, input6(5))), true)
	f.Fuzz(func(t *testing.T, b []byte, token bool) {
		if token && len(b) >= 8 {
			// Write the right token at any possible place.
			right := tokens.issue(0, kindHeader, clientAddr)
			if b[0]&0x10 != 0 {
				right = tokens.issue(0, kindTKEN, clientAddr)
			}
			b = append([]byte(nil), b...)
			if b[0]&0x08 != 0 {
				binary.BigEndian.PutUint32(b[3:], uint32(right))
			} else {
				binary.BigEndian.PutUint32(b[4:], uint32(right))
			}
		}
		j := tokens.Inspect6(0, clientAddr, b, new(packet.Scratch))
		if (j.Action == ActionIgnore) != (j.Drop != packet.DropNone) {
			t.Fatalf("%+v", j)
		}
		switch j.Action {
		case ActionIgnore, ActionChallenge:
		case ActionReplyToken:
			if r := j.AppendReply(nil); len(r) > len(b) {
				t.Fatalf("%d bytes are answered with %d", len(b), len(r))
			}
		case ActionAccept:
			if !token {
				t.Fatalf("%x accepted without the token", b)
			}
			c := newPeer(t, 0)
			must(t, c.Accept6(0, j.Handshake, j.Token))
			c.Feed(0, b, c)
		default:
			t.Fatalf("%+v", j)
		}
	})
}
