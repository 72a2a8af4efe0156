package replay

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/teeyard/teeyard/game"
)

// magic begins a log; its last byte is the version of the format.
const magic = "TEEREPL\x01"

// The kinds of blocks.
const (
	blockHeader  = 'H'
	blockTicks   = 'T' // ticks, and the hash of the world after them
	blockPartial = 'P' // ticks without a hash: the recorder did not live to see it
	blockEnd     = 'E'
)

// A block is a head and a payload. The head is the kind, the length of the
// payload as stored, the length when inflated (equal: it is not deflated), and a
// CRC-32C of all that and the payload as stored.
const headSize = 1 + 4 + 4 + 4

// Limits of blocks.
const (
	// BlockTicks is the most ticks of a block: half a second, since what a block
	// has not got into the file yet is lost with its program.
	BlockTicks = game.TickRate / 2
	// blockBytes is from how many bytes on a block ends early.
	blockBytes = 64 << 10
	// maxBlock is the longest payload. A block ends with the tick that makes it
	// long, so this leaves room for one tick of the wildest kind.
	maxBlock = 8 << 20
	// maxHeader is the longest payload of the header, which has the terrain.
	maxHeader = maxTiles + 2<<20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Recorder turns the commands of a world into blocks of BlockTicks at most. It
// allocates nothing once its buffers have grown. The zero value begins a log.
type Recorder struct {
	enc   tickEncoder
	buf   []byte
	first int32 // the tick before the first of the block
	ticks int32
	next  int32
	err   error
}

// Begin starts the log at a world that has made so many ticks without commands
// (see Header.Idle).
func (r *Recorder) Begin(idle int32) {
	*r = Recorder{buf: r.buf[:0], first: idle, next: idle}
}

// RecordTick records the commands of a tick. Called before World.Step, it has them
// even if the world does not survive them. After an error, ErrTooLarge, the log
// cannot go on.
func (r *Recorder) RecordTick(cmds []game.Command) error {
	if r.err != nil {
		return r.err
	}
	before := len(r.buf)
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

// BlockReady tells that a block is due: call Take after the Step.
func (r *Recorder) BlockReady() bool { return r.ticks >= BlockTicks || len(r.buf) >= blockBytes }

// PendingTicks is the number of ticks recorded since Take.
func (r *Recorder) PendingTicks() int { return int(r.ticks) }

// TakeBlock ends a block with the hash of the world after its last tick and returns
// its content for [Encoder.AppendTicks]. next becomes the buffer of the block that
// follows; nil makes a new one.
func (r *Recorder) TakeBlock(hash uint64, next []byte) []byte {
	return r.takeBlock(blockTicks, hash, next)
}

// TakeBlockUnhashed is Take for when there is no world to hash any more.
func (r *Recorder) TakeBlockUnhashed(next []byte) []byte { return r.takeBlock(blockPartial, 0, next) }

// takeBlock appends what describes the ticks; it is known last. The kind is for
// AppendTicks only, which takes it off again.
func (r *Recorder) takeBlock(kind byte, hash uint64, next []byte) []byte {
	b := binary.LittleEndian.AppendUint32(r.buf, uint32(r.first))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.ticks))
	b = binary.LittleEndian.AppendUint64(b, hash)
	b = append(b, kind)
	r.buf, r.first, r.ticks = next[:0], r.next, 0
	return b
}

// trailerSize is the length of what take appends and a log keeps.
const trailerSize = 4 + 4 + 8

// EndReason is why a log ends.
type EndReason uint8

// The ends of a log.
const (
	EndNone          EndReason = iota // there is none: the server was killed
	EndMapChange                      // the map or the match gave way to another
	EndShutdown                       // the server ended
	EndTurnedOff                      // recording was turned off
	EndSizeLimit                      // the log had become too large
	EndCut                            // cut by hand
	EndRecorderFault                  // the recorder could not go on
	EndCrash                          // the server crashed
	numEnds
)

var endNames = [numEnds]string{"none", "map change", "shutdown", "turned off", "size limit", "cut", "recorder fault", "crash"}

// String is the reason in words.
func (e EndReason) String() string {
	if e < numEnds {
		return endNames[e]
	}
	return "unknown"
}

// Encoder makes the bytes of a log: first those of the header, then those of
// every block, then those of the end. What each call appends goes to the file
// whole. The zero value is ready for use.
type Encoder struct {
	deflate *flate.Writer
	out     bytes.Buffer
	raw     []byte
}

// AppendHeader appends the beginning of a log. ErrTooLarge is returned for a
// header beyond the limits of the format.
func (p *Encoder) AppendHeader(dst []byte, h *Header) ([]byte, error) {
	if err := h.validate(); err != nil {
		return dst, err
	}
	p.raw = h.append(p.raw[:0])
	dst = append(dst, magic...)
	dst = p.append(dst, blockHeader, p.raw)
	p.raw = nil // the terrain may be large, and there is only one
	return dst, nil
}

// AppendTicks appends a block that a Recorder has made.
func (p *Encoder) AppendTicks(dst, block []byte) []byte {
	n := len(block) - 1
	return p.append(dst, block[n], block[:n])
}

// AppendEnd appends the end of a log.
func (p *Encoder) AppendEnd(dst []byte, why EndReason) []byte {
	return p.append(dst, blockEnd, []byte{byte(why)})
}

func (p *Encoder) append(dst []byte, kind byte, payload []byte) []byte {
	p.out.Reset()
	if p.deflate == nil {
		// The level is a valid one, so there is no error; nor does a buffer fail.
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

// blockReader reads blockReader from a file. Memory grows with what there is, not with
// what a head promises.
type blockReader struct {
	r       io.Reader
	inflate io.ReadCloser
	stored  bytes.Buffer
	raw     bytes.Buffer
	head    [headSize]byte
	offset  int64 // of the block that next reads
	payload []byte
}

// next reads a block. Its payload is borrowed until the next call. io.EOF means
// that the file ends before it.
func (b *blockReader) next() (kind byte, payload []byte, err error) {
	n, err := io.ReadFull(b.r, b.head[:])
	if err == io.EOF {
		return 0, nil, io.EOF
	}
	if err != nil {
		return 0, nil, b.wrap(err, "%d bytes of a block's head", n)
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
		return 0, nil, b.wrap(err, "%d of %d bytes of a block", k, stored)
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

func (b *blockReader) wrap(err error, what string, args ...any) error {
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return fmt.Errorf("replay: block at byte %d: %w", b.offset, err)
	}
	return fmt.Errorf("%w: %s at byte %d", ErrTruncated, fmt.Sprintf(what, args...), b.offset)
}
