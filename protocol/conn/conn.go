// Package conn implements the connections of Teeworlds 0.7 and 0.6, for clients and servers,
// without doing any I/O. The caller passes the time, feeds datagrams, calls Update regularly, and
// receives datagrams to send through a function. The package has no clock, goroutine, lock or
// socket. In its steady state it does not allocate.
//
// Conn implements both versions. Dial, Dial6, Accept or Accept6 choose the version of a connection
// until it ends; all other methods are the same. Packets that clearly belong to the other version
// are dropped as packet.DropOtherVersion.
//
// A server keeps no state for addresses that have not proved themselves. TokenIssuer inspects their
// datagrams with Inspect and Inspect6, and only ActionAccept leads to Conn.Accept or Conn.Accept6.
// The exception is HandshakePlain, the oldest handshake of 0.6: it proves nothing.
// TokenIssuer.AppendChallenge makes such clients prove their address.
//
// The package follows the original's rules, except where they let a peer do harm or lose data:
//
//   - The token is checked before the ack takes effect.
//   - The ack of a packet takes effect before its resend request.
//   - Only chunks that were sent can be acked.
//   - A resend request is ignored if the missing chunk may still be on its way. The answer is as
//     large as the losses so far allow.
//   - Chunks without an ack for a second are resent as a few packets, not one by one.
//   - Each ack restarts the 10 s after which a connection without acks ends.
//   - A full resend buffer ends the connection, as a timeout does.
//   - A packet has at most 255 chunks.
//
// Handshake describes the differences of 0.6.
//
// A silent peer times out after 10 s, as in Teeworlds 0.6 and 0.7. DDNet's own programs wait for
// 100 s.
package conn

