// Package guard keeps servers that answer anybody from being turned against
// others: allowances and sets of addresses in tables of fixed size, and
// challenges that need no memory. Times are in ns on any clock.
package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"time"
)

// Cookies makes and checks challenges without keeping anything about who got one:
// a challenge is a MAC over the address and the time, with a key that nobody
// knows. It is for one goroutine.
type Cookies struct {
	mac hash.Hash
	in  [1 + 16 + 2 + 8]byte
	sum [sha256.Size]byte
}

// NewCookies makes cookies with a new key.
func NewCookies() *Cookies {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &Cookies{mac: hmac.New(sha256.New, key)}
}

// Kind is a kind of challenge. One of another kind is not valid.
type Kind struct {
	// Use tells kinds apart.
	Use byte
	// Window is half of how long a challenge is valid at most, and how long at
	// least.
	Window time.Duration
	// Fit brings 64 random bits into the form that goes over the network.
	Fit func(raw uint64) uint32
}

// Raw returns 64 random bits that are the same for the same address in the same
// window of time. port is 0 for challenges that are for all ports.
func (c *Cookies) Raw(use byte, a netip.Addr, port uint16, window int64) uint64 {
	c.in[0] = use
	ip := a.As16()
	copy(c.in[1:], ip[:])
	binary.BigEndian.PutUint16(c.in[17:], port)
	binary.BigEndian.PutUint64(c.in[19:], uint64(window))
	c.mac.Reset()
	c.mac.Write(c.in[:])
	return binary.BigEndian.Uint64(c.mac.Sum(c.sum[:0]))
}

// Issue makes the challenge for an address.
func (c *Cookies) Issue(k *Kind, now int64, a netip.Addr, port uint16) uint32 {
	return k.Fit(c.Raw(k.Use, a, port, now/int64(k.Window)))
}

// Valid reports whether an address was given that challenge lately.
func (c *Cookies) Valid(k *Kind, now int64, a netip.Addr, port uint16, given uint32) bool {
	w := now / int64(k.Window)
	return k.Fit(c.Raw(k.Use, a, port, w)) == given || k.Fit(c.Raw(k.Use, a, port, w-1)) == given
}
