package game

import (
	"encoding/binary"
)

// plain visits the state of a mode or mod that is plain data.
func (v *visitor) plain(w *World, s StateHook) {
	data := s.State()
	var few *layout
	if v.seats == fewPlayers {
		few = w.declared.layout(data)
	}
	if v.op == restoring {
		b := make([]byte, binary.Size(data))
		if few == nil {
			v.sparse(b)
		} else {
			old := make([]byte, few.size)
			v.sparse(old)
			few.expand(b, old)
		}
		if _, err := binary.Decode(b, binary.LittleEndian, data); err != nil && v.err == nil {
			v.fail("state of %T: %v", s, err)
		}
		return
	}
	w.stateBuf, _ = binary.Append(w.stateBuf[:0], binary.LittleEndian, data)
	if few != nil {
		w.stateBuf = few.shrink(w.stateBuf)
	}
	if v.op == hashing {
		v.hash.bytes(w.stateBuf)
		return
	}
	v.putUint(uint64(len(w.stateBuf)))
	v.sparse(w.stateBuf)
}

// sparse saves or restores bytes of which many are zero: how many zeros, how many others,
// these, and so on.
func (v *visitor) sparse(b []byte) {
	if v.op == restoring {
		if n := v.getUint(); n != uint64(len(b)) {
			v.fail("a state has %d bytes, not %d", n, len(b))
		}
		for len(b) > 0 && v.err == nil {
			zeros := v.getUint()
			others := v.getUint()
			if zeros > uint64(len(b)) || others > uint64(len(b))-zeros || zeros+others == 0 {
				v.fail("a state has %d zeros and %d other bytes in the last %d", zeros, others, len(b))
				return
			}
			copy(b[zeros:], v.getBytes(others))
			b = b[zeros+others:]
		}
		return
	}
	for len(b) > 0 {
		zeros := 0
		for zeros < len(b) && b[zeros] == 0 {
			zeros++
		}
		b = b[zeros:]
		others := 0
		for others < len(b) && (b[others] != 0 || others+1 < len(b) && b[others+1] != 0) {
			others++
		}
		v.putUint(uint64(zeros))
		v.putUint(uint64(others))
		v.buf = append(v.buf, b[:others]...)
		b = b[others:]
	}
}

// saver visits the state of a mode or mod that saves it itself.
func (v *visitor) saver(w *World, s StateSaver) {
	if v.op == restoring {
		b := v.getBytes(v.getUint())
		if v.err != nil {
			return
		}
		if err := s.RestoreState(b); err != nil {
			v.fail("state of %T: %w", s, err)
		}
		return
	}
	w.stateBuf = s.AppendState(w.stateBuf[:0])
	if v.op == hashing {
		v.hash.bytes(w.stateBuf)
		return
	}
	v.putUint(uint64(len(w.stateBuf)))
	v.buf = append(v.buf, w.stateBuf...)
}
