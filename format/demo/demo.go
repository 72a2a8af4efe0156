// Package demo reads and writes demos. Teeworlds and DDNet record matches as demos, and their
// clients play them.
//
// A demo consists of a header, the map, and chunks. A chunk is a tick marker, a snapshot, or a
// message from the server. A snapshot is stored whole (a keyframe) or as the difference from the
// previous one. Some facts, such as names, reach a client in a game by other messages. In demos of
// 0.7 they are objects in the snapshots (De_ClientInfo, De_GameInfo, De_TuneParams) and messages
// (De_ClientEnter, De_ClientLeave).
//
// A [Writer] writes a file. An [Encoder] makes its chunks without any I/O. A [Reader] reads demos
// of Teeworlds 0.6 and 0.7 and of DDNet. [Cut] copies a part of a demo.
package demo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Versions of the format.
const (
	// VersionTeeworlds is written by Teeworlds 0.6.2 to 0.7.5. The clients of these versions cannot
	// play other versions.
	VersionTeeworlds = 4
	// VersionDDNet is written by DDNet since 13.0, whose client also plays the older versions.
	VersionDDNet = 6

	oldest         = 3 // Teeworlds 0.6.0, without markers
	withMarkers    = 4
	withShortTicks = 5 // first version whose tick markers can contain a relative tick
	withSHA256     = 6
)

const (
	// TickRate is the number of ticks in a second.
	TickRate = 50
	// MaxMarkers is the largest number of markers in a demo.
	MaxMarkers = 64
	// MinMarkerDistance is the smallest number of ticks between two markers.
	MinMarkerDistance = TickRate
	// KeyframeInterval is the number of ticks after a keyframe. When more have passed, the next
	// snapshot is a keyframe.
	KeyframeInterval = 5 * TickRate
	// MaxMapSize is the size in bytes of the largest map that a Reader accepts.
	MaxMapSize = 64 << 20

	baseSize      = 176 // size of the header without markers
	markersSize   = 4 + 4*MaxMarkers
	extensionSize = 16 + 32
	lengthOffset  = 152

	// maxPacked and maxUnpacked limit the content of a chunk in bytes, as variable length integers
	// and as integers of four bytes. The original's buffers have these sizes.
	maxPacked, maxUnpacked = 64 << 10, 64 << 10
	// maxChunk is the largest size in bytes of a chunk's compressed content.
	maxChunk = 1<<16 - 1
)

var magic = []byte("TWDEMO\x00")

// sha256Extension is DDNet's UUID that precedes the SHA-256 of the map.
var sha256Extension = []byte{0x6b, 0xe6, 0xda, 0x4a, 0xce, 0xbd, 0x38, 0x0c, 0x9b, 0x5b, 0x12, 0x89, 0xc8, 0x42, 0xd7, 0x80}

// Errors of a Reader. The errors are wrapped together with the place in the file.
var (
	// ErrFormat means that the file is not a demo.
	ErrFormat = errors.New("demo: not a demo")
	// ErrVersion means that the version of the format is not supported.
	ErrVersion = errors.New("demo: unsupported version")
	// ErrCutOff means that the file ends within its header, its map or a chunk, or before the
	// length in its header. This happens if the recorder was killed or the disk was full. The
	// chunks before the end are good.
	ErrCutOff = errors.New("demo: the file is cut off")
	// ErrChunk means that a chunk or the map is damaged. Reading can continue after it.
	ErrChunk = errors.New("demo: damaged")
)

// Header describes a demo. The texts of a header are unchecked.
type Header struct {
	Version    int    // version of the format; 0 counts as VersionTeeworlds when writing
	NetVersion string // version of the game's protocol, such as msg7.NetVersion; at most 63 bytes
	MapName    string // at most 63 bytes
	MapCRC     uint32
	MapSHA256  [32]byte // set in VersionDDNet, else zero
	Type       string   // "server", or "client" for the view of one player
	Length     int      // seconds; 0 if the recorder was killed
	Time       string   // local time of the beginning, as 2006-01-02_15-04-05
	Markers    []int32  // ticks marked by the recording player, at most MaxMarkers
}

