package wire

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
)

// SplitStyle is a way to split a message into several datagrams.
type SplitStyle uint8

// The ways to split a message.
const (
	// SplitGoldSrc is the style of Half-Life: a header of 9 bytes, at most 15 parts.
	SplitGoldSrc SplitStyle = iota
	// SplitSource is the style of later engines: a header of 12 bytes.
	SplitSource
)

// The payload in bytes of every part except the last. Half-Life places part i at offset
// i×GoldSrcPart.
const (
	GoldSrcPart = 1391
	SourcePart  = 1248
)

// maxParts limits the parts of a message.
const maxParts = 15

// maxMessage limits the bytes of a message that is assembled from parts.
const maxMessage = 64 << 10

// NumParts returns the number of parts for a message of n bytes, with size bytes per part.
func NumParts(n, size int) int { return max((n+size-1)/size, 1) }

// AppendPart appends part i, counted from 0, of msg. msg includes its own header. size is the
// payload of all parts except the last. id must be the same for all parts of a message, and differ
// from the id of the previous message to that peer. A message has at most 15 parts.
func AppendPart(dst []byte, style SplitStyle, id uint32, msg []byte, i, size int) []byte {
	total := NumParts(len(msg), size)
	start := len(dst)
	dst = append(append(dst, splitHeader...), 0, 0, 0, 0)
	SetPartID(dst[start:], id)
	if style == SplitGoldSrc {
		dst = append(dst, byte(i<<4|total))
	} else {
		dst = append(dst, byte(total), byte(i))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(size))
	}
	return append(dst, msg[i*size:min((i+1)*size, len(msg))]...)
}

// SetPartID replaces the id of a part that AppendPart made.
func SetPartID(part []byte, id uint32) {
	binary.LittleEndian.PutUint32(part[len(splitHeader):], id&^compressedFlag)
}

// compressedFlag in the id of a Source split marks a message compressed with bzip2.
const compressedFlag = 1 << 31

// partTimeout is how long parts are kept, in ns.
const partTimeout = 2e9

// maxPartial limits the messages that are assembled at the same time.
const maxPartial = 16

// PartAssembler assembles split messages of any style. Parts do not name their style, so it tries
// every style until the first part begins with the header of a message. The zero value is ready to
// use. The memory of an assembler is bounded. Feed it only datagrams from addresses that were sent
// a request.
type PartAssembler struct {
	partial []partialMessage
}

type partialMessage struct {
	peer      netip.AddrPort
	id        uint32
	startedAt int64
	parts     [][]byte
	size      int
}

// IsPart reports whether a datagram is a part of a message.
func IsPart(b []byte) bool { return len(b) >= 9 && string(b[:4]) == splitHeader }

// Feed adds a part that arrived at time now in ns. It returns the message if it is complete,
// otherwise nil.
func (j *PartAssembler) Feed(now int64, peer netip.AddrPort, b []byte) []byte {
	if !IsPart(b) {
		return nil
	}
	id := binary.LittleEndian.Uint32(b[4:])
	j.partial = slices.DeleteFunc(j.partial, func(m partialMessage) bool { return now-m.startedAt >= partTimeout })
	at := slices.IndexFunc(j.partial, func(m partialMessage) bool { return m.peer == peer && m.id == id })
	if at < 0 {
		if len(j.partial) == maxPartial {
			j.partial = slices.Delete(j.partial, 0, 1) // drop the oldest
		}
		j.partial = append(j.partial, partialMessage{peer: peer, id: id, startedAt: now})
		at = len(j.partial) - 1
	}
	m := &j.partial[at]
	if len(m.parts) == maxParts || m.size+len(b) > maxMessage {
		return nil
	}
	m.parts = append(m.parts, bytes.Clone(b))
	m.size += len(b)
	for s := range partLayouts {
		if whole := m.assemble(&partLayouts[s]); whole != nil {
			j.partial = slices.Delete(j.partial, at, at+1)
			return whole
		}
	}
	return nil
}

// partLayout describes the header of a style.
type partLayout struct {
	headerSize int
	partNumber func(b []byte) (index, total int)
}

func sourcePartNumber(b []byte) (index, total int) { return int(b[9]), int(b[8]) }

// partLayouts are the headers of the styles. The last header is from the first Source games and
// lacks the size.
var partLayouts = [...]partLayout{
	{9, func(b []byte) (index, total int) { return int(b[8] >> 4), int(b[8] & 15) }},
	{12, sourcePartNumber},
	{10, sourcePartNumber},
}

// assemble returns the message if the parts are complete in this style, otherwise nil.
func (m *partialMessage) assemble(l *partLayout) []byte {
	var order [maxParts][]byte
	total, have := 0, 0
	for _, p := range m.parts {
		if len(p) < l.headerSize {
			return nil
		}
		index, n := l.partNumber(p)
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
	compressed := l.headerSize == 12 && m.id&compressedFlag != 0
	if !compressed && !bytes.HasPrefix(order[0][l.headerSize:], []byte(header)) {
		return nil
	}
	whole := make([]byte, 0, m.size)
	for _, p := range order[:total] {
		whole = append(whole, p[l.headerSize:]...)
	}
	if compressed {
		return decompress(whole)
	}
	return whole
}

// decompress decompresses a message of SplitSource. The message consists of size, checksum and
// bzip2 data.
func decompress(b []byte) []byte {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) > maxMessage {
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(b[8:])), maxMessage))
	if err != nil || !IsDatagram(whole) {
		return nil
	}
	return whole
}