import (
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Time is a point in time, in nanoseconds of a monotonic clock. Only differences matter.
type Time int64

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Timeout is the default time without received datagrams after which a connection ends.
const Timeout = 10 * time.Second

// Each of these actions happens when more than the given time has passed.
const (
	dialTimeout       = 5 * time.Second        // gives up without the server's token
	handshakeInterval = 500 * time.Millisecond // repeats a handshake message
	autoFlushAfter    = 500 * time.Millisecond // sends pending chunks without a Flush
	keepAliveAfter    = time.Second            // sends a keep-alive if nothing else was sent
)

// Reasons that a connection itself gives for its end. Tools and players know these texts.
const (
	ReasonTimeout     = "Timeout"
	ReasonUnreachable = "Unable to connect to the server"
	ReasonNotAcked    = "Too weak connection (not acked for 10 seconds)"
	ReasonOutOfBuffer = "too weak connection (out of buffer)"
)

var (
	// ErrWrongState means that the connection's state does not allow the call.
	ErrWrongState = errors.New("conn: wrong state")
	// ErrTooLarge means that a payload exceeds Conn.MaxPayload.
	ErrTooLarge = errors.New("conn: payload does not fit a packet")
	// ErrOutOfBuffer means that the peer has left too many vital chunks unacked. The connection is
	// then in StateError.
	ErrOutOfBuffer = errors.New("conn: resend buffer is full")
	// ErrConfig means that a Config cannot be used.
	ErrConfig = errors.New("conn: bad config")
)

// State is the state of a connection.
type State uint8

const (
	StateOffline State = iota // no connection
	StateToken                // client, 0.7: waits for the server's token
	StateConnect              // client: waits for ACCEPT, in 0.6 for CONNECTACCEPT
	StatePending              // server: waits for the first chunks
	StateOnline               // connected
	StateError                // ended by the peer or by an error; see Reason
)

var stateNames = [...]string{"offline", "token", "connect", "pending", "online", "error"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown state"
}

// Handler receives the payloads that a connection delivers.
type Handler interface {
	// Chunk handles one payload. Vital payloads arrive exactly once and in order, others as they
	// are received. payload is borrowed until Chunk returns and may be modified. Chunk may call any
	// method of the connection except Feed.
	Chunk(payload []byte, vital bool)
}

// Buffers is working memory. Connections that are used by one goroutine can share Buffers, unless
// the Handler of one connection feeds another.
type Buffers struct {
	in  packet.Scratch
	out [packet.MaxEncodedSize]byte
}

// Config configures a connection.
type Config struct {
	// Send sends a datagram to the peer. Send is required. The datagram is borrowed until Send
	// returns. Send must not call the connection.
	Send func(datagram []byte)
	// SendCompressed sends a datagram that is compressed. The receiver of such a datagram ignores
	// any bytes after it, so padding may be added. nil means Send.
	SendCompressed func(datagram []byte)
	// ResendBuffer limits the vital chunks that wait for the peer's ack, in bytes. Each chunk
	// counts with its size and ResendOverhead. 0 means DefaultResendBuffer.
	ResendBuffer int
	// Buffers is shared working memory; nil means that the connection has its own.
	Buffers *Buffers
}

// Conn is a connection of a client or server, in either version. Do not copy it or use it from
// several goroutines at once. Call Init first, then Dial, Dial6, Accept or Accept6. After Close it
// can be used again.
type Conn struct {
	reliability
	send, sendCompressed func([]byte)
	buffers              *Buffers

	state        State
	isServer     bool
	closedByPeer bool
	generation   uint32 // changes when the connection ends
	token        packet.Token
	peerToken    packet.Token
	lastReceived Time
	timeout      time.Duration // maximum time without a received datagram, or without an ack of sent chunks
	reason       string
	dropCounts   [packet.NumDropReasons]uint32
	v6           v6State
}

// New returns a connection in StateOffline.
func New(cfg Config) (*Conn, error) {
	c := new(Conn)
	if err := c.Init(cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// Init makes c a connection in StateOffline, whatever it was before. Use it instead of New for a
// Conn that is a struct field or an array element.
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
	if cfg.SendCompressed == nil {
		cfg.SendCompressed = cfg.Send
	}
	*c = Conn{send: cfg.Send, sendCompressed: cfg.SendCompressed, buffers: cfg.Buffers, generation: c.generation}
	c.reliability.init(c, cfg.ResendBuffer)
	c.Reset()
	return nil
}

// Reset returns c to StateOffline without notifying the peer, and clears the counters and the
// reason.
func (c *Conn) Reset() {
	c.offline()
	c.reason = ""
	c.dropCounts = [packet.NumDropReasons]uint32{}
}

func (c *Conn) offline() {
	c.reliability.reset()
	c.state = StateOffline
	c.isServer, c.closedByPeer = false, false
	c.generation++
	c.token, c.peerToken = packet.NoToken, packet.NoToken
	c.maxPayload = packet.MaxPayload
	c.timeout = Timeout
	c.v6 = v6State{}
}

// Dial begins a 0.7 connection as a client. own is the token that the server has to use. The token
// should be random; the original uses 31 bits. The error is ErrWrongState unless the connection is
// offline, and ErrConfig for packet.NoToken.
func (c *Conn) Dial(now Time, own packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: dial while %v", ErrWrongState, c.state)
	}
	if own == packet.NoToken {
		return fmt.Errorf("%w: own token is missing", ErrConfig)
	}
	c.Reset()
	c.token = own
	c.state = StateToken
	c.lastReceived = now
	c.sendHandshake(now)
	return nil
}

// Accept begins a 0.7 connection as the server, after TokenIssuer.Inspect returned ActionAccept for
// a CONNECT. own is the packet's token, and peer is its response token. Accept answers with ACCEPT.
// Accept ignores the ack and flags of the CONNECT. The error is ErrWrongState unless the connection
// is offline, and ErrConfig for packet.NoToken.
func (c *Conn) Accept(now Time, own, peer packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: accept while %v", ErrWrongState, c.state)
	}
	if own == packet.NoToken || peer == packet.NoToken {
		return fmt.Errorf("%w: a token is missing", ErrConfig)
	}
	c.Reset()
	c.isServer = true
	c.token, c.peerToken = own, peer
	c.state = StatePending
	c.lastReceived = now
	c.sendHandshake(now)
	return nil
}

