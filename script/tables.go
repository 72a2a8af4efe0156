package script

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	rt "github.com/arnodel/golua/runtime"
)

// The tables of the virtual machine iterate in an order that differs between runs, and the length
// of a table with holes depends on that order. So this file defines an order: keys are sorted,
// first numbers, then strings, booleans and players. A length ends at the first hole.

// contents returns the table with the fields of t: its shadow if it belongs to the file.
func (v *vm) contents(t *rt.Table) *rt.Table {
	if shadow, ok := v.frozen[t]; ok {
		return shadow
	}
	return t
}

// errFrozen is the error for a change of a table that belongs to the file.
var errFrozen = errors.New("this table belongs to the file and cannot be changed by a function, since it would not be saved; keep what changes in state")

func tableArg(c *rt.GoCont, i int) (*rt.Table, error) {
	t, ok := value(c, i).TryTable()
	if !ok {
		return nil, badArgument(i, "a table", value(c, i))
	}
	return t, nil
}

// readable returns the contents of a table argument.
func (v *vm) readable(c *rt.GoCont, i int) (*rt.Table, error) {
	t, err := tableArg(c, i)
	if err != nil {
		return nil, err
	}
	return v.contents(t), nil
}

// writable returns a table argument that can be changed.
func (v *vm) writable(c *rt.GoCont, i int) (*rt.Table, error) {
	t, err := tableArg(c, i)
	if err != nil {
		return nil, err
	}
	if _, ok := v.frozen[t]; ok {
		return nil, errFrozen
	}
	return t, nil
}

// rank orders keys by type. It returns 0 for a key that cannot be iterated.
func rank(k rt.Value) int {
	switch k.Type() {
	case rt.IntType, rt.FloatType:
		return 1
	case rt.StringType:
		return 2
	case rt.BoolType:
		return 3
	}
	if _, ok := playerOf(k); ok {
		return 4
	}
	return 0
}

