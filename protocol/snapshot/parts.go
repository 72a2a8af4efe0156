package snapshot

import (
	"errors"
	"fmt"
)

const (
	// PartSize is the largest number of bytes of a delta in a SNAP or SNAPSINGLE. All parts but the
	// last have exactly this length.
	PartSize = 900
	// MaxParts is the largest number of parts of a delta.
	MaxParts = 64
)

// ErrPart is the error of PartAssembler.Add for a part that cannot belong to a snapshot. Either a
// number or length is out of range, or the part contradicts earlier ones.
var ErrPart = errors.New("snapshot: bad part")

// PartCount returns the number of parts of a delta of n bytes. A delta of one part is sent in
// SNAPSINGLE, a longer one in SNAP. An empty delta has no parts and is sent as SNAPEMPTY. More than
// MaxParts cannot be sent.
func PartCount(n int) int { return (n + PartSize - 1) / PartSize }

// Part returns the i-th part of a delta as a slice of it, for i in 0..PartCount(len(delta))-1.
func Part(delta []byte, i int) []byte {
	return delta[i*PartSize : min((i+1)*PartSize, len(delta))]
}

// PartHeader contains the fields that all parts of a snapshot have in common.
type PartHeader struct {
	// Tick is the tick of the snapshot.
	Tick int32
	// BaseTick is the tick of the snapshot that the delta is relative to, -1 for the empty one. The
	// wire contains Tick - BaseTick.
	BaseTick int32
	// CRC is the expected result of Snapshot.CRC after the delta is applied.
	CRC int32
	// Parts is the number of parts, 1..MaxParts.
	Parts int32
}

// PartAssembler assembles the parts of snapshots for a client. Parts may arrive in any order and
// more than once. Parts of a newer tick replace an unfinished older one. Parts of an older or
// completed tick are ignored. The zero value is ready for use. The buffer grows to at most
// MaxParts*PartSize bytes.
type PartAssembler struct {
	head    PartHeader
	started bool
	done    bool
	have    uint64 // bit i is set when part i has arrived
	last    int    // length of the part with the highest index
	buf     []byte
}

// Reset removes all parts, so that snapshots of any tick are accepted again. A client calls it when
// it enters the game and when the map changes.
func (a *PartAssembler) Reset() { *a = PartAssembler{buf: a.buf[:0]} }

// Add adds the part with the given index. For SNAPSINGLE, h.Parts is 1 and index 0; SNAPEMPTY is
// the same without data. When a snapshot is complete, Add returns its whole delta and sets
// complete. The delta is valid until the next call. The error is an ErrPart; the state is then
// unchanged.
//
// The length of the delta follows from the part with the highest index. The original uses the part
// that arrives last and therefore misreads reordered snapshots.
func (a *PartAssembler) Add(h PartHeader, index int32, data []byte) (delta []byte, complete bool, err error) {
	switch {
	case h.Parts < 1 || h.Parts > MaxParts:
		return nil, false, fmt.Errorf("%w: %d parts", ErrPart, h.Parts)
	case index < 0 || index >= h.Parts:
		return nil, false, fmt.Errorf("%w: part %d of %d", ErrPart, index, h.Parts)
	case len(data) > PartSize || index < h.Parts-1 && len(data) != PartSize:
		return nil, false, fmt.Errorf("%w: part %d of %d has %d bytes", ErrPart, index, h.Parts, len(data))
	}
	switch {
	case !a.started || h.Tick > a.head.Tick:
		*a = PartAssembler{head: h, started: true, buf: a.buf}
	case h.Tick < a.head.Tick || a.done:
		return nil, false, nil
	case h != a.head:
		return nil, false, fmt.Errorf("%w: parts of tick %d have different headers: %+v, then %+v", ErrPart, h.Tick, a.head, h)
	}

	bit := uint64(1) << uint(index)
	if a.have&bit != 0 {
		return nil, false, nil
	}
	a.have |= bit
	at := int(index) * PartSize
	if end := at + len(data); end > len(a.buf) {
		a.grow(end)
	}
	copy(a.buf[at:], data)
	if index == h.Parts-1 {
		a.last = len(data)
	}
	if a.have != ^uint64(0)>>uint(MaxParts-h.Parts) {
		return nil, false, nil
	}
	a.done = true
	return a.buf[:int(h.Parts-1)*PartSize+a.last], true, nil
}

// grow makes the buffer n bytes long. grow does not clear new bytes: only bytes of parts that have
// arrived are returned.
func (a *PartAssembler) grow(n int) {
	if n > cap(a.buf) {
		bigger := make([]byte, n, min(max(n, 2*cap(a.buf)), MaxParts*PartSize))
		copy(bigger, a.buf)
		a.buf = bigger
	}
	a.buf = a.buf[:n]
}
