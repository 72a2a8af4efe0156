package msg6

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
)

// UUID is what DDNet identifies its own messages and objects by: version 3 of RFC
// 9562, a hash of a name. It is also the form of ids that one side makes up.
type UUID [16]byte

// namespace is what DDNet's names are hashed with.
var namespace = UUID{0xe0, 0x5d, 0xda, 0xaa, 0xc4, 0xe6, 0x4c, 0xfb, 0xb6, 0x42, 0x5d, 0x48, 0xe8, 0x0c, 0x00, 0x29}

// UUIDFromName returns the UUID of a message or object of the given name, as
// ping@ddnet.tw.
func UUIDFromName(name string) UUID {
	u := UUID(md5.Sum(append(namespace[:], name...)))
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

// ExtensionName returns the name that the UUID of a known message or object is made
// of, "" for others. It is the answer to WHATIS.
func ExtensionName(u UUID) string {
	if id, ok := extendedIDs[u]; ok {
		return id.Desc().Extension
	}
	if typ, ok := ExtendedType(u); ok {
		return extendedTypes[typ-firstExtendedType].extension
	}
	return ""
}

// Ex says that the items of a certain type of this snapshot are those of a UUID.
// The id of the Ex is that type.
//
// Snapshot type 0, 4 integers, size sent along.
type Ex struct {
	// The kind of item.
	UUID UUID
}

// PutInts writes the object to the first SizeEx integers of dst, which must have them.
func (o *Ex) PutInts(dst []int32) {
	_ = dst[SizeEx-1]
	for i := range SizeEx {
		dst[i] = int32(binary.BigEndian.Uint32(o.UUID[4*i:]))
	}
}

// ReadInts reads the object from src. It fails, and leaves the object as it is, if src
// has fewer than SizeEx integers. More are ignored.
func (o *Ex) ReadInts(src []int32) error {
	if len(src) < SizeEx {
		return version.NewShortError("Ex", len(src), SizeEx)
	}
	for i := range SizeEx {
		binary.BigEndian.PutUint32(o.UUID[4*i:], uint32(src[i]))
	}
	return nil
}

// Clamp does nothing: all values are in range.
func (*Ex) Clamp() int { return 0 }
