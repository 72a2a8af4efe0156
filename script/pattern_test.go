package script

import (
	"math/rand/v2"
	"testing"

	golua "github.com/arnodel/golua/lib/stringlib/pattern"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestPatternsAreLuas compares matches with golua's patterns, which try alternatives in the same
// order.
func TestPatternsAreLuas(t *testing.T) {
	w := newWorld(t, "")
	v := w.mod.vm
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "b", ".", "%a", "%d", "%A", "[ab]", "[^a]", "[a-c]", "%b()", "%f[a]", "%f[%z]", "(", ")", "()", "%1", "1", "x", "%.", "%%",
		"[%d_]", "[]]", "[^]]", "-", "$", "^"}
	repeats := []string{"", "", "", "*", "+", "-", "?"}
	letters := "aab1(b)x_%.]"
	compared := 0
	for range 40000 {
		p := ""
		if r.IntN(4) == 0 {
			p = "^"
		}
		for range 1 + r.IntN(5) {
			p += parts[r.IntN(len(parts))] + repeats[r.IntN(len(repeats))]
		}
		if r.IntN(4) == 0 {
			p += "$"
		}
		s := ""
		for range r.IntN(10) {
			s += string(letters[r.IntN(len(letters))])
		}
		v.newBudget(0)
		ours, err := v.pattern(p, true)
		theirs, theirErr := golua.New(p)
		if err != nil || theirErr != nil {
			continue
		}
		at := r.IntN(len(s) + 1)
		m := matcher{v: v, s: s, p: ours}
		ok, err := m.find(at)
		testenv.NoError(t, err)
		found, _ := theirs.MatchFromStart(s, at, 1<<20)
		compared++
		testenv.Require(t, ok == (len(found) > 0), "%q in %q from %d: %v, want %v", p, s, at, m.captures[:ours.captures+1], found)
		for n, c := range found {
			got := m.captures[n]
			if got.end == isPlace {
				got.end = -1
			}
			testenv.Require(t, got.start == c.Start() && got.end == c.End(), "%q in %q from %d: capture %d is %v, want %v", p, s, at, n, got, c)
		}
	}
	testenv.Check(t, compared > 10000, "%d compared", compared)
}
