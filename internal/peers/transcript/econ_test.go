//go:build peers

package transcript

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/transport"
)

// econClient is a client of a server's external console.
type econClient struct {
	conn  net.Conn
	mu    sync.Mutex
	lines []string
}

// dialEcon connects and logs in.
func dialEcon(t *testing.T, addr transport.Peer) *econClient {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &econClient{conn: conn}
	go func() {
		for in := bufio.NewScanner(conn); in.Scan(); {
			line := strings.Trim(in.Text(), "\x00")
			// The original sometimes loses its last line before it closes. It logs the team balance
			// with the next tick, at a random place among other lines.
			if line == "" || line == "Closing console" || strings.Contains(line, "[game]: Teams are ") {
				continue
			}
			c.mu.Lock()
			c.lines = append(c.lines, line)
			c.mu.Unlock()
		}
	}()
	c.send("econpw")
	return c
}

func (c *econClient) send(line string) { io.WriteString(c.conn, line+"\n") }

// take returns the lines since the last call.
func (c *econClient) take() []string {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	return lines
}

// got returns a condition: a line of this step contains the text.
func (c *econClient) got(text string) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, l := range c.lines {
			if strings.Contains(l, text) {
				return true
			}
		}
		return false
	}
}
