package conn

import "github.com/teeyard/teeyard/protocol/packet"

// Feed handles a datagram from the peer's address and passes its chunks to h. The error is a
// packet.DropReason. The reason is also counted, so most callers can ignore it. Check State for the
// effect on the connection. b is borrowed and may be modified.
//
// Connectionless packets do not belong to a connection and are dropped as packet.DropConnless. Pass
// them to TokenIssuer.Inspect.
func (c *Conn) Feed(now Time, b []byte, h Handler) error {
	drop := packet.DropWrongState
	switch {
	case c.state == StateOffline || c.state == StateError:
	case c.v6.active:
		drop = c.feed6(now, b, h)
	default:
		drop = c.feed7(now, b, h)
	}
	if drop == packet.DropNone {
		return nil
	}
	c.dropCounts[drop]++
	return drop
}

// dropReason converts an error of package packet to a DropReason.
func dropReason(err error) packet.DropReason {
	if err == nil {
		return packet.DropNone
	}
	return err.(packet.DropReason)
}

func (c *Conn) feed7(now Time, b []byte, h Handler) packet.DropReason {
	var p packet.Packet
	err := p.ParseHeader(b)
	switch {
	case err == nil && p.Flags&packet.FlagConnless != 0:
		return packet.DropConnless
	// The token is checked first. The original accepts the ack of packets with a wrong token, so an
	// attacker who can forge the address can stall the connection.
	case err == nil && p.Token == c.token:
	case packet.IsClearly6(b):
		return packet.DropOtherVersion
	case err != nil:
		return dropReason(err)
	default:
		return packet.DropBadToken
	}
	if !c.isPossibleAck(p.Ack) {
		return packet.DropBadAck
	}
	if err := p.ParsePayload(&c.buffers.in); err != nil {
		return dropReason(err)
	}
	if p.Flags&packet.FlagControl != 0 {
		return c.handleControl(now, p.Ack, p.Flags, c.control7(now, &p))
	}
	return c.handleChunks(now, p.Ack, p.Flags, p.Chunks(), h)
}

// handleControl completes the handling of a control packet. drop is the result of handling its
// message.
func (c *Conn) handleControl(now Time, ack int, flags packet.Flags, drop packet.DropReason) packet.DropReason {
	if drop == packet.DropNone && c.state == StateOnline {
		c.handlePeerHeader(now, ack, flags)
	}
	return drop
}

// handleChunks handles a packet with chunks, whose ack is possible.
func (c *Conn) handleChunks(now Time, ack int, flags packet.Flags, chunks packet.ChunkReader, h Handler) packet.DropReason {
	switch c.state {
	case StatePending:
		c.state = StateOnline
	case StateOnline:
	default:
		return packet.DropWrongState
	}
	c.handlePeerHeader(now, ack, flags)

	// The handler may end the connection and even begin another one. The rest of the packet does
	// not belong to the new one.
	generation := c.generation
	var chunk packet.Chunk
	for c.generation == generation {
		if !chunks.Next(&chunk) {
			return dropReason(chunks.Err())
		}
		vital := chunk.Flags&packet.ChunkVital != 0
		if vital && !c.acceptSeq(now, chunk.Seq, chunk.Flags&packet.ChunkResent != 0) {
			continue
		}
		h.Chunk(chunk.Data, vital)
	}
	return packet.DropNone
}

// handlePeerHeader handles the header of a packet while online: the peer is alive, acks chunks, and
// may request a resend.
func (c *Conn) handlePeerHeader(now Time, ack int, flags packet.Flags) {
	c.lastReceived = now
	first := c.handleAck(now, ack)
	// When the peer acks the first resent chunks, its packet may still contain an older resend
	// request.
	if flags&packet.FlagResend != 0 && !first {
		c.handleResendRequest(now)
	}
}

func (c *Conn) control7(now Time, p *packet.Packet) packet.DropReason {
	switch p.ControlID() {
	case packet.ControlKeepAlive, packet.ControlConnect:
		// A repeated CONNECT means that our ACCEPT was lost. Update repeats it.
	case packet.ControlAccept:
		if c.state == StateConnect {
			c.state = StateOnline
		}
	case packet.ControlClose:
		c.handleClose(p.AppendReason(make([]byte, 0, packet.MaxCloseReason)))
	case packet.ControlToken:
		if p.ResponseToken == packet.NoToken {
			return packet.DropBadControl
		}
		c.peerToken = p.ResponseToken
		if c.state == StateToken {
			c.state = StateConnect
			c.lastReceived = now
			c.sendHandshake(now)
		}
	default:
		return packet.DropBadControl
	}
	return packet.DropNone
}

// handleClose ends the connection after the peer's CLOSE. Only a client keeps the
// reason.
func (c *Conn) handleClose(reason []byte) {
	if c.isServer {
		reason = nil
	}
	c.fail(string(reason))
	c.closedByPeer = true
}
