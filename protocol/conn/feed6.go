package conn

import "github.com/teeyard/teeyard/protocol/packet"

func (c *Conn) feed6(now Time, b []byte, h Handler) packet.DropReason {
	var p packet.Packet6
	switch drop := c.parse6(now, b, &p); drop {
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
	if !c.isPossibleAck(p.Ack) {
		return packet.DropBadAck
	}
	if p.Flags&packet.FlagControl != 0 {
		return c.handleControl(now, p.Ack, p.Flags, c.control6(now, &p))
	}
	c.v6.acceptUnanswered = false
	return c.handleChunks(now, p.Ack, p.Flags, p.Chunks(), h)
}

// parse6 parses b and checks its token. A token in the header is checked before anything is
// decompressed. A token in the trailer can only be found after decompression.
func (c *Conn) parse6(now Time, b []byte, p *packet.Packet6) packet.DropReason {
	if err := p.ParseHeader(b); err != nil {
		return dropReason(err)
	}
	if p.Flags&packet.FlagConnless != 0 {
		return packet.DropConnless
	}
	if c.state == StateConnect {
		return c.checkAnswer(p)
	}
	own := c.v6.token
	if p.HasToken != (own.Place == packet.TokenInHeader) || p.HasToken && p.Token != own.Token {
		return packet.DropBadToken
	}
	if own.Place != packet.TokenInTrailer {
		return dropReason(p.ParsePayload(&c.buffers.in))
	}
	if c.isServer && p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlConnect && p.HandshakeToken().Place == packet.TokenInTrailer {
		// A new CONNECT cannot have the token yet.
		c.offerRejoin()
		return packet.DropWrongState
	}
	if err := p.ParsePayload(&c.buffers.in); err != nil {
		return dropReason(err)
	}
	token, ok := p.CutTrailer()
	switch {
	case !ok:
		return packet.DropBadToken
	case token == own.Token:
		return packet.DropNone
	case c.v6.rejoinOffered && token == nextToken(own.Token) &&
		p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlClientAccept && p.Ack == 0:
		c.rejoin(now)
		return packet.DropNone
	}
	return packet.DropBadToken
}

// checkAnswer checks the packet that a client in StateConnect waits for: CONNECTACCEPT or CLOSE.
// The place of its token is not known yet.
func (c *Conn) checkAnswer(p *packet.Packet6) packet.DropReason {
	switch {
	case p.Flags&packet.FlagControl == 0:
		return packet.DropWrongState
	case p.HasToken && (c.v6.wantedPlace != packet.TokenInHeader || p.Token != c.v6.ownToken):
		return packet.DropBadToken
	}
	return packet.DropNone
}

func (c *Conn) control6(now Time, p *packet.Packet6) packet.DropReason {
	switch p.ControlID() {
	case packet.ControlAccept:
		if c.state == StateConnect {
			return c.handleConnectAccept(now, p)
		}
		// A late CONNECTACCEPT does not show whether our ACCEPT arrived.
	case packet.ControlClose:
		c.handleClose(p.AppendReason(make([]byte, 0, packet.MaxCloseReason)))
	case packet.ControlKeepAlive, packet.ControlClientAccept:
		if c.state == StatePending {
			c.state = StateOnline
		}
		c.v6.acceptUnanswered = false
	case packet.ControlConnect:
		// A late duplicate, or a sender that cannot prove to be the peer.
		return packet.DropWrongState
	default:
		return packet.DropBadControl
	}
	return packet.DropNone
}

// handleConnectAccept handles the server's answer to CONNECT. The token in it must be of the
// requested kind, or missing.
func (c *Conn) handleConnectAccept(now Time, p *packet.Packet6) packet.DropReason {
	token := p.HandshakeToken()
	switch {
	case token.Place == packet.TokenAbsent && !p.HasToken, token.Place == packet.TokenInTrailer && token.Token == 0:
		token = packet.PlacedToken{}
		c.v6.handshake = HandshakePlain
	case token.Place != c.v6.wantedPlace, token.Token == packet.NoToken:
		return packet.DropBadControl
	}
	c.setToken6(token)
	c.state = StateOnline
	c.lastReceived = now
	c.sendAccept6(now)
	return packet.DropNone
}

// offerRejoin answers a CONNECT on a connection that has its token in the trailer. The answer
// contains the token for a new connection. The current connection stays unchanged.
func (c *Conn) offerRejoin() {
	c.v6.rejoinOffered = true
	token := packet.PlacedToken{Place: packet.TokenInTrailer, Token: nextToken(c.v6.token.Token)}
	c.send(packet.AppendAccept6(c.buffers.out[:0], token, packet.NoToken))
}

// rejoin restarts the connection with the token from offerRejoin.
func (c *Conn) rejoin(now Time) {
	c.reliability.reset()
	c.generation++
	c.lastSend = now
	c.setToken6(packet.PlacedToken{Place: packet.TokenInTrailer, Token: nextToken(c.v6.token.Token)})
	c.v6.rejoinOffered, c.v6.rejoined = false, true
}
