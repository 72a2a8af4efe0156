package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arnodel/golua/lib/stringlib"
	golua "github.com/arnodel/golua/lib/stringlib/pattern"
	"github.com/arnodel/golua/luastrings"
	rt "github.com/arnodel/golua/runtime"
)

// The functions of the library string with the costs of version 1, for logs recorded with them.
// They charge the steps that golua counts, and count the rest as work.

// firstStrings opens the library string with the costs of version 1.
func (v *vm) firstStrings() *rt.Table {
	x, _ := stringlib.LibLoader.Load(v.r)
	str := x.AsTable()
	for _, name := range []string{"dump", "pack", "packsize", "unpack"} {
		set(str, name, rt.NilValue)
	}
	set(str, "byte", v.function("string.byte", 3, false, stringByte))
	set(str, "format", v.formatter(str.Get(rt.StringValue("format"))))
	for _, name := range []string{"lower", "upper", "rep"} {
		set(str, name, v.checked("string."+name, str.Get(rt.StringValue(name))))
	}
	set(str, "find", v.function("string.find", 4, false, firstFind))
	set(str, "match", v.function("string.match", 3, false, firstMatch))
	set(str, "gmatch", v.function("string.gmatch", 3, false, firstGmatch))
	set(str, "gsub", v.function("string.gsub", 4, false, firstGsub))
	return str
}

// checked wraps a function whose first result may be too long a string.
func (v *vm) checked(name string, f rt.Value) rt.Value {
	return v.function(name, 0, true, func(v *vm, c *rt.GoCont) error {
		if args := c.Etc(); name == "string.rep" && len(args) > 2 {
			if n, ok := rt.ToInt(args[1]); ok && n > 0 {
				v.pay(uint64(n)) // rep of an empty string can repeat any number of times
			}
		}
		return v.callInto(c, f, c.Etc())
	})
}

// payMatch counts the work of searching for a pattern.
func (v *vm) payMatch(s, pattern string) { v.pay(uint64(len(s)+1) * uint64(len(pattern)+1)) }

// firstArguments reads the common arguments of find, match and gmatch.
func firstArguments(c *rt.GoCont) (s, ptn string, at int, err error) {
	at = 1
	err = c.CheckNArgs(2)
	if err == nil {
		s, err = c.StringArg(0)
	}
	if err == nil {
		ptn, err = c.StringArg(1)
	}
	if err == nil && c.NArgs() >= 3 {
		var n int64
		n, err = c.IntArg(2)
		at = int(n)
	}
	return s, ptn, max(luastrings.StringNormPos(s, at)-1, 0), err
}

func firstFind(v *vm, c *rt.GoCont) error {
	s, ptn, at, err := firstArguments(c)
	switch {
	case err != nil:
		return err
	case at > len(s):
		v.push(c, rt.NilValue)
		return nil
	case ptn == "" || c.NArgs() >= 4 && rt.Truth(c.Arg(3)):
		v.r.RequireCPU(uint64(len(s) - at))
		i := strings.Index(s[at:], ptn)
		if i < 0 {
			v.push(c, rt.NilValue)
			return nil
		}
		v.push(c, rt.IntValue(int64(i+1)))
		v.push(c, rt.IntValue(int64(i+len(ptn))))
		return nil
	}
	found, err := v.firstMatchOf(s, ptn, at)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		v.push(c, rt.NilValue)
		return nil
	}
	v.push(c, rt.IntValue(int64(found[0].Start()+1)))
	v.push(c, rt.IntValue(int64(found[0].End())))
	v.pushFound(c, s, found[1:])
	return nil
}

func firstMatch(v *vm, c *rt.GoCont) error {
	s, ptn, at, err := firstArguments(c)
	if err != nil {
		return err
	}
	found, err := v.firstMatchOf(s, ptn, at)
	if err == nil {
		v.pushMatch(c, s, found)
	}
	return err
}

// firstMatchOf searches for a pattern from a position on.
func (v *vm) firstMatchOf(s, ptn string, at int) ([]golua.Capture, error) {
	p, err := golua.New(ptn)
	if err != nil {
		return nil, err
	}
	v.payMatch(s[min(at, len(s)):], ptn)
	found, used := p.MatchFromStart(s, at, v.r.UnusedCPU())
	v.r.RequireCPU(used)
	return found, nil
}

