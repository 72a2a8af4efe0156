// Package pcap reads network captures: files in the pcap and pcapng formats, and the UDP datagrams
// in their packets.
package pcap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"time"
)

var (
	// ErrFormat means that a file is not a capture, or is damaged.
	ErrFormat = errors.New("pcap: not a capture file, or a damaged one")
	// ErrCutOff means that a file ends within a packet, for example because the capturing program
	// was killed. Everything before it is good.
	ErrCutOff = errors.New("pcap: the file is cut off")
)

// LinkType is the kind of a packet's first header, as numbered in tcpdump's registry.
type LinkType uint32

// Packet is a captured packet.
type Packet struct {
	Time time.Time
	Link LinkType
	// Data is the captured part of the packet. It is valid until the next call of Reader.Next.
	Data []byte
}

// Reader reads the packets of a capture.
type Reader struct {
	src   *bufio.Reader
	order binary.ByteOrder
	buf   []byte
	// offset is the offset in the file of the next read. start is the offset of the current packet
	// or block.
	offset, start int64
	// pcapng is set for the pcapng format. A pcap file has one interface, a section of a pcapng
	// file any number.
	pcapng     bool
	interfaces []captureInterface
}

// captureInterface describes the network interface of captured packets.
type captureInterface struct {
	link LinkType
	// unitsPerSecond is the resolution of timestamps. offset, in seconds, is added to them.
	unitsPerSecond uint64
	offset         int64
	snapLen        uint32 // longest captured part of a packet, 0 for no limit
}

// Sizes in bytes.
const (
	fileHeaderSize   = 24
	recordHeaderSize = 16
	// maxBlock limits the memory that a damaged length makes the reader allocate. Packets in
	// tcpdump's captures have at most 262144 bytes.
	maxBlock = 1 << 20
	// maxInterfaces is the limit per section of a pcapng file.
	maxInterfaces = 1 << 12
)

// Types of blocks of a pcapng file.
const (
	blockSection        = 0x0a0d0d0a
	blockInterface      = 1
	blockPacket         = 2 // obsolete
	blockSimplePacket   = 3
	blockEnhancedPacket = 6
)

// NewReader returns a Reader of the capture in r.
func NewReader(r io.Reader) (*Reader, error) {
	p := &Reader{src: bufio.NewReaderSize(r, 64<<10)}
	magic, err := p.src.Peek(4)
	if err != nil {
		return nil, fmt.Errorf("%w: %w after %d bytes", ErrFormat, err, len(magic))
	}
	if binary.LittleEndian.Uint32(magic) == blockSection {
		p.pcapng = true
		return p, nil
	}
	var units uint64
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch p.order = order; order.Uint32(magic) {
		case 0xa1b2c3d4:
			units = 1e6
		case 0xa1b23c4d:
			units = 1e9
		default:
			continue
		}
		break
	}
	if units == 0 {
		return nil, fmt.Errorf("%w: it begins with %x", ErrFormat, magic)
	}
	h, err := p.readBytes(fileHeaderSize)
	if err != nil {
		return nil, fmt.Errorf("%w, in the file header", err)
	}
	// The upper 4 bits describe the checksums of frames. The reader ignores these.
	p.interfaces = []captureInterface{{link: LinkType(p.order.Uint32(h[20:]) & (1<<28 - 1)), unitsPerSecond: units}}
	return p, nil
}

// Next returns the next packet, or io.EOF after the last.
func (r *Reader) Next() (Packet, error) {
	p, err := r.readPacket()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w, in the packet or block at byte %d", err, r.start)
	}
	return p, err
}

func (r *Reader) readPacket() (Packet, error) {
	for {
		r.start = r.offset
		if _, err := r.src.Peek(1); err != nil {
			return Packet{}, err
		}
		if !r.pcapng {
			h, err := r.readBytes(recordHeaderSize)
			if err != nil {
				return Packet{}, err
			}
			seconds, fraction := int64(r.order.Uint32(h)), uint64(r.order.Uint32(h[4:]))
			data, err := r.readBytes(r.order.Uint32(h[8:]))
			units := r.interfaces[0].unitsPerSecond
			return Packet{Time: time.Unix(seconds, int64(fraction*(1e9/units))), Link: r.interfaces[0].link, Data: data}, err
		}
		blockType, body, err := r.readBlock()
		if err != nil {
			return Packet{}, err
		}
		if p, ok, err := r.parseBlock(blockType, body); ok || err != nil {
			return p, err
		}
	}
}

// readBytes returns the next n bytes, valid until the next call.
func (r *Reader) readBytes(n uint32) ([]byte, error) {
	if n > maxBlock {
		return nil, fmt.Errorf("%w: a length of %d bytes, the limit is %d", ErrFormat, n, maxBlock)
	}
	if int(n) > cap(r.buf) {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	got, err := io.ReadFull(r.src, b)
	r.offset += int64(got)
	return b, r.wrap(err)
}

// wrap returns the error for a file that ends too early or cannot be read. It returns nil for nil.
func (r *Reader) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w after byte %d", ErrCutOff, r.offset)
	}
	return fmt.Errorf("pcap: after byte %d: %w", r.offset, err)
}

