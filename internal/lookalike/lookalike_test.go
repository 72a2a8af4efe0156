package lookalike

import "testing"

func TestSkeleton(t *testing.T) {
	for _, same := range [][2]string{
		{"Tee", "Тее"}, {"Tee", "T e\u200de"}, {"Tw", "Ｔw"}, {"rn", "m"}, {"l1I|", "iiii"}, {"aceiou", "ąçęįǫų"}, {"O0", "OО"}, {"", "\u2800\u0301"},
	} {
		if a, b := Skeleton(same[0]), Skeleton(same[1]); a != b {
			t.Errorf("%q looks like %q, %q like %q", same[0], a, same[1], b)
		}
	}
	for _, different := range [][2]string{{"Tw", "tw"}, {"o", "x"}, {"Tee", "Te"}, {"(1)Tw", "(2)Tw"}} {
		if a, b := Skeleton(different[0]), Skeleton(different[1]); a == b {
			t.Errorf("%q and %q look like %q", different[0], different[1], a)
		}
	}
}