func compareKeys(a, b rt.Value) int {
	ra, rb := rank(a), rank(b)
	if ra != rb {
		return ra - rb
	}
	switch ra {
	case 1:
		x, xInt := a.TryInt()
		y, yInt := b.TryInt()
		switch {
		case xInt && yInt:
			return cmp.Compare(x, y)
		case xInt:
			return compareIntFloat(x, b.AsFloat())
		case yInt:
			return -compareIntFloat(y, a.AsFloat())
		}
		return cmp.Compare(a.AsFloat(), b.AsFloat())
	case 2:
		return strings.Compare(a.AsString(), b.AsString())
	case 3:
		return cmp.Compare(b2i(a.AsBool()), b2i(b.AsBool()))
	}
	p, _ := playerOf(a)
	q, _ := playerOf(b)
	return cmp.Compare(p, q)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareIntFloat compares an integer with a float that is not whole.
func compareIntFloat(n int64, f float64) int {
	switch {
	case f >= 0x1p63:
		return -1
	case f < -0x1p63:
		return 1
	}
	if whole := math.Floor(f); n <= int64(whole) {
		return -1
	}
	return 1
}

// errNoOrder does not name the key, because the first such key depends on the run.
var errNoOrder = errors.New("a table has no order if keys are not numbers, texts, booleans or players")

// slots returns how many fields a table has room for. Iterating it visits all of them.
func slots(t *rt.Table) (n int) {
	parts := reflect.ValueOf(t).Elem().Field(0).Elem() // hash and array; both begin with their values
	for i := range 2 {
		if p := parts.Field(i); !p.IsNil() {
			n += p.Elem().Field(0).Len()
		}
	}
	return n
}

// compact shrinks a table that has room for more than twice its fields, because fields were
// removed. So iterating a table takes no longer than adding its fields did. Scripts cannot notice
// it.
func compact(t *rt.Table, fields int) {
	if slots(t) <= 4*fields+64 {
		return
	}
	small := rt.NewTable()
	each(t, func(k, x rt.Value) { small.Set(k, x) })
	small.SetMetatable(t.Metatable())
	*t = *small
}

// appendKeys appends the keys of a table in order.
func (v *vm) appendKeys(dst []rt.Value, t *rt.Table) ([]rt.Value, error) {
	start := len(dst)
	for k, _, _ := t.Next(rt.NilValue); !k.IsNil(); k, _, _ = t.Next(k) {
		if rank(k) == 0 {
			return dst[:start], errNoOrder
		}
		dst = append(dst, k)
	}
	compact(t, len(dst)-start)
	if keys := dst[start:]; !slices.IsSortedFunc(keys, compareKeys) {
		slices.SortFunc(keys, compareKeys)
	}
	return dst, nil
}

// sortedKeys returns the keys of a table in order. The script pays for it.
func (v *vm) sortedKeys(t *rt.Table) ([]rt.Value, error) {
	if v.meter.version != firstCosts {
		return v.paidKeys(t)
	}
	keys, err := v.appendKeys(nil, t)
	v.r.RequireCPU(uint64(2 * len(keys)))
	v.r.RequireMem(uint64(48 * len(keys)))
	return keys, err
}

var costKeys = costOf("pairs")

// paidKeys is sortedKeys with the current costs: it charges before it sorts.
func (v *vm) paidKeys(t *rt.Table) ([]rt.Value, error) {
	var keys []rt.Value
	var wrong error
	n := 0
	for k, _, _ := t.Next(rt.NilValue); !k.IsNil(); k, _, _ = t.Next(k) {
		n++
		if rank(k) == 0 {
			wrong = errNoOrder // checked after all keys are counted, because they have no order
			continue
		}
		keys = append(keys, k)
	}
	compact(t, n)
	v.r.RequireMem(uint64(48 * len(keys)))
	v.payKeys(costKeys, keys)
	if wrong != nil {
		return nil, wrong
	}
	if !slices.IsSortedFunc(keys, compareKeys) {
		slices.SortFunc(keys, compareKeys)
	}
	return keys, nil
}

func pairs(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	keys, err := v.sortedKeys(t)
	if err != nil {
		return err
	}
	v.r.RequireMem(128)
	v.push(c, v.function("pairs next", 0, false, func(v *vm, c *rt.GoCont) error {
		for len(keys) > 0 {
			k := keys[0]
			keys = keys[1:]
			if x := t.Get(k); !x.IsNil() {
				v.push(c, k)
				v.push(c, x)
				return nil
			}
			v.old(1)
			v.pay(1)
		}
		v.push(c, rt.NilValue)
		return nil
	}))
	return nil
}

func next(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	keys, err := v.sortedKeys(t)
	if err != nil {
		return err
	}
	i := 0
	if last := value(c, 1); !last.IsNil() {
		if rank(last) == 0 {
			return badArgument(1, "a key", last)
		}
		var found bool
		if i, found = slices.BinarySearchFunc(keys, last, compareKeys); found {
			i++
		}
	}
	if i == len(keys) {
		v.push(c, rt.NilValue)
		return nil
	}
	v.push(c, keys[i])
	v.push(c, t.Get(keys[i]))
	return nil
}

// ipairs returns the function ipairs. All tables share one iterator.
func (v *vm) ipairs() fn {
	step := v.function("ipairs next", 2, false, func(v *vm, c *rt.GoCont) error {
		t, err := v.readable(c, 0)
		if err != nil {
			return err
		}
		i, _ := rt.ToInt(value(c, 1))
		x := t.Get(rt.IntValue(i + 1))
		if x.IsNil() {
			v.push(c, x)
			return nil
		}
		v.push(c, rt.IntValue(i+1))
		v.push(c, x)
		return nil
	})
	return func(v *vm, c *rt.GoCont) error {
		if _, err := tableArg(c, 0); err != nil {
			return err
		}
		v.push(c, step)
		v.push(c, c.Arg(0))
		v.push(c, rt.IntValue(0))
		return nil
	}
}

// len returns the number of values in a list before its first hole.
func (v *vm) len(t *rt.Table) int64 {
	n := int64(0)
	for !t.Get(rt.IntValue(n + 1)).IsNil() {
		if n++; n%64 == 0 {
			v.pay(32)
		}
	}
	v.old(uint64(n / 4))
	return n
}

func length(v *vm, c *rt.GoCont) error {
	x := value(c, 0)
	if s, ok := x.TryString(); ok {
		v.push(c, rt.IntValue(int64(len(s))))
		return nil
	}
	t, ok := x.TryTable()
	if !ok {
		return fmt.Errorf("attempt to get length of %s", describe(x))
	}
	if t.Metatable() != nil {
		res := rt.NewTerminationWith(c, 1, false)
		if err, ok := rt.Metacall(v.thread, x, "__len", []rt.Value{x}, res); ok {
			v.push(c, res.Get(0))
			return err
		}
	}
	v.push(c, rt.IntValue(v.len(v.contents(t))))
	return nil
}

func rawLen(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	v.push(c, rt.IntValue(v.len(t)))
	return nil
}

func rawGet(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	v.push(c, t.Get(value(c, 1)))
	return nil
}

func rawSet(v *vm, c *rt.GoCont) error {
	t, err := v.writable(c, 0)
	if err != nil {
		return err
	}
	if err := v.r.SetTableCheck(t, value(c, 1), value(c, 2)); err != nil {
		return err
	}
	v.push(c, c.Arg(0))
	return nil
}

func setMetatable(v *vm, c *rt.GoCont) error {
	t, err := v.writable(c, 0)
	if err != nil {
		return err
	}
	m := value(c, 1)
	if m.IsNil() {
		t.SetMetatable(nil)
	} else {
		meta, err := tableArg(c, 1)
		if err != nil {
			return err
		}
		for _, name := range []string{"__gc", "__mode", "__metatable", "__close"} {
			if !meta.Get(rt.StringValue(name)).IsNil() {
				return fmt.Errorf("%s is not for scripts", name)
			}
		}
		call := meta.Get(rt.StringValue("__call"))
		if _, ok := call.TryCallable(); !ok && !call.IsNil() && v.meter.version != firstCosts {
			return fmt.Errorf("__call is %s, want a function", describe(call))
		}
		if _, ok := v.frozen[meta]; !ok {
			v.payFields(costOf("setmetatable"), meta)
			v.boundMetamethods(meta, meta)
		}
		t.SetMetatable(meta)
	}
	v.push(c, c.Arg(0))
	return nil
}

// boundMetamethods copies the metamethods of one table to another, wrapped in Go functions. The
// virtual machine then limits how deep they call each other.
func (v *vm) boundMetamethods(from, to *rt.Table) {
	each(from, func(k, x rt.Value) {
		name, ok := k.TryString()
		if _, isLua := x.TryClosure(); !ok || !isLua || !strings.HasPrefix(name, "__") {
			return
		}
		v.needs(200)
		f := v.function("metamethod", 0, true, func(v *vm, c *rt.GoCont) error { return v.callInto(c, x, c.Etc()) })
		v.builtin[f.Interface().(*rt.GoFunction)] = true
		to.Set(k, f)
	})
}

func getMetatable(v *vm, c *rt.GoCont) error {
	x := rt.NilValue
	if t, ok := value(c, 0).TryTable(); ok {
		if m := v.contents(t).Metatable(); m != nil {
			x = rt.TableValue(m)
		}
	}
	v.push(c, x)
	return nil
}

var costInsert = costOf("table.insert")

// payItem charges item i. It charges 32 items at once.
func (v *vm) payItem(i int64, c cost) {
	if i&31 == 0 {
		v.pay(32 * c.each)
	}
}

// payFields charges the fields of a table. It stops counting when they are too many to pay for.
func (v *vm) payFields(c cost, t *rt.Table) {
	n := 0
	for k, _, _ := t.Next(rt.NilValue); !k.IsNil() && n < tickSteps; k, _, _ = t.Next(k) {
		n++
	}
	compact(t, n)
	v.payItems(c, n)
}

func tableInsert(v *vm, c *rt.GoCont) error {
	t, err := v.writable(c, 0)
	if err != nil {
		return err
	}
	n := v.len(t)
	pos, x := n+1, value(c, 1)
	switch c.NArgs() {
	case 2:
	case 3:
		var ok bool
		if pos, ok = rt.ToIntNoString(c.Arg(1)); !ok || pos < 1 || pos > n+1 {
			return badArgument(1, fmt.Sprintf("a position from 1 to %d", n+1), c.Arg(1))
		}
		x = c.Arg(2)
	default:
		return errors.New("insert needs a table and a value, or a table, a position and a value")
	}
	for i := n; i >= pos; i-- {
		v.payItem(i, costInsert)
		v.r.SetTable(t, rt.IntValue(i+1), t.Get(rt.IntValue(i)))
	}
	v.r.SetTable(t, rt.IntValue(pos), x)
	return nil
}

func tableRemove(v *vm, c *rt.GoCont) error {
	t, err := v.writable(c, 0)
	if err != nil {
		return err
	}
	n := v.len(t)
	pos := n
	if p := value(c, 1); !p.IsNil() {
		var ok bool
		if pos, ok = rt.ToIntNoString(p); !ok || pos < 1 || pos > n+1 {
			return badArgument(1, fmt.Sprintf("a position from 1 to %d", n), p)
		}
	}
	x := t.Get(rt.IntValue(pos))
	for i := pos; i < n; i++ {
		v.payItem(i, costInsert)
		v.r.SetTable(t, rt.IntValue(i), t.Get(rt.IntValue(i+1)))
	}
	if pos <= n && n > 0 {
		v.r.SetTable(t, rt.IntValue(n), rt.NilValue)
	}
	v.push(c, x)
	return nil
}

// span returns the first position in a list, and the number of positions. The optional arguments i
// and i+1 are the first and the last one.
func (v *vm) span(c *rt.GoCont, i int, t *rt.Table) (first, n int64, err error) {
	first = 1
	var last int64
	if x := value(c, i); !x.IsNil() {
		var ok bool
		if first, ok = rt.ToIntNoString(x); !ok {
			return 0, 0, badArgument(i, "an integer", x)
		}
	}
	if x := value(c, i+1); !x.IsNil() {
		var ok bool
		if last, ok = rt.ToIntNoString(x); !ok {
			return 0, 0, badArgument(i+1, "an integer", x)
		}
	} else {
		last = v.len(t)
	}
	if last < first {
		return first, 0, nil
	}
	if uint64(last)-uint64(first) >= 1<<16 {
		return 0, 0, errors.New("too many values")
	}
	return first, last - first + 1, nil
}

var costJoin = costOf("table.concat")

func tableConcat(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	sep := ""
	if x := value(c, 1); !x.IsNil() {
		var ok bool
		if sep, ok = x.TryString(); !ok {
			return badArgument(1, "a string", x)
		}
	}
	first, n, err := v.span(c, 2, t)
	if err != nil {
		return err
	}
	var b strings.Builder
	for i := range n {
		x := t.Get(rt.IntValue(first + i))
		if k := rank(x); k != 1 && k != 2 {
			return fmt.Errorf("value %d of the table is %s, want a string or a number", first+i, describe(x))
		}
		if x.Type() == rt.FloatType {
			v.pay(3)
		}
		s := plain(x)
		if i < n-1 {
			s += sep
		}
		v.old(1)
		v.pay(costJoin.each + costJoin.bytesCost(len(s)))
		v.r.RequireBytes(2 * len(s))
		b.WriteString(s)
		if v.meter.version != firstCosts && b.Len() > maxString {
			return errTooLong(b.Len())
		}
	}
	return v.pushString(c, b.String())
}

func tablePack(v *vm, c *rt.GoCont) error {
	t := rt.NewTable()
	v.payItems(costOf("table.pack"), len(c.Etc()))
	for i, x := range c.Etc() {
		v.r.SetTable(t, rt.IntValue(int64(i+1)), x)
	}
	v.r.SetTable(t, rt.StringValue("n"), rt.IntValue(int64(len(c.Etc()))))
	v.push(c, rt.TableValue(t))
	return nil
}

func unpack(v *vm, c *rt.GoCont) error {
	t, err := v.readable(c, 0)
	if err != nil {
		return err
	}
	first, n, err := v.span(c, 1, t)
	if err != nil {
		return err
	}
	if n > 250 {
		return errors.New("too many values to unpack")
	}
	v.pay(uint64(n))
	for i := range n {
		v.push(c, t.Get(rt.IntValue(first+i)))
	}
	return nil
}

var costSort, costSortBy = costOf("table.sort"), costOf("table.sort by")

// tableSort sorts a list. The sort is stable, and always gives the same result for comparison
// functions that contradict themselves.
func tableSort(v *vm, c *rt.GoCont) error {
	t, err := v.writable(c, 0)
	if err != nil {
		return err
	}
	thread, by := v.thread, value(c, 1)
	less := func(a, b rt.Value) (bool, error) {
		v.old(1)
		v.pay(costSort.each)
		if by.IsNil() {
			s, isText := a.TryString()
			if o, ok := b.TryString(); ok && isText {
				v.payBytes(costSort, min(len(s), len(o)))
			}
			return rt.Lt(thread, a, b)
		}
		v.pay(costSortBy.each)
		res := rt.NewTerminationWith(c, 1, false)
		err := rt.Call(thread, by, []rt.Value{a, b}, res)
		return rt.Truth(res.Get(0)), err
	}
	n := v.len(t)
	v.r.RequireMem(uint64(64 * n))
	list := make([]rt.Value, n)
	for i := range list {
		list[i] = t.Get(rt.IntValue(int64(i + 1)))
	}
	if err := mergeSort(list, make([]rt.Value, n), less); err != nil {
		return err
	}
	for i, x := range list {
		v.r.SetTable(t, rt.IntValue(int64(i+1)), x)
	}
	return nil
}

func mergeSort(list, space []rt.Value, less func(a, b rt.Value) (bool, error)) error {
	if len(list) < 2 {
		return nil
	}
	m := len(list) / 2
	if err := mergeSort(list[:m], space[:m], less); err != nil {
		return err
	}
	if err := mergeSort(list[m:], space[m:], less); err != nil {
		return err
	}
	copy(space, list)
	a, b := space[:m], space[m:]
	for i := range list {
		second := len(a) == 0
		if len(a) > 0 && len(b) > 0 {
			var err error
			if second, err = less(b[0], a[0]); err != nil {
				return err
			}
		}
		if second {
			list[i], b = b[0], b[1:]
		} else {
			list[i], a = a[0], a[1:]
		}
	}
	return nil
}
