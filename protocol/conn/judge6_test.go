package conn

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

func input6(tick int32) []byte {
	b := packer.AppendInt(nil, sys6Input)
	return packer.AppendInts(b, []int32{tick, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
}

func TestJudge6(t *testing.T) {
	tokens, err := NewTokens(bytes.NewReader([]byte("a key of twenty-four byt")))
	must(t, err)
	from := netip.MustParseAddrPort("192.0.2.1:4000")
	port := netip.MustParseAddrPort("192.0.2.1:4001")
	now := 100 * s
	ask := func(from netip.AddrPort, place packet.Place) packet.Token {
		j := tokens.Judge6(now, from, packet.AppendConnect6(nil, place, clientToken), nil)
		if j.Verdict != Reply || j.Token == 0 || j.Token == packet.NoToken {
			t.Fatalf("%+v", j)
		}
		return j.Token
	}
	tkn := packet.Guard{Place: packet.InTrailer, Token: ask(from, packet.InTrailer)}
	head := packet.Guard{Place: packet.InHeader, Token: ask(from, packet.InHeader)}
	if ask(port, packet.InTrailer) != tkn.Token || ask(port, packet.InHeader) == head.Token {
		t.Error("DDNet's token is that of the address, 0.6.5's that of the address and port")
	}
	if tkn.Token == head.Token || tkn.Token == tokens.Token(now, from.Addr()) {
		t.Error("tokens for different ends are the same")
	}
	other := func(g packet.Guard) packet.Guard { g.Token++; return g }
	confirm := packet.AppendControl6(nil, 0, tkn, packet.Confirm)
	acks := func(b []byte) []byte { b = bytes.Clone(b); b[1] = 1; return b }
	for _, v := range []struct {
		name string
		b    []byte
		want Verdict
		how  Handshake
		drop packet.Drop
	}{
		{"plain CONNECT", packet.AppendConnect6(nil, packet.Nowhere, 0), Unproven, Plain, 0},
		{"padded CONNECT", append(packet.AppendConnect6(nil, packet.Nowhere, 0), make([]byte, 511)...), Unproven, Plain, 0},
		{"TKEN CONNECT", packet.AppendConnect6(nil, packet.InTrailer, 0), Reply, TKEN, 0},
		{"0.6.5 CONNECT", packet.AppendConnect6(nil, packet.InHeader, 5), Reply, HeaderToken, 0},
		{"ACCEPT", confirm, Admit, TKEN, 0},
		{"plain ACCEPT", packet.AppendControl6(nil, 0, packet.Guard{}, packet.Confirm), Ignore, 0, packet.DropState},
		{"ACCEPT with a wrong token", packet.AppendControl6(nil, 0, other(tkn), packet.Confirm), Ignore, 0, packet.DropToken},
		{"ACCEPT with 0.6.5's token", packet.AppendControl6(nil, 0, packet.Guard{Place: packet.InTrailer, Token: head.Token}, packet.Confirm), Ignore, 0, packet.DropToken},
		{"ACCEPT with 0.7's token", packet.AppendControl6(nil, 0, packet.Guard{Place: packet.InTrailer, Token: tokens.Token(now, from.Addr())}, packet.Confirm), Ignore, 0, packet.DropToken},
		{"ACCEPT with an ack", acks(confirm), Ignore, 0, packet.DropAck},
		{"data with DDNet's token", data6(0, 0, tkn, vital6(1, "x")), Ignore, 0, packet.DropState},
		{"KEEPALIVE with DDNet's token", packet.AppendControl6(nil, 0, tkn, packet.KeepAlive), Ignore, 0, packet.DropState},
		{"CLOSE", packet.AppendClose6(nil, 0, tkn, ""), Ignore, 0, packet.DropState},
		{"0.6.5 data", data6(0, 0, head, vital6(1, "x")), Admit, HeaderToken, 0},
		{"0.6.5 KEEPALIVE", packet.AppendControl6(nil, 0, head, packet.KeepAlive), Admit, HeaderToken, 0},
		{"0.6.5 data with an ack", data6(0, 1, head, vital6(1, "x")), Ignore, 0, packet.DropAck},
		{"0.6.5 data with a wrong token", data6(0, 0, other(head), vital6(1, "x")), Ignore, 0, packet.DropToken},
		{"0.6.5 CLOSE", packet.AppendClose6(nil, 0, head, ""), Ignore, 0, packet.DropState},
		{"0.6.5 CONNECT with token", packet.AppendControl6(nil, 0, head, packet.Connect), Ignore, 0, packet.DropState},
		{"INPUT that acks nothing of ours", data6(0, 0, packet.Guard{}, packet.AppendChunk6(nil, 0, 0, input6(77))), Ignore, 0, packet.DropState},
		{"bad Huffman code", []byte("\x80\x00\x01\xff"), Ignore, 0, packet.DropHuffman},
		{"connless", packet.AppendConnless6(nil, []byte("x")), Ignore, 0, packet.DropConnless},
		{"0.7", packet.AppendTokenRequest(nil, 5), Ignore, 0, packet.DropFlags},
		{"nothing", nil, Ignore, 0, packet.DropShort},
	} {
		j := tokens.Judge6(now, from, v.b, new(packet.Scratch))
		if j.Verdict != v.want || j.Drop != v.drop || v.want != Ignore && j.Handshake != v.how {
			t.Errorf("%s: %v, %v, %v", v.name, j.Verdict, j.Handshake, j.Drop)
		}
		if v.want == Reply {
			if r := j.AppendReply(nil); len(r) > len(v.b) {
				t.Errorf("%s: %d bytes are answered with %d", v.name, len(v.b), len(r))
			}
		}
	}
	// Tokens expire, and are for one address each.
	inHead := data6(0, 0, head, vital6(1, "x"))
	for _, b := range [][]byte{confirm, inHead} {
		if tokens.Judge6(now+16*s, from, b, nil).Verdict != Admit || tokens.Judge6(now+33*s, from, b, nil).Verdict != Ignore {
			t.Error("a token is not good for 16 to 32 seconds")
		}
		if tokens.Judge6(now, netip.MustParseAddrPort("192.0.2.2:4000"), b, nil).Verdict != Ignore {
			t.Error("the token of another address")
		}
	}
	if tokens.Judge6(now, port, inHead, nil).Verdict != Ignore || tokens.Judge6(now, port, confirm, nil).Verdict != Admit {
		t.Error("the token of another port")
	}
}

// TestJudgementClose: the refusal has the form that the client understands.
func TestJudgementClose(t *testing.T) {
	for _, v := range []struct {
		j    Judgement
		want string
	}{
		{Judgement{Verdict: Unproven, Handshake: Plain, Token: packet.NoToken}, "10000004686900"},
		{Judgement{Verdict: Admit, Handshake: Challenged, Token: packet.NoToken}, "10000004686900"},
		{Judgement{Verdict: Reply, Handshake: TKEN, Token: serverToken}, "10000004686900"},
		{Judgement{Verdict: Admit, Handshake: TKEN, Token: serverToken}, "10000004686900aabbccdd"},
		{Judgement{Verdict: Reply, Handshake: HeaderToken, Token: serverToken, client: clientToken}, "1800000102030404686900"},
		{Judgement{Verdict: Admit, Handshake: HeaderToken, Token: serverToken}, "180000aabbccdd04686900"},
	} {
		if got := hex.EncodeToString(v.j.AppendClose(nil, "hi")); got != v.want {
			t.Errorf("%v of %v: %s, want %s", v.j.Verdict, v.j.Handshake, got, v.want)
		}
	}
}

// TestChallenge reads the challenge as a client does, and answers it.
func TestChallenge(t *testing.T) {
	tokens, err := NewTokens(nil)
	must(t, err)
	now := 100 * s
	b := tokens.AppendChallenge(nil, now, seat6)
	if len(b) > 90 {
		t.Errorf("%d bytes", len(b))
	}
	client := newPeer(t, 0)
	must(t, client.Dial6(0, Plain, 0))
	must(t, client.Feed(0, packet.AppendAccept6(nil, packet.Guard{}, 0), client))
	must(t, client.Feed(0, b, client))
	client.take()
	if len(client.got) != 6 || client.ack != 6 {
		t.Fatalf("%q", client.got)
	}
	var u packer.Unpacker
	read := func(i, id, n int) (v []int32) {
		u.Reset([]byte(client.got[i]))
		if got := u.Int(); got != int32(id<<1|1) {
			t.Errorf("message %d is %d", i, got)
		}
		if id == 2 && string(u.String(packer.Sanitize(0))) != "dm1" {
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
	// INPUT comes behind chunks that are sent again.
	must(t, client.Queue(0, []byte("INFO"), true))
	must(t, client.Queue(0, input6(tick), false))
	client.Flush(0)
	answer := client.take()[0]
	scratch := new(packet.Scratch)
	admits := func(now Time, from netip.AddrPort, b []byte) bool {
		j := tokens.Judge6(now, from, b, scratch)
		return j.Verdict == Admit && j.Handshake == Challenged
	}
	if !admits(now, seat6, answer) || !admits(now+16*s, seat6, answer) {
		t.Error("not admitted")
	}
	if admits(now+33*s, seat6, answer) || admits(now, netip.MustParseAddrPort("192.0.2.7:40001"), answer) ||
		admits(now, netip.MustParseAddrPort("192.0.2.8:40000"), answer) {
		t.Error("admitted late, or from elsewhere")
	}
	if tokens.Judge6(now, seat6, answer, nil).Verdict != Ignore {
		t.Error("admitted without a look")
	}
	for _, b := range [][]byte{input6(tick + 1), input6(tick - 1), input6(-1), input6(0), input6(tick)[:3], packer.AppendInts(nil, []int32{sys6Input - 1, tick})} {
		if admits(now, seat6, data6(0, 6, packet.Guard{}, packet.AppendChunk6(nil, 0, 0, b))) {
			t.Errorf("%x is an answer", b)
		}
	}
	// For many addresses: a tick that is one, and room behind it.
	for i := range 2000 {
		from := netip.AddrPortFrom(seat6.Addr(), uint16(i))
		if tick := int32(tokens.at(tokenTick, epoch(now), from)); tick < 3 || tick > 1<<30+2 {
			t.Fatalf("tick %d", tick)
		}
	}
}

// TestChallengedSequence: what the client sends first is taken as the beginning.
func TestChallengedSequence(t *testing.T) {
	server := newPeer(t, 0)
	must(t, server.Accept6(0, Challenged, packet.NoToken))
	must(t, server.Queue(0, []byte("MAP_CHANGE"), true))
	server.Flush(0)
	_, chunks := parse6(t, server.take())
	if len(chunks) != 1 || chunks[0].Seq != 7 {
		t.Errorf("sent %+v", chunks)
	}
	must(t, server.Feed(0, data6(0, 6, packet.Guard{}, vital6(1000, "a"), vital6(1001, "b"), vital6(1003, "d"), vital6(999, "old")), server))
	if len(server.got) != 2 || server.got[1] != "b" || server.ack != 1001 || server.flags != packet.Resend {
		t.Errorf("%q, ack %d", server.got, server.ack)
	}
	if server.Feed(0, data6(0, 8, packet.Guard{}, vital6(1002, "c")), server) == nil {
		t.Error("an ack of what was not sent")
	}
	must(t, server.Feed(0, data6(0, 7, packet.Guard{}, vital6(1002, "c")), server))
	if n, _ := server.Pending(); n != 0 || len(server.got) != 3 {
		t.Errorf("%d pending", n)
	}
}

// parse6 returns the packets sent by a connection without tokens, and their chunks.
func parse6(t testing.TB, sent [][]byte) (packets []packet.Packet6, chunks []packet.Chunk) {
	for _, b := range sent {
		var p packet.Packet6
		must(t, p.Parse(b, new(packet.Scratch)))
		packets = append(packets, p)
		if p.Flags&packet.Control != 0 {
			continue
		}
		var c packet.Chunk
		for it := p.Chunks(); it.Next(&c); {
			chunks = append(chunks, c)
		}
	}
	return packets, chunks
}
