package viewer

import (
	"slices"
	"testing"
)

// TestParticles checks that particles bounce off the ground and are at the same places after
// rewinding.
func TestParticles(t *testing.T) {
	p := openPage(t, mapFiles(t))
	got := call[struct {
		Particles, InGround, Skid int
		Same                      bool
	}](p, "draw.js", `explode("/maps/testbox")`)
	// Particles that move within a step of 1/100 s may be drawn slightly too deep.
	if got.Particles < 1000 || got.InGround*20 > got.Particles || !got.Same || got.Skid != 3 {
		t.Errorf("%+v", got)
	}
	t.Logf("%+v", got)

	skids := call[[]string](p, "draw.js", "skids([15, -1, 0], [15, 1, 0], [9, -1, 0], [-20, 1, 998], [14, -1, 990])")
	if want := []string{"11 5000 -1 15", "", "", "11 4966 1 16", ""}; !slices.Equal(skids, want) {
		t.Errorf("tees that turn have the effects %q, want %q", skids, want)
	}
	if eyes := call[[]int](p, "draw.js", `eyes("standard", "negative", "colorable")`); eyes[0] > 50 || eyes[1] < 200 || eyes[2] < 60 || eyes[2] > 100 {
		t.Errorf("the eyes have the lightness %v", eyes)
	}
}
