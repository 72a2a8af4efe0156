package teehistorian

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/teeyard/teeyard/protocol/packer"
)

// Reader reads a teehistorian file. The memory of a Reader is limited to some megabytes.
type Reader struct {
	h      Header
	r      *bufio.Reader
	offset int64 // offset of the next byte
	err    error // the last error; nothing is read after it
	// finished is set after Finish was read.
	finished bool
	u        packer.Unpacker

	tick    int32
	lastTee int32 // client of the last record of a tee, if there was one in this tick
	tees    [MaxClients]Point
	alive   [MaxClients]bool
	inputs  [MaxClients]Input

	frame   Frame
	next    Record // first record of the tick after the frame
	hasNext bool
}

// Is reports whether a file that begins with b is a teehistorian file. b must have at least 16
// bytes.
func Is(b []byte) bool { return bytes.HasPrefix(b, magic[:]) }

// NewReader reads the header and returns a Reader of the records.
func NewReader(file io.Reader) (*Reader, error) {
	// The first records of tees belong to tick 1 unless a record sets the tick.
	r := &Reader{r: bufio.NewReaderSize(file, 64<<10), lastTee: MaxClients}
	head := make([]byte, len(magic))
	n, err := io.ReadFull(r.r, head)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the file is empty", ErrFormat)
	}
	if !bytes.Equal(head[:n], magic[:n]) {
		return nil, fmt.Errorf("%w: the first %d bytes are %x instead of %x", ErrFormat, n, head[:n], magic[:])
	}
	r.offset = int64(n)
	if err != nil {
		return nil, fmt.Errorf("%w, in the header", r.fail(err))
	}
	text, err := r.readString(maxHeader)
	if err != nil {
		return nil, fmt.Errorf("%w, in the header", err)
	}
	if err := r.h.parse(text); err != nil {
		return nil, err
	}
	return r, nil
}

// Header returns the header.
func (r *Reader) Header() *Header { return &r.h }

// Offset returns the number of bytes of the file that have been read.
func (r *Reader) Offset() int64 { return r.offset }

// Next reads the next record. After Finish it returns io.EOF if the file ends there. If the file
// ends anywhere else, the error wraps ErrCutOff. If a record is wrong, or if data follows Finish,
// the error wraps ErrFormat. After an error, nothing more can be read.
func (r *Reader) Next(rec *Record) error {
	if r.hasNext {
		*rec, r.hasNext = r.next, false
		return nil
	}
	if r.err == nil {
		r.err = r.read(rec)
	}
	return r.err
}

func (r *Reader) read(rec *Record) error {
	for {
		switch _, err := r.r.Peek(1); {
		case err == io.EOF && r.finished:
			return io.EOF
		case err == io.EOF:
			return fmt.Errorf("%w after byte %d: the final record is missing", ErrCutOff, r.offset)
		case err != nil:
			return r.fail(err)
		case r.finished:
			return fmt.Errorf("%w: data follows the final record after byte %d", ErrFormat, r.offset)
		}
		start := r.offset
		k, err := r.readInt()
		if err != nil {
			return err
		}
		if Kind(k) == tickSkip {
			err = r.skipTicks()
		} else {
			*rec = Record{Kind: Kind(min(k, 0)), Client: max(k, 0)}
			err = r.readRecord(rec)
			rec.Tick = r.tick
		}
		if err != nil {
			return fmt.Errorf("%w (in a record at byte %d)", err, start)
		}
		if Kind(k) == tickSkip {
			continue
		}
		r.finished = rec.Kind == Finish
		return nil
	}
}

func (r *Reader) skipTicks() error {
	dt, err := r.readInt()
	if err == nil && (dt < 0 || int64(r.tick)+int64(dt)+1 > math.MaxInt32) {
		err = fmt.Errorf("%w: a skip of %d ticks after tick %d", ErrFormat, dt, r.tick)
	}
	if err == nil {
		r.tick += dt + 1
		r.lastTee = -1
	}
	return err
}

// readRecord reads the rest of a record after its kind.
func (r *Reader) readRecord(rec *Record) error {
	switch rec.Kind {
	case Moved, New, Old:
		return r.readTee(rec)
	case Finish:
		return nil
	case InputDiff, InputNew:
		return r.readInput(rec)
	case Message:
		return firstError(r.readClient(rec, 0), r.readData(&rec.Data))
	case Join:
		return r.readClient(rec, 0)
	case Drop:
		return firstError(r.readClient(rec, 0), r.readText(&rec.Reason))
	case Command:
		return r.readCommand(rec)
	case Extra:
		return firstError(r.readFull(rec.ID[:]), r.readData(&rec.Data))
	}
	return fmt.Errorf("%w: unknown record kind %d", ErrFormat, rec.Kind)
}

