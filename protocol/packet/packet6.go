package packet

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/huffman"
)

// Sizes of 0.6 in bytes.
const (
	HeaderSize6         = 3    // of a normal packet without a token in its header
	ConnlessHeaderSize6 = 6    // of a connless packet
	MaxConnlessPayload6 = 1394 // of a connless packet
	TokenTrailerSize    = 4    // the token after the last chunk
	MaxChunkSize6       = 1023 // longest chunk data: the header has 10 bits for it

	// MaxPayload6 is how much the chunks of a packet may take, with their
	// headers, uncompressed, and without a trailer. Receivers differ in what
	// they hold; 0.6.5 holds the least and does not check.
	MaxPayload6 = 1390
)

// TokenPlace says where the token of a 0.6 connection stands.
type TokenPlace uint8

const (
	TokenAbsent    TokenPlace = iota // there is none: up to 0.6.4
	TokenInTrailer                   // DDNet: after the last chunk or control message
	TokenInHeader                    // 0.6.5: after the three bytes of the header
)

// PlacedToken is what proves a packet of a 0.6 connection: nothing, which is the zero
// value, or a token. In DDNet's and 0.6.5's connections both ends send the token
// that the server handed out.
type PlacedToken struct {
	// Place is where the token stands.
	Place TokenPlace
	// Token is meaningless with Nowhere.
	Token Token
}

// Packet6 is a 0.6 packet.
type Packet6 struct {
	Flags Flags
	// Ack is the last vital sequence that the sender received in order,
	// 0..1023. A connless packet has 0.
	Ack int
	// NumChunks is how many chunks the header promises, 0..255. A control or
	// connless packet has 0.
	NumChunks int
	// HasToken reports a token in the header, as 0.6.5 sends. A trailer is not
	// told by the packet: see CutTrailer.
	HasToken bool
	// Token is the one in the header, else NoToken.
	Token Token
	// Extended reports a connless packet whose header is "xe" and Extra.
	Extended bool
	// Extra is the number in an extended connless header, otherwise 0.
	Extra uint16
	// Payload is what follows the header, uncompressed, with the trailer if
	// there is one. Borrowed.
	Payload []byte
}

// The flags in the first byte.
const (
	wire6Unused     = 0x04 // 0.7's control flag
	wire6Token      = 0x08
	wire6Control    = 0x10
	wire6Connless   = 0x20
	wire6Resend     = 0x40
	wire6Compressed = 0x80
)

// ParseHeader reads the header alone, without allocation and in constant time:
// a receiver can check a token in the header before it decompresses anything.
// Payload is left as it is on the wire. The error is a Drop.
func (p *Packet6) ParseHeader(b []byte) error {
	*p = Packet6{Token: NoToken}
	switch {
	case len(b) < HeaderSize6:
		return DropTooShort
	case len(b) > MaxDatagram:
		return DropTooLong
	case b[0]&wire6Connless != 0:
		if len(b) < ConnlessHeaderSize6 {
			return DropTooShort
		}
		p.Flags = FlagConnless
		if b[0] == 'x' && b[1] == 'e' {
			p.Extended, p.Extra = true, binary.BigEndian.Uint16(b[2:])
		}
		p.Payload = b[ConnlessHeaderSize6:]
		return nil
	case b[0]&wire6Unused != 0:
		return DropUnknownFlags
	}
	if b[0]&wire6Control != 0 {
		p.Flags |= FlagControl
	}
	if b[0]&wire6Resend != 0 {
		p.Flags |= FlagResend
	}
	if b[0]&wire6Compressed != 0 {
		p.Flags |= FlagCompressed
	}
	p.Ack = int(b[0]&3)<<8 | int(b[1])
	p.NumChunks = int(b[2])
	p.Payload = b[HeaderSize6:]
	if b[0]&wire6Token != 0 {
		if len(b) < HeaderSize {
			return DropTooShort
		}
		p.HasToken, p.Token = true, Token(binary.BigEndian.Uint32(b[HeaderSize6:]))
		p.Payload = b[HeaderSize:]
	}
	switch {
	case p.Flags&FlagControl != 0:
		if p.NumChunks != 0 || len(p.Payload) == 0 || p.Flags&FlagCompressed != 0 {
			return DropBadControl
		}
	case p.NumChunks == 0 && p.Flags&FlagResend == 0:
		return DropEmpty
	}
	return nil
}

