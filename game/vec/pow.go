package vec

import "math"

// logTable splits the mantissa range into 16 parts. For each it holds 1/c and log2(c)
// of a point c near the middle, chosen so that both are almost exact in double
// precision.
var logTable = [16]struct{ inv, log float64 }{
	{0x1.661ec79f8f3bep+0, -0x1.efec65b963019p-2},
	{0x1.571ed4aaf883dp+0, -0x1.b0b6832d4fca4p-2},
	{0x1.49539f0f010b0p+0, -0x1.7418b0a1fb77bp-2},
	{0x1.3c995b0b80385p+0, -0x1.39de91a6dcf7bp-2},
	{0x1.30d190c8864a5p+0, -0x1.01d9bf3f2b631p-2},
	{0x1.25e227b0b8ea0p+0, -0x1.97c1d1b3b7af0p-3},
	{0x1.1bb4a4a1a343fp+0, -0x1.2f9e393af3c9fp-3},
	{0x1.12358f08ae5bap+0, -0x1.960cbbf788d5cp-4},
	{0x1.0953f419900a7p+0, -0x1.a6f9db6475fcep-5},
	{0x1.0000000000000p+0, 0},
	{0x1.e608cfd9a47acp-1, 0x1.338ca9f24f53dp-4},
	{0x1.ca4b31f026aa0p-1, 0x1.476a9543891bap-3},
	{0x1.b2036576afce6p-1, 0x1.e840b4ac4e4d2p-3},
	{0x1.9c2d163a1aa2dp-1, 0x1.40645f0c6651cp-2},
	{0x1.886e6037841edp-1, 0x1.88e9c2c1b9ff8p-2},
	{0x1.767dcf5534862p-1, 0x1.ce0a44eb17bccp-2},
}

// logPoly is log2(1+r)/r around 0, highest power first.
var logPoly = [5]float64{
	0x1.27616c9496e0bp-2, -0x1.71969a075c67ap-2, 0x1.ec70a6ca7baddp-2,
	-0x1.7154748bef6c8p-1, 0x1.71547652ab82bp+0,
}

// expTable[i] is the bits of 2^(i/32) minus i<<47, so that adding k<<47 gives 2^(k/32)
// for any integer k with i = k mod 32.
var expTable = [32]uint64{
	0x3ff0000000000000, 0x3fefd9b0d3158574, 0x3fefb5586cf9890f, 0x3fef9301d0125b51,
	0x3fef72b83c7d517b, 0x3fef54873168b9aa, 0x3fef387a6e756238, 0x3fef1e9df51fdee1,
	0x3fef06fe0a31b715, 0x3feef1a7373aa9cb, 0x3feedea64c123422, 0x3feece086061892d,
	0x3feebfdad5362a27, 0x3feeb42b569d4f82, 0x3feeab07dd485429, 0x3feea47eb03a5585,
	0x3feea09e667f3bcd, 0x3fee9f75e8ec5f74, 0x3feea11473eb0187, 0x3feea589994cce13,
	0x3feeace5422aa0db, 0x3feeb737b0cdc5e5, 0x3feec49182a3f090, 0x3feed503b23e255d,
	0x3feee89f995ad3ad, 0x3feeff76f2fb5e47, 0x3fef199bdd85529c, 0x3fef3720dcef9069,
	0x3fef5818dcfba487, 0x3fef7c97337b9b5f, 0x3fefa4afa2a490da, 0x3fefd0765b6e4540,
}

// expPoly is (2^r-1)/r around 0, highest power first.
var expPoly = [3]float64{0x1.c6af84b912394p-5, 0x1.ebfce50fac4f3p-3, 0x1.62e42ff0c52d6p-1}

// expShift, added to a double, moves its value in units of 1/32 to the low mantissa
// bits.
const expShift = 0x1.8p+52 / 32

