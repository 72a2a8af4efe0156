package teeverify_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// places returns all positions of tees in a recording, and the error at its end.
func places(file []byte) (all []teehistorian.Record, err error) {
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(file)))
	for {
		var rec teehistorian.Record
		if err := r.Next(&rec); err != nil {
			return all, err
		}
		if rec.Kind == teehistorian.Moved || rec.Kind == teehistorian.New || rec.Kind == teehistorian.Old {
			all = append(all, rec)
		}
	}
}

// TestDamaged cuts a recording and flips its bits. A cut recording must verify without a difference
// and report that the file is cut off. A flipped bit must lead to another result, unless all tees
// keep their positions in all ticks: then the bit is in a field that moves no tee.
func TestDamaged(t *testing.T) {
	file := recording(t, 60)
	whole := verify(t, file, true)
	testenv.Require(t, whole.End == nil && whole.Difference == nil, "the file is not whole: %v, %v", whole.End, whole.Difference)
	want, _ := places(file)
	unseen, flips := 0, 0
	for d := range testenv.Damaged(file, testenv.Amount(500, 2000)) {
		res, err := teeverify.Verify(teeverify.Config{File: bytes.NewReader(d.File), Terrain: room(), NoSearch: true})
		switch {
		case d.Cut && err == nil:
			testenv.Check(t, errors.Is(res.End, teehistorian.ErrCutOff) && res.Difference == nil, "%v: %v, %v", d, res.End, res.Difference)
		case d.Cut:
			testenv.Check(t, errors.Is(err, teehistorian.ErrCutOff) || d.At == 0, "%v: %v", d, err)
		case err == nil && res.End == nil && res.Difference == nil && res.NotCompared == 0 && len(res.Unknown) == 0:
			unseen++
			got, err := places(d.File)
			testenv.Check(t, err == io.EOF && slices.EqualFunc(got, want, func(a, b teehistorian.Record) bool {
				return a.Kind == b.Kind && a.Tick == b.Tick && a.Client == b.Client && a.Pos == b.Pos
			}), "%v: ok, but the file ends with %v, or tees are elsewhere", d, err)
		}
		if !d.Cut {
			flips++
		}
	}
	t.Logf("%d of %d flipped bits move no tee", unseen, flips)
}
