package conn

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

type malformed struct {
	b    []byte
	want packet.DropReason
}

// TestMalformed feeds packets that cannot be parsed, or whose end the original reads past. These
// packets must not change the connection.
func TestMalformed(t *testing.T) {
	for _, v := range variants {
		client, server := v.connect(t, 0, 0)
		for _, p := range []*peer{client, server} {
			must(t, p.Queue(0, []byte("x"), true))
			p.Flush(0)
			p.takeSent()
			cases := []malformed{
				{p.control(0, 6), packet.DropBadControl},
				{p.control(2, packet.ControlKeepAlive), packet.DropBadAck},
				{[]byte("\x00\x00"), packet.DropTooShort},
				{make([]byte, 1401), packet.DropTooLong},
			}
			if v.version == V7 {
				header := packet.AppendHeader(nil, packet.FlagControl, 1, 0, p.token)
				withChunks := packet.AppendHeader(nil, packet.FlagControl, 1, 1, p.token)
				cases = append(cases, []malformed{
					{header, packet.DropBadControl},
					{append(withChunks, byte(packet.ControlKeepAlive)), packet.DropBadControl},
					{p.control(1, 3), packet.DropBadControl},
					{append(p.control(1, packet.ControlToken), 1, 2, 3), packet.DropBadControl},
					{packet.AppendConnless(nil, p.token, 1, nil), packet.DropConnless},
				}...)
			} else {
				cases = append(cases, []malformed{
					{packet.AppendHeader6(nil, packet.FlagControl, 0, 0, p.v6.token), packet.DropBadControl},
					{p.control(0, 5), packet.DropBadControl},
					{p.data(0, 0), packet.DropEmpty},
					{packet.AppendConnless6(nil, []byte("x")), packet.DropConnless},
				}...)
			}
			bad := uint32(0)
			for _, c := range cases {
				if err := p.Feed(5*s, c.b, p); !errors.Is(err, c.want) {
					t.Errorf("%v, %x: %v, want %v", v, c.b[:min(len(c.b), 20)], err, c.want)
				}
				if c.want == packet.DropBadControl {
					bad++
				}
			}
			if n, _ := p.Unacked(); n != 1 || p.LastReceived() != 0 || p.DropCounts()[packet.DropBadControl] != bad ||
				p.State() != StateOnline || len(p.got) != 0 {
				t.Errorf("%v: %d unacked, last received %v, %d drops, %v", v, n, p.LastReceived(), p.DropCounts()[packet.DropBadControl], p.State())
			}
			// Chunks before a truncated one are delivered.
			b := p.data(0, 0, p.vital(1, "a"), []byte("\x3f\x0f"))
			if err := p.Feed(0, b, p); !errors.Is(err, packet.DropBadChunk) || len(p.got) != 1 || p.DropCounts()[packet.DropBadChunk] != 1 {
				t.Errorf("%v: %v, got %q", v, err, p.got)
			}
		}
	}
}

// TestOtherVersion checks that a connection drops and counts packets that clearly belong to the
// other version.
func TestOtherVersion(t *testing.T) {
	of7 := [][]byte{
		packet.AppendTokenRequest(nil, clientToken),
		packet.AppendConnect(nil, serverToken, clientToken),
		packet.AppendControl(nil, 0, serverToken, packet.ControlKeepAlive),
		packet.AppendClose(nil, 0, serverToken, "x"),
		packet.AppendPacket(nil, 0, 0, 2, serverToken, make([]byte, 100)),
	}
	of6 := [][]byte{
		packet.AppendConnect6(nil, packet.TokenAbsent, 0),
		packet.AppendConnect6(nil, packet.TokenInTrailer, 0),
		packet.AppendConnect6(nil, packet.TokenInHeader, clientToken),
		packet.AppendAccept6(nil, trailerToken, 0),
		packet.AppendClose6(nil, 0, trailerToken, "x"),
		packet.AppendClose6(nil, 0, HandshakeHeaderToken.placeToken(5), "x"),
		data6(packet.FlagResend, 0, HandshakeTKEN.placeToken(5)),
		data6(0, 0, HandshakeHeaderToken.placeToken(5), packet.AppendChunk6(nil, 0, 0, make([]byte, 100))),
	}
	eachVariant(t, 0, func(t *testing.T, client, server *peer) {
		datagrams := of7
		if client.Version() == V7 {
			datagrams = of6
		}
		for _, p := range []*peer{client, server} {
			for _, b := range datagrams {
				if err := p.Feed(s, b, p); !errors.Is(err, packet.DropOtherVersion) {
					t.Errorf("%x: %v", b[:4], err)
				}
			}
			if int(p.DropCounts()[packet.DropOtherVersion]) != len(datagrams) || p.State() != StateOnline || p.LastReceived() != 0 {
				t.Errorf("%d drops, %v", p.DropCounts()[packet.DropOtherVersion], p.State())
			}
		}
	})
}
