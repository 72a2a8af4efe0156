package ddrace

import "github.com/teeyard/teeyard/game/vec"

// pi is the original's constant, in single precision.
const pi float32 = 3.14159265358979323846

// abs returns f without its sign.
func abs(f float32) float32 { return max(f, -f) }

// normalize returns v scaled to length 1; unlike [vec.Vec2.Normalize] the zero vector stays zero.
func normalize(v Vec) Vec {
	l := vec.Sqrt(v.Dot(v))
	if l == 0 {
		return Vec{}
	}
	return v.Mul(1 / l)
}

// closest returns the point of the segment from a to b that is closest to p. It fails if a and b
// are equal. Its last bits differ from [vec.ClosestOnSegment].
func closest(a, b, p Vec) (Vec, bool) {
	ab := b.Sub(a)
	square := ab.Dot(ab)
	if !(square > 0) {
		return Vec{}, false
	}
	t := vec.Clamp(p.Sub(a).Dot(ab)/square, 0, 1)
	return a.Add(ab.Mul(t)), true
}

// box contains all points within a distance of a line.
type box struct{ x, y, halfX, halfY float32 }

func boxAround(a, b Vec, distance float32) box {
	distance += float32(8 * marginOf(a, b))
	return box{(a.X + b.X) / 2, (a.Y + b.Y) / 2, float32(abs(a.X-b.X)/2) + distance, float32(abs(a.Y-b.Y)/2) + distance}
}

// misses reports whether a place is certainly farther from the line.
func (r *box) misses(p Vec) bool {
	x, y := p.X-r.x, p.Y-r.y
	return x >= r.halfX || x <= -r.halfX || y >= r.halfY || y <= -r.halfY
}

// saturatedAdd adds m to v without exceeding lo or hi. A value beyond them stays unchanged.
func saturatedAdd(lo, hi, v, m float32) float32 {
	if m < 0 {
		if v < lo {
			return v
		}
		return max(v+m, lo)
	}
	if v > hi {
		return v
	}
	return min(v+m, hi)
}

// near reports whether two points may be closer than a distance. It compares each coordinate, so
// the points may still be farther apart.
func near(a, b Vec, distance float32) bool {
	x, y := a.X-b.X, a.Y-b.Y
	return !(x >= distance || x <= -distance || y >= distance || y <= -distance)
}
