package huffman

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"pgregory.net/rapid"
)

// payloads returns the compressed payloads of a recording. payloads selects 0.7 packets with the
// compression flag and neither the control nor the connless flag.
func payloads(t testing.TB) (all [][]byte) {
	for _, d := range golden.Datagrams(t, golden.Server16) {
		if d.B[0]&0x34 == 0x10 {
			all = append(all, d.B[7:])
		}
	}
	return all
}

func TestVectors(t *testing.T) {
	vectors := []struct{ text, want string }{
		{"", "8a1b"},
		{"\x00", "153700"},
		{"hello", "ae95135c0957c216296e00"},
		{string(make([]byte, 20)), "ffffafb801"},
		{"\x00\x01\x02\x03\x04\x05\x06\x07", "515878761b37c50d"},
	}
	for _, v := range vectors {
		got := AppendCompress(nil, []byte(v.text))
		if hex.EncodeToString(got) != v.want {
			t.Errorf("compress %q = %x, want %s", v.text, got, v.want)
		}
		back, err := AppendDecompress(nil, got, len(v.text))
		if err != nil || string(back) != v.text {
			t.Errorf("decompress %x = %q, %v, want %q", got, back, err, v.text)
		}
	}
}

func TestCodes(t *testing.T) {
	if c := fixed.encode[0]; c.len() != 1 || c.bits() != 1 {
		t.Errorf("symbol 0 has code %b of %d bits", c.bits(), c.len())
	}
	if c := fixed.encode[endSym]; c.len() != 15 || c.bits() != 0b001101110001010 {
		t.Errorf("the end symbol has code %015b of %d bits", c.bits(), c.len())
	}
	if c := fixed.encode[119]; c.len() != 15 {
		t.Errorf("symbol 119 has %d bits", c.len())
	}
}

// TestRecorded compresses the payloads of the real programs again and expects the same bytes.
func TestRecorded(t *testing.T) {
	all := payloads(t)
	if len(all) < 1000 {
		t.Fatalf("only %d compressed payloads", len(all))
	}
	for i, p := range all {
		text, err := AppendDecompress(nil, p, 1391)
		if err != nil {
			t.Fatalf("payload %d: %v", i, err)
		}
		if got := AppendCompress(nil, text); !bytes.Equal(got, p) {
			t.Fatalf("payload %d: compressed to\n%x, want\n%x", i, got, p)
		}
	}
}

func TestAppends(t *testing.T) {
	prefix := []byte("before")
	c := AppendCompress(bytes.Clone(prefix), []byte("some text"))
	if !bytes.HasPrefix(c, prefix) {
		t.Errorf("AppendCompress changed the existing bytes: %q", c)
	}
	d, err := AppendDecompress(bytes.Clone(prefix), c[len(prefix):], 9)
	if err != nil || string(d) != "beforesome text" {
		t.Errorf("AppendDecompress = %q, %v", d, err)
	}
}

func TestLimit(t *testing.T) {
	for _, n := range []int{1, 5, 40, 1000} {
		text := bytes.Repeat([]byte("\x00ab"), n)
		c := AppendCompress(nil, text)
		dst := []byte("x")
		got, err := AppendDecompress(dst, c, len(text)-1)
		if !errors.Is(err, ErrTooLong) || string(got) != "x" {
			t.Errorf("%d bytes: %d bytes and %v", len(text), len(got), err)
		}
		if _, err := AppendDecompress(dst, c, len(text)); err != nil {
			t.Errorf("%d bytes, exact limit: %v", len(text), err)
		}
	}
	if _, err := AppendDecompress(nil, []byte{0xff}, -1); err == nil {
		t.Error("a negative limit was accepted")
	}
}

