package ws

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

// Subprotocols; see the package's documentation.
const (
	single   = "binary" // requested by Emscripten
	numbered = "teeyard.2"
)

// pairPrefix begins the subprotocol that names a pair. Unlike an address, proxies do not log it.
const pairPrefix = "pair."

// pairID identifies the two connections of a peer. It is secret, and must not be logged.
type pairID [16]byte

func newPairID() *pairID {
	id := new(pairID)
	rand.Read(id[:]) // never fails
	return id
}

// subprotocols returns the subprotocols that a client requests, for one connection if id is nil.
func (id *pairID) subprotocols() []string {
	if id == nil {
		return []string{single}
	}
	return []string{numbered, pairPrefix + hex.EncodeToString(id[:]), single}
}

// accepted returns the subprotocols that a server accepts for a request with this pair.
func (id *pairID) accepted() []string {
	if id == nil {
		return []string{single}
	}
	return []string{numbered}
}

// requestedPair returns the pair that a request names, or nil if it is not for a pair.
func requestedPair(r *http.Request) *pairID {
	var id *pairID
	isNumbered := false
	for token := range strings.SplitSeq(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
		token = strings.TrimSpace(token)
		if token == numbered {
			isNumbered = true
		}
		if text, ok := strings.CutPrefix(token, pairPrefix); ok {
			if b, err := hex.DecodeString(text); err == nil && len(b) == len(id) {
				id = (*pairID)(b)
			}
		}
	}
	if !isNumbered {
		return nil
	}
	return id
}
