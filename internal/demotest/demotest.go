// Package demotest compares recordings of real programs with the output of package demo for the
// same content.
package demotest

import (
	"bytes"
	"io"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// memFile is a file in memory.
type memFile struct{ b []byte }

func (f *memFile) Write(b []byte) (int, error) {
	f.b = append(f.b, b...)
	return len(b), nil
}

func (f *memFile) WriteAt(b []byte, at int64) (int, error) { return copy(f.b[at:], b), nil }

// Rewrite reads a demo and writes its snapshots and messages to a new demo.
func Rewrite(tb testing.TB, file []byte) []byte {
	tb.Helper()
	r, err := demo.NewReader(bytes.NewReader(file))
	if err != nil {
		tb.Fatal(err)
	}
	h := *r.Header()
	h.Length = 0
	var out memFile
	w, err := demo.NewWriter(&out, h, r.Map())
	if err != nil {
		tb.Fatal(err)
	}
	var (
		c       demo.Chunk
		tick    int32
		pending bool // the tick has no snapshot yet
		last    *snapshot.Snapshot
	)
	for {
		err := r.Next(&c)
		if pending && (err == io.EOF || c.Kind == demo.KindTick || c.Kind == demo.KindMessage) {
			w.Snapshot(tick, last)
			pending = false
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			tb.Fatal(err)
		}
		switch c.Kind {
		case demo.KindTick:
			tick, pending = c.Tick, true
		case demo.KindMessage:
			w.Message(c.Message)
		default:
			last, pending = c.Snapshot, false
			w.Snapshot(tick, last)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.b
}

// Check checks that Rewrite of a real program's recording returns the same file. DDNet does not
// sort the items of a snapshot, so for its recordings only the order of the items in snapshots may
// differ. Check returns the number of snapshots and messages.
func Check(tb testing.TB, file []byte) (snapshots, messages int) {
	tb.Helper()
	again := Rewrite(tb, file)
	a, err := demo.NewReader(bytes.NewReader(file))
	if err != nil {
		tb.Fatal(err)
	}
	b, err := demo.NewReader(bytes.NewReader(again))
	if err != nil {
		tb.Fatal(err)
	}
	if a.Header().Version == demo.VersionTeeworlds && !bytes.Equal(file, again) {
		at := 0
		for at < min(len(file), len(again)) && file[at] == again[at] {
			at++
		}
		tb.Errorf("%d bytes become %d; they differ from byte %d on", len(file), len(again), at)
	}
	for {
		var x, y demo.Chunk
		errX, errY := a.Next(&x), b.Next(&y)
		if errX == io.EOF && errY == io.EOF {
			return snapshots, messages
		}
		if errX != nil || errY != nil {
			tb.Fatalf("byte %d: %v; again %v", x.Offset, errX, errY)
		}
		same := x.Kind == y.Kind && x.Tick == y.Tick && x.Keyframe == y.Keyframe && bytes.Equal(x.Message, y.Message)
		switch x.Kind {
		case demo.KindMessage:
			messages++
			same = same && x.Size == y.Size
		case demo.KindSnapshot, demo.KindDelta:
			snapshots++
			same = same && x.Snapshot != nil && y.Snapshot != nil && x.Snapshot.Equal(y.Snapshot)
		}
		if !same {
			tb.Fatalf("byte %d: %+v becomes %+v", x.Offset, x, y)
		}
	}
}
