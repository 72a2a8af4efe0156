package viewer

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestResults checks what the pages compute from matches: results, days, kills, countries, the
// parts of maps in pictures, and the resolution of slow graphics cards.
func TestResults(t *testing.T) {
	p := openServed(t, "", nil)
	check := func(function string, want ...string) {
		t.Helper()
		got := browsertest.Eval[[]string](p, `import('/test/results.js').then((m) => m.`+function+`())`)
		testenv.Check(t, slices.Equal(got, want), "%s: %q, want %q", function, got, want)
	}
	check("results", "Ada wins", "Draw", "", "", "", "Red wins", "Draw", "Ada in 0:23.45", "", "")
	check("days", "Today", "Yesterday", "Wednesday, November 25", "Friday, January 3, 2025", "Unknown day")
	check("tallies", "1/1 0/2 0/0", "2/1 0/3 0/0")
	check("countries", "DE", "XEN", "", "", "")
	check("parts", "44 19 112", "44 30 54", "-46 -21 112")
	bots := browsertest.Eval[[]bool](p, `import('/test/results.js').then((m) => m.ofBots())`)
	testenv.Check(t, slices.Equal(bots, []bool{true, false, false, true, false}), "matches of bots: %v", bots)

	type scales struct {
		Ends    []float64
		Changes int
		Lowest  float64
	}
	follow := func(phases string) scales {
		return browsertest.Eval[scales](p, `import('/test/results.js').then((m) => m.resolutions(`+phases+`))`)
	}
	s := follow(`[[20, 2, 8]]`)
	testenv.Check(t, s.Ends[0] == 1 && s.Changes == 0, "a fast card: %+v", s)
	s = follow(`[[20, 4, 400]]`)
	testenv.Check(t, s.Ends[0] == s.Lowest && s.Changes == 3, "a slow card: %+v", s)
	s = follow(`[[5, 4, 40], [60, 4, 8]]`)
	testenv.Check(t, s.Ends[0] < 1 && s.Ends[1] == 1, "a card that becomes fast again: %+v", s)
	s = follow(`[[600, 2, 25]]`) // too slow for all pixels, fast with fewer
	testenv.Check(t, s.Changes > 1 && s.Changes < 16, "a card at the limit swings %d times in ten minutes", s.Changes)
}
