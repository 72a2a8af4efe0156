package app

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// notifier tells systemd how a service is (see sd_notify(3)), if systemd started it and wants
// to know. The zero notifier tells nobody.
type notifier struct {
	conn     net.Conn
	watchdog time.Duration // within which it wants to hear that all is well, 0 for never
}

// newNotifier returns the notifier that the environment asks for, and removes that from the
// environment.
func newNotifier() (*notifier, error) {
	n := &notifier{}
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return n, nil
	}
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if pid := os.Getenv("WATCHDOG_PID"); err == nil && usec > 0 && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		n.watchdog = time.Duration(usec) * time.Microsecond
	}
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		os.Unsetenv(name)
	}
	if n.conn, err = net.Dial("unixgram", socket); err != nil { // Go knows "@" for names that are in no folder
		return &notifier{}, fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	return n, nil
}

// send sends lines such as "READY=1". That it cannot be sent shows on the other side.
func (n *notifier) send(state string) {
	if n.conn != nil {
		n.conn.SetWriteDeadline(time.Now().Add(time.Second))
		n.conn.Write([]byte(state))
	}
}

// watch tells the watchdog that all is well while alive returns nil, until stop is called.
func (n *notifier) watch(alive func() error) (stop func()) {
	if n.watchdog == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(n.watchdog / 2)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if err := alive(); err != nil {
					n.send("STATUS=" + err.Error())
					continue
				}
				n.send("WATCHDOG=1")
			}
		}
	}()
	return func() { close(done) }
}
