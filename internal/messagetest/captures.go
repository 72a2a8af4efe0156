package messagetest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Payload is the data of one chunk of a capture.
type Payload struct {
	ToServer bool // the direction
	Vital    bool
	B        []byte
}

// Payloads returns the data of all chunks of a capture.
func Payloads(tb testing.TB, capture string) []Payload {
	tb.Helper()
	var payloads []Payload
	var scratch packet.Scratch
	for i, d := range golden.Datagrams(tb, capture) {
		var flags packet.Flags
		var chunks packet.ChunkReader
		var err error
		if capture == golden.Join6 {
			var p packet.Packet6
			err = p.Parse(d.B, &scratch)
			flags, chunks = p.Flags, p.Chunks()
		} else {
			var p packet.Packet
			err = p.Parse(d.B, &scratch)
			flags, chunks = p.Flags, p.Chunks()
		}
		if err != nil {
			tb.Fatalf("%s, datagram %d: %v", capture, i, err)
		}
		if flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		for c := (packet.Chunk{}); chunks.Next(&c); {
			payloads = append(payloads, Payload{d.ToServer, c.Flags&packet.ChunkVital != 0, bytes.Clone(c.Data)})
		}
		if err := chunks.Err(); err != nil {
			tb.Fatalf("%s, datagram %d: %v", capture, i, err)
		}
	}
	return payloads
}

// Golden decodes every message of a capture, and must append it to the same bytes. least has the
// least number of messages by id. check gets each message.
func (s *Suite[I, M, O]) Golden(t *testing.T, capture string, least map[I]int, check func(m M) error) {
	d := s.NewDecoder()
	seen := map[I]int{}
	for i, p := range Payloads(t, capture) {
		in := bytes.Clone(p.B)
		m, err := d.Decode(p.B)
		if err != nil {
			t.Fatalf("%s, chunk %d, %x: %v", capture, i, in, err)
		}
		seen[m.ID()]++
		if out := m.Append(nil); !bytes.Equal(in, out) {
			t.Fatalf("%s, chunk %d, %T: read %x, wrote %x", capture, i, m, in, out)
		}
		if d.TrailingBytes() != 0 {
			t.Fatalf("%s, chunk %d, %T: %d bytes left", capture, i, m, d.TrailingBytes())
		}
		desc := m.ID().Desc()
		if desc.Vital != p.Vital {
			t.Fatalf("%s, chunk %d, %T: vital is %v on the wire", capture, i, m, p.Vital)
		}
		want := message.FromServer
		if p.ToServer {
			want = message.FromClient
		}
		if desc.Sender != want && desc.Sender != message.FromBoth {
			t.Fatalf("%s, chunk %d, %T: sent in the wrong direction", capture, i, m)
		}
		if err := check(m); err != nil {
			t.Fatalf("%s, chunk %d, %T: %v", capture, i, m, err)
		}
	}
	for id, n := range least {
		if seen[id] < n {
			t.Errorf("%s has %d %v, expected %d or more", capture, seen[id], id, n)
		}
	}
}

// GoldenObject reads an object of a captured snapshot, and must write it to the same integers.
func (s *Suite[I, M, O]) GoldenObject(t *testing.T, d ObjectDecoder[O], typ int, ints []int32) O {
	o, err := d.Decode(typ, ints)
	if err != nil {
		t.Fatal(err)
	}
	again := make([]int32, o.ObjectSize())
	if o.PutInts(again); !slices.Equal(ints, again) {
		t.Fatalf("%T: read %v, wrote %v", o, ints, again)
	}
	return o
}

// FlipEachBit decodes captured messages with each of their bits flipped, up to perID messages of
// each type. A result that still is a message must stay the same after appending and decoding.
// least is the least number of bits to flip.
func (s *Suite[I, M, O]) FlipEachBit(t *testing.T, perID, least int) {
	d := s.NewDecoder()
	var b, out, again []byte
	flips, read := 0, 0
	seen := map[I]int{}
	for _, p := range Payloads(t, s.Capture) {
		m, err := d.Decode(bytes.Clone(p.B))
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID()]++; seen[m.ID()] > perID {
			continue
		}
		for bit := range 8 * len(p.B) {
			b = append(b[:0], p.B...)
			b[bit/8] ^= 1 << (bit % 8)
			flips++
			m, err := d.Decode(b)
			if err != nil {
				continue
			}
			read++
			out = m.Append(out[:0])
			b = append(b[:0], out...)
			if m, err = d.Decode(b); err != nil {
				t.Fatalf("%x: %v", out, err)
			}
			if again = m.Append(again[:0]); !bytes.Equal(out, again) {
				t.Fatalf("%x was appended again as %x", out, again)
			}
		}
	}
	if flips < least || read == 0 || read == flips {
		t.Errorf("%d of %d could be decoded", read, flips)
	}
}

// NoAllocs checks that decoding and appending do not allocate. It uses one captured message of each
// type, and the messages in more.
func (s *Suite[I, M, O]) NoAllocs(t *testing.T, capture string, more ...M) {
	testenv.RequireExactAllocs(t)
	var all [][]byte
	for _, p := range Payloads(t, capture) {
		all = append(all, p.B)
	}
	for _, m := range append(more, s.sorted...) {
		all = append(all, m.Append(nil))
	}
	d := s.NewDecoder()
	buf := make([]byte, 0, 4096)
	n := testing.AllocsPerRun(5, func() {
		for _, b := range all {
			m, err := d.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			buf = m.Append(buf[:0])
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for %d messages", n, len(all))
	}
}

// BenchmarkDecode decodes the messages of a capture.
func (s *Suite[I, M, O]) BenchmarkDecode(b *testing.B, capture string) {
	payloads := Payloads(b, capture)
	d := s.NewDecoder()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := d.Decode(payloads[i%len(payloads)].B); err != nil {
			b.Fatal(err)
		}
	}
}
