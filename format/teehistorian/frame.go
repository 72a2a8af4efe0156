package teehistorian

import (
	"fmt"
	"slices"
)

// Frame is one tick: the positions of the tees after it, and the actions between it and the next
// tick.
//
// The inputs in a frame take effect in the next tick. If a client has several, the first one moves
// the tee, and all of them act on weapons. If a client has none, its last earlier input still
// applies.
type Frame struct {
	Tick int32
	// Tees contains the records of tees that moved, appeared or disappeared, with ascending ids.
	Tees []Record
	// Actions contains all other records in their order. In the file, the first Early of them come
	// before Tees, because they belong to events within the tick.
	Actions []Record
	Early   int
	// Alive tells which tees exist, and Pos their positions.
	Alive [MaxClients]bool
	Pos   [MaxClients]Point
	// Partial means that the file ends here and that records of tees may be missing. The next call
	// of NextFrame returns the reason.
	Partial bool
}

// maxFrame is the largest number of records in a frame.
const maxFrame = 1 << 13

// NextFrame reads the next tick that has records. The frame is valid until the next call. Ticks
// between two frames exist in the match, but nothing changed in them. NextFrame returns the errors
// of Next. If the file ends in the middle of a frame, NextFrame first returns the incomplete frame
// and then the error.
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
		if r.Next(&rec) != nil { // the next call returns this error
			f.Partial = f.mayLackTees()
			return f, nil
		}
		if rec.Tick != f.Tick {
			r.next, r.hasNext = rec, true
			return f, nil
		}
	}
}

// mayLackTees reports whether records of tees may be missing after the last record, because the end
// of the tick was not read.
func (f *Frame) mayLackTees() bool {
	if len(f.Tees) > 0 {
		return len(f.Actions) == f.Early
	}
	return !slices.ContainsFunc(f.Actions, func(r Record) bool { return r.Kind != Extra })
}
