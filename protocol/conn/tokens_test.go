package conn

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
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
		t.Error("a key was made from nothing")
	}
}

func TestJudge(t *testing.T) {
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
		{"data", data(0, 0, own, vital(1, "x")), ActionIgnore, packet.DropWrongState},
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

func TestJudgeNoAllocations(t *testing.T) {
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

func BenchmarkJudge(b *testing.B) {
	tokens, _ := NewTokenIssuer(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	var p packet.Packet
	p.Parse(packet.AppendConnect(nil, 5, 6), new(packet.Scratch))
	b.ReportAllocs()
	for b.Loop() {
		tokens.Inspect(0, ip, &p)
	}
}
