package conn

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
)

func TestTokens(t *testing.T) {
	tokens, err := NewTokens(bytes.NewReader(make([]byte, 24)))
	must(t, err)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	now := 1000 * s
	token := tokens.Token(now, a)
	if token == tokens.Token(now, b) || token == tokens.Global(now) {
		t.Error("different addresses have the same token")
	}
	if token != tokens.Token(now, netip.MustParseAddr("::ffff:192.0.2.1")) {
		t.Error("an IPv4 address has another token in its IPv6 form")
	}
	other, err := NewTokens(nil)
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
	if _, err := NewTokens(bytes.NewReader(nil)); err == nil {
		t.Error("a key was made from nothing")
	}
}

func TestJudge(t *testing.T) {
	tokens, err := NewTokens(nil)
	must(t, err)
	ip := netip.MustParseAddr("2001:db8::1")
	now := 100 * s
	own := tokens.Token(now, ip)
	const theirs = 0x01020304
	padded := func(extra int) []byte {
		b := packet.AppendControl(nil, 0, packet.NoToken, packet.TokenExchange)
		b = append(b, 1, 2, 3, 4)
		return append(b, make([]byte, extra)...)
	}
	for _, v := range []struct {
		name string
		b    []byte
		want Verdict
		drop packet.Drop
	}{
		{"token request", packet.AppendTokenRequest(nil, theirs), Reply, packet.DropNone},
		{"token request of 512 bytes of payload", padded(507), Reply, packet.DropNone},
		{"token request of 511", padded(506), Ignore, packet.DropPadding},
		{"token request without response token", packet.AppendTokenRequest(nil, packet.NoToken), Ignore, packet.DropControl},
		{"connect", packet.AppendConnect(nil, own, theirs), Admit, packet.DropNone},
		{"connect with no token", packet.AppendConnect(nil, packet.NoToken, theirs), Ignore, packet.DropToken},
		{"connect with a wrong token", packet.AppendConnect(nil, own+1, theirs), Ignore, packet.DropToken},
		{"connect with the global token", packet.AppendConnect(nil, tokens.Global(now), theirs), Ignore, packet.DropToken},
		{"connect without response token", packet.AppendControl(nil, 0, own, packet.Connect), Ignore, packet.DropControl},
		{"keep-alive", packet.AppendControl(nil, 0, own, packet.KeepAlive), Ignore, packet.DropState},
		{"data", data(0, 0, own, vital(1, "x")), Ignore, packet.DropState},
		{"connless", packet.AppendConnless(nil, own, theirs, []byte("x")), Connless, packet.DropNone},
		{"connless with no token", packet.AppendConnless(nil, packet.NoToken, theirs, nil), Ignore, packet.DropToken},
		{"connless with the global token", packet.AppendConnless(nil, tokens.Global(now), theirs, nil), Ignore, packet.DropToken},
		{"token reply", packet.AppendTokenReply(nil, own, theirs), Exchanged, packet.DropNone},
		{"token reply to a broadcast", packet.AppendTokenReply(nil, tokens.Global(now), theirs), Exchanged, packet.DropNone},
		{"token reply with a wrong token", packet.AppendTokenReply(nil, own+1, theirs), Ignore, packet.DropToken},
		{"token reply without token", packet.AppendControl(nil, 0, own, packet.TokenExchange), Ignore, packet.DropControl},
	} {
		var p packet.Packet
		must(t, p.Parse(v.b, new(packet.Scratch)))
		if got, drop := tokens.Judge(now, ip, &p); got != v.want || drop != v.drop {
			t.Errorf("%s: %v, %v, want %v, %v", v.name, got, drop, v.want, v.drop)
		}
	}
}

func TestJudgeNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	tokens, _ := NewTokens(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	b := packet.AppendConnect(nil, 5, 6)
	var scratch packet.Scratch
	if n := testing.AllocsPerRun(10, func() {
		var p packet.Packet
		p.Parse(b, &scratch)
		tokens.Judge(0, ip, &p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	tokens, _ := NewTokens(nil)
	ip := netip.MustParseAddr("192.0.2.1")
	var p packet.Packet
	p.Parse(packet.AppendConnect(nil, 5, 6), new(packet.Scratch))
	b.ReportAllocs()
	for b.Loop() {
		tokens.Judge(0, ip, &p)
	}
}
