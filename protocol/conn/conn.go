// Package conn is the connection of Teeworlds 0.7 and 0.6, of a client or a server,
// without input and output: it is told the time, fed datagrams and polled, and gives
// datagrams to a function. It has no clock, goroutine, lock or socket, and in its
// steady state it allocates nothing.
//
// One Conn serves both versions. Which one it is shows when it begins, with Dial or
// Dial6, Accept or Accept6, and does not change; everything else is the same. Packets
// that are clearly of the other version are dropped as packet.DropOtherVersion.
//
// A server keeps no state for addresses that have not proved themselves: Tokens
// judges their datagrams (Judge, Judge6), and only an Admit verdict leads to
// Conn.Accept or Conn.Accept6. The exception is 0.6's oldest handshake, Plain, which
// proves nothing; AppendChallenge is how to make it do so.
//
// The rules are the original's, except where those let a peer do harm or lose what
// could be saved: the token is checked before the ack counts; an ack counts before a
// resend request of the same packet is obeyed; such requests are limited in time;
// what is not acked for a second is resent as a whole packet, not as one chunk; a
// full resend buffer is an error like a timeout; a packet has at most 255 chunks.
// Those of 0.6 are in the comment of Handshake.
//
// A silent peer is given up after 10 s, as Teeworlds does in both versions; DDNet's
// own programs wait for 100 s.
package conn

import (
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Time is a moment in nanoseconds of a clock that never goes back. Only
// differences matter.
type Time int64

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// How long things take. Every one of them has to be exceeded.
const (
	timeout        = 10 * time.Second       // nothing received
	dialTimeout    = 5 * time.Second        // no token received
	handshakeEvery = 500 * time.Millisecond // a handshake message is repeated
	flushAfter     = 500 * time.Millisecond // pending chunks are sent unasked
	keepAliveAfter = time.Second            // sent when nothing else was
)

// The reasons that a connection itself gives for its end. Tools and players know
// these texts.
const (
	ReasonTimeout     = "Timeout"
	ReasonUnreachable = "Unable to connect to the server"
	ReasonNotAcked    = "Too weak connection (not acked for 10 seconds)"
	ReasonOutOfBuffer = "too weak connection (out of buffer)"
)

var (
	// ErrWrongState means that the connection's state does not allow the call.
	ErrWrongState = errors.New("conn: not possible in this state")
	// ErrTooLarge means that a payload exceeds Conn.MaxPayload.
	ErrTooLarge = errors.New("conn: payload does not fit a packet")
	// ErrOutOfBuffer means that the peer has left too many vital chunks
	// unacked. The connection is in StateError then.
	ErrOutOfBuffer = errors.New("conn: resend buffer is full")
	// ErrConfig means that a Config cannot be used.
	ErrConfig = errors.New("conn: bad config")
)

// State of a connection.
type State uint8

const (
	StateOffline State = iota // no connection
	StateToken                // client, 0.7: waits for the server's token
	StateConnect              // client: waits for ACCEPT, 0.6's CONNECTACCEPT
	StatePending              // server: waits for the first chunks
	StateOnline               // chunks flow
	StateError                // ended by the peer or by itself; see Reason
)

var stateText = [...]string{"offline", "token", "connect", "pending", "online", "error"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateText) {
		return stateText[s]
	}
	return "unknown state"
}

// Handler receives what a connection delivers.
type Handler interface {
	// Chunk takes one payload: vital ones exactly once and in order, others
	// as they come. payload is borrowed until Chunk returns; changing it in
	// place is allowed. Chunk may call any method of the connection but
	// Feed.
	Chunk(payload []byte, vital bool)
}

// Buffers is working space. Connections that are used by one goroutine can share
// one, if none is fed while another one's Handler runs.
type Buffers struct {
	in  packet.Scratch
	out [packet.MaxEncodedSize]byte
}

// Config of a connection.
type Config struct {
	// Send takes a datagram to the peer. It is borrowed until Send returns.
	// Required. Send must not call the connection.
	Send func(datagram []byte)
	// ResendBuffer is how much may wait for the peer's ack, in bytes: of
	// every vital chunk its size and ResendOverhead. 0 means 32768, which the
	// original has.
	ResendBuffer int
	// Buffers is shared working space; nil means own.
	Buffers *Buffers
}

// Conn is a connection of either role and version. It must not be copied, and it is
// for one goroutine. Init it before use; then Dial, Dial6, Accept or Accept6; after
// Close it can be used again.
type Conn struct {
	core
	send    func([]byte)
	buffers *Buffers

	state        State
	server       bool
	remoteClosed bool
	generation   uint32 // changes when the connection ends
	token        packet.Token
	peerToken    packet.Token
	lastRecv     Time
	reason       string
	drops        [packet.NumDropReasons]uint32
	six          six // what only 0.6 has
}

