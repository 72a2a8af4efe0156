package ws

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// FuzzInput checks that the parser accepts any bytes, that it returns no payload that is too long,
// and that the sizes of reads make no difference.
func FuzzInput(f *testing.F) {
	for _, b := range [][]byte{
		frame(final|opBinary, -1, []byte("hello")),
		frame(final|opBinary, -1, make([]byte, maxMessage)),
		append(frame(opBinary, -1, []byte("one")), frame(final, -1, []byte("two"))...),
		slices.Concat(frame(opBinary, -1, nil), frame(final|opPing, -1, []byte("there?")), frame(final, -1, []byte("x"))),
		frame(final|opBinary, 1<<62, nil),
		{final | opBinary, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4},
	} {
		f.Add(b, 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		whole, wholeErr := parse(t, b, len(b))
		parts, partsErr := parse(t, b, max(step, 1))
		testenv.Check(t, slices.EqualFunc(whole, parts, bytes.Equal) && wholeErr == partsErr, "%q, %v and %q, %v", whole, wholeErr, parts, partsErr)
	})
}

// parse returns the frames of b, each with its kind, when step bytes are read at a time.
func parse(t *testing.T, b []byte, step int) (frames [][]byte, err error) {
	var in input
	for len(b) > 0 {
		space := in.space()
		testenv.Require(t, len(space) > 0, "no space is left")
		n := copy(space, b[:min(step, len(b))])
		in.add(n)
		b = b[n:]
		for {
			kind, payload, err := in.next()
			if err != nil {
				return frames, err
			}
			if kind == kindNone {
				break
			}
			testenv.Check(t, len(payload) <= maxMessage, "a payload of %d bytes", len(payload))
			in.unheard = 0
			frames = append(frames, append([]byte{byte(kind)}, payload...))
		}
	}
	return frames, nil
}

// TestFrames checks that frames of each size, masked or not, are parsed as they were made.
func TestFrames(t *testing.T) {
	for _, size := range []int{0, 1, frameLength16 - 1, frameLength16, 1000, transport.MaxDatagram} {
		data := bytes.Repeat([]byte{7}, size)
		b := appendFrame(nil, true, kindBinary, []byte{1, 2}, data)
		plain := appendFrame(nil, false, kindBinary, []byte{1, 2}, data)
		testenv.Check(t, frameSize(append(b, 1)) == len(b) && frameSize(plain) == len(plain), "%d bytes: another size", size)
		got, err := parse(t, b, len(b))
		want := append([]byte{kindBinary, 1, 2}, data...)
		testenv.Check(t, err == nil && len(got) == 1 && bytes.Equal(got[0], want), "%d bytes: %q, %v", size, got, err)
		_, err = parse(t, plain, len(plain))
		testenv.Check(t, err == errProtocol, "not masked: %v", err)
	}
}

// TestPollerAllocs checks that datagrams of a connection that a poller serves cost no allocations.
func TestPollerAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	h := newTestHubFor(t, true)
	if h.poller == nil {
		t.Skip("no poller on this system")
	}
	c := h.dialRaw(t, "192.0.2.1:5555")
	message, answer := frame(final|opBinary, -1, make([]byte, 500)), make([]byte, 504)
	batch := make([]transport.Datagram, 64)
	echo := func() {
		c.Write(message)
		n := 0
		for n == 0 {
			n, _ = h.conn.ReadBatch(batch, h.conn.Now()+int64(time.Second))
		}
		h.conn.Send(batch[0].Peer, batch[0].Data)
		h.conn.Flush()
		io.ReadFull(c.r, answer)
	}
	for range 2 * maxUnread {
		echo()
	}
	got := testing.AllocsPerRun(100, echo)
	testenv.Check(t, got == 0, "%v allocations", got)
}
