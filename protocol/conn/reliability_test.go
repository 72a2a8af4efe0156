package conn

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
	"pgregory.net/rapid"
)

func TestOrder(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		for i, step := range []struct {
			name   string
			seqs   []int
			want   string
			resend bool
		}{
			{"first", []int{1}, "1", false},
			{"duplicate", []int{1}, "", false},
			{"gap, then the missing one", []int{3, 2}, "2", true},
			{"duplicate in between", []int{3, 4, 3, 5}, "3 4 5", false},
			{"far ahead", []int{6 + 510}, "", true},
			{"512 behind", []int{(5 - 512) & packet.SeqMask}, "", false},
			{"513 behind is ahead", []int{(5 - 513) & packet.SeqMask}, "", true},
			{"not vital, behind a gap", []int{9, -1}, "~-1", true},
		} {
			var chunks [][]byte
			for _, seq := range step.seqs {
				if seq < 0 {
					chunks = append(chunks, server.chunk(0, 0, fmt.Sprint(seq)))
				} else {
					chunks = append(chunks, server.vital(seq, fmt.Sprint(seq)))
				}
			}
			now := Time(i) * Time(askInterval)
			must(t, server.Feed(now, server.data(0, 0, chunks...), server))
			if got := strings.Join(server.got, " "); got != step.want {
				t.Errorf("%s: got %q, want %q", step.name, got, step.want)
			}
			server.Flush(now)
			sent := server.parseSent(t)
			if resend := len(sent) == 1 && sent[0].flags&packet.FlagResend != 0; resend != step.resend {
				t.Errorf("%s: requested a resend: %v", step.name, resend)
			}
			server.got = nil
		}
	})
}

// TestTokenBeforeAck feeds packets with a forged address and without the token. These packets must
// have no effect. In the original they move the ack window, and the real acks are then refused.
func TestTokenBeforeAck(t *testing.T) {
	wrong := map[Handshake][]packet.PlacedToken{
		HandshakeTKEN: {noToken, headerToken, HandshakeTKEN.placeToken(serverToken + 1), HandshakeTKEN.placeToken(clientToken)},
		HandshakeHeaderToken: {
			noToken, trailerToken, HandshakeHeaderToken.placeToken(clientToken),
		},
		HandshakePlain: {headerToken},
	}
	eachVariant(t, 0, func(t *testing.T, client, server *peer) {
		for _, p := range []*peer{client, server} {
			var forged [][]byte
			if p.Version() == V7 {
				for _, token := range []packet.Token{packet.NoToken, p.peerToken, p.token + 1} {
					forged = append(forged, data7(0, 1, token, vital7(1, "evil")), data7(packet.FlagResend, 1, token),
						packet.AppendControl(nil, 1, token, packet.ControlKeepAlive), packet.AppendClose(nil, 1, token, "go away"))
				}
			} else {
				for _, token := range wrong[p.Handshake()] {
					forged = append(forged, data6(0, 1, token, vital6(1, "evil")), data6(packet.FlagResend, 1, token),
						packet.AppendControl6(nil, 1, token, packet.ControlKeepAlive), packet.AppendClose6(nil, 1, token, "go away"))
				}
			}
			must(t, p.Queue(0, []byte("a"), true))
			must(t, p.Queue(0, []byte("b"), true))
			p.Flush(0)
			p.takeSent()
			for _, b := range forged {
				if p.Feed(5*s, b, p) == nil {
					t.Errorf("accepted %x", b)
				}
			}
			if n, _ := p.Unacked(); n != 2 || len(p.got) != 0 || p.State() != StateOnline || p.LastReceived() != 0 || len(p.sent) != 0 {
				t.Errorf("%d unacked, got %q, %v", n, p.got, p.State())
			}
			must(t, p.Feed(0, p.data(0, 1, p.chunk(0, 0, "")), p))
			if n, _ := p.Unacked(); n != 1 {
				t.Errorf("%d unacked after a real ack", n)
			}
		}
	})
}

