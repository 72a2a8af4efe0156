package replay

import (
	"fmt"
	"io"
)

// Cut copies a log from src to dst and ends the copy after the block with the given tick, or at the
// end of a shorter log. The copy is up to [BlockTicks] longer than requested. Cut does not run the
// match. It returns the last tick copied. An error in src after that tick has no effect; an earlier
// error ends the copy, and Cut returns it.
func Cut(dst io.Writer, src io.Reader, tick int32) (last int32, err error) {
	r := &Reader{}
	if err := r.open(src); err != nil {
		return 0, err
	}
	var p Encoder
	buf, err := p.AppendHeader(nil, &r.header)
	if err != nil {
		return 0, err
	}
	reason := EndCut
	last = r.nextTick - 1
	for last < tick {
		err = r.readBlock()
		if err == io.EOF {
			reason, err = r.end, nil
			break
		}
		if err != nil {
			break
		}
		if _, werr := dst.Write(buf); werr != nil {
			return last, fmt.Errorf("replay: %w", werr)
		}
		kind := byte(blockPartial)
		if r.hashed {
			kind = blockTicks
		}
		buf = p.appendBlock(buf[:0], kind, r.blocks.payload)
		last += r.ticksLeft
		r.nextTick += r.ticksLeft
	}
	if _, werr := dst.Write(p.AppendEnd(buf, reason, r.MatchResult())); werr != nil {
		return last, fmt.Errorf("replay: %w", werr)
	}
	return last, err
}

// CutFrom copies the part of a log after tick from, up to tick to as [Cut] does. It runs the match
// up to from, because the copy begins with the state of the world at that tick, and calls
// cfg.OnTick for the ticks up to there. first is from, or the first possible tick of a log that
// begins later; last is the last tick copied.
func CutFrom(dst io.Writer, src io.Reader, from, to int32, cfg VerifyConfig) (first, last int32, err error) {
	r, err := NewReader(src)
	if err != nil {
		return 0, 0, err
	}
	h := *r.Header()
	if err := h.advance(r, from, cfg); err != nil {
		return 0, 0, err
	}
	c := cutter{dst: dst}
	c.rec.Begin(h.StateTick)
	if c.buf, err = c.enc.AppendHeader(nil, &h); err != nil {
		return 0, 0, err
	}
	last, err = c.copy(r, h.StateTick, to)
	return h.StateTick, last, err
}

// advance runs the match up to a tick and stores its state in the header.
func (h *Header) advance(r *Reader, to int32, cfg VerifyConfig) (err error) {
	w, faulty, err := h.newWorld(cfg)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w in tick %d: %v", ErrPanic, w.Tick()+1, p)
		}
	}()
	var t Tick
	for w.Tick() < to {
		switch err := r.Next(&t); {
		case err == io.EOF:
			return fmt.Errorf("replay: the log ends with tick %d, before %d", w.Tick(), to)
		case err != nil:
			return err
		}
		events := w.Step(t.Commands)
		if err := faulty.check(); err != nil {
			return fmt.Errorf("replay: tick %d: %w", t.Tick, err)
		}
		if cfg.OnTick != nil {
			cfg.OnTick(w, &t, events)
		}
		if t.HasHash && w.Hash() != t.Hash {
			return fmt.Errorf("%w: in tick %d or up to %d before", ErrMismatch, t.Tick, BlockTicks-1)
		}
	}
	h.State, h.StateTick = w.AppendState(nil), w.Tick()
	return nil
}

// cutter writes the ticks of one log to another.
type cutter struct {
	dst io.Writer
	rec Recorder
	enc Encoder
	buf []byte // not written yet
}

// copy copies the ticks after first.
func (c *cutter) copy(r *Reader, first, to int32) (last int32, err error) {
	reason := EndCut
	last = first
	var t Tick
	for hashed := true; last < to || !hashed; hashed = t.HasHash {
		if err = r.Next(&t); err == io.EOF {
			reason = r.End()
		}
		if err == nil {
			err = c.rec.RecordTick(t.Commands)
		}
		if err != nil {
			break
		}
		last = t.Tick
		if t.HasHash {
			c.buf = c.enc.AppendTicks(c.buf, c.rec.TakeBlock(t.Hash, nil))
		} else if c.rec.BlockReady() {
			c.buf = c.enc.AppendTicks(c.buf, c.rec.TakeBlockUnhashed(nil))
		}
		if werr := c.write(); werr != nil {
			return last, werr
		}
	}
	if err == io.EOF {
		err = nil
	}
	if c.rec.PendingTicks() > 0 {
		c.buf = c.enc.AppendTicks(c.buf, c.rec.TakeBlockUnhashed(nil))
	}
	c.buf = c.enc.AppendEnd(c.buf, reason, r.MatchResult())
	if werr := c.write(); werr != nil {
		return last, werr
	}
	return last, err
}

func (c *cutter) write() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.dst.Write(c.buf)
	c.buf = c.buf[:0]
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
