package game

// rng is the splitmix64 generator. It is part of the world's state.
type rng struct{ state uint64 }

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// intn returns a number in 0..n-1; n must be positive.
func (r *rng) intn(n int) int { return int(r.next() >> 33 % uint64(n)) }
