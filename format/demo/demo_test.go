package demo

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// memFile is a file in memory that Writer.Close can complete.
type memFile struct{ b []byte }

func (f *memFile) Write(b []byte) (int, error) {
	f.b = append(f.b, b...)
	return len(b), nil
}

func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > int64(len(f.b)) {
		return 0, io.ErrShortWrite
	}
	return copy(f.b[at:], b), nil
}

// ofMap returns a header with the checksums of another map.
func ofMap(h Header, mapData []byte) Header {
	h.MapCRC = crc32.ChecksumIEEE(mapData)
	if h.MapSHA256 != [32]byte{} {
		h.MapSHA256 = sha256.Sum256(mapData)
	}
	return h
}

// testHeader returns a header for each version.
func testHeader(version int) Header {
	h := Header{Version: version, NetVersion: msg7.NetVersion, MapName: "dm1", MapCRC: 0xf2159e6e, Type: "server", Time: "2026-11-22_08-30-00"}
	if version >= withShortTicks {
		h.NetVersion = msg6.NetVersion
	}
	if version >= withSHA256 {
		h.MapSHA256 = [32]byte{1, 2, 3}
	}
	return h
}

// step is one tick of a test: a snapshot, and the messages after it.
type step struct {
	tick     int32
	snap     *snapshot.Snapshot
	messages [][]byte
}

// randomSteps returns ticks with gaps of all sizes, in which objects appear, move and disappear.
func randomSteps(rng *rand.Rand, n int, sizes snapshot.ItemSizes) []step {
	var steps []step
	values := map[snapshot.Key][]int32{}
	tick := rng.Int32N(1000)
	for range n {
		switch rng.IntN(20) {
		case 0:
			tick += 1 + rng.Int32N(400)
		case 1:
			tick += 60 + rng.Int32N(8)
		case 2:
			tick += 28 + rng.Int32N(8)
		default:
			tick += 1 + rng.Int32N(3)
		}
		for range rng.IntN(4) {
			typ := 1 + rng.IntN(24)
			key := snapshot.MakeKey(typ, rng.IntN(4))
			size := sizes.Of(typ)
			if size == 0 {
				size = 1 + typ%3
			}
			if rng.IntN(4) == 0 {
				delete(values, key)
				continue
			}
			ints := make([]int32, size)
			for i := range ints {
				ints[i] = int32(rng.Uint32()) >> rng.IntN(32)
			}
			values[key] = ints
		}
		var b snapshot.Builder
		for key, ints := range values {
			copy(b.Add(key.Type(), key.ID(), len(ints)), ints)
		}
		s := step{tick: tick, snap: new(snapshot.Snapshot)}
		b.Finish(s.snap)
		for range rng.IntN(3) {
			m := make([]byte, 1+rng.IntN(300))
			for i := range m {
				m[i] = byte(rng.Uint32() >> rng.IntN(8))
			}
			s.messages = append(s.messages, m)
		}
		steps = append(steps, s)
	}
	return steps
}

// write writes a demo.
func write(t testing.TB, h Header, mapData []byte, steps []step, markers ...int32) []byte {
	t.Helper()
	var f memFile
	w, err := NewWriter(&f, ofMap(h, mapData), mapData)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		err = errors.Join(err, w.Snapshot(s.tick, s.snap))
		for _, m := range s.messages {
			err = errors.Join(err, w.Message(m))
		}
	}
	for _, tick := range markers {
		w.Marker(tick)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return f.b
}

// read reads the steps of a demo. With the first error, it returns the steps read so far.
func read(r *Reader) (steps []step, keyframes int, err error) {
	var c Chunk
	var last *snapshot.Snapshot
	for {
		if err = r.Next(&c); err != nil {
			return steps, keyframes, err
		}
		switch c.Kind {
		case KindTick:
			if c.Keyframe {
				keyframes++
			}
			steps = append(steps, step{tick: c.Tick, snap: last})
		case KindMessage:
			s := &steps[len(steps)-1]
			s.messages = append(s.messages, bytes.Clone(c.Message))
		default:
			last = new(snapshot.Snapshot)
			last.CopyFrom(c.Snapshot)
			steps[len(steps)-1].snap = last
		}
	}
}

