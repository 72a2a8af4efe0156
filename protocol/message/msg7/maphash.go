package msg7

import "github.com/teeyard/teeyard/protocol/packer"

// MapHash is the SHA-256 of a map file at the end of MAP_CHANGE. The hash can be absent.
type MapHash struct {
	Present bool
	Sum     [32]byte
}

func (h *MapHash) append(dst []byte) []byte {
	if !h.Present {
		return dst
	}
	return append(dst, h.Sum[:]...)
}

// unpack reads the hash if it is complete. Like the original client, it ignores fewer bytes.
func (h *MapHash) unpack(u *packer.Unpacker) {
	*h = MapHash{}
	if u.Len() < len(h.Sum) {
		return
	}
	h.Present = true
	copy(h.Sum[:], u.Raw(len(h.Sum)))
}
