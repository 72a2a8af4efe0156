package demo

import (
	"errors"
	"io"

	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Cut copies the ticks from..to of a demo to w, counted from the demo's first tick. A negative to
// means the end. The copy begins with a keyframe, so that it can be played. Cut returns the first
// and the last tick copied, or -1 if there are none. From a damaged demo, Cut copies the undamaged
// parts and returns the demo's first error.
func Cut(w io.Writer, r *Reader, from, to int32) (first, last int32, err error) {
	h := *r.Header()
	h.Markers, h.Length = nil, 0
	out, err := NewWriter(w, h, r.Map())
	if err != nil {
		return -1, -1, err
	}
	c := cutter{out: out, start: -1, first: -1, last: -1}
	var damage error
	for chunk := (Chunk{}); ; {
		err = r.Next(&chunk)
		switch {
		case err == nil:
			err = c.copy(&chunk, from, to)
		case errors.Is(err, ErrChunk):
			if damage == nil {
				damage = err
			}
			if chunk.Kind != KindMessage {
				c.current = nil
			}
			continue
		case err != io.EOF && damage == nil:
			damage = err
		}
		if err != nil {
			break
		}
	}
	if out.err == nil {
		c.endTick()
	}
	for _, tick := range r.Header().Markers {
		if c.first >= 0 && tick >= c.first && tick <= c.last {
			out.Marker(tick)
		}
	}
	if err := out.Close(); err != nil {
		return c.first, c.last, err
	}
	return c.first, c.last, damage
}

// cutter is the state of Cut.
type cutter struct {
	out         *Writer
	start       int32 // first tick of the demo, -1 if unknown
	first, last int32 // first and last tick written
	current     *snapshot.Snapshot
	tick        int32 // tick of the last marker
	pending     bool  // the snapshot of that tick is not written yet
}

// copy copies a chunk if it is in range, and returns io.EOF after the range.
func (c *cutter) copy(chunk *Chunk, from, to int32) error {
	switch chunk.Kind {
	case KindTick:
		if err := c.endTick(); err != nil {
			return err
		}
		if c.start < 0 {
			c.start = chunk.Tick
		}
		at := int64(chunk.Tick) - int64(c.start)
		if to >= 0 && at > int64(to) {
			return io.EOF
		}
		c.tick, c.pending = chunk.Tick, at >= int64(from)
	case KindMessage:
		if err := c.endTick(); err != nil {
			return err
		}
		if c.first >= 0 {
			return c.out.Message(chunk.Message)
		}
	default:
		c.current = chunk.Snapshot
		return c.endTick()
	}
	return nil
}

// endTick writes the tick of the last marker, now that its snapshot is known.
func (c *cutter) endTick() error {
	if !c.pending || c.current == nil {
		return nil
	}
	c.pending = false
	if c.first < 0 {
		c.first = c.tick
	}
	c.last = c.tick
	return c.out.Snapshot(c.tick, c.current)
}