// checkSteps compares the steps read with those written.
func checkSteps(t *testing.T, got, want []step) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d ticks, want %d", len(got), len(want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if g.tick != w.tick || !g.snap.Equal(w.snap) || len(g.messages) != len(w.messages) {
			t.Fatalf("tick %d of %d: %d with %d items and %d messages, want %d with %d and %d", i, len(want),
				g.tick, g.snap.Len(), len(g.messages), w.tick, w.snap.Len(), len(w.messages))
		}
		for k, m := range w.messages {
			if padded := g.messages[k]; !bytes.HasPrefix(padded, m) || len(padded)-len(m) > 3 || len(bytes.Trim(padded[len(m):], "\x00")) > 0 {
				t.Fatalf("tick %d: message %x becomes %x", w.tick, m, padded)
			}
		}
	}
}

func TestWriteAndRead(t *testing.T) {
	for version := oldest; version <= VersionDDNet; version++ {
		rng := rand.New(rand.NewPCG(uint64(version), 1))
		h := testHeader(version)
		mapData := []byte("the map")
		steps := randomSteps(rng, 400, *h.ItemSizes())
		last := steps[len(steps)-1].tick
		file := write(t, h, mapData, steps, 500, 520, 549, 550, last)
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		want := ofMap(h, mapData)
		want.Length = int(last-steps[0].tick) / TickRate
		if version >= withMarkers {
			want.Markers = []int32{500, 550, last}
		}
		if alone, err := ReadHeader(bytes.NewReader(file)); err != nil || !reflect.DeepEqual(*alone, want) {
			t.Errorf("version %d: the header alone is %+v, %v; want %+v", version, alone, err, want)
		}
		if !reflect.DeepEqual(*r.Header(), want) || !bytes.Equal(r.Map(), mapData) {
			t.Errorf("version %d: the header is %+v, want %+v; map %q", version, r.Header(), want, r.Map())
		}
		got, keyframes, err := read(r)
		if err != io.EOF {
			t.Fatalf("version %d: %v", version, err)
		}
		checkSteps(t, got, steps)
		wantKeyframes, since := 0, int32(-1000)
		for _, s := range steps {
			if s.tick-since > KeyframeInterval {
				wantKeyframes, since = wantKeyframes+1, s.tick
			}
		}
		if keyframes != wantKeyframes {
			t.Errorf("version %d: %d keyframes, want %d", version, keyframes, wantKeyframes)
		}
		if err := r.Next(new(Chunk)); err != io.EOF {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestTickMarkers checks the bytes of tick markers at the limits of their formats.
func TestTickMarkers(t *testing.T) {
	empty := new(snapshot.Snapshot)
	for _, c := range []struct {
		version int
		ticks   []int32
		want    string // bytes of the markers after the first
	}{
		{4, []int32{100, 101, 164, 228}, "81 bf 80000000e4"},
		{4, []int32{100, 100, 50}, "8000000064 8000000032"},
		{4, []int32{100, 350, 351}, "800000015e c00000015f"},
		{6, []int32{100, 101, 132, 164}, "a1 bf 80000000a4"},
		{6, []int32{100, 100, 50}, "8000000064 8000000032"},
		{6, []int32{-5, 1 << 30}, "c040000000"},
	} {
		h := testHeader(c.version)
		e := NewEncoder(&h)
		e.AppendSnapshot(nil, c.ticks[0], empty)
		var got []string
		for _, tick := range c.ticks[1:] {
			b := e.AppendSnapshot(nil, tick, empty)
			if b[0]&flagKeyframe != 0 {
				b = b[:5] // without the snapshot
			}
			got = append(got, fmt.Sprintf("%x", b))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("version %d, ticks %d: %s, want %s", c.version, c.ticks, s, c.want)
		}
	}
}

// TestKeyframe checks keyframes that the caller requests.
func TestKeyframe(t *testing.T) {
	h := testHeader(VersionTeeworlds)
	e := NewEncoder(&h)
	s := new(snapshot.Snapshot)
	var keyframes []int32
	for tick := int32(10); tick < 600; tick++ {
		if tick == 100 {
			e.Keyframe()
		}
		if b := e.AppendSnapshot(nil, tick, s); b[0]&flagKeyframe != 0 {
			keyframes = append(keyframes, tick)
		}
	}
	if want := []int32{10, 100, 351}; !slices.Equal(keyframes, want) {
		t.Errorf("keyframes at %d, want %d", keyframes, want)
	}
}

// TestTooLarge writes a snapshot and a message that do not fit a chunk.
func TestTooLarge(t *testing.T) {
	small, large := new(snapshot.Snapshot), new(snapshot.Snapshot)
	var b snapshot.Builder
	ints := b.Add(1000, 1, 16000)
	for i := range ints {
		ints[i] = -1 << 31 / int32(i%7+1)
	}
	b.Finish(large)
	h := testHeader(VersionTeeworlds)
	var f memFile
	w, err := NewWriter(&f, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Snapshot(1, large) // a keyframe is not possible
	w.Snapshot(2, small)
	w.Snapshot(3, large)
	w.Message(make([]byte, 1<<17))
	w.Message(bytes.Repeat([]byte{0x80, 0x90, 0xfa, 0x3c}, 16000))
	w.Snapshot(4, small)
	if n := w.Encoder().Dropped(); n != 4 {
		t.Errorf("%d dropped", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(f.b))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	var c Chunk
	for err = r.Next(&c); err == nil; err = r.Next(&c) {
		kinds = append(kinds, c.Kind)
	}
	if want := []Kind{KindTick, KindTick, KindSnapshot, KindTick, KindTick}; err != io.EOF || !slices.Equal(kinds, want) {
		t.Errorf("%v, %v", kinds, err)
	}
}

// TestCutOff reads a demo truncated at every byte. Each must contain everything up to that byte.
func TestCutOff(t *testing.T) {
	for _, version := range []int{VersionTeeworlds, VersionDDNet} {
		h := testHeader(version)
		steps := randomSteps(rand.New(rand.NewPCG(1, 2)), 8, *h.ItemSizes())
		file := write(t, h, []byte("map"), steps)
		chunks := headerSize(version) + 3
		clean := 0
		for n := range len(file) {
			r, err := NewReader(bytes.NewReader(file[:n]))
			if n < chunks {
				if n >= 8 && !errors.Is(err, ErrCutOff) || n < 8 && !errors.Is(err, ErrCutOff) && !errors.Is(err, ErrFormat) {
					t.Fatalf("version %d, %d bytes: %v", version, n, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("version %d, %d bytes: %v", version, n, err)
			}
			got, _, err := read(r)
			switch {
			case err == io.EOF:
				clean++
			case !errors.Is(err, ErrCutOff) || !strings.Contains(err.Error(), fmt.Sprint(n)):
				t.Fatalf("version %d, %d bytes: %v", version, n, err)
			}
			if len(got) > 1 {
				checkSteps(t, got[:len(got)-1], steps[:len(got)-1])
			}
		}
		if want := 8; clean < want {
			t.Errorf("%d truncated files end with a chunk, want at least %d", clean, want)
		}
	}
}

// TestBroken checks that reading continues after broken chunks.
func TestBroken(t *testing.T) {
	h := testHeader(VersionTeeworlds)
	var f memFile
	w, _ := NewWriter(&f, h, nil)
	var b snapshot.Builder
	copy(b.Add(msg7.TypeFlag, 0, 3), []int32{1, 2, 0})
	s := new(snapshot.Snapshot)
	b.Finish(s)
	w.Snapshot(1, s)
	w.Flush()
	for _, chunk := range []string{
		"\x41\xff",                 // message without an end symbol
		"\x05\x00\x00\x00\x00\x00", // chunk of type 0
		"\x21\xff",                 // snapshot without an end symbol
		"\x8a",                     // valid
	} {
		f.b = append(f.b, chunk...)
	}
	broken := len(f.b)
	w.Snapshot(3, new(snapshot.Snapshot)) // a delta from the broken snapshot
	w.Encoder().Keyframe()
	w.Snapshot(22, s)
	w.Message([]byte{1, 2, 3, 4})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(f.b))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var c Chunk
	for {
		err := r.Next(&c)
		if err == io.EOF {
			break
		}
		switch {
		case errors.Is(err, ErrChunk):
			if c.Offset >= int64(broken) || !strings.Contains(err.Error(), fmt.Sprintf("byte %d", c.Offset)) {
				t.Errorf("%d: %v", c.Offset, err)
			}
			got = append(got, "broken")
		case err != nil:
			t.Fatal(err)
		case c.Kind == KindTick:
			got = append(got, fmt.Sprint(c.Tick))
		case c.Kind == KindMessage:
			got = append(got, "message")
		default:
			got = append(got, map[bool]string{true: "snapshot", false: "none"}[c.Snapshot != nil])
		}
	}
	want := []string{"1", "snapshot", "broken", "broken", "broken", "11", "13", "none", "22", "snapshot", "message"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHeaders reads invalid headers.
func TestHeaders(t *testing.T) {
	h := testHeader(VersionDDNet)
	good := h.Append(nil, 4)
	change := func(at int, b ...byte) []byte {
		c := slices.Clone(good)
		copy(c[at:], b)
		return append(c, "map!"...)
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, ErrFormat},
		{"text", []byte("TWDEMOX and more"), ErrFormat},
		{"a short text", []byte("hello"), ErrFormat},
		{"version 2", change(7, 2), ErrVersion},
		{"version 7", change(7, 7), ErrVersion},
		{"another extension", change(436, 1), ErrFormat},
		{"a map of 4 GB", change(136, 255, 255, 255, 255), ErrFormat},
		{"a map of 16 MB", change(136, 1), ErrCutOff},
		{"a million markers", change(176, 0, 16), nil},
		{"a length below zero", change(152, 255), nil},
		{"a name without end", change(72, bytes.Repeat([]byte{'a'}, 64)...), nil},
	} {
		_, err := NewReader(bytes.NewReader(c.file))
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	long := Header{NetVersion: strings.Repeat("n", 100), MapName: strings.Repeat("m", 100), Type: "something", Markers: make([]int32, 100)}
	if n := len(long.Append(nil, 0)); n != headerSize(VersionTeeworlds) {
		t.Errorf("a header of %d bytes", n)
	}
}

// TestCut cuts demos at every tick.
func TestCut(t *testing.T) {
	h := testHeader(VersionTeeworlds)
	steps := randomSteps(rand.New(rand.NewPCG(3, 4)), 60, *h.ItemSizes())
	start, end := steps[0].tick, steps[len(steps)-1].tick
	file := write(t, h, []byte("map"), steps, steps[20].tick)
	for i, s := range steps {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var out memFile
		to, wantLast := int32(-1), end
		if i%2 == 0 {
			to, wantLast = s.tick-start, s.tick
		}
		from := s.tick - start
		if i%3 == 0 {
			from = 0
		}
		wantFirst := from + start
		first, last, err := Cut(&out, r, from, to)
		if err != nil || first != wantFirst || last != wantLast {
			t.Fatalf("%d to %d: from %d to %d, %v; want %d to %d", from, to, first, last, err, wantFirst, wantLast)
		}
		cut, err := NewReader(bytes.NewReader(out.b))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := read(cut)
		if err != io.EOF {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.tick < wantFirst || s.tick > wantLast })
		checkSteps(t, got, want)
		if marked := len(cut.Header().Markers) == 1; marked != (steps[20].tick >= wantFirst && steps[20].tick <= wantLast) {
			t.Errorf("%d to %d: markers %d", from, to, cut.Header().Markers)
		}
		if n := cut.Header().Length; n != int(wantLast-wantFirst)/TickRate || string(cut.Map()) != "map" {
			t.Errorf("%d to %d: %d s, map %q", from, to, n, cut.Map())
		}
	}
	r, _ := NewReader(bytes.NewReader(file))
	if first, last, err := Cut(io.Discard, r, end+1, -1); first != -1 || last != -1 || err != nil {
		t.Errorf("after the end: %d to %d, %v", first, last, err)
	}
	r, _ = NewReader(bytes.NewReader(file[:len(file)-1]))
	if first, last, err := Cut(io.Discard, r, 0, -1); first != start || last < steps[50].tick || !errors.Is(err, ErrCutOff) {
		t.Errorf("cut of a truncated demo: %d to %d, %v", first, last, err)
	}
	r, _ = NewReader(bytes.NewReader(file))
	if _, _, err := Cut(fullDisk(len(file)/2), r, 0, -1); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("no space left")

// fullDisk returns a Writer that accepts n bytes and then fails.
func fullDisk(n int) io.Writer { return &limitedWriter{n} }

type limitedWriter struct{ left int }

func (w *limitedWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestEncoderDoesNotAllocate checks the code path of a running game.
func TestEncoderDoesNotAllocate(t *testing.T) {
	testenv.RequireExactAllocs(t)
	h := testHeader(VersionTeeworlds)
	steps := randomSteps(rand.New(rand.NewPCG(5, 6)), 200, *h.ItemSizes())
	var buf []byte
	encode := func() {
		e := NewEncoder(&h)
		for range 5 {
			for i := range steps {
				buf = e.AppendSnapshot(buf[:0], steps[i].tick, steps[i].snap)
				for _, m := range steps[i].messages {
					buf = e.AppendMessage(buf[:0], m)
				}
			}
		}
	}
	if n := testing.AllocsPerRun(5, encode); n > 60 { // for growing buffers, per thousand ticks
		t.Errorf("%v allocations", n)
	}
}

// TestGoldenChunks packs the contents of the chunks of real demos again. Every chunk must be the
// same to the byte, even in DDNet's demos, whose order of items only DDNet knows.
func TestGoldenChunks(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.demo")
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		e := NewEncoder(r.Header())
		var c Chunk
		for err = r.Next(&c); err == nil; err = r.Next(&c) {
			if c.Kind == KindTick {
				continue
			}
			if err := r.unpack(); err != nil {
				t.Fatal(err)
			}
			e.packed = packer.AppendInts(e.packed[:0], r.ints)
			e.compress()
			chunk := file[c.Offset:][:c.Size]
			if b := e.appendCompressed(nil, chunk[0]>>5); !bytes.Equal(b, chunk) {
				t.Fatalf("%s: the chunk at %d becomes %x, want %x", name, c.Offset, b, chunk)
			}
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	}
	if len(names) < 4 {
		t.Errorf("%q", names)
	}
}

// FuzzReader reads arbitrary bytes. There must be no panic, no endless loop, and no memory out of
// proportion. The chunks read must survive writing and reading again.
func FuzzReader(f *testing.F) {
	for version := oldest; version <= VersionDDNet; version++ {
		h := testHeader(version)
		f.Add(write(f, h, []byte("m"), randomSteps(rand.New(rand.NewPCG(7, 8)), 8, *h.ItemSizes())))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		if len(r.Map()) > len(file) {
			t.Fatalf("a map of %d bytes in %d", len(r.Map()), len(file))
		}
		var c Chunk
		var out memFile
		w, err := NewWriter(&out, ofMap(*r.Header(), r.Map()), r.Map())
		if err != nil {
			t.Fatal(err)
		}
		var written []step
		offset := int64(-1)
		for {
			err := r.Next(&c)
			if err != nil && !errors.Is(err, ErrChunk) {
				break
			}
			if c.Offset <= offset || c.Size <= 0 {
				t.Fatalf("a chunk of %d bytes at %d after %d", c.Size, c.Offset, offset)
			}
			offset = c.Offset
			if err == nil && c.Snapshot != nil && fitsSizes(c.Snapshot, r.sizes) && c.Tick >= 0 &&
				(len(written) == 0 || c.Tick > written[len(written)-1].tick) {
				s := new(snapshot.Snapshot)
				s.CopyFrom(c.Snapshot)
				written = append(written, step{tick: c.Tick, snap: s})
				w.Snapshot(c.Tick, s)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if w.Encoder().Dropped() > 0 {
			return
		}
		again, err := NewReader(bytes.NewReader(out.b))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := read(again)
		if err != io.EOF {
			t.Fatal(err)
		}
		checkSteps(t, got, written)
	})
}

// fitsSizes reports whether a delta can contain all items. A file may contain whole snapshots for
// which that is not so.
func fitsSizes(s *snapshot.Snapshot, sizes *snapshot.ItemSizes) bool {
	for i := range s.Len() {
		key, ints := s.Item(i)
		if n := sizes.Of(key.Type()); n != 0 && n != len(ints) {
			return false
		}
	}
	return true
}
