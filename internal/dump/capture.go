package dump

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// ErrCapture means that a file is no capture, or ends or breaks in the middle of one.
var ErrCapture = errors.New("dump: bad capture file")

// ReadCapture reads a pcap or pcapng file and calls f with each UDP datagram in it,
// which is f's until it returns, and with each packet that should be one and is
// not. The error is an ErrCapture; what came before was good.
func ReadCapture(r io.Reader, f func(*Datagram)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var read func() ([]byte, gopacket.CaptureInfo, error)
	var link func(gopacket.CaptureInfo) layers.LinkType
	magic, err := br.Peek(4)
	if err != nil {
		return fmt.Errorf("%w: %w after %d bytes", ErrCapture, err, len(magic))
	}
	const ng = 0x0a0d0d0a
	if binary.LittleEndian.Uint32(magic) == ng {
		src, err := pcapgo.NewNgReader(br, pcapgo.NgReaderOptions{WantMixedLinkType: true})
		if err != nil {
			return fmt.Errorf("%w: pcapng: %w", ErrCapture, err)
		}
		read = src.ZeroCopyReadPacketData
		link = func(ci gopacket.CaptureInfo) layers.LinkType {
			if len(ci.AncillaryData) > 0 {
				if l, ok := ci.AncillaryData[0].(layers.LinkType); ok {
					return l
				}
			}
			return src.LinkType()
		}
	} else {
		src, err := pcapgo.NewReader(br)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCapture, err)
		}
		read = src.ZeroCopyReadPacketData
		link = func(gopacket.CaptureInfo) layers.LinkType { return src.LinkType() }
	}
	var start time.Time
	for n := 1; ; n++ {
		data, ci, err := read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: packet %d: %w", ErrCapture, n, err)
		}
		if n == 1 {
			start = ci.Timestamp
		}
		g := Datagram{At: ci.Timestamp.Sub(start)}
		if g.parse(data, link(ci)) {
			f(&g)
		}
	}
}

// parse finds the UDP datagram in a packet; false if it is something else.
func (g *Datagram) parse(data []byte, link layers.LinkType) bool {
	p := gopacket.NewPacket(data, link, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
	udp, ok := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
	if !ok {
		return g.notUDP(p)
	}
	var src, dst netip.Addr
	switch ip := p.NetworkLayer().(type) {
	case *layers.IPv4:
		src, _ = netip.AddrFromSlice(ip.SrcIP)
		dst, _ = netip.AddrFromSlice(ip.DstIP)
	case *layers.IPv6:
		src, _ = netip.AddrFromSlice(ip.SrcIP)
		dst, _ = netip.AddrFromSlice(ip.DstIP)
	default:
		return false
	}
	g.Src = netip.AddrPortFrom(src, uint16(udp.SrcPort))
	g.Dst = netip.AddrPortFrom(dst, uint16(udp.DstPort))
	g.B = udp.Payload
	const header = 8
	if whole := int(udp.Length) - header; whole > len(g.B) {
		g.Lost = whole - len(g.B)
	}
	return true
}

// notUDP tells packets that are broken from those of other protocols.
func (g *Datagram) notUDP(p gopacket.Packet) bool {
	if ip, ok := p.NetworkLayer().(*layers.IPv4); ok && ip.Protocol == layers.IPProtocolUDP && p.Layer(gopacket.LayerTypeFragment) != nil {
		g.Fault = "a fragment of a datagram; fragments are not put together"
		return true
	}
	if e := p.ErrorLayer(); e != nil {
		g.Fault = fmt.Sprintf("no packet: %v", e.Error())
		return true
	}
	return false
}
