package conn

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Version is the protocol version of a connection.
type Version uint8

const (
	V7 Version = iota // Teeworlds 0.7
	V6                // Teeworlds 0.6
)

// String returns "0.7" or "0.6".
func (v Version) String() string {
	if v == V6 {
		return "0.6"
	}
	return "0.7"
}

// Handshake is the way in which a 0.6 connection begins. The handshake determines the place of its
// token.
//
// Packets with a wrong token are ignored, as in 0.7. A CONNECT from an address that already has a
// connection changes nothing, except as described at Conn.Rejoined.
type Handshake uint8

const (
	// HandshakeTKEN is DDNet's handshake: CONNECT, CONNECTACCEPT with a token, ACCEPT with that
	// token. The server keeps no state until the ACCEPT.
	HandshakeTKEN Handshake = iota
	// HandshakeHeaderToken is the handshake of 0.6.5: CONNECT with the client's token,
	// CONNECTACCEPT with the server's token, then packets with the server's token in the header.
	// The server keeps no state until the first of those packets.
	HandshakeHeaderToken
	// HandshakePlain is the handshake of 0.6.4 and older: CONNECT, CONNECTACCEPT, ACCEPT, without
	// tokens. An attacker who can forge addresses can connect under any address.
	HandshakePlain
	// HandshakeChallenged is HandshakePlain after the client has echoed a number; see
	// TokenIssuer.AppendChallenge. The challenge uses the server's first six sequence numbers. The
	// server does not know how many vital chunks the client has sent. The first one that arrives
	// counts as the next in sequence, whether it is an answer to the challenge or a later message.
	HandshakeChallenged
)

var handshakeNames = [...]string{"TKEN", "header token", "plain", "challenged"}

// String returns the handshake's name.
func (h Handshake) String() string {
	if int(h) < len(handshakeNames) {
		return handshakeNames[h]
	}
	return "unknown handshake"
}

// placeToken returns the token of a connection that began with h, with its place.
func (h Handshake) placeToken(token packet.Token) packet.PlacedToken {
	switch h {
	case HandshakeTKEN:
		return packet.PlacedToken{Place: packet.TokenInTrailer, Token: token}
	case HandshakeHeaderToken:
		return packet.PlacedToken{Place: packet.TokenInHeader, Token: token}
	}
	return packet.PlacedToken{}
}

const (
	// acceptInterval is the silence after which a client repeats its ACCEPT. acceptInterval must be
	// longer than a round trip: DDNet-Server takes a second ACCEPT as a rejoin and restarts its
	// sequence numbers.
	acceptInterval = 2 * time.Second

	// challengeChunks is the number of vital chunks in a challenge.
	challengeChunks = 6
)

// v6State is the state that only a 0.6 connection has.
type v6State struct {
	active    bool // whether this is a 0.6 connection
	handshake Handshake
	token     packet.PlacedToken // used by both sides

	// Used by clients.
	wantedPlace      packet.TokenPlace // place of the token in the dialled handshake
	ownToken         packet.Token      // token in the client's CONNECT
	acceptUnanswered bool              // nothing was received since ACCEPT was sent
	acceptSent       Time

	// Used by servers.
	rejoinOffered bool // a new CONNECT was answered with nextToken
	rejoined      bool // a rejoin that Rejoined has not reported yet
}

// nextToken returns the token for a client that rejoins. The new token must differ from the current
// one. Otherwise packets that are still on their way would ack chunks of the new connection. The
// token cannot be guessed without knowing the current one.
func nextToken(t packet.Token) packet.Token {
	t++
	if t == packet.NoToken || t == 0 {
		return 1
	}
	return t
}

// Dial6 begins a 0.6 connection as a client. Use HandshakeTKEN: like HandshakeHeaderToken, it falls
// back to HandshakePlain if the server answers that way. HandshakeHeaderToken needs a random number
// as own, the token of the CONNECT; the others ignore own. The error is ErrWrongState unless the
// connection is offline, and ErrConfig for HandshakeChallenged: only a server can choose it.
//
// The state is StateConnect until the server answers, and then StateOnline.
func (c *Conn) Dial6(now Time, handshake Handshake, own packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: dial while %v", ErrWrongState, c.state)
	}
	if handshake >= HandshakeChallenged {
		return fmt.Errorf("%w: cannot dial %v", ErrConfig, handshake)
	}
	c.begin6(now, handshake, packet.PlacedToken{})
	c.v6.ownToken = own
	c.v6.wantedPlace = handshake.placeToken(own).Place
	c.state = StateConnect
	c.sendHandshake(now)
	return nil
}