func TestAckWindow(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		for range 5 {
			must(t, server.Queue(0, []byte("x"), true))
		}
		server.Flush(0)
		must(t, server.Queue(0, []byte("not sent yet"), true))
		for _, step := range []struct {
			ack  int
			want error
		}{{7, packet.DropBadAck}, {6, packet.DropBadAck}, {3, nil}, {2, packet.DropBadAck}, {3, nil}, {5, nil}, {6, packet.DropBadAck}} {
			if err := server.Feed(0, server.data(0, step.ack, server.chunk(0, 0, "")), server); !errors.Is(err, step.want) {
				t.Errorf("ack %d: %v, want %v", step.ack, err, step.want)
			}
		}
		if n, _ := server.Unacked(); n != 1 {
			t.Errorf("%d chunks unacked", n)
		}
		server.Flush(0)
		must(t, server.Feed(0, server.data(0, 6, server.chunk(0, 0, "")), server))
		if n, size := server.Unacked(); n != 0 || size != 0 {
			t.Errorf("%d chunks, %d bytes unacked", n, size)
		}
	})
}

func TestResendRequest(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		for _, text := range []string{"a", "b", "c"} {
			must(t, server.Queue(0, []byte(text), true))
		}
		must(t, server.Queue(0, []byte("n"), false))
		server.Flush(0)
		if got := server.sentChunks(t); got != "1:1:a 1:2:b 1:3:c 0:0:n" {
			t.Errorf("sent %v", got)
		}
		must(t, server.Feed(50*ms, server.data(packet.FlagResend, 1), server))
		server.Flush(50 * ms)
		if got := server.sentChunks(t); got != "3:2:b 3:3:c" {
			t.Errorf("resent %v", got)
		}
	})
}

// TestResendFlood sends endless resend requests. Without acks, the answers must become short and
// rare.
func TestResendFlood(t *testing.T) {
	eachVariant(t, 1<<20, func(t *testing.T, _, server *peer) {
		const unacked = 140
		for range unacked {
			must(t, server.Queue(0, make([]byte, server.MaxPayload()), true))
		}
		server.Flush(0)
		server.takeSent()
		request := server.data(packet.FlagResend, 0)
		count := func(from, to Time) (chunks int) {
			for now := from; now < to; now += 10 * ms {
				for range 100 {
					must(t, server.Feed(now, request, server))
				}
				server.Update(now)
				server.Flush(now)
			}
			for _, sent := range server.parseSent(t) {
				chunks += sent.numChunks
			}
			return chunks
		}
		// First half of the chunks in flight, a few packets at once. After that, the connection
		// sends only a few chunks a second.
		if n := count(50*ms, 60*ms); n == 0 || n > unacked/8 {
			t.Errorf("%d chunks sent for the first requests, %d are unacked", n, unacked)
		}
		if n := count(60*ms, s); n > unacked*2/3 {
			t.Errorf("%d chunks sent in the first second", n)
		}
		if n := count(s, 9*s); n == 0 || n > 8*minWindow/packet.MaxPayload {
			t.Errorf("%d chunks sent in the next eight", n)
		}
		if server.State() != StateOnline {
			t.Error(server.Reason())
		}
	})
}

// TestOldResendRequests loses a chunk on a connection with a round trip of 100 ms, and feeds the
// requests that the chunks behind it cause. Only the first request may have an effect.
func TestOldResendRequests(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		now := Time(0)
		queue := func(n int) {
			for range n {
				must(t, server.Queue(now, make([]byte, server.MaxPayload()), true))
			}
			server.Flush(now)
		}
		// feed returns the number of chunks sent from time at until time until.
		feed := func(at, until Time, flags packet.Flags, ack int) int {
			server.takeSent()
			must(t, server.Feed(at, server.data(flags, ack, server.chunk(0, 0, "")), server))
			for now = at; now < until; now += Time(BurstInterval) {
				server.Update(now)
			}
			return len(server.takeSent())
		}
		queue(1)
		feed(100*ms, 100*ms, 0, 1)
		queue(8) // chunk 2 is lost
		for i, step := range []struct {
			at    Time
			flags packet.Flags
			ack   int
			want  int // number of chunks sent
		}{
			{200 * ms, packet.FlagResend, 1, 8},
			{250 * ms, packet.FlagResend, 1, 0},
			{290 * ms, packet.FlagResend, 1, 0},
			{300 * ms, packet.FlagResend, 2, 0}, // the answer to the first resent chunk
			{310 * ms, 0, 4, 0},
			{330 * ms, packet.FlagResend, 5, 4}, // chunk 6 is lost again
			{400 * ms, packet.FlagResend, 5, 0}, // sent before that
			{440 * ms, packet.FlagResend, 9, 0},
		} {
			if n := feed(step.at, step.at+50*ms, step.flags, step.ack); n != step.want {
				t.Errorf("step %d: %d chunks sent, want %d", i, n, step.want)
			}
		}
		if n, _ := server.Unacked(); n != 0 {
			t.Errorf("%d chunks unacked", n)
		}
	})
}

