package packer

import (
	"encoding/binary"
	"os"
	"testing"
)

// corpus returns the integers of captured snapshot deltas. Nine of ten take one byte.
func corpus(tb testing.TB) []int32 {
	tb.Helper()
	b, err := os.ReadFile("../snapshot/testdata/tw16.snaps")
	if err != nil {
		tb.Fatal(err)
	}
	var vs []int32
	var u Unpacker
	for len(b) >= 16 && len(vs) < 1<<16 {
		n := binary.LittleEndian.Uint32(b[12:])
		u.Reset(b[16 : 16+n])
		for u.Len() > 0 {
			vs = append(vs, u.Int())
		}
		b = b[16+n:]
	}
	return vs
}

func BenchmarkAppendInt(b *testing.B) {
	vs := corpus(b)
	buf := make([]byte, 0, len(vs)*MaxIntLen)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		buf = buf[:0]
		for _, v := range vs {
			buf = AppendInt(buf, v)
		}
		n += len(vs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/int")
}

func BenchmarkAppendInts(b *testing.B) {
	vs := corpus(b)
	buf := make([]byte, 0, len(vs)*MaxIntLen)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		buf = AppendInts(buf[:0], vs)
		n += len(vs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/int")
}

func BenchmarkInt(b *testing.B) {
	vs := corpus(b)
	buf := AppendInts(nil, vs)
	var u Unpacker
	b.ReportAllocs()
	n := 0
	var sum int32
	for b.Loop() {
		u.Reset(buf)
		for range vs {
			sum += u.Int()
		}
		n += len(vs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/int")
	_ = sum
}

func BenchmarkInts(b *testing.B) {
	vs := corpus(b)
	buf := AppendInts(nil, vs)
	var u Unpacker
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		u.Reset(buf)
		u.Ints(vs)
		n += len(vs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/int")
}
