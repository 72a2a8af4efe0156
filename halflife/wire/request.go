package wire

import (
	"encoding/binary"
)

// RequestKind is a kind of request to a game server.
type RequestKind uint8

// The kinds of requests to a game server.
const (
	// RequestNone is a datagram that is not a request: an answer or an unknown message.
	RequestNone RequestKind = iota
	// RequestPing is the text query "ping" or "i".
	RequestPing
	// RequestInfo is the text query "info".
	RequestInfo
	// RequestDetails is the text query "details".
	RequestDetails
	// RequestPlayers is the text query "players".
	RequestPlayers
	// RequestRules is the text query "rules".
	RequestRules
	// RequestInfostring is the text query "infostring".
	RequestInfostring
	// RequestRconChallenge is the text request "challenge rcon".
	RequestRconChallenge
	// RequestRcon is the text request "rcon"; see ParseRcon.
	RequestRcon
	// RequestA2SInfo is the A2S request A2S_INFO ('T').
	RequestA2SInfo
	// RequestA2SPlayers is the A2S request A2S_PLAYER ('U').
	RequestA2SPlayers
	// RequestA2SRules is the A2S request A2S_RULES ('V').
	RequestA2SRules
	// RequestA2SChallenge is the A2S request A2S_SERVERQUERY_GETCHALLENGE ('W').
	RequestA2SChallenge
)

// NoChallenge is the challenge in A2S requests of clients without one.
const NoChallenge = 0xffffffff

// Request is a request to a game server.
type Request struct {
	// Kind is the kind of request.
	Kind RequestKind
	// Challenge is the challenge of an A2S request, or NoChallenge.
	Challenge uint32
}

const a2sInfoPayload = "Source Engine Query\x00"

// textRequests are the words of the text queries.
var textRequests = [...]struct {
	word string
	kind RequestKind
}{
	{"details", RequestDetails}, {"info", RequestInfo}, {"players", RequestPlayers}, {"rules", RequestRules},
	{"infostring", RequestInfostring}, {"ping", RequestPing}, {"i", RequestPing},
}

// ParseRequest recognises a request without allocating. Words are matched without regard to case
// and end with NUL, LF or the end of the datagram. The rest is ignored. Answers and other datagrams
// yield RequestNone.
func ParseRequest(b []byte) Request {
	r := Request{Challenge: NoChallenge}
	if !IsDatagram(b) {
		return r
	}
	b = b[4:]
	switch b[0] {
	case 'T':
		if len(b) > len(a2sInfoPayload) && string(b[1:1+len(a2sInfoPayload)]) == a2sInfoPayload {
			r.Kind = RequestA2SInfo
			// Exactly four more bytes are a challenge. Any other length is padding.
			if rest := b[1+len(a2sInfoPayload):]; len(rest) == 4 {
				r.Challenge = binary.LittleEndian.Uint32(rest)
			}
			return r
		}
	case 'U', 'V':
		if len(b) == 1 || len(b) >= 5 {
			r.Kind = RequestA2SPlayers
			if b[0] == 'V' {
				r.Kind = RequestA2SRules
			}
			if len(b) >= 5 {
				r.Challenge = binary.LittleEndian.Uint32(b[1:])
			}
			return r
		}
	case 'W':
		if len(b) == 1 || len(b) >= 5 && !isLetter(b[1]) {
			r.Kind = RequestA2SChallenge
			return r
		}
	}
	word, args := firstWord(firstLine(b))
	for _, w := range textRequests {
		// A capital I begins an answer. Only a lower-case "i" is a ping.
		if len(args) == 0 && equalFold(word, w.word) && (len(word) > 1 || word[0] == 'i') {
			r.Kind = w.kind
			return r
		}
	}
	switch {
	case equalFold(word, "rcon"):
		r.Kind = RequestRcon
	case equalFold(word, "challenge"):
		// With a number this is an answer. Treating it as a request would let two servers answer
		// each other forever.
		if what, rest := firstWord(args); len(rest) == 0 && equalFold(what, "rcon") {
			r.Kind = RequestRconChallenge
		}
	}
	return r
}

func isLetter(c byte) bool { c = lowerASCII(c); return 'a' <= c && c <= 'z' }

// AppendTextRequest appends a text query and a NUL. For other kinds it appends nothing.
func AppendTextRequest(dst []byte, kind RequestKind) []byte {
	if kind == RequestRconChallenge {
		return append(append(dst, header...), "challenge rcon\n\x00"...)
	}
	for _, w := range textRequests {
		if w.kind == kind {
			return append(append(append(dst, header...), w.word...), 0)
		}
	}
	return dst
}

// AppendA2SRequest appends an A2S request with a challenge, or NoChallenge before the first one.
// For other kinds it appends nothing.
func AppendA2SRequest(dst []byte, kind RequestKind, challenge uint32) []byte {
	switch kind {
	case RequestA2SInfo:
		dst = append(append(append(dst, header...), 'T'), a2sInfoPayload...)
		if challenge != NoChallenge {
			dst = binary.LittleEndian.AppendUint32(dst, challenge)
		}
	case RequestA2SPlayers:
		dst = binary.LittleEndian.AppendUint32(append(append(dst, header...), 'U'), challenge)
	case RequestA2SRules:
		dst = binary.LittleEndian.AppendUint32(append(append(dst, header...), 'V'), challenge)
	case RequestA2SChallenge:
		dst = append(append(dst, header...), 'W')
	}
	return dst
}

// AppendA2SChallenge appends the challenge that answers an A2S request.
func AppendA2SChallenge(dst []byte, challenge uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(append(dst, header...), kindChallenge), challenge)
}

// ParseA2SChallenge reads an answer made by AppendA2SChallenge. It ignores further bytes after the
// challenge, since some servers send them.
func ParseA2SChallenge(b []byte) (challenge uint32, err error) {
	if messageKind(b) != kindChallenge || len(b) < 9 {
		return 0, formatError("challenge", b)
	}
	return binary.LittleEndian.Uint32(b[5:]), nil
}

// AppendPong appends the answer to a ping.
func AppendPong(dst []byte) []byte { return append(append(dst, header...), kindPong, 0) }

// IsPong reports whether a datagram answers a ping: "j", with or without further bytes, or "ack".
func IsPong(b []byte) bool {
	return messageKind(b) == kindPong || IsDatagram(b) && equalFold(firstLine(b[4:]), "ack")
}

// firstLine returns the bytes before the first NUL or LF.
func firstLine(b []byte) []byte {
	for i, c := range b {
		if c == 0 || c == '\n' {
			return b[:i]
		}
	}
	return b
}

// isSpace reports whether c is a space, tab or carriage return.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// skipSpace returns b without leading white space.
func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// firstWord returns the first word of a line and the rest without leading white space.
func firstWord(b []byte) (word, rest []byte) {
	b = skipSpace(b)
	for i, c := range b {
		if isSpace(c) {
			return b[:i], skipSpace(b[i:])
		}
	}
	return b, nil
}
