package script

import (
	"errors"
	"math"
	"math/bits"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game/vec"
)

// Scripts must compute the same numbers on every machine. Go's math package uses instructions that
// differ between machines. So the functions of the Lua library math that are not exact by
// definition are made of exact operations, or use game/vec with the precision of a float32.

func number(c *rt.GoCont, i int) (float64, error) {
	x := value(c, i)
	if f, ok := x.TryFloat(); ok {
		return f, nil
	}
	if n, ok := x.TryInt(); ok {
		return float64(n), nil
	}
	return 0, badArgument(i, "a number", x)
}

// whole returns a float as an integer if it is one.
func whole(f float64) rt.Value {
	if n, t := rt.FloatToInt(f); t == rt.IsInt {
		return rt.IntValue(n)
	}
	return rt.FloatValue(f)
}

// float1 wraps a function of one number.
func float1(f func(float64) float64) fn {
	return func(v *vm, c *rt.GoCont) error {
		x, err := number(c, 0)
		if err != nil {
			return err
		}
		v.push(c, rt.FloatValue(f(x)))
		return nil
	}
}

// rounding wraps a function that rounds to an integer.
func rounding(f func(float64) float64) fn {
	return func(v *vm, c *rt.GoCont) error {
		if x := value(c, 0); x.Type() == rt.IntType {
			v.push(c, x)
			return nil
		}
		x, err := number(c, 0)
		if err != nil {
			return err
		}
		v.push(c, whole(f(x)))
		return nil
	}
}

// extreme returns min or max, by the comparison that it gets.
func extreme(better func(a, b rt.Value) (bool, error)) fn {
	return func(v *vm, c *rt.GoCont) error {
		best := value(c, 0)
		v.payItems(costOf("math.max"), len(c.Etc()))
		for i, x := range append([]rt.Value{best}, c.Etc()...) {
			if x.NumberType() == rt.UnknownType {
				return badArgument(i, "a number", x)
			}
			if ok, err := better(x, best); err != nil {
				return err
			} else if ok {
				best = x
			}
		}
		v.push(c, best)
		return nil
	}
}

func (v *vm) openMath() {
	t := rt.NewTable()
	set(t, "huge", rt.FloatValue(math.Inf(1)))
	set(t, "pi", rt.FloatValue(math.Pi))
	set(t, "maxinteger", rt.IntValue(math.MaxInt64))
	set(t, "mininteger", rt.IntValue(math.MinInt64))
	thread := v.thread
	less := func(a, b rt.Value) (bool, error) { return rt.Lt(thread, a, b) }
	for name, f := range map[string]struct {
		n   int
		etc bool
		f   fn
	}{
		"abs":       {1, false, abs},
		"acos":      {1, false, float1(acos)},
		"asin":      {1, false, float1(asin)},
		"atan":      {2, false, atan},
		"atan2":     {2, false, atan},
		"ceil":      {1, false, rounding(math.Ceil)},
		"cos":       {1, false, float1(cos)},
		"deg":       {1, false, float1(func(x float64) float64 { return float64(x*180) / math.Pi })},
		"exp":       {1, false, float1(exp)},
		"floor":     {1, false, rounding(math.Floor)},
		"fmod":      {2, false, fmod},
		"log":       {2, false, logarithm},
		"max":       {1, true, extreme(func(x, best rt.Value) (bool, error) { return less(best, x) })},
		"min":       {1, true, extreme(less)},
		"modf":      {1, false, modf},
		"pow":       {2, false, power},
		"rad":       {1, false, float1(func(x float64) float64 { return float64(x*math.Pi) / 180 })},
		"random":    {2, false, random},
		"sin":       {1, false, float1(sin)},
		"sqrt":      {1, false, float1(math.Sqrt)},
		"tan":       {1, false, float1(func(x float64) float64 { return sin(x) / cos(x) })},
		"tointeger": {1, false, toInteger},
		"type":      {1, false, mathType},
	} {
		set(t, name, v.function("math."+name, f.n, f.etc, f.f))
	}
	v.apiTable("math", t)
	set(v.env, "math", rt.TableValue(t))
}

