package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDamaged cuts logs and flips their bits. The error must name the byte or the header. Ticks
// before the damage must be read unchanged.
func TestDamaged(t *testing.T) {
	var state bytes.Buffer
	log := record(t, 3, 200)
	_, _, err := CutFrom(&state, bytes.NewReader(log), 150, 5000, VerifyConfig{Modes: modes})
	testenv.NoError(t, err)
	for name, whole := range map[string][]byte{
		"log": log, "with a state": state.Bytes(), "version 1": testenv.Must(os.ReadFile("testdata/format1.twreplay")),
	} {
		want, err := ticks(whole)
		testenv.Require(t, err == io.EOF && len(want) > 50, "%s: %d ticks, %v", name, len(want), err)
		for d := range testenv.Damaged(whole, 400) {
			got, err := ticks(d.File)
			switch {
			case d.Cut:
				testenv.Check(t, errors.Is(err, ErrTruncated), "%s, %v: %v", name, d, err)
			default:
				testenv.Check(t, errors.Is(err, ErrTruncated) || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrFormat), "%s, %v: %v", name, d, err)
			}
			isPlaced := strings.Contains(err.Error(), "byte") || strings.Contains(err.Error(), "header") || d.At < len(magic) ||
				strings.Contains(err.Error(), "after the end")
			testenv.Check(t, isPlaced, "%s, %v: %v", name, d, err)
			testenv.Check(t, slices.Equal(got, want[:min(len(got), len(want))]), "%s, %v: other ticks", name, d)
		}
	}
}

// ticks returns the ticks of a log, as texts, and the error at its end.
func ticks(log []byte) (all []string, err error) {
	r, err := NewReader(bytes.NewReader(log))
	var e tickEncoder
	for t := (Tick{}); err == nil; {
		if err = r.Next(&t); err == nil {
			all = append(all, fmt.Sprintf("%d, hash %x, commands %x", t.Tick, t.Hash, e.appendTick(nil, t.Commands)))
		}
	}
	return all, err
}
