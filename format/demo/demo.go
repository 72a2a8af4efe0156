// Package demo reads and writes demos, the recordings that Teeworlds and DDNet make of a
// match and that their clients play.
//
// A demo is a header, the map and chunks: markers that say which tick comes next,
// snapshots, whole ones (keyframes) or as the difference from the one before, and
// messages of the server. What a client is told in other ways in a game, such as names,
// demos of 0.7 have as objects in the snapshots (De_ClientInfo, De_GameInfo,
// De_TuneParams) and as messages (De_ClientEnter, De_ClientLeave).
//
// A [Writer] writes a file, an [Encoder] makes its chunks without any I/O, a [Reader] reads
// what Teeworlds 0.6 and 0.7 and DDNet have written, and [Cut] copies a part of a demo.
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

// The versions of the format.
const (
	// VersionTeeworlds is written by Teeworlds 0.6.2 to 0.7.5, whose clients play no
	// other.
	VersionTeeworlds = 4
	// VersionDDNet is written by DDNet since 13.0, which also plays the older ones.
	VersionDDNet = 6

	oldest         = 3 // Teeworlds 0.6.0: without markers
	withMarkers    = 4
	withShortTicks = 5 // a bit of tick markers says whether the tick follows
	withSHA256     = 6
)

const (
	// TickRate is the number of ticks in a second.
	TickRate = 50
	// MaxMarkers is the largest number of markers in a demo.
	MaxMarkers = 64
	// MinMarkerDistance is the least number of ticks between two markers.
	MinMarkerDistance = TickRate
	// KeyframeInterval is how many ticks after a keyframe the next one is not yet due.
	KeyframeInterval = 5 * TickRate
	// MaxMapSize is the largest map that is read from a demo, in bytes.
	MaxMapSize = 64 << 20

	baseSize      = 176 // header without markers
	markersSize   = 4 + 4*MaxMarkers
	extensionSize = 16 + 32
	lengthOffset  = 152

	// maxPacked and maxUnpacked limit the content of a chunk in bytes, as integers of
	// variable length and of four bytes. The original has buffers of that size.
	maxPacked, maxUnpacked = 64 << 10, 64 << 10
	// maxChunk is the largest size of a chunk's compressed content in bytes.
	maxChunk = 1<<16 - 1
)

var magic = []byte("TWDEMO\x00")

// sha256Extension is the UUID of DDNet before the map's SHA-256.
var sha256Extension = []byte{0x6b, 0xe6, 0xda, 0x4a, 0xce, 0xbd, 0x38, 0x0c, 0x9b, 0x5b, 0x12, 0x89, 0xc8, 0x42, 0xd7, 0x80}

// Errors of a Reader. They come wrapped with the place in the file.
var (
	// ErrFormat means that the file is not a demo.
	ErrFormat = errors.New("demo: not a demo")
	// ErrVersion means that the version of the format is not supported.
	ErrVersion = errors.New("demo: unsupported version")
	// ErrCutOff means that the file ends within its header, its map or a chunk, or before the length in its header,
	// as when the recorder was killed or the disk was full. What came before is good.
	ErrCutOff = errors.New("demo: the file is cut off")
	// ErrChunk means that a chunk is broken, or the map. Reading can go on after it.
	ErrChunk = errors.New("demo: damaged")
)

// Header describes a demo. Texts are as in the file: nobody has checked them.
type Header struct {
	Version    int    // of the format; 0 counts as VersionTeeworlds when writing
	NetVersion string // of the game's protocol, such as msg7.NetVersion; at most 63 bytes
	MapName    string // at most 63 bytes
	MapCRC     uint32
	MapSHA256  [32]byte // in VersionDDNet; else zero
	Type       string   // "server", or "client" with the view of one player
	Length     int      // in seconds; 0 in a demo whose recorder was killed
	Time       string   // local time of the beginning, as 2006-01-02_15-04-05
	Markers    []int32  // ticks marked by the recording player, at most MaxMarkers
}

// Protocol returns the version of the game's protocol, 6 or 7. DDNet's is 6.
func (h *Header) Protocol() int {
	if strings.HasPrefix(h.NetVersion, "0.7 ") {
		return 7
	}
	return 6
}

// ItemSizes returns the sizes of the snapshot items that are stored without them.
func (h *Header) ItemSizes() *snapshot.ItemSizes {
	sizes := snapshot.ItemSizes(msg6.Sizes)
	if h.Protocol() == 7 {
		sizes = msg7.Sizes
	}
	return &sizes
}

// version returns the version to write.
func (h *Header) version() int {
	if h.Version == 0 {
		return VersionTeeworlds
	}
	return h.Version
}

// Append appends the header of a demo whose map has mapSize bytes. The map follows it. Texts
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

// headerSize returns the size of the header of a version in bytes.
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

// parse reads a header of the size for its version and returns the size of the map.
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

// The first byte of a chunk.
const (
	flagTick     = 0x80 // a tick marker, not data
	flagKeyframe = 0x40 // of a tick marker: a keyframe follows
	flagInline   = 0x20 // of a tick marker since withShortTicks: with the ticks since the last one

	// The types of data, in bits 5 and 6.
	typeSnapshot = 1
	typeMessage  = 2
	typeDelta    = 3

	size8, size16 = 30, 31 // in the size: one or two bytes with the size follow
)

// maxInlineTicks returns how many ticks after the last one a tick marker may be to need no
// number of its own.
func maxInlineTicks(version int) int32 {
	if version >= withShortTicks {
		return 1<<5 - 1
	}
	return 1<<6 - 1
}
