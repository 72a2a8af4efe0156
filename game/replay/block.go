package replay

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// magic is the start of a log; its last byte is the version of the format. The reader accepts all
// versions up to it. A log has the first version that can express its content.
const magic = "TEEREPL\x04"

// The kinds of blocks.
const (
	blockHeader  = 'H'
	blockState   = 'S' // of the world with which the log begins, directly after the header
	blockTicks   = 'T' // ticks, and the hash of the world after them
	blockPartial = 'P' // ticks without a hash, recorded before a crash
	blockEnd     = 'E'
)

// A block is a head and a payload. The head is the kind, the stored length of the
// payload, its inflated length (equal if it is not deflated), and a CRC-32C of these
// and the stored payload.
const headSize = 1 + 4 + 4 + 4

// Limits of blocks.
const (
	// BlockTicks is the maximum number of ticks in a block: half a second, since the
	// ticks of an unwritten block are lost when the program dies.
	BlockTicks = game.TickRate / 2
	// blockBytes is the size from which a block ends early.
	blockBytes = 64 << 10
	// maxBlock is the maximum length of a payload. A block ends with the tick that
	// exceeds blockBytes, so this leaves room for one very long tick.
	maxBlock = 8 << 20
	// maxHeader is the maximum length of the header's payload, so that every header that
	// can be recorded can be read: the terrain, the sources of mode and mods, the texts with
	// their lengths, and the numbers.
	maxHeader = maxTerrain + maxSources + maxTexts*(maxText+2) + 8<<10
	// maxState is the maximum length of a state.
	maxState = maxBlock - 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Recorder encodes the commands of a world into blocks of at most BlockTicks. It does
// not allocate once its buffers have grown. The zero value starts a log.
type Recorder struct {
	enc   tickEncoder
	buf   []byte
	first int32 // the tick before the first of the block
	ticks int32
	next  int32
	last  int // where the last tick begins in buf
	err   error
}

// Begin starts the log of a world that has run the given ticks; see Header.TickBefore.
func (r *Recorder) Begin(tick int32) {
	*r = Recorder{buf: r.buf[:0], first: tick, next: tick}
}

// RecordTick records the commands of a tick. It should be called before World.Step, so
// that they are recorded even if the world panics. After an error, ErrTooLarge, the
// log cannot continue.
func (r *Recorder) RecordTick(cmds []game.Command) error {
	if r.err != nil {
		return r.err
	}
	before := len(r.buf)
	r.last = before
	r.buf = r.enc.appendTick(r.buf, cmds)
	if len(r.buf) > maxBlock-64 || len(cmds) > maxCommands {
		r.buf = r.buf[:before]
		r.err = fmt.Errorf("%w: %d commands in tick %d", ErrTooLarge, len(cmds), r.next+1)
		return r.err
	}
	r.ticks++
	r.next++
	return nil
}

// RecordStops records the commands that World.AppendHookStops returned after the last recorded
// tick. The log has them before the other commands of that tick.
func (r *Recorder) RecordStops(cmds []game.Command) {
	if r.err != nil || r.ticks == 0 {
		return
	}
	var b []byte
	for i := range cmds {
		b = appendCommand(b, &cmds[i])
	}
	r.buf = slices.Insert(r.buf, r.last, b...)
}

// BlockReady reports whether TakeBlock should be called after this Step.
func (r *Recorder) BlockReady() bool { return r.ticks >= BlockTicks || len(r.buf) >= blockBytes }

// PendingTicks returns the number of ticks recorded since the last block.
func (r *Recorder) PendingTicks() int { return int(r.ticks) }

// TakeBlock ends a block with the hash of the world after its last tick and returns
// its content for [Encoder.AppendTicks]. next is the buffer for the following block;
// nil allocates one.
func (r *Recorder) TakeBlock(hash uint64, next []byte) []byte {
	return r.takeBlock(blockTicks, hash, next)
}

// TakeBlockUnhashed is TakeBlock for a world that can no longer be hashed.
func (r *Recorder) TakeBlockUnhashed(next []byte) []byte { return r.takeBlock(blockPartial, 0, next) }

// takeBlock appends the trailer, because its values are known last, and then the kind. AppendTicks
// removes the kind again.
func (r *Recorder) takeBlock(kind byte, hash uint64, next []byte) []byte {
	b := binary.LittleEndian.AppendUint32(r.buf, uint32(r.first))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.ticks))
	b = binary.LittleEndian.AppendUint64(b, hash)
	b = append(b, kind)
	r.buf, r.first, r.ticks = next[:0], r.next, 0
	return b
}

// trailerSize is the length of a block's trailer.
const trailerSize = 4 + 4 + 8

// EndReason is the reason why a log ends.
type EndReason uint8

// The reasons why a log ends.
const (
	EndNone          EndReason = iota // no end: the server was killed
	EndMapChange                      // the map or match changed
	EndShutdown                       // the server shut down
	EndTurnedOff                      // recording was turned off
	EndSizeLimit                      // the log reached its maximum size
	EndCut                            // cut by Cut
	EndRecorderFault                  // the recorder failed
	EndCrash                          // the world panicked
	numEnds
)

var endNames = [numEnds]string{"none", "map change", "shutdown", "turned off", "size limit", "cut", "recorder fault", "crash"}

// String returns the reason in words.
func (e EndReason) String() string {
	if e < numEnds {
		return endNames[e]
	}
	return "unknown"
}

