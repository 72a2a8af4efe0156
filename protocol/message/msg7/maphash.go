package msg7

import "github.com/teeyard/teeyard/protocol/packer"

// MapHash is the SHA-256 of a map file at the end of MAP_CHANGE. It may be absent.
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

// unpack reads the hash if all of it is there. Like the original client it ignores a
// shorter rest.
func (h *MapHash) unpack(u *packer.Unpacker) {
	*h = MapHash{}
	if u.Len() < len(h.Sum) {
		return
	}
	h.Present = true
	copy(h.Sum[:], u.Raw(len(h.Sum)))
}
