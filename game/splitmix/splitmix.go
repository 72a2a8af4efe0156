// Package splitmix implements the splitmix64 random number generator. It gives the
// same numbers on every machine.
package splitmix

// Rand is a generator; its value is the whole state and the seed.
type Rand uint64

// Next returns 64 random bits.
func (r *Rand) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn returns a number in 0..n-1; n must be positive.
func (r *Rand) Intn(n int) int { return int(r.Next() >> 33 % uint64(n)) }

// Uint32 returns 32 random bits.
func (r *Rand) Uint32() uint32 { return uint32(r.Next() >> 32) }

// Uint32n returns a number in 0..n-1, and 0 if n is 0. It does without the division of
// Intn, and comes to other numbers.
func (r *Rand) Uint32n(n uint32) uint32 { return uint32(uint64(r.Uint32()) * uint64(n) >> 32) }

// Percent returns true in p percent of the calls.
func (r *Rand) Percent(p uint32) bool { return r.Uint32n(100) < p }