// TestWindow loses one chunk after every few that arrive. The number of chunks in flight must adapt
// to that.
func TestWindow(t *testing.T) {
	eachVariant(t, 1<<20, func(t *testing.T, client, server *peer) {
		payload := make([]byte, server.MaxPayload())
		random := splitmix(1)
		for _, every := range []int{1000, 20, 1000} {
			sent, arrived := 0, 0
			for now := server.lastReceived; arrived < 1500; now += 60 * ms {
				for !server.HasBacklog() && server.unacked.len < 140 {
					must(t, server.Queue(now, payload, true))
				}
				server.Flush(now)
				for _, b := range server.takeSent() {
					sent++
					if int(random()%uint64(every)) > 0 {
						must(t, client.Feed(now+30*ms, b, client))
					}
				}
				arrived += len(client.got)
				client.got = nil
				client.flags &= packet.FlagResend
				must(t, client.Queue(now+30*ms, []byte("x"), false))
				client.Flush(now + 30*ms)
				server.feedFrom(now+60*ms, client)
				server.got = nil
				server.Update(now + 60*ms)
				if server.State() != StateOnline {
					t.Fatal(server.Reason())
				}
			}
			t.Logf("one of %d lost: %d sent for %d", every, sent, arrived)
			if sent > arrived*3/2 {
				t.Errorf("one of %d lost: %d sent for %d", every, sent, arrived)
			}
		}
	})
}

func TestResendAfterSecond(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		must(t, server.Queue(0, []byte("a"), true))
		must(t, server.Queue(0, []byte("b"), true))
		server.Flush(0)
		server.lastReceived = 2 * s
		server.Update(s)
		server.takeSent()
		for _, step := range []struct {
			at   Time
			want string
		}{{s + 1, "3:1:a 3:2:b"}, {s + 500*ms, ""}} {
			server.Update(step.at)
			server.Flush(step.at)
			if got := server.sentChunks(t); got != step.want {
				t.Errorf("resent %q, want %q", got, step.want)
			}
		}
	})
}

// TestExpectAcks checks a peer that used to ack at once and now acks slowly. The connection waits
// for it, unless ExpectAcks was called.
func TestExpectAcks(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		resentAfter := func(at Time) time.Duration {
			must(t, server.Queue(at, []byte("x"), true))
			server.Flush(at)
			must(t, server.Feed(at+20*ms, server.data(0, server.sentSeq, server.chunk(0, 0, "")), server))
			at += 20 * ms
			must(t, server.Queue(at, []byte("y"), true))
			server.Flush(at)
			server.takeSent()
			now := at
			for len(server.sent) == 0 {
				now += 10 * ms
				server.Update(now)
			}
			must(t, server.Feed(now, server.data(0, server.sentSeq, server.chunk(0, 0, "")), server))
			return now.Sub(at)
		}
		if d := resentAfter(0); d <= time.Second {
			t.Errorf("resent after %v", d)
		}
		server.ExpectAcks()
		if d := resentAfter(2 * s); d <= time.Second {
			t.Errorf("resent after %v, although everything was acked", d)
		}
		must(t, server.Queue(4*s, []byte("z"), true))
		server.Flush(4 * s)
		server.ExpectAcks()
		server.takeSent()
		for now := 4 * s; len(server.sent) == 0; now += 10 * ms {
			server.Update(now)
			if now > 4*s+500*ms {
				t.Fatal("not resent half a second after the ack was expected")
			}
		}
	})
}

// TestResendAfterSecondIsBounded checks that chunks without an ack for a second are resent a few
// packets at a time. The rest is resent when those are acked.
func TestResendAfterSecondIsBounded(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		for range 30 {
			must(t, server.Queue(0, make([]byte, 600), true))
		}
		server.Flush(0)
		for now := Time(0); now < 4*s; now += 20 * ms {
			server.takeSent()
			server.lastReceived = now
			server.Update(now)
			server.Flush(now)
			if len(server.sent) > 0 && now <= s || len(server.sent) > 15 || now > 2*s && len(server.sent) > 5 {
				t.Errorf("%d packets after %v", len(server.sent), now.Sub(0))
			}
		}
		ack := 0
		for now := 4 * s; ack < 30; now += 20 * ms {
			server.takeSent()
			must(t, server.Feed(now, server.data(0, ack, server.chunk(0, 0, "")), server))
			server.Update(now)
			for _, sent := range server.parseSent(t) {
				ack += sent.numChunks
			}
			if now > 8*s {
				t.Fatalf("only %d of 30 were sent", ack)
			}
		}
	})
}

