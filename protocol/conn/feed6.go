package conn

import "github.com/teeyard/teeyard/protocol/packet"

func (c *Conn) feed6(now Time, b []byte, h Handler) packet.Drop {
	if c.state == StateOffline || c.state == StateError {
		return packet.DropState
	}
	var p packet.Packet6
	drop := c.open6(now, b, &p)
	switch drop {
	case packet.DropNone:
	case packet.DropShort, packet.DropFlags, packet.DropControl, packet.DropEmpty,
		packet.DropHuffman, packet.DropToken:
		if packet.Only7(b) {
			return packet.DropOther
		}
		return drop
	default:
		return drop
	}
	if !c.core.possibleAck(p.Ack) {
		return packet.DropAck
	}
	if p.Flags&packet.Control != 0 {
		if drop := c.control6(now, &p); drop != packet.DropNone {
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
		return packet.DropState
	}
	c.six.unconfirmed = false
	c.received(now, p.Ack, p.Flags)
	return c.deliver(p.Chunks(), h)
}

// open6 parses b and checks its token. A token in the header is checked before
// anything is decompressed; a trailer can only be found afterwards.
func (c *Conn) open6(now Time, b []byte, p *packet.Packet6) packet.Drop {
	if err := p.ParseHeader(b); err != nil {
		return err.(packet.Drop)
	}
	if p.Flags&packet.Connless != 0 {
		return packet.DropConnless
	}
	if c.state == StateConnect {
		// Only the answer to our CONNECT has a place here, and its form
		// is not known yet.
		return c.openAnswer(p)
	}
	if p.Tokened != (c.six.guard.Place == packet.InHeader) || p.Tokened && p.Token != c.six.guard.Token {
		return packet.DropToken
	}
	if c.six.guard.Place != packet.InTrailer {
		return drop(p.Open(&c.buffers.in))
	}
	if c.server && p.Flags&packet.Control != 0 && p.ControlID() == packet.Connect && p.Offer().Place == packet.InTrailer {
		// It cannot have the token yet.
		c.reconnect()
		return packet.DropState
	}
	if err := p.Open(&c.buffers.in); err != nil {
		return err.(packet.Drop)
	}
	token, ok := p.CutTrailer()
	switch {
	case !ok:
		return packet.DropToken
	case token == c.six.guard.Token:
		return packet.DropNone
	case c.six.offered && token == nextToken(c.six.guard.Token) &&
		p.Flags&packet.Control != 0 && p.ControlID() == packet.Confirm && p.Ack == 0:
		c.rejoin(now)
		return packet.DropNone
	}
	return packet.DropToken
}

// drop turns an error of package packet into what it is.
func drop(err error) packet.Drop {
	if err == nil {
		return packet.DropNone
	}
	return err.(packet.Drop)
}

// openAnswer checks the packet that a client waits for: CONNECTACCEPT or CLOSE.
func (c *Conn) openAnswer(p *packet.Packet6) packet.Drop {
	switch {
	case p.Flags&packet.Control == 0:
		return packet.DropState
	case p.Tokened && (c.six.want != packet.InHeader || p.Token != c.six.own):
		return packet.DropToken
	}
	return packet.DropNone
}

func (c *Conn) control6(now Time, p *packet.Packet6) packet.Drop {
	switch p.ControlID() {
	case packet.Accept:
		if c.state == StateConnect {
			return c.accepted(now, p)
		}
		// One that was late. It proves nothing about our ACCEPT.
	case packet.Close:
		reason := ""
		if !c.server {
			reason = string(p.AppendReason(make([]byte, 0, packet.MaxReason)))
		}
		c.fail(reason)
		c.remoteClosed = true
	case packet.KeepAlive, packet.Confirm:
		if c.state == StatePending {
			c.state = StateOnline
		}
		c.six.unconfirmed = false
	case packet.Connect:
		// A late duplicate, or somebody who cannot prove to be our peer.
		return packet.DropState
	default:
		return packet.DropControl
	}
	return packet.DropNone
}

// accepted takes the server's answer to CONNECT: with the kind of token that was
// asked for, or without any.
func (c *Conn) accepted(now Time, p *packet.Packet6) packet.Drop {
	g := p.Offer()
	switch {
	case g.Place == packet.Nowhere && !p.Tokened, g.Place == packet.InTrailer && g.Token == 0:
		g = packet.Guard{}
		c.six.handshake = Plain
	case g.Place != c.six.want, g.Token == packet.NoToken:
		return packet.DropControl
	}
	c.guard(g)
	c.state = StateOnline
	c.lastRecv = now
	c.confirm(now)
	return packet.DropNone
}

// reconnect answers a CONNECT to a connection with a trailer: it offers to begin anew,
// and changes nothing.
func (c *Conn) reconnect() {
	c.six.offered = true
	g := packet.Guard{Place: packet.InTrailer, Token: nextToken(c.six.guard.Token)}
	c.send(packet.AppendAccept6(c.buffers.out[:0], g, packet.NoToken))
}

// rejoin begins the connection anew with the token that was offered.
func (c *Conn) rejoin(now Time) {
	c.core.reset()
	c.generation++
	c.lastSend = now
	c.guard(packet.Guard{Place: packet.InTrailer, Token: nextToken(c.six.guard.Token)})
	c.six.offered, c.six.rejoined = false, true
}
