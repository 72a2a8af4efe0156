package conn

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// TestHostile6: without the token nothing of a packet counts.
func TestHostile6(t *testing.T) {
	wrong := map[Handshake][]packet.PlacedToken{
		HandshakeTKEN:        {plain, header, {Place: packet.TokenInTrailer, Token: serverToken + 1}, {Place: packet.TokenInTrailer, Token: clientToken}},
		HandshakeHeaderToken: {plain, tkn, {Place: packet.TokenInHeader, Token: clientToken}},
		HandshakePlain:       {header},
	}
	for how, guards := range wrong {
		client, server := online6(t, 0, how)
		must(t, client.Queue(0, []byte("a"), true))
		must(t, server.Queue(0, []byte("b"), true))
		for _, p := range []*peer{client, server} {
			p.Flush(0)
			p.take()
			for _, g := range guards {
				for _, b := range [][]byte{
					data6(0, 1, g, vital6(1, "evil")),
					data6(packet.FlagResend, 1, g),
					packet.AppendControl6(nil, 1, g, packet.ControlKeepAlive),
					packet.AppendClose6(nil, 1, g, "go away"),
				} {
					if p.Feed(5*s, b, p) == nil {
						t.Errorf("%v took %x", how, b)
					}
				}
			}
			if n, _ := p.Unacked(); n != 1 || len(p.got) != 0 || p.State() != StateOnline || p.LastReceived() != 0 || len(p.take()) != 0 {
				t.Errorf("%v: %d pending, got %q, %v", how, n, p.got, p.State())
			}
		}
	}
}

// TestMalformed6: control packets that the original would read beyond their end.
func TestMalformed6(t *testing.T) {
	for how := HandshakeTKEN; how <= HandshakePlain; how++ {
		_, server := online6(t, 0, how)
		g := server.v6.token
		for _, v := range []struct {
			b    []byte
			want packet.DropReason
		}{
			{packet.AppendHeader6(nil, packet.FlagControl, 0, 0, g), packet.DropBadControl},
			{packet.AppendControl6(nil, 0, g, 5), packet.DropBadControl},
			{packet.AppendControl6(nil, 1, g, packet.ControlKeepAlive), packet.DropBadAck},
			{data6(0, 0, g), packet.DropEmpty},
			{data6(0, 0, g, []byte("\x3f\x0f")), packet.DropBadChunk},
			{[]byte("\x00\x00"), packet.DropTooShort},
			{make([]byte, 1401), packet.DropTooLong},
			{packet.AppendConnless6(nil, []byte("x")), packet.DropConnless},
		} {
			if err := server.Feed(s, v.b, server); !errors.Is(err, v.want) {
				t.Errorf("%v, %x: %v, want %v", how, v.b[:min(len(v.b), 20)], err, v.want)
			}
		}
		if server.State() != StateOnline || len(server.got) != 0 {
			t.Errorf("%v, got %q", server.State(), server.got)
		}
	}
}

// TestVersionConfusion: a connection drops what is clearly of the other version, and
// counts it.
func TestVersionConfusion(t *testing.T) {
	for how := HandshakeTKEN; how <= HandshakePlain; how++ {
		client, server := online6(t, 0, how)
		n := uint32(0)
		for _, b := range [][]byte{
			packet.AppendTokenRequest(nil, clientToken),
			packet.AppendConnect(nil, serverToken, clientToken),
			packet.AppendControl(nil, 0, serverToken, packet.ControlKeepAlive),
			packet.AppendClose(nil, 0, serverToken, "x"),
			packet.AppendPacket(nil, 0, 0, 2, serverToken, make([]byte, 100)),
		} {
			for _, p := range []*peer{client, server} {
				if err := p.Feed(s, b, p); !errors.Is(err, packet.DropOtherVersion) {
					t.Errorf("%v, %x: %v", how, b[:8], err)
				}
			}
			n++
		}
		if client.DropCounts()[packet.DropOtherVersion] != n || client.State() != StateOnline || server.State() != StateOnline {
			t.Errorf("%d drops", client.DropCounts()[packet.DropOtherVersion])
		}
	}
	client, server := connect(t, 0, 0)
	for _, b := range [][]byte{
		packet.AppendConnect6(nil, packet.TokenAbsent, 0),
		packet.AppendConnect6(nil, packet.TokenInTrailer, 0),
		packet.AppendConnect6(nil, packet.TokenInHeader, clientToken),
		packet.AppendAccept6(nil, tkn, 0),
		packet.AppendClose6(nil, 0, tkn, "x"),
		packet.AppendClose6(nil, 0, packet.PlacedToken{Place: packet.TokenInHeader, Token: 5}, "x"),
		data6(packet.FlagResend, 0, packet.PlacedToken{Place: packet.TokenInTrailer, Token: 5}),
		data6(0, 0, packet.PlacedToken{Place: packet.TokenInHeader, Token: 5}, packet.AppendChunk6(nil, 0, 0, make([]byte, 100))),
	} {
		for _, p := range []*peer{client, server} {
			if err := p.Feed(s, b, p); !errors.Is(err, packet.DropOtherVersion) {
				t.Errorf("%x: %v", b[:4], err)
			}
		}
	}
	if client.State() != StateOnline || server.State() != StateOnline || server.LastReceived() != 0 {
		t.Errorf("%v, %v", client.State(), server.State())
	}
}
