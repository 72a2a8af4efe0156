package teehistorian_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packer"
)

// recordings returns the recordings of DDNet-Server in testdata. See the README there.
func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	names := testenv.Must(filepath.Glob("testdata/*.teehistorian.gz"))
	if len(names) < 2 {
		t.Fatal("no recordings")
	}
	all := map[string][]byte{}
	for _, name := range names {
		r, err := gzip.NewReader(bytes.NewReader(testenv.Must(os.ReadFile(name))))
		testenv.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(name), ".teehistorian.gz")] = testenv.Must(io.ReadAll(r))
	}
	return all
}

// read returns all records of a file and the error at its end. The error is io.EOF for a complete
// file.
func read(b []byte) ([]teehistorian.Record, error) {
	r, err := teehistorian.NewReader(bytes.NewReader(b))
	for all := []teehistorian.Record(nil); ; {
		var rec teehistorian.Record
		if err == nil {
			err = r.Next(&rec)
		}
		if err != nil {
			return all, err
		}
		all = append(all, rec)
	}
}

// write writes records with the header of the file like.
func write(t testing.TB, like []byte, records []teehistorian.Record) []byte {
	t.Helper()
	r, err := teehistorian.NewReader(bytes.NewReader(like))
	testenv.NoError(t, err)
	var out bytes.Buffer
	w, err := teehistorian.NewWriter(&out, *r.Header())
	testenv.NoError(t, err)
	for i := range records {
		testenv.NoError(t, w.Write(&records[i]))
	}
	testenv.NoError(t, w.Flush())
	return out.Bytes()
}

// TestRealFiles reads recordings of DDNet-Server and writes them again. The bytes must be the same.
func TestRealFiles(t *testing.T) {
	kinds := map[string]int{}
	for name, file := range recordings(t) {
		records, err := read(file)
		if err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(write(t, file, records), file) {
			t.Errorf("%s: the written bytes differ", name)
		}
		for i := range records {
			what := records[i].Kind.String()
			if records[i].Kind == teehistorian.Extra {
				what = records[i].ExtraName()
			}
			kinds[what]++
		}
	}
	t.Log(kinds)
	for _, what := range []string{"moved", "finish", "new", "input diff", "input new", "message", "join", "drop",
		"command", "joinver6", "ddnetver", "player-ready", "player-team", "team-practice"} {
		if kinds[what] == 0 {
			t.Errorf("no recording has %q", what)
		}
	}
	if kinds[""] > 0 {
		t.Errorf("%d records are unknown", kinds[""])
	}
}

func TestHeader(t *testing.T) {
	r, err := teehistorian.NewReader(bytes.NewReader(recordings(t)["walk"]))
	testenv.NoError(t, err)
	h := r.Header()
	sum, ok := h.SHA256()
	if h.MapName != "dm1" || h.ServerVersion != "0.6.4, 16.4" || h.VersionMinor != "4" || h.Tuning["gun_speed"] != "140000" ||
		h.Config["sv_tee_historian"] != "1" ||
		!ok || fmt.Sprintf("%x", sum) != "0b0c481d77519c32fbe85624ef16ec0fa9991aec7367ad538bd280f28d8c26cf" {
		t.Errorf("%+v", h)
	}
	seed, ok := h.Seed()
	if again := fmt.Sprintf("pcg-xsh-rr:%016x:%016x", seed[0], seed[1]); !ok || again != h.PRNG {
		t.Errorf("%s, read as %s", h.PRNG, again)
	}
	// Without JSON, the header is encoded from its fields.
	var out bytes.Buffer
	own := *h
	own.JSON = nil
	w, err := teehistorian.NewWriter(&out, own)
	testenv.NoError(t, err)
	testenv.NoError(t, w.Flush())
	r, err = teehistorian.NewReader(&out)
	testenv.NoError(t, err)
	again := *r.Header()
	again.JSON, own.JSON = nil, nil
	if !reflect.DeepEqual(again, own) {
		t.Errorf("%+v\nis read again as\n%+v", own, again)
	}
	for text, want := range map[string]error{
		`{"version":"2","version_minor":"22"}`: teehistorian.ErrCutOff, `{"version":"2"}`: teehistorian.ErrCutOff,
		`{"version":"2","version_minor":"23"}`: teehistorian.ErrVersion, `{"version":"3"}`: teehistorian.ErrVersion, `{}`: teehistorian.ErrVersion,
		`{"version":2}`: teehistorian.ErrFormat, `{`: teehistorian.ErrFormat,
		strings.Repeat(" ", 1<<20+1): teehistorian.ErrFormat,
	} {
		if _, err := read(file(text)); !errors.Is(err, want) {
			t.Errorf("%.50q: %v, not %v", text, err, want)
		}
	}
}

