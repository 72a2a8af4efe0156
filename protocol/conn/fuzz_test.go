package conn

import (
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// FuzzFeed feeds datagrams to both roles in every state, with the right token put in
// where the input asks for it, and checks what must hold whatever a peer does.
//
// The script is a series of steps: a byte whose low bits choose the step, a length
// byte and as many bytes.
func FuzzFeed(f *testing.F) {
	step := func(op byte, b []byte) []byte { return append([]byte{op, byte(len(b))}, b...) }
	for state := range byte(6) {
		f.Add(state, step(0, data(0, 0, 0, vital(1, "a"), vital(2, "b"))))
		f.Add(state, append(step(2, []byte("out")), step(0, data(packet.FlagResend, 1, 0))...))
		f.Add(state, step(0, packet.AppendTokenReply(nil, 0, 5)))
		f.Add(state, step(0, packet.AppendControl(nil, 0, 0, packet.ControlAccept)))
		f.Add(state, step(0, packet.AppendClose(nil, 0, 0, "bye")))
		f.Add(state, step(1, packet.AppendConnless(nil, serverToken, 5, []byte("x"))))
	}
	f.Fuzz(func(t *testing.T, state byte, script []byte) {
		p := newPeer(t, 2000)
		var now Time
		token := packet.Token(serverToken)
		switch State(state % 6) {
		case StateToken:
			p.Dial(now, token)
		case StateConnect:
			p.Dial(now, token)
			p.Feed(now, packet.AppendTokenReply(nil, token, clientToken), p)
		case StatePending:
			p.Accept(now, token, clientToken)
		case StateOnline:
			p.Accept(now, token, clientToken)
			p.Feed(now, data(0, 0, token), p)
		case StateError:
			p.Accept(now, token, clientToken)
			p.Update(now + 11*s)
		}
		if p.State() != State(state%6) {
			t.Fatalf("%v, want %v", p.State(), State(state%6))
		}
		p.react = func(b []byte) {
			if len(b) == 0 {
				return
			}
			switch b[0] % 8 {
			case 0:
				p.Queue(now, b, true)
			case 1:
				p.Flush(now)
			case 2:
				p.Close(now, string(b))
			case 3:
				p.Update(now)
			case 4:
				p.Accept(now, token, clientToken)
			}
		}
		for len(script) >= 2 {
			op, n := script[0], min(int(script[1]), len(script)-2)
			b := append([]byte(nil), script[2:2+n]...)
			script = script[2+n:]
			p.sent, p.got = nil, nil
			switch op % 8 {
			case 0:
				if len(b) >= packet.HeaderSize {
					copy(b[3:], []byte{0xAA, 0xBB, 0xCC, 0xDD})
				}
				p.Feed(now, b, p)
			case 1:
				p.Feed(now, b, p)
			case 2:
				p.Queue(now, b, op&8 != 0)
			case 3:
				p.Flush(now)
			case 4:
				now += Time(n) * 20 * ms
				p.Update(now)
			case 5:
				p.Close(now, string(b))
			case 6:
				p.Accept(now, token, clientToken)
			case 7:
				p.Dial(now, token)
			}
			chunks, bytes := p.Unacked()
			if chunks > MaxUnacked || bytes > 2000 || (chunks == 0) != (bytes == 0) {
				t.Fatalf("%d chunks, %d bytes pending", chunks, bytes)
			}
			if out := (p.sentSeq - p.peerAck) & packet.SeqMask; out != chunks {
				t.Fatalf("%d chunks pending, %d not acked", chunks, out)
			}
			total := 0
			for _, d := range p.sent {
				total += len(d)
				var q packet.Packet
				if err := q.Parse(d, new(packet.Scratch)); err != nil {
					t.Fatalf("sent %x: %v", d, err)
				}
			}
			if total > 20000 {
				t.Fatalf("%d bytes sent in one step", total)
			}
		}
	})
}

func FuzzJudge(f *testing.F) {
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
			t.Fatal("admitted without a valid token")
		}
	})
}
