package demotest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
)

// TestWorstDemo checks that the demos can be read to their end, and contain the costly parts.
func TestWorstDemo(t *testing.T) {
	const size = 1 << 20
	for _, k := range WorstKinds {
		file := WorstDemo(k, size)
		if len(file) > size || len(file) < size*9/10 {
			t.Errorf("%v: %d bytes", k, len(file))
		}
		r, err := demo.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		snapshots, items := 0, 0
		for c := new(demo.Chunk); ; {
			if err = r.Next(c); err != nil {
				break
			}
			if c.Snapshot != nil {
				snapshots++
				items += c.Snapshot.Len()
			}
		}
		if !errors.Is(err, io.EOF) || snapshots == 0 || items < 800*snapshots {
			t.Errorf("%v: %d snapshots of %d items, then %v", k, snapshots, items, err)
		}
		t.Logf("%v: %d snapshots, %d items, a map of %d bytes", k, snapshots, items, len(r.Map()))
	}
}
