package conn

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/packet"
)

// TestReplay6 puts our connection in place of either of DDNet's programs: it is fed
// what the other one sent, is given the same payloads to send, and must send the same
// bytes.
func TestReplay6(t *testing.T) {
	for _, server := range []bool{false, true} {
		name := "client"
		if server {
			name = "server"
		}
		t.Run(name, func(t *testing.T) { replay6(t, server) })
	}
}

func replay6(t *testing.T, server bool) {
	us := newPeer(t, 0)
	delivered, early, ours := 0, 0, 0
	for i, d := range golden.Datagrams(t, golden.Join6) {
		var p packet.Packet6
		must(t, p.Parse(bytes.Clone(d.B), new(packet.Scratch)))
		if p.Flags&packet.FlagConnless != 0 {
			continue
		}
		at, control := Time(d.At), p.Flags&packet.FlagControl != 0
		if d.ToServer == server {
			if server && us.State() == StateOffline {
				if p.ControlID() == packet.ControlClientAccept {
					must(t, us.Accept6(at, HandshakeTKEN, p.HandshakeToken().Token))
				}
				continue
			}
			us.got = nil
			if err := us.Feed(at, d.B, us); err != nil {
				t.Fatalf("datagram %d: %v", i, err)
			}
			if len(us.got) != p.NumChunks {
				t.Fatalf("datagram %d: %d of %d chunks delivered", i, len(us.got), p.NumChunks)
			}
			delivered += p.NumChunks
			if len(us.sent) == 0 || control && p.ControlID() == packet.ControlAccept {
				continue // an ACCEPT comes by itself
			}
		}
		if d.ToServer == server {
			t.Fatalf("datagram %d: answered with %x", i, us.sent)
		}
		switch {
		case !control:
			token, _ := p.CutTrailer()
			if token != us.Token() {
				t.Fatalf("datagram %d: token %x", i, token)
			}
			var c packet.Chunk
			for it := p.Chunks(); it.Next(&c); {
				must(t, us.Queue(at, c.Data, c.Flags&packet.ChunkVital != 0))
			}
			us.Flush(at)
		case p.ControlID() == packet.ControlAccept:
			continue // Tokens answers
		case p.ControlID() == packet.ControlConnect:
			must(t, us.Dial6(at, HandshakeTKEN, 0))
		case p.ControlID() == packet.ControlKeepAlive:
			us.lastSend = at - s - 1
			us.Update(at)
		case p.ControlID() == packet.ControlClose:
			p.CutTrailer()
			us.Close(at, string(p.AppendReason(nil)))
		}
		sent := us.take()
		if len(sent) == 1 && us.recvSeq == (p.Ack+1)&packet.SeqMask {
			// The recording has the order on the wire; the program had
			// not read the last datagram yet.
			early++
			sent[0][0] = sent[0][0]&^3 | d.B[0]&3
			sent[0][1] = d.B[1]
		}
		if len(sent) != 1 || !bytes.Equal(sent[0], d.B) {
			t.Fatalf("datagram %d: sent\n%x, want\n%x", i, sent, d.B)
		}
		ours++
	}
	if early > 5 || delivered < 400 || ours < 400 {
		t.Errorf("%d of our acks were ahead, %d chunks delivered, %d datagrams sent", early, delivered, ours)
	}
	if server && !us.ClosedByPeer() || !server && us.State() != StateOffline {
		t.Errorf("%v at the end", us.State())
	}
}