// readBlock reads a block of a pcapng file and returns the content between its two lengths.
func (r *Reader) readBlock() (blockType uint32, body []byte, err error) {
	const around = 12 // type and length before the content, length after it
	h, err := r.src.Peek(12)
	if err != nil {
		r.offset += int64(len(h))
		return 0, nil, r.wrap(err)
	}
	if binary.LittleEndian.Uint32(h) == blockSection {
		// The block type is the same in both byte orders. The number after the length shows the
		// order.
		switch uint32(0x1a2b3c4d) {
		case binary.LittleEndian.Uint32(h[8:]):
			r.order = binary.LittleEndian
		case binary.BigEndian.Uint32(h[8:]):
			r.order = binary.BigEndian
		default:
			return 0, nil, fmt.Errorf("%w: a section of byte order %x", ErrFormat, h[8:12])
		}
	}
	blockType, size := r.order.Uint32(h), r.order.Uint32(h[4:])
	if size < around || size%4 != 0 {
		return 0, nil, fmt.Errorf("%w: a block of %d bytes", ErrFormat, size)
	}
	switch blockType {
	case blockSection, blockInterface, blockPacket, blockSimplePacket, blockEnhancedPacket:
	default: // statistics, names and others, of any size
		n, err := io.CopyN(io.Discard, r.src, int64(size)-4)
		r.offset += n
		if err != nil {
			return 0, nil, r.wrap(err)
		}
		behind, err := r.readBytes(4)
		if err == nil {
			err = r.checkSize(size, behind)
		}
		return blockType, nil, err
	}
	b, err := r.readBytes(size)
	if err == nil {
		err = r.checkSize(size, b[size-4:])
	}
	if err != nil {
		return 0, nil, err
	}
	return blockType, b[8 : size-4], nil
}

// checkSize compares the size of a block with the size after its content.
func (r *Reader) checkSize(size uint32, behind []byte) error {
	if again := r.order.Uint32(behind); again != size {
		return fmt.Errorf("%w: a block with the lengths %d and %d", ErrFormat, size, again)
	}
	return nil
}

// parseBlock parses the body of a block. ok is true for a packet.
func (r *Reader) parseBlock(blockType uint32, b []byte) (p Packet, ok bool, err error) {
	var headerSize int
	switch blockType {
	case blockSection:
		r.interfaces = r.interfaces[:0]
		return p, false, nil
	case blockInterface:
		return p, false, r.parseInterface(b)
	case blockPacket, blockEnhancedPacket:
		headerSize = 20
	case blockSimplePacket:
		headerSize = 4
	default:
		return p, false, nil
	}
	if len(b) < headerSize {
		return p, false, fmt.Errorf("%w: a packet block of %d bytes", ErrFormat, len(b))
	}
	var id, captured uint32
	switch blockType {
	case blockPacket:
		id = uint32(r.order.Uint16(b))
	case blockEnhancedPacket:
		id = r.order.Uint32(b)
	}
	if int64(id) >= int64(len(r.interfaces)) {
		return p, false, fmt.Errorf("%w: a packet of interface %d of %d", ErrFormat, id, len(r.interfaces))
	}
	i := &r.interfaces[id]
	p.Link = i.link
	if blockType == blockSimplePacket { // such a packet has no time
		if captured = r.order.Uint32(b); i.snapLen > 0 {
			captured = min(captured, i.snapLen)
		}
	} else {
		p.Time = i.time(uint64(r.order.Uint32(b[4:]))<<32 | uint64(r.order.Uint32(b[8:])))
		captured = r.order.Uint32(b[12:])
	}
	if b = b[headerSize:]; int64(captured) > int64(len(b)) {
		return p, false, fmt.Errorf("%w: a packet of %d bytes in a block with room for %d", ErrFormat, captured, len(b))
	}
	p.Data = b[:captured]
	return p, true, nil
}

// parseInterface parses the body of an interface description.
func (r *Reader) parseInterface(b []byte) error {
	const optionEnd, optionResolution, optionOffset = 0, 9, 14
	if len(b) < 8 || len(r.interfaces) == maxInterfaces {
		return fmt.Errorf("%w: interface %d has a description of %d bytes; the limit is %d interfaces", ErrFormat, len(r.interfaces), len(b), maxInterfaces)
	}
	i := captureInterface{link: LinkType(r.order.Uint16(b)), snapLen: r.order.Uint32(b[4:]), unitsPerSecond: 1e6}
	for b = b[8:]; len(b) >= 4; {
		option, size := r.order.Uint16(b), int(r.order.Uint16(b[2:]))
		padded := (size + 3) &^ 3
		if b = b[4:]; option == optionEnd || padded > len(b) {
			break
		}
		switch {
		case option == optionResolution && size == 1:
			if i.unitsPerSecond = unitsPerSecond(b[0]); i.unitsPerSecond == 0 {
				return fmt.Errorf("%w: interface %d has timestamps of resolution %#x", ErrFormat, len(r.interfaces), b[0])
			}
		case option == optionOffset && size == 8:
			i.offset = int64(r.order.Uint64(b))
		}
		b = b[padded:]
	}
	r.interfaces = append(r.interfaces, i)
	return nil
}

// unitsPerSecond decodes the resolution of timestamps: a negative power of 2 if the highest bit is
// set, otherwise of 10. It returns 0 if the result does not fit into 64 bits.
func unitsPerSecond(resolution byte) uint64 {
	if exponent := resolution & 0x7f; resolution >= 0x80 {
		return 1 << exponent
	} else if exponent <= 19 {
		return uint64(math.Pow10(int(exponent)))
	}
	return 0
}

// time converts a timestamp.
func (i *captureInterface) time(units uint64) time.Time {
	hi, lo := bits.Mul64(units%i.unitsPerSecond, 1e9)
	ns, _ := bits.Div64(hi, lo, i.unitsPerSecond)
	return time.Unix(int64(units/i.unitsPerSecond)+i.offset, int64(ns))
}