func sin(x float64) float64  { return float64(vec.Sin(float32(x))) }
func cos(x float64) float64  { return float64(vec.Cos(float32(x))) }
func asin(x float64) float64 { return arc(x, math.Sqrt(1-float64(x*x))) }
func acos(x float64) float64 { return arc(math.Sqrt(1-float64(x*x)), x) }

// arc returns the angle of a point.
func arc(y, x float64) float64 { return float64(vec.Atan2(float32(y), float32(x))) }

func atan(v *vm, c *rt.GoCont) error {
	y, err := number(c, 0)
	x := 1.0
	if err == nil && !value(c, 1).IsNil() {
		x, err = number(c, 1)
	}
	if err != nil {
		return err
	}
	v.push(c, rt.FloatValue(arc(y, x)))
	return nil
}

func abs(v *vm, c *rt.GoCont) error {
	if n, ok := value(c, 0).TryInt(); ok {
		v.push(c, rt.IntValue(max(n, -n)))
		return nil
	}
	x, err := number(c, 0)
	if err != nil {
		return err
	}
	v.push(c, rt.FloatValue(math.Abs(x)))
	return nil
}

func modf(v *vm, c *rt.GoCont) error {
	x, err := number(c, 0)
	if err != nil {
		return err
	}
	w, f := math.Trunc(x), 0.0
	if !math.IsInf(x, 0) {
		f = x - w
	}
	v.push(c, rt.FloatValue(w))
	v.push(c, rt.FloatValue(f))
	return nil
}

func fmod(v *vm, c *rt.GoCont) error {
	x, err := number(c, 0)
	if err != nil {
		return err
	}
	y, err := number(c, 1)
	if err != nil {
		return err
	}
	v.push(c, rt.FloatValue(fmodOf(x, y)))
	return nil
}

// modulo is the operator %.
func modulo(v *vm, c *rt.GoCont) error {
	x, y := value(c, 0), value(c, 1)
	isFloat := x.Type() == rt.FloatType || y.Type() == rt.FloatType
	if !isFloat || x.NumberType() == rt.UnknownType || y.NumberType() == rt.UnknownType {
		r, ok, err := rt.Mod(x, y)
		if !ok {
			r, err = v.metaModulo(c, x, y)
		}
		v.push(c, r)
		return err
	}
	a, _ := rt.ToFloat(x)
	b, _ := rt.ToFloat(y)
	r := fmodOf(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	v.push(c, rt.FloatValue(r))
	return nil
}

// metaModulo calls the metamethod of an operand.
func (v *vm) metaModulo(c *rt.GoCont, x, y rt.Value) (rt.Value, error) {
	for _, z := range []rt.Value{x, y} {
		res := rt.NewTerminationWith(c, 1, false)
		if err, ok := rt.Metacall(v.thread, z, "__mod", []rt.Value{x, y}, res); ok {
			return res.Get(0), err
		}
	}
	return rt.NilValue, rt.BinaryArithmeticError("mod", x, y)
}

// fmodOf returns the exact remainder of x / y. It computes with integers of the same ratio, so its
// time does not depend on the quotient, which can have more than a thousand bits.
func fmodOf(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	if !(a < math.Inf(1)) || !(b > 0) || math.IsInf(b, 1) || a < b {
		return math.Mod(x, y)
	}
	fa, ea := math.Frexp(a)
	fb, eb := math.Frexp(b)
	// a = ma 2^(ea-53), b = mb 2^(eb-53)
	ma, mb := uint64(math.Ldexp(fa, 53)), uint64(math.Ldexp(fb, 53))
	r, power := ma%mb, uint64(2)%mb
	for n := ea - eb; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = mulMod(r, power, mb)
		}
		power = mulMod(power, power, mb)
	}
	return math.Copysign(math.Ldexp(float64(r), eb-53), x)
}

// mulMod returns a*b modulo m, for a and b less than m.
func mulMod(a, b, m uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high, low, m)
	return rest
}

