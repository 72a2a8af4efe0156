package peers

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// The range of ports that FreePort returns. Systems choose client ports above this range, so a port
// that is free now is still free when a server starts.
const (
	firstPort = 10000
	numPorts  = 20000
)

var (
	portCount atomic.Uint32
	claims    sync.Map // port to its net.Listener; the reference keeps the garbage collector from closing it
)

// FreePort returns a port of 127.0.0.1 that is free for UDP and TCP, a different one at every call.
// Tests that run in other processes at the same time get other ports.
func FreePort() (int, error) {
	// A program that starts meanwhile would inherit the socket and hold the port until exec. On
	// other systems than Linux, opening a socket takes this lock itself.
	if runtime.GOOS == "linux" {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	var err error
	for range 100 {
		n := uint32(os.Getpid())*64 + portCount.Add(1)
		port := firstPort + int(n%numPorts)
		if err = claimPort(port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("peers: no free port: %w", err)
}

// claimPort returns an error if the port is in use or claimed by another process. A test may start
// its server long after it got the port, so the claim lasts until the process ends. The claim is a
// Unix socket with an abstract name. Only one process can bind it, and it needs no file.
func claimPort(port int) error {
	if runtime.GOOS == "linux" {
		l, err := net.Listen("unix", fmt.Sprintf("@teeyard test port %d", port))
		if err != nil {
			return err
		}
		claims.Store(port, l)
	}
	u, err := udp.Listen(udp.Config{Addr: "127.0.0.1", Port: port})
	if err != nil {
		return err
	}
	u.Close()
	t, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	return t.Close()
}

// FreeAddr returns 127.0.0.1 with a port from FreePort.
func FreeAddr(t testing.TB) transport.Peer {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return transport.UDPPeer(netip.MustParseAddr("127.0.0.1"), uint16(port))
}

// DialUDP opens a socket for a client at 127.0.0.x, where x is host, until the test ends. A
// goroutine calls receive for every datagram of the server.
func DialUDP(t testing.TB, host byte, server transport.Peer, receive func(datagram []byte)) *net.UDPConn {
	t.Helper()
	socket, err := net.DialUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, host)}, net.UDPAddrFromAddrPort(server.AddrPort))
	if err != nil {
		t.Fatal(err)
	}
	socket.SetReadBuffer(4 << 20)
	t.Cleanup(func() { socket.Close() })
	go func() {
		for {
			b := make([]byte, transport.MaxDatagram)
			n, err := socket.Read(b)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				// The server does not listen yet, or not any more. Its earlier datagrams may still
				// be waiting.
				time.Sleep(5 * time.Millisecond)
				continue
			}
			receive(b[:n])
		}
	}()
	return socket
}