// Close sends the reason to the peer, unless the peer closed first, and returns to StateOffline.
// With an empty reason, a connection in StateError closes with its own reason. Chunks that were not
// flushed are discarded. Reason returns the reason until the connection is used again.
func (c *Conn) Close(now Time, reason string) {
	if c.state == StateOffline {
		return
	}
	if reason == "" {
		reason = c.reason
	}
	if !c.closedByPeer {
		c.reason = reason
		c.lastSend = now
		if c.v6.active {
			c.send(packet.AppendClose6(c.buffers.out[:0], c.recvSeq, c.v6.token, reason))
		} else {
			c.send(packet.AppendClose(c.buffers.out[:0], c.recvSeq, c.peerToken, reason))
		}
	}
	c.offline()
}

// Queue adds a copy of payload to the packet under construction. If it does not fit, Queue first
// sends the packet. payload may have up to MaxPayload bytes. Vital payloads are kept and resent
// until the peer acks them. Vital payloads wait behind chunks that are being resent; see
// HasBacklog.
//
// The error is ErrWrongState unless the connection is online, and ErrTooLarge for a longer payload.
// The connection fails with ReasonOutOfBuffer if a vital payload does not fit the resend buffer, or
// if MaxUnacked payloads are already unacked. The error is then ErrOutOfBuffer, and Close sends the
// reason to the peer. FreeResendBuffer shows the space in advance.
func (c *Conn) Queue(now Time, payload []byte, vital bool) error {
	switch {
	case c.state != StateOnline:
		return ErrWrongState
	case len(payload) > c.MaxPayload():
		return ErrTooLarge
	}
	if !c.queueChunk(now, payload, vital) {
		c.fail(ReasonOutOfBuffer)
		return ErrOutOfBuffer
	}
	return nil
}

// Flush sends the packet under construction if it has chunks or a resend request.
func (c *Conn) Flush(now Time) {
	if c.state == StateOnline {
		c.flush(now)
	}
}

// SetTimeout changes the time after which a connection ends if nothing is received, or if no ack is
// received. The setting applies until Reset; the default is Timeout. A peer that loads a map may
// not answer for a while.
func (c *Conn) SetTimeout(d time.Duration) { c.timeout = d }

// notAcked returns the reason for the end of a connection without acks.
func notAcked(timeout time.Duration) string {
	if timeout == Timeout {
		return ReasonNotAcked
	}
	return fmt.Sprintf("Too weak connection (not acked for %d seconds)", timeout/time.Second)
}

// Update performs the actions that depend on time: timeouts, resends, keep-alives, repeated
// handshake messages, and flushing chunks that have waited long. Call it at least several times a
// second; the original does so in every round of its main loop. A connection that fails is in
// StateError afterwards.
func (c *Conn) Update(now Time) {
	silence := now.Sub(c.lastReceived)
	switch c.state {
	case StateOffline, StateError:
		return
	case StateToken:
		if silence > dialTimeout {
			c.fail(ReasonUnreachable)
			return
		}
	case StateConnect:
		if c.v6.active && silence > dialTimeout {
			c.fail(ReasonUnreachable)
			return
		}
		fallthrough
	default:
		if silence > c.timeout {
			c.fail(ReasonTimeout)
			return
		}
	}
	if !c.reliability.update(now, c.timeout) {
		c.fail(notAcked(c.timeout))
		return
	}
	if c.state != StateOnline {
		if now.Sub(c.lastSend) > handshakeInterval {
			c.sendHandshake(now)
		}
		return
	}
	if c.v6.acceptUnanswered && now.Sub(c.v6.acceptSent) > acceptInterval {
		c.sendAccept6(now)
	}
	if now.Sub(c.lastSend) > autoFlushAfter {
		c.flush(now)
	}
	if now.Sub(c.lastSend) > keepAliveAfter {
		c.lastSend = now
		if c.v6.active {
			c.send(packet.AppendControl6(c.buffers.out[:0], c.recvSeq, c.v6.token, packet.ControlKeepAlive))
		} else {
			c.send(packet.AppendControl(c.buffers.out[:0], c.recvSeq, c.peerToken, packet.ControlKeepAlive))
		}
	}
}

