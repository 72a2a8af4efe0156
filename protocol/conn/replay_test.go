package conn

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/packet"
)

// recorded is one parsed datagram of a capture.
type recorded struct {
	flags     packet.Flags
	ack       int
	numChunks int
	control   packet.ControlID
	chunks    packet.ChunkReader
	token     packet.Token // the token in a handshake message
	response  packet.Token
	reason    string
}

func parseRecorded(t *testing.T, version Version, b []byte) recorded {
	b = bytes.Clone(b)
	var r recorded
	if version == V7 {
		var p packet.Packet
		must(t, p.Parse(b, new(packet.Scratch)))
		r = recorded{flags: p.Flags, ack: p.Ack, numChunks: p.NumChunks, chunks: p.Chunks(), token: p.Token, response: p.ResponseToken}
		if p.Flags&packet.FlagControl != 0 {
			r.control, r.reason = p.ControlID(), string(p.AppendReason(nil))
		}
		return r
	}
	var p packet.Packet6
	must(t, p.Parse(b, new(packet.Scratch)))
	r = recorded{flags: p.Flags, ack: p.Ack, numChunks: p.NumChunks}
	if p.Flags&packet.FlagControl != 0 {
		r.control, r.token = p.ControlID(), p.HandshakeToken().Token
	}
	p.CutTrailer()
	r.chunks = p.Chunks()
	if r.control == packet.ControlClose {
		r.reason = string(p.AppendReason(nil))
	}
	return r
}

// TestReplay replaces either program of a recorded session by a Conn. The Conn receives the
// datagrams of the other program and queues the same payloads. The Conn must send the same bytes.
func TestReplay(t *testing.T) {
	for _, v := range []struct {
		name     string
		capture  string
		version  Version
		isServer bool
		chunks   int // number of payloads that must be delivered at least
		sent     int // number of datagrams that must be sent at least
	}{
		{"0.7 client", golden.Join, V7, false, 300, 300},
		{"0.7 server", golden.Join, V7, true, 300, 300},
		{"0.6 client", golden.Join6, V6, false, 400, 400},
		{"0.6 server", golden.Join6, V6, true, 400, 400},
	} {
		t.Run(v.name, func(t *testing.T) {
			p := newPeer(t, 0)
			delivered, ahead, sent := 0, 0, 0
			for i, d := range golden.Datagrams(t, v.capture) {
				r := parseRecorded(t, v.version, d.B)
				if r.flags&packet.FlagConnless != 0 {
					continue
				}
				at, isControl := Time(d.At), r.flags&packet.FlagControl != 0
				if d.ToServer == v.isServer {
					if v.isServer && p.State() == StateOffline {
						switch {
						case v.version == V7 && r.control == packet.ControlConnect:
							must(t, p.Accept(at, r.token, r.response))
						case v.version == V6 && r.control == packet.ControlClientAccept:
							must(t, p.Accept6(at, HandshakeTKEN, r.token))
						}
						continue
					}
					p.got = nil
					if err := p.Feed(at, d.B, p); err != nil {
						t.Fatalf("datagram %d: %v", i, err)
					}
					if len(p.got) != r.numChunks {
						t.Fatalf("datagram %d: %d of %d chunks delivered", i, len(p.got), r.numChunks)
					}
					delivered += r.numChunks
					continue
				}
				switch {
				case !isControl:
					for c := (packet.Chunk{}); r.chunks.Next(&c); {
						must(t, p.Queue(at, c.Data, c.Flags&packet.ChunkVital != 0))
					}
					p.Flush(at)
				case v.isServer && p.State() == StateOffline:
					continue // that datagram came from a TokenIssuer
				case r.control == packet.ControlToken:
					must(t, p.Dial(at, r.response))
				case r.control == packet.ControlConnect && v.version == V6:
					must(t, p.Dial6(at, HandshakeTKEN, 0))
				case r.control == packet.ControlKeepAlive:
					p.lastSend = at - s - 1
					p.Update(at)
				case r.control == packet.ControlClose:
					p.Close(at, r.reason)
				}
				got := p.takeSent()
				if len(got) == 1 && p.recvSeq == (r.ack+1)&packet.SeqMask {
					// The capture has the order on the wire. The program had not yet read the last
					// datagram.
					ahead++
					got[0][0] = got[0][0]&^3 | d.B[0]&3
					got[0][1] = d.B[1]
				}
				if len(got) != 1 || !bytes.Equal(got[0], d.B) {
					t.Fatalf("datagram %d: sent\n%x, want\n%x", i, got, d.B)
				}
				sent++
			}
			if ahead > 5 || delivered < v.chunks || sent < v.sent {
				t.Errorf("%d of our acks were ahead, %d chunks delivered, %d datagrams sent", ahead, delivered, sent)
			}
			if v.isServer && !p.ClosedByPeer() || !v.isServer && p.State() != StateOffline {
				t.Errorf("%v at the end", p.State())
			}
		})
	}
}
