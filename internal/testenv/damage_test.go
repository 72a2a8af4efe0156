package testenv

import "testing"

// TestDamaged checks that each copy has exactly one fault, and that all bit positions occur.
func TestDamaged(t *testing.T) {
	file := []byte("a file of some bytes, which are damaged one after the other")
	for _, most := range []int{10, 100, 10_000} {
		cuts, bits := 0, 0
		for d := range Damaged(file, most) {
			if d.Cut {
				cuts++
				Check(t, string(d.File) == string(file[:d.At]), "%v: %q", d, d.File)
				continue
			}
			bits |= 1 << d.Bit
			n := 0
			for i := range file {
				if d.File[i] != file[i] {
					n++
				}
			}
			Check(t, n == 1 && d.File[d.At]^file[d.At] == 1<<d.Bit, "%v: %q", d, d.File)
			clear(d.File)
		}
		Check(t, cuts >= min(most, 50, len(file)) && bits == 0xff, "of %d: %d cuts, bits %b", most, cuts, bits)
	}
}
