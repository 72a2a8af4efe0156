package halflife

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"time"
)

// cookies makes and checks challenges without keeping anything about who got
// one: a challenge is a MAC over the address and the time.
type cookies struct {
	mac hash.Hash
	in  [1 + 16 + 2 + 8]byte
	sum [sha256.Size]byte
}

// newCookies makes cookies with a key, or with one that nobody knows.
func newCookies(key []byte) *cookies {
	if key == nil {
		key = make([]byte, 32)
		rand.Read(key) // never fails
	}
	return &cookies{mac: hmac.New(sha256.New, key)}
}

// What cookies are for; one for another purpose is not valid.
const (
	cookieA2S byte = iota
	cookieRcon
	cookieMaster
	cookiePage
)

// at is the raw value for an address in a window of time. port is 0 for those
// that are for all ports.
func (c *cookies) at(use byte, a netip.Addr, port uint16, window int64) uint32 {
	c.in[0] = use
	ip := a.As16()
	copy(c.in[1:], ip[:])
	binary.BigEndian.PutUint16(c.in[17:], port)
	binary.BigEndian.PutUint64(c.in[19:], uint64(window))
	c.mac.Reset()
	c.mac.Write(c.in[:])
	return binary.BigEndian.Uint32(c.mac.Sum(c.sum[:0]))
}

// challenge is a kind of cookie as it goes over the network.
type challenge struct {
	use    byte
	window time.Duration // it is valid for one to two of these
	fit    func(raw uint32) uint32
}

// The kinds of challenges. Programs ask once and keep the answer: those of A2S
// for the queries of a list, those of rcon until they end.
var (
	a2sChallenge    = challenge{cookieA2S, time.Minute, fitA2S}
	rconChallenges  = challenge{cookieRcon, time.Hour, fitRcon}
	masterChallenge = challenge{cookieMaster, time.Minute, fitA2S}
)

// fitA2S avoids the values that programs take for none.
func fitA2S(raw uint32) uint32 {
	if raw == 0 || raw == NoChallenge {
		return 0x5eed
	}
	return raw
}

// fitRcon brings a value into the range that all programs can cope with.
func fitRcon(raw uint32) uint32 {
	return minRconChallenge + raw%(maxRconChallenge-minRconChallenge+1)
}

// issue makes the challenge for an address at a time in ns.
func (c *cookies) issue(k *challenge, now int64, a netip.Addr, port uint16) uint32 {
	return k.fit(c.at(k.use, a, port, now/int64(k.window)))
}

// valid reports whether an address was given that challenge lately.
func (c *cookies) valid(k *challenge, now int64, a netip.Addr, port uint16, given uint32) bool {
	w := now / int64(k.window)
	return k.fit(c.at(k.use, a, port, w)) == given || k.fit(c.at(k.use, a, port, w-1)) == given
}