// ParsePayload completes ParseHeader: it decompresses the payload into scratch if need be.
// The flag Compressed stays set. The error is a Drop.
func (p *Packet6) ParsePayload(scratch *Scratch) error {
	if p.Flags&FlagCompressed == 0 {
		return nil
	}
	text, err := huffman.AppendDecompress(scratch[:0], p.Payload, maxText)
	if err != nil {
		return DropBadHuffman
	}
	p.Payload = text
	return nil
}

// Parse reads a whole packet: ParseHeader, then Open. The error is a Drop.
func (p *Packet6) Parse(b []byte, scratch *Scratch) error {
	if err := p.ParseHeader(b); err != nil {
		return err
	}
	return p.ParsePayload(scratch)
}

// CutTrailer takes the last four bytes off the payload of a packet that Open has
// accepted and returns them as the token. It returns false, and changes nothing, if
// the payload is shorter, or is a control message that would vanish. Only who knows
// the connection knows whether there is a trailer.
func (p *Packet6) CutTrailer() (Token, bool) {
	n := len(p.Payload) - TokenTrailerSize
	if n < 0 || n == 0 && p.Flags&FlagControl != 0 {
		return NoToken, false
	}
	token := Token(binary.BigEndian.Uint32(p.Payload[n:]))
	p.Payload = p.Payload[:n:n]
	return token, true
}

// Chunks returns an iterator over p's chunks. What follows the last promised chunk,
// as a trailer does, is left in Rest.
func (p *Packet6) Chunks() ChunkReader {
	return ChunkReader{rest: p.Payload, left: p.NumChunks, split: 4}
}

// AppendChunkHeader6 appends the header of a chunk of size bytes, 0..1023. seq is
// used by vital chunks only.
func AppendChunkHeader6(dst []byte, flags ChunkFlags, seq, size int) []byte {
	b0, b1 := byte(flags&3)<<6|byte(size>>4&0x3f), byte(size&0x0f)
	if flags&ChunkVital == 0 {
		return append(dst, b0, b1)
	}
	return append(dst, b0, b1|byte(seq>>2)&0xf0, byte(seq))
}

// AppendChunk6 appends a chunk: its header and data of up to 1023 bytes.
func AppendChunk6(dst []byte, flags ChunkFlags, seq int, data []byte) []byte {
	return append(AppendChunkHeader6(dst, flags, seq, len(data)), data...)
}

// AppendHeader6 appends the header of a normal packet. Of the guard only a token in
// the header counts.
func AppendHeader6(dst []byte, flags Flags, ack, chunks int, g PlacedToken) []byte {
	b0 := byte(ack >> 8 & 3)
	if flags&FlagControl != 0 {
		b0 |= wire6Control
	}
	if flags&FlagResend != 0 {
		b0 |= wire6Resend
	}
	if flags&FlagCompressed != 0 {
		b0 |= wire6Compressed
	}
	if g.Place == TokenInHeader {
		return binary.BigEndian.AppendUint32(append(dst, b0|wire6Token, byte(ack), byte(chunks)), uint32(g.Token))
	}
	return append(dst, b0, byte(ack), byte(chunks))
}

// AppendPacket6 appends a packet with chunks and compresses it, with the trailer,
// when that makes it smaller. With a capacity of MaxEncodedSize left in dst it does not
// allocate. payload must not overlap dst; a trailer needs TokenTrailerSize bytes of
// capacity behind payload, and overwrites them.
func AppendPacket6(dst []byte, flags Flags, ack, chunks int, g PlacedToken, payload []byte) []byte {
	if g.Place == TokenInTrailer {
		payload = binary.BigEndian.AppendUint32(payload, uint32(g.Token))
	}
	start := len(dst)
	dst = AppendHeader6(dst, flags&^FlagCompressed, ack, chunks, g)
	text := len(dst)
	dst = huffman.AppendCompress(dst, payload)
	if len(dst)-text < len(payload) {
		dst[start] |= wire6Compressed
		return dst
	}
	return append(dst[:text], payload...)
}

// AppendConnless6 appends a connless packet with the plain header.
func AppendConnless6(dst, payload []byte) []byte {
	dst = append(dst, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	return append(dst, payload...)
}

// AppendConnlessExtended6 appends a connless packet with the extended header of DDNet: "xe",
// a number for the receiver to give back, and two bytes that are reserved.
func AppendConnlessExtended6(dst []byte, extra uint16, payload []byte) []byte {
	dst = append(dst, 'x', 'e', byte(extra>>8), byte(extra), 0, 0)
	return append(dst, payload...)
}
