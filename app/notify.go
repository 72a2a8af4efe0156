package app

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// notifier reports the state of a service to systemd (see sd_notify(3)) if systemd started the
// service and asked for it. The zero notifier does nothing.
type notifier struct {
	conn     net.Conn
	watchdog time.Duration // interval in which systemd expects a sign of life; 0 for never
}

// newNotifier returns the notifier for the environment variables of systemd, and unsets them.
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
	if n.conn, err = net.Dial("unixgram", socket); err != nil { // Go reads a leading "@" as an abstract socket
		return &notifier{}, fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	return n, nil
}

// send sends lines such as "READY=1". It ignores errors, since systemd notices a missing message.
func (n *notifier) send(state string) {
	if n.conn != nil {
		n.conn.SetWriteDeadline(time.Now().Add(time.Second))
		n.conn.Write([]byte(state))
	}
}

// watch tells the watchdog that the service is alive as long as alive returns nil, until stop is
// called.
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
