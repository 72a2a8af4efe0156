package conn

import (
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// FuzzFeed6 is FuzzFeed for 0.6: datagrams for both roles, all handshakes and states,
// with the right token put in where the input asks for it.
func FuzzFeed6(f *testing.F) {
	step := func(op byte, b []byte) []byte { return append([]byte{op, byte(len(b))}, b...) }
	for state := range byte(16) {
		f.Add(state, step(0, data6(0, 0, tkn, vital6(1, "a"), vital6(2, "b"))))
		f.Add(state, append(step(2, []byte("out")), step(0, data6(packet.FlagResend, 1, header))...))
		f.Add(state, append(step(1, packet.AppendConnect6(nil, packet.TokenInTrailer, 0)), step(8, packet.AppendControl6(nil, 0, tkn, packet.ControlClientAccept))...))
		f.Add(state, step(1, packet.AppendAccept6(nil, tkn, 0)))
		f.Add(state, step(1, packet.AppendAccept6(nil, header, clientToken)))
		f.Add(state, step(1, packet.AppendAccept6(nil, plain, 0)))
		f.Add(state, step(0, packet.AppendClose6(nil, 0, tkn, "bye")))
		f.Add(state, step(1, packet.AppendConnless6(nil, []byte("x"))))
	}
	f.Fuzz(func(t *testing.T, state byte, script []byte) {
		p := newPeer(t, 2000)
		var now Time
		how := Handshake(state & 3)
		slack := 0 // what can be acked without having been queued
		switch state >> 2 & 3 {
		case 0:
			if how == HandshakeChallenged {
				how = HandshakePlain
			}
			p.Dial6(now, how, clientToken)
		case 1:
			if how == HandshakeChallenged {
				how = HandshakePlain
			}
			p.Dial6(now, how, clientToken)
			p.Feed(now, packet.AppendAccept6(nil, map[Handshake]packet.PlacedToken{HandshakeTKEN: tkn, HandshakeHeaderToken: header}[how], clientToken), p)
			if p.State() != StateOnline {
				t.Fatalf("%v after CONNECTACCEPT", p.State())
			}
		case 2:
			p.Accept6(now, how, serverToken)
		case 3:
			p.Accept6(now, how, serverToken)
			p.Update(now + 11*s)
		}
		accept := func() {
			p.Accept6(now, how, serverToken)
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
				accept()
			}
		}
		for len(script) >= 2 {
			op, n := script[0], min(int(script[1]), len(script)-2)
			b := append([]byte(nil), script[2:2+n]...)
			script = script[2+n:]
			p.sent, p.got = nil, nil
			switch op % 8 {
			case 0:
				token := p.v6.token.Token
				if op&8 != 0 {
					token = nextToken(token)
				}
				switch {
				case p.v6.token.Place == packet.TokenInHeader && len(b) >= 7:
					binary.BigEndian.PutUint32(b[3:], uint32(token))
				case p.v6.token.Place == packet.TokenInTrailer && len(b) >= 7:
					binary.BigEndian.PutUint32(b[len(b)-4:], uint32(token))
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
				accept()
			case 7:
				p.Dial6(now, how, clientToken)
			}
			chunks, bytes := p.Unacked()
			if chunks > MaxUnacked || bytes > 2000 || (chunks == 0) != (bytes == 0) {
				t.Fatalf("%d chunks, %d bytes pending", chunks, bytes)
			}
			slack = 0
			if p.v6.handshake == HandshakeChallenged {
				slack = challengeChunks
			}
			if out := (p.sentSeq - p.peerAck) & packet.SeqMask; out < chunks || out > chunks+slack {
				t.Fatalf("%d chunks pending, %d not acked", chunks, out)
			}
			total := 0
			for _, d := range p.sent {
				total += len(d)
				var q packet.Packet6
				if err := q.Parse(d, new(packet.Scratch)); err != nil {
					t.Fatalf("sent %x: %v", d, err)
				}
			}
			if total > 20000 {
				t.Fatalf("%d bytes sent in one step", total)
			}
			if p.Rejoined() && (!p.isServer || chunks != 0 || p.v6.token.Place != packet.TokenInTrailer) {
				t.Fatal("rejoined what cannot be")
			}
		}
	})
}

func FuzzJudge6(f *testing.F) {
	tokens, _ := NewTokenIssuer(nil)
	f.Add(packet.AppendConnect6(nil, packet.TokenAbsent, 5), false)
	f.Add(packet.AppendConnect6(nil, packet.TokenInTrailer, 5), false)
	f.Add(packet.AppendConnect6(nil, packet.TokenInHeader, 5), false)
	f.Add(packet.AppendControl6(nil, 0, tkn, packet.ControlClientAccept), true)
	f.Add(data6(0, 0, header, vital6(1, "x")), true)
	f.Add(data6(0, 6, plain, packet.AppendChunk6(nil, 0, 0, input6(5))), true)
	f.Fuzz(func(t *testing.T, b []byte, token bool) {
		if token && len(b) >= 8 {
			// The right one, wherever it may stand.
			right := tokens.issue(0, kindHeader, seat6)
			if b[0]&0x10 != 0 {
				right = tokens.issue(0, kindTKEN, seat6)
			}
			b = append([]byte(nil), b...)
			if b[0]&0x08 != 0 {
				binary.BigEndian.PutUint32(b[3:], uint32(right))
			} else {
				binary.BigEndian.PutUint32(b[4:], uint32(right))
			}
		}
		j := tokens.Inspect6(0, seat6, b, new(packet.Scratch))
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
				t.Fatalf("%x admitted without the token", b)
			}
			c := newPeer(t, 0)
			must(t, c.Accept6(0, j.Handshake, j.Token))
			c.Feed(0, b, c)
		default:
			t.Fatalf("%+v", j)
		}
	})
}