// Accept6 begins a 0.6 connection as the server, after TokenIssuer.Inspect6 returned ActionAccept
// or ActionChallenge. Pass the handshake and token of that inspection.
//
// For HandshakePlain, Accept6 answers with CONNECTACCEPT and repeats it until the client responds.
// The other handshakes are online at once. For HandshakeHeaderToken and HandshakeTKEN, feed the
// datagram afterwards; the datagrams of the others contain nothing for the connection. The error is
// ErrWrongState unless the connection is offline, and ErrConfig if the token is missing.
func (c *Conn) Accept6(now Time, handshake Handshake, token packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: accept while %v", ErrWrongState, c.state)
	}
	if handshake > HandshakeChallenged || handshake < HandshakePlain && (token == packet.NoToken || token == 0) {
		return fmt.Errorf("%w: %v with token %x", ErrConfig, handshake, uint32(token))
	}
	c.begin6(now, handshake, handshake.placeToken(token))
	c.isServer = true
	c.state = StateOnline
	switch handshake {
	case HandshakePlain:
		c.state = StatePending
		c.sendHandshake(now)
	case HandshakeChallenged:
		c.startAt(challengeChunks)
		c.peerSeqUnknown = true
	}
	return nil
}

func (c *Conn) begin6(now Time, handshake Handshake, token packet.PlacedToken) {
	c.Reset()
	c.v6.active, c.v6.handshake = true, handshake
	c.maxPayload = packet.MaxPayload6
	c.setToken6(token)
	c.lastReceived, c.lastSend = now, now
}

// setToken6 sets the token of the packets of both sides.
func (c *Conn) setToken6(token packet.PlacedToken) {
	c.v6.token = token
	c.token, c.peerToken = packet.NoToken, packet.NoToken
	if token.Place != packet.TokenAbsent {
		c.token, c.peerToken = token.Token, token.Token
	}
}

// sendHandshake6 sends the handshake message of the current state.
func (c *Conn) sendHandshake6() {
	out := c.buffers.out[:0]
	switch c.state {
	case StateConnect:
		c.send(packet.AppendConnect6(out, c.v6.wantedPlace, c.v6.ownToken))
	case StatePending:
		c.send(packet.AppendAccept6(out, c.v6.token, packet.NoToken))
	}
}

// sendAccept6 sends the client's ACCEPT. Clients of 0.6.5 do not send one.
func (c *Conn) sendAccept6(now Time) {
	if c.v6.token.Place == packet.TokenInHeader {
		return
	}
	c.v6.acceptUnanswered, c.v6.acceptSent = true, now
	c.lastSend = now
	c.send(packet.AppendControl6(c.buffers.out[:0], 0, c.v6.token, packet.ControlClientAccept))
}

// Version returns the version of the connection; V7 while offline.
func (c *Conn) Version() Version {
	if c.v6.active {
		return V6
	}
	return V7
}

// Handshake returns the way in which a 0.6 connection began. A client's handshake becomes
// HandshakePlain if the server has no tokens.
func (c *Conn) Handshake() Handshake { return c.v6.handshake }

// Rejoined reports whether the client of a HandshakeTKEN connection has connected again since the
// last call. Only servers need it. Such a client lost its state, sent a new CONNECT and proved its
// address with the new token in the answer. The connection is online, as after Accept6. The owner
// must also start over as with a new client. Call Rejoined after each Feed, before Queue.
//
// Late duplicates have no effect. A CONNECT without a token could come from any sender. Clients
// that send one, and all clients of 0.6.5, must wait until the old connection has ended.
func (c *Conn) Rejoined() bool {
	rejoined := c.v6.rejoined
	c.v6.rejoined = false
	return rejoined
}
