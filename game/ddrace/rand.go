package ddrace

// prng is DDNet-Server's generator of random numbers: PCG-XSH-RR with 64 bits of state. It gives
// the same numbers for the seed in a teehistorian.
type prng struct {
	state, increment uint64
}

func newPRNG(seed [2]uint64) prng {
	r := prng{increment: seed[1]<<1 | 1}
	r.state = seed[0] + r.increment
	r.next()
	return r
}

// next returns 32 random bits.
func (r *prng) next() uint32 {
	x := r.state
	r.state = x*6364136223846793005 + r.increment
	turn := uint32(x >> 59)
	v := uint32((x ^ x>>18) >> 27)
	return v>>turn | v<<(-turn&31)
}

// choose returns a number below n. It draws only if there is a choice.
func (r *prng) choose(n int32) int32 {
	if n <= 1 {
		return 0
	}
	return int32(r.next() % uint32(n))
}
