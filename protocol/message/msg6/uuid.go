package msg6

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/message"
)

// UUID identifies one of DDNet's messages or objects.
type UUID = message.UUID

// ExtensionName returns the name of the known message or object with the UUID u, or "". The name is
// the answer to WHATIS.
func ExtensionName(u UUID) string {
	if id, ok := extendedIDs[u]; ok {
		return id.Desc().Extension
	}
	if typ, ok := ExtendedType(u); ok {
		return extendedTypes[typ-firstExtendedType].extension
	}
	return ""
}

// Ex assigns a UUID to an item type for one snapshot. The id of the Ex is that type.
//
// Snapshot type 0, 4 integers, size sent with each item.
type Ex struct {
	// UUID of the kind of item.
	UUID UUID
}

// PutInts writes the object to the first SizeEx integers of dst. dst must not be shorter.
func (o *Ex) PutInts(dst []int32) {
	_ = dst[SizeEx-1]
	for i := range SizeEx {
		dst[i] = int32(binary.BigEndian.Uint32(o.UUID[4*i:]))
	}
}

// ReadInts reads the object from src. ReadInts ignores surplus integers. If src has fewer than
// SizeEx integers, it leaves the object unchanged and returns an error.
func (o *Ex) ReadInts(src []int32) error {
	if len(src) < SizeEx {
		return version.NewShortError("Ex", len(src), SizeEx)
	}
	for i := range SizeEx {
		binary.BigEndian.PutUint32(o.UUID[4*i:], uint32(src[i]))
	}
	return nil
}

// Clamp returns 0: all values are in range.
func (*Ex) Clamp() int { return 0 }
