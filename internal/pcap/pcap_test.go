package pcap

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fromHex decodes hexadecimal digits with spaces between them.
func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// An IPv4 and an IPv6 packet, each with a UDP datagram "hi" from port 50000 to 8303.
const (
	udpHi = "c350 206f 000a 0000 6869"
	ipv4  = "45 00 001e 0000 0000 40 11 0000 0a000009 0a000001" + udpHi
	ipv6  = "60000000 000a 11 40 20010db8000000000000000000000009 20010db8000000000000000000000001" + udpHi
	cards = "000000000000 000000000000"
)

func appendWords(order binary.AppendByteOrder, b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = order.AppendUint32(b, w)
	}
	return b
}

// makeFile makes a pcap file with one packet.
func makeFile(order binary.AppendByteOrder, magic, fraction uint32, link LinkType, packet []byte) []byte {
	b := appendWords(order, nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	b = appendWords(order, b, 0, 0, 65535, uint32(link), 1795231813, fraction, uint32(len(packet)), uint32(len(packet)))
	return append(b, packet...)
}

// makeBlock makes a block of a pcapng file.
func makeBlock(order binary.AppendByteOrder, blockType uint32, body []byte) []byte {
	body = append(bytes.Clone(body), make([]byte, -len(body)&3)...)
	b := appendWords(order, nil, blockType, uint32(12+len(body)))
	return appendWords(order, append(b, body...), uint32(12+len(body)))
}

func readAll(b []byte) ([]Packet, error) {
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var all []Packet
	for {
		p, err := r.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}

var (
	captureTime = time.Unix(1795231813, 5e8)
	orders      = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}
)

func TestFile(t *testing.T) {
	packet := fromHex(t, ipv4)
	for _, order := range orders {
		for magic, fraction := range map[uint32]uint32{0xa1b2c3d4: 5e5, 0xa1b23c4d: 5e8} {
			got, err := readAll(makeFile(order, magic, fraction, linkRaw|4<<28, packet))
			if err != nil || len(got) != 1 || !got[0].Time.Equal(captureTime) || got[0].Link != linkRaw || !bytes.Equal(got[0].Data, packet) {
				t.Errorf("%v, magic %x: %+v, %v", order, magic, got, err)
			}
		}
	}
}

// makeNGFile makes a pcapng file with a packet in each kind of block, on two interfaces.
func makeNGFile(order binary.AppendByteOrder, packet []byte) []byte {
	section := appendWords(order, nil, 0x1a2b3c4d, 0, 0xffffffff, 0xffffffff)
	b := makeBlock(order, blockSection, section)
	plain := order.AppendUint16(nil, uint16(linkRaw))
	plain = appendWords(order, append(plain, 0, 0), 0)
	b = append(b, makeBlock(order, blockInterface, plain)...)
	// The second interface has a comment, nanoseconds and an offset of 1000 s.
	options := order.AppendUint16(order.AppendUint16(bytes.Clone(plain), 1), 3)
	options = append(options, "abc\x00"...)
	options = append(order.AppendUint16(order.AppendUint16(options, 9), 1), 9, 0, 0, 0)
	options = order.AppendUint64(order.AppendUint16(order.AppendUint16(options, 14), 8), 1000)
	b = append(b, makeBlock(order, blockInterface, appendWords(order, options, 0))...)
	b = append(b, makeBlock(order, 4, []byte("names are skipped"))...)
	n := uint32(len(packet))
	enhanced := func(blockType, id uint32, units uint64) {
		h := appendWords(order, nil, id, uint32(units>>32), uint32(units), n, n)
		if blockType == blockPacket {
			h = append(order.AppendUint16(nil, uint16(id)), append([]byte{0, 0}, h[4:]...)...)
		}
		b = append(b, makeBlock(order, blockType, append(h, packet...))...)
	}
	enhanced(blockEnhancedPacket, 0, uint64(captureTime.UnixMicro()))
	enhanced(blockEnhancedPacket, 1, uint64(captureTime.UnixNano())-1000e9)
	enhanced(blockPacket, 1, uint64(captureTime.UnixNano())-1000e9)
	return append(b, makeBlock(order, blockSimplePacket, append(appendWords(order, nil, n), packet...))...)
}

func TestNGFile(t *testing.T) {
	packet := fromHex(t, ipv4)
	var both []byte // sections of both byte orders in one file
	for _, order := range orders {
		both = append(both, makeNGFile(order, packet)...)
	}
	got, err := readAll(both)
	if err != nil || len(got) != 8 {
		t.Fatalf("%d packets, %v", len(got), err)
	}
	for i, p := range got {
		want := captureTime
		if i%4 == 3 {
			want = time.Time{}
		}
		if !p.Time.Equal(want) || p.Link != linkRaw || !bytes.Equal(p.Data, packet) {
			t.Errorf("packet %d: %+v", i, p)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	packet := fromHex(t, ipv4)
	le := binary.LittleEndian
	whole := map[string][]byte{"pcap": makeFile(le, 0xa1b2c3d4, 0, linkRaw, packet), "pcapng": makeNGFile(le, packet)}
	for name, b := range whole {
		all, _ := readAll(b)
		for n := range len(b) {
			_, err := readAll(b[:n])
			isCut := errors.Is(err, ErrCutOff) && strings.Contains(err.Error(), fmt.Sprintf("after byte %d", n))
			if err != nil && !isCut && !(n < 4 && errors.Is(err, ErrFormat)) {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
		}
		// A flipped bit leads to an error with the place in the file, unless the bit is in data
		// without a check: the packet, its time, interfaces and options.
		for d := range testenv.Damaged(b, 10_000) {
			packets, err := readAll(d.File)
			if !d.Cut && err == nil {
				if len(packets) > len(all) || name == "pcap" && len(packets[0].Data) != len(packet) {
					t.Errorf("%s, %v: %d packets", name, d, len(packets))
				}
				continue
			}
			if !d.Cut && !strings.Contains(err.Error(), "byte") && !strings.Contains(err.Error(), "it begins with") {
				t.Errorf("%s, %v: %v", name, d, err)
			}
		}
		if _, err := readAll(b[:len(b)-1]); err == nil {
			t.Errorf("%s: half a packet was read", name)
		}
	}
	section := makeBlock(le, blockSection, appendWords(le, nil, 0x1a2b3c4d, 0, 0, 0))
	raw := appendWords(le, nil, uint32(linkRaw), 0)
	with := func(blockType uint32, body ...byte) []byte {
		return append(append(bytes.Clone(section), makeBlock(le, blockInterface, raw)...), makeBlock(le, blockType, body)...)
	}
	for name, b := range map[string][]byte{
		"nothing":               nil,
		"text":                  []byte("this is no capture at all"),
		"long packet":           append(whole["pcap"][:24:24], appendWords(le, nil, 0, 0, maxBlock+1, 0)...),
		"byte order":            makeBlock(le, blockSection, make([]byte, 16)),
		"short block":           append(bytes.Clone(section), appendWords(le, nil, 6, 8, 8)...),
		"long block":            append(bytes.Clone(section), appendWords(le, nil, 6, maxBlock+4, 0)...),
		"unknown interface":     with(blockEnhancedPacket, appendWords(le, nil, 1, 0, 0, 0, 0)...),
		"packet of 16 bytes":    with(blockEnhancedPacket, make([]byte, 16)...),
		"packet over the end":   with(blockEnhancedPacket, appendWords(le, nil, 0, 0, 0, 5, 0, 0)...),
		"short interface":       with(blockInterface, 1, 0, 0, 0),
		"resolution":            with(blockInterface, append(bytes.Clone(raw), 9, 0, 1, 0, 20, 0, 0, 0)...),
		"resolution as power 2": with(blockInterface, append(bytes.Clone(raw), 9, 0, 1, 0, 0xc0, 0, 0, 0)...),
	} {
		if _, err := readAll(b); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUDP(t *testing.T) {
	const fragment = "000a 2c 40 20010db8000000000000000000000009 20010db8000000000000000000000001"
	for name, c := range map[string]struct {
		link   LinkType
		packet string
		want   error
	}{
		"raw IPv4":             {linkRaw, ipv4, nil},
		"raw IPv6":             {linkIPv6, ipv6, nil},
		"Ethernet":             {linkEthernet, cards + "0800" + ipv4, nil},
		"Ethernet, padded":     {linkEthernet, cards + "0800" + ipv4 + "000000000000", nil},
		"Ethernet, VLAN":       {linkEthernet, cards + "88a8 0001 8100 0002 86dd" + ipv6, nil},
		"loopback":             {linkNull, "02000000" + ipv4, nil},
		"loopback, big endian": {linkLoop, "0000001c" + ipv6, nil},
		"any":                  {linkLinux, "0000 0304 0006 0000000000000000 0800" + ipv4, nil},
		"any, newer":           {linkLinuxNew, "86dd 0000 00000001 0304 00 06 0000000000000000" + ipv6, nil},
		"IPv4 with options":    {linkRaw, "46 00 0022 0000 0000 40 11 0000 0a000009 0a000001 01010101" + udpHi, nil},
		"IPv4 without length":  {linkRaw, "45 00 0000 0000 0000 40 11 0000 0a000009 0a000001" + udpHi, nil},
		"IPv6 with options": {linkRaw, "60000000 0012 00 40 20010db8000000000000000000000009 20010db8000000000000000000000001 11 00 000000000000" +
			udpHi, nil},
		"IPv6, only fragment":    {linkRaw, "60000000 0012" + fragment[4:] + "11 00 0000 00000000" + udpHi, nil},
		"IPv6, fragment":         {linkRaw, "60000000 0012" + fragment[4:] + "11 00 0001 00000000" + udpHi, ErrFragment},
		"IPv6, fragment of TCP":  {linkRaw, "60000000 0012" + fragment[4:] + "06 00 0001 00000000" + udpHi, ErrNotUDP},
		"IPv6, no extension":     {linkRaw, "60000000 0002" + fragment[4:] + "11 00", ErrPacket},
		"IPv6, short extension":  {linkRaw, "60000000 0008 3c" + fragment[7:] + "11 05 000000000000", ErrPacket},
		"IPv4 fragment":          {linkRaw, "45 00 001e 0000 2000 40 11 0000 0a000009 0a000001" + udpHi, ErrFragment},
		"IPv4 TCP":               {linkRaw, "45 00 001e 0000 0000 40 06 0000 0a000009 0a000001" + udpHi, ErrNotUDP},
		"IPv6 TCP":               {linkRaw, "60000000 0000 06" + fragment[7:], ErrNotUDP},
		"ARP":                    {linkEthernet, cards + "0806 0001", ErrNotUDP},
		"loopback, AppleTalk":    {linkNull, "10000000" + ipv4, ErrNotUDP},
		"unknown link":           {147, ipv4, ErrPacket},
		"nothing":                {linkRaw, "", ErrPacket},
		"IP version 5":           {linkRaw, "55", ErrPacket},
		"short Ethernet header":  {linkEthernet, cards, ErrPacket},
		"short VLAN tag":         {linkEthernet, cards + "8100 0001", ErrPacket},
		"short loopback header":  {linkNull, "02", ErrPacket},
		"short IPv4 header":      {linkRaw, "4500", ErrPacket},
		"IPv4 header of 4 bytes": {linkRaw, "41" + ipv4[2:], ErrPacket},
		"short IPv6 header":      {linkRaw, "6000", ErrPacket},
		"short UDP header":       {linkRaw, ipv4[:len(ipv4)-10], ErrPacket},
		"UDP length of 7":        {linkRaw, "45 00 001e 0000 0000 40 11 0000 0a000009 0a000001 c350 206f 0007 0000 6869", ErrPacket},
	} {
		p := Packet{Link: c.link, Data: fromHex(t, c.packet)}
		d, err := p.UDP()
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want == nil && (string(d.Payload) != "hi" || d.Missing != 0 || d.Src.Port() != 50000 || d.Dst.Port() != 8303 ||
			d.Src.Addr().AsSlice()[d.Src.Addr().BitLen()/8-1] != 9) {
			t.Errorf("%s: %+v", name, d)
		}
	}
	p := Packet{Link: linkRaw, Data: fromHex(t, ipv4[:len(ipv4)-2])}
	if d, err := p.UDP(); err != nil || string(d.Payload) != "h" || d.Missing != 1 {
		t.Errorf("captured in part: %+v, %v", d, err)
	}
}

func FuzzReader(f *testing.F) {
	packet := fromHex(f, ipv4)
	f.Add(makeFile(binary.LittleEndian, 0xa1b2c3d4, 0, linkRaw, packet))
	f.Add(makeFile(binary.BigEndian, 0xa1b23c4d, 0, linkEthernet, fromHex(f, cards+"8100 0001 86dd"+ipv6)))
	f.Add(makeNGFile(binary.LittleEndian, packet))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := readAll(b)
		if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrCutOff) {
			t.Error(err)
		}
		for _, p := range all {
			p.UDP()
		}
	})
}
