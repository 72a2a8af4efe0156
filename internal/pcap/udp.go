package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Datagram is a UDP datagram in a captured packet.
type Datagram struct {
	Src, Dst netip.AddrPort
	// Payload is valid as long as the packet. If the datagram was not captured completely, Payload
	// is the beginning and Missing the number of missing bytes.
	Payload []byte
	Missing int
}

// Errors of Packet.UDP.
var (
	// ErrNotUDP means that a packet belongs to another protocol.
	ErrNotUDP = errors.New("pcap: not a UDP datagram")
	// ErrFragment means that a packet has only a part of a UDP datagram.
	ErrFragment = errors.New("pcap: a fragment of a UDP datagram")
	// ErrPacket means that a packet is damaged or has an unknown link header.
	ErrPacket = errors.New("pcap: malformed packet")
)

// Link types that tcpdump and Wireshark write for Ethernet, the loopback device and "any".
const (
	linkNull      LinkType = 0   // BSD loopback: a protocol family in the machine's byte order
	linkEthernet  LinkType = 1   // also the loopback device of Linux
	linkRawBSD    LinkType = 12  // an IP packet
	linkRawOther  LinkType = 14  // the same
	linkRaw       LinkType = 101 // the same
	linkLoop      LinkType = 108 // OpenBSD loopback: the family in network byte order
	linkLinux     LinkType = 113 // "any" of Linux: a header that ends with the EtherType
	linkIPv4      LinkType = 228
	linkIPv6      LinkType = 229
	linkLinuxNew  LinkType = 276 // "any" in newer versions: a header that begins with the EtherType
	etherIPv4              = 0x0800
	etherIPv6              = 0x86dd
	etherVLAN              = 0x8100
	etherQinQ              = 0x88a8
	etherOldQinQ           = 0x9100
	protocolUDP            = 17
	protocolFragm          = 44 // the fragment header of IPv6
)

// UDP returns the UDP datagram in a packet, or ErrNotUDP, ErrFragment or ErrPacket.
func (p *Packet) UDP() (Datagram, error) {
	b, err := linkPayload(p.Link, p.Data)
	if err != nil {
		return Datagram{}, err
	}
	if len(b) == 0 {
		return Datagram{}, fmt.Errorf("%w: nothing after the link header", ErrPacket)
	}
	var d Datagram
	var src, dst netip.Addr
	switch version := b[0] >> 4; version {
	case 4:
		src, dst, b, err = parseIPv4(b)
	case 6:
		src, dst, b, err = parseIPv6(b)
	default:
		err = fmt.Errorf("%w: IP version %d", ErrPacket, version)
	}
	if err != nil {
		return d, err
	}
	const headerSize = 8
	if len(b) < headerSize {
		return d, fmt.Errorf("%w: %d bytes of a UDP header", ErrPacket, len(b))
	}
	d.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(b))
	d.Dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))
	size := int(binary.BigEndian.Uint16(b[4:]))
	if size < headerSize {
		return d, fmt.Errorf("%w: a UDP length of %d", ErrPacket, size)
	}
	d.Missing = max(size-len(b), 0)
	d.Payload = b[headerSize : size-d.Missing]
	return d, nil
}

// linkPayload returns the IP packet after a link header.
func linkPayload(link LinkType, b []byte) ([]byte, error) {
	var typeAt, headerSize int // typeAt is the offset of the EtherType in the header
	switch link {
	case linkRaw, linkRawBSD, linkRawOther, linkIPv4, linkIPv6:
		return b, nil
	case linkNull, linkLoop:
		if len(b) < 4 {
			return nil, fmt.Errorf("%w: %d bytes of a loopback header", ErrPacket, len(b))
		}
		if family := max(b[0], b[3]); b[1]|b[2] != 0 || family != 2 && family != 10 && family != 24 && family != 28 && family != 30 {
			return nil, ErrNotUDP
		}
		return b[4:], nil
	case linkEthernet:
		typeAt, headerSize = 12, 14
	case linkLinux:
		typeAt, headerSize = 14, 16
	case linkLinuxNew:
		typeAt, headerSize = 0, 20
	default:
		return nil, fmt.Errorf("%w: link type %d is not supported", ErrPacket, link)
	}
	if len(b) < headerSize {
		return nil, fmt.Errorf("%w: %d bytes of a link header", ErrPacket, len(b))
	}
	etherType := binary.BigEndian.Uint16(b[typeAt:])
	b = b[headerSize:]
	for etherType == etherVLAN || etherType == etherQinQ || etherType == etherOldQinQ {
		if len(b) < 4 {
			return nil, fmt.Errorf("%w: %d bytes of a VLAN tag", ErrPacket, len(b))
		}
		etherType, b = binary.BigEndian.Uint16(b[2:]), b[4:]
	}
	if etherType != etherIPv4 && etherType != etherIPv6 {
		return nil, ErrNotUDP
	}
	return b, nil
}

// parseIPv4 returns the addresses and the UDP datagram of a packet.
func parseIPv4(b []byte) (src, dst netip.Addr, udp []byte, err error) {
	const minHeader = 20
	if len(b) < minHeader {
		return src, dst, nil, fmt.Errorf("%w: %d bytes of an IPv4 header", ErrPacket, len(b))
	}
	headerSize, size := int(b[0]&15)*4, int(binary.BigEndian.Uint16(b[2:]))
	if headerSize < minHeader || headerSize > len(b) || size != 0 && size < headerSize {
		return src, dst, nil, fmt.Errorf("%w: IPv4 lengths %d and %d", ErrPacket, headerSize, size)
	}
	if b[9] != protocolUDP {
		return src, dst, nil, ErrNotUDP
	}
	if binary.BigEndian.Uint16(b[6:])&0x3fff != 0 { // a fragment: more follow, or it is not the first
		return src, dst, nil, ErrFragment
	}
	src, dst = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
	if size != 0 && size < len(b) { // Ethernet pads short frames; 0 stands for a big packet that the device splits
		b = b[:size]
	}
	return src, dst, b[headerSize:], nil
}

// parseIPv6 returns the addresses and the UDP datagram of a packet.
func parseIPv6(b []byte) (src, dst netip.Addr, udp []byte, err error) {
	const headerSize = 40
	if len(b) < headerSize {
		return src, dst, nil, fmt.Errorf("%w: %d bytes of an IPv6 header", ErrPacket, len(b))
	}
	src, dst = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
	next, size := b[6], int(binary.BigEndian.Uint16(b[4:]))
	if b = b[headerSize:]; size != 0 && size < len(b) {
		b = b[:size]
	}
	for {
		switch next {
		case protocolUDP:
			return src, dst, b, nil
		case 0, 43, 60, protocolFragm: // options, routing, destination
		default:
			return src, dst, nil, ErrNotUDP
		}
		const extension = 8 // smallest size, and the unit of larger ones
		if len(b) < extension {
			return src, dst, nil, fmt.Errorf("%w: %d bytes of an IPv6 extension", ErrPacket, len(b))
		}
		more := 0
		if next == protocolFragm {
			if b[0] != protocolUDP {
				return src, dst, nil, ErrNotUDP
			}
			if binary.BigEndian.Uint16(b[2:])&^6 != 0 {
				return src, dst, nil, ErrFragment
			}
		} else {
			more = int(b[1]) * extension
		}
		if len(b) < extension+more {
			return src, dst, nil, fmt.Errorf("%w: %d bytes of an IPv6 extension", ErrPacket, len(b))
		}
		next, b = b[0], b[extension+more:]
	}
}
