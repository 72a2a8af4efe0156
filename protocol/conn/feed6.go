package conn

import "github.com/teeyard/teeyard/protocol/packet"

func (c *Conn) feed6(now Time, b []byte, h Handler) packet.DropReason {
	if c.state == StateOffline || c.state == StateError {
		return packet.DropWrongState
	}
	var p packet.Packet6
	drop := c.open6(now, b, &p)
	switch drop {
	case packet.DropNone:
	case packet.DropTooShort, packet.DropUnknownFlags, packet.DropBadControl, packet.DropEmpty,
		packet.DropBadHuffman, packet.DropBadToken:
		if packet.IsClearly7(b) {
			return packet.DropOtherVersion
		}
		return drop
	default:
		return drop
	}
	if !c.core.possibleAck(p.Ack) {
		return packet.DropBadAck
	}
	if p.Flags&packet.FlagControl != 0 {
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
		return packet.DropWrongState
	}
	c.six.unconfirmed = false
	c.received(now, p.Ack, p.Flags)
	return c.deliver(p.Chunks(), h)
}

// open6 parses b and checks its token. A token in the header is checked before
// anything is decompressed; a trailer can only be found afterwards.
func (c *Conn) open6(now Time, b []byte, p *packet.Packet6) packet.DropReason {
	if err := p.ParseHeader(b); err != nil {
		return err.(packet.DropReason)
	}
	if p.Flags&packet.FlagConnless != 0 {
		return packet.DropConnless
	}
	if c.state == StateConnect {
		// Only the answer to our CONNECT has a place here, and its form
		// is not known yet.
		return c.openAnswer(p)
	}
	if p.HasToken != (c.six.guard.Place == packet.TokenInHeader) || p.HasToken && p.Token != c.six.guard.Token {
		return packet.DropBadToken
	}
	if c.six.guard.Place != packet.TokenInTrailer {
		return drop(p.ParsePayload(&c.buffers.in))
	}
	if c.server && p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlConnect && p.HandshakeToken().Place == packet.TokenInTrailer {
		// It cannot have the token yet.
		c.reconnect()
		return packet.DropWrongState
	}
	if err := p.ParsePayload(&c.buffers.in); err != nil {
		return err.(packet.DropReason)
	}
	token, ok := p.CutTrailer()
	switch {
	case !ok:
		return packet.DropBadToken
	case token == c.six.guard.Token:
		return packet.DropNone
	case c.six.offered && token == nextToken(c.six.guard.Token) &&
		p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlClientAccept && p.Ack == 0:
		c.rejoin(now)
		return packet.DropNone
	}
	return packet.DropBadToken
}

// drop turns an error of package packet into what it is.
func drop(err error) packet.DropReason {
	if err == nil {
		return packet.DropNone
	}
	return err.(packet.DropReason)
}

// openAnswer checks the packet that a client waits for: CONNECTACCEPT or CLOSE.
func (c *Conn) openAnswer(p *packet.Packet6) packet.DropReason {
	switch {
	case p.Flags&packet.FlagControl == 0:
		return packet.DropWrongState
	case p.HasToken && (c.six.want != packet.TokenInHeader || p.Token != c.six.own):
		return packet.DropBadToken
	}
	return packet.DropNone
}

func (c *Conn) control6(now Time, p *packet.Packet6) packet.DropReason {
	switch p.ControlID() {
	case packet.ControlAccept:
		if c.state == StateConnect {
			return c.accepted(now, p)
		}
		// One that was late. It proves nothing about our ACCEPT.
	case packet.ControlClose:
		reason := ""
		if !c.server {
			reason = string(p.AppendReason(make([]byte, 0, packet.MaxCloseReason)))
		}
		c.fail(reason)
		c.remoteClosed = true
	case packet.ControlKeepAlive, packet.ControlClientAccept:
		if c.state == StatePending {
			c.state = StateOnline
		}
		c.six.unconfirmed = false
	case packet.ControlConnect:
		// A late duplicate, or somebody who cannot prove to be our peer.
		return packet.DropWrongState
	default:
		return packet.DropBadControl
	}
	return packet.DropNone
}

// accepted takes the server's answer to CONNECT: with the kind of token that was
// asked for, or without any.
func (c *Conn) accepted(now Time, p *packet.Packet6) packet.DropReason {
	g := p.HandshakeToken()
	switch {
	case g.Place == packet.TokenAbsent && !p.HasToken, g.Place == packet.TokenInTrailer && g.Token == 0:
		g = packet.PlacedToken{}
		c.six.handshake = HandshakePlain
	case g.Place != c.six.want, g.Token == packet.NoToken:
		return packet.DropBadControl
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
	g := packet.PlacedToken{Place: packet.TokenInTrailer, Token: nextToken(c.six.guard.Token)}
	c.send(packet.AppendAccept6(c.buffers.out[:0], g, packet.NoToken))
}

// rejoin begins the connection anew with the token that was offered.
func (c *Conn) rejoin(now Time) {
	c.core.reset()
	c.generation++
	c.lastSend = now
	c.guard(packet.PlacedToken{Place: packet.TokenInTrailer, Token: nextToken(c.six.guard.Token)})
	c.six.offered, c.six.rejoined = false, true
}
