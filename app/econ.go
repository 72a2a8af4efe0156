package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

// econConsole is the external console of a Teeworlds server: lines over TCP.
type econConsole struct {
	conn net.Conn
	buf  []byte // received bytes after the last end of line
}

var (
	errEconPassword = errors.New("wrong password for the external console")
	errEconClosed   = errors.New("the external console closed the connection")
)

const (
	econDialTimeout    = 10 * time.Second
	econLoginTimeout   = 5 * time.Second
	econAnswerTimeout  = 3 * time.Second  // until the next line of output
	econCommandTimeout = 10 * time.Second // for all output of a command
	maxEconLine        = 64 << 10         // received bytes without an end of line
	maxEconOutput      = 1 << 20          // bytes of output of a command
	maxEconCommand     = 1300             // bytes of a line; servers accept no more
)

// openEcon connects to host:port. The external console has no default port.
func openEcon(ctx context.Context, host, password string) (remoteConsole, error) {
	a, err := transport.ParseAddress(host)
	switch {
	case err != nil:
		return nil, err
	case a.Scheme != "" && a.Scheme != "tcp":
		return nil, usageErrorf("%s is not the address of an external console; write it as HOST:PORT, with the server's ec_port", a)
	case a.Port == 0:
		return nil, fmt.Errorf("%s: an external console has no default port; add the port (ec_port), as in localhost:8304", host)
	}
	if strings.ContainsAny(password, "\r\n\x00") || password == "" || len(password) > maxEconCommand {
		return nil, errors.New("the password of an external console must have 1 to 1300 bytes and no line breaks")
	}
	d := net.Dialer{Timeout: econDialTimeout}
	conn, err := d.DialContext(ctx, "tcp", a.HostPort())
	if err != nil {
		return nil, err
	}
	e := &econConsole{conn: conn}
	if err := e.login(ctx, password); err != nil {
		conn.Close()
		return nil, err
	}
	return e, nil
}

// login waits for the prompt, sends the password and waits for the reply.
func (e *econConsole) login(ctx context.Context, password string) error {
	until := time.Now().Add(econLoginTimeout)
	asked := false
	for {
		line, err := e.readLine(ctx, until)
		if err != nil {
			// The reason that a server sends before it closes may lack an end of line.
			if rest := safetext.Line(bytes.Trim(e.buf, "\x00\r\n")); rest != "" && errors.Is(err, errEconClosed) {
				return errors.New(rest)
			}
			return err
		}
		switch {
		case !asked && strings.HasPrefix(line, "Enter password"):
			asked = true
			if err := e.sendLine(password); err != nil {
				return err
			}
		case asked && strings.HasPrefix(line, "Authentication successful"):
			_, err := e.exchange(ctx, "") // the server logs the login before the answer to this
			return err
		case asked && strings.HasPrefix(line, "Wrong password"):
			return errEconPassword
		case !asked || strings.HasPrefix(line, "Too many"):
			return errors.New(line)
		}
	}
}

func (e *econConsole) sendLine(line string) error {
	e.conn.SetWriteDeadline(time.Now().Add(econCommandTimeout))
	_, err := e.conn.Write([]byte(line + "\n"))
	return err
}

// errEconTimeout is the error of readLine when no line arrives in time.
var errEconTimeout = errors.New("the external console does not answer")

// readLine reads a line without its end. Servers end lines with line breaks and NULs.
func (e *econConsole) readLine(ctx context.Context, until time.Time) (string, error) {
	stop := context.AfterFunc(ctx, func() { e.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	chunk := make([]byte, 4096)
	for {
		e.buf = bytes.TrimLeft(e.buf, "\x00\r\n")
		if i := bytes.IndexAny(e.buf, "\r\n"); i >= 0 {
			line := safetext.Line(e.buf[:i])
			e.buf = e.buf[i:]
			return line, nil
		}
		if len(e.buf) > maxEconLine {
			return "", errors.New("the external console sent a line of more than 64 kB")
		}
		e.conn.SetReadDeadline(until)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := e.conn.Read(chunk)
		e.buf = append(e.buf, chunk[:n]...)
		var slow net.Error
		switch {
		case n > 0:
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.As(err, &slow) && slow.Timeout():
			return "", errEconTimeout
		case err != nil:
			return "", fmt.Errorf("%w (%v)", errEconClosed, err)
		}
	}
}

// Run implements remoteConsole. The output includes other lines that the server logs meanwhile. The
// protocol does not mark the end of the output, so Run sends another command after the line and
// waits for its answer.
func (e *econConsole) Run(ctx context.Context, line string) (string, error) {
	if line == "" {
		return "", nil
	}
	switch {
	case strings.ContainsAny(line, "\r\n\x00"):
		return "", wire.ErrCommand
	case len(line) > maxEconCommand:
		return "", fmt.Errorf("%w: the line has %d bytes, at most %d are allowed", client.ErrTooLong, len(line), maxEconCommand)
	}
	e.discardOutput(ctx)
	return e.exchange(ctx, line+"\n")
}

// exchange sends line, followed by an echo command. line must be empty or end with a line break. It
// returns the output before the echo.
func (e *econConsole) exchange(ctx context.Context, line string) (string, error) {
	mark := fmt.Sprintf("end-%016x", rand.Uint64())
	echo := "echo " + mark
	if err := e.sendLine(line + echo); err != nil {
		return "", fmt.Errorf("%w (%v)", errEconClosed, err)
	}
	var out strings.Builder
	for end := time.Now().Add(econCommandTimeout); time.Now().Before(end) && out.Len() < maxEconOutput; {
		text, err := e.readLine(ctx, time.Now().Add(econAnswerTimeout))
		switch {
		case errors.Is(err, errEconClosed) && isShutdown(line):
			return out.String(), errShutdown
		case (errors.Is(err, errEconTimeout) || errors.Is(err, errEconClosed)) && out.Len() > 0: // the command closed the connection, as "logout" does
			return out.String(), nil
		case err != nil:
			return out.String(), err
		case strings.Contains(text, echo): // the server logs each line that it runs
		case strings.Contains(text, mark):
			return out.String(), nil
		default:
			out.WriteString(text)
			out.WriteByte('\n')
		}
	}
	return out.String(), nil
}

// discardOutput drops the lines that the server logged since the last command. It takes at most a
// second.
func (e *econConsole) discardOutput(ctx context.Context) {
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		if _, err := e.readLine(ctx, time.Now().Add(time.Millisecond)); err != nil {
			return
		}
	}
}

// Close implements remoteConsole.
func (e *econConsole) Close() error { return e.conn.Close() }
