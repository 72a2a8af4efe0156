package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/teeyard/teeyard/game"
)

// Tick is one tick of a log.
type Tick struct {
	// Tick is its number: World.Tick after the Step.
	Tick int32
	// Commands are the commands of the Step, valid until the next call of Next. A command has only
	// the fields that its kind uses.
	Commands []game.Command
	// Hash is World.Hash after the Step, if HasHash.
	Hash    uint64
	HasHash bool
}

// Reader reads a log from its start. Its memory is limited to about 400 MB for any
// input.
type Reader struct {
	blocks     blockReader
	ahead      *block // the one after the header, until it is used
	header     Header
	dec        tickDecoder
	body       fieldReader // commands of the current block
	nextTick   int32       // number of the next tick
	ticksLeft  int32       // ticks of the current block that are not read yet
	hash       uint64
	hashed     bool
	validBytes int64
	end        EndReason
	result     *MatchResult
	err        error
}

// Is reports whether a file that begins with b is a log of any version.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte(magic[:len(magic)-1])) }

// NewReader reads the header of a log. The error is ErrFormat, ErrTruncated,
// ErrCorrupt or r's own. r should be buffered.
func NewReader(r io.Reader) (*Reader, error) {
	rd := &Reader{}
	if err := rd.open(r); err != nil {
		return nil, err
	}
	return rd, nil
}

func (r *Reader) open(src io.Reader) error {
	var m [len(magic)]byte
	n, err := io.ReadFull(src, m[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("replay: %w", err)
	}
	const version = len(magic) - 1
	switch {
	case string(m[:min(n, version)]) != magic[:min(n, version)]:
		return fmt.Errorf("%w: it starts with %q", ErrFormat, m[:n])
	case n < len(m):
		return fmt.Errorf("%w: within its first %d bytes", ErrTruncated, len(m))
	case m[version] == 0 || m[version] > magic[version]:
		return fmt.Errorf("%w of a known version: the format version is %d, want 1 to %d", ErrFormat, m[version], magic[version])
	}
	r.blocks = blockReader{r: src, offset: int64(n)}
	kind, payload, err := r.blocks.next()
	if err == io.EOF {
		return fmt.Errorf("%w: there is no header", ErrTruncated)
	}
	if err != nil {
		return err
	}
	if kind != blockHeader {
		return fmt.Errorf("%w: block of kind %q instead of the header", ErrCorrupt, kind)
	}
	if err := r.header.parse(payload, m[version]); err != nil {
		return err
	}
	r.blocks = blockReader{r: src, offset: r.blocks.offset} // headers are large and blocks are not
	r.validBytes = r.blocks.offset
	next := &block{}
	if next.kind, next.payload, next.err = r.blocks.next(); next.err != nil || next.kind != blockState {
		r.ahead = next
	} else if err := r.header.parseState(next.payload); err != nil {
		return err
	} else {
		r.validBytes = r.blocks.offset
	}
	r.nextTick = r.header.TickBefore() + 1
	return nil
}

// block is a block of a log, or why there is none.
type block struct {
	kind    byte
	payload []byte
	err     error
}

// nextBlock returns the block that was read ahead, or reads one.
func (r *Reader) nextBlock() (kind byte, payload []byte, err error) {
	if b := r.ahead; b != nil {
		r.ahead = nil
		return b.kind, b.payload, b.err
	}
	return r.blocks.next()
}

// Header returns the header. It belongs to the reader.
func (r *Reader) Header() *Header { return &r.header }

// End returns why the log ends. Call it after Next returned io.EOF.
func (r *Reader) End() EndReason { return r.end }

// MatchResult returns the result at the end of the match, or nil if the log has none. Call it after
// Next returned io.EOF.
func (r *Reader) MatchResult() *MatchResult { return r.result }

// ValidBytes returns the number of bytes read without an error, in whole blocks.
func (r *Reader) ValidBytes() int64 { return r.validBytes }

// Next reads the next tick into t. It returns io.EOF at the end of a complete log. After
// [ErrTruncated] and [ErrCorrupt] the rest is lost; Next has returned the ticks of all whole blocks
// before.
func (r *Reader) Next(t *Tick) error {
	for r.err == nil && r.ticksLeft == 0 {
		r.err = r.readBlock()
	}
	if r.err != nil {
		return r.err
	}
	cmds, err := r.dec.decodeTick(&r.body)
	if err != nil {
		r.err = fmt.Errorf("tick %d: %w", r.nextTick, err)
		return r.err
	}
	r.ticksLeft--
	if r.ticksLeft == 0 && len(r.body.b) != 0 {
		r.err = fmt.Errorf("%w: %d bytes left after tick %d", ErrCorrupt, len(r.body.b), r.nextTick)
		return r.err
	}
	*t = Tick{Tick: r.nextTick, Commands: cmds}
	if r.ticksLeft == 0 && r.hashed {
		t.Hash, t.HasHash = r.hash, true
	}
	r.nextTick++
	return nil
}

// readBlock reads the next block.
func (r *Reader) readBlock() error {
	kind, payload, err := r.nextBlock()
	if err == io.EOF {
		return fmt.Errorf("%w: after byte %d, where a block or the end should follow", ErrTruncated, r.validBytes)
	}
	if err != nil {
		return err
	}
	switch kind {
	case blockTicks, blockPartial:
		n := len(payload) - trailerSize
		if n < 0 {
			return fmt.Errorf("%w: block of ticks of %d bytes", ErrCorrupt, len(payload))
		}
		t := payload[n:]
		before := int64(binary.LittleEndian.Uint32(t))
		ticks := int64(binary.LittleEndian.Uint32(t[4:]))
		if before != int64(r.nextTick-1) || ticks < 1 || ticks > BlockTicks || before+ticks > game.MaxTick {
			return fmt.Errorf("%w: %d ticks after tick %d, want tick %d next", ErrCorrupt, ticks, before, r.nextTick)
		}
		r.body = fieldReader{b: payload[:n]}
		r.ticksLeft = int32(ticks)
		r.hash, r.hashed = binary.LittleEndian.Uint64(t[8:]), kind == blockTicks
	case blockEnd:
		if len(payload) == 0 || payload[0] == byte(EndNone) {
			return fmt.Errorf("%w: end of the log", ErrCorrupt)
		}
		if len(payload) > 1 {
			if r.result, err = parseResult(payload[1:]); err != nil {
				return err
			}
		}
		r.end = EndReason(payload[0])
		r.validBytes = r.blocks.offset
		switch _, _, err := r.blocks.next(); {
		case err == nil || errors.Is(err, ErrTruncated) || errors.Is(err, ErrCorrupt):
			return fmt.Errorf("%w: data after the end of the log", ErrCorrupt)
		default:
			return err
		}
	default:
		return fmt.Errorf("%w: block of unknown kind %q", ErrCorrupt, kind)
	}
	r.validBytes = r.blocks.offset
	return nil
}
