package halflife

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"io"
	"net/netip"
)

// SplitStyle is one of the ways to split a message over datagrams.
type SplitStyle uint8

// The styles.
const (
	// SplitGoldSrc is that of Half-Life: nine bytes of header, at most 15 parts.
	SplitGoldSrc SplitStyle = iota
	// SplitSource is that of later engines: twelve bytes of header.
	SplitSource
)

// The payload of every part but the last, in bytes. The engines of Half-Life
// place part i at i×GoldSrcPart.
const (
	GoldSrcPart = 1391
	SourcePart  = 1248
)

// maxParts is how many parts a message may have.
const maxParts = 15

// maxMessage is the longest message in bytes that is put together from parts.
const maxMessage = 64 << 10

// Parts is how many datagrams a message of n bytes takes in parts of size bytes.
func Parts(n, size int) int { return max((n+size-1)/size, 1) }

// AppendPart appends part i, counted from 0, of a message that begins with its
// own header. size is the payload of all parts but the last. id is the same for
// all parts and another one for the next message to the same peer; clients put
// together by it. There may be at most 15 parts.
func AppendPart(dst []byte, style SplitStyle, id uint32, msg []byte, i, size int) []byte {
	total := Parts(len(msg), size)
	dst = append(dst, splitHeader...)
	dst = binary.LittleEndian.AppendUint32(dst, id&^packed)
	if style == SplitGoldSrc {
		dst = append(dst, byte(i<<4|total))
	} else {
		dst = append(dst, byte(total), byte(i))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(size))
	}
	return append(dst, msg[i*size:min((i+1)*size, len(msg))]...)
}

// packed in the id of a Source split marks a message compressed by bzip2.
const packed = 1 << 31

// joinSpan is how long parts wait for the rest, in ns.
const joinSpan = 2e9

// maxJoins is how many messages are put together at a time.
const maxJoins = 16

// Joiner puts split messages together, in any style: the datagrams do not tell
// which one it is, so it keeps them until one has a header where only one style
// can have it. Its zero value is ready. Memory is bounded, and only datagrams
// from addresses that were asked something should be fed. Servers never need one:
// no request is split.
type Joiner struct {
	joins []join
}

type join struct {
	peer  netip.AddrPort
	id    uint32
	at    int64
	parts [][]byte
	size  int
}

// IsPart reports whether a datagram is a part of a message.
func IsPart(b []byte) bool { return len(b) >= 9 && string(b[:4]) == splitHeader }

// Feed takes a part that came at a time in ns and returns the message when it is
// complete, else nil.
func (j *Joiner) Feed(now int64, peer netip.AddrPort, b []byte) []byte {
	if !IsPart(b) {
		return nil
	}
	id := binary.LittleEndian.Uint32(b[4:])
	kept := j.joins[:0]
	for _, m := range j.joins {
		if now-m.at < joinSpan {
			kept = append(kept, m)
		}
	}
	clear(j.joins[len(kept):])
	j.joins = kept
	at := -1
	for i := range j.joins {
		if m := &j.joins[i]; m.peer == peer && m.id == id {
			at = i
		}
	}
	if at < 0 {
		if len(j.joins) == maxJoins {
			j.joins = append(j.joins[:0], j.joins[1:]...) // the oldest
		}
		j.joins = append(j.joins, join{peer: peer, id: id, at: now})
		at = len(j.joins) - 1
	}
	m := &j.joins[at]
	if len(m.parts) == maxParts || m.size+len(b) > maxMessage {
		return nil
	}
	m.parts = append(m.parts, bytes.Clone(b))
	m.size += len(b)
	for s := range layouts {
		if whole := m.assemble(&layouts[s]); whole != nil {
			j.joins = append(j.joins[:at], j.joins[at+1:]...)
			return whole
		}
	}
	return nil
}

// layout is where a style keeps what.
type layout struct {
	header int
	place  func(b []byte) (index, total int)
}

func twoBytes(b []byte) (index, total int) { return int(b[9]), int(b[8]) }

// layouts are the styles; the last is what the first Source games sent, without
// the size.
var layouts = [...]layout{
	{9, func(b []byte) (index, total int) { return int(b[8] >> 4), int(b[8] & 15) }},
	{12, twoBytes},
	{10, twoBytes},
}

// assemble returns the message if the parts are one in this style, and complete.
func (m *join) assemble(l *layout) []byte {
	var order [maxParts][]byte
	total, have := 0, 0
	for _, p := range m.parts {
		if len(p) < l.header {
			return nil
		}
		index, n := l.place(p)
		if n == 0 || n > maxParts || index >= n || (total != 0 && n != total) {
			return nil
		}
		total = n
		if order[index] == nil {
			order[index] = p
			have++
		}
	}
	if have < total {
		return nil
	}
	compressed := l.header == 12 && m.id&packed != 0
	if !compressed && !bytes.HasPrefix(order[0][l.header:], []byte(header)) {
		return nil
	}
	whole := make([]byte, 0, m.size)
	for _, p := range order[:total] {
		whole = append(whole, p[l.header:]...)
	}
	if compressed {
		return unpack(whole)
	}
	return whole
}

// unpack undoes the compression of a Source split: size, checksum, bzip2.
func unpack(b []byte) []byte {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) > maxMessage {
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(b[8:])), maxMessage))
	if err != nil || !Is(whole) {
		return nil
	}
	return whole
}
