package testenv

import (
	"bytes"
	"fmt"
	"iter"
)

// Damage is a damaged copy of a file. Either it ends before byte At, or bit Bit of byte At is
// flipped.
type Damage struct {
	File []byte // valid until the next Damage
	Cut  bool
	At   int
	Bit  int
}

// String describes the damage.
func (d Damage) String() string {
	if d.Cut {
		return fmt.Sprintf("cut off at byte %d", d.At)
	}
	return fmt.Sprintf("bit %d of byte %d flipped", d.Bit, d.At)
}

// Damaged returns copies of a file with one damage each: cut off at a byte, or with a bit flipped.
// There are about most cuts and about most flips, spread over the whole file. Outside of CI there
// is a quarter of that, but no fewer than 50 if most is above that. With [Full] there are twenty
// times as many, and all possible ones for a file of up to 8 KB. A cut of the last byte is always
// included.
func Damaged(file []byte, most int) iter.Seq[Damage] {
	const small = 8 << 10
	most = Amount(max(most/4, min(most, 50)), most)
	if Full() {
		most *= 20
	}
	steps := func(n int) int {
		if Full() && len(file) <= small {
			return 1
		}
		return n/most | 1 // odd, so that all bit positions occur
	}
	return func(yield func(Damage) bool) {
		for at := 0; at < len(file); at += steps(len(file)) {
			if !yield(Damage{File: bytes.Clone(file[:at]), Cut: true, At: at}) {
				return
			}
		}
		if len(file) > 0 && !yield(Damage{File: bytes.Clone(file[:len(file)-1]), Cut: true, At: len(file) - 1}) {
			return
		}
		b := bytes.Clone(file)
		for n := 0; n < 8*len(file); n += steps(8 * len(file)) {
			d := Damage{File: b, At: n / 8, Bit: n % 8}
			b[d.At] ^= 1 << d.Bit
			if !yield(d) {
				return
			}
			copy(b, file) // the caller may have changed more bytes
		}
	}
}
