package packet

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/huffman"
)

// Sizes of 0.6 in bytes.
const (
	HeaderSize6         = 3    // normal header without a token
	ConnlessHeaderSize6 = 6    // header of a connectionless packet
	MaxConnlessPayload6 = 1394 // longest payload of a connectionless packet
	TokenTrailerSize    = 4    // token after the last chunk
	MaxChunkSize6       = 1023 // longest chunk data: the header has 10 bits for the size

	// MaxPayload6 is the largest size of a packet's chunks with their headers, uncompressed and
	// without a trailer. Receivers have buffers of different sizes. 0.6.5 has the smallest one and
	// does not check its end.
	MaxPayload6 = 1390
)

// TokenPlace is the place of the token in the packets of a 0.6 connection.
type TokenPlace uint8

const (
	TokenAbsent    TokenPlace = iota // no token: up to 0.6.4
	TokenInTrailer                   // DDNet: after the last chunk or control message
	TokenInHeader                    // 0.6.5: after the three bytes of the header
)

// PlacedToken is the token of a 0.6 packet with its place. The zero value means that there is no
// token. In connections of DDNet and 0.6.5, both sides send the token that the server issued.
type PlacedToken struct {
	// Place is where the token is.
	Place TokenPlace
	// Token is not used with TokenAbsent.
	Token Token
}

// Packet6 is a 0.6 packet.
type Packet6 struct {
	Flags Flags
	// Ack is the last vital sequence number that the sender received in order, 0..1023. Ack is 0 in
	// a connectionless packet.
	Ack int
	// NumChunks is the number of chunks according to the header, 0..255. NumChunks is 0 in a
	// control or connectionless packet.
	NumChunks int
	// HasToken reports whether the header has a token, as in 0.6.5. A token in the trailer is not
	// visible here; see CutTrailer.
	HasToken bool
	// Token is the token in the header, or NoToken.
	Token Token
	// Extended reports whether this is a connectionless packet whose header is "xe" and Extra.
	Extended bool
	// Extra is the number in an extended connectionless header, otherwise 0.
	Extra uint16
	// Payload is the data after the header, uncompressed, including a trailer. Payload is borrowed.
	Payload []byte
}

// Flags in the first byte.
const (
	wire6Unused     = 0x04 // 0.7's control flag
	wire6Token      = 0x08
	wire6Control    = 0x10
	wire6Connless   = 0x20
	wire6Resend     = 0x40
	wire6Compressed = 0x80
)

// ParseHeader parses only the header, in constant time and without allocating. A receiver can then
// check a token in the header before it decompresses anything. Payload is left as it is on the
// wire. The error is a DropReason.
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

// ParsePayload completes ParseHeader: it decompresses a compressed payload into scratch.
// FlagCompressed stays set. The error is a DropReason.
func (p *Packet6) ParsePayload(scratch *Scratch) error {
	if p.Flags&FlagCompressed == 0 {
		return nil
	}
	text, err := huffman.AppendDecompress(scratch[:0], p.Payload, maxDecompressed)
	if err != nil {
		return DropBadHuffman
	}
	p.Payload = text
	return nil
}

// Parse parses a whole packet with ParseHeader and ParsePayload. The error is a DropReason.
func (p *Packet6) Parse(b []byte, scratch *Scratch) error {
	if err := p.ParseHeader(b); err != nil {
		return err
	}
	return p.ParsePayload(scratch)
}

// CutTrailer removes the last four bytes from the payload of a parsed packet and returns them as
// the token. CutTrailer changes nothing and returns false if the payload is too short, or if it
// would leave a control message empty. Only the connection determines whether its packets have a
// trailer.
func (p *Packet6) CutTrailer() (Token, bool) {
	n := len(p.Payload) - TokenTrailerSize
	if n < 0 || n == 0 && p.Flags&FlagControl != 0 {
		return NoToken, false
	}
	token := Token(binary.BigEndian.Uint32(p.Payload[n:]))
	p.Payload = p.Payload[:n:n]
	return token, true
}

// Chunks returns a reader of p's chunks. The Rest of the reader returns the bytes after the last
// chunk, such as a trailer.
func (p *Packet6) Chunks() ChunkReader {
	return ChunkReader{rest: p.Payload, left: p.NumChunks, sizeBits: 4}
}

// AppendChunkHeader6 appends the header of a chunk of size bytes, 0..1023. seq is used only for
// vital chunks.
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

// AppendHeader6 appends the header of a normal packet. A token is appended
// only if its place is the header.
func AppendHeader6(dst []byte, flags Flags, ack, numChunks int, token PlacedToken) []byte {
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
	if token.Place == TokenInHeader {
		return binary.BigEndian.AppendUint32(append(dst, b0|wire6Token, byte(ack), byte(numChunks)), uint32(token.Token))
	}
	return append(dst, b0, byte(ack), byte(numChunks))
}

// AppendPacket6 appends a packet with chunks. AppendPacket6 compresses the payload and the trailer
// if that makes the packet smaller. If dst has a capacity of MaxEncodedSize left, AppendPacket6
// does not allocate. payload must not overlap dst. For a trailer, payload must have
// TokenTrailerSize bytes of capacity left. Those bytes are overwritten.
func AppendPacket6(dst []byte, flags Flags, ack, numChunks int, token PlacedToken, payload []byte) []byte {
	payload = appendTrailer(payload, token)
	start := len(dst)
	dst = AppendHeader6(dst, flags&^FlagCompressed, ack, numChunks, token)
	body := len(dst)
	dst = huffman.AppendCompress(dst, payload)
	if len(dst)-body < len(payload) {
		dst[start] |= wire6Compressed
		return dst
	}
	return append(dst[:body], payload...)
}

// IsCompressed6 is IsCompressed for a packet made by AppendPacket6.
func IsCompressed6(packet []byte) bool { return packet[0]&wire6Compressed != 0 }

// AppendConnless6 appends a connectionless packet with the plain header.
func AppendConnless6(dst, payload []byte) []byte {
	dst = append(dst, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	return append(dst, payload...)
}

// AppendConnlessExtended6 appends a connectionless packet with DDNet's extended header: "xe", a
// number that the receiver returns, and two reserved bytes.
func AppendConnlessExtended6(dst []byte, extra uint16, payload []byte) []byte {
	dst = append(dst, 'x', 'e', byte(extra>>8), byte(extra), 0, 0)
	return append(dst, payload...)
}