// file returns a file with a header and integers.
func file(header string, ints ...int32) []byte {
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, teehistorian.Header{JSON: []byte(header)}))
	w.Flush()
	return packer.AppendInts(out.Bytes(), ints)
}

const plain = `{"version":"2"}`

// TestRepeatedInput checks that an unchanged input is written if the same client has another input
// in that tick.
func TestRepeatedInput(t *testing.T) {
	in := func(tick, client, x int32) teehistorian.Record {
		return teehistorian.Record{Kind: teehistorian.InputDiff, Tick: tick, Client: client, Input: teehistorian.Input{x}}
	}
	first := func(tick, client, x int32) teehistorian.Record {
		rec := in(tick, client, x)
		rec.Kind = teehistorian.InputNew
		return rec
	}
	records, _ := read(write(t, file(plain), []teehistorian.Record{
		first(1, 0, 5), first(1, 1, 8), in(1, 0, 5),
		in(2, 0, 5), in(2, 1, 8), in(2, 0, 6), in(2, 0, 6), in(2, 0, 7),
		in(3, 1, 8), in(3, 0, 7),
		in(4, 1, 9), in(4, 0, 7), first(4, 0, 3), in(4, 0, 2),
	}))
	var got strings.Builder
	for _, r := range records {
		if r.Kind == teehistorian.InputDiff || r.Kind == teehistorian.InputNew {
			fmt.Fprintf(&got, "%d:%d=%d ", r.Tick, r.Client, r.Input[0])
		}
	}
	if want := "1:0=5 1:1=8 2:0=5 2:0=6 2:0=6 2:0=7 4:1=9 4:0=3 4:0=2 "; got.String() != want {
		t.Errorf("%s, not %s", got.String(), want)
	}
}

// TestTicks checks the ticks that records belong to.
func TestTicks(t *testing.T) {
	const newTee, skip, join = -3, -2, -8
	for _, c := range []struct {
		ints []int32
		want string
	}{
		{[]int32{newTee, 0, 5, 6, newTee, 1, 7, 8, 0, 1, 1, 1, -1, -1}, "1: 0 at 5,6 1 at 7,8; 2: 0 at 6,7 1 at 6,7;"},
		{[]int32{newTee, 1, 5, 6, newTee, 0, 7, 8, 1, 1, 1}, "1: 1 at 5,6; 2: 0 at 7,8 1 at 6,7;"},
		{[]int32{join, 3, skip, 9, newTee, 0, 5, 6, skip, 0, newTee, 1, 0, 0}, "0: join; 10: 0 at 5,6; 11: 1 at 0,0;"},
		{[]int32{newTee, 3, 0, 0, join, 4, 3, 1, 1, -4, 3, -1}, "1: 3 at 0,0 join; 2: 3 at 1,1; 3: 3 left finish;"},
	} {
		r, err := teehistorian.NewReader(bytes.NewReader(file(plain, c.ints...)))
		testenv.NoError(t, err)
		var got strings.Builder
		for {
			f, err := r.NextFrame()
			if err == io.EOF || errors.Is(err, teehistorian.ErrCutOff) {
				break
			}
			testenv.NoError(t, err)
			fmt.Fprintf(&got, "%d:", f.Tick)
			for _, rec := range f.Tees {
				if id := rec.Client; f.Alive[id] {
					fmt.Fprintf(&got, " %d at %d,%d", id, f.Pos[id].X, f.Pos[id].Y)
				} else {
					fmt.Fprintf(&got, " %d left", id)
				}
			}
			for _, rec := range f.Actions {
				fmt.Fprintf(&got, " %v", rec.Kind)
			}
			got.WriteString("; ")
		}
		if strings.TrimSpace(got.String()) != c.want {
			t.Errorf("%v is %q, not %q", c.ints, got.String(), c.want)
		}
		records, _ := read(file(plain, c.ints...))
		if again := write(t, file(plain), records); !bytes.Equal(again, file(plain, c.ints...)) {
			t.Errorf("%v: the written bytes differ", c.ints)
		}
	}
}

