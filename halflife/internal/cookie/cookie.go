// Package cookie issues and checks challenges without storing anything per address. A challenge is
// a MAC over the address and the time, with a random key. Times are in ns on any clock.
package cookie

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"time"
)

// Jar issues and checks challenges. It is not safe for concurrent use.
type Jar struct {
	mac   hash.Hash
	input [1 + 16 + 2 + 8]byte
	sum   [sha256.Size]byte
}

// NewJar returns a jar with a new key.
func NewJar() *Jar {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &Jar{mac: hmac.New(sha256.New, key)}
}

// Kind is a kind of challenge. A challenge of one kind is not valid for another kind.
type Kind struct {
	// ID distinguishes the kinds.
	ID byte
	// Window is the shortest time for which a challenge is valid. The longest is twice that.
	Window time.Duration
	// Value derives the challenge from 64 random bits.
	Value func(raw uint64) uint32
}

// RandomBits returns 64 random bits, always the same for one address, port and time window. A port
// of 0 means that the bits do not depend on the port.
func (j *Jar) RandomBits(kind byte, a netip.Addr, port uint16, window int64) uint64 {
	j.input[0] = kind
	ip := a.As16()
	copy(j.input[1:], ip[:])
	binary.BigEndian.PutUint16(j.input[17:], port)
	binary.BigEndian.PutUint64(j.input[19:], uint64(window))
	j.mac.Reset()
	j.mac.Write(j.input[:])
	return binary.BigEndian.Uint64(j.mac.Sum(j.sum[:0]))
}

// Issue returns the current challenge for the address.
func (j *Jar) Issue(k *Kind, now int64, a netip.Addr, port uint16) uint32 {
	return k.Value(j.RandomBits(k.ID, a, port, now/int64(k.Window)))
}

// Valid reports whether the challenge was issued to the address within the last two windows.
func (j *Jar) Valid(k *Kind, now int64, a netip.Addr, port uint16, given uint32) bool {
	w := now / int64(k.Window)
	return k.Value(j.RandomBits(k.ID, a, port, w)) == given || k.Value(j.RandomBits(k.ID, a, port, w-1)) == given
}
