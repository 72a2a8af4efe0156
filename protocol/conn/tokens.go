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

// tokenEpoch is how long a token stays the current one. It is accepted for one more
// epoch, so 16 to 32 seconds in all.
const tokenEpoch = Time(16 * time.Second)

// TokenIssuer hands out the tokens of a server's addresses, and checks them, without
// keeping state for any: a token is a keyed hash of the IP address and the epoch.
// The port is left out, since masters check servers from another port. It never
// changes after NewTokenIssuer, so any number of goroutines can use it.
type TokenIssuer struct {
	key [24]byte
}

// NewTokenIssuer returns Tokens with a key read from random, 24 bytes; nil means the
// system's secure source.
func NewTokenIssuer(random io.Reader) (*TokenIssuer, error) {
	if random == nil {
		random = rand.Reader
	}
	t := new(TokenIssuer)
	if _, err := io.ReadFull(random, t.key[:]); err != nil {
		return nil, fmt.Errorf("conn: no key for tokens: %w", err)
	}
	return t, nil
}

// Token returns the current token for an IP address. It is never packet.NoToken.
func (t *TokenIssuer) Token(now Time, ip netip.Addr) packet.Token {
	return t.at(token7, epoch(now), netip.AddrPortFrom(ip, 0))
}

// Valid reports whether token is the current or the previous one of ip.
func (t *TokenIssuer) Valid(now Time, ip netip.Addr, token packet.Token) bool {
	return t.valid(token7, now, netip.AddrPortFrom(ip, 0), token)
}

func (t *TokenIssuer) valid(kind tokenKind, now Time, from netip.AddrPort, token packet.Token) bool {
	e := epoch(now)
	return token != packet.NoToken && (token == t.at(kind, e, from) || token == t.at(kind, e-1, from))
}

// tokenKind keeps the tokens apart that one key makes.
type tokenKind byte

const (
	token7    tokenKind = iota // 0.7
	tokenTKEN                  // 0.6, DDNet
	token65                    // 0.6.5, of address and port
	tokenTick                  // 0.6, the tick of a challenge, of address and port
)

// BroadcastToken returns the token to put into token requests that are broadcast. The
// answers come from anywhere, so it belongs to no address.
func (t *TokenIssuer) BroadcastToken(now Time) packet.Token { return t.Token(now, netip.Addr{}) }

func epoch(now Time) uint64 {
	e := now / tokenEpoch
	if now%tokenEpoch < 0 {
		e--
	}
	return uint64(e)
}

// at is a prefix hash: safe as a keyed one since the text has a fixed length and
// most of the digest is kept back.
func (t *TokenIssuer) at(kind tokenKind, epoch uint64, from netip.AddrPort) packet.Token {
	var text [24 + 8 + 1 + 1 + 16 + 2]byte
	copy(text[:], t.key[:])
	binary.BigEndian.PutUint64(text[24:], epoch)
	text[32] = byte(kind)
	if from.Addr().IsValid() {
		text[33] = 1
		as16 := from.Addr().As16()
		copy(text[34:], as16[:])
	}
	if kind == token65 || kind == tokenTick {
		binary.BigEndian.PutUint16(text[50:], from.Port())
	}
	sum := sha256.Sum256(text[:])
	token := packet.Token(binary.BigEndian.Uint32(sum[:]))
	switch {
	case kind == tokenTick:
		// A tick that leaves room for the game to go on from it.
		return token&0x3fffffff + 3
	case token == packet.NoToken, token == 0 && kind != token7:
		token = 1
	}
	return token
}

// Action says what to do about a packet from an address without a connection.
type Action uint8

const (
	// ActionIgnore: no answer, no state.
	ActionIgnore Action = iota
	// ActionReplyToken: answer with packet.AppendTokenReply(dst, p.Response, Token(now, ip)),
	// in 0.6 with Judgement.AppendReply.
	ActionReplyToken
	// ActionAccept: a CONNECT from an address that has proved itself. Answer with
	// Conn.Accept(now, p.Token, p.Response), or refuse with
	// packet.AppendClose(dst, 0, p.Response, reason). In 0.6 it is
	// Conn.Accept6 or Judgement.AppendClose.
	ActionAccept
	// ActionConnless: p.Payload comes from an address that has proved itself. An
	// answer is sent with packet.AppendConnless(dst, p.Response, ...).
	ActionConnless
	// ActionTokenReceived: the answer to our token request; p.Response is the
	// sender's token.
	ActionTokenReceived
	// ActionChallenge, of Judge6 only: a CONNECT without token. Make the address
	// prove itself with AppendChallenge, or trust it and answer with
	// Conn.Accept6, or do nothing.
	ActionChallenge
)

var verdictText = [...]string{"ignore", "reply", "admit", "connless", "exchanged", "unproven"}

// String returns the verdict's name.
func (v Action) String() string {
	if int(v) < len(verdictText) {
		return verdictText[v]
	}
	return "unknown verdict"
}

// Inspect decides about a 0.7 packet from an address without a connection. p must have
// been parsed. The Drop is DropNone unless the verdict is Ignore.
func (t *TokenIssuer) Inspect(now Time, ip netip.Addr, p *packet.Packet) (Action, packet.DropReason) {
	exchange := p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlToken
	if p.Token == packet.NoToken {
		switch {
		case !exchange:
			return ActionIgnore, packet.DropBadToken
		case p.ResponseToken == packet.NoToken:
			return ActionIgnore, packet.DropBadControl
		case len(p.Payload) < packet.MinTokenRequestSize:
			return ActionIgnore, packet.DropNoPadding
		}
		return ActionReplyToken, packet.DropNone
	}
	if !t.Valid(now, ip, p.Token) {
		if exchange && t.Valid(now, netip.Addr{}, p.Token) {
			return t.exchanged(p)
		}
		return ActionIgnore, packet.DropBadToken
	}
	switch {
	case p.Flags&packet.FlagConnless != 0:
		return ActionConnless, packet.DropNone
	case exchange:
		return t.exchanged(p)
	case p.Flags&packet.FlagControl == 0 || p.ControlID() != packet.ControlConnect:
		return ActionIgnore, packet.DropWrongState
	case p.ResponseToken == packet.NoToken:
		return ActionIgnore, packet.DropBadControl
	case p.Ack != 0:
		// Nothing was sent that it could ack. The original's server takes
		// such a client in half, until it is full of ghosts.
		return ActionIgnore, packet.DropBadAck
	}
	return ActionAccept, packet.DropNone
}

func (t *TokenIssuer) exchanged(p *packet.Packet) (Action, packet.DropReason) {
	if p.ResponseToken == packet.NoToken {
		return ActionIgnore, packet.DropBadControl
	}
	return ActionTokenReceived, packet.DropNone
}
