// Package conn implements the connection of Teeworlds 0.7 and 0.6, for clients and
// servers, without input and output: the caller passes the time, feeds datagrams, calls
// Update regularly, and gets datagrams through a function. It has no clock, goroutine,
// lock or socket, and in its steady state it does not allocate.
//
// Conn implements both versions. Dial, Dial6, Accept or Accept6 decide which one a
// connection uses, until it ends; the other methods are the same. Packets that are
// clearly of the other version are dropped as packet.DropOtherVersion.
//
// A server keeps no state for addresses that have not proved themselves: TokenIssuer
// inspects their datagrams (Inspect, Inspect6), and only ActionAccept leads to
// Conn.Accept or Conn.Accept6. The exception is 0.6's oldest handshake, HandshakePlain,
// which proves nothing; TokenIssuer.AppendChallenge makes such clients prove their
// address.
//
// The rules are the original's, except where those let a peer do harm or lose data:
// the token is checked before the ack counts; the ack of a packet counts before its
// resend request; only what was sent can be acked; a resend request counts only if what it
// asks for can have been missed, and is answered with as much as the losses so far allow;
// what is not acked for a second is resent as a few packets, not one by one; the 10 s
// without an ack begin anew with each; a full resend buffer is an error like a timeout;
// a packet has at most 255 chunks. The differences of 0.6 are described at Handshake.
//
// A silent peer times out after 10 s, as in Teeworlds of both versions; DDNet's own
// programs wait for 100 s.
package conn

import (
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Time is a point in time in nanoseconds, of a monotonic clock. Only differences
// matter.
type Time int64

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Timeout is how long a connection lasts from which nothing comes.
const Timeout = 10 * time.Second

// Something happens when more than this time has passed.
const (
	dialTimeout       = 5 * time.Second        // no token received
	handshakeInterval = 500 * time.Millisecond // a handshake message is repeated
	autoFlushAfter    = 500 * time.Millisecond // pending chunks are sent unasked
	keepAliveAfter    = time.Second            // sent when nothing else was
)

// Reasons for the end of a connection that the connection itself gives. Tools and
// players know these texts.
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

var stateNames = [...]string{"offline", "token", "connect", "pending", "online", "error"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown state"
}

// Handler receives what a connection delivers.
type Handler interface {
	// Chunk handles one payload: vital ones exactly once and in order, others
	// as they arrive. payload is borrowed until Chunk returns and may be changed
	// in place. Chunk may call any method of the connection except Feed.
	Chunk(payload []byte, vital bool)
}

// Buffers is working memory. Connections that are used by one goroutine can share
// one, if none is fed while the Handler of another one runs.
type Buffers struct {
	in  packet.Scratch
	out [packet.MaxEncodedSize]byte
}

// Config of a connection.
type Config struct {
	// Send sends a datagram, which is borrowed until Send returns, to the peer.
	// Required. It must not call the connection.
	Send func(datagram []byte)
	// SendCompressed sends a datagram that is compressed: its receiver ignores what follows it. nil
	// means Send.
	SendCompressed func(datagram []byte)
	// ResendBuffer limits what waits for the peer's ack, in bytes: every vital
	// chunk counts with its size and ResendOverhead. 0 means
	// DefaultResendBuffer.
	ResendBuffer int
	// Buffers is shared working memory; nil means own.
	Buffers *Buffers
}

// Conn is a connection, of a client or server and of either version. It must not be
// copied or used by several goroutines at once. Call Init first, then Dial, Dial6,
// Accept or Accept6. After Close it can be used again.
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
	timeout      time.Duration // without anything received, or without an ack of what was sent
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

// Init makes c a connection in StateOffline, whatever it was before. It is New for a
// Conn that is a field or element of something else.
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

// Reset returns c to StateOffline without notifying the peer, and clears the counters
// and the reason.
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

// Dial begins a 0.7 connection as a client, with own as the token that the server has
// to use. It should be random; the original uses 31 bits. The error is ErrWrongState
// unless offline, ErrConfig for packet.NoToken.
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
	c.lastReceived = now
	c.sendHandshake(now)
	return nil
}

// Accept begins a 0.7 connection as the server, for a CONNECT for which
// TokenIssuer.Inspect returned ActionAccept: own is the packet's token, peer its
// response token. It answers with ACCEPT. The error is ErrWrongState unless offline,
// ErrConfig for packet.NoToken. The ack and flags of the CONNECT are ignored.
func (c *Conn) Accept(now Time, own, peer packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: accept while %v", ErrWrongState, c.state)
	}
	if own == packet.NoToken || peer == packet.NoToken {
		return fmt.Errorf("%w: missing token", ErrConfig)
	}
	c.Reset()
	c.isServer = true
	c.token, c.peerToken = own, peer
	c.state = StatePending
	c.lastReceived = now
	c.sendHandshake(now)
	return nil
}

