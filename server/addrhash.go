package server

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"

	"github.com/teeyard/teeyard/server/resume"
)

// hashKey is a random key of hashes. A server that continues a match has the key of that match.
type hashKey [resume.KeySize]byte

// sum returns a hash of b. Without the key, b cannot be found from it.
func (k *hashKey) sum(b []byte) uint64 {
	hash := sha256.Sum256(append(k[:len(k):len(k)], b...))
	return binary.LittleEndian.Uint64(hash[:])
}

// ofPerson returns a hash of the addresses of a person, by which the world can recognize players
// who share them. Its key is not in replay logs, so that mods and readers of logs cannot find an
// address by trying all of them.
func (k *hashKey) ofPerson(person netip.Prefix) uint64 {
	addr := person.Addr().As16()
	return k.sum(addr[:])
}
