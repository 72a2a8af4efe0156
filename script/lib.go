package script

import (
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"

	"github.com/arnodel/golua/lib/base"
	"github.com/arnodel/golua/lib/stringlib"
	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/similar"
)

// fn is a function for scripts. It pushes its results to c.Next().
type fn func(v *vm, c *rt.GoCont) error

// function returns the Lua value of a function with n arguments, and any number of further
// arguments if etc. The name selects its row in the table of costs.
func (v *vm) function(name string, n int, etc bool, f fn) rt.Value {
	return v.priced(name, costOf(name), n, etc, f)
}

// priced is function with an explicit cost.
func (v *vm) priced(name string, price cost, n int, etc bool, f fn) rt.Value {
	g := rt.NewGoFunction(func(_ *rt.Thread, c *rt.GoCont) (rt.Cont, error) {
		v.pay(price.call)
		if err := f(v, c); err != nil {
			return nil, err
		}
		return c.Next(), nil
	}, name, n, etc)
	g.SolemnlyDeclareCompliance(allSafe)
	if v.paying != nil {
		v.paying[g] = true
	}
	return rt.FunctionValue(g)
}

func (v *vm) push(c *rt.GoCont, x rt.Value) { c.Next().Push(v.r, x) }

// set sets a field of a table while the libraries are opened.
func set(t *rt.Table, name string, x rt.Value) { t.Set(rt.StringValue(name), x) }

// value returns an argument, or nil if it is missing.
func value(c *rt.GoCont, i int) rt.Value {
	if i >= c.NArgs() {
		return rt.NilValue
	}
	return c.Arg(i)
}

// badArgument is the error for an argument of the wrong type.
func badArgument(i int, want string, got rt.Value) error {
	return fmt.Errorf("argument #%d is %s, want %s", i+1, describe(got), want)
}

// describe describes a value for an error.
func describe(x rt.Value) string {
	switch s, ok := x.TryString(); {
	case x.IsNil():
		return "nil"
	case ok && len(s) <= 30:
		return fmt.Sprintf("%q", s)
	case ok:
		return "a string"
	case x.NumberType() != rt.UnknownType:
		return plain(x)
	}
	return "a " + typeName(x)
}

func typeName(x rt.Value) string {
	if u, ok := x.TryUserData(); ok {
		if o, ok := u.Value().(object); ok {
			return o.kind().name
		}
	}
	return x.TypeName()
}

// plain is tostring without addresses and metamethods.
func plain(x rt.Value) string {
	if u, ok := x.TryUserData(); ok {
		if o, ok := u.Value().(object); ok {
			return o.text()
		}
	}
	switch x.Type() {
	case rt.NilType, rt.IntType, rt.FloatType, rt.BoolType, rt.StringType:
		s, _ := x.ToString()
		return s
	}
	return x.TypeName()
}

// tostring is plain with metamethods.
func (v *vm) tostring(x rt.Value) (string, error) {
	if _, ok := x.TryTable(); ok {
		next := rt.NewTerminationWith(v.thread.CurrentCont(), 1, false)
		if err, ok := rt.Metacall(v.thread, x, "__tostring", []rt.Value{x}, next); ok {
			if err != nil {
				return "", err
			}
			s, ok := next.Get(0).TryString()
			if !ok {
				return "", errors.New("__tostring must return a string")
			}
			return s, nil
		}
	}
	return plain(x), nil
}

// basics is golua's basic library. It is opened once, because each opening sets the flags of some
// functions that all runtimes share, and servers in one process load scripts at the same time.
var basics = openBasics()

// The price of an opening, which each script pays.
const (
	basicsSteps = 25
	basicsBytes = 400
)

func openBasics() *rt.Table {
	r := rt.New(io.Discard)
	goruntime.SetFinalizer(r, nil) // it has nothing to close
	base.LibLoader.Load(r)
	return r.GlobalEnv()
}

