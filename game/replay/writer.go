package replay

import (
	"fmt"
	"io"

	"github.com/teeyard/teeyard/game"
)

// Writer writes a log in step with its world, for tools and tests: around every
// Step, Tick before and Stepped after. A server has a [Recorder] and a [Encoder]
// in different goroutines instead.
type Writer struct {
	w     io.Writer
	rec   Recorder
	enc   Encoder
	buf   []byte
	spare []byte
}

// NewWriter writes the header of a log.
func NewWriter(w io.Writer, h *Header) (*Writer, error) {
	wr := &Writer{w: w}
	wr.rec.Begin(h.IdleTicks)
	var err error
	if wr.buf, err = wr.enc.AppendHeader(nil, h); err != nil {
		return nil, err
	}
	return wr, wr.flush()
}

// RecordTick records the commands of the Step that follows.
func (w *Writer) RecordTick(cmds []game.Command) error { return w.rec.RecordTick(cmds) }

// AfterStep writes a block if one is due.
func (w *Writer) AfterStep(world *game.World) error {
	if !w.rec.BlockReady() {
		return nil
	}
	return w.block(world)
}

// Close writes what is left and the end. It does not close the io.Writer.
func (w *Writer) Close(world *game.World, why EndReason) error {
	if w.rec.PendingTicks() > 0 {
		if err := w.block(world); err != nil {
			return err
		}
	}
	w.buf = w.enc.AppendEnd(w.buf[:0], why)
	return w.flush()
}

func (w *Writer) block(world *game.World) error {
	block := w.rec.TakeBlock(world.Hash(), w.spare)
	w.buf = w.enc.AppendTicks(w.buf[:0], block)
	w.spare = block
	return w.flush()
}

func (w *Writer) flush() error {
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
