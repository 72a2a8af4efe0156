package halflife

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

// ErrAuth is returned when a server rejects the rcon password.
var ErrAuth = errors.New("halflife: wrong rcon password")

// ErrBanned is returned when a server has banned the client's address.
var ErrBanned = errors.New("halflife: banned by the server")

// ErrMayHaveRun is returned when a command was sent and no answer arrived. The command is not sent
// again.
var ErrMayHaveRun = errors.New("halflife: no answer; the command may have run")

const (
	rconAttempts         = 3
	rconChallengeTimeout = 500 * time.Millisecond
	rconAnswerTimeout    = 3 * time.Second        // for the first answer to a command
	rconIdleTimeout      = 200 * time.Millisecond // of silence that end the output
	maxRconDuration      = 5 * time.Second        // of output
	maxRconText          = 1 << 20
	maxDiscarded         = 1000 // batches
)

// RconClient runs commands on a server. It sends the password unencrypted. It is not safe for
// concurrent use.
type RconClient struct {
	// Timeout is how long to wait for the first answer to a command; 0 means 3 s.
	Timeout time.Duration

	conn     transport.Conn
	server   transport.Peer
	password string

	challenge uint32 // 0 if none is known
	batch     []transport.Datagram
	parts     wire.PartAssembler
	buf       []byte
}

// NewRconClient returns a client for a server. No other goroutine may read from conn. The error
// wraps wire.ErrPassword.
func NewRconClient(conn transport.Conn, server transport.Peer, password string) (*RconClient, error) {
	if _, err := wire.AppendRcon(nil, 0, password, ""); err != nil {
		return nil, err
	}
	return &RconClient{conn: conn, server: transport.Unmap(server), password: password, batch: make([]transport.Datagram, 8)}, nil
}

// Run runs a command and returns its output. The output is safe to show. The protocol does not mark
// its end, so Run returns after 200 ms of silence. An empty command checks the password.
//
// The error wraps ErrNoAnswer if the command was not sent, ErrMayHaveRun if it may have run, or
// ErrAuth, ErrBanned or wire.ErrCommand. Other errors come from ctx or the connection.
func (c *RconClient) Run(ctx context.Context, command string) (string, error) {
	defer context.AfterFunc(ctx, c.conn.Wake)()
	if _, err := wire.AppendRcon(nil, wire.MaxRconChallenge, c.password, command); err != nil {
		return "", err
	}
	for again := false; ; again = true {
		if c.challenge == 0 {
			if err := c.requestChallenge(ctx); err != nil {
				return "", err
			}
		}
		text, refused, err := c.execute(ctx, command)
		if err != nil {
			return "", err
		}
		if refused {
			// The server no longer accepts the challenge, so it did not run the command.
			c.challenge = 0
			if again {
				return "", fmt.Errorf("%w: the server rejected two of its own challenges", ErrNoAnswer)
			}
			continue
		}
		return text, rconError(text)
	}
}

// rconError returns the error that an answer stands for, or nil if it is the output of a command.
// The text must be safe to show.
func rconError(text string) error {
	if rest, ok := strings.CutPrefix(text, textBadPassword); ok {
		if reason := strings.TrimSpace(rest); reason != "" && !strings.Contains(reason, "\n") {
			return fmt.Errorf("%w: %s", ErrAuth, reason)
		}
		return ErrAuth
	}
	if strings.HasPrefix(text, strings.TrimSuffix(textBanned, "\n")) {
		return ErrBanned
	}
	return nil
}

// Challenge requests the challenge that commands need. An answer also shows that the server has a
// remote console. Run calls it when necessary. The error wraps ErrNoAnswer or ErrBanned, or comes
// from ctx or the connection.
func (c *RconClient) Challenge(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.conn.Wake)()
	return c.requestChallenge(ctx)
}

// challengePadding is the length in bytes to which requests are padded. A server may answer such a
// request from any address; see LegacyPolicy.
const challengePadding = 26

func (c *RconClient) requestChallenge(ctx context.Context) error {
	req := wire.AppendTextRequest(c.buf[:0], wire.RequestRconChallenge)
	for len(req) < challengePadding {
		req = append(req, 0)
	}
	c.buf = req
	for try := range rconAttempts {
		c.conn.Send(c.server, req)
		until := c.conn.Now() + int64(rconChallengeTimeout<<try)
		for {
			b, err := c.read(ctx, until)
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			if n, err := wire.ParseRconChallenge(b); err == nil && n != 0 {
				c.challenge = n
				return nil
			}
			if text, err := wire.ParsePrint(b); err == nil {
				if err := rconError(safetext.Lines(text)); err != nil {
					return err
				}
			}
		}
	}
	return fmt.Errorf("%w from %v to the request for an rcon challenge", ErrNoAnswer, c.server)
}

// execute sends the command once and collects the output.
func (c *RconClient) execute(ctx context.Context, command string) (text string, refused bool, err error) {
	req, err := wire.AppendRcon(c.buf[:0], c.challenge, c.password, command)
	if err != nil {
		return "", false, err
	}
	c.buf = req
	// Drop the output of earlier commands, up to the capacity of a receive buffer.
	for range maxDiscarded {
		if n, err := c.conn.ReadBatch(c.batch, c.conn.Now()-1); err != nil {
			return "", false, err
		} else if n == 0 {
			break
		}
	}
	c.conn.Send(c.server, req)
	var out []byte
	now := c.conn.Now()
	wait := int64(cmp.Or(c.Timeout, rconAnswerTimeout))
	until, end, heard := now+wait, now+wait+int64(maxRconDuration), false
	for {
		b, err := c.read(ctx, min(until, end))
		if err != nil {
			return "", false, err
		}
		if b == nil {
			if !heard {
				return "", false, fmt.Errorf("%w (%v)", ErrMayHaveRun, c.server)
			}
			return safetext.Lines(out), false, nil
		}
		if _, err := wire.ParseRefused(b); err == nil && !heard {
			return "", true, nil
		}
		piece, err := wire.ParsePrint(b)
		if err != nil {
			continue
		}
		if !heard {
			heard, end = true, c.conn.Now()+int64(maxRconDuration)
		}
		until = c.conn.Now() + int64(rconIdleTimeout)
		if out = append(out, piece...); len(out) > maxRconText {
			return safetext.Lines(out[:maxRconText]), false, nil
		}
	}
}

// read returns the next message from the server, or nil when the time is up.
func (c *RconClient) read(ctx context.Context, until int64) ([]byte, error) {
	for {
		d, ok, err := receive(ctx, c.conn, c.batch, c.server, until)
		if !ok {
			return nil, err
		}
		if !wire.IsPart(d.Data) {
			return d.Data, nil
		}
		if b := c.parts.Feed(d.ReceivedAt, d.Peer.AddrPort, d.Data); b != nil {
			return b, nil
		}
	}
}

// receive returns the next datagram from a peer. ok is false when the time is up.
func receive(ctx context.Context, c transport.Conn, batch []transport.Datagram, from transport.Peer, until int64) (d transport.Datagram, ok bool, err error) {
	if err := c.Flush(); err != nil {
		return d, false, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return d, false, err
		}
		// Read one datagram at a time, since the rest of a batch would be lost.
		n, err := c.ReadBatch(batch[:1], until)
		switch {
		case err != nil:
			return d, false, err
		case c.Now() >= until: // even if more datagrams are waiting, since they may never end
			return d, false, ctx.Err()
		case n == 1 && batch[0].Peer == from:
			return batch[0], true, nil
		}
	}
}