// log2 returns the binary logarithm of the positive normal float32 with these bits.
// For subnormals the exponent field can have wrapped below zero.
func log2(bits uint32) float64 {
	t := bits - 0x3f330000
	part := &logTable[t>>19&15]
	top := t & 0xff800000
	z := float64(math.Float32frombits(bits - top))
	r := float64(z*part.inv) - 1
	y0 := part.log + float64(int32(top)>>23)
	r2 := r * r
	y := float64(logPoly[0]*r) + logPoly[1]
	p := float64(logPoly[2]*r) + logPoly[3]
	r4 := r2 * r2
	q := float64(logPoly[4]*r) + y0
	q = float64(p*r2) + q
	return float64(y*r4) + q
}

// Log returns the natural logarithm of a positive normal number, with at least the precision of a
// float32 and the same bits on every machine.
func Log(x float32) float64 { return log2(math.Float32bits(x)) * math.Ln2 }

// exp2 returns 2^x for -150 < x < 128, negated if negative is set.
func exp2(x float64, negative bool) float32 {
	kd := x + expShift
	k := math.Float64bits(kd)
	r := x - (kd - expShift)
	t := expTable[k&31] + k<<47
	if negative {
		t ^= 1 << 63
	}
	z := float64(expPoly[0]*r) + expPoly[1]
	r2 := r * r
	y := float64(expPoly[2]*r) + 1
	y = float64(z*r2) + y
	return float32(y * math.Float64frombits(t))
}

// integerKind classifies a finite non-zero float32: 0 not an integer, 1 odd, 2 even.
func integerKind(bits uint32) int {
	e := bits >> 23 & 0xff
	switch {
	case e < 0x7f:
		return 0
	case e > 0x7f+23:
		return 2
	case bits&(1<<(0x7f+23-e)-1) != 0:
		return 0
	case bits&(1<<(0x7f+23-e)) != 0:
		return 1
	}
	return 2
}

// Pow returns x to the power of y in single precision.
//
// Pow uses the algorithm of the GNU C library since 2.28 (a logarithm and an exponential in double
// precision with small tables), without fused operations. Like that algorithm, it does not always
// round correctly: it must return the bits that clients compute. It equals Debian 12's libm (the
// fused variant) for 1,000,000 powers of 1.4 with exponents 0..16, 1,000,000 of 0..4 with exponents
// -30..30 and 1,000,000 random bit patterns. TestLibmVectors describes how to repeat the
// comparison.
func Pow(x, y float32) float32 {
	const one, inf = 0x3f800000, 0x7f800000
	xb, yb := math.Float32bits(x), math.Float32bits(y)
	negative := false
	xSpecial := 2*xb-1 >= 2*inf-1 // zero, infinity or NaN
	ySpecial := 2*yb-1 >= 2*inf-1
	if xb-0x00800000 >= inf-0x00800000 || ySpecial {
		if ySpecial {
			switch {
			case 2*yb == 0, xb == one:
				return 1
			case 2*xb > 2*inf, 2*yb > 2*inf:
				return x + y
			case 2*xb == 2*one:
				return 1
			case (2*xb < 2*one) == (yb>>31 == 0):
				return 0
			}
			return y * y
		}
		if xSpecial {
			r := x * x
			if xb>>31 != 0 && integerKind(yb) == 1 {
				r = -r
			}
			if yb>>31 != 0 {
				r = 1 / r
			}
			return r
		}
		if xb>>31 != 0 {
			switch integerKind(yb) {
			case 0:
				return float32(math.NaN())
			case 1:
				negative = true
			}
			xb &= 0x7fffffff
		}
		if xb < 0x00800000 {
			xb = math.Float32bits(math.Float32frombits(xb)*0x1p23) - 23<<23
		}
	}
	l := float64(y) * log2(xb)
	switch {
	case l > 0x1.fffffffd1d571p+6:
		r := float32(math.Inf(1))
		if negative {
			r = -r
		}
		return r
	case l <= -150:
		var r float32
		if negative {
			r = -r
		}
		return r
	}
	return exp2(l, negative)
}