// New returns a connection in StateOffline.
func New(cfg Config) (*Conn, error) {
	c := new(Conn)
	if err := c.Init(cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// Init makes c a connection in StateOffline, whatever it was before. It is New for
// a Conn that lies in a slot of its owner.
func (c *Conn) Init(cfg Config) error {
	if cfg.Send == nil {
		return fmt.Errorf("%w: no Send function", ErrConfig)
	}
	if cfg.ResendBuffer < 0 {
		return fmt.Errorf("%w: negative resend buffer", ErrConfig)
	}
	if cfg.ResendBuffer == 0 {
		cfg.ResendBuffer = DefaultResendBuffer
	}
	if cfg.Buffers == nil {
		cfg.Buffers = new(Buffers)
	}
	*c = Conn{send: cfg.Send, buffers: cfg.Buffers, generation: c.generation}
	c.core.init(c, cfg.ResendBuffer)
	c.Reset()
	return nil
}

// Reset returns c to StateOffline without telling the peer. Counters and the
// reason start anew.
func (c *Conn) Reset() {
	c.offline()
	c.reason = ""
	c.drops = [packet.NumDropReasons]uint32{}
}

func (c *Conn) offline() {
	c.core.reset()
	c.state = StateOffline
	c.server, c.remoteClosed = false, false
	c.generation++
	c.token, c.peerToken = packet.NoToken, packet.NoToken
	c.core.limit = packet.MaxPayload
	c.six = six{}
}

// Dial begins a connection as a client, with own as the token that the server
// shall use. It should be random; the original uses 31 bits. ErrWrongState unless
// offline, ErrConfig for packet.NoToken.
func (c *Conn) Dial(now Time, own packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: dial while %v", ErrWrongState, c.state)
	}
	if own == packet.NoToken {
		return fmt.Errorf("%w: no own token", ErrConfig)
	}
	c.Reset()
	c.token = own
	c.state = StateToken
	c.lastRecv = now
	c.sendHandshake(now)
	return nil
}

// Accept begins a connection as the server, for a CONNECT that Tokens.Judge
// admitted: own is the packet's token, peer its response token. It answers with
// ACCEPT. ErrWrongState unless offline, ErrConfig for packet.NoToken.
//
// Nothing else of the CONNECT counts: neither its ack nor its flags.
func (c *Conn) Accept(now Time, own, peer packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: accept while %v", ErrWrongState, c.state)
	}
	if own == packet.NoToken || peer == packet.NoToken {
		return fmt.Errorf("%w: missing token", ErrConfig)
	}
	c.Reset()
	c.server = true
	c.token, c.peerToken = own, peer
	c.state = StatePending
	c.lastRecv = now
	c.sendHandshake(now)
	return nil
}

// Close tells the peer the reason, unless the peer closed first, and returns to
// StateOffline. A connection in StateError closes with its own reason when reason is
// empty. Chunks not yet flushed are not sent. Reason keeps the reason until the
// connection is used again.
func (c *Conn) Close(now Time, reason string) {
	if c.state == StateOffline {
		return
	}
	if reason == "" {
		reason = c.reason
	}
	if !c.remoteClosed {
		c.reason = reason
		c.lastSend = now
		if c.six.on {
			c.send(packet.AppendClose6(c.buffers.out[:0], c.ack, c.six.guard, reason))
		} else {
			c.send(packet.AppendClose(c.buffers.out[:0], c.ack, c.peerToken, reason))
		}
	}
	c.offline()
}

// Queue adds a payload to the packet under construction; a full packet is sent
// first. Vital payloads are kept and resent until the peer acks them. payload may
// have up to MaxPayload bytes and is copied.
//
// ErrWrongState unless online, ErrTooLarge for a longer payload. When a vital payload
// does not fit the resend buffer, or 511 are unacked already, the connection fails
// with ReasonOutOfBuffer: the error is ErrOutOfBuffer, and Close tells the peer.
// Room tells in advance.
func (c *Conn) Queue(now Time, payload []byte, vital bool) error {
	switch {
	case c.state != StateOnline:
		return ErrWrongState
	case len(payload) > c.MaxPayload():
		return ErrTooLarge
	}
	if !c.core.queue(now, payload, vital) {
		c.fail(ReasonOutOfBuffer)
		return ErrOutOfBuffer
	}
	return nil
}

// Flush sends the packet under construction if it has chunks or asks for a resend.
func (c *Conn) Flush(now Time) {
	if c.state == StateOnline {
		c.core.flush(now)
	}
}

