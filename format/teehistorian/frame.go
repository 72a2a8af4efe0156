package teehistorian

import (
	"fmt"
	"slices"
)

// Frame is a tick: where the tees are after it, and what came between it and the next one.
//
// What clients input there moves their tees in the next tick. Of several inputs of a client, the
// first does so, and all act on weapons; without any, the last one holds.
type Frame struct {
	Tick int32
	// Tees are the records of tees that moved, came or went, with ascending ids.
	Tees []Record
	// Actions are all other records, in their order. The first Early of them come before those of Tees: they are of what
	// happened within the tick.
	Actions []Record
	Early   int
	// Alive says which tees there are, and Pos where.
	Alive [MaxClients]bool
	Pos   [MaxClients]Point
	// Partial says that the file ends here, so that tees may be missing. The next call of NextFrame says why.
	Partial bool
}

// maxFrame is the largest number of records of a frame.
const maxFrame = 1 << 13

// NextFrame reads the next tick that has records, which is valid until the next call. Between
// two of them can be others, in which nothing changed. The errors are those of Next; if the
// file has a part of a frame, that comes before the error.
func (r *Reader) NextFrame() (*Frame, error) {
	f := &r.frame
	f.Tees, f.Actions = f.Tees[:0], f.Actions[:0]
	var rec Record
	if err := r.Next(&rec); err != nil {
		return nil, err
	}
	f.Tick, f.Partial, f.Early = rec.Tick, false, 0
	for {
		if len(f.Tees)+len(f.Actions) == maxFrame {
			r.err = fmt.Errorf("%w: more than %d records in tick %d", ErrFormat, maxFrame, f.Tick)
			return nil, r.err
		}
		if rec.Kind.ofTee() {
			if len(f.Tees) == 0 {
				f.Early = len(f.Actions)
			}
			f.Tees = append(f.Tees, rec)
			f.Alive[rec.Client], f.Pos[rec.Client] = rec.Kind != Old, rec.Pos
		} else {
			f.Actions = append(f.Actions, rec)
		}
		if r.Next(&rec) != nil { // which the next call returns
			f.Partial = f.mayLackTees()
			return f, nil
		}
		if rec.Tick != f.Tick {
			r.next, r.hasNext = rec, true
			return f, nil
		}
	}
}

// mayLackTees reports whether more tees may follow the last record: what the tick ends with was not there yet.
func (f *Frame) mayLackTees() bool {
	if len(f.Tees) > 0 {
		return len(f.Actions) == f.Early
	}
	return !slices.ContainsFunc(f.Actions, func(r Record) bool { return r.Kind != Extra })
}