// firstError returns the first error of two reads that followed each other. Nothing is read after
// an error.
func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (r *Reader) readTee(rec *Record) error {
	if rec.Kind != Moved {
		if err := r.readClient(rec, 0); err != nil {
			return err
		}
	}
	id := rec.Client
	if id >= MaxClients {
		return fmt.Errorf("%w: client %d", ErrFormat, id)
	}
	if r.alive[id] != (rec.Kind != New) {
		return fmt.Errorf("%w: %v record of client %d, whose tee exists: %v", ErrFormat, rec.Kind, id, r.alive[id])
	}
	if id <= r.lastTee {
		if r.tick == math.MaxInt32 {
			return fmt.Errorf("%w: too many ticks", ErrFormat)
		}
		r.tick++
	}
	r.lastTee = id
	if rec.Kind == Old {
		r.alive[id] = false
		return nil
	}
	var pos [2]int32
	if err := r.readInts(pos[:]); err != nil {
		return err
	}
	if rec.Kind == New {
		r.alive[id], r.tees[id] = true, Point{}
	}
	p := &r.tees[id]
	p.X += pos[0]
	p.Y += pos[1]
	rec.Pos = *p
	return nil
}

func (r *Reader) readInput(rec *Record) error {
	if err := r.readClient(rec, 0); err != nil {
		return err
	}
	in := &r.inputs[rec.Client]
	var diff Input
	if err := r.readInts(diff[:]); err != nil {
		return err
	}
	if rec.Kind == InputNew {
		*in = Input{}
	}
	for i := range diff {
		in[i] += diff[i]
	}
	rec.Input = *in
	return nil
}

func (r *Reader) readCommand(rec *Record) error {
	if err := r.readClient(rec, -1); err != nil {
		return err
	}
	var err error
	if rec.Flags, err = r.readInt(); err != nil {
		return err
	}
	if err := r.readText(&rec.Name); err != nil {
		return err
	}
	if !isCommandName(rec.Name) {
		return fmt.Errorf("%w: invalid command name %q", ErrFormat, rec.Name)
	}
	n, err := r.readInt()
	if err != nil {
		return err
	}
	if n < 0 || n > maxArgs {
		return fmt.Errorf("%w: a command with %d arguments", ErrFormat, n)
	}
	all := 0
	for range n {
		var arg string
		if err := r.readText(&arg); err != nil {
			return err
		}
		if all += len(arg); all > maxAllArgs {
			return fmt.Errorf("%w: a command with more than %d bytes", ErrFormat, maxAllArgs)
		}
		rec.Args = append(rec.Args, arg)
	}
	return nil
}

// isCommandName reports whether s can be the name of a console command.
func isCommandName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// readClient reads the number of a client and checks that it is at least least.
func (r *Reader) readClient(rec *Record, least int32) error {
	id, err := r.readInt()
	if err == nil && (id < least || id >= MaxClients) {
		err = fmt.Errorf("%w: client %d", ErrFormat, id)
	}
	rec.Client = id
	return err
}

func (r *Reader) readInt() (int32, error) {
	b, err := r.r.Peek(packer.MaxIntLen)
	r.u.Reset(b)
	v := r.u.Int()
	if r.u.Err() != nil {
		r.offset += int64(len(b)) // bytes of a truncated integer
		return 0, r.fail(err)
	}
	n := len(b) - r.u.Len()
	r.r.Discard(n)
	r.offset += int64(n)
	return v, nil
}

func (r *Reader) readInts(dst []int32) (err error) {
	for i := range dst {
		if dst[i], err = r.readInt(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) readFull(dst []byte) error {
	n, err := io.ReadFull(r.r, dst)
	r.offset += int64(n)
	if err != nil {
		return r.fail(err)
	}
	return nil
}

// readData reads a number of bytes and then the bytes.
func (r *Reader) readData(dst *[]byte) error {
	n, err := r.readInt()
	if err != nil {
		return err
	}
	if n < 0 || n > maxData {
		return fmt.Errorf("%w: %d bytes of data", ErrFormat, n)
	}
	var b bytes.Buffer // grows with the bytes present
	got, err := io.CopyN(&b, r.r, int64(n))
	r.offset += got
	*dst = b.Bytes()
	if err != nil {
		return r.fail(err)
	}
	return nil
}

func (r *Reader) readText(dst *string) error {
	b, err := r.readString(maxString)
	*dst = string(b)
	return err
}

// readString reads a string up to its NUL and returns it without the NUL.
func (r *Reader) readString(most int) ([]byte, error) {
	var all []byte
	for {
		part, err := r.r.ReadSlice(0)
		r.offset += int64(len(part))
		if all = append(all, part...); len(all) > most {
			return nil, fmt.Errorf("%w: a string of more than %d bytes", ErrFormat, most)
		}
		if err == nil {
			return all[:len(all)-1], nil
		}
		if err != bufio.ErrBufferFull {
			return nil, r.fail(err)
		}
	}
}

// fail returns the error about a file that ends or cannot be read.
func (r *Reader) fail(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w after byte %d", ErrCutOff, r.offset)
	}
	return fmt.Errorf("teehistorian: after byte %d: %w", r.offset, err)
}
