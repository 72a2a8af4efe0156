package packer

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var intVectors = []struct {
	hex string
	v   int32
}{
	{"00", 0},
	{"01", 1},
	{"3f", 63},
	{"8001", 64},
	{"40", -1},
	{"41", -2},
	{"7f", -64},
	{"c001", -65},
	{"851c", 1797},
	{"913b", 3793},
	{"bf7f", 8191},
	{"808001", 8192},
	{"80808001", 1 << 20},
	{"8080808001", 1 << 27},
	{"bfffffff0f", math.MaxInt32},
	{"ffffffff0f", math.MinInt32},
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestIntVectors(t *testing.T) {
	for _, v := range intVectors {
		if got := AppendInt(nil, v.v); !bytes.Equal(got, unhex(t, v.hex)) {
			t.Errorf("AppendInt(%d) = %x, want %s", v.v, got, v.hex)
		}
		// Test at the end of the buffer and with many bytes after it, because the two cases use
		// different code.
		for _, tail := range []int{0, 1, 16} {
			var u Unpacker
			u.Reset(append(unhex(t, v.hex), bytes.Repeat([]byte{0xff}, tail)...))
			if got := u.Int(); got != v.v || u.Err() != nil || u.Len() != tail {
				t.Errorf("Int(%s + %d bytes) = %d, %v, %d left; want %d", v.hex, tail, got, u.Err(), u.Len(), v.v)
			}
		}
	}
}

func TestIntOverlong(t *testing.T) {
	for _, v := range []struct {
		hex  string
		want int32
		left int
	}{
		{"8000", 0, 0},
		{"80808000", 0, 0},
		{"8080808000", 0, 0},
		{"c000", -1, 0},
		// The extension bit of the fifth byte and the bits above 0x0f are ignored.
		{"80808080f101", 1 << 27, 1},
		{"bfffffffff", math.MaxInt32, 0},
		{"ffffffffffff", math.MinInt32, 1},
	} {
		var u Unpacker
		u.Reset(unhex(t, v.hex))
		if got := u.Int(); got != v.want || u.Err() != nil || u.Len() != v.left {
			t.Errorf("Int(%s) = %d, %v, %d left; want %d, %d left", v.hex, got, u.Err(), u.Len(), v.want, v.left)
		}
	}
}

func TestIntShort(t *testing.T) {
	for _, s := range []string{"", "80", "8080", "808080", "80808080", "ffffffff"} {
		var u Unpacker
		u.Reset(unhex(t, s))
		if got := u.Int(); got != 0 || !errors.Is(u.Err(), ErrShort) || u.Len() != 0 {
			t.Errorf("Int(%q) = %d, %v, %d left; want 0, ErrShort", s, got, u.Err(), u.Len())
		}
		dst := []int32{7, 7}
		u.Reset(append([]byte{1}, unhex(t, s)...))
		if u.Ints(dst) || dst[0] != 1 || dst[1] != 0 || !errors.Is(u.Err(), ErrShort) {
			t.Errorf("Ints(01 %q) = %v, %v; want [1 0], ErrShort", s, dst, u.Err())
		}
	}
}

// reference reads the format byte by byte, without optimization.
func reference(b []byte) (int32, int) {
	if len(b) == 0 {
		return 0, 0
	}
	u := uint32(b[0] & 0x3f)
	n := 1
	for shift := 6; b[n-1]&0x80 != 0 && n < 5; shift += 7 {
		if n == len(b) {
			return 0, 0
		}
		mask := byte(0x7f)
		if n == 4 {
			mask = 0x0f
		}
		u |= uint32(b[n]&mask) << shift
		n++
	}
	if b[0]&0x40 != 0 {
		u = ^u
	}
	return int32(u), n
}

func TestIntAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "bytes")
		want, n := reference(b)
		var u Unpacker
		u.Reset(b)
		got := u.Int()
		if n == 0 {
			if u.Err() == nil {
				t.Fatalf("Int(%x) = %d, want an error", b, got)
			}
			return
		}
		if got != want || u.Len() != len(b)-n || u.Err() != nil {
			t.Fatalf("Int(%x) = %d with %d left, want %d with %d left", b, got, u.Len(), want, len(b)-n)
		}
	})
}

func TestIntsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vs := rapid.SliceOf(rapid.Int32()).Draw(t, "ints")
		b := AppendInts(nil, vs)
		var one []byte
		for _, v := range vs {
			one = AppendInt(one, v)
		}
		if !bytes.Equal(b, one) {
			t.Fatalf("AppendInts = %x, AppendInt = %x", b, one)
		}
		got := make([]int32, len(vs))
		var u Unpacker
		u.Reset(b)
		if !u.Ints(got) || u.Len() != 0 {
			t.Fatalf("Ints(%x): %v, %d left", b, u.Err(), u.Len())
		}
		u.Reset(b)
		for i, v := range vs {
			if w := u.Int(); w != v || got[i] != v {
				t.Fatalf("value %d: Int %d, Ints %d, want %d", i, w, got[i], v)
			}
		}
	})
}
