package conn

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Version of the protocol that a connection uses.
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

// Handshake is how a 0.6 connection begins. It decides where its token is placed.
//
// Packets whose token does not match are ignored, as in 0.7. A CONNECT from an address
// that has a connection already changes nothing, but see Conn.Rejoined.
type Handshake uint8

const (
	// HandshakeTKEN is DDNet's: CONNECT, CONNECTACCEPT with a token, ACCEPT with
	// that token. The server keeps no state until the ACCEPT.
	HandshakeTKEN Handshake = iota
	// HandshakeHeaderToken is that of 0.6.5: CONNECT with the client's token,
	// CONNECTACCEPT with the server's, then packets with that in the header. The
	// server keeps no state until the first of those.
	HandshakeHeaderToken
	// HandshakePlain is that of 0.6.4 and older: CONNECT, CONNECTACCEPT, ACCEPT, and
	// no token. Anybody who can forge an address can use it in the name of others.
	HandshakePlain
	// HandshakeChallenged is HandshakePlain for a server that has made the client
	// echo a number before: see TokenIssuer.AppendChallenge. The server's first six
	// sequence numbers are used up. It does not know what the client has sent: the
	// first vital chunk that arrives is taken for the next one. It may be one of the
	// messages sent in answer to the challenge, or a later one.
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

// placeToken returns the token of a connection that began with h, and its place.
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
	// acceptInterval is after how much silence a client repeats its ACCEPT. It must
	// be longer than a round trip: DDNet's server takes a second ACCEPT as a rejoin
	// and restarts its sequence numbers.
	acceptInterval = 2 * time.Second

	// challengeChunks is how many vital chunks a challenge has.
	challengeChunks = 6
)

// v6State is the state that only a 0.6 connection has.
type v6State struct {
	active    bool // this is a 0.6 connection
	handshake Handshake
	token     packet.PlacedToken // of the packets of both sides

	// The client's.
	wantedPlace      packet.TokenPlace // what it dialled
	ownToken         packet.Token      // the token of its CONNECT
	acceptUnanswered bool              // nothing has arrived since ACCEPT was sent
	acceptSent       Time

	// The server's.
	rejoinOffered bool // a new CONNECT was answered, with nextToken
	rejoined      bool // Rejoined has not reported it yet
}

// nextToken returns the token for a client that rejoins. It differs from the current
// one, because packets still on their way would ack what they have not seen. Nobody can
// guess it without knowing the current one.
func nextToken(t packet.Token) packet.Token {
	t++
	if t == packet.NoToken || t == 0 {
		return 1
	}
	return t
}

// Dial6 begins a 0.6 connection as a client. HandshakeTKEN is recommended: it falls back
// to HandshakePlain when the server answers so, as HandshakeHeaderToken does. The
// latter needs own, a random number, as the token of the CONNECT; the others ignore it.
// The error is ErrWrongState unless offline, ErrConfig for HandshakeChallenged, which
// is the server's choice.
//
// The state is StateConnect until the server answers, StateOnline from then on.
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

// Accept6 begins a 0.6 connection as the server, for a datagram for which
// TokenIssuer.Inspect6 returned ActionAccept or ActionChallenge, with the handshake and
// token of that inspection. HandshakePlain is answered with CONNECTACCEPT, repeated
// until the client responds; the others are online at once. For HandshakeHeaderToken
// and HandshakeTKEN the datagram must be fed afterwards; those of the others contain nothing
// for the connection. The error is ErrWrongState unless offline, ErrConfig for a missing token.
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

// sendHandshake6 sends the message that the state calls for.
func (c *Conn) sendHandshake6() {
	out := c.buffers.out[:0]
	switch c.state {
	case StateConnect:
		c.send(packet.AppendConnect6(out, c.v6.wantedPlace, c.v6.ownToken))
	case StatePending:
		c.send(packet.AppendAccept6(out, c.v6.token, packet.NoToken))
	}
}

// sendAccept6 sends the client's ACCEPT. 0.6.5 has none.
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

// Handshake returns how a 0.6 connection began. What a client dialled becomes
// HandshakePlain when the server has no tokens.
func (c *Conn) Handshake() Handshake { return c.v6.handshake }

// Rejoined reports, once, that the client of a server's HandshakeTKEN connection has
// connected again: it lost its state, sent CONNECT and proved its address with the
// token of the answer, which differs from the previous one. The connection is as after
// Accept6, and online; the owner must start over as well, as with a new client. Call it
// after each Feed, before Queue.
//
// Late duplicates do no harm. A CONNECT without token could be anybody's, so such
// clients, and those of 0.6.5, must wait until the old connection has ended.
func (c *Conn) Rejoined() bool {
	rejoined := c.v6.rejoined
	c.v6.rejoined = false
	return rejoined
}