// sendHandshake sends the handshake message of the current state.
func (c *Conn) sendHandshake(now Time) {
	c.lastSend = now
	if c.v6.active {
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
		out = packet.AppendControl(out, c.recvSeq, c.peerToken, packet.ControlAccept)
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

func (c *Conn) appendChunkHeader(dst []byte, flags packet.ChunkFlags, seq, size int) []byte {
	if c.v6.active {
		return packet.AppendChunkHeader6(dst, flags, seq, size)
	}
	return packet.AppendChunkHeader(dst, flags, seq, size)
}

func (c *Conn) sendPacket(flags packet.Flags, ack, numChunks int, payload []byte) {
	out := c.buffers.out[:0]
	var compressed bool
	if c.v6.active {
		out = packet.AppendPacket6(out, flags, ack, numChunks, c.v6.token, payload)
		compressed = packet.IsCompressed6(out)
	} else {
		out = packet.AppendPacket(out, flags, ack, numChunks, c.peerToken, payload)
		compressed = packet.IsCompressed(out)
	}
	if compressed {
		c.sendCompressed(out)
	} else {
		c.send(out)
	}
}

// State returns the connection's state.
func (c *Conn) State() State { return c.state }

// MaxPayload returns the largest payload for Queue, in bytes: packet.MaxChunkSize, or
// packet.MaxChunkSize6 for a 0.6 connection.
func (c *Conn) MaxPayload() int {
	if c.v6.active {
		return packet.MaxChunkSize6
	}
	return packet.MaxChunkSize
}

// Reason returns the reason why the connection ended, or "". A server ignores the reasons of its
// clients, as the original does: after a client closed, Reason is "".
func (c *Conn) Reason() string { return c.reason }

// ClosedByPeer reports whether the connection ended with the peer's CLOSE.
func (c *Conn) ClosedByPeer() bool { return c.closedByPeer }

// Token returns the token that the peer must use, or packet.NoToken. In a 0.6 connection with a
// token, both sides use the same one.
func (c *Conn) Token() packet.Token { return c.token }

// PeerToken returns the token that the peer issued, or packet.NoToken.
func (c *Conn) PeerToken() packet.Token { return c.peerToken }

// Unacked returns the number of vital chunks without an ack, 0..MaxUnacked, and their bytes in the
// resend buffer.
func (c *Conn) Unacked() (chunks, bytes int) { return c.unacked.len, c.unacked.used }

// ExpectAcks assumes that the peer acks received chunks at once, as clients do while they download
// a map. Until everything is acked, a chunk is resent soon after its ack should have arrived, not
// after a second.
func (c *Conn) ExpectAcks() { c.flight.promptAcks = true }

// LimitRate limits the bytes per second of datagrams with vital chunks, resent ones included. 0,
// the default, means no limit. Chunks that are not vital do not count.
func (c *Conn) LimitRate(bytesPerSecond int) { c.flight.rate = bytesPerSecond }

// HasBacklog reports whether vital chunks wait to be sent. Vital chunks wait if LimitRate delays
// them, or if chunks were lost: until the peer acks those, it would drop later ones. Payloads
// queued meanwhile wait as well.
func (c *Conn) HasBacklog() bool { return c.hasBacklog() }

// FreeResendBuffer returns the length in bytes of the largest vital payload that fits the resend
// buffer. The result can exceed MaxPayload: several payloads then fit, each of which takes its size
// and ResendOverhead. The result is negative if the buffer is full.
func (c *Conn) FreeResendBuffer() int {
	if c.unacked.len == MaxUnacked {
		return -1
	}
	return c.unacked.maxUsed - c.unacked.used - ResendOverhead
}

// LastReceived returns the time when the last packet of the peer was accepted.
func (c *Conn) LastReceived() Time { return c.lastReceived }

// DropCounts returns the number of datagrams dropped since the connection began, indexed by
// packet.DropReason.
func (c *Conn) DropCounts() *[packet.NumDropReasons]uint32 { return &c.dropCounts }
