package udp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

func listen(t testing.TB, cfg Config) *Conn {
	t.Helper()
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1"
	}
	c, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// collect reads until n datagrams have arrived, or until none arrives for two seconds.
func collect(t testing.TB, c *Conn, n int) (got [][]byte, from []transport.Peer) {
	t.Helper()
	dst := make([]transport.Datagram, 16)
	for len(got) < n {
		k, err := c.ReadBatch(dst, c.Now()+int64(2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			t.Fatalf("got %d of %d datagrams", len(got), n)
		}
		for _, d := range dst[:k] {
			got = append(got, bytes.Clone(d.Data))
			from = append(from, d.Peer)
		}
	}
	return got, from
}

func TestBatches(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{Dedicated: true})
	const n = 150 // more than two batches
	var want [][]byte
	for i := range n {
		msg := bytes.Repeat([]byte{byte(i)}, i*9+1)
		want = append(want, msg)
		a.Send(b.LocalAddr(), msg)
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	got, from := collect(t, b, n)
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("datagram %d: %d bytes of %x, want %d of %x", i, len(got[i]), got[i][0], len(want[i]), want[i][0])
		}
		if from[i] != a.LocalAddr() {
			t.Fatalf("datagram %d from %v, want %v", i, from[i], a.LocalAddr())
		}
	}
	sa, sb := a.Stats(), b.Stats()
	if sa.Sent != n || sb.Received != n || sa.SentBytes != sb.ReceivedBytes {
		t.Errorf("counters: %+v and %+v", sa, sb)
	}
}

