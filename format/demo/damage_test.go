package demo_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// chunks reads a demo to its end. whole is the number of chunks before the first broken one, and
// broken is the number of broken chunks.
func chunks(file []byte) (whole, broken int, last int32, err error) {
	r, err := demo.NewReader(bytes.NewReader(file))
	for c := (demo.Chunk{}); err == nil; {
		err = r.Next(&c)
		switch {
		case errors.Is(err, demo.ErrChunk):
			broken++
			if !strings.Contains(err.Error(), " byte ") {
				return whole, broken, last, err
			}
			err = nil
		case err == nil && broken == 0:
			whole++
			last = c.Tick
		}
	}
	return whole, broken, last, err
}

// TestDamaged truncates the recordings of real programs and flips single bits. Truncation must give
// an error that names the byte. The exception is truncation between two chunks in the last second,
// which the file does not show. A flipped bit must give an error, an event with the position of the
// broken chunk, or different content, because demos have no checksums.
func TestDamaged(t *testing.T) {
	names := testenv.Must(filepath.Glob("testdata/*.demo"))
	for _, name := range names {
		file := testenv.Must(os.ReadFile(name))
		n, broken, end, err := chunks(file)
		testenv.Require(t, err == io.EOF && broken == 0 && n > 50, "%s: %d chunks, %d broken, %v", name, n, broken, err)
		seen := 0
		for d := range testenv.Damaged(file, 200) {
			got, broken, last, err := chunks(d.File)
			testenv.Check(t, !errors.Is(err, demo.ErrChunk), "%s, %v: %v", name, d, err)
			switch {
			case d.Cut && err == io.EOF:
				testenv.Check(t, broken == 0 && last > end-demo.TickRate, "%s, %v: no error, with %d of %d chunks, up to tick %d of %d",
					name, d, got, n, last, end)
			case d.Cut:
				isFound := errors.Is(err, demo.ErrCutOff) && strings.Contains(err.Error(), "after byte") || d.At == 0 && errors.Is(err, demo.ErrFormat)
				testenv.Check(t, isFound && broken == 0, "%s, %v: %v, %d broken chunks", name, d, err, broken)
			case err != io.EOF || broken > 0:
				seen++
			}
		}
		t.Logf("%s: %d flipped bits are seen", name, seen)
	}
}

// TestBackwards checks that a wrong tick is detected. Ticks of a demo ascend, so the next absolute
// tick shows it.
func TestBackwards(t *testing.T) {
	var file bytes.Buffer
	w := testenv.Must(demo.NewWriter(&file, demo.Header{Length: 10}, nil))
	var s snapshot.Snapshot
	for _, tick := range []int32{100, 102, 5000, 104, 600} {
		testenv.NoError(t, w.Snapshot(tick, &s))
	}
	testenv.NoError(t, w.Flush())
	_, broken, _, err := chunks(file.Bytes())
	testenv.Check(t, broken == 1 && err == io.EOF, "%d broken chunks, %v", broken, err)
}
