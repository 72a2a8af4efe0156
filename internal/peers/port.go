package peers

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/teeyard/teeyard/transport/udp"
)

// The ports that FreePort gives out. Systems take those of clients from above: a port
// that nobody uses now is still free when the server starts that it is for.
const (
	firstPort = 10000
	numPorts  = 20000
)

var givenPorts atomic.Uint32

// FreePort is a UDP port of 127.0.0.1 for a server to be started, another one at every
// call. Tests that run in other processes at the same time get others.
func FreePort() (int, error) {
	// A program that is started meanwhile would hold the port until it has begun.
	if runtime.GOOS == "linux" { // where opening a socket does not take this lock
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	var err error
	for range 100 {
		n := uint32(os.Getpid())*64 + givenPorts.Add(1)
		port := firstPort + int(n%numPorts)
		var c *udp.Conn
		if c, err = udp.Listen(udp.Config{Addr: "127.0.0.1", Port: port}); err == nil {
			c.Close()
			return port, nil
		}
	}
	return 0, fmt.Errorf("peers: no free port: %w", err)
}
