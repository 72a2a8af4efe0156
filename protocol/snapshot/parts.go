package snapshot

import (
	"errors"
	"fmt"
)

const (
	// PartSize is the most bytes of a delta that one SNAP or SNAPSINGLE carries;
	// all parts but the last have exactly this length.
	PartSize = 900
	// MaxParts is the most parts a delta is cut into.
	MaxParts = 64
)

// ErrPart is Joiner.Add's error for a part that cannot belong to a snapshot: a
// number or length out of range, or a contradiction to earlier parts.
var ErrPart = errors.New("snapshot: bad part")

// PartCount returns how many parts a delta of n bytes takes. One part goes into
// SNAPSINGLE, more into SNAP; more than MaxParts cannot be sent. An empty delta
// takes none: it is SNAPEMPTY.
func PartCount(n int) int { return (n + PartSize - 1) / PartSize }

// Part returns the i-th part of a delta, i in 0..PartCount(len(delta))-1, as a
// slice of it.
func Part(delta []byte, i int) []byte {
	return delta[i*PartSize : min((i+1)*PartSize, len(delta))]
}

// PartHeader is what the parts of one snapshot have in common.
type PartHeader struct {
	// Tick is the tick of the snapshot.
	Tick int32
	// BaseTick is the tick of the snapshot that the delta is relative to, -1 for the
	// empty one. On the wire it is Tick - BaseTick.
	BaseTick int32
	// CRC is what Snapshot.CRC must be after the delta is applied.
	CRC int32
	// Parts is the number of parts, 1..MaxParts.
	Parts int32
}

// PartAssembler puts the parts of snapshots together on the client's side. Parts may
// come in any order and more than once. Parts of a newer tick displace an
// unfinished older one, parts of an older tick are ignored, and so is whatever
// comes of a tick that was completed. The zero value is ready for use; it holds
// at most MaxParts*PartSize bytes.
type PartAssembler struct {
	head    PartHeader
	started bool
	done    bool
	have    uint64 // bit i: part i is there
	last    int    // length of the last part by index
	buf     []byte
}

// Reset forgets everything, so that snapshots of any tick are taken again. A
// client does this when it enters the game and when the map changes.
func (j *PartAssembler) Reset() { *j = PartAssembler{buf: j.buf[:0]} }

// Add takes part index of a snapshot. For SNAPSINGLE h.Parts is 1 and index 0;
// SNAPEMPTY is the same without data. When the part completes the snapshot Add
// returns the whole delta, which is valid until the next call, and complete is
// true. The error, an ErrPart, leaves the state as it was.
//
// The length of the whole follows from the part with the highest index. The
// original takes that of the part which arrives last and so misreads reordered
// snapshots.
func (j *PartAssembler) Add(h PartHeader, index int32, data []byte) (delta []byte, complete bool, err error) {
	switch {
	case h.Parts < 1 || h.Parts > MaxParts:
		return nil, false, fmt.Errorf("%w: %d parts", ErrPart, h.Parts)
	case index < 0 || index >= h.Parts:
		return nil, false, fmt.Errorf("%w: number %d of %d", ErrPart, index, h.Parts)
	case len(data) > PartSize || index < h.Parts-1 && len(data) != PartSize:
		return nil, false, fmt.Errorf("%w: number %d of %d has %d bytes", ErrPart, index, h.Parts, len(data))
	}
	switch {
	case !j.started || h.Tick > j.head.Tick:
		*j = PartAssembler{head: h, started: true, buf: j.buf}
	case h.Tick < j.head.Tick || j.done:
		return nil, false, nil
	case h != j.head:
		return nil, false, fmt.Errorf("%w: tick %d announced as %+v, then as %+v", ErrPart, h.Tick, j.head, h)
	}

	bit := uint64(1) << uint(index)
	if j.have&bit != 0 {
		return nil, false, nil
	}
	j.have |= bit
	at := int(index) * PartSize
	if end := at + len(data); end > len(j.buf) {
		j.grow(end)
	}
	copy(j.buf[at:], data)
	if index == h.Parts-1 {
		j.last = len(data)
	}
	if j.have != ^uint64(0)>>uint(MaxParts-h.Parts) {
		return nil, false, nil
	}
	j.done = true
	return j.buf[:int(h.Parts-1)*PartSize+j.last], true, nil
}

// grow makes the buffer n bytes long; what is new in it need not be zero, since
// only bytes of parts that are there are ever handed out.
func (j *PartAssembler) grow(n int) {
	if n > cap(j.buf) {
		bigger := make([]byte, n, min(max(n, 2*cap(j.buf)), MaxParts*PartSize))
		copy(bigger, j.buf)
		j.buf = bigger
	}
	j.buf = j.buf[:n]
}