// Close sends the reason to the peer, unless the peer closed first, and returns to
// StateOffline. A connection in StateError closes with its own reason when reason is
// empty. Chunks that were not flushed are discarded. Reason returns the reason until the
// connection is used again.
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

// Queue adds a payload to the packet under construction and, if it does not fit,
// sends the packet first. Vital payloads are kept and resent until the peer acks them, and
// wait behind others that are resent; see HasBacklog. payload may have up to MaxPayload bytes and is copied.
//
// The error is ErrWrongState unless online, ErrTooLarge for a longer payload. When a
// vital payload does not fit the resend buffer, or MaxUnacked are unacked already, the
// connection fails with ReasonOutOfBuffer: the error is ErrOutOfBuffer, and Close sends
// the reason to the peer. FreeResendBuffer shows it in advance.
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

// Flush sends the packet under construction if it has chunks or requests a resend.
func (c *Conn) Flush(now Time) {
	if c.state == StateOnline {
		c.flush(now)
	}
}

// SetTimeout changes how long the connection lasts from which nothing comes, or no ack, until Reset: a peer
// that loads something may not look at it meanwhile. It is Timeout at first.
func (c *Conn) SetTimeout(d time.Duration) { c.timeout = d }

// notAcked returns the reason for the end of a connection without acks.
func notAcked(timeout time.Duration) string {
	if timeout == Timeout {
		return ReasonNotAcked
	}
	return fmt.Sprintf("Too weak connection (not acked for %d seconds)", timeout/time.Second)
}

// Update handles what depends on time: timeouts, resends, keep-alives, repeated
// handshake messages, and flushing chunks that wait for long. Call it several times a
// second at least; the original does so in every round of its main loop. A connection
// that fails is in StateError afterwards.
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

// sendHandshake sends the message that the state calls for.
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

// Reason returns why the connection ended, or "". As in the original a server ignores
// the reasons of its clients: it is "" when the client closed.
func (c *Conn) Reason() string { return c.reason }

// ClosedByPeer reports whether the connection ended with the peer's CLOSE.
func (c *Conn) ClosedByPeer() bool { return c.closedByPeer }

// Token returns the token that the peer must use, or packet.NoToken. In a 0.6
// connection with a token both sides use the same.
func (c *Conn) Token() packet.Token { return c.token }

// PeerToken returns the token that the peer issued, or packet.NoToken.
func (c *Conn) PeerToken() packet.Token { return c.peerToken }

// Unacked returns how many vital chunks the peer has not acked yet, 0..MaxUnacked, and
// what they take of the resend buffer, in bytes.
func (c *Conn) Unacked() (chunks, bytes int) { return c.unacked.len, c.unacked.used }

// ExpectAcks says that the peer acks what it gets at once, as clients do that download a map.
// Until everything is acked, chunks are sent again soon after the ack should have come and not
// after a second.
func (c *Conn) ExpectAcks() { c.flight.promptAcks = true }

// LimitRate sets how many bytes of datagrams with vital chunks are sent per second, those that
// are sent again included; 0, as in the beginning, is any number. The other chunks do not count.
func (c *Conn) LimitRate(bytesPerSecond int) { c.flight.rate = bytesPerSecond }

// HasBacklog reports whether vital chunks wait to be sent, until LimitRate allows it or the
// peer acks others: some were lost, and the peer would drop what comes after them. What is
// queued meanwhile waits as well.
func (c *Conn) HasBacklog() bool { return c.hasBacklog() }

// FreeResendBuffer returns how long a vital payload may be, in bytes, for Queue to
// accept it without overflowing the resend buffer. It can exceed MaxPayload and then
// shows how much is left for several payloads, each of which takes its size and
// ResendOverhead. It is negative when there is no space.
func (c *Conn) FreeResendBuffer() int {
	if c.unacked.len == MaxUnacked {
		return -1
	}
	return c.unacked.maxUsed - c.unacked.used - ResendOverhead
}

// LastReceived returns when the last packet of the peer was accepted.
func (c *Conn) LastReceived() Time { return c.lastReceived }

// DropCounts returns how many datagrams were dropped, by packet.DropReason, since the
// connection began.
func (c *Conn) DropCounts() *[packet.NumDropReasons]uint32 { return &c.dropCounts }
