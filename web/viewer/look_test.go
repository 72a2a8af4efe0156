package viewer

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestContrast computes the contrast of the colours in look.css by WCAG 2.2: at least 4.5 for text
// and 3 for the rims of controls (level AA).
func TestContrast(t *testing.T) {
	colors := lookColors(t)
	check := func(front, back string, least float64) {
		if got := contrast(colors[front], colors[back]); got < least {
			t.Errorf("--%s on --%s has a contrast of %.2f; it needs %.1f", front, back, got, least)
		}
	}
	for _, back := range []string{"bg", "surface", "raised"} {
		for _, text := range []string{"ink", "dim", "accent", "red", "blue", "good"} {
			check(text, back, 4.5)
		}
		check("rim", back, 3)
	}
	check("on-accent", "accent", 4.5)
	if got := contrast([3]float64{1, 1, 1}, [3]float64{}); math.Abs(got-21) > 1e-9 {
		t.Errorf("white on black has a contrast of %.2f", got)
	}
}

// lookColors returns the opaque colours of look.css by name, from 0 to 1.
func lookColors(t *testing.T) map[string][3]float64 {
	t.Helper()
	sheet := testenv.Must(fs.ReadFile(Files(), "page/look.css"))
	colors := make(map[string][3]float64)
	for _, found := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6});`).FindAllSubmatch(sheet, -1) {
		n := testenv.Must(strconv.ParseUint(string(found[2]), 16, 32))
		colors[string(found[1])] = [3]float64{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}
	}
	if len(colors) < 10 {
		t.Fatalf("look.css has %d colours", len(colors))
	}
	return colors
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(a, b [3]float64) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, part := range [3]float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 12.92
		if c[i] > 0.04045 {
			v = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
		sum += part * v
	}
	return sum
}
