package vec

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestConversions(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	for _, c := range []struct {
		f            float32
		trunc, round int32
	}{
		{0, 0, 0}, {0.4, 0, 0}, {0.5, 0, 1}, {-0.4, 0, 0}, {-0.5, 0, -1}, {1.5, 1, 2}, {-1.5, -1, -2},
		{0.49999997, 0, 1}, // the sum rounds up to 1
		{float32(math.Copysign(0, -1)), 0, 0},
		{2147483520, 2147483520, 2147483520}, {-2147483648, math.MinInt32, math.MinInt32},
		{2147483648, math.MinInt32, math.MinInt32}, {-1e20, math.MinInt32, math.MinInt32},
		{inf, math.MinInt32, math.MinInt32}, {-inf, math.MinInt32, math.MinInt32}, {nan, math.MinInt32, math.MinInt32},
	} {
		if got := Trunc(c.f); got != c.trunc {
			t.Errorf("Trunc(%v) is %d, want %d", c.f, got, c.trunc)
		}
		if got := Round(c.f); got != c.round {
			t.Errorf("Round(%v) is %d, want %d", c.f, got, c.round)
		}
	}
}

// TestSqrt checks that the single precision root is correctly rounded.
func TestSqrt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float32Range(0, math.MaxFloat32).Draw(t, "f")
		r := Sqrt(f)
		// The exact root is between the midpoints to the neighbours.
		lo := (float64(r) + float64(math.Nextafter32(r, -1))) / 2
		hi := (float64(r) + float64(math.Nextafter32(r, math.MaxFloat32))) / 2
		testenv.Require(t, f <= 0 || lo*lo <= float64(f) && hi*hi >= float64(f), "Sqrt(%v) is %v", f, r)
	})
}

func TestClosestOnSegment(t *testing.T) {
	a, b := Vec2{X: 10, Y: 10}, Vec2{X: 30, Y: 10}
	for _, c := range []struct{ p, want Vec2 }{
		{Vec2{X: 20, Y: 50}, Vec2{X: 20, Y: 10}},
		{Vec2{X: 0, Y: 50}, a},
		{Vec2{X: 99, Y: -50}, b},
	} {
		if got := ClosestOnSegment(a, b, c.p); got != c.want {
			t.Errorf("closest to %v is %v, want %v", c.p, got, c.want)
		}
	}
	n := ClosestOnSegment(a, a, b)
	testenv.Check(t, n.X != n.X && n.Y != n.Y, "on a segment without length: %v", n)
	if d := Distance(n, b); d < 1e9 || d >= 0 {
		t.Errorf("distance to it is %v", d)
	}
}

// TestNormalize checks that it multiplies by the rounded reciprocal instead of
// dividing.
func TestNormalize(t *testing.T) {
	differs := false
	for x := float32(1); x < 100; x++ {
		v := Vec2{X: x, Y: 7}
		l := v.Len()
		n := v.Normalize()
		testenv.Check(t, n.X == float32(x*(1/l)) && n.Y == float32(7*(1/l)), "%v: %v", v, n)
		differs = differs || n.X != x/l
	}
	testenv.Check(t, differs, "no difference to a division found")
}

func TestAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float32Range(-3.1, 3.1).Draw(t, "angle")
		if got := Direction(a).Angle(); math.Abs(float64(got-a)) > 1e-6 {
			t.Fatalf("angle %v comes back as %v", a, got)
		}
	})
}

// TestSpecialValues checks zeros, infinities and NaN against the math package. Both follow the same
// C standard.
func TestSpecialValues(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 0.5, 1, -1, 2, -2, 3, -3, 1e-40, -1e38, 1e38,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	equal := func(got float32, want float64) bool {
		w := float32(want)
		return got != got && w != w || math.Signbit(float64(got)) == math.Signbit(want) && (got == w || math.Abs(float64(got/w)-1) < 1e-6)
	}
	for _, x := range values {
		for _, y := range values {
			if got, want := Atan2(y, x), math.Atan2(float64(y), float64(x)); !equal(got, want) {
				t.Errorf("Atan2(%v, %v) is %v, want %v", y, x, got, want)
			}
			if got, want := Pow(x, y), math.Pow(float64(x), float64(y)); !equal(got, want) {
				t.Errorf("Pow(%v, %v) is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestLog compares with the logarithm of the standard library.
func TestLog(t *testing.T) {
	for _, x := range []float32{1.01, 1.4, 2, 10, 0.001, 1e-30, 1e30, math.MaxFloat32} {
		if got, want := Log(x), math.Log(float64(x)); math.Abs(got/want-1) > 1e-7 {
			t.Errorf("Log(%v) is %v, want %v", x, got, want)
		}
	}
}

func BenchmarkPow(b *testing.B) {
	x := float32(0)
	for b.Loop() {
		x += Pow(1.4, 0.7)
	}
}

func BenchmarkAtan2(b *testing.B) {
	x := float32(0)
	for b.Loop() {
		x += Atan2(300, -55)
	}
}

// TestAtanAtBoundaries checks the arc tangent to the last bit where the reduction of its argument
// changes.
func TestAtanAtBoundaries(t *testing.T) {
	for _, x := range []float32{7. / 16, 11. / 16, 19. / 16, 39. / 16} {
		for _, x := range []float32{math.Nextafter32(x, 0), x, math.Nextafter32(x, 9)} {
			if got, want := atan(x), float32(math.Atan(float64(x))); got != want && got != math.Nextafter32(want, 0) && got != math.Nextafter32(want, 9) {
				t.Errorf("atan(%v) = %v, want %v", x, got, want)
			}
		}
	}
}