func toInteger(v *vm, c *rt.GoCont) error {
	x := rt.NilValue
	if n, ok := rt.ToIntNoString(value(c, 0)); ok {
		x = rt.IntValue(n)
	}
	v.push(c, x)
	return nil
}

func mathType(v *vm, c *rt.GoCont) error {
	x := rt.NilValue
	switch value(c, 0).NumberType() {
	case rt.IntType:
		x = rt.StringValue("integer")
	case rt.FloatType:
		x = rt.StringValue("float")
	}
	v.push(c, x)
	return nil
}

// random is math.random, from the generator of the world: a float in [0, 1), or an integer from 1
// to m or from m to n.
func random(v *vm, c *rt.GoCont) error {
	if v.tx == nil {
		return errNoGame
	}
	if c.NArgs() == 0 {
		v.push(c, rt.FloatValue(float64(v.tx.Rand(1<<30))/(1<<30)))
		return nil
	}
	m, n := int64(1), int64(0)
	var ok bool
	if n, ok = rt.ToIntNoString(c.Arg(0)); !ok {
		return badArgument(0, "an integer", c.Arg(0))
	}
	if x := value(c, 1); !x.IsNil() {
		m = n
		if n, ok = rt.ToIntNoString(x); !ok {
			return badArgument(1, "an integer", x)
		}
	}
	if m > n || uint64(n)-uint64(m) >= 1<<31-1 {
		return errors.New("random needs a range that is not empty and has fewer than 2^31 numbers")
	}
	v.push(c, rt.IntValue(m+int64(v.tx.Rand(int(n-m+1)))))
	return nil
}

// power is math.pow and the operator ^.
func power(v *vm, c *rt.GoCont) error {
	x, err := number(c, 0)
	if err != nil {
		return err
	}
	y, err := number(c, 1)
	if err != nil {
		return err
	}
	v.push(c, rt.FloatValue(pow(x, y)))
	return nil
}

func pow(x, y float64) float64 {
	switch {
	case y == 0.5 && x >= 0:
		return math.Sqrt(x)
	case y == math.Trunc(y) && math.Abs(y) <= 1024:
		n, r := uint(math.Abs(y)), 1.0
		for b := x; n > 0; n >>= 1 {
			if n&1 != 0 {
				r *= b
			}
			b *= b
		}
		if y < 0 {
			return 1 / r
		}
		return r
	case y == math.Trunc(y) && x < 0: // x is negative and y whole: the sign depends on the last bit of y
		r := pow(-x, y)
		if fmodOf(y, 2) != 0 {
			return -r
		}
		return r
	case x == 0 && y > 0:
		return 0
	case x == 0:
		return math.Inf(1)
	}
	return exp(float64(y * log(x)))
}

func logarithm(v *vm, c *rt.GoCont) error {
	x, err := number(c, 0)
	if err != nil {
		return err
	}
	y := log(x)
	if !value(c, 1).IsNil() {
		b, err := number(c, 1)
		if err != nil {
			return err
		}
		y /= log(b)
	}
	v.push(c, rt.FloatValue(y))
	return nil
}

// ln2 is split in two parts. The first part ends with zero bits, so its products with exponents are
// exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// log returns the natural logarithm. That of the mantissa m is 2 atanh((m-1)/(m+1)).
func log(x float64) float64 {
	switch {
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	s := (m - 1) / (m + 1)
	s2, sum := s*s, 0.0
	for n := 23; n >= 1; n -= 2 {
		sum = float64(sum*s2) + 1/float64(n)
	}
	k := float64(e)
	return float64(k*ln2High) + (float64(2*float64(s*sum)) + float64(k*ln2Low))
}

// exp returns e^x: the series of e^r for |r| <= ln 2 / 2, times a power of two.
func exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -750:
		return 0
	}
	k := math.Floor(float64(x/math.Ln2) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	sum := 1.0
	for n := 16; n >= 1; n-- {
		sum = 1 + float64(sum*r)/float64(n)
	}
	return math.Ldexp(sum, int(k))
}
