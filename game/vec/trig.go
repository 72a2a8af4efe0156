package vec

import "math"

// quadrant holds the polynomials of sine and cosine on -pi/4..pi/4, with the sign of
// the cosine for one half turn.
type quadrant struct {
	c0, c1, c2, c3, c4 float64
	s1, s2, s3         float64
}

// The coefficients are from the GNU C library's single precision sine and cosine. The library
// computes them in double precision.
var quadrants = [2]quadrant{
	{
		1, -0x1.ffffffd0c621cp-2, 0x1.55553e1068f19p-5, -0x1.6c087e89a359dp-10, 0x1.99343027bf8c3p-16,
		-0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13,
	},
	{
		-1, 0x1.ffffffd0c621cp-2, -0x1.55553e1068f19p-5, 0x1.6c087e89a359dp-10, -0x1.99343027bf8c3p-16,
		-0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13,
	},
}

// quadrantSign is the sign of the argument for each quarter turn.
var quadrantSign = [4]float64{1, -1, -1, 1}

const (
	invHalfPi24 = 0x1.45f306dc9c883p+23 // 2/pi * 2^24
	halfPi      = 0x1.921fb54442d18p+0
	piScaled63  = 0x1.921fb54442d18p-62 // pi / 2^63

	expMask = 0x7ff00000 >> 20 // sign-free exponent and three mantissa bits of a float32
)

// top12 returns the exponent and the highest mantissa bits, without the sign.
func top12(f float32) uint32 { return math.Float32bits(f) >> 20 & expMask }

var (
	topQuarterPi = top12(0x1.921fb6p-1)
	topTiny      = top12(0x1p-12)
	top120       = top12(120)
	topInf       = top12(float32(math.Inf(1)))
)

// poly evaluates sine (n even) or cosine (n odd) of x on -pi/4..pi/4.
func (q *quadrant) poly(x, x2 float64, n uint32) float32 {
	if n&1 == 0 {
		x3 := x * x2
		s1 := q.s2 + float64(x2*q.s3)
		x7 := x3 * x2
		s := x + float64(x3*q.s1)
		return float32(s + float64(x7*s1))
	}
	x4 := x2 * x2
	c2 := q.c3 + float64(x2*q.c4)
	c1 := q.c0 + float64(x2*q.c1)
	x6 := x4 * x2
	c := c1 + float64(x4*q.c2)
	return float32(c + float64(x6*c2))
}

// reduceFast reduces |x| < 120 to -pi/4..pi/4 and returns the number of quarter turns.
func reduceFast(x float64) (float64, uint32) {
	n := (int32(x*invHalfPi24) + 0x800000) >> 24
	return x - float64(float64(n)*halfPi), uint32(n)
}

// fourOverPi is 4/pi in windows of 32 bits that start 8 bits apart.
var fourOverPi = [24]uint32{
	0x000000a2, 0x0000a2f9, 0x00a2f983, 0xa2f9836e, 0xf9836e4e, 0x836e4e44, 0x6e4e4415, 0x4e441529,
	0x441529fc, 0x1529fc27, 0x29fc2757, 0xfc2757d1, 0x2757d1f5, 0x57d1f534, 0xd1f534dd, 0xf534ddc0,
	0x34ddc0db, 0xddc0db62, 0xc0db6295, 0xdb629599, 0x6295993c, 0x95993c43, 0x993c4390, 0x3c439041,
}

// reduceLarge is reduceFast for any finite magnitude, with integer arithmetic.
func reduceLarge(bits uint32) (float64, uint32) {
	w := fourOverPi[bits>>26&15:]
	m := (bits&0xffffff | 0x800000) << (bits >> 23 & 7)
	hi := uint64(m * w[0])
	mid := uint64(m) * uint64(w[4])
	lo := uint64(m) * uint64(w[8])
	r := (lo>>32 | hi<<32) + mid
	n := (r + 1<<61) >> 62
	r -= n << 62
	return float64(int64(r)) * piScaled63, uint32(n)
}

// Sin returns the sine of x (radians).
//
// Sin uses the algorithm of the GNU C library 2.36 without fused operations. It equals Debian 12's
// libm on a machine with FMA (where the library uses its fused variant) for 1,000,000 random
// arguments in -4..4 and 1,000,000 random bit patterns. TestLibmVectors describes how to repeat the
// comparison.
func Sin(x float32) float32 {
	if top12(x) < topTiny {
		return x
	}
	return sine(x, 0)
}

// Cos returns the cosine of x (radians), with the algorithm and accuracy of Sin.
func Cos(x float32) float32 {
	if top12(x) < topTiny {
		return 1
	}
	return sine(x, 1)
}

// sine returns the sine of x, or the cosine if odd is 1.
func sine(x float32, odd uint32) float32 {
	d, n, k := float64(x), uint32(0), uint32(0)
	switch t := top12(x); {
	case t < topQuarterPi:
		return quadrants[0].poly(d, d*d, odd)
	case t < top120:
		d, n = reduceFast(d)
		k = n
	case t < topInf:
		bits := math.Float32bits(x)
		d, n = reduceLarge(bits)
		k = n + bits>>31
	default:
		return float32(math.NaN())
	}
	return quadrants[k>>1&1].poly(d*quadrantSign[k&3], d*d, n^odd)
}

