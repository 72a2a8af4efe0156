package ws

// numberSize is the size in bytes of the number before each datagram of a pair.
const numberSize = 2

// windowSize is how many numbers before the newest a window remembers. Copies of older datagrams
// are useless by then, so they count as seen.
const windowSize = 2048

// window finds the first copy of each numbered datagram. Numbers wrap around, so a number up to
// 32767 after the newest is newer. The zero value has seen no number.
type window struct {
	begun  bool
	newest uint16
	seen   [windowSize / 64]uint64 // one bit for each number, by its remainder
}

// first reports whether a number is new, and remembers it.
func (w *window) first(n uint16) bool {
	ahead := int(int16(n - w.newest))
	switch {
	case !w.begun:
		w.begun, w.newest = true, n
	case ahead >= windowSize:
		w.seen, w.newest = [windowSize / 64]uint64{}, n
	case ahead > 0:
		for ; w.newest != n; w.newest++ {
			*w.word(w.newest + 1) &^= bit(w.newest + 1)
		}
	case ahead <= -windowSize || *w.word(n)&bit(n) != 0:
		return false
	}
	*w.word(n) |= bit(n)
	return true
}

func (w *window) word(n uint16) *uint64 { return &w.seen[n%windowSize/64] }

func bit(n uint16) uint64 { return 1 << (n % 64) }
