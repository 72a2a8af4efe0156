package demo

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Encoder makes the chunks of a demo. The original recorders of the version make equal chunks. An
// Encoder does no I/O, and does not allocate once its buffers have grown.
type Encoder struct {
	version int
	sizes   *snapshot.ItemSizes

	last         snapshot.Snapshot // base of the next delta
	lastTick     int32             // tick of the last tick marker
	lastKeyframe int32
	started      bool // a tick marker was written
	hasKeyframe  bool // a keyframe was written and no new one is requested
	dropped      int

	packed, compressed []byte
}

// NewEncoder returns an Encoder for a demo with the given header. NewEncoder uses only Version and
// NetVersion.
func NewEncoder(h *Header) *Encoder {
	return &Encoder{version: h.version(), sizes: h.ItemSizes()}
}

// Keyframe makes the next snapshot a keyframe, where playing and reading can begin. Otherwise, a
// snapshot becomes a keyframe when more than KeyframeInterval ticks have passed since the last one.
func (e *Encoder) Keyframe() { e.hasKeyframe = false }

// Dropped returns the number of snapshots and messages that were left out because they did not fit
// a chunk. Snapshots of real games are far smaller.
func (e *Encoder) Dropped() int { return e.dropped }

// AppendSnapshot appends the chunks of a tick: a tick marker and the snapshot. The snapshot is
// stored as a keyframe or as the difference from the previous one, or left out if nothing changed.
// Ticks must ascend. The snapshot is copied.
func (e *Encoder) AppendSnapshot(dst []byte, tick int32, s *snapshot.Snapshot) []byte {
	keyframe, changed := !e.hasKeyframe || int64(tick)-int64(e.lastKeyframe) > KeyframeInterval, true
	typ := byte(typeSnapshot)
	if keyframe {
		e.packed = appendSnapshot(e.packed[:0], s)
	} else {
		typ = typeDelta
		e.packed, changed = snapshot.AppendDelta(e.packed[:0], &e.last, s, e.sizes)
	}
	fits := !changed || e.compress()
	keyframe = keyframe && fits
	dst = e.appendTick(dst, tick, keyframe)
	if !changed || !fits {
		return dst
	}
	if keyframe {
		e.hasKeyframe, e.lastKeyframe = true, tick
	}
	e.last.CopyFrom(s)
	return e.appendCompressed(dst, typ)
}

// AppendMessage appends a message from the server, with its id as on the wire.
func (e *Encoder) AppendMessage(dst, msg []byte) []byte {
	if len(msg) > maxUnpacked {
		e.dropped++
		return dst
	}
	e.packed = e.packed[:0]
	for ; len(msg) >= 4; msg = msg[4:] {
		e.packed = packer.AppendInt(e.packed, int32(binary.LittleEndian.Uint32(msg)))
	}
	if len(msg) > 0 {
		var padded [4]byte
		copy(padded[:], msg)
		e.packed = packer.AppendInt(e.packed, int32(binary.LittleEndian.Uint32(padded[:])))
	}
	if !e.compress() {
		return dst
	}
	return e.appendCompressed(dst, typeMessage)
}

// appendTick appends a tick marker.
func (e *Encoder) appendTick(dst []byte, tick int32, keyframe bool) []byte {
	since := int64(tick) - int64(e.lastTick)
	inline := e.started && !keyframe && since > 0 && since <= int64(maxInlineTicks(e.version))
	e.started, e.lastTick = true, tick
	switch {
	case inline && e.version >= withShortTicks:
		return append(dst, flagTick|flagInline|byte(since))
	case inline:
		return append(dst, flagTick|byte(since))
	case keyframe:
		dst = append(dst, flagTick|flagKeyframe)
	default:
		dst = append(dst, flagTick)
	}
	return binary.BigEndian.AppendUint32(dst, uint32(tick))
}

// compress compresses the packed data. compress returns false if the result does not fit a chunk.
func (e *Encoder) compress() bool {
	e.compressed = huffman.AppendCompress(e.compressed[:0], e.packed)
	if len(e.packed) > maxPacked || len(e.compressed) > maxChunk {
		e.dropped++
		return false
	}
	return true
}

// appendCompressed appends a chunk with the compressed data.
func (e *Encoder) appendCompressed(dst []byte, typ byte) []byte {
	switch n := len(e.compressed); {
	case n < size8:
		dst = append(dst, typ<<5|byte(n))
	case n < 1<<8:
		dst = append(dst, typ<<5|size8, byte(n))
	default:
		dst = append(dst, typ<<5|size16, byte(n), byte(n>>8))
	}
	return append(dst, e.compressed...)
}

// appendSnapshot appends a whole snapshot: the total size of the items in bytes, their number, the
// offset of each item, and then the items. Each item is its key followed by its data.
func appendSnapshot(dst []byte, s *snapshot.Snapshot) []byte {
	n := s.Len()
	dst = packer.AppendInt(dst, int32(4*(n+s.NumInts())))
	dst = packer.AppendInt(dst, int32(n))
	offset := int32(0)
	for i := range n {
		dst = packer.AppendInt(dst, offset)
		_, ints := s.Item(i)
		offset += int32(4 + 4*len(ints))
	}
	for i := range n {
		key, ints := s.Item(i)
		dst = packer.AppendInt(dst, int32(key))
		dst = packer.AppendInts(dst, ints)
	}
	return dst
}
