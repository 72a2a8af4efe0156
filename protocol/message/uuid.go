package message

import (
	"crypto/md5"
	"encoding/hex"
	"strings"
)

// UUID identifies one of DDNet's messages and objects. A UUID is version 3 of RFC 9562, a hash of a
// name. Random ids that DDNet's programs create have the same format.
type UUID [16]byte

// uuidNamespace is hashed together with each of DDNet's names.
var uuidNamespace = UUID{0xe0, 0x5d, 0xda, 0xaa, 0xc4, 0xe6, 0x4c, 0xfb, 0xb6, 0x42, 0x5d, 0x48, 0xe8, 0x0c, 0x00, 0x29}

// UUIDFromName returns the UUID of the message or object with the given name, such as
// ping@ddnet.tw.
func UUIDFromName(name string) UUID {
	u := UUID(md5.Sum(append(uuidNamespace[:], name...)))
	u[6] = u[6]&0x0f | 0x30
	u[8] = u[8]&0x3f | 0x80
	return u
}

// String returns the usual form, 32 hexadecimal digits with dashes.
func (u UUID) String() string {
	b := make([]byte, 36)
	hex.Encode(b[24:], u[10:])
	hex.Encode(b[19:], u[8:10])
	hex.Encode(b[14:], u[6:8])
	hex.Encode(b[9:], u[4:6])
	hex.Encode(b, u[:4])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b)
}

// ParseUUID is the inverse of String. ParseUUID also accepts upper-case letters. ok reports whether
// the text is a UUID.
func ParseUUID(text string) (u UUID, ok bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(u) {
		return u, false
	}
	copy(u[:], b)
	return u, u.String() == strings.ToLower(text)
}
