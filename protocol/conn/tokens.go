package conn

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// tokenEpoch is the time for which a token is the current one. A token is accepted for one more
// epoch, so it is valid for 16 to 32 seconds.
const tokenEpoch = Time(16 * time.Second)

// TokenIssuer issues and checks a server's tokens for all addresses, without keeping state for any.
// A token is a keyed hash of the IP address and the epoch. The port is left out, because master
// servers check servers from another port. A TokenIssuer does not change after NewTokenIssuer, so
// any number of goroutines can use it.
type TokenIssuer struct {
	key [24]byte
}

// NewTokenIssuer returns a TokenIssuer with a key of 24 bytes read from random. nil means the
// system's secure source.
func NewTokenIssuer(random io.Reader) (*TokenIssuer, error) {
	if random == nil {
		random = rand.Reader
	}
	t := new(TokenIssuer)
	if _, err := io.ReadFull(random, t.key[:]); err != nil {
		return nil, fmt.Errorf("conn: read a random key for tokens: %w", err)
	}
	return t, nil
}

// Token returns the current token for an IP address. The token is never packet.NoToken.
func (t *TokenIssuer) Token(now Time, ip netip.Addr) packet.Token {
	return t.issue(now, kind7, netip.AddrPortFrom(ip, 0))
}

// Valid reports whether token is the current or the previous token of ip.
func (t *TokenIssuer) Valid(now Time, ip netip.Addr, token packet.Token) bool {
	return t.isValid(now, kind7, netip.AddrPortFrom(ip, 0), token)
}

func (t *TokenIssuer) issue(now Time, kind tokenKind, from netip.AddrPort) packet.Token {
	return t.hash(kind, epoch(now), from)
}

func (t *TokenIssuer) isValid(now Time, kind tokenKind, from netip.AddrPort, token packet.Token) bool {
	e := epoch(now)
	return token != packet.NoToken && (token == t.hash(kind, e, from) || token == t.hash(kind, e-1, from))
}

// tokenKind separates the kinds of tokens that are made with one key.
type tokenKind byte

const (
	kind7         tokenKind = iota // 0.7, for the address
	kindTKEN                       // 0.6 handshake of DDNet, for the address
	kindHeader                     // 0.6.5, for address and port
	kindChallenge                  // 0.6, the tick of a challenge, for address and port
)

// BroadcastToken returns the token for token requests that are broadcast. Their answers come from
// arbitrary addresses, so the token depends on none.
func (t *TokenIssuer) BroadcastToken(now Time) packet.Token { return t.Token(now, netip.Addr{}) }

// epoch returns the number of the epoch at time now.
func epoch(now Time) uint64 {
	e := now / tokenEpoch
	if now%tokenEpoch < 0 {
		e--
	}
	return uint64(e)
}

// hash returns the token of an epoch, a SHA-256 of key and text. This is safe as a keyed hash
// because the text has a fixed length and most of the sum stays secret.
func (t *TokenIssuer) hash(kind tokenKind, epoch uint64, from netip.AddrPort) packet.Token {
	var text [24 + 8 + 1 + 1 + 16 + 2]byte
	copy(text[:], t.key[:])
	binary.BigEndian.PutUint64(text[24:], epoch)
	text[32] = byte(kind)
	if from.Addr().IsValid() {
		text[33] = 1
		as16 := from.Addr().As16()
		copy(text[34:], as16[:])
	}
	if kind == kindHeader || kind == kindChallenge {
		binary.BigEndian.PutUint16(text[50:], from.Port())
	}
	sum := sha256.Sum256(text[:])
	token := packet.Token(binary.BigEndian.Uint32(sum[:]))
	switch {
	case kind == kindChallenge:
		// A positive tick, with room for the game to continue from it.
		return token&0x3fffffff + 3
	case token == packet.NoToken, token == 0 && kind != kind7:
		token = 1
	}
	return token
}

// Action is the reaction to a packet from an address without a connection.
type Action uint8

const (
	// ActionIgnore means to do nothing.
	ActionIgnore Action = iota
	// ActionReplyToken means to answer with packet.AppendTokenReply(dst, p.ResponseToken,
	// Token(now, ip)), or in 0.6 with Inspection6.AppendReply.
	ActionReplyToken
	// ActionAccept means that the packet is a CONNECT from a proved address. Answer with
	// Conn.Accept(now, p.Token, p.ResponseToken), or refuse with packet.AppendClose(dst, 0,
	// p.ResponseToken, reason). In 0.6 use Conn.Accept6 or Inspection6.AppendClose.
	ActionAccept
	// ActionConnless means that the packet is connectionless and from a proved address. Answer with
	// packet.AppendConnless(dst, p.ResponseToken, ...).
	ActionConnless
	// ActionTokenReceived means that the packet answers our own token request; p.ResponseToken is
	// the sender's token.
	ActionTokenReceived
	// ActionChallenge means that the packet is a CONNECT without a token. Only Inspect6 returns it.
	// Either make the address prove itself with AppendChallenge, or trust it and answer with
	// Conn.Accept6, or do nothing.
	ActionChallenge
)

var actionNames = [...]string{"ignore", "reply token", "accept", "connless", "token received", "challenge"}

// String returns the action's name.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "unknown action"
}

// Inspect decides how to react to a parsed 0.7 packet from an address without a connection. The
// DropReason is DropNone unless the action is ActionIgnore.
func (t *TokenIssuer) Inspect(now Time, ip netip.Addr, p *packet.Packet) (Action, packet.DropReason) {
	isTokenMessage := p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlToken
	switch {
	case p.Token == packet.NoToken:
		switch {
		case !isTokenMessage:
			return ActionIgnore, packet.DropBadToken
		case p.ResponseToken == packet.NoToken:
			return ActionIgnore, packet.DropBadControl
		case len(p.Payload) < packet.MinTokenRequestSize:
			return ActionIgnore, packet.DropNoPadding
		}
		return ActionReplyToken, packet.DropNone
	case !t.Valid(now, ip, p.Token) && !(isTokenMessage && t.Valid(now, netip.Addr{}, p.Token)):
		return ActionIgnore, packet.DropBadToken
	case p.Flags&packet.FlagConnless != 0:
		return ActionConnless, packet.DropNone
	case p.Flags&packet.FlagControl == 0 || !isTokenMessage && p.ControlID() != packet.ControlConnect:
		return ActionIgnore, packet.DropWrongState
	case p.ResponseToken == packet.NoToken:
		return ActionIgnore, packet.DropBadControl
	case isTokenMessage:
		return ActionTokenReceived, packet.DropNone
	case p.Ack != 0:
		// No datagram was sent that it could ack. The original's server counts such clients but
		// gives them no connection, and so fills up.
		return ActionIgnore, packet.DropBadAck
	}
	return ActionAccept, packet.DropNone
}