// Encoder encodes the bytes of a log: first the header, then all blocks, then the end. Write the
// bytes of each call to the file at once. The zero value is ready to use.
type Encoder struct {
	deflate *flate.Writer
	out     bytes.Buffer
	raw     []byte
}

// AppendHeader appends the start of a log. It returns ErrTooLarge if the header
// exceeds the limits of the format.
func (p *Encoder) AppendHeader(dst []byte, h *Header) ([]byte, error) {
	if err := h.validate(); err != nil {
		return dst, err
	}
	p.raw = h.append(p.raw[:0])
	if n := len(p.raw); n > maxHeader {
		p.raw = nil
		return dst, fmt.Errorf("%w: a header of %d bytes, at most %d can be read again", ErrTooLarge, n, maxHeader)
	}
	dst = append(dst, magic[:len(magic)-1]...)
	dst = append(dst, h.version())
	dst = p.appendBlock(dst, blockHeader, p.raw)
	if h.State != nil {
		dst = p.appendBlock(dst, blockState, h.appendState(p.raw[:0]))
	}
	p.raw = nil // the terrain can be large, and there is only one header
	return dst, nil
}

// AppendTicks appends a block of a Recorder.
func (p *Encoder) AppendTicks(dst, block []byte) []byte {
	n := len(block) - 1
	return p.appendBlock(dst, block[n], block[:n])
}

// AppendEnd appends the end of a log, with the result of the match unless result is nil.
func (p *Encoder) AppendEnd(dst []byte, reason EndReason, result *MatchResult) []byte {
	payload := []byte{byte(reason)}
	if result != nil {
		payload = result.append(payload)
	}
	return p.appendBlock(dst, blockEnd, payload)
}

func (p *Encoder) appendBlock(dst []byte, kind byte, payload []byte) []byte {
	p.out.Reset()
	if p.deflate == nil {
		// No error is possible: the level is valid and a buffer does not fail.
		p.deflate, _ = flate.NewWriter(&p.out, flate.DefaultCompression)
	} else {
		p.deflate.Reset(&p.out)
	}
	p.deflate.Write(payload)
	p.deflate.Close()
	stored := p.out.Bytes()
	if len(stored) >= len(payload) {
		stored = payload
	}
	at := len(dst)
	dst = append(dst, kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(stored)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	crc := crc32.Update(crc32.Checksum(dst[at:], castagnoli), castagnoli, stored)
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return append(dst, stored...)
}

// blockReader reads blocks from a file. Its memory is limited by the actual length of
// the file, not by the lengths in block heads.
type blockReader struct {
	r       io.Reader
	inflate io.ReadCloser
	stored  bytes.Buffer
	raw     bytes.Buffer
	head    [headSize]byte
	offset  int64 // of the next block
	payload []byte
}

// next reads a block. Its payload is valid until the next call. io.EOF means that the
// file ends before it.
func (b *blockReader) next() (kind byte, payload []byte, err error) {
	n, err := io.ReadFull(b.r, b.head[:])
	if err == io.EOF {
		return 0, nil, io.EOF
	}
	if err != nil {
		return 0, nil, b.wrapReadError(err, "%d bytes of a block's head", n)
	}
	kind = b.head[0]
	stored := int64(binary.LittleEndian.Uint32(b.head[1:]))
	raw := int64(binary.LittleEndian.Uint32(b.head[5:]))
	limit := int64(maxBlock)
	if kind == blockHeader {
		limit = maxHeader
	}
	if stored > raw || raw > limit {
		return 0, nil, fmt.Errorf("%w: block at byte %d with %d bytes, inflated %d", ErrCorrupt, b.offset, stored, raw)
	}
	b.stored.Reset()
	if k, err := io.Copy(&b.stored, io.LimitReader(b.r, stored)); err != nil || k < stored {
		return 0, nil, b.wrapReadError(err, "%d of %d bytes of a block", k, stored)
	}
	crc := crc32.Update(crc32.Checksum(b.head[:headSize-4], castagnoli), castagnoli, b.stored.Bytes())
	if crc != binary.LittleEndian.Uint32(b.head[headSize-4:]) {
		return 0, nil, fmt.Errorf("%w: wrong checksum of the block at byte %d", ErrCorrupt, b.offset)
	}
	payload = b.stored.Bytes()
	if stored < raw {
		src := bytes.NewReader(payload)
		if b.inflate == nil {
			b.inflate = flate.NewReader(src)
		} else if err := b.inflate.(flate.Resetter).Reset(src, nil); err != nil {
			return 0, nil, fmt.Errorf("%w: block at byte %d: %w", ErrCorrupt, b.offset, err)
		}
		b.raw.Reset()
		if k, err := io.Copy(&b.raw, io.LimitReader(b.inflate, raw+1)); err != nil || k != raw {
			return 0, nil, fmt.Errorf("%w: block at byte %d inflates to %d of %d bytes (%v)", ErrCorrupt, b.offset, k, raw, err)
		}
		payload = b.raw.Bytes()
	}
	b.offset += headSize + stored
	b.payload = payload
	return kind, payload, nil
}

func (b *blockReader) wrapReadError(err error, what string, args ...any) error {
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return fmt.Errorf("replay: block at byte %d: %w", b.offset, err)
	}
	return fmt.Errorf("%w: %s at byte %d", ErrTruncated, fmt.Sprintf(what, args...), b.offset)
}