func TestFlushTimers(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, client, _ *peer) {
		must(t, client.Queue(0, []byte("a"), false))
		client.Update(500 * ms)
		if len(client.sent) != 0 {
			t.Error("flushed too early")
		}
		client.Update(500*ms + 1)
		if got := client.sentChunks(t); got != "0:0:a" {
			t.Errorf("flushed %v", got)
		}
		client.Update(1500*ms + 1)
		if len(client.sent) != 0 {
			t.Error("kept alive too early")
		}
		client.Update(1500*ms + 2)
		if sent := client.parseSent(t); len(sent) != 1 || sent[0].flags != packet.FlagControl || sent[0].control != packet.ControlKeepAlive {
			t.Errorf("sent %v", sent)
		}
		client.Flush(2 * s)
		if len(client.sent) != 0 {
			t.Error("flushed an empty packet")
		}
	})
}

func TestNotAcked(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		testNotAcked(t, server, 10*s, "Too weak connection (not acked for 10 seconds)")
	})
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		server.SetTimeout(20 * time.Second)
		testNotAcked(t, server, 20*s, "Too weak connection (not acked for 20 seconds)")
	})
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		server.SetTimeout(20 * time.Second)
		server.Update(20 * s)
		if server.State() != StateOnline {
			t.Fatalf("silent: %v after 20 s", server.State())
		}
		server.SetTimeout(Timeout)
		if server.Update(20 * s); server.State() != StateError || server.Reason() != ReasonTimeout {
			t.Fatalf("silent: %v, %q", server.State(), server.Reason())
		}
	})
}

func testNotAcked(t *testing.T, server *peer, limit Time, reason string) {
	t.Helper()
	must(t, server.Queue(0, []byte("x"), true))
	for now := Time(0); now <= limit; now += 100 * ms {
		must(t, server.Feed(now, server.control(0, packet.ControlKeepAlive), server))
		server.Update(now)
		if server.State() != StateOnline {
			t.Fatalf("%v after %v: %q", server.State(), now, server.Reason())
		}
	}
	server.Update(limit + 1)
	if server.State() != StateError || server.Reason() != reason {
		t.Fatalf("%v, %q", server.State(), server.Reason())
	}
}

// TestSlowAcks acks one chunk every nine seconds. A connection that makes progress stays, even if
// its oldest chunk is old.
func TestSlowAcks(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		for range 4 {
			must(t, server.Queue(0, []byte("x"), true))
		}
		server.Flush(0)
		for now := Time(0); now <= 36*s+10*s; now += 100 * ms {
			must(t, server.Feed(now, server.control(min(int(now/(9*s)), 3), packet.ControlKeepAlive), server))
			server.Update(now)
			if want := now <= 27*s+10*s; (server.State() == StateOnline) != want {
				t.Fatalf("%v after %v: %q", server.State(), now.Sub(0), server.Reason())
			} else if !want {
				return
			}
		}
	})
}

// TestOutOfBuffer fills the resend buffer. The original resets the connection in the middle of
// sending, and the client's slot leaks.
func TestOutOfBuffer(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		payload := make([]byte, server.MaxPayload())
		n := 0
		for ; server.FreeResendBuffer() >= len(payload); n++ {
			must(t, server.Queue(0, payload, true))
		}
		// In the original, 22 map chunks fit.
		if want := map[Version]int{V7: 22, V6: 30}[server.Version()]; n != want {
			t.Errorf("%d chunks fit, want %d", n, want)
		}
		server.takeSent()
		if err := server.Queue(0, payload, true); !errors.Is(err, ErrOutOfBuffer) {
			t.Fatal(err)
		}
		if server.State() != StateError || server.Reason() != "too weak connection (out of buffer)" || server.ClosedByPeer() {
			t.Errorf("%v, %q", server.State(), server.Reason())
		}
		// All calls that the owner may still make are harmless.
		if err := server.Queue(0, []byte("x"), true); !errors.Is(err, ErrWrongState) {
			t.Errorf("queue: %v", err)
		}
		server.Flush(0)
		server.Update(20 * s)
		if len(server.sent) != 0 || server.Reason() != ReasonOutOfBuffer {
			t.Errorf("%v, %q", server.State(), server.Reason())
		}
		server.Close(0, "")
		if len(server.sent) != 1 || !bytes.Contains(server.sent[0], []byte(ReasonOutOfBuffer)) {
			t.Errorf("sent %q", server.sent)
		}
		must(t, server.Accept(0, serverToken, clientToken))
		if n, size := server.Unacked(); n != 0 || size != 0 {
			t.Errorf("a new connection has %d chunks, %d bytes unacked", n, size)
		}
	})
}

