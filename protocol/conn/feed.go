package conn

import "github.com/teeyard/teeyard/protocol/packet"

// Feed takes a datagram from the peer's address and gives its chunks to h. The
// error is a packet.DropReason, which is also counted; most callers can ignore it. What
// the datagram did to the connection shows in State. b is borrowed and may be
// changed.
//
// Connless packets are not for connections: hand them to Tokens.Judge. Feed refuses
// them with packet.DropConnless.
func (c *Conn) Feed(now Time, b []byte, h Handler) error {
	var drop packet.DropReason
	if c.six.on {
		drop = c.feed6(now, b, h)
	} else {
		drop = c.feed7(now, b, h)
	}
	if drop == packet.DropNone {
		return nil
	}
	c.drops[drop]++
	return drop
}

func (c *Conn) feed7(now Time, b []byte, h Handler) packet.DropReason {
	if c.state == StateOffline || c.state == StateError {
		return packet.DropWrongState
	}
	var p packet.Packet
	if err := p.ParseHeader(b); err != nil {
		if packet.IsClearly6(b) {
			return packet.DropOtherVersion
		}
		return err.(packet.DropReason)
	}
	if p.Flags&packet.FlagConnless != 0 {
		return packet.DropConnless
	}
	// The token comes first. The original takes the ack of packets with a
	// wrong token, so that whoever can forge the address can stall the
	// connection.
	if p.Token != c.token {
		if packet.IsClearly6(b) {
			return packet.DropOtherVersion
		}
		return packet.DropBadToken
	}
	if !c.core.possibleAck(p.Ack) {
		return packet.DropBadAck
	}
	if err := p.ParsePayload(&c.buffers.in); err != nil {
		return err.(packet.DropReason)
	}

	if p.Flags&packet.FlagControl != 0 {
		if drop := c.control(now, &p); drop != packet.DropNone {
			return drop
		}
		if c.state == StateOnline {
			c.received(now, p.Ack, p.Flags)
		}
		return packet.DropNone
	}

	switch c.state {
	case StatePending:
		c.state = StateOnline
	case StateOnline:
	default:
		return packet.DropWrongState
	}
	c.received(now, p.Ack, p.Flags)
	return c.deliver(p.Chunks(), h)
}

// received notes an online peer's packet: it is there, acks, and may ask for a
// resend.
func (c *Conn) received(now Time, ack int, flags packet.Flags) {
	c.lastRecv = now
	c.core.acked(ack)
	if flags&packet.FlagResend != 0 {
		c.core.resendRequested(now)
	}
}

func (c *Conn) control(now Time, p *packet.Packet) packet.DropReason {
	switch p.ControlID() {
	case packet.ControlKeepAlive, packet.ControlConnect:
		// A repeated CONNECT means that our ACCEPT was lost; it is
		// repeated on its own.
	case packet.ControlAccept:
		if c.state == StateConnect {
			c.state = StateOnline
		}
	case packet.ControlClose:
		reason := ""
		if !c.server {
			reason = string(p.AppendReason(make([]byte, 0, packet.MaxCloseReason)))
		}
		c.fail(reason)
		c.remoteClosed = true
	case packet.ControlToken:
		if p.ResponseToken == packet.NoToken {
			return packet.DropBadControl
		}
		c.peerToken = p.ResponseToken
		if c.state == StateToken {
			c.state = StateConnect
			c.lastRecv = now
			c.sendHandshake(now)
		}
	default:
		return packet.DropBadControl
	}
	return packet.DropNone
}

// deliver gives the chunks to h. What h does may end the connection, and even begin
// another one; the rest of the packet is not for that one.
func (c *Conn) deliver(it packet.ChunkReader, h Handler) packet.DropReason {
	generation := c.generation
	var chunk packet.Chunk
	for c.generation == generation {
		if !it.Next(&chunk) {
			if it.Err() != nil {
				return packet.DropBadChunk
			}
			break
		}
		vital := chunk.Flags&packet.ChunkVital != 0
		if vital && !c.core.inOrder(chunk.Seq) {
			continue
		}
		h.Chunk(chunk.Data, vital)
	}
	return packet.DropNone
}
