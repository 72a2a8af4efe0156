package route

// rng is the splitmix64 random number generator.
type rng uint64

// next returns 32 random bits.
func (s *rng) next() uint32 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 32)
}

// intn returns a random number from 0 to n-1.
func (s *rng) intn(n uint32) uint32 { return uint32(uint64(s.next()) * uint64(n) >> 32) }

// chance returns true in p percent of the calls.
func (s *rng) chance(p uint32) bool { return s.intn(100) < p }
