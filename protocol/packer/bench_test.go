package packer

import "testing"

// mixed returns integers with the size mix of a snapshot delta: mostly small
// differences, some positions, a few ticks.
func mixed() []int32 {
	vs := make([]int32, 1024)
	x := uint32(1)
	for i := range vs {
		x = x*1664525 + 1013904223
		bits := [...]uint{0, 0, 1, 3, 4, 5, 6, 9, 11, 17}[(x>>16)%10]
		vs[i] = int32(x>>8&(1<<bits-1)) ^ -int32(x>>7&1)
	}
	return vs
}

func BenchmarkAppendInt(b *testing.B) {
	vs := mixed()
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
	vs := mixed()
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
	vs := mixed()
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
	vs := mixed()
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
