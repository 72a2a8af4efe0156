package script

import (
	"errors"
	"fmt"
	"math"
	"strings"

	rt "github.com/arnodel/golua/runtime"
)

// The functions of the library string. They charge what they read, write and compare piece by
// piece, and make no string longer than maxString.

// stringFunctions are the functions of the table string except format, with the number of their
// arguments.
var stringFunctions = map[string]struct {
	n   int
	etc bool
	f   fn
}{
	"byte":    {3, false, stringByte},
	"char":    {0, true, stringChar},
	"find":    {4, false, stringFind},
	"gmatch":  {3, false, stringGmatch},
	"gsub":    {4, false, stringGsub},
	"len":     {1, false, stringLen},
	"lower":   {1, false, changeCase("string.lower", strings.ToLower)},
	"match":   {3, false, stringMatch},
	"rep":     {3, false, stringRep},
	"reverse": {1, false, stringReverse},
	"sub":     {3, false, stringSub},
	"upper":   {1, false, changeCase("string.upper", strings.ToUpper)},
}

// text returns an argument that is a string or a number.
func text(c *rt.GoCont, i int) (string, error) {
	x := value(c, i)
	if s, ok := x.TryString(); ok {
		return s, nil
	}
	if x.NumberType() != rt.UnknownType {
		return plain(x), nil
	}
	return "", badArgument(i, "a string", x)
}

// place returns an argument that is a position in a string. A negative position counts from the
// end.
func place(c *rt.GoCont, i int, s string, otherwise int64) (int64, error) {
	x := value(c, i)
	if x.IsNil() {
		return otherwise, nil
	}
	n, ok := rt.ToIntNoString(x)
	switch {
	case !ok:
		return 0, badArgument(i, "an integer", x)
	case n >= 0:
		return n, nil
	}
	return max(n+int64(len(s))+1, 0), nil
}

func stringLen(v *vm, c *rt.GoCont) error {
	s, err := text(c, 0)
	if err != nil {
		return err
	}
	v.push(c, rt.IntValue(int64(len(s))))
	return nil
}

func stringSub(v *vm, c *rt.GoCont) error {
	s, err := text(c, 0)
	if err != nil {
		return err
	}
	first, err := place(c, 1, s, 1)
	if err != nil {
		return err
	}
	last, err := place(c, 2, s, int64(len(s)))
	if err != nil {
		return err
	}
	first, last = max(first, 1), min(last, int64(len(s)))
	if first > last {
		return v.pushString(c, "")
	}
	v.needs(int(last - first + 1))
	v.payBytes(costOf("string.sub"), int(last-first))
	return v.pushString(c, s[first-1:last])
}

func changeCase(name string, change func(string) string) fn {
	return func(v *vm, c *rt.GoCont) error {
		s, err := text(c, 0)
		if err != nil {
			return err
		}
		v.needs(len(s))
		n := len(s)
		for i := range len(s) {
			if s[i] >= 0x80 { // not ASCII
				n *= 4
				break
			}
		}
		v.payBytes(costs[name], n)
		return v.pushString(c, change(s))
	}
}

func stringReverse(v *vm, c *rt.GoCont) error {
	s, err := text(c, 0)
	if err != nil {
		return err
	}
	v.needs(len(s))
	v.payBytes(costOf("string.reverse"), len(s))
	b := make([]byte, len(s))
	for i := range b {
		b[i] = s[len(s)-1-i]
	}
	return v.pushString(c, string(b))
}

func stringRep(v *vm, c *rt.GoCont) error {
	s, err := text(c, 0)
	if err != nil {
		return err
	}
	n, ok := rt.ToIntNoString(value(c, 1))
	if !ok {
		return badArgument(1, "an integer", value(c, 1))
	}
	sep := ""
	if !value(c, 2).IsNil() {
		if sep, err = text(c, 2); err != nil {
			return err
		}
	}
	if n <= 0 || len(s)+len(sep) == 0 {
		return v.pushString(c, "")
	}
	if n > maxString && len(s)+len(sep) > 0 && (len(s) > 0 || n > maxString+1) {
		return fmt.Errorf("a string of more than %d bytes", maxString)
	}
	size := int(n)*len(s) + int(n-1)*len(sep)
	if size > maxString {
		return errTooLong(size)
	}
	cost := costOf("string.rep")
	v.needs(size)
	v.pay(cost.bytesCost(size))
	if sep == "" {
		return v.pushString(c, strings.Repeat(s, int(n)))
	}
	v.pay(cost.each * uint64(n) / 4)
	var b strings.Builder
	b.Grow(size)
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(s)
	}
	return v.pushString(c, b.String())
}

