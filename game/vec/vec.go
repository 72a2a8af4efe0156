// Package vec implements the single precision vector arithmetic of the game rules. It
// gives the same bits on every machine and build variant.
//
// Clients predict the world with the arithmetic of Teeworlds 0.7: IEEE float32, each operation
// rounded once, in a fixed order. On some targets (arm64, amd64 with GOAMD64=v3) Go can fuse x*y+z
// into one rounding, and then server and clients would differ. An explicit conversion of the
// product prevents this, so the game rules write every product in a sum as float32(x*y). This
// package also has sine, cosine, arc tangent and power, because the results of package math differ
// between machines.
//
// Lengths are in 1/32 of a tile (a "unit"), angles in radians, and y grows downwards.
package vec

import "math"

// Vec2 is a point or a direction; X grows to the right, Y downwards.
type Vec2 struct {
	X, Y float32
}

// Add returns a+b.
func (a Vec2) Add(b Vec2) Vec2 { return Vec2{a.X + b.X, a.Y + b.Y} }

// Sub returns a-b.
func (a Vec2) Sub(b Vec2) Vec2 { return Vec2{a.X - b.X, a.Y - b.Y} }

// Mul returns a scaled by s.
func (a Vec2) Mul(s float32) Vec2 { return Vec2{float32(a.X * s), float32(a.Y * s)} }

// Neg returns -a.
func (a Vec2) Neg() Vec2 { return Vec2{-a.X, -a.Y} }

// Dot returns the scalar product.
func (a Vec2) Dot(b Vec2) float32 { return float32(a.X*b.X) + float32(a.Y*b.Y) }

// Len returns the length of a.
func (a Vec2) Len() float32 { return Sqrt(float32(a.X*a.X) + float32(a.Y*a.Y)) }

// Normalize returns a scaled to length 1 as release 0.7.5 does: it multiplies by the rounded
// reciprocal of the length. A division by the length would differ in the last bit. The zero vector
// gives NaN in both components.
func (a Vec2) Normalize() Vec2 {
	l := 1 / Sqrt(float32(a.X*a.X)+float32(a.Y*a.Y))
	return Vec2{float32(a.X * l), float32(a.Y * l)}
}

// Angle returns the direction of a in radians, -pi..pi; 0 is to the right and
// positive angles turn downwards.
func (a Vec2) Angle() float32 { return Atan2(a.Y, a.X) }

// Direction returns the unit vector that points along angle (radians).
func Direction(angle float32) Vec2 { return Vec2{Cos(angle), Sin(angle)} }

// Distance returns the length of a-b.
func Distance(a, b Vec2) float32 {
	x, y := a.X-b.X, a.Y-b.Y
	return Sqrt(float32(x*x) + float32(y*y))
}

// Mix returns the point at fraction t of the way from a to b, a+(b-a)*t.
func Mix(a, b Vec2, t float32) Vec2 {
	return Vec2{a.X + float32((b.X-a.X)*t), a.Y + float32((b.Y-a.Y)*t)}
}

// MixScalar returns a+(b-a)*t.
func MixScalar(a, b, t float32) float32 { return a + float32((b-a)*t) }

// ClosestOnSegment returns the point of the segment from a to b that is closest to p. If a and b
// are equal, both components are NaN, so every distance test fails. The rules rely on this: a hook
// that starts inside a wall grabs no tee.
func ClosestOnSegment(a, b, p Vec2) Vec2 {
	c := p.Sub(a)
	n := b.Sub(a).Normalize()
	t := n.Dot(c) / Distance(a, b)
	return Mix(a, b, Clamp(t, 0, 1))
}

// Clamp limits v to lo..hi; NaN stays NaN.
func Clamp(v, lo, hi float32) float32 {
	if v < lo {
		return lo
	}
	if v > hi {
		return hi
	}
	return v
}

// Sqrt returns the correctly rounded single precision square root.
func Sqrt(f float32) float32 { return float32(math.Sqrt(float64(f))) }

// Trunc rounds towards zero. NaN and values outside int32 become the smallest int32, as on the x86
// processors of the original. For these a Go conversion would depend on the processor.
func Trunc(f float32) int32 {
	const sign, limit = 1 << 31, 0x4f000000 // the bits of 2^31
	if math.Float32bits(f)&^sign < limit {
		return int32(f)
	}
	return math.MinInt32
}

// Round rounds to the nearest integer, halves away from zero, with the original's
// intermediate float32 sum: trunc(f+0.5), for f<=0 trunc(f-0.5).
func Round(f float32) int32 {
	// The half gets the sign of f without a branch, because half of the branches would be
	// mispredicted. Zero of either sign gives 0 in both cases.
	const half, sign = 0x3f000000, 1 << 31
	return Trunc(f + math.Float32frombits(half|math.Float32bits(f)&sign))
}
