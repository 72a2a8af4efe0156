package peers

import (
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

// screens lets only one process at a time use displays, because go test runs several packages at
// once.
var screens screenLock

// screenLock is a Unix socket with an abstract name, as in claimPort, and the number of displays of
// this process.
type screenLock struct {
	mu     sync.Mutex
	users  int
	socket net.Listener
}

// take waits until this process has the screens. Each call needs a release.
func (l *screenLock) take() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users++; l.users > 1 || runtime.GOOS != "linux" {
		return
	}
	for l.socket == nil {
		var err error
		if l.socket, err = net.Listen("unix", "@teeyard test screens"); err != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func (l *screenLock) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 && l.socket != nil {
		l.socket.Close()
		l.socket = nil
	}
}

// MainWithScreens is [Main] for packages whose tests mostly use displays. It waits for other such
// packages before the first test, because players of a test must not wait in the middle of a match.
func MainWithScreens(m Tests) {
	if os.Getenv("TEEYARD_PEERS") == "1" {
		screens.take()
	}
	Main(m)
}