// openLibraries defines the globals of every script: a part of Lua's libraries, and the game.
func (v *vm) openLibraries() {
	v.r.RequireCPU(basicsSteps)
	v.r.RequireMem(basicsBytes)
	if v.meter.version == firstCosts {
		for _, name := range []string{"error", "rawequal", "select"} {
			set(v.env, name, basics.Get(rt.StringValue(name)))
		}
	} else {
		set(v.env, "error", v.function("raise", 2, false, raise))
		set(v.env, "rawequal", v.function("rawequal", 2, false, rawEqual))
		set(v.env, "select", v.function("select", 1, true, selectValues))
	}
	set(v.env, "tonumber", v.toNumber(basics.Get(rt.StringValue("tonumber"))))
	strings := v.openStrings()
	v.apiTable("string", strings)
	set(v.env, "string", rt.TableValue(strings))
	// Arithmetic on strings is an error: in a script it is usually a mistake.
	meta := rt.NewTable()
	set(meta, "__index", rt.TableValue(strings))
	set(meta, "__name", rt.StringValue("string"))
	v.r.SetStringMeta(meta)

	for name, f := range map[string]struct {
		n   int
		etc bool
		f   fn
	}{
		"assert":       {1, true, assert},
		"getmetatable": {1, false, getMetatable},
		"ipairs":       {1, false, v.ipairs()},
		"next":         {2, false, next},
		"pairs":        {1, false, pairs},
		"pcall":        {1, true, pcall},
		"print":        {0, true, printFunc},
		"rawget":       {2, false, rawGet},
		"rawlen":       {1, false, rawLen},
		"rawset":       {3, false, rawSet},
		"setmetatable": {2, false, setMetatable},
		"tostring":     {1, false, toString},
		"type":         {1, false, typeOf},
		"unpack":       {3, false, unpack},
	} {
		set(v.env, name, v.function(name, f.n, f.etc, f.f))
	}
	set(v.env, lenName, v.function("#", 1, false, length))
	set(v.env, powName, v.function("^", 2, false, power))
	set(v.env, modName, v.function("%", 2, false, modulo))
	set(v.env, concatName, v.function("..", 0, true, concat))
	set(v.env, guardName, v.function("assignment", 1, false, guard))
	v.openTable()
	v.openMath()
	v.openGame()
	if v.tests != nil {
		v.tests.open(v)
	}
	v.builtin = map[*rt.GoFunction]bool{}
	v.collectBuiltins(v.env)
	env := rt.NewTable()
	set(env, "__index", v.function("undefined", 2, false, undefined))
	v.env.SetMetatable(env)
}

// openStrings returns the library string.
func (v *vm) openStrings() *rt.Table {
	if v.meter.version == firstCosts {
		return v.firstStrings()
	}
	lib, _ := stringlib.LibLoader.Load(v.r)
	str := rt.NewTable()
	for name, f := range stringFunctions {
		set(str, name, v.function("string."+name, f.n, f.etc, f.f))
	}
	set(str, "format", v.formatter(lib.AsTable().Get(rt.StringValue("format"))))
	return str
}

// collectBuiltins notes the functions of the libraries. All scripts share them.
func (v *vm) collectBuiltins(t *rt.Table) {
	if meta := t.Metatable(); meta != nil {
		v.collectBuiltins(meta)
	}
	each(t, func(_, x rt.Value) {
		if t, ok := x.TryTable(); ok {
			v.collectBuiltins(t)
		} else if f, ok := x.Interface().(*rt.GoFunction); ok {
			v.builtin[f] = true
		}
	})
}

// undefined is called when a script reads a global that does not exist.
func undefined(v *vm, c *rt.GoCont) error {
	name, ok := value(c, 1).TryString()
	if !ok {
		v.push(c, rt.NilValue)
		return nil
	}
	var names []string
	for k, _, _ := v.env.Next(rt.NilValue); !k.IsNil(); k, _, _ = v.env.Next(k) {
		if s, ok := k.TryString(); ok && s[0] != '#' {
			names = append(names, s)
		}
	}
	v.old(uint64(len(names)))
	v.payItems(costOf("undefined"), len(names))
	return fmt.Errorf("there is no %s%s", name, v.suggest(name, names))
}

// guard is called before a function assigns to a global, or to a local variable of the file.
func guard(v *vm, c *rt.GoCont) error {
	name, _ := value(c, 0).TryString()
	switch {
	case !v.loaded:
		return nil
	case name == "state":
		return errors.New("the table state stays; set its fields, such as state.round = 1")
	}
	return fmt.Errorf("%s belongs to the file and cannot be set by a function, since it would not be saved; use state.%s", name, name)
}

func assert(v *vm, c *rt.GoCont) error {
	if !rt.Truth(value(c, 0)) {
		if etc := c.Etc(); len(etc) > 0 {
			return rt.NewError(etc[0])
		}
		return errors.New("assertion failed")
	}
	v.push(c, c.Arg(0))
	return nil
}

func typeOf(v *vm, c *rt.GoCont) error {
	if c.NArgs() == 0 {
		return badArgument(0, "a value", rt.NilValue)
	}
	v.push(c, rt.StringValue(c.Arg(0).TypeName()))
	return nil
}

