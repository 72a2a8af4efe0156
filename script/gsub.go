package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arnodel/golua/lib/stringlib/pattern"
	rt "github.com/arnodel/golua/runtime"
)

// gsub is string.gsub. That of the library leaves a string as it is whose beginning it should
// remove, and goes on behind the first match of a pattern with ^.
func gsub(v *vm, c *rt.GoCont) error {
	s, ok := value(c, 0).ToString()
	if !ok {
		return badArgument(0, "a string", value(c, 0))
	}
	text, ok := value(c, 1).TryString()
	if !ok {
		return badArgument(1, "a string", value(c, 1))
	}
	most := int64(len(s)) + 1
	if x := value(c, 3); !x.IsNil() {
		n, ok := rt.ToIntNoString(x)
		if !ok {
			return badArgument(3, "an integer", x)
		}
		most = min(n, most)
	}
	replace, err := v.replacement(value(c, 2))
	if err != nil {
		return err
	}
	p, err := pattern.New(text)
	if err != nil {
		return err
	}
	var out strings.Builder
	at, count, last := 0, int64(0), -1 // last is where the last match ended
	for next := 0; count < most && next <= len(s); {
		found, used := p.MatchFromStart(s, next, v.r.UnusedCPU())
		v.r.RequireCPU(used + 1)
		if len(found) == 0 {
			break
		}
		start, end := found[0].Start(), found[0].End()
		if end == last { // nothing, right behind what was found before
			next++
			continue
		}
		with, err := replace(s, found)
		if err != nil {
			return err
		}
		v.r.RequireBytes(start - at + len(with))
		out.WriteString(s[at:start])
		out.WriteString(with)
		if out.Len() > maxString {
			return errTooLong(out.Len())
		}
		count++
		at, next, last = end, end, end
		if strings.HasPrefix(text, "^") {
			break
		}
	}
	if count > 0 {
		v.r.RequireBytes(len(s) - at)
		out.WriteString(s[at:])
		s = out.String()
	}
	if err := v.pushString(c, s); err != nil {
		return err
	}
	v.push(c, rt.IntValue(count))
	return nil
}

// replacement returns a function that returns what takes the place of a match.
func (v *vm) replacement(x rt.Value) (func(s string, found []pattern.Capture) (string, error), error) {
	first := func(s string, found []pattern.Capture) rt.Value { return v.captured(s, found[min(1, len(found)-1)]) }
	if format, ok := x.ToString(); ok {
		return func(s string, found []pattern.Capture) (string, error) { return v.expand(format, s, found) }, nil
	}
	if t, ok := x.TryTable(); ok {
		return func(s string, found []pattern.Capture) (string, error) {
			y, err := rt.Index(v.thread, rt.TableValue(t), first(s, found))
			return orMatch(y, err, s, found)
		}, nil
	}
	if _, ok := x.TryCallable(); !ok {
		return nil, badArgument(2, "a string, a table or a function", x)
	}
	return func(s string, found []pattern.Capture) (string, error) {
		var args []rt.Value
		for _, c := range found[min(1, len(found)-1):] {
			args = append(args, v.captured(s, c))
		}
		res := rt.NewTerminationWith(v.thread.CurrentCont(), 1, false)
		err := rt.Call(v.thread, x, args, res)
		return orMatch(res.Get(0), err, s, found)
	}, nil
}

// orMatch returns what a table or function has for a match, which stays if that is nil or false.
func orMatch(x rt.Value, err error, s string, found []pattern.Capture) (string, error) {
	if err != nil {
		return "", err
	}
	if !rt.Truth(x) {
		return s[found[0].Start():found[0].End()], nil
	}
	text, ok := x.ToString()
	if !ok {
		return "", fmt.Errorf("the replacement is %s, want a string", describe(x))
	}
	return text, nil
}

// captured returns what a part of a pattern has found: text, or a position.
func (v *vm) captured(s string, c pattern.Capture) rt.Value {
	if c.IsEmpty() {
		return rt.IntValue(int64(c.Start() + 1))
	}
	v.r.RequireBytes(c.End() - c.Start())
	return rt.StringValue(s[c.Start():c.End()])
}

// expand returns a replacement with %0 to %9 and %% replaced.
func (v *vm) expand(format, s string, found []pattern.Capture) (string, error) {
	v.r.RequireCPU(uint64(len(format)))
	if !strings.Contains(format, "%") {
		return format, nil
	}
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
		case i < len(format) && format[i] >= '0' && format[i] <= '9':
			n := int(format[i] - '0')
			if len(found) == 1 && n == 1 { // without captures, %1 is the whole match
				n = 0
			}
			if n >= len(found) {
				return "", fmt.Errorf("the pattern has no capture %%%d", n)
			}
			text, _ := v.captured(s, found[n]).ToString()
			b.WriteString(text)
			if b.Len() > maxString {
				return "", errTooLong(b.Len())
			}
		default:
			return "", errors.New("in a replacement, % comes before a digit or %")
		}
	}
	return b.String(), nil
}