func (v *vm) pushMatch(c *rt.GoCont, s string, found []golua.Capture) {
	switch {
	case len(found) == 0:
		v.push(c, rt.NilValue)
	case len(found) == 1:
		v.r.RequireBytes(found[0].End() - found[0].Start())
		v.push(c, rt.StringValue(s[found[0].Start():found[0].End()]))
	default:
		v.pushFound(c, s, found[1:])
	}
}

func (v *vm) pushFound(c *rt.GoCont, s string, found []golua.Capture) {
	for _, x := range found {
		v.push(c, v.captured(s, x))
	}
}

func firstGmatch(v *vm, c *rt.GoCont) error {
	s, ptn, at, err := firstArguments(c)
	if err != nil {
		return err
	}
	p, err := golua.New(ptn)
	if err != nil {
		return err
	}
	v.payMatch(s, ptn)
	allowEmpty := true
	v.push(c, v.function("gmatch next", 0, false, func(v *vm, c *rt.GoCont) error {
		var found []golua.Capture
		for {
			var used uint64
			found, used = p.Match(s, at, v.r.UnusedCPU())
			v.r.RequireCPU(used)
			if len(found) == 0 {
				break
			}
			start, end := found[0].Start(), found[0].End()
			if allowEmpty || start != at || end != at {
				if allowEmpty = start >= end; allowEmpty {
					at = start + 1
				} else {
					at = end
				}
				break
			}
			at++
			allowEmpty = true
		}
		v.pushMatch(c, s, found)
		return nil
	}))
	return nil
}

// firstGsub is string.gsub. The one of golua returns the string unchanged if it should remove its
// beginning, and goes on after the first match of a pattern with ^.
func firstGsub(v *vm, c *rt.GoCont) error {
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
	p, err := golua.New(text)
	if err != nil {
		return err
	}
	var out strings.Builder
	v.payMatch(s, text)
	at, count, last := 0, int64(0), -1 // last is the end of the last match
	for next := 0; count < most && next <= len(s); {
		found, used := p.MatchFromStart(s, next, v.r.UnusedCPU())
		v.r.RequireCPU(used + 1)
		if len(found) == 0 {
			break
		}
		start, end := found[0].Start(), found[0].End()
		if end == last { // an empty match right after the last one
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

// replacement returns a function that returns the replacement of a match.
func (v *vm) replacement(x rt.Value) (func(s string, found []golua.Capture) (string, error), error) {
	first := func(s string, found []golua.Capture) rt.Value { return v.captured(s, found[min(1, len(found)-1)]) }
	if format, ok := x.ToString(); ok {
		return func(s string, found []golua.Capture) (string, error) { return v.expand(format, s, found) }, nil
	}
	if t, ok := x.TryTable(); ok {
		return func(s string, found []golua.Capture) (string, error) {
			y, err := rt.Index(v.thread, rt.TableValue(t), first(s, found))
			return orMatch(y, err, s, found)
		}, nil
	}
	if _, ok := x.TryCallable(); !ok {
		return nil, badArgument(2, "a string, a table or a function", x)
	}
	return func(s string, found []golua.Capture) (string, error) {
		var args []rt.Value
		for _, c := range found[min(1, len(found)-1):] {
			args = append(args, v.captured(s, c))
		}
		res := rt.NewTerminationWith(v.thread.CurrentCont(), 1, false)
		err := rt.Call(v.thread, x, args, res)
		return orMatch(res.Get(0), err, s, found)
	}, nil
}

// orMatch returns the value of a table or function for a match, or the match itself if the value is
// nil or false.
func orMatch(x rt.Value, err error, s string, found []golua.Capture) (string, error) {
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

// captured returns a capture: text or a position.
func (v *vm) captured(s string, c golua.Capture) rt.Value {
	if c.IsEmpty() {
		return rt.IntValue(int64(c.Start() + 1))
	}
	v.r.RequireBytes(c.End() - c.Start())
	return rt.StringValue(s[c.Start():c.End()])
}

// expand returns a replacement text with %0 to %9 and %% expanded.
func (v *vm) expand(format, s string, found []golua.Capture) (string, error) {
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
