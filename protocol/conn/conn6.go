package conn

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// Version of the protocol that a connection speaks.
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

// Handshake is how a 0.6 connection begins, and with that where its token stands.
//
// Of a packet whose token does not match nothing counts, as in 0.7. A CONNECT from an
// address that has a connection already changes nothing; but see Conn.Rejoined.
type Handshake uint8

const (
	// HandshakeTKEN is DDNet's: CONNECT, CONNECTACCEPT with a token, ACCEPT with that
	// token. The server knows nothing of the client until then.
	HandshakeTKEN Handshake = iota
	// HandshakeHeaderToken is that of 0.6.5: CONNECT with the client's token,
	// CONNECTACCEPT with the server's, then packets with that in the header. The
	// server knows nothing until the first of those.
	HandshakeHeaderToken
	// HandshakePlain is that of 0.6.4 and older: CONNECT, CONNECTACCEPT, ACCEPT, and no
	// token. Whoever can forge an address can use it in the name of others.
	HandshakePlain
	// HandshakeChallenged is Plain for a server that has made the client echo a number
	// before: see Tokens.AppendChallenge. The server's first six sequence numbers
	// are used up, so it begins with the seventh. Of what the client has sent it
	// knows nothing: the first vital chunk that comes is taken for the next one,
	// and may be one of the messages of the challenge, sent again, or later ones.
	HandshakeChallenged
)

var handshakeText = [...]string{"TKEN", "header token", "plain", "challenged"}

// String returns the handshake's name.
func (h Handshake) String() string {
	if int(h) < len(handshakeText) {
		return handshakeText[h]
	}
	return "unknown handshake"
}

const (
	// confirmEvery is after what silence a client repeats its ACCEPT. It must
	// not come sooner than an answer can: DDNet's server takes a second ACCEPT
	// as a rejoin and starts its sequence anew.
	confirmEvery = 2 * time.Second

	// challengeSeq is how many vital chunks a challenge has.
	challengeSeq = 6
)

// six is what a connection has in 0.6 only.
type six struct {
	on    bool
	guard packet.PlacedToken // of our packets and the peer's

	// The client's.
	want        packet.TokenPlace // what it dialled
	own         packet.Token      // the token of its CONNECT
	unconfirmed bool              // nothing has come since ACCEPT was sent
	confirmed   Time              // when that was

	// The server's.
	offered  bool // a CONNECT to begin anew was answered, with nextToken
	rejoined bool // not yet told

	handshake Handshake
}

// nextToken returns the token for a connection that begins anew. It must be another
// one: what is still on its way from before would ack what it has not seen. Nobody
// can guess it who does not know the first.
func nextToken(t packet.Token) packet.Token {
	t++
	if t == packet.NoToken || t == 0 {
		return 1
	}
	return t
}

// Dial6 begins a 0.6 connection as a client. TKEN is the one to use: it falls back to
// Plain by itself when the server answers so. HandshakeHeaderToken does, too, and needs own,
// a random number, as the token of the CONNECT; the others ignore it. ErrWrongState
// unless offline, ErrConfig for Challenged, which is the server's choice.
//
// The state is StateConnect until the server answers, StateOnline from then on.
func (c *Conn) Dial6(now Time, how Handshake, own packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: dial while %v", ErrWrongState, c.state)
	}
	if how >= HandshakeChallenged {
		return fmt.Errorf("%w: cannot dial %v", ErrConfig, how)
	}
	c.Reset()
	c.begin6(now, packet.PlacedToken{})
	c.six.own, c.six.handshake = own, how
	switch how {
	case HandshakeTKEN:
		c.six.want = packet.TokenInTrailer
	case HandshakeHeaderToken:
		c.six.want = packet.TokenInHeader
	}
	c.state = StateConnect
	c.sendHandshake(now)
	return nil
}

// Accept6 begins a 0.6 connection as the server, for a datagram that Tokens.Judge6
// admitted, or for a CONNECT that it found Unproven: how and token are those of the
// judgement. Plain is answered with CONNECTACCEPT, again and again until the client
// shows that it knows; the others are online at once. For HandshakeHeaderToken the datagram
// must be fed afterwards; the others have nothing for the connection in it. ErrWrongState
// unless offline, ErrConfig for a missing token.
func (c *Conn) Accept6(now Time, how Handshake, token packet.Token) error {
	if c.state != StateOffline {
		return fmt.Errorf("%w: accept while %v", ErrWrongState, c.state)
	}
	if how > HandshakeChallenged || how < HandshakePlain && (token == packet.NoToken || token == 0) {
		return fmt.Errorf("%w: %v with token %x", ErrConfig, how, uint32(token))
	}
	c.Reset()
	var guard packet.PlacedToken
	switch how {
	case HandshakeTKEN:
		guard = packet.PlacedToken{Place: packet.TokenInTrailer, Token: token}
	case HandshakeHeaderToken:
		guard = packet.PlacedToken{Place: packet.TokenInHeader, Token: token}
	}
	c.begin6(now, guard)
	c.server = true
	c.six.handshake = how
	c.state = StateOnline
	switch how {
	case HandshakePlain:
		c.state = StatePending
		c.sendHandshake(now)
	case HandshakeChallenged:
		c.core.seq, c.core.unknown = challengeSeq, true
	}
	return nil
}

func (c *Conn) begin6(now Time, g packet.PlacedToken) {
	c.six.on = true
	c.core.limit = packet.MaxPayload6
	c.guard(g)
	c.lastRecv, c.lastSend = now, now
}

// guard sets what the packets of both ends have.
func (c *Conn) guard(g packet.PlacedToken) {
	c.six.guard = g
	c.token, c.peerToken = packet.NoToken, packet.NoToken
	if g.Place != packet.TokenAbsent {
		c.token, c.peerToken = g.Token, g.Token
	}
}

// sendHandshake6 sends the message that the state calls for.
func (c *Conn) sendHandshake6() {
	out := c.buffers.out[:0]
	switch c.state {
	case StateConnect:
		c.send(packet.AppendConnect6(out, c.six.want, c.six.own))
	case StatePending:
		c.send(packet.AppendAccept6(out, c.six.guard, packet.NoToken))
	}
}

// confirm sends the client's ACCEPT. 0.6.5 has none.
func (c *Conn) confirm(now Time) {
	if c.six.guard.Place == packet.TokenInHeader {
		return
	}
	c.six.unconfirmed, c.six.confirmed = true, now
	c.lastSend = now
	c.send(packet.AppendControl6(c.buffers.out[:0], 0, c.six.guard, packet.ControlClientAccept))
}

// Version returns which version the connection speaks; V7 while offline.
func (c *Conn) Version() Version {
	if c.six.on {
		return V6
	}
	return V7
}

// Handshake returns how a 0.6 connection began. What a client dialled becomes Plain
// when the server has no tokens.
func (c *Conn) Handshake() Handshake { return c.six.handshake }

// Rejoined reports, once, that the client of a server's TKEN connection has begun
// anew: it lost its state, sent CONNECT again and proved itself by the token of the
// answer, which is another one than before. The connection is as after Accept6, and
// online; the owner must begin anew, too, as with a new client. Ask after each Feed,
// before Queue.
//
// Late duplicates do no harm. Without a token a CONNECT could be anybody's; such
// clients, and those of 0.6.5, wait until the old connection has ended.
func (c *Conn) Rejoined() bool {
	was := c.six.rejoined
	c.six.rejoined = false
	return was
}