// TestEndInHandler checks that the rest of a packet is not delivered if the handler ends or
// replaces the connection.
func TestEndInHandler(t *testing.T) {
	for _, v := range variants {
		_, server := v.connect(t, 0, 100)
		server.onChunk = func([]byte) { server.Queue(0, make([]byte, 30), true) }
		must(t, server.Feed(0, server.data(0, 0, server.vital(1, "a"), server.vital(2, "b"), server.vital(3, "c")), server))
		if len(server.got) != 2 || server.State() != StateError {
			t.Errorf("%v: got %q, %v", v, server.got, server.State())
		}

		_, server = v.connect(t, 0, 0)
		server.onChunk = func([]byte) {
			server.Close(0, "")
			must(t, server.Accept(0, serverToken, clientToken))
		}
		must(t, server.Feed(0, server.data(0, 0, server.vital(1, "a"), server.vital(2, "b")), server))
		if len(server.got) != 1 || server.State() != StatePending {
			t.Errorf("%v: got %q, %v", v, server.got, server.State())
		}
	}
}

// TestMaxUnacked checks the limit of unacked chunks: with 512, a sequence number could mean two of
// them.
func TestMaxUnacked(t *testing.T) {
	eachVariant(t, 1<<20, func(t *testing.T, _, server *peer) {
		for range 511 {
			must(t, server.Queue(0, nil, true))
		}
		if server.FreeResendBuffer() >= 0 {
			t.Errorf("space for %d bytes", server.FreeResendBuffer())
		}
		if err := server.Queue(0, nil, true); !errors.Is(err, ErrOutOfBuffer) || server.Reason() != ReasonOutOfBuffer {
			t.Errorf("%v, %q", err, server.Reason())
		}
	})
}

// TestMaxChunks checks the limit of chunks per packet. The header counts them in one byte, and the
// original sends 256 as 0.
func TestMaxChunks(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, client, server *peer) {
		for range 256 {
			must(t, server.Queue(0, []byte("x"), false))
		}
		server.Flush(0)
		datagrams := server.sent
		if sent := server.parseSent(t); len(sent) != 2 || sent[0].numChunks != 255 || sent[1].numChunks != 1 {
			t.Errorf("%d packets", len(sent))
		}
		for _, b := range datagrams {
			must(t, client.Feed(0, b, client))
		}
		if len(client.got) != 256 {
			t.Errorf("%d of 256 arrived", len(client.got))
		}
	})
}

func TestSizes(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, client, server *peer) {
		if err := server.Queue(0, make([]byte, server.MaxPayload()+1), false); !errors.Is(err, ErrTooLarge) {
			t.Errorf("one byte too many: %v", err)
		}
		// As many bytes that do not compress as fit a packet.
		random := splitmix(1)
		noise := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(random())
			}
			return b
		}
		must(t, server.Queue(0, noise(1023), true))
		must(t, server.Queue(0, noise(server.maxPayload-1023-3-3), true))
		must(t, server.Queue(0, nil, false))
		must(t, server.Queue(0, noise(server.MaxPayload()), true))
		server.Flush(0)
		full := packet.HeaderSize + server.maxPayload
		if server.Token() == packet.NoToken {
			full = packet.HeaderSize6 + server.maxPayload
		}
		if len(server.sent) != 2+int(1-server.Version()) || len(server.sent[0]) != full {
			t.Errorf("%d packets, the first has %d bytes, want %d", len(server.sent), len(server.sent[0]), full)
		}
		client.feedFrom(0, server)
		if len(client.got) != 4 || len(client.got[0]) != 1023 || len(client.got[3]) != server.MaxPayload() {
			t.Errorf("%d arrived", len(client.got))
		}
	})
}

// TestFreeResendBuffer checks that FreeResendBuffer is exact for a payload that fits a packet.
func TestFreeResendBuffer(t *testing.T) {
	eachVariant(t, 1000, func(t *testing.T, _, server *peer) {
		must(t, server.Queue(0, make([]byte, 200), true))
		if server.FreeResendBuffer() != 1000-200-2*ResendOverhead {
			t.Errorf("space for %d", server.FreeResendBuffer())
		}
		must(t, server.Queue(0, make([]byte, server.FreeResendBuffer()), true))
		if n, size := server.Unacked(); n != 2 || size != 1000 || server.FreeResendBuffer() >= 0 {
			t.Errorf("%d chunks, %d bytes, space for %d", n, size, server.FreeResendBuffer())
		}
	})
}

