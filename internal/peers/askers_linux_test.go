package peers

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// BenchmarkInfoToMany asks for server information from a new address each time, which costs
// the exchange of tokens too.
func BenchmarkInfoToMany(b *testing.B) { compareAnswers(b, queryFromMany, queryFromMany) }

// queryFromMany asks a server as one asker after the other, each with an address of its own
// on the loopback network, with at most load.MaxUnanswered at a time. It returns the number
// of those who got the information.
func queryFromMany(server transport.Peer, span time.Duration) (answers int, err error) {
	sock, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return 0, err
	}
	defer sock.Close()
	raw, err := sock.SyscallConn()
	if err != nil {
		return 0, err
	}
	raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_PKTINFO, 1) })
	if err != nil {
		return 0, err
	}
	const own = packet.Token(0x1234567)
	hello := packet.AppendTokenRequest(nil, own)
	from := func(a netip.Addr, d []byte) error {
		_, _, err := sock.WriteMsgUDPAddrPort(d, controlFrom(a), server.AddrPort)
		return err
	}
	var buf [transport.MaxDatagram]byte
	var control [64]byte
	var p packet.Packet
	var scratch packet.Scratch
	asker, waiting := uint32(0), 0
	for end := time.Now().Add(span); time.Now().Before(end); {
		for ; waiting < load.MaxUnanswered; waiting++ {
			asker++
			if err := from(netip.AddrFrom4([4]byte{127, byte(16 + asker>>16), byte(asker >> 8), byte(asker)}), hello); err != nil {
				return 0, err
			}
		}
		sock.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		n, k, _, _, err := sock.ReadMsgUDPAddrPort(buf[:], control[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			waiting = 0 // they were lost
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := p.Parse(buf[:n], &scratch); err != nil {
			return 0, err
		}
		if p.Flags&packet.FlagConnless != 0 {
			answers++
			waiting--
			continue
		}
		question := packet.AppendConnless(nil, p.ResponseToken, own, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), 7))
		if err := from(receivedAt(control[:k]), question); err != nil {
			return 0, err
		}
	}
	return answers, nil
}

// controlFrom is the control message to send from an address.
func controlFrom(a netip.Addr) []byte {
	b := make([]byte, unix.CmsgSpace(unix.SizeofInet4Pktinfo))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
	h.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
	src := a.As4()
	copy(b[unix.CmsgLen(4):], src[:]) // after the index of the device
	return b
}

// receivedAt returns the address that a datagram came to.
func receivedAt(control []byte) netip.Addr {
	return netip.AddrFrom4([4]byte(control[unix.CmsgLen(8):]))
}
