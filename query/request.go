package query

import (
	"bytes"
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/packer"
)

// Format is a format of requests and their answers.
type Format uint8

const (
	// FormatPlain6 is gie3 of 0.6, answered with one inf3.
	FormatPlain6 Format = iota
	// FormatExtended6 is gie3 of DDNet, answered with iext and any number of iex+.
	FormatExtended6
	// FormatLegacy64 is fstd of the 64 player patch, answered with dtsf.
	FormatLegacy64
	// Format7 is gie3 of 0.7, answered with one inf3.
	Format7

	// NumFormats is the number of formats.
	NumFormats int = iota
)

var formatNames = [...]string{"0.6", "0.6 extended", "0.6 64 players", "0.7"}

// String returns a short name.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return "unknown format"
}

// MaxToken returns the largest token that a request can carry. The smallest is 0. In Format7 a
// token may be any int32.
func (f Format) MaxToken() int32 {
	switch f {
	case FormatExtended6:
		return 1<<24 - 1
	case Format7:
		return 1<<31 - 1
	}
	return 0xff
}

// Header6 is the header of a plain connless datagram of 0.6.
const Header6 = "\xff\xff\xff\xff\xff\xff"

// The tags that payloads begin with.
const (
	tagRequest       = "\xff\xff\xff\xffgie3"
	tagInfo          = "\xff\xff\xff\xffinf3"
	tagExtended      = "\xff\xff\xff\xffiext"
	tagMore          = "\xff\xff\xff\xffiex+"
	tagLegacyRequest = "\xff\xff\xff\xfffstd"
	tagLegacy        = "\xff\xff\xff\xffdtsf"
)

// Request is a request for an Info.
type Request struct {
	Format Format
	// Token is repeated in the answers. It is in the range 0 to Format.MaxToken.
	Token int32
}

// AppendRequest appends a request: a whole datagram of 0.6, or the payload of a
// connless packet of 0.7 (packet.AppendConnless).
func AppendRequest(dst []byte, r Request) []byte {
	switch r.Format {
	case FormatExtended6:
		dst = append(dst, 'x', 'e', byte(r.Token>>16), byte(r.Token>>8), 0, 0)
	case FormatPlain6, FormatLegacy64:
		dst = append(dst, Header6...)
	}
	switch r.Format {
	case FormatLegacy64:
		dst = append(dst, tagLegacyRequest...)
	default:
		dst = append(dst, tagRequest...)
	}
	if r.Format == Format7 {
		return packer.AppendInt(dst, r.Token)
	}
	return append(dst, byte(r.Token))
}

// ParseRequest6 reads a request from a connless datagram of 0.6 without allocating. ok is false for
// other datagrams and for requests without a token.
func ParseRequest6(datagram []byte) (Request, bool) {
	if len(datagram) <= len(Header6)+len(tagRequest) {
		return Request{}, false
	}
	head, payload := datagram[:len(Header6)], datagram[len(Header6):]
	r := Request{Format: FormatPlain6, Token: int32(payload[len(tagRequest)])}
	switch {
	case bytes.HasPrefix(payload, []byte(tagLegacyRequest)):
		r.Format = FormatLegacy64
	case !bytes.HasPrefix(payload, []byte(tagRequest)):
		return Request{}, false
	case head[0] == 'x' && head[1] == 'e':
		r.Format = FormatExtended6
		r.Token |= int32(binary.BigEndian.Uint16(head[2:])) << 8
	}
	return r, true
}

// ParseRequest7 reads a request from the payload of a connless packet of 0.7 without allocating. ok
// is false for other payloads.
func ParseRequest7(payload []byte) (Request, bool) {
	rest, ok := bytes.CutPrefix(payload, []byte(tagRequest))
	if !ok {
		return Request{}, false
	}
	var u packer.Unpacker
	u.Reset(rest)
	r := Request{Format: Format7, Token: u.Int()}
	return r, u.Err() == nil
}
