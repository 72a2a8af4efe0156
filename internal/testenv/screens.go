package testenv

import (
	"net"
	"runtime"
	"sync"
	"time"
)

// screens is the place of this process, and the number of its displays and browsers.
var screens struct {
	sync.Mutex
	users int
	place net.Listener
}

// places are the names of Unix sockets without a file. Only one process can have each.
var places = []string{"@teeyard test screens 1", "@teeyard test screens 2"}

// TakeScreen waits until this process may use a display or a browser. Only two processes can at a
// time, because go test runs several packages at once, and clients and pages draw with the
// processor. Each call needs a [ReleaseScreen], or the end of the process.
func TakeScreen() {
	screens.Lock()
	defer screens.Unlock()
	if screens.users++; screens.users > 1 || runtime.GOOS != "linux" {
		return
	}
	for {
		for _, name := range places {
			if place, err := net.Listen("unix", name); err == nil {
				screens.place = place
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// ReleaseScreen ends the use of a display or browser.
func ReleaseScreen() {
	screens.Lock()
	defer screens.Unlock()
	if screens.users--; screens.users == 0 && screens.place != nil {
		screens.place.Close()
		screens.place = nil
	}
}
