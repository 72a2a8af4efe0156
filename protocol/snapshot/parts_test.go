package snapshot

import (
	"bytes"
	"errors"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

func TestPartCount(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 900: 1, 901: 2, 1800: 2, 57600: 64, 57601: 65} {
		if got := PartCount(n); got != want {
			t.Errorf("%d bytes: %d parts, want %d", n, got, want)
		}
	}
}

// TestPartAssembler adds parts in any order, some twice, mixed with parts of older and newer
// snapshots. Each snapshot must come out once, unless a newer one displaced its parts.
func TestPartAssembler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var j PartAssembler
		tick := rapid.Int32Range(-5, 1000).Draw(t, "tick")
		for range rapid.IntRange(1, 5).Draw(t, "snapshots") {
			tick += rapid.Int32Range(1, 10).Draw(t, "step")
			delta := make([]byte, rapid.OneOf(rapid.IntRange(1, 5000), rapid.SampledFrom([]int{900, 1800, 57600})).Draw(t, "bytes"))
			for i := range delta {
				delta[i] = byte(i*7 + int(tick))
			}
			n := PartCount(len(delta))
			h := PartHeader{Tick: tick, BaseTick: tick - 2, CRC: 9, Parts: int32(n)}
			order := rapid.Permutation(indices(n)).Draw(t, "order")
			if rapid.Bool().Draw(t, "doubles") {
				order = append(order[:1:1], order...)
			}
			have := map[int]bool{}
			for i, p := range order {
				if rapid.IntRange(0, 5).Draw(t, "old") == 0 {
					if d, ok, err := j.Add(PartHeader{tick - 1, -1, 0, 1}, 0, []byte{1}); i > 0 && (d != nil || ok || err != nil) {
						t.Fatalf("an older snapshot was accepted: %v %v", ok, err)
					} else if i == 0 && err != nil {
						t.Fatal(err)
					}
				}
				got, ok, err := j.Add(h, int32(p), Part(delta, p))
				if err != nil {
					t.Fatal(err)
				}
				fresh := !have[p]
				have[p] = true
				if ok != (fresh && len(have) == n) {
					t.Fatalf("complete is %v after %d of %d parts", ok, len(have), n)
				}
				if ok && !bytes.Equal(got, delta) {
					t.Fatal("joined bytes differ")
				}
			}
			if _, ok, _ := j.Add(h, 0, Part(delta, 0)); ok {
				t.Fatal("complete twice")
			}
		}
	})
}

func indices(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

func TestPartAssemblerErrors(t *testing.T) {
	full := make([]byte, PartSize)
	var j PartAssembler
	if _, ok, err := j.Add(PartHeader{10, 8, 1, 2}, 0, full); ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, c := range []struct {
		name string
		h    PartHeader
		i    int32
		data []byte
	}{
		{"no parts", PartHeader{11, 8, 1, 0}, 0, full},
		{"65 parts", PartHeader{11, 8, 1, 65}, 0, full},
		{"negative number", PartHeader{11, 8, 1, 2}, -1, full},
		{"number too high", PartHeader{11, 8, 1, 2}, 2, full},
		{"too long", PartHeader{11, 8, 1, 1}, 0, make([]byte, PartSize+1)},
		{"short, not last", PartHeader{11, 8, 1, 2}, 0, full[1:]},
		{"other base", PartHeader{10, 7, 1, 2}, 1, full},
		{"other CRC", PartHeader{10, 8, 2, 2}, 1, full},
		{"other number of parts", PartHeader{10, 8, 1, 3}, 1, full},
	} {
		if d, ok, err := j.Add(c.h, c.i, c.data); !errors.Is(err, ErrPart) || ok || d != nil {
			t.Errorf("%s: %v %v", c.name, ok, err)
		}
	}
	if d, ok, err := j.Add(PartHeader{10, 8, 1, 2}, 1, []byte{5}); err != nil || !ok || len(d) != PartSize+1 || d[PartSize] != 5 {
		t.Errorf("after the errors: %d bytes, %v %v", len(d), ok, err)
	}
	// as in SNAPEMPTY
	if d, ok, err := j.Add(PartHeader{12, 10, 0, 1}, 0, nil); err != nil || !ok || len(d) != 0 {
		t.Errorf("empty: %x %v %v", d, ok, err)
	}
	if _, ok, _ := j.Add(PartHeader{3, -1, 0, 1}, 0, nil); ok {
		t.Error("an older tick was accepted")
	}
	j.Reset()
	if _, ok, _ := j.Add(PartHeader{3, -1, 0, 1}, 0, nil); !ok {
		t.Error("older tick refused after Reset")
	}
}

// FuzzPartAssembler adds arbitrary parts and checks that a result is no longer than the added parts
// allow.
func FuzzPartAssembler(f *testing.F) {
	f.Add([]byte{1, 0, 1, 0, 0, 2, 0, 2, 1, 0, 2, 0, 2, 0, 255})
	f.Add([]byte{1, 0, 64, 63, 255, 1, 0, 64, 62, 255, 2, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var j PartAssembler
		data := make([]byte, PartSize+10)
		for len(b) >= 5 {
			h := PartHeader{Tick: int32(b[0]), BaseTick: int32(b[1]), Parts: int32(int8(b[2]))}
			d, ok, err := j.Add(h, int32(int8(b[3])), data[:min(len(data), int(b[4])*4)])
			if ok && (err != nil || h != j.head || bits.OnesCount64(j.have) != int(h.Parts)) {
				t.Fatal("complete with parts missing")
			}
			if len(d) > max(0, int(h.Parts))*PartSize || cap(j.buf) > MaxParts*PartSize {
				t.Fatalf("%d bytes from %d parts, buffer of %d", len(d), h.Parts, cap(j.buf))
			}
			b = b[5:]
		}
	})
}
