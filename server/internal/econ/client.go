package econ

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

// client is a connection. Advance owns the fields before the mutex.
type client struct {
	conn    net.Conn
	addr    netip.AddrPort
	id      int
	since   int64 // when it connected
	tries   int   // wrong passwords
	authed  bool
	dropped bool
	ending  lineEnd
	warning *string // the first of the last line, nil without a line

	handled chan struct{} // gets a value for each line, holds one
	gone    chan struct{} // closed when the client was dropped

	mu       sync.Mutex
	waiting  []byte        // to be written
	wake     chan struct{} // holds one
	finished bool          // the connection ends after waiting is written
	stuck    bool          // waiting was full, or it could not be written
}

// lineEnd is how lines to a client end. The third byte is 0.
type lineEnd [3]byte

var defaultEnd = lineEnd{'\n'}

func newClient(conn net.Conn) *client {
	cl := &client{conn: conn, ending: defaultEnd, handled: make(chan struct{}, 1), gone: make(chan struct{}), wake: make(chan struct{}, 1)}
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		ap := a.AddrPort()
		cl.addr = netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	return cl
}

// send queues a line. A client that does not read its lines is stuck.
func (cl *client) send(line string) {
	line = safetext.Truncate(line, MaxLine)
	cl.mu.Lock()
	defer cl.mu.Unlock()
	switch {
	case cl.finished || cl.stuck:
		return
	case len(cl.waiting)+len(line)+len(cl.ending) > maxWaiting:
		cl.stuck = true
		return
	}
	cl.waiting = append(append(cl.waiting, line...), cl.ending[:]...)
	cl.poke()
}

// finish ends the connection after the queued lines are written.
func (cl *client) finish() {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.finished = true
	close(cl.gone)
	cl.conn.SetWriteDeadline(time.Now().Add(closeTimeout))
	cl.poke()
}

// poke wakes the writer.
func (cl *client) poke() {
	select {
	case cl.wake <- struct{}{}:
	default:
	}
}

// isStuck reports whether the client has stopped reading.
func (cl *client) isStuck() bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return cl.stuck
}

// write writes queued lines until the connection ends.
func (cl *client) write() {
	var spare []byte
	for range cl.wake {
		cl.mu.Lock()
		batch, finished, stuck := cl.waiting, cl.finished, cl.stuck
		cl.waiting = spare[:0]
		if !finished {
			cl.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		cl.mu.Unlock()
		var err error
		if len(batch) > 0 && !stuck {
			_, err = cl.conn.Write(batch)
		}
		spare = batch
		if err != nil {
			cl.mu.Lock()
			cl.stuck, cl.waiting = true, nil
			finished = finished || cl.finished
			cl.mu.Unlock()
			if !finished {
				// The deadline stops the reading goroutine, and Advance drops the client.
				cl.conn.SetReadDeadline(time.Unix(1, 0))
				continue
			}
		}
		if finished {
			cl.hangUp(err == nil && !stuck)
			return
		}
	}
}

// hangUp closes the connection. If the client reads, hangUp first reads and discards its input for
// closeTimeout. Otherwise the system might reset the connection before the client has the last
// lines.
func (cl *client) hangUp(reads bool) {
	if half, ok := cl.conn.(interface{ CloseWrite() error }); ok && reads && half.CloseWrite() == nil {
		cl.conn.SetReadDeadline(time.Now().Add(closeTimeout))
		io.Copy(io.Discard, cl.conn)
	}
	cl.conn.Close()
}

// read hands over the lines of the client, each after the one before has been handled. So
// the client waits, and not the server, when it sends more than is handled.
func (cl *client) read(c *Console) {
	p := lineParser{ending: defaultEnd}
	for {
		for {
			e, ok := p.next()
			if !ok {
				break
			}
			e.c = cl
			if !c.tell(e) {
				return
			}
			select {
			case <-cl.handled:
			case <-cl.gone:
				return
			}
		}
		reason := ""
		if p.useless > maxUseless {
			reason = "too weak connection (out of buffer)"
		} else if n, err := cl.conn.Read(p.buf[p.n:]); n > 0 {
			p.n += n
		} else if errors.Is(err, io.EOF) {
			reason = "remote end closed the connection"
		} else if err != nil {
			reason = "connection failure"
		}
		if reason != "" {
			c.tell(event{c: cl, reason: reason})
			return
		}
	}
}

// lineParser splits received bytes into lines, and detects the line ending of the client.
type lineParser struct {
	buf      [maxReceived]byte
	n        int // received
	ending   lineEnd
	detected bool
	skipping bool // the line is too long, its rest is left out
	useless  int  // bytes of line ends and of left out lines since the last line
}

// next returns the next line, without its end, or that one begins which is too long. Empty lines do
// not count.
func (p *lineParser) next() (e event, ok bool) {
	if !p.skipping {
		p.skipEnds()
	}
	i := bytes.IndexAny(p.buf[:p.n], "\r\n")
	switch {
	case i >= 0 && p.skipping:
		p.leaveOut(i)
		p.skipping = false
		return p.next()
	case i < 0 && p.skipping:
		p.leaveOut(p.n)
		return e, false
	case i < 0 && p.n == len(p.buf):
		p.skipping = true
		p.leaveOut(p.n)
		return event{tooLong: true, before: p.ending, after: p.ending}, true
	case i < 0:
		return e, false
	}
	e.line, e.before = bytes.Clone(p.buf[:i]), p.ending
	p.remove(i)
	p.useless = 0
	p.skipEnds()
	e.after = p.ending
	return e, true
}

// skipEnds skips line ends. The first that the client sends is its line end from then on.
func (p *lineParser) skipEnds() {
	i := 0
	for i < p.n && isEnd(p.buf[i]) {
		i++
	}
	if i > 0 && !p.detected {
		p.detected = true
		p.ending = lineEnd{p.buf[0]}
		if i > 1 && p.buf[1] != p.buf[0] {
			p.ending[1] = p.buf[1]
		}
	}
	p.leaveOut(i)
}

// leaveOut removes bytes that are of no use.
func (p *lineParser) leaveOut(n int) {
	p.useless += n
	p.remove(n)
}

func isEnd(b byte) bool { return b == '\r' || b == '\n' }

// remove removes the first bytes.
func (p *lineParser) remove(n int) { p.n = copy(p.buf[:], p.buf[n:p.n]) }

// cleanLine returns a line up to the first NUL, with spaces for control characters.
func cleanLine(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	for i, x := range b {
		if x < ' ' {
			b[i] = ' '
		}
	}
	return string(b)
}