func toString(v *vm, c *rt.GoCont) error {
	s, err := v.tostring(value(c, 0))
	if err != nil {
		return err
	}
	v.r.RequireBytes(len(s))
	v.push(c, rt.StringValue(s))
	return nil
}

var costPrint = costOf("print")

func printFunc(v *vm, c *rt.GoCont) error {
	var b strings.Builder
	for i, x := range c.Etc() {
		s, err := v.tostring(x)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		v.r.RequireBytes(len(s))
		v.payItems(costPrint, 1)
		v.payBytes(costPrint, min(len(s), maxPrint))
		b.WriteString(s)
		if b.Len() > maxPrint {
			break
		}
	}
	v.old(messageCost)
	if v.print == nil {
		return nil
	}
	if second := v.budgetTick / game.TickRate; second != v.printSecond {
		v.printSecond, v.printed = second, 0
	}
	switch v.printed++; {
	case v.printed <= maxPrints:
		s := b.String()
		v.print(s[:min(len(s), maxPrint)])
	case v.printed == maxPrints+1:
		v.print(v.name + ": prints too much; the rest of this second is not shown")
	}
	return nil
}

const (
	// maxPrint is the number of bytes of a print line that are logged.
	maxPrint = 500
	// maxPrints is the number of print lines logged in a second, so that a script cannot fill the
	// disk.
	maxPrints = 50
)

// maxBytes is the largest number of results of string.byte, the same as of [unpack].
const maxBytes = 250

// stringByte is string.byte. The one of the library counts no steps.
func stringByte(v *vm, c *rt.GoCont) error {
	s, ok := value(c, 0).TryString()
	if !ok {
		return badArgument(0, "a string", value(c, 0))
	}
	span := [2]int64{1, 1}
	for i := range span {
		x := value(c, i+1)
		switch {
		case !x.IsNil():
			if span[i], ok = rt.ToIntNoString(x); !ok {
				return badArgument(i+1, "an integer", x)
			}
			if span[i] < 0 {
				span[i] += int64(len(s)) + 1
			}
		case i == 1:
			span[1] = span[0]
		}
	}
	first, last := max(span[0], 1), min(span[1], int64(len(s)))
	if last-first >= maxBytes {
		return errors.New("too many values")
	}
	v.pay(uint64(max(last-first+1, 0)))
	for i := first; i <= last; i++ {
		v.old(1)
		v.push(c, rt.IntValue(int64(s[i-1])))
	}
	return nil
}

// toNumber wraps tonumber, which counts no steps for the length of a string.
func (v *vm) toNumber(tonumber rt.Value) rt.Value {
	return v.function("tonumber", 2, false, func(v *vm, c *rt.GoCont) error {
		var args []rt.Value
		for i := range c.NArgs() {
			args = append(args, c.Arg(i))
		}
		if s, ok := value(c, 0).TryString(); ok {
			v.old(uint64(len(s)))
			v.payBytes(costOf("tonumber"), len(s))
		}
		return v.callInto(c, tonumber, args)
	})
}

// formatCost is the steps of each argument of string.format. Numbers with many digits take longest.
const formatCost = 50

// formatter wraps string.format to reject verbs that show addresses.
func (v *vm) formatter(format rt.Value) rt.Value {
	return v.function("string.format", 1, true, func(v *vm, c *rt.GoCont) error {
		args := append([]rt.Value{value(c, 0)}, c.Etc()...)
		v.old(uint64(formatCost * len(args)))
		for i, x := range args[1:] {
			switch x.Type() {
			case rt.IntType, rt.FloatType, rt.StringType:
			case rt.BoolType, rt.NilType:
				args[i+1] = rt.StringValue(plain(x))
			default:
				s, err := v.tostring(x)
				if err != nil {
					return err
				}
				args[i+1] = rt.StringValue(s)
			}
		}
		if f, ok := args[0].TryString(); ok && strings.ContainsAny(f, "pU") && !validFormat(f) {
			return errors.New("format: %p and %U are not for scripts")
		}
		v.formatted(args)
		return v.callInto(c, format, args)
	})
}

// callInto calls a function inside a call and pushes its results. The first result may be too long
// a string, which is an error.
func (v *vm) callInto(c *rt.GoCont, f rt.Value, args []rt.Value) error {
	res := rt.NewTerminationWith(c, 0, true)
	if err := rt.Call(v.thread, f, args, res); err != nil {
		return err
	}
	if len(res.Etc()) > 0 {
		if err := checkString(res.Etc()[0]); err != nil {
			return err
		}
	}
	c.Next().PushEtc(v.r, res.Etc())
	return nil
}