func TestTruncated(t *testing.T) {
	c := AppendCompress(nil, []byte("the end is missing in every cut of this"))
	for n := range len(c) - 1 {
		if _, err := AppendDecompress(nil, c[:n], 1391); !errors.Is(err, ErrTruncated) {
			t.Errorf("%d of %d bytes: %v", n, len(c), err)
		}
	}
	// All ones is an endless run of zero bytes.
	if _, err := AppendDecompress(nil, bytes.Repeat([]byte{0xff}, 1000), 1391); !errors.Is(err, ErrTooLong) {
		t.Errorf("a run of ones: %v", err)
	}
}

func TestMemoryFollowsInput(t *testing.T) {
	got, _ := AppendDecompress(nil, AppendCompress(nil, []byte("small")), 1<<40)
	if cap(got) > 1000 {
		t.Errorf("%d bytes allocated for 5", cap(got))
	}
}

// reference decodes bit by bit, using only the codes.
func reference(src []byte, limit int) ([]byte, error) {
	symbol := map[code]int{}
	for s, c := range fixed.encode {
		symbol[c] = s
	}
	var out []byte
	var bits, n uint
	for i := range 8 * len(src) {
		bits |= uint(src[i/8]>>(i%8)&1) << n
		n++
		s, ok := symbol[code(n<<16|bits)]
		if !ok {
			continue
		}
		if s == endSym {
			return out, nil
		}
		if len(out) == limit {
			return nil, ErrTooLong
		}
		out = append(out, byte(s))
		bits, n = 0, 0
	}
	return nil, ErrTruncated
}

func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "src")
		if rapid.Bool().Draw(t, "ended") {
			src = AppendCompress(nil, src)
		}
		limit := rapid.IntRange(0, 500).Draw(t, "limit")
		want, wantErr := reference(src, limit)
		got, err := AppendDecompress(nil, src, limit)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%x, %v, want %x, %v", got, err, want, wantErr)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		spare := rapid.IntRange(0, 40).Draw(t, "spare")
		c := AppendCompress(make([]byte, 0, spare), text)
		if len(c) > (len(text)+1)*maxBits/8+1 {
			t.Fatalf("%d bytes became %d", len(text), len(c))
		}
		got, err := AppendDecompress(nil, c, len(text))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%x, %v, want %x", got, err, text)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	all := payloads(t)[:100]
	text := make([]byte, 0, 1391)
	comp := make([]byte, 0, 1391)
	n := testing.AllocsPerRun(10, func() {
		for _, p := range all {
			text, _ = AppendDecompress(text[:0], p, 1391)
			comp = AppendCompress(comp[:0], text)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("hello"))
	f.Add(bytes.Repeat([]byte{119}, 50))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := AppendDecompress(nil, AppendCompress(nil, text), len(text))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%x, %v", got, err)
		}
	})
}

func FuzzDecompress(f *testing.F) {
	f.Add([]byte{}, 0)
	f.Add([]byte{0x8a, 0x1b}, 0)
	f.Add(bytes.Repeat([]byte{0xff}, 100), 50)
	for _, p := range payloads(f)[:20] {
		f.Add(p, 1391)
	}
	f.Fuzz(func(t *testing.T, src []byte, limit int) {
		limit = min(limit, 1<<20)
		got, err := AppendDecompress(nil, src, limit)
		want, wantErr := reference(src, max(limit, 0))
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%x, %v, want %x, %v", got, err, want, wantErr)
		}
	})
}

func corpus(b *testing.B) (comp, plain [][]byte, size int64) {
	comp = payloads(b)
	for _, p := range comp {
		text, err := AppendDecompress(nil, p, 1391)
		if err != nil {
			b.Fatal(err)
		}
		plain = append(plain, text)
		size += int64(len(text))
	}
	return comp, plain, size
}

// Throughput is in uncompressed bytes.

func BenchmarkCompress(b *testing.B) {
	_, plain, size := corpus(b)
	dst := make([]byte, 0, 2800)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range plain {
			dst = AppendCompress(dst[:0], p)
		}
	}
}

func BenchmarkDecompress(b *testing.B) {
	comp, _, size := corpus(b)
	dst := make([]byte, 0, 1391)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range comp {
			dst, _ = AppendDecompress(dst[:0], p, 1391)
		}
	}
}
