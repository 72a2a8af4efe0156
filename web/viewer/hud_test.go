package viewer

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestCauses checks the words of the kill feed.
func TestCauses(t *testing.T) {
	p := openServed(t, "", nil)
	kills := `[[1, 2, 3], [2, 2, 3], [2, 2, -1], [2, 2, -2], [2, 2, -3], [-1, 2, 4], [1, 2, -1], [1, 2, 77]]`
	for race, want := range map[string][]string{
		"false": {"by another: grenade", "grenade", "the map", "self-kill", "left", "laser", "by another: the map", "by another: "},
		"true":  {"by another: grenade", "own fault", "fell", "restarted", "left", "own fault", "by another: the map", "by another: "},
	} {
		got := browsertest.Eval[[]string](p, `import('/test/hud.js').then(m => m.causes(`+kills+`, `+race+`))`)
		testenv.Check(t, slices.Equal(got, want), "race %s: %q, want %q", race, got, want)
	}
}

// TestIcons checks that each look draws every icon at once and once only, within its size. What
// exceeds the time of an update waits for the next one, never for the graphics card.
func TestIcons(t *testing.T) {
	type result struct {
		All map[string]struct {
			Painted, Width, Height float64
			Again                  bool
		}
		Waited       int
		Steady, Same bool
	}
	check := func(p *browsertest.Page, look, files string) {
		r := browsertest.Eval[result](p, `import('/test/hud.js').then(m => m.allIcons(`+files+`))`)
		testenv.Check(t, len(r.All) == 17 && r.Waited <= 17 && r.Steady && r.Same, "%s: %+v", look, r)
		for name, i := range r.All {
			testenv.Check(t, i.Painted > 0.03 && i.Width > 10 && i.Width <= 128 && i.Height > 8 && i.Height <= 112 && !i.Again, "%s: %s: %+v", look, name, i)
		}
	}
	check(openServed(t, "", nil), "own look", "null")
	data := FindData()
	if data == "" {
		t.Skip("Teeworlds is not installed")
	}
	check(openServed(t, data, nil), "images", `['game.png', ...['body', 'hands', 'feet', 'eyes'].map((f) => 'skins/' + f + '/standard.png')]`)
}