func stringChar(v *vm, c *rt.GoCont) error {
	v.payItems(costOf("string.char"), len(c.Etc()))
	v.needs(len(c.Etc()))
	b := make([]byte, len(c.Etc()))
	for i, x := range c.Etc() {
		n, ok := rt.ToIntNoString(x)
		if !ok || n != int64(byte(n)) {
			return badArgument(i, "a number from 0 to 255", x)
		}
		b[i] = byte(n)
	}
	return v.pushString(c, string(b))
}

// matching reads the common arguments of find, match and gmatch.
func (v *vm) matching(c *rt.GoCont) (s, pattern string, init int64, err error) {
	if s, err = text(c, 0); err == nil {
		if pattern, err = text(c, 1); err == nil {
			init, err = place(c, 2, s, 1)
		}
	}
	return s, pattern, max(init, 1) - 1, err
}

func stringFind(v *vm, c *rt.GoCont) error {
	s, p, init, err := v.matching(c)
	if err != nil {
		return err
	}
	if init > int64(len(s)) {
		v.push(c, rt.NilValue)
		return nil
	}
	if rt.Truth(value(c, 3)) || !strings.ContainsAny(p, "^$*+?.([%-") {
		v.payBytes(costOf("string.find"), len(s)-int(init)+len(p))
		at := strings.Index(s[init:], p)
		if at < 0 {
			v.push(c, rt.NilValue)
			return nil
		}
		v.push(c, rt.IntValue(init+int64(at)+1))
		v.push(c, rt.IntValue(init+int64(at+len(p))))
		return nil
	}
	m := matcher{v: v, s: s}
	if m.p, err = v.pattern(p, true); err != nil {
		return err
	}
	found, err := m.find(int(init))
	if err != nil {
		return err
	}
	if !found {
		v.push(c, rt.NilValue)
		return nil
	}
	v.push(c, rt.IntValue(int64(m.captures[0].start+1)))
	v.push(c, rt.IntValue(int64(m.captures[0].end)))
	return m.pushCaptures(c, false)
}

func stringMatch(v *vm, c *rt.GoCont) error {
	s, p, init, err := v.matching(c)
	if err != nil {
		return err
	}
	m := matcher{v: v, s: s}
	if m.p, err = v.pattern(p, true); err != nil {
		return err
	}
	found := false
	if init <= int64(len(s)) {
		if found, err = m.find(int(init)); err != nil {
			return err
		}
	}
	if !found {
		v.push(c, rt.NilValue)
		return nil
	}
	return m.pushCaptures(c, true)
}

func stringGmatch(v *vm, c *rt.GoCont) error {
	s, p, init, err := v.matching(c)
	if err != nil {
		return err
	}
	pat, err := v.pattern(p, false)
	if err != nil {
		return err
	}
	v.needs(300)
	at, last := min(int(min(init, math.MaxInt32)), len(s)+1), -1
	v.push(c, v.function("gmatch next", 0, false, func(v *vm, c *rt.GoCont) error {
		m := matcher{v: v, s: s, p: pat}
		for ; at <= len(s); at++ {
			found, err := m.matchAt(at)
			if err != nil {
				return err
			}
			if end := m.captures[0].end; found && end != last {
				at, last = end, end
				return m.pushCaptures(c, true)
			}
		}
		v.push(c, rt.NilValue)
		return nil
	}))
	return nil
}

func stringGsub(v *vm, c *rt.GoCont) error {
	s, err := text(c, 0)
	if err != nil {
		return err
	}
	p, err := text(c, 1)
	if err != nil {
		return err
	}
	most := int64(len(s)) + 1
	if x := value(c, 3); !x.IsNil() {
		n, ok := rt.ToIntNoString(x)
		if !ok {
			return badArgument(3, "an integer", x)
		}
		most = min(n, most)
	}
	m := matcher{v: v, s: s}
	replace, err := v.replacing(value(c, 2))
	if err != nil {
		return err
	}
	if m.p, err = v.pattern(p, true); err != nil {
		return err
	}
	cost := costOf("string.gsub")
	var out strings.Builder
	copied, count, last := 0, int64(0), -1 // last is the end of the last match
	for at := 0; count < most && at <= len(s); {
		found, err := m.matchAt(at)
		if err != nil {
			return err
		}
		if end := m.captures[0].end; found && end != last {
			count++
			v.pay(cost.each)
			with, keep, err := replace(&m)
			if err != nil {
				return err
			}
			if !keep {
				v.needs(at - copied + len(with))
				v.payBytes(cost, at-copied+len(with))
				out.WriteString(s[copied:at])
				out.WriteString(with)
				copied = end
				if out.Len() > maxString {
					return errTooLong(out.Len())
				}
			}
			at, last = end, end
		} else {
			at++
		}
		if m.p.anchored {
			break
		}
	}
	if copied > 0 || out.Len() > 0 {
		v.needs(len(s) - copied)
		v.payBytes(cost, len(s)-copied)
		out.WriteString(s[copied:])
		s = out.String()
	}
	if err := v.pushString(c, s); err != nil {
		return err
	}
	v.push(c, rt.IntValue(count))
	return nil
}

