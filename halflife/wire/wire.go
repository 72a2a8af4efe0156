// Package wire reads and writes the messages of Half-Life (GoldSrc) servers, clients and masters.
//
// Every message has a stateless Append and Parse function. Numbers are little-endian except for
// ports in lists. Datagrams from and to game servers begin with four bytes FF, requests to masters
// do not. Parsers accept messages that are longer than expected and treat counts as upper bounds. A
// parser returns an error only for a message of another kind.
package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/teeyard/teeyard/internal/safetext"
)

// MaxDatagram is the length in bytes that a datagram should not exceed. Some programs ignore the
// rest of longer ones.
const MaxDatagram = 1400

// ErrFormat is returned for malformed datagrams.
var ErrFormat = errors.New("halflife: malformed datagram")

// header begins every datagram between clients and game servers, and every answer of a master.
const header = "\xff\xff\xff\xff"

// splitHeader begins the parts of a split message.
const splitHeader = "\xfe\xff\xff\xff"

// The bytes after the header that identify the answers.
const (
	kindPong            = 'j'
	kindInfo            = 'C'
	kindDetails         = 'm'
	kindA2SInfo         = 'I'
	kindPlayers         = 'D'
	kindRules           = 'E'
	kindChallenge       = 'A'
	kindPrint           = 'l'
	kindRconRefused     = '9'
	kindServers         = 'd'
	kindServerPage      = 'f'
	kindMasterChallenge = 's'
)

// IsDatagram reports whether a datagram is of this protocol: it begins with exactly four bytes FF.
// On a port shared with Teeworlds, check it first, since a parser for Teeworlds 0.6 accepts such
// datagrams too.
func IsDatagram(b []byte) bool {
	return len(b) > 4 && string(b[:4]) == header && b[4] != 0xff
}

// messageKind returns the byte after the header, or 0 if b is not of this protocol.
func messageKind(b []byte) byte {
	if !IsDatagram(b) {
		return 0
	}
	return b[4]
}

// reader reads values from a datagram. Past its end, values are zero and truncated is set.
type reader struct {
	b         []byte
	truncated bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.b, r.truncated = nil, true
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) u8() byte {
	if v := r.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if v := r.take(2); v != nil {
		return binary.LittleEndian.Uint16(v)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if v := r.take(4); v != nil {
		return binary.LittleEndian.Uint32(v)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if v := r.take(8); v != nil {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

func (r *reader) f32() float32 { return math.Float32frombits(r.u32()) }

// rawString reads a string up to its NUL. Without a NUL it fails.
func (r *reader) rawString() []byte {
	s, rest, found := bytes.Cut(r.b, []byte{0})
	r.b = rest
	if !found {
		r.truncated = true
		return nil
	}
	return s
}

// text reads a string and makes it safe to show.
func (r *reader) text() string { return safetext.Line(r.rawString()) }

// appendString appends at most limit bytes of text, made safe to show, and a NUL.
func appendString(dst []byte, text string, limit int) []byte {
	return append(safetext.AppendLine(dst, text, limit), 0)
}

// isGraphic reports whether c is printable ASCII and not a space.
func isGraphic(c byte) bool { return c > 0x20 && c < 0x7f }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// clampToByte limits n to the range 0 to limit.
func clampToByte(n, limit int) byte { return byte(min(max(n, 0), limit)) }

// lowerASCII returns c, with ASCII letters in lower case.
func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// equalFold reports whether b equals the lower-case text s, ignoring the case of ASCII letters.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if lowerASCII(c) != s[i] {
			return false
		}
	}
	return true
}
