package teehistorian

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/teeyard/teeyard/protocol/packer"
)

// ErrRecord is wrapped by errors of Writer.Write about a record that cannot be written, or not
// after the earlier ones.
var ErrRecord = errors.New("teehistorian: bad record")

// Writer writes a teehistorian file. After an error of the file, every later call returns that
// error.
type Writer struct {
	w   *bufio.Writer
	buf []byte
	err error

	tick        int32 // tick of the last record
	written     int32 // last tick that a reader knows from the records so far
	lastTee     int32 // client of the last record of a tee in the tick, -1 if there is none
	lastOfOther int32 // the same for the tick before
	tees        [MaxClients]Point
	alive       [MaxClients]bool
	inputs      [MaxClients]Input
	repeated    [MaxClients]int32 // tick in which the last input was repeated, 0 if another input followed
}

// NewWriter writes the header: its JSON or, if that is empty, the other fields. In those it sets
// Comment, Version and VersionMinor.
func NewWriter(file io.Writer, h Header) (*Writer, error) {
	if len(h.JSON) == 0 {
		h.Comment, h.Version, h.VersionMinor = "teehistorian@ddnet.tw", "2", "4"
		var err error
		if h.JSON, err = json.Marshal(&h); err != nil {
			return nil, fmt.Errorf("teehistorian: encode the header: %w", err)
		}
	}
	w := &Writer{w: bufio.NewWriterSize(file, 32<<10), lastTee: MaxClients}
	w.w.Write(magic[:])
	w.w.Write(h.JSON)
	w.err = w.w.WriteByte(0)
	return w, w.err
}

// Write writes a record. Ticks must ascend. Within a tick, the records of tees come first, with
// ascending ids.
//
// As in DDNet-Server's files, a tee that did not move leaves no record, and neither does an input
// equal to the client's last one. One case differs: if another input of the client follows in the
// same tick, the equal input has an effect. Write then writes it as an InputDiff that changes
// nothing; DDNet-Server does not. An InputDiff of a client without an earlier input is written as
// InputNew.
func (w *Writer) Write(rec *Record) error {
	if w.err != nil {
		return w.err
	}
	w.buf = w.buf[:0]
	if err := w.append(rec); err != nil {
		return fmt.Errorf("%w: %v of client %d in tick %d: %w", ErrRecord, rec.Kind, rec.Client, rec.Tick, err)
	}
	_, w.err = w.w.Write(w.buf)
	return w.err
}

// Flush writes the buffered data.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

func (w *Writer) append(rec *Record) error {
	if rec.Tick < w.tick {
		return fmt.Errorf("after tick %d", w.tick)
	}
	least := int32(0)
	if rec.Kind == Command {
		least = -1
	}
	if rec.Client < least || rec.Client >= MaxClients {
		return errors.New("the client number is out of range")
	}
	if rec.Tick > w.tick {
		w.lastOfOther, w.lastTee = w.lastTee, -1
		if w.tick == 0 {
			w.lastOfOther = MaxClients
		}
		w.tick = rec.Tick
	}
	if rec.Kind.ofTee() {
		return w.appendTee(rec)
	}
	if rec.Kind == Finish {
		w.buf = packer.AppendInt(w.buf, int32(Finish))
		return nil
	}
	repeated := false
	switch rec.Kind {
	case InputDiff:
		if rec.Input == w.inputs[rec.Client] {
			w.repeated[rec.Client] = rec.Tick
			return nil
		}
		repeated = rec.Tick > 0 && w.repeated[rec.Client] == rec.Tick
		fallthrough
	case InputNew:
		w.repeated[rec.Client] = 0
	}
	if w.written < rec.Tick {
		w.skipTo(rec.Tick)
	}
	if repeated {
		again := Record{Kind: InputDiff, Client: rec.Client, Input: w.inputs[rec.Client]}
		if err := w.appendAction(&again); err != nil {
			return err
		}
	}
	return w.appendAction(rec)
}

// skipTo writes a record that sets the tick.
func (w *Writer) skipTo(tick int32) {
	w.buf = packer.AppendInts(w.buf, []int32{int32(tickSkip), tick - w.written - 1})
	w.written = tick
}

func (w *Writer) appendTee(rec *Record) error {
	id, p := rec.Client, &w.tees[rec.Client]
	if w.alive[id] != (rec.Kind != New) {
		return fmt.Errorf("the tee exists: %v", w.alive[id])
	}
	if rec.Kind == Moved && rec.Pos == *p {
		return nil
	}
	if id <= w.lastTee {
		return fmt.Errorf("after client %d", w.lastTee)
	}
	w.lastTee = id
	if w.written < rec.Tick {
		// Readers recognise a new tick by an id that is not above the one before.
		if id > w.lastOfOther || w.written+1 != rec.Tick {
			w.skipTo(rec.Tick)
		}
		w.written = rec.Tick
	}
	dx, dy := rec.Pos.X-p.X, rec.Pos.Y-p.Y
	*p = rec.Pos
	switch rec.Kind {
	case Moved:
		w.buf = packer.AppendInts(w.buf, []int32{id, dx, dy})
	case New:
		w.buf = packer.AppendInts(w.buf, []int32{int32(New), id, rec.Pos.X, rec.Pos.Y})
		w.alive[id] = true
	case Old:
		w.buf = packer.AppendInts(w.buf, []int32{int32(Old), id})
		w.alive[id] = false
	}
	return nil
}

func (w *Writer) appendAction(rec *Record) error {
	w.buf = packer.AppendInt(w.buf, int32(rec.Kind))
	if rec.Kind != Extra {
		w.buf = packer.AppendInt(w.buf, rec.Client)
	}
	switch rec.Kind {
	case InputDiff, InputNew:
		in := rec.Input
		if rec.Kind == InputDiff {
			for i := range in {
				in[i] -= w.inputs[rec.Client][i]
			}
		}
		w.inputs[rec.Client] = rec.Input
		w.buf = packer.AppendInts(w.buf, in[:])
	case Message:
		w.appendData(rec.Data)
	case Join:
	case Drop:
		w.appendText(rec.Reason)
	case Command:
		w.buf = packer.AppendInt(w.buf, rec.Flags)
		w.appendText(rec.Name)
		w.buf = packer.AppendInt(w.buf, int32(len(rec.Args)))
		for _, arg := range rec.Args {
			w.appendText(arg)
		}
	case Extra:
		w.buf = append(w.buf, rec.ID[:]...)
		w.appendData(rec.Data)
	default:
		return errors.New("unknown kind")
	}
	return nil
}

func (w *Writer) appendData(b []byte) {
	w.buf = append(packer.AppendInt(w.buf, int32(len(b))), b...)
}

func (w *Writer) appendText(s string) {
	s, _, _ = strings.Cut(s, "\x00")
	w.buf = append(append(w.buf, s...), 0)
}