// TestBrokenFiles checks that everything before the fault is read, and checks the error.
func TestBrokenFiles(t *testing.T) {
	whole := file(plain, -3, 0, 5, 6, -8, 1)
	for n := range len(whole) {
		records, err := read(whole[:n])
		if n > len(file(plain)) && n < len(whole)-2 && len(records) > 0 {
			t.Errorf("%d bytes have %d records", n, len(records))
		}
		if !errors.Is(err, teehistorian.ErrCutOff) && !errors.Is(err, teehistorian.ErrFormat) && err != io.EOF {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for name, ints := range map[string][]int32{
		"no such kind":             {-12},
		"no such client":           {-8, 128},
		"a negative client":        {-8, -1},
		"a tee that is not there":  {1, 1, 1},
		"a tee that is not there ": {-4, 1},
		"a tee that is there":      {-3, 0, 1, 1, -3, 0, 1, 1},
		"too many ticks":           {-2, 1<<31 - 1},
		"a negative skip":          {-2, -1},
		"much data":                {-7, 0, 1<<20 + 1},
		"negative data":            {-7, 0, -1},
	} {
		if _, err := read(file(plain, ints...)); !errors.Is(err, teehistorian.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	args := packer.AppendInts(append(file(plain, -10, 0, 0), 'x', 0), []int32{257})
	if _, err := read(args); !errors.Is(err, teehistorian.ErrFormat) {
		t.Errorf("many arguments: %v", err)
	}
	crowd := file(plain)
	for range 1 << 13 {
		crowd = packer.AppendInts(crowd, []int32{-8, 1})
	}
	for want, b := range map[error][]byte{teehistorian.ErrCutOff: crowd, teehistorian.ErrFormat: packer.AppendInts(crowd, []int32{-8, 1})} {
		r := testenv.Must(teehistorian.NewReader(bytes.NewReader(b)))
		_, err := r.NextFrame()
		if _, then := r.NextFrame(); !errors.Is(errors.Join(err, then), want) {
			t.Errorf("%v, not %v", err, want)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	type R = teehistorian.Record
	for name, records := range map[string][]R{
		"an earlier tick":         {{Kind: teehistorian.Join, Tick: 5}, {Kind: teehistorian.Join, Tick: 4}},
		"a tee that is not there": {{Kind: teehistorian.Moved, Tick: 1}},
		"a tee that is there":     {{Kind: teehistorian.New, Tick: 1}, {Kind: teehistorian.New, Tick: 2}},
		"tees in another order":   {{Kind: teehistorian.New, Tick: 1, Client: 1}, {Kind: teehistorian.New, Tick: 1, Client: 0}},
		"no such client":          {{Kind: teehistorian.Join, Client: 128}},
		"no such kind":            {{Kind: -12}},
	} {
		w := testenv.Must(teehistorian.NewWriter(io.Discard, teehistorian.Header{}))
		for i := range records {
			err := w.Write(&records[i])
			if last := i == len(records)-1; last != errors.Is(err, teehistorian.ErrRecord) {
				t.Errorf("%s: record %d: %v", name, i, err)
			}
		}
	}
}

// FuzzReader checks that the records read from any file can be written, and that reading them again
// gives the same records.
func FuzzReader(f *testing.F) {
	for _, b := range recordings(f) {
		f.Add(b[:min(len(b), 4000)])
	}
	f.Add(file(plain, -3, 0, 5, 6, -8, 1, -2, 4, 0, 1, 1, -5, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1))
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := read(b)
		if len(records) == 0 {
			return
		}
		once := write(t, b, records)
		again, end := read(once)
		finished := records[len(records)-1].Kind == teehistorian.Finish
		if finished != (end == io.EOF) || !finished && !errors.Is(end, teehistorian.ErrCutOff) {
			t.Fatalf("read up to %v, and after it was written up to %v", err, end)
		}
		if !bytes.Equal(write(t, b, again), once) {
			t.Fatal("writing the file again gives other bytes")
		}
		r := testenv.Must(teehistorian.NewReader(bytes.NewReader(b)))
		n := 0
		for {
			frame, err := r.NextFrame()
			if err != nil {
				break
			}
			n += len(frame.Tees) + len(frame.Actions)
		}
		if n != len(records) {
			t.Fatalf("frames have %d records, not %d", n, len(records))
		}
	})
}
