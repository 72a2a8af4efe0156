package golden

import (
	"encoding/binary"
	"fmt"
	"time"
)

// ParsePCAP returns the UDP datagrams of a classic little endian pcap file with
// microseconds and Ethernet frames, which is what tcpdump writes on the loopback
// device. Only IPv4 is read. The server is who received the first datagram. The
// result is borrowed from b.
func ParsePCAP(b []byte) ([]Datagram, error) {
	const fileHeader, recordHeader, ethernet = 24, 16, 1
	if len(b) < fileHeader || binary.LittleEndian.Uint32(b) != 0xa1b2c3d4 {
		return nil, fmt.Errorf("%w: no pcap file", ErrFormat)
	}
	if link := binary.LittleEndian.Uint32(b[20:]); link != ethernet {
		return nil, fmt.Errorf("%w: link type %d", ErrFormat, link)
	}
	b = b[fileHeader:]
	var ds []Datagram
	var start time.Duration
	var server uint16
	for len(b) > 0 {
		if len(b) < recordHeader {
			return nil, fmt.Errorf("%w: %d bytes after the last record", ErrFormat, len(b))
		}
		at := time.Duration(binary.LittleEndian.Uint32(b))*time.Second +
			time.Duration(binary.LittleEndian.Uint32(b[4:]))*time.Microsecond
		n := int64(binary.LittleEndian.Uint32(b[8:]))
		b = b[recordHeader:]
		if n > int64(len(b)) {
			return nil, fmt.Errorf("%w: record of %d bytes, %d left", ErrFormat, n, len(b))
		}
		payload, dst, ok := udp(b[:n:n])
		b = b[n:]
		if !ok {
			continue
		}
		if ds == nil {
			start, server = at, dst
		}
		ds = append(ds, Datagram{ToServer: dst == server, At: at - start, B: payload})
	}
	return ds, nil
}

// udp returns payload and destination port of a UDP datagram in an Ethernet frame.
func udp(b []byte) (payload []byte, dst uint16, ok bool) {
	const etherHeader, ipHeader, udpHeader = 14, 20, 8
	if len(b) < etherHeader+ipHeader+udpHeader || binary.BigEndian.Uint16(b[12:]) != 0x0800 {
		return nil, 0, false
	}
	ip := b[etherHeader:]
	head := int(ip[0]&0x0f) * 4
	if ip[0]>>4 != 4 || ip[9] != 17 || head < ipHeader || len(ip) < head+udpHeader {
		return nil, 0, false
	}
	seg := ip[head:]
	size := int(binary.BigEndian.Uint16(seg[4:]))
	if size < udpHeader || size > len(seg) {
		return nil, 0, false
	}
	return seg[udpHeader:size:size], binary.BigEndian.Uint16(seg[2:]), true
}
