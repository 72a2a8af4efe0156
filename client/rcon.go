package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
)

// ErrRcon: the remote console did not let us in.
var ErrRcon = errors.New("client: not logged into the remote console")

// rconState is the rconState console.
type rconState struct {
	loggedIn bool
	runs     []*rconRun
}

// rconRun collects lines until one has the mark.
type rconRun struct {
	endMark string
	lines   []string
	err     error // why there will be no more
	done    chan struct{}
}

// maxRconLines bounds the lines collected for one command.
const maxRconLines = 4096

func (r *rconState) addLine(line string) {
	for i, w := range r.runs {
		if strings.Contains(line, w.endMark) {
			close(w.done)
			r.runs = append(r.runs[:i], r.runs[i+1:]...)
			return
		}
		if len(w.lines) < maxRconLines {
			w.lines = append(w.lines, line)
		}
	}
}

// endRuns ends the console.
func (r *rconState) endRuns(err error) {
	r.loggedIn = false
	for _, w := range r.runs {
		w.err = err
		close(w.done)
	}
	r.runs = nil
}

// RconLogin logs into the remote console. RconAuth follows, or a line that says
// why not.
func (c *Client) RconLogin(password string) error {
	return c.RconLoginAs(c.cfg.RconName, password)
}

// RconLoginAs is RconLogin with a name, for servers that have them.
func (c *Client) RconLoginAs(name, password string) error {
	return c.request(func(g bridge.ClientSide) { g.SendRconAuth(name, password) })
}

// Rcon sends a line to the remote console; what it prints comes as RconLine events.
func (c *Client) Rcon(line string) error {
	return c.request(func(g bridge.ClientSide) { g.SendRconCmd(line) })
}

// RconRun runs a line in the remote console and returns what the console printed
// until it was done, other players' doings among it. It waits, so it is not for
// Config.OnEvent and its like. The error wraps ErrRcon when not logged in, or no
// longer; ErrClosed when the connection ends before; or is what ended ctx.
//
// The end is told by a second line, a command that no server has: every console
// names it in its refusal.
func (c *Client) RconRun(ctx context.Context, line string) ([]string, error) {
	w := &rconRun{endMark: fmt.Sprintf("end-%016x", rand.Uint64()), done: make(chan struct{})}
	c.mu.Lock()
	if !c.rcon.loggedIn {
		c.mu.Unlock()
		return nil, ErrRcon
	}
	c.rcon.runs = append(c.rcon.runs, w)
	c.mu.Unlock()
	err := c.request(func(g bridge.ClientSide) {
		g.SendRconCmd(line)
		g.SendRconCmd(w.endMark)
	})
	if err == nil {
		select {
		case <-w.done:
			if w.err != nil {
				return nil, fmt.Errorf("%w: during %q", w.err, line)
			}
			return w.lines, nil
		case <-ctx.Done():
			err = fmt.Errorf("client: %q: %w", line, context.Cause(ctx))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.rcon.runs, w); i >= 0 {
		c.rcon.runs = slices.Delete(c.rcon.runs, i, i+1)
	}
	return nil, err
}
