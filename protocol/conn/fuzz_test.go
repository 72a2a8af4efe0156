package conn

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// fuzzStep encodes a step of a fuzz script: a byte whose low bits choose the action, a length, and
// that many bytes.
func fuzzStep(op byte, b []byte) []byte { return append([]byte{op, byte(len(b))}, b...) }

// fuzz runs a script on p and checks invariants that hold whatever a peer does. addToken writes the
// right token into a datagram, or the token for a rejoin.
func (p *peer) fuzz(t *testing.T, script []byte, dial, accept func(now Time), addToken func(b []byte, rejoin bool)) {
	var now Time
	p.onChunk = func(b []byte) {
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
			accept(now)
		}
	}
	for len(script) >= 2 {
		op, n := script[0], min(int(script[1]), len(script)-2)
		b := bytes.Clone(script[2 : 2+n])
		script = script[2+n:]
		p.sent, p.got = nil, nil
		switch op % 8 {
		case 0:
			if len(b) >= packet.HeaderSize {
				addToken(b, op&8 != 0)
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
			accept(now)
		case 7:
			dial(now)
		}
		chunks, size := p.Unacked()
		if chunks > MaxUnacked || size > 2000 || (chunks == 0) != (size == 0) {
			t.Fatalf("%d chunks, %d bytes unacked", chunks, size)
		}
		slack := 0 // number of chunks that can be acked without having been queued
		if p.Handshake() == HandshakeChallenged {
			slack = challengeChunks
		}
		if n := (p.queuedSeq - p.peerAck) & packet.SeqMask; n < chunks || n > chunks+slack {
			t.Fatalf("%d chunks unacked, but %d sequence numbers", chunks, n)
		}
		total := 0
		for _, d := range p.sent {
			total += len(d)
			var err7, err6 error
			err7 = new(packet.Packet).Parse(d, new(packet.Scratch))
			err6 = new(packet.Packet6).Parse(d, new(packet.Scratch))
			if err7 != nil && err6 != nil || p.State() != StateOffline && (p.Version() == V7 && err7 != nil || p.Version() == V6 && err6 != nil) {
				t.Fatalf("sent %x: %v, %v", d, err7, err6)
			}
		}
		if total > 20000 {
			t.Fatalf("%d bytes sent in one step", total)
		}
		if p.Rejoined() && (!p.isServer || chunks != 0 || p.v6.token.Place != packet.TokenInTrailer) {
			t.Fatal("rejoined without reason")
		}
	}
}

// FuzzFeed feeds datagrams to 0.7 connections of both roles and in every state.
func FuzzFeed(f *testing.F) {
	for state := range byte(6) {
		f.Add(state, fuzzStep(0, data7(0, 0, 0, vital7(1, "a"), vital7(2, "b"))))
		f.Add(state, append(fuzzStep(2, []byte("out")), fuzzStep(0, data7(packet.FlagResend, 1, 0))...))
		f.Add(state, fuzzStep(0, packet.AppendTokenReply(nil, 0, 5)))
		f.Add(state, fuzzStep(0, packet.AppendControl(nil, 0, 0, packet.ControlAccept)))
		f.Add(state, fuzzStep(0, packet.AppendClose(nil, 0, 0, "bye")))
		f.Add(state, fuzzStep(1, packet.AppendConnless(nil, serverToken, 5, []byte("x"))))
	}
	f.Fuzz(func(t *testing.T, state byte, script []byte) {
		p := newPeer(t, 2000)
		dial := func(now Time) { p.Dial(now, serverToken) }
		accept := func(now Time) { p.Accept(now, serverToken, clientToken) }
		switch State(state % 6) {
		case StateToken:
			dial(0)
		case StateConnect:
			dial(0)
			p.Feed(0, packet.AppendTokenReply(nil, serverToken, clientToken), p)
		case StatePending:
			accept(0)
		case StateOnline:
			accept(0)
			p.Feed(0, data7(0, 0, serverToken), p)
		case StateError:
			accept(0)
			p.Update(11 * s)
		}
		if p.State() != State(state%6) {
			t.Fatalf("%v, want %v", p.State(), State(state%6))
		}
		p.fuzz(t, script, dial, accept, func(b []byte, _ bool) { binary.BigEndian.PutUint32(b[3:], uint32(serverToken)) })
	})
}

// FuzzFeed6 feeds datagrams to 0.6 connections of both roles, all handshakes and states.
func FuzzFeed6(f *testing.F) {
	for state := range byte(16) {
		f.Add(state, fuzzStep(0, data6(0, 0, trailerToken, vital6(1, "a"), vital6(2, "b"))))
		f.Add(state, append(fuzzStep(2, []byte("out")), fuzzStep(0, data6(packet.FlagResend, 1, headerToken))...))
		f.Add(state, append(fuzzStep(1, packet.AppendConnect6(nil, packet.TokenInTrailer, 0)),
			fuzzStep(8, packet.AppendControl6(nil, 0, trailerToken, packet.ControlClientAccept))...))
		f.Add(state, fuzzStep(1, packet.AppendAccept6(nil, trailerToken, 0)))
		f.Add(state, fuzzStep(1, packet.AppendAccept6(nil, headerToken, clientToken)))
		f.Add(state, fuzzStep(1, packet.AppendAccept6(nil, noToken, 0)))
		f.Add(state, fuzzStep(0, packet.AppendClose6(nil, 0, trailerToken, "bye")))
		f.Add(state, fuzzStep(1, packet.AppendConnless6(nil, []byte("x"))))
	}
	f.Fuzz(func(t *testing.T, state byte, script []byte) {
		p := newPeer(t, 2000)
		handshake, isServer := Handshake(state&3), state&8 != 0
		if handshake == HandshakeChallenged && !isServer {
			handshake = HandshakePlain
		}
		dial := func(now Time) { p.Dial6(now, handshake, clientToken) }
		accept := func(now Time) { p.Accept6(now, handshake, serverToken) }
		switch state >> 2 & 3 {
		case 0:
			dial(0)
		case 1:
			variant{V6, handshake}.dial(t, 0, &p.Conn, p)
		case 2:
			accept(0)
		case 3:
			accept(0)
			p.Update(11 * s)
		}
		p.fuzz(t, script, dial, accept, func(b []byte, rejoin bool) {
			token := p.v6.token.Token
			if rejoin {
				token = nextToken(token)
			}
			switch p.v6.token.Place {
			case packet.TokenInHeader:
				binary.BigEndian.PutUint32(b[3:], uint32(token))
			case packet.TokenInTrailer:
				binary.BigEndian.PutUint32(b[len(b)-4:], uint32(token))
			}
		})
	})
}
