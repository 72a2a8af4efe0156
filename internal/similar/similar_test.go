package similar

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"say", "say", 0}, {"sya", "say", 1}, {"nmae", "name", 1}, {"kitten", "sitting", 3},
		{"heal", "health", 2}, {"abcd", "badc", 2},
		{"sv_name", "sv_name", 0}, {"sv_naem", "sv_name", 1}, {"vs_name", "sv_name", 1}, {"vs_naem", "sv_name", 2},
		{"svname", "sv_name", 1}, {"sv_nome", "sv_name", 1}, {"xv_nbme", "sv_name", 2}, {"sv", "sv_name", 5},
	} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
