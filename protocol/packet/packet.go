// Package packet reads and writes the datagrams of Teeworlds 0.7 and 0.6: headers, chunks and
// control messages. Classify distinguishes the protocols that share a server's port.
//
// The two versions differ only in their framing:
//
//	                     0.7 (Packet)                0.6 (Packet6)
//	header               7 bytes, always a token     3 bytes; 7 with 0.6.5's token
//	flags in byte 0      control 04, resend 08,      control 10, resend 40,
//	                     compressed 10, connless 20  compressed 80, connless 20,
//	                                                 token 08
//	ack, chunk count     10 bits, 8 bits             the same
//	token                in the header               DDNet: 4 bytes after the last
//	                                                 chunk or control message, in
//	                                                 the compressed part; 0.6.5: in
//	                                                 the header; before: none
//	chunk size           12 bits, 6 and 6            10 bits, 6 and 4
//	chunk sequence       10 bits                     10 bits, bits 6 and 7 twice
//	largest chunk sent   1387                        1023
//	chunks of a packet   1391 bytes                  1390 bytes
//	control messages     KEEPALIVE CONNECT ACCEPT    KEEPALIVE CONNECT CONNECTACCEPT
//	                     CLOSE TOKEN                 ACCEPT CLOSE
//	connless header      9 bytes: version, tokens    6 bytes: FF, or "xe" and a number
//
// The package keeps no state and does not allocate. Parsed slices are borrowed from the datagram or
// from the given scratch memory.
package packet

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/huffman"
)

// Sizes in bytes.
const (
	MaxDatagram        = 1400 // longest datagram that the original programs send or read
	HeaderSize         = 7    // header of a normal packet
	ConnlessHeaderSize = 9    // header of a connectionless packet
	MaxPayload         = 1391 // longest payload after the normal header, uncompressed
	MaxConnlessPayload = 1390 // longest payload of a connectionless packet that the original sends
	MaxChunkSize       = 1387 // longest chunk data that the original sends
	MaxChunkHeader     = 3    // header of a vital chunk; other chunks have 2 bytes
	MaxChunks          = 255  // per packet: the header counts them in one byte

	// MaxEncodedSize is the capacity with which AppendPacket and AppendPacket6 never allocate.
	MaxEncodedSize = HeaderSize + (maxDecompressed+1)*15/8 + 32

	// maxDecompressed is the longest payload of either version after
	// decompression.
	maxDecompressed = MaxDatagram - HeaderSize6
)

// Sequence numbers of vital chunks, and the acks that answer them, run from 0 to SeqSpace-1.
const (
	SeqSpace = 1024
	SeqMask  = SeqSpace - 1
)

// Token proves that a peer receives datagrams at its address. Every packet contains the token that
// its receiver issued.
type Token uint32

// NoToken is sent while no token is known.
const NoToken Token = 0xFFFFFFFF

// Flags are the flags of a packet.
type Flags uint8

const (
	FlagControl    Flags = 1 // control message instead of chunks
	FlagResend     Flags = 2 // request to resend the unacked chunks
	FlagCompressed Flags = 4 // the payload is Huffman coded
	FlagConnless   Flags = 8 // connectionless; the header has another format
)

// Scratch is memory for a decompressed payload.
type Scratch [maxDecompressed]byte

// Packet is a 0.7 packet.
type Packet struct {
	Flags Flags
	// Ack is the last vital sequence number that the sender received in order, 0..1023. Ack is 0 in
	// a connectionless packet.
	Ack int
	// NumChunks is the number of chunks according to the header, 0..255. NumChunks is 0 in a
	// control or connectionless packet.
	NumChunks int
	// Token is the token that the receiver issued to the sender.
	Token Token
	// ResponseToken is the token to use in an answer. Only connectionless packets and the control
	// messages CONNECT and TOKEN contain one; for other packets it is NoToken.
	ResponseToken Token
	// Payload is the data after the header, uncompressed. Payload is borrowed.
	Payload []byte
}

