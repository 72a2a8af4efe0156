package replay

import (
	"fmt"
	"io"

	"github.com/teeyard/teeyard/game"
)

// Writer writes a log along with its world, for tools and tests: call RecordTick
// before every Step and AfterStep after it. A server uses a [Recorder] and an
// [Encoder] in different goroutines instead.
type Writer struct {
	w     io.Writer
	rec   Recorder
	enc   Encoder
	buf   []byte
	spare []byte

	stops  []game.Command
	result ResultKeeper
}

// NewWriter writes the header of a log.
func NewWriter(w io.Writer, h *Header) (*Writer, error) {
	wr := &Writer{w: w}
	wr.rec.Begin(h.TickBefore())
	var err error
	if wr.buf, err = wr.enc.AppendHeader(nil, h); err != nil {
		return nil, err
	}
	return wr, wr.flush()
}

// RecordTick records the commands of the next Step.
func (w *Writer) RecordTick(cmds []game.Command) error { return w.rec.RecordTick(cmds) }

// AfterStep records the hooks that a time limit stopped in the Step, and writes a block if one is
// ready.
func (w *Writer) AfterStep(world *game.World) error {
	if w.stops = world.AppendHookStops(w.stops[:0]); len(w.stops) > 0 {
		w.rec.RecordStops(w.stops)
	}
	if !w.rec.BlockReady() {
		return nil
	}
	return w.block(world)
}

// Close writes the last block and the end. It does not close the io.Writer.
func (w *Writer) Close(world *game.World, reason EndReason) error {
	if w.rec.PendingTicks() > 0 {
		if err := w.block(world); err != nil {
			return err
		}
	}
	w.result.Watch(world)
	w.buf = w.enc.AppendEnd(w.buf[:0], reason, w.result.Result())
	return w.flush()
}

func (w *Writer) block(world *game.World) error {
	block := w.rec.TakeBlock(world.Hash(), w.spare)
	w.buf = w.enc.AppendTicks(w.buf[:0], block)
	w.spare = block
	w.result.Watch(world)
	return w.flush()
}

func (w *Writer) flush() error {
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