func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for _, v := range variants {
		buffers := new(Buffers)
		var now Time
		var toClient, toServer [2048]byte
		var nClient, nServer int
		client, _ := New(Config{Buffers: buffers, Send: func(b []byte) { nServer = copy(toServer[:], b) }})
		server, _ := New(Config{Buffers: buffers, Send: func(b []byte) { nClient = copy(toClient[:], b) }})
		var h ignoreChunks
		v.dial(t, now, client, h)
		v.accept(t, now, server)
		snap := []byte(strings.Repeat("\x00\x01\x02 snapshot", 60))
		input := []byte(strings.Repeat("\x00\x07", 20))
		round := func() {
			now += 20 * ms
			client.Queue(now, input, true)
			client.Queue(now, input, false)
			client.Flush(now)
			if server.Feed(now, toServer[:nServer], h) != nil {
				t.Error("dropped")
			}
			server.Queue(now, snap, false)
			server.Queue(now, input, true)
			server.Flush(now)
			if client.Feed(now, toClient[:nClient], h) != nil {
				t.Error("dropped")
			}
			client.Update(now)
			server.Update(now)
		}
		round()
		if n := testing.AllocsPerRun(1000, round); n != 0 {
			t.Errorf("%v: %v allocations", v, n)
		}
		if client.State() != StateOnline || server.State() != StateOnline {
			t.Errorf("%v: %v, %v", v, client.State(), server.State())
		}
	}
}

// TestResendBuffer compares the ring buffers with a plain queue.
func TestResendBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := resendBuffer{maxUsed: rapid.IntRange(100, 5000).Draw(t, "limit")}
		var model [][]byte
		used, added := 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "remove") == 0 && len(model) > 0 {
				used -= len(model[0]) + ResendOverhead
				model = model[1:]
				b.removeFirst()
			} else {
				data := bytes.Repeat([]byte{byte(added)}, rapid.IntRange(0, 700).Draw(t, "size"))
				fits := used+len(data)+ResendOverhead <= b.maxUsed
				if b.add(0, added, data) != fits {
					t.Fatalf("%d bytes at %d of %d", len(data), used, b.maxUsed)
				}
				if fits {
					model = append(model, data)
					used += len(data) + ResendOverhead
				}
				added++
			}
			if b.len != len(model) || b.used != used || len(b.ring) > 2*b.maxUsed+512 {
				t.Fatalf("%d chunks of %d bytes in %d, want %d of %d", b.len, b.used, len(b.ring), len(model), used)
			}
			for i, want := range model {
				data, more := b.data(b.at(i))
				if !bytes.Equal(append(bytes.Clone(data), more...), want) {
					t.Fatalf("chunk %d is wrong", i)
				}
			}
		}
	})
}

// TestOneRequestPerGap feeds 50 chunks behind a gap, each answered with a packet. Only one resend
// request may be sent, because a peer answers each request by resending everything.
func TestOneRequestPerGap(t *testing.T) {
	eachVariant(t, 0, func(t *testing.T, _, server *peer) {
		requests := func(at Time, flags packet.ChunkFlags, seq int) (n int) {
			for i := range 50 {
				now := at + Time(i)*ms
				server.takeSent()
				must(t, server.Feed(now, server.data(0, 0, server.chunk(packet.ChunkVital|flags, seq+i, "x")), server))
				server.Flush(now)
				n += len(server.sent)
			}
			return n
		}
		for _, step := range []struct {
			name  string
			at    Time
			flags packet.ChunkFlags
			seq   int
			want  int
		}{
			{name: "a gap", at: 0, seq: 3, want: 1},
			{name: "the same within 100 ms", at: 50 * ms, seq: 53, want: 0},
			{name: "the request was lost", at: 100 * ms, seq: 103, want: 1},
			{name: "what was resent has the gap too", at: 150 * ms, flags: packet.ChunkResent, seq: 3, want: 3},
			{name: "the gap closes", at: 200 * ms, seq: 1, want: 0},
			{name: "another gap", at: 250 * ms, seq: 52, want: 1},
		} {
			if n := requests(step.at, step.flags, step.seq); n != step.want {
				t.Errorf("%s: %d requests, want %d", step.name, n, step.want)
			}
		}
	})
}
