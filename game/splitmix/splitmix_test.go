package splitmix

import "testing"

// TestNumbers compares with the published numbers of the generator, and with ours, because recorded
// matches depend on them.
func TestNumbers(t *testing.T) {
	r := Rand(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := r.Next(); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	}
	for _, c := range []struct {
		what string
		next func(*Rand) int
		want [4]int
	}{
		{"Intn", func(r *Rand) int { return r.Intn(1000) }, [4]int{91, 858, 482, 872}},
		{"Uint32", func(r *Rand) int { return int(r.Uint32()) }, [4]int{1503580183, 745795716, 2285812965, 1069479744}},
		{"Uint32n", func(r *Rand) int { return int(r.Uint32n(1000)) }, [4]int{350, 173, 532, 249}},
	} {
		var got [4]int
		r := Rand(1234567)
		for i := range got {
			got[i] = c.next(&r)
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	r = 2
	percent := 0
	for range 10_000 {
		if r.Percent(30) {
			percent++
		}
	}
	if percent < 2900 || percent > 3100 || r.Uint32n(0) != 0 {
		t.Errorf("%d of 10000 are 30 %%", percent)
	}
}
