package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
)

// ErrRcon means that the client is not logged into the remote console.
var ErrRcon = errors.New("client: not logged in to the remote console")

// MaxRconLine is the maximum length of a line for the remote console, in bytes: it fits a message
// of every protocol version. The servers of Teeworlds and DDNet run commands of up to 1023 bytes.
const MaxRconLine = 1021

// maxRconLogin is the maximum length of a name or a password, in bytes. The original client sends
// no more.
const maxRconLogin = 32

// maxPassword is the maximum length of a server's password, in bytes.
const maxPassword = 128

// ErrTooLong means that a text exceeds the maximum length.
var ErrTooLong = errors.New("client: too long")

// checkLength returns an error if a text has more than most bytes.
func checkLength(what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return fmt.Errorf("%w: %s has %d bytes, at most %d are allowed", ErrTooLong, what, len(text), most)
}

// rconState is the state of the remote console.
type rconState struct {
	loggedIn bool
	runs     []*rconRun
}

// rconRun collects the output of a command: the lines up to the one that contains endMark.
type rconRun struct {
	endMark string
	lines   []string
	err     error // the reason why the output is incomplete
	done    chan struct{}
}

// maxRconLines limits the lines collected for one command.
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

// endRuns ends all running commands with an error.
func (r *rconState) endRuns(err error) {
	r.loggedIn = false
	for _, w := range r.runs {
		w.err = err
		close(w.done)
	}
	r.runs = nil
}

// RconLogin logs into the remote console. The event RconAuth follows, or an RconLine with the
// reason for a failure.
func (c *Client) RconLogin(password string) error {
	return c.RconLoginAs(c.cfg.RconName, password)
}

// RconLoginAs is RconLogin with a name, for servers with accounts. The error wraps ErrTooLong if
// the name or password has more than 32 bytes.
func (c *Client) RconLoginAs(name, password string) error {
	if err := cmp.Or(checkLength("the login name", name, maxRconLogin), checkLength("the rcon password", password, maxRconLogin)); err != nil {
		return err
	}
	return c.request(func(g bridge.ClientSide) { g.SendRconAuth(name, password) })
}

// Rcon sends a line to the remote console. The output arrives as RconLine events. The error wraps
// ErrTooLong if the line has more than MaxRconLine bytes.
func (c *Client) Rcon(line string) error {
	if err := checkLength("the line", line, MaxRconLine); err != nil {
		return err
	}
	return c.request(func(g bridge.ClientSide) { g.SendRconCmd(line) })
}

// RconRun runs a line in the remote console and returns the lines that the console printed
// meanwhile. They may include output of other operators. With an error, it returns the lines so
// far. It waits, so the functions of Config must not call it. The error wraps ErrRcon if the client
// is not or no longer logged in, ErrTooLong if the line has more than MaxRconLine bytes, ErrClosed
// if the connection ended, or the cause of ctx's end.
//
// To find the end of the output, RconRun sends a second line with a command that does not exist.
// All consoles repeat that command in their reply. Teeyard's console logs nothing about it; others
// log an unknown command. With an empty line, RconRun only waits for that reply.
func (c *Client) RconRun(ctx context.Context, line string) ([]string, error) {
	if err := checkLength("the line", line, MaxRconLine); err != nil {
		return nil, err
	}
	w := &rconRun{endMark: fmt.Sprintf("end-%016x", rand.Uint64()), done: make(chan struct{})}
	c.mu.Lock()
	if !c.rcon.loggedIn {
		c.mu.Unlock()
		return nil, ErrRcon
	}
	c.rcon.runs = append(c.rcon.runs, w)
	c.mu.Unlock()
	err := c.request(func(g bridge.ClientSide) {
		if line != "" {
			g.SendRconCmd(line)
		}
		g.SendRconCmd(w.endMark)
	})
	if err == nil {
		select {
		case <-w.done:
			if w.err != nil {
				return w.lines, fmt.Errorf("%w: during %q", w.err, line)
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
	return w.lines, err
}
