package conn

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

type captured struct {
	at         Time
	fromServer bool
	b          []byte
}

// capture reads the recorded match: pcap, Ethernet, IPv4.
func capture(t testing.TB) (out []captured) {
	b, err := os.ReadFile("../packet/testdata/teeworlds-0.7.5-dm1.pcap")
	if err != nil {
		t.Fatal(err)
	}
	for b = b[24:]; len(b) > 0; {
		n := binary.LittleEndian.Uint32(b[8:])
		frame := b[16 : 16+n]
		out = append(out, captured{
			at:         Time(binary.LittleEndian.Uint32(b))*s + Time(binary.LittleEndian.Uint32(b[4:]))*ms/1000,
			fromServer: binary.BigEndian.Uint16(frame[14+20:]) == 8311,
			b:          frame[14+20+8:],
		})
		b = b[16+n:]
	}
	return out
}

// TestReplay puts our connection in place of either program: it is fed what the other
// one sent, is given the same payloads to send, and must send the same bytes.
func TestReplay(t *testing.T) {
	for _, server := range []bool{false, true} {
		name := "client"
		if server {
			name = "server"
		}
		t.Run(name, func(t *testing.T) { replay(t, server) })
	}
}

func replay(t *testing.T, server bool) {
	all := capture(t)
	var first packet.Packet
	must(t, first.Parse(all[0].b, new(packet.Scratch)))
	client := first.ResponseToken

	us := newPeer(t, 0)
	delivered, early := 0, 0
	for i, d := range all {
		var p packet.Packet
		must(t, p.Parse(bytes.Clone(d.b), new(packet.Scratch)))
		control := p.Flags&packet.FlagControl != 0
		if d.fromServer != server {
			switch {
			case server && us.State() == StateOffline && p.ControlID() == packet.ControlToken:
				continue
			case server && us.State() == StateOffline && p.ControlID() == packet.ControlConnect:
				must(t, us.Accept(d.at, p.Token, p.ResponseToken))
				continue
			}
			us.got = nil
			if err := us.Feed(d.at, d.b, us); err != nil {
				t.Fatalf("datagram %d: %v", i, err)
			}
			if len(us.got) != p.NumChunks {
				t.Fatalf("datagram %d: %d of %d chunks delivered", i, len(us.got), p.NumChunks)
			}
			delivered += p.NumChunks
			continue
		}
		switch {
		case !control:
			var c packet.Chunk
			for it := p.Chunks(); it.Next(&c); {
				must(t, us.Queue(d.at, c.Data, c.Flags&packet.ChunkVital != 0))
			}
			us.Flush(d.at)
		case p.ControlID() == packet.ControlToken && server:
			continue // Tokens answers
		case p.ControlID() == packet.ControlToken:
			must(t, us.Dial(d.at, client))
		case p.ControlID() == packet.ControlClose:
			us.Close(d.at, string(p.AppendReason(nil)))
		}
		sent := us.take()
		if len(sent) == 1 && us.recvSeq == (p.Ack+1)&packet.SeqMask {
			// The recording has the order on the wire; the program had
			// not read the last datagram yet.
			early++
			sent[0][0] = sent[0][0]&^3 | d.b[0]&3
			sent[0][1] = d.b[1]
		}
		if len(sent) != 1 || !bytes.Equal(sent[0], d.b) {
			t.Fatalf("datagram %d: sent\n%x, want\n%x", i, sent, d.b)
		}
	}
	if early > 5 {
		t.Errorf("%d of our acks were ahead", early)
	}
	if delivered < 300 {
		t.Errorf("only %d chunks delivered", delivered)
	}
	if server && !us.ClosedByPeer() || !server && us.State() != StateOffline {
		t.Errorf("%v at the end", us.State())
	}
}