// Protocol returns the version of the game's protocol, 6 or 7. For DDNet it is 6.
func (h *Header) Protocol() int {
	if strings.HasPrefix(h.NetVersion, "0.7 ") {
		return 7
	}
	return 6
}

// ItemSizes returns the sizes of the snapshot items that are stored without their size.
func (h *Header) ItemSizes() *snapshot.ItemSizes {
	sizes := snapshot.ItemSizes(msg6.Sizes)
	if h.Protocol() == 7 {
		sizes = msg7.Sizes
	}
	return &sizes
}

// version returns the format version to write.
func (h *Header) version() int {
	if h.Version == 0 {
		return VersionTeeworlds
	}
	return h.Version
}

// Append appends the header of a demo whose map has mapSize bytes. The map must follow it. Texts
// and lists that are too long are cut.
func (h *Header) Append(dst []byte, mapSize int) []byte {
	v := h.version()
	dst = append(append(dst, magic...), byte(v))
	dst = appendText(dst, h.NetVersion, 64)
	dst = appendText(dst, h.MapName, 64)
	dst = binary.BigEndian.AppendUint32(dst, uint32(mapSize))
	dst = binary.BigEndian.AppendUint32(dst, h.MapCRC)
	dst = appendText(dst, h.Type, 8)
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.Length))
	dst = appendText(dst, h.Time, 20)
	if v >= withMarkers {
		dst = h.appendMarkers(dst)
	}
	if v >= withSHA256 {
		dst = append(append(dst, sha256Extension...), h.MapSHA256[:]...)
	}
	return dst
}

func (h *Header) appendMarkers(dst []byte) []byte {
	n := min(len(h.Markers), MaxMarkers)
	dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	for _, tick := range h.Markers[:n] {
		dst = binary.BigEndian.AppendUint32(dst, uint32(tick))
	}
	return append(dst, make([]byte, 4*(MaxMarkers-n))...)
}

func appendText(dst []byte, s string, size int) []byte {
	s = s[:min(len(s), size-1)]
	return append(append(dst, s...), make([]byte, size-len(s))...)
}

// headerSize returns the size of a version's header in bytes.
func headerSize(version int) int {
	n := baseSize
	if version >= withMarkers {
		n += markersSize
	}
	if version >= withSHA256 {
		n += extensionSize
	}
	return n
}

// parse reads a header and returns the size of the map. b must have the header size of the version.
func (h *Header) parse(b []byte) (mapSize uint32, err error) {
	text := func(at, size int) string {
		s, _, _ := bytes.Cut(b[at:at+size], []byte{0})
		return string(s)
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	h.NetVersion, h.MapName = text(8, 64), text(72, 64)
	mapSize, h.MapCRC = number(136), number(140)
	h.Type, h.Length, h.Time = text(144, 8), max(0, int(int32(number(lengthOffset)))), text(156, 20)
	at := baseSize
	if h.Version >= withMarkers {
		for i := range min(number(at), MaxMarkers) {
			h.Markers = append(h.Markers, int32(number(at+4+4*int(i))))
		}
		at += markersSize
	}
	if h.Version >= withSHA256 {
		if !bytes.Equal(b[at:at+16], sha256Extension) {
			return 0, fmt.Errorf("%w: unknown extension %x at byte %d", ErrFormat, b[at:at+16], at)
		}
		copy(h.MapSHA256[:], b[at+16:])
	}
	return mapSize, nil
}

// Bits of the first byte of a chunk.
const (
	flagTick     = 0x80 // a tick marker instead of data
	flagKeyframe = 0x40 // in a tick marker: a keyframe follows
	flagInline   = 0x20 // in a tick marker since withShortTicks: contains the ticks since the last one

	// Types of data, in bits 5 and 6.
	typeSnapshot = 1
	typeMessage  = 2
	typeDelta    = 3

	size8, size16 = 30, 31 // in the size field: the size follows in one or two bytes
)

// maxInlineTicks returns the largest difference from the last tick that fits the first byte of a
// tick marker.
func maxInlineTicks(version int) int32 {
	if version >= withShortTicks {
		return 1<<5 - 1
	}
	return 1<<6 - 1
}