// Update does what is due: timeouts, resends, keep-alives, repeated handshake
// messages, and flushing what waits for long. Call it some times a second at least;
// the original does so in every round of its main loop. A connection that fails is
// in StateError afterwards.
func (c *Conn) Update(now Time) {
	silent := now.Sub(c.lastRecv)
	switch c.state {
	case StateOffline, StateError:
		return
	case StateToken:
		if silent > dialTimeout {
			c.fail(ReasonUnreachable)
			return
		}
	case StateConnect:
		if c.six.on && silent > dialTimeout {
			c.fail(ReasonUnreachable)
			return
		}
		fallthrough
	default:
		if silent > timeout {
			c.fail(ReasonTimeout)
			return
		}
	}
	if !c.core.update(now) {
		c.fail(ReasonNotAcked)
		return
	}
	if c.state != StateOnline {
		if now.Sub(c.lastSend) > handshakeEvery {
			c.sendHandshake(now)
		}
		return
	}
	if c.six.unconfirmed && now.Sub(c.six.confirmed) > confirmEvery {
		c.confirm(now)
	}
	if now.Sub(c.lastSend) > flushAfter {
		c.core.flush(now)
	}
	if now.Sub(c.lastSend) > keepAliveAfter {
		c.lastSend = now
		if c.six.on {
			c.send(packet.AppendControl6(c.buffers.out[:0], c.ack, c.six.guard, packet.ControlKeepAlive))
		} else {
			c.send(packet.AppendControl(c.buffers.out[:0], c.ack, c.peerToken, packet.ControlKeepAlive))
		}
	}
}

// sendHandshake sends the message that the state calls for.
func (c *Conn) sendHandshake(now Time) {
	c.lastSend = now
	if c.six.on {
		c.sendHandshake6()
		return
	}
	out := c.buffers.out[:0]
	switch c.state {
	case StateToken:
		out = packet.AppendTokenRequest(out, c.token)
	case StateConnect:
		out = packet.AppendConnect(out, c.peerToken, c.token)
	case StatePending:
		out = packet.AppendControl(out, c.ack, c.peerToken, packet.ControlAccept)
	default:
		return
	}
	c.send(out)
}

func (c *Conn) fail(reason string) {
	c.state = StateError
	c.reason = reason
	c.generation++
}

// The framing that core asks for.

func (c *Conn) appendChunkHeader(dst []byte, flags packet.ChunkFlags, seq, size int) []byte {
	if c.six.on {
		return packet.AppendChunkHeader6(dst, flags, seq, size)
	}
	return packet.AppendChunkHeader(dst, flags, seq, size)
}

func (c *Conn) sendPacket(flags packet.Flags, ack, chunks int, payload []byte) {
	out := c.buffers.out[:0]
	if c.six.on {
		out = packet.AppendPacket6(out, flags, ack, chunks, c.six.guard, payload)
	} else {
		out = packet.AppendPacket(out, flags, ack, chunks, c.peerToken, payload)
	}
	c.send(out)
}

// State returns the connection's state.
func (c *Conn) State() State { return c.state }

// MaxPayload returns how long a payload may be for Queue, in bytes:
// packet.MaxChunkSize, or packet.MaxChunkSize6 for a 0.6 connection.
func (c *Conn) MaxPayload() int {
	if c.six.on {
		return packet.MaxChunkSize6
	}
	return packet.MaxChunkSize
}

// Reason returns why the connection ended, or "". As in the original a server keeps
// no text of its clients: it sees "" when the client closed.
func (c *Conn) Reason() string { return c.reason }

// ClosedByPeer reports whether StateError comes from the peer's CLOSE.
func (c *Conn) ClosedByPeer() bool { return c.remoteClosed }

// Token returns the token that the peer must use, or packet.NoToken. In a 0.6
// connection with a token both ends use the same.
func (c *Conn) Token() packet.Token { return c.token }

// PeerToken returns the token that the peer handed out, or packet.NoToken.
func (c *Conn) PeerToken() packet.Token { return c.peerToken }

// Unacked returns how many vital chunks the peer has not acked yet, 0..511, and what
// they take of the resend buffer, in bytes.
func (c *Conn) Unacked() (chunks, bytes int) { return c.core.unacked.n, c.core.unacked.used }

// FreeResendBuffer returns how long a vital payload may be, in bytes, for Queue to accept it
// without overflowing the resend buffer. It can be more than one payload may have,
// and then tells how much is left for several: each takes its size and ResendOverhead. It
// is negative when there is no room at all.
func (c *Conn) FreeResendBuffer() int {
	if c.core.unacked.n == MaxUnacked {
		return -1
	}
	return c.core.unacked.limit - c.core.unacked.used - ResendOverhead
}

// LastReceived returns when the peer last showed that it is there.
func (c *Conn) LastReceived() Time { return c.lastRecv }

// DropCounts returns how many datagrams were not taken, by packet.DropReason, since the
// connection began.
func (c *Conn) DropCounts() *[packet.NumDropReasons]uint32 { return &c.drops }