// replacing returns a function that returns the replacement of a match, or keep if the match stays.
func (v *vm) replacing(x rt.Value) (func(m *matcher) (with string, keep bool, err error), error) {
	result := func(y rt.Value, err error) (string, bool, error) {
		if err != nil || !rt.Truth(y) {
			return "", true, err
		}
		if s, ok := y.TryString(); ok {
			return s, false, nil
		}
		if y.NumberType() != rt.UnknownType {
			return plain(y), false, nil
		}
		return "", false, fmt.Errorf("the replacement is %s, want a string", describe(y))
	}
	format, isText := x.TryString()
	if x.NumberType() != rt.UnknownType {
		format, isText = plain(x), true
	}
	t, isTable := x.TryTable()
	_, canCall := x.TryCallable()
	switch {
	case isText && !strings.Contains(format, "%"):
		return func(*matcher) (string, bool, error) { return format, false, nil }, nil
	case isText:
		return func(m *matcher) (string, bool, error) {
			s, err := m.fill(format)
			return s, false, err
		}, nil
	case isTable:
		return func(m *matcher) (string, bool, error) {
			k, err := m.capture(1)
			if err != nil {
				return "", false, err
			}
			return result(rt.Index(v.thread, rt.TableValue(t), k))
		}, nil
	case canCall:
		return func(m *matcher) (string, bool, error) {
			v.pay(costOf("table.sort by").each) // a call of a function
			args := make([]rt.Value, 0, 4)
			for n := 1; n <= max(m.p.captures, 1); n++ {
				a, err := m.capture(n)
				if err != nil {
					return "", false, err
				}
				args = append(args, a)
			}
			res := rt.NewTerminationWith(v.thread.CurrentCont(), 1, false)
			err := rt.Call(v.thread, x, args, res)
			return result(res.Get(0), err)
		}, nil
	}
	return nil, badArgument(2, "a string, a table or a function", x)
}

// fill returns a replacement text with %0 to %9 and %% expanded.
func (m *matcher) fill(format string) (string, error) {
	m.v.pay(uint64(len(format)) / 4)
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch {
		case i < len(format) && format[i] == '%':
			b.WriteByte('%')
		case i < len(format) && isDigit(format[i]):
			n := int(format[i] - '0')
			var x rt.Value
			if n == 0 {
				x = rt.StringValue(m.s[m.captures[0].start:m.captures[0].end])
			} else {
				var err error
				if x, err = m.capture(n); err != nil {
					return "", err
				}
			}
			s := plain(x)
			m.v.needs(len(s))
			m.v.pay(2 + costOf("string.gsub").bytesCost(len(s)))
			if b.WriteString(s); b.Len() > maxString {
				return "", errTooLong(b.Len())
			}
		default:
			return "", errors.New("in a replacement, % comes before a digit or %")
		}
	}
	return b.String(), nil
}

// formatted charges string.format. The cost of a float depends on its digits.
func (v *vm) formatted(args []rt.Value) {
	cost := costOf("string.format")
	n := cost.each * uint64(len(args))
	if f, ok := args[0].TryString(); ok {
		n += uint64(len(f))/2 + formatCosts(f, args[1:])
	}
	for _, x := range args[1:] {
		if s, ok := x.TryString(); ok {
			n += cost.bytesCost(len(s)) * 2
		}
	}
	v.pay(n)
}

// formatCosts returns the steps for the floats and quoted strings of a format.
func formatCosts(f string, args []rt.Value) (n uint64) {
	arg := 0
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		digits, dot := 0, false
		for i++; i < len(f) && strings.IndexByte("0123456789.+-# ", f[i]) >= 0; i++ {
			switch {
			case f[i] == '.':
				dot = true
			case dot && isDigit(f[i]) && digits < 100:
				digits = digits*10 + int(f[i]-'0')
			}
		}
		n += 3
		if i >= len(f) || f[i] == '%' {
			continue
		}
		if arg < len(args) && strings.IndexByte("eEfFgGaA", f[i]) >= 0 {
			x, _ := rt.ToFloat(args[arg])
			_, exp := math.Frexp(x)
			if exp < 0 {
				exp = -exp
			}
			n += uint64(10 + 2*digits)
			if exp > 60 || digits > 15 { // needs arithmetic with many digits
				n += uint64(exp + 4*digits)
			}
		}
		if arg < len(args) && f[i] == 'q' {
			if s, ok := args[arg].TryString(); ok {
				n += uint64(len(s))
			}
		}
		arg++
	}
	return n
}