func TestDualStack(t *testing.T) {
	both, err := Listen(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	port := both.LocalAddr().Port()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			one, err := Listen(Config{Addr: host})
			if err != nil {
				t.Skipf("no %s on this machine: %v", host, err)
			}
			defer one.Close()
			if both.LocalAddr().Addr().Is4() && host == "::1" {
				t.Skip("IPv4 only")
			}
			one.Send(transport.UDPPeer(netip.MustParseAddr(host), port), []byte("ask"))
			one.Flush()
			got, from := collect(t, both, 1)
			if string(got[0]) != "ask" || from[0] != one.LocalAddr() {
				t.Fatalf("got %q from %v, want it from %v", got[0], from[0], one.LocalAddr())
			}
			both.Send(from[0], []byte("answer"))
			both.Flush()
			got, from = collect(t, one, 1)
			if string(got[0]) != "answer" || from[0].Addr() != netip.MustParseAddr(host) {
				t.Fatalf("got %q from %v", got[0], from[0])
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	a, b := listen(t, Config{MaxDatagram: 2000}), listen(t, Config{})
	a.Send(b.LocalAddr(), make([]byte, 1401))
	a.Send(b.LocalAddr(), make([]byte, 1400))
	a.Send(b.LocalAddr(), make([]byte, 2001))
	a.Flush()
	got, _ := collect(t, b, 1)
	if len(got[0]) != 1400 {
		t.Errorf("got %d bytes, want the datagram of 1400", len(got[0]))
	}
	if n := b.Stats().Dropped[transport.DropTooLong]; n != 1 {
		t.Errorf("%d received datagrams counted as too long, want 1", n)
	}
	if n := a.Stats().Dropped[transport.DropSendTooLong]; n != 1 {
		t.Errorf("%d sent datagrams counted as too long, want 1", n)
	}
}

// TestSendErrors checks that datagrams to unreachable addresses are counted and do not affect
// others.
func TestSendErrors(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{})
	a.Send(b.LocalAddr(), []byte("first"))
	a.Send(transport.MustParsePeer("[2001:db8::1]:8303"), []byte("no such family"))
	a.Send(transport.MustParsePeer("127.0.0.1:0"), []byte("no such port"))
	a.Send(transport.Peer{}, []byte("no address"))
	a.Send(b.LocalAddr(), []byte("last"))
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	got, _ := collect(t, b, 2)
	if string(got[0]) != "first" || string(got[1]) != "last" {
		t.Errorf("got %q", got)
	}
	s := a.Stats()
	var dropped uint64
	for _, n := range s.Dropped {
		dropped += n
	}
	if s.Sent != 2 || dropped != 3 {
		t.Errorf("sent %d and dropped %v, want 2 sent and 3 dropped", s.Sent, s.Dropped)
	}
}

// TestRefused checks that the socket keeps working after the ICMP answer of a closed port.
func TestRefused(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{})
	gone := listen(t, Config{})
	addr := gone.LocalAddr()
	gone.Close()
	for range 10 {
		a.Send(addr, []byte("anybody?"))
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		b.Send(a.LocalAddr(), []byte("still here"))
		b.Flush()
		if got, _ := collect(t, a, 1); string(got[0]) != "still here" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestDeadlineWakeClose(t *testing.T) {
	for _, dedicated := range []bool{false, true} {
		t.Run(fmt.Sprintf("dedicated=%v", dedicated), func(t *testing.T) {
			testDeadlineWakeClose(t, listen(t, Config{Dedicated: dedicated}))
		})
	}
}

func testDeadlineWakeClose(t *testing.T, c *Conn) {
	dst := make([]transport.Datagram, 4)

	for _, until := range []int64{0, c.Now() + int64(5*time.Millisecond)} {
		if n, err := c.ReadBatch(dst, until); n != 0 || err != nil {
			t.Fatalf("until %d: %d, %v", until, n, err)
		}
		if now := c.Now(); now < until {
			t.Fatalf("returned at %d, before %d", now, until)
		}
	}

	// A wake before the read is not lost. One read uses it up.
	forever := c.Now() + int64(time.Hour)
	c.Wake()
	if n, err := c.ReadBatch(dst, forever); n != 0 || err != nil {
		t.Fatalf("woken: %d, %v", n, err)
	}

	// After a wake, the requested deadline still applies.
	until := c.Now() + int64(5*time.Millisecond)
	if n, err := c.ReadBatch(dst, until); n != 0 || err != nil || c.Now() < until {
		t.Fatalf("after the wake: %d, %v", n, err)
	}

	// A wake during the read is not lost either.
	for i := range 20 {
		done := make(chan error)
		go func() {
			_, err := c.ReadBatch(dst, forever)
			done <- err
		}()
		if i%2 == 0 {
			time.Sleep(time.Millisecond)
		}
		c.Wake()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}

	done := make(chan error)
	go func() {
		_, err := c.ReadBatch(dst, forever)
		done <- err
	}()
	time.Sleep(time.Millisecond)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, transport.ErrClosed) {
		t.Fatalf("read on a closed connection: %v", err)
	}
	if err := c.Flush(); !errors.Is(err, transport.ErrClosed) {
		t.Fatalf("flush on a closed connection: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatalf("second close: %v", err)
	}
	c.Wake()
	c.Stats()
}

// TestGather checks that gathering neither holds a datagram past the deadline nor delays a wake.
func TestGather(t *testing.T) {
	if !batched {
		t.Skip("this system does not gather")
	}
	a, b := listen(t, Config{}), listen(t, Config{Dedicated: true})
	dst := make([]transport.Datagram, 4)
	send := func() {
		a.Send(b.LocalAddr(), []byte("x"))
		a.Flush()
	}
	expect := func(what string, want int, until int64) {
		t.Helper()
		if n, err := b.ReadBatch(dst, until); n != want || err != nil {
			t.Errorf("%s: %d datagrams, %v, want %d", what, n, err, want)
		}
	}
	forever := b.Now() + int64(time.Hour)
	send()
	end := b.Now() + int64(10*time.Millisecond)
	b.Gather(end)
	sent := make(chan bool)
	go func() { time.Sleep(time.Millisecond); send(); close(sent) }()
	<-sent
	expect("gathered", 2, forever)
	if b.Now() < end {
		t.Error("read too early")
	}
	send()
	expect("the read after that", 1, forever)
	send()
	b.Gather(forever)
	expect("at the deadline", 1, b.Now()+int64(time.Millisecond))
	send()
	b.Gather(forever)
	time.AfterFunc(time.Millisecond, b.Wake)
	expect("woken", 0, forever)
	b.Gather(forever)
	time.AfterFunc(time.Millisecond, func() { b.Close() })
	if n, err := b.ReadBatch(dst, forever); n != 0 || !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed: %d datagrams, %v", n, err)
	}
}

// TestTimestamps checks that a datagram's time is the time of its receipt, not of the read.
func TestTimestamps(t *testing.T) {
	if !batched {
		t.Skip("this system does not report times of receipt")
	}
	a, b := listen(t, Config{}), listen(t, Config{Dedicated: true})
	dst := make([]transport.Datagram, 4)
	// The system enables timestamps a little later than requested.
	for range 200 {
		before := b.Now()
		a.Send(b.LocalAddr(), []byte("x"))
		a.Flush()
		after := b.Now()
		time.Sleep(2 * time.Millisecond)
		if n, err := b.ReadBatch(dst, b.Now()+int64(time.Second)); n != 1 || err != nil {
			t.Fatalf("%d datagrams, %v", n, err)
		}
		const clocks = int64(100 * time.Microsecond) // two clocks are read one after the other
		if at := dst[0].ReceivedAt; at >= before-clocks && at <= after+clocks {
			return
		}
	}
	t.Error("no datagram had the time of its receipt")
}

func TestOverflowIsCounted(t *testing.T) {
	if !batched {
		t.Skip("this system does not count overflow")
	}
	a, b := listen(t, Config{}), listen(t, Config{ReadBuffer: 4096})
	const n = 5000
	for range n {
		a.Send(b.LocalAddr(), make([]byte, 1000))
	}
	a.Flush()
	dst := make([]transport.Datagram, 64)
	for {
		k, err := b.ReadBatch(dst, b.Now()+int64(50*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			break
		}
	}
	sent, s := a.Stats().Sent, b.Stats()
	if lost := s.Dropped[transport.DropOverflow]; lost == 0 || s.Received+lost != sent {
		t.Errorf("received %d and lost %d of %d", s.Received, lost, sent)
	}
}

func TestListenErrors(t *testing.T) {
	for _, cfg := range []Config{{Port: -1}, {Port: 65536}, {Batch: -1}, {Batch: 2000}, {MaxDatagram: 70000}, {ReadBuffer: -1}} {
		if _, err := Listen(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := Listen(Config{Addr: "256.1.1.1.invalid"}); err == nil {
		t.Error("Listen accepted a bind address that does not resolve")
	}
	c := listen(t, Config{})
	if _, err := Listen(Config{Addr: "127.0.0.1", Port: int(c.LocalAddr().Port())}); err == nil {
		t.Error("Listen accepted a port in use")
	}
}

func TestNoAllocations(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{Dedicated: true})
	msg := make([]byte, 200)
	dst := make([]transport.Datagram, 64)
	round := func() {
		for range 8 {
			a.Send(b.LocalAddr(), msg)
		}
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		for got := 0; got < 8; {
			n, err := b.ReadBatch(dst, b.Now()+int64(time.Second))
			if err != nil || n == 0 {
				t.Fatalf("%d datagrams, %v", n, err)
			}
			got += n
		}
		b.ReadBatch(dst, 0)
	}
	round()
	if n := testing.AllocsPerRun(200, round); n != 0 && !testenv.Race {
		t.Errorf("%v allocations for eight datagrams", n)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, batch := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			x, y := listen(b, Config{}), listen(b, Config{})
			msg := make([]byte, 200)
			dst := make([]transport.Datagram, 64)
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for i := 0; i < b.N; i += batch {
				for range batch {
					x.Send(y.LocalAddr(), msg)
				}
				x.Flush()
				for got := 0; got < batch; {
					n, err := y.ReadBatch(dst, y.Now()+int64(time.Second))
					if err != nil {
						b.Fatal(err)
					}
					got += n
				}
			}
		})
	}
}

// BenchmarkRoundTripStd measures a round trip with the standard library, for comparison.
func BenchmarkRoundTripStd(b *testing.B) {
	x, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	to := x.LocalAddr().(*net.UDPAddr).AddrPort()
	msg, buf := make([]byte, 200), make([]byte, 1400)
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for range b.N {
		x.WriteToUDPAddrPort(msg, to)
		x.ReadFromUDPAddrPort(buf)
	}
}
