package halflife

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/teeyard/teeyard/internal/safetext"
)

// MaxDatagram is the longest datagram in bytes that is ever sent. Some programs
// read no more and lose the rest without a word.
const MaxDatagram = 1400

// DefaultPort is the port of game servers that name none.
const DefaultPort = 27015

// DefaultMasterPort is the port of master servers that name none.
const DefaultMasterPort = 27010

// ErrFormat is returned for datagrams that are not what they should be.
var ErrFormat = errors.New("halflife: malformed datagram")

// header precedes every datagram between clients and game servers, and every
// answer of a master.
const header = "\xff\xff\xff\xff"

// splitHeader precedes the parts of a message that is longer than a datagram.
const splitHeader = "\xfe\xff\xff\xff"

// The bytes behind the header that tell the answers apart.
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

// IsDatagram reports whether a datagram is of this protocol and not of Teeworlds, on a
// port that both share: four bytes of FF and one that is not. Look before any
// other parser does, since a 0.6 one would take such a datagram for its own.
func IsDatagram(b []byte) bool {
	return len(b) > 4 && string(b[:4]) == header && b[4] != 0xff
}

// messageKind is the byte that says what a datagram is, 0 if it is too short.
func messageKind(b []byte) byte {
	if !IsDatagram(b) {
		return 0
	}
	return b[4]
}

// reader takes values off the front of a datagram. After the end it yields zeros
// and short is set.
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

// rawString takes a string up to its NUL, which must be there.
func (r *reader) rawString() []byte {
	for i, c := range r.b {
		if c == 0 {
			s := r.b[:i]
			r.b = r.b[i+1:]
			return s
		}
	}
	r.b, r.truncated = nil, true
	return nil
}

// text takes a string and makes it safe to show.
func (r *reader) text() string { return safetext.Line(r.rawString()) }

// appendString appends at most limit bytes of a text, made safe to show, and a NUL.
func appendString(dst []byte, text string, limit int) []byte {
	return append(safetext.AppendLine(dst, text, limit), 0)
}

// isGraphic reports whether a byte is graphic ASCII.
func isGraphic(c byte) bool { return c > 0x20 && c < 0x7f }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// clampToByte fits a count into a byte of at most limit.
func clampToByte(n, limit int) byte { return byte(min(max(n, 0), limit)) }

// lowerASCII is an ASCII letter in lowerASCII case, and any other byte as it is.
func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// equalFold compares with a text in lower case, without regard to the case of
// ASCII letters.
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
