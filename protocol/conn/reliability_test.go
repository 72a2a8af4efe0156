package conn

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
)

// parse returns the packets sent, with their chunks as "flags:seq:data".
func parse(t testing.TB, sent [][]byte) (packets []packet.Packet, chunks [][]string) {
	for _, b := range sent {
		var p packet.Packet
		must(t, p.Parse(b, new(packet.Scratch)))
		if p.Flags&packet.FlagControl != 0 {
			packets, chunks = append(packets, p), append(chunks, nil)
			continue
		}
		var list []string
		var c packet.Chunk
		it := p.Chunks()
		for it.Next(&c) {
			list = append(list, fmt.Sprintf("%d:%d:%s", c.Flags, c.Seq, c.Data))
		}
		must(t, it.Err())
		if len(p.Payload) > packet.MaxPayload || len(it.Rest()) != 0 {
			t.Fatalf("payload of %d bytes, %d too many", len(p.Payload), len(it.Rest()))
		}
		packets, chunks = append(packets, p), append(chunks, list)
	}
	return packets, chunks
}

func TestOrder(t *testing.T) {
	_, server := connect(t, 0, 0)
	feed := func(seqs ...int) {
		var chunks [][]byte
		for _, q := range seqs {
			chunks = append(chunks, vital(q, fmt.Sprint(q)))
		}
		must(t, server.Feed(0, data(0, 0, serverToken, chunks...), server))
	}
	check := func(name, want string, resend bool) {
		t.Helper()
		if got := strings.Join(server.got, " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		server.Flush(0)
		packets, _ := parse(t, server.take())
		if asked := len(packets) == 1 && packets[0].Flags&packet.FlagResend != 0; asked != resend {
			t.Errorf("%s: asked for a resend: %v", name, asked)
		}
		server.got = nil
	}
	feed(1)
	check("first", "1", false)
	feed(1)
	check("duplicate", "", false)
	feed(3, 2)
	check("gap, then the missing one", "2", true)
	feed(3, 4, 3, 5)
	check("duplicate in between", "3 4 5", false)
	feed(6 + 510)
	check("far ahead", "", true)
	feed((5 - 512) & packet.SeqMask)
	check("512 behind", "", false)
	feed((5 - 513) & packet.SeqMask)
	check("513 behind is ahead", "", true)
	must(t, server.Feed(0, data(0, 0, serverToken, vital(9, "x"), packet.AppendChunk(nil, 0, 0, []byte("n"))), server))
	check("not vital, behind a gap", "~n", true)
}

func TestTruncatedChunk(t *testing.T) {
	_, server := connect(t, 0, 0)
	b := packet.AppendPacket(nil, 0, 0, 3, serverToken, append(vital(1, "a"), 0x40, 0x3f, 2, 'b'))
	if err := server.Feed(0, b, server); !errors.Is(err, packet.DropBadChunk) {
		t.Errorf("%v", err)
	}
	if len(server.got) != 1 || server.DropCounts()[packet.DropBadChunk] != 1 {
		t.Errorf("got %q", server.got)
	}
}

// TestTokenBeforeAck: packets with a forged address, but without the token, must not
// move the ack window. In the original they do, and the real acks are refused.
func TestTokenBeforeAck(t *testing.T) {
	_, server := connect(t, 0, 0)
	for range 5 {
		must(t, server.Queue(0, []byte("x"), true))
	}
	server.Flush(0)
	for _, token := range []packet.Token{packet.NoToken, clientToken, serverToken + 1} {
		for _, b := range [][]byte{data(packet.FlagResend, 5, token), packet.AppendControl(nil, 5, token, packet.ControlKeepAlive), packet.AppendClose(nil, 5, token, "")} {
			if err := server.Feed(0, b, server); !errors.Is(err, packet.DropBadToken) {
				t.Errorf("forged packet: %v", err)
			}
		}
	}
	must(t, server.Feed(0, data(0, 1, serverToken), server))
	if n, _ := server.Unacked(); n != 4 || server.State() != StateOnline {
		t.Errorf("%d chunks pending, %v", n, server.State())
	}
}

func TestAckWindow(t *testing.T) {
	_, server := connect(t, 0, 0)
	for range 5 {
		must(t, server.Queue(0, []byte("x"), true))
	}
	ack := func(n int) error { return server.Feed(0, data(0, n, serverToken), server) }
	if err := ack(6); !errors.Is(err, packet.DropBadAck) {
		t.Errorf("ack of what was not sent: %v", err)
	}
	must(t, ack(3))
	if err := ack(2); !errors.Is(err, packet.DropBadAck) {
		t.Errorf("ack going back: %v", err)
	}
	must(t, ack(3))
	must(t, ack(5))
	if n, bytes := server.Unacked(); n != 0 || bytes != 0 {
		t.Errorf("%d chunks, %d bytes pending", n, bytes)
	}
	if err := server.Feed(0, packet.AppendConnless(nil, serverToken, 1, nil), server); !errors.Is(err, packet.DropConnless) {
		t.Errorf("connless packet: %v", err)
	}
}

func TestResendRequest(t *testing.T) {
	_, server := connect(t, 0, 0)
	for _, s := range []string{"a", "b", "c"} {
		must(t, server.Queue(0, []byte(s), true))
	}
	must(t, server.Queue(0, []byte("n"), false))
	server.Flush(0)
	_, chunks := parse(t, server.take())
	if fmt.Sprint(chunks) != "[[1:1:a 1:2:b 1:3:c 0:0:n]]" {
		t.Errorf("sent %v", chunks)
	}
	must(t, server.Feed(50*ms, data(packet.FlagResend, 1, serverToken), server))
	server.Flush(50 * ms)
	_, chunks = parse(t, server.take())
	if fmt.Sprint(chunks) != "[[3:2:b 3:3:c]]" {
		t.Errorf("sent again %v", chunks)
	}
}

// TestResendFlood: a peer that asks for a resend in each of many small packets must
// not get everything each time.
func TestResendFlood(t *testing.T) {
	_, server := connect(t, 0, 0)
	for server.FreeResendBuffer() >= 1387 {
		must(t, server.Queue(0, make([]byte, 1387), true))
	}
	server.take()
	pending, _ := server.Unacked()
	count := func() (n int) {
		_, chunks := parse(t, server.take())
		for _, list := range chunks {
			n += len(list)
		}
		return n
	}
	attack := data(packet.FlagResend, 0, serverToken)
	for range 1000 {
		must(t, server.Feed(s, attack, server))
	}
	server.Flush(s)
	// The last chunk of the first sending was still under construction.
	if n := count(); n > pending+1 {
		t.Errorf("%d chunks sent for a thousand requests in a moment, %d are pending", n, pending)
	}
	// The refused ones are made up for when the pause is over.
	server.Update(s + 99*ms)
	server.Flush(s + 99*ms)
	if n := count(); n != 0 {
		t.Errorf("%d chunks sent in the pause", n)
	}
	server.Update(s + 100*ms)
	server.Flush(s + 100*ms)
	if n := count(); n != pending {
		t.Errorf("%d chunks sent after the pause, %d are pending", n, pending)
	}
	server.Update(s + 300*ms)
	server.Flush(s + 300*ms)
	if n := count(); n != 0 {
		t.Errorf("%d chunks sent though nobody asked again", n)
	}
}

func TestResendAfterSecond(t *testing.T) {
	_, server := connect(t, 0, 0)
	must(t, server.Queue(0, []byte("a"), true))
	must(t, server.Queue(0, []byte("b"), true))
	server.Flush(0)
	server.take()
	server.lastReceived = 2 * s
	server.Update(s)
	server.take()
	server.Update(s + 1)
	server.Flush(s + 1)
	_, chunks := parse(t, server.take())
	if fmt.Sprint(chunks) != "[[3:1:a 3:2:b]]" {
		t.Errorf("sent again %v", chunks)
	}
	server.Update(s + 500*ms)
	server.Flush(s + 500*ms)
	if sent := server.take(); len(sent) != 0 {
		t.Errorf("sent again too soon: %x", sent)
	}
}

// TestResendAfterSecondIsBounded: an Update resends at most a packet.
func TestResendAfterSecondIsBounded(t *testing.T) {
	_, server := connect(t, 0, 0)
	for range 10 {
		must(t, server.Queue(0, make([]byte, 600), true))
	}
	server.Flush(0)
	server.take()
	server.lastReceived = 2 * s
	for i, want := range []string{"1 2", "3 4", "5 6", "7 8", "9 10"} {
		now := s + Time(i+1)*20*ms
		server.Update(now)
		server.Flush(now)
		_, chunks := parse(t, server.take())
		var seqs []string
		for _, list := range chunks {
			for _, c := range list {
				seqs = append(seqs, strings.Split(c, ":")[1])
			}
		}
		if got := strings.Join(seqs, " "); got != want {
			t.Errorf("update %d resent %s, want %s", i, got, want)
		}
	}
}

func TestFlushTimers(t *testing.T) {
	client, _ := connect(t, 0, 0)
	must(t, client.Queue(0, []byte("a"), false))
	client.Update(500 * ms)
	if len(client.sent) != 0 {
		t.Error("flushed too early")
	}
	client.Update(500*ms + 1)
	if _, chunks := parse(t, client.take()); fmt.Sprint(chunks) != "[[0:0:a]]" {
		t.Errorf("flushed %v", chunks)
	}
	client.Update(1500*ms + 1)
	if len(client.sent) != 0 {
		t.Error("kept alive too early")
	}
	client.Update(1500*ms + 2)
	if packets, _ := parse(t, client.take()); len(packets) != 1 || packets[0].Flags != packet.FlagControl || packets[0].ControlID() != packet.ControlKeepAlive {
		t.Errorf("sent %v", packets)
	}
	client.Flush(2 * s)
	if len(client.sent) != 0 {
		t.Error("flushed an empty packet")
	}
}

// TestOutOfBuffer: the original resets the connection in the middle of sending, and
// the client's slot leaks.
func TestOutOfBuffer(t *testing.T) {
	_, server := connect(t, 0, 0)
	n := 0
	for ; server.FreeResendBuffer() >= 1387; n++ {
		must(t, server.Queue(0, make([]byte, 1387), true))
	}
	if n != 22 {
		t.Errorf("%d map chunks fit, in the original 22 do", n)
	}
	server.take()
	if err := server.Queue(0, make([]byte, 1387), true); !errors.Is(err, ErrOutOfBuffer) {
		t.Fatal(err)
	}
	if server.State() != StateError || server.Reason() != "too weak connection (out of buffer)" || server.ClosedByPeer() {
		t.Errorf("%v, %q", server.State(), server.Reason())
	}
	// Everything that the owner may still do is harmless.
	if err := server.Queue(0, []byte("x"), true); !errors.Is(err, ErrWrongState) {
		t.Errorf("queue: %v", err)
	}
	server.Flush(0)
	server.Update(20 * s)
	if len(server.take()) != 0 || server.Reason() != ReasonOutOfBuffer {
		t.Errorf("%v, %q", server.State(), server.Reason())
	}
	server.Close(0, "")
	expect(t, "CLOSE", server, "04000001020304"+"04"+fmt.Sprintf("%x", ReasonOutOfBuffer)+"00")
	must(t, server.Accept(0, serverToken, clientToken))
	if n, bytes := server.Unacked(); n != 0 || bytes != 0 {
		t.Errorf("a new connection has %d chunks, %d bytes pending", n, bytes)
	}
}

// TestOutOfBufferInHandler: the rest of a packet is not for a connection that failed
// while handling it.
func TestOutOfBufferInHandler(t *testing.T) {
	_, server := connect(t, 0, 100)
	server.react = func([]byte) { server.Queue(0, make([]byte, 30), true) }
	must(t, server.Feed(0, data(0, 0, serverToken, vital(1, "a"), vital(2, "b"), vital(3, "c")), server))
	if len(server.got) != 2 || server.State() != StateError {
		t.Errorf("got %q, %v", server.got, server.State())
	}

	_, server = connect(t, 0, 0)
	server.react = func([]byte) {
		server.Close(0, "")
		must(t, server.Accept(0, serverToken, clientToken))
	}
	must(t, server.Feed(0, data(0, 0, serverToken, vital(1, "a"), vital(2, "b")), server))
	if len(server.got) != 1 || server.State() != StatePending {
		t.Errorf("got %q, %v", server.got, server.State())
	}
}

// TestMaxUnacked: with 512 unacked chunks a sequence number could mean two of them.
func TestMaxUnacked(t *testing.T) {
	_, server := connect(t, 0, 1<<20)
	for range 511 {
		must(t, server.Queue(0, nil, true))
	}
	if server.FreeResendBuffer() >= 0 {
		t.Errorf("room for %d bytes", server.FreeResendBuffer())
	}
	if err := server.Queue(0, nil, true); !errors.Is(err, ErrOutOfBuffer) || server.Reason() != ReasonOutOfBuffer {
		t.Errorf("%v, %q", err, server.Reason())
	}
}

// TestMaxChunks: the header counts chunks in one byte, and the original sends 256 as
// none.
func TestMaxChunks(t *testing.T) {
	client, server := connect(t, 0, 0)
	for range 256 {
		must(t, server.Queue(0, []byte("x"), false))
	}
	server.Flush(0)
	packets, _ := parse(t, server.sent)
	if len(packets) != 2 || packets[0].NumChunks != 255 || packets[1].NumChunks != 1 {
		t.Errorf("%d packets", len(packets))
	}
	client.give(0, server)
	if len(client.got) != 256 {
		t.Errorf("%d of 256 arrived", len(client.got))
	}
}

func TestSizes(t *testing.T) {
	client, server := connect(t, 0, 0)
	if err := server.Queue(0, make([]byte, 1388), false); !errors.Is(err, ErrTooLarge) {
		t.Errorf("1388 bytes: %v", err)
	}
	must(t, server.Queue(0, []byte("x"), false))
	must(t, server.Queue(0, make([]byte, 1387), true))
	must(t, server.Queue(0, []byte("y"), false))
	server.Flush(0)
	if packets, _ := parse(t, server.sent); len(packets) != 3 {
		t.Errorf("%d packets", len(packets))
	}
	client.give(0, server)
	if len(client.got) != 3 || len(client.got[1]) != 1387 {
		t.Errorf("%d arrived", len(client.got))
	}
}

// TestRoom: Room is exact for a payload that fits a packet.
func TestRoom(t *testing.T) {
	_, server := connect(t, 0, 1000)
	must(t, server.Queue(0, make([]byte, 200), true))
	if server.FreeResendBuffer() != 1000-200-2*ResendOverhead {
		t.Errorf("room for %d", server.FreeResendBuffer())
	}
	must(t, server.Queue(0, make([]byte, server.FreeResendBuffer()), true))
	if n, bytes := server.Unacked(); n != 2 || bytes != 1000 || server.FreeResendBuffer() >= 0 {
		t.Errorf("%d chunks, %d bytes, room for %d", n, bytes, server.FreeResendBuffer())
	}
}

func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	var client, server *Conn
	var handle nothing
	buffers := new(Buffers)
	var now Time
	var toClient, toServer [2048]byte
	var nClient, nServer int
	client, _ = New(Config{Buffers: buffers, Send: func(b []byte) { nServer = copy(toServer[:], b) }})
	server, _ = New(Config{Buffers: buffers, Send: func(b []byte) { nClient = copy(toClient[:], b) }})
	must(t, client.Dial(now, clientToken))
	must(t, client.Feed(now, packet.AppendTokenReply(nil, clientToken, serverToken), handle))
	must(t, server.Accept(now, serverToken, clientToken))
	must(t, client.Feed(now, toClient[:nClient], handle))

	snap := []byte(strings.Repeat("\x00\x01\x02 snapshot", 60))
	input := []byte(strings.Repeat("\x00\x07", 20))
	round := func() {
		now += 20 * ms
		client.Queue(now, input, true)
		client.Queue(now, input, false)
		client.Flush(now)
		if server.Feed(now, toServer[:nServer], handle) != nil {
			t.Error("dropped")
		}
		server.Queue(now, snap, false)
		server.Queue(now, input, true)
		server.Flush(now)
		if client.Feed(now, toClient[:nClient], handle) != nil {
			t.Error("dropped")
		}
		client.Update(now)
		server.Update(now)
	}
	round()
	if n := testing.AllocsPerRun(2000, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if client.State() != StateOnline || server.State() != StateOnline {
		t.Errorf("%v, %v", client.State(), server.State())
	}
}

type nothing struct{}

func (nothing) Chunk([]byte, bool) {}