// validFormat reports whether no verb of a format shows an address.
func validFormat(f string) bool {
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		for i++; i < len(f) && strings.IndexByte("0123456789.+-# ", f[i]) >= 0; i++ {
		}
		if i < len(f) && (f[i] == 'p' || f[i] == 'U') {
			return false
		}
	}
	return true
}

var costPcall, costError = costOf("pcall"), costOf("error")

// pcall calls a function and returns its error instead of raising it. It does not catch exceeded
// limits.
func pcall(v *vm, c *rt.GoCont) error {
	t := v.thread
	res := rt.NewTerminationWith(c, 0, true)
	next := c.Next()
	if _, ok := value(c, 0).TryCallable(); !ok {
		v.payItems(costPcall, 1) // the call goes through metamethods
	}
	if err := rt.Call(t, value(c, 0), c.Etc(), res); err != nil {
		x := rt.ErrorValue(err)
		v.payItems(costPcall, 1)
		if s, ok := x.TryString(); ok {
			v.payBytes(costError, len(s))
		}
		next.Push(v.r, rt.BoolValue(false))
		next.Push(v.r, x)
		return nil
	}
	next.Push(v.r, rt.BoolValue(true))
	next.PushEtc(v.r, res.Etc())
	return nil
}

// openTable defines the library table.
func (v *vm) openTable() {
	t := rt.NewTable()
	for name, f := range map[string]struct {
		n   int
		etc bool
		f   fn
	}{
		"concat": {4, false, tableConcat},
		"insert": {3, false, tableInsert},
		"pack":   {0, true, tablePack},
		"remove": {2, false, tableRemove},
		"sort":   {2, false, tableSort},
		"unpack": {3, false, unpack},
	} {
		set(t, name, v.function("table."+name, f.n, f.etc, f.f))
	}
	v.apiTable("table", t)
	set(v.env, "table", rt.TableValue(t))
}

// raise is the function error, with a level.
func raise(v *vm, c *rt.GoCont) error {
	x, level := value(c, 0), int64(1)
	if l := value(c, 1); !l.IsNil() {
		var ok bool
		if level, ok = rt.ToIntNoString(l); !ok {
			return badArgument(1, "an integer", l)
		}
	}
	level = min(max(level, 0), 100)
	if x.IsNil() {
		x, level = rt.StringValue("<no error object>"), 0
	}
	err := rt.NewError(x)
	if level == 1 {
		return err
	}
	v.pay(uint64(level))
	return err.AddContext(c.Next(), int(level))
}

func rawEqual(v *vm, c *rt.GoCont) error {
	equal, _ := rt.RawEqual(value(c, 0), value(c, 1))
	v.push(c, rt.BoolValue(equal))
	return nil
}

func selectValues(v *vm, c *rt.GoCont) error {
	etc := c.Etc()
	if s, ok := value(c, 0).TryString(); ok && s == "#" {
		v.push(c, rt.IntValue(int64(len(etc))))
		return nil
	}
	n, ok := rt.ToIntNoString(value(c, 0))
	if !ok {
		return badArgument(0, `an integer or "#"`, value(c, 0))
	}
	if n < 0 {
		n += int64(len(etc)) + 1
	}
	if n < 1 {
		return badArgument(0, "the number of a value", value(c, 0))
	}
	for _, x := range etc[min(n-1, int64(len(etc))):] {
		v.pay(1)
		v.push(c, x)
	}
	return nil
}

// suggest is the function suggest, paid by the script.
func (v *vm) suggest(name string, names []string) string {
	if len(name) <= maxCompared {
		letters := 0
		for _, n := range names {
			if len(n) <= maxCompared {
				letters += len(n) * len(name)
			}
		}
		v.payItems(costOf("suggestion"), letters/4)
	}
	return suggest(name, names)
}

// maxCompared is the length of the longest name that suggest compares, in bytes.
const maxCompared = 40

// suggest returns a hint at the nearest of names, or "".
func suggest(name string, names []string) string {
	best, bestDistance := "", min(len(name)/2, 3)+1
	for _, n := range names {
		if len(name) > maxCompared || len(n) > maxCompared {
			continue
		}
		if d := similar.Distance(name, n); d < bestDistance || d == bestDistance && best != "" && n < best {
			best, bestDistance = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
