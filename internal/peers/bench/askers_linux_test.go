//go:build peers

package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// BenchmarkInfoToMany asks for server information, each time from a new address. That includes the
// exchange of tokens or challenges. It asks as fast as the server answers, with load.MaxUnanswered
// requests open at a time, and then at random times (a Poisson process), like browsers that act
// independently.
func BenchmarkInfoToMany(b *testing.B) {
	for _, c := range []struct {
		name string
		ours *askers
	}{{"info", infoAskers()}, {"A2S", a2sAskers()}} {
		for _, rate := range []int{0, 1000, 5000, 20000} {
			name := fmt.Sprintf("%s/%d-a-second", c.name, rate)
			if rate == 0 {
				name = c.name + "/at-once"
			}
			b.Run(name, func(b *testing.B) {
				ours, theirs := *c.ours, *infoAskers()
				ours.rate, theirs.rate = rate, rate
				compareAnswers(b, ours.run, theirs.run)
			})
		}
	}
}

// askers sends a server one question each from addresses of their own in 127.0.0.0/8.
type askers struct {
	rate  int    // questions begun per second; 0 starts a new one as soon as one is answered
	hello []byte // the first datagram of each asker
	// answer returns the asker's next datagram, or nil if the question is answered.
	answer func(datagram []byte) ([]byte, error)
}

func infoAskers() *askers {
	const own = packet.Token(0x1234567)
	var p packet.Packet
	var scratch packet.Scratch
	question := packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), 7)
	var buf []byte
	return &askers{hello: packet.AppendTokenRequest(nil, own), answer: func(d []byte) ([]byte, error) {
		if err := p.Parse(d, &scratch); err != nil || p.Flags&packet.FlagConnless != 0 {
			return nil, err
		}
		buf = packet.AppendConnless(buf[:0], p.ResponseToken, own, question)
		return buf, nil
	}}
}

func a2sAskers() *askers {
	var buf []byte
	return &askers{hello: wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge), answer: func(d []byte) ([]byte, error) {
		challenge, err := wire.ParseA2SChallenge(d)
		if err != nil {
			_, _, err = wire.ParseInfo(d)
			return nil, err
		}
		buf = wire.AppendA2SRequest(buf[:0], wire.RequestA2SInfo, challenge)
		return buf, nil
	}}
}

// run returns the number of questions that were answered. Without new datagrams it polls: a sleep
// of less than a millisecond would make askers wait for each other.
func (a *askers) run(server transport.Peer, span time.Duration) (answers int, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1); err != nil {
		return 0, err
	}
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<20)
	to := &unix.SockaddrInet4{Port: int(server.Port()), Addr: server.Addr().As4()}
	send := func(from [4]byte, b []byte) error { return unix.Sendmsg(fd, b, controlFrom(from), to, 0) }
	random := rand.New(rand.NewPCG(1, 1))
	asker, waiting := uint32(0), 0
	var buf [transport.MaxDatagram]byte
	var control [64]byte
	begin := time.Now()
	for next, now, heard := begin, begin, begin; now.Sub(begin) < span; now = time.Now() {
		if now.Sub(heard) > 20*time.Millisecond {
			waiting = 0 // the answers were lost
			heard = now
		}
		for a.rate == 0 && waiting < load.MaxUnanswered || a.rate > 0 && !next.After(now) {
			asker++
			if err := send([4]byte{127, byte(16 + asker>>16), byte(asker >> 8), byte(asker)}, a.hello); err != nil {
				return 0, err
			}
			waiting++
			if a.rate > 0 {
				next = next.Add(time.Duration(random.ExpFloat64() / float64(a.rate) * float64(time.Second)))
			}
		}
		n, k, _, _, err := unix.Recvmsg(fd, buf[:], control[:], unix.MSG_DONTWAIT)
		if err == unix.EAGAIN || err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		heard = now
		reply, err := a.answer(buf[:n])
		if err != nil {
			return 0, err
		}
		if reply == nil {
			answers++
			waiting--
		} else if err := send(receivedAt(control[:k]), reply); err != nil {
			return 0, err
		}
	}
	return answers, nil
}

// controlFrom returns the control message that sets the source address of a datagram.
func controlFrom(a [4]byte) []byte {
	b := make([]byte, unix.CmsgSpace(unix.SizeofInet4Pktinfo))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
	h.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
	copy(b[unix.CmsgLen(4):], a[:]) // after the interface index
	return b
}

// receivedAt returns the destination address of a received datagram.
func receivedAt(control []byte) [4]byte { return [4]byte(control[unix.CmsgLen(8):]) }