// The constants of the arc tangent, all exact in float32.
const (
	pi32     float32 = 3.1415927410e+00
	pi32Low  float32 = -8.7422776573e-08
	halfPi32 float32 = 1.5707963705e+00
)

var (
	atanHigh = [4]float32{4.6364760399e-01, 7.8539812565e-01, 9.8279368877e-01, 1.5707962513e+00}
	atanLow  = [4]float32{5.0121582440e-09, 3.7748947079e-08, 3.4473217170e-08, 7.5497894159e-08}
)

// The coefficients of x^3, x^7, ... and of x^5, x^9, ... of the arc tangent.
const (
	atanOdd0  float32 = 3.3333334327e-01
	atanOdd1  float32 = 1.4285714924e-01
	atanOdd2  float32 = 9.0908870101e-02
	atanOdd3  float32 = 6.6610731184e-02
	atanOdd4  float32 = 4.9768779427e-02
	atanOdd5  float32 = 1.6285819933e-02
	atanEven0 float32 = -2.0000000298e-01
	atanEven1 float32 = -1.1111110449e-01
	atanEven2 float32 = -7.6918758452e-02
	atanEven3 float32 = -5.8335702866e-02
	atanEven4 float32 = -3.6531571299e-02
)

// atan returns the arc tangent, in single precision throughout. The argument is
// reduced with the addition theorem around 0.5, 1, 1.5 or infinity.
func atan(x float32) float32 {
	bits := math.Float32bits(x)
	abs := bits & 0x7fffffff
	if abs >= 0x4c000000 { // 2^25: pi/2 to the last bit
		if abs > 0x7f800000 {
			return x + x
		}
		r := atanHigh[3] + atanLow[3]
		if bits>>31 != 0 {
			return -atanHigh[3] - atanLow[3]
		}
		return r
	}
	part := -1
	if abs < 0x3ee00000 { // 7/16
		if abs < 0x31000000 { // 2^-29
			return x
		}
	} else {
		x = math.Float32frombits(abs)
		switch {
		case abs < 0x3f300000: // 11/16
			part, x = 0, (float32(2*x)-1)/(2+x)
		case abs < 0x3f980000: // 19/16
			part, x = 1, (x-1)/(x+1)
		case abs < 0x401c0000: // 39/16
			part, x = 2, (x-1.5)/(1+float32(1.5*x))
		default:
			part, x = 3, -1/x
		}
	}
	z := x * x
	w := z * z
	odd := atanOdd4 + float32(w*atanOdd5)
	odd = atanOdd3 + float32(w*odd)
	odd = atanOdd2 + float32(w*odd)
	odd = atanOdd1 + float32(w*odd)
	odd = atanOdd0 + float32(w*odd)
	odd = float32(z * odd)
	even := atanEven3 + float32(w*atanEven4)
	even = atanEven2 + float32(w*even)
	even = atanEven1 + float32(w*even)
	even = atanEven0 + float32(w*even)
	even = float32(w * even)
	p := float32(x * (odd + even))
	if part < 0 {
		return x - p
	}
	r := atanHigh[part] - ((p - atanLow[part]) - x)
	if bits>>31 != 0 {
		return -r
	}
	return r
}

// Atan2 returns the angle of the point (x, y), in -pi..pi radians.
//
// Atan2 uses the single precision algorithm of the GNU C library 2.36. It equals Debian 12's libm
// for 1,000,000 random whole targets in -1000..1000 and 1,000,000 random bit patterns.
// TestLibmVectors describes how to repeat the comparison.
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return x + y
	}
	xb, yb := math.Float32bits(x), math.Float32bits(y)
	xa, ya := xb&0x7fffffff, yb&0x7fffffff
	left, up := xb>>31 != 0, yb>>31 != 0
	if xb == 0x3f800000 {
		return atan(y)
	}
	const inf = 0x7f800000
	var z float32
	switch {
	case ya == 0:
		switch {
		case !left:
			return y
		case up:
			return -pi32
		}
		return pi32
	case xa == 0, ya == inf && xa != inf:
		z = halfPi32
		if up {
			return -z
		}
		return z
	case xa == inf && ya == inf:
		z = float32(math.Pi / 4)
		if left {
			z = float32(3 * z)
		}
		if up {
			return -z
		}
		return z
	case xa == inf:
		z = 0
		if left {
			z = pi32
		}
		if up {
			return -z
		}
		return z
	}
	switch k := (int32(ya) - int32(xa)) >> 23; {
	case k > 60:
		z = halfPi32 + float32(0.5*pi32Low)
	case left && k < -60:
		z = 0
	default:
		z = atan(math.Float32frombits(math.Float32bits(y/x) & 0x7fffffff))
	}
	switch {
	case !left && !up:
		return z
	case !left:
		return -z
	case !up:
		return pi32 - (z - pi32Low)
	}
	return (z - pi32Low) - pi32
}