// ParseHeader parses only the header, in constant time and without allocating. A receiver can then
// check the token before it decompresses anything. Payload is left as it is on the wire, and
// ResponseToken is set only for connectionless packets; ParsePayload completes both. The error is a
// DropReason.
func (p *Packet) ParseHeader(b []byte) error {
	switch {
	case len(b) < HeaderSize:
		return DropTooShort
	case len(b) > MaxDatagram:
		return DropTooLong
	}
	p.Flags = Flags(b[0] >> 2 & 0xf)
	p.ResponseToken = NoToken
	if p.Flags&FlagConnless != 0 {
		if len(b) < ConnlessHeaderSize {
			return DropTooShort
		}
		if b[0]&3 != 1 {
			return DropConnlessVersion
		}
		p.Flags, p.Ack, p.NumChunks = FlagConnless, 0, 0
		p.Token = Token(binary.BigEndian.Uint32(b[1:]))
		p.ResponseToken = Token(binary.BigEndian.Uint32(b[5:]))
		p.Payload = b[ConnlessHeaderSize:]
		return nil
	}
	if len(b) > HeaderSize+MaxPayload {
		return DropTooLong
	}
	p.Ack = int(b[0]&3)<<8 | int(b[1])
	p.NumChunks = int(b[2])
	p.Token = Token(binary.BigEndian.Uint32(b[3:]))
	p.Payload = b[HeaderSize:]
	return nil
}

// ParsePayload completes ParseHeader: it decompresses a compressed payload into scratch and checks
// the format of a control message. FlagCompressed stays set. The error is a DropReason.
//
// ParsePayload drops two kinds of packets that the original accepts. In a control packet without
// payload, the original reads the message left in its buffer. In a control packet with a chunk
// count, it reads the payload as chunks.
func (p *Packet) ParsePayload(scratch *Scratch) error {
	if p.Flags&FlagCompressed != 0 {
		text, err := huffman.AppendDecompress(scratch[:0], p.Payload, MaxPayload)
		if err != nil {
			return DropBadHuffman
		}
		p.Payload = text
	}
	if p.Flags&FlagControl == 0 {
		return nil
	}
	if p.NumChunks != 0 || len(p.Payload) == 0 {
		return DropBadControl
	}
	if id := ControlID(p.Payload[0]); (id == ControlConnect || id == ControlToken) && len(p.Payload) >= 5 {
		p.ResponseToken = Token(binary.BigEndian.Uint32(p.Payload[1:]))
	}
	return nil
}

// Parse parses a whole packet with ParseHeader and ParsePayload. The error is a DropReason.
func (p *Packet) Parse(b []byte, scratch *Scratch) error {
	if err := p.ParseHeader(b); err != nil {
		return err
	}
	return p.ParsePayload(scratch)
}

// AppendHeader appends the header of a normal packet.
func AppendHeader(dst []byte, flags Flags, ack, numChunks int, token Token) []byte {
	dst = append(dst, byte(flags<<2)|byte(ack>>8&3), byte(ack), byte(numChunks))
	return binary.BigEndian.AppendUint32(dst, uint32(token))
}

// AppendPacket appends a packet with chunks. Like the original, it compresses the payload and sets
// FlagCompressed if that makes the packet smaller. If dst has a capacity of MaxEncodedSize left,
// AppendPacket does not allocate. payload must not overlap dst.
func AppendPacket(dst []byte, flags Flags, ack, numChunks int, token Token, payload []byte) []byte {
	start := len(dst)
	dst = AppendHeader(dst, flags&^FlagCompressed, ack, numChunks, token)
	dst = huffman.AppendCompress(dst, payload)
	if len(dst)-start-HeaderSize < len(payload) {
		dst[start] |= byte(FlagCompressed << 2)
		return dst
	}
	return append(dst[:start+HeaderSize], payload...)
}

// IsCompressed reports whether a packet made by AppendPacket is compressed. Receivers ignore any
// bytes after a compressed packet.
func IsCompressed(packet []byte) bool { return packet[0]&byte(FlagCompressed<<2) != 0 }

// AppendConnless appends a connectionless packet: a header with the receiver's token and the token
// for its answer, and the payload.
func AppendConnless(dst []byte, token, response Token, payload []byte) []byte {
	dst = append(dst, byte(FlagConnless<<2)|1)
	dst = binary.BigEndian.AppendUint32(dst, uint32(token))
	dst = binary.BigEndian.AppendUint32(dst, uint32(response))
	return append(dst, payload...)
}
