package ddrace

// TeeSet is a set of tees.
type TeeSet struct{ low, high uint64 }

// Has reports whether a tee, 0 to MaxTees-1, is in the set.
func (s TeeSet) Has(id int) bool {
	if id < 64 {
		return s.low>>uint(id)&1 != 0
	}
	return s.high>>uint(id-64)&1 != 0
}

func (s *TeeSet) add(id int8) {
	if id < 64 {
		s.low |= 1 << uint8(id)
	} else {
		s.high |= 1 << uint8(id-64)
	}
}

func (s *TeeSet) remove(id int8) {
	if id < 64 {
		s.low &^= 1 << uint8(id)
	} else {
		s.high &^= 1 << uint8(id-64)
	}
}
