package peers

import (
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// screens lets only two processes at a time use displays, because go test runs several packages at
// once, and a real client draws with the processor.
var screens = screenLock{places: []string{"@teeyard test screens 1", "@teeyard test screens 2"}}

// screenLock is a Unix socket with one of some abstract names, as in claimPort, and the number of
// displays of this process.
type screenLock struct {
	places []string
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
	for {
		for _, place := range l.places {
			socket, err := net.Listen("unix", place)
			if err == nil {
				l.socket = socket
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
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
	if testenv.Peers {
		screens.take()
	}
	Main(m)
}
