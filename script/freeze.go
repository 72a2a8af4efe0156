package script

import (
	"errors"
	"fmt"

	rt "github.com/arnodel/golua/runtime"
)

// After the file has run, everything that its functions can reach is constant, except state. So a
// script cannot keep data that is lost when the match is saved and restored. Tables become constant
// because their fields move to a shadow table, which reads fall through to. Assignments to
// variables have guards (see rewriter). Variables of functions inside functions are compared from
// time to time.

// errIterator is the error for a function with internal state.
var errIterator = errors.New("the file keeps an iterator (of pairs or gmatch, for example); iterators cannot be saved")

// freeze makes everything of the file constant, except state.
func (v *vm) freeze() error {
	inState := map[*rt.Table]string{}
	markState(inState, v.state, "state")
	var (
		todo   []rt.Value
		tables = map[*rt.Table]bool{v.state: true}
		order  []*rt.Table
		cells  = map[rt.Cell]bool{}
		fns    = map[*rt.Closure]bool{}
	)
	each(v.env, func(_, x rt.Value) { todo = append(todo, x) })
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v.r.RequireCPU(1)
		if t, ok := x.TryTable(); ok {
			if path, ok := inState[t]; ok && t != v.state {
				return fmt.Errorf("the table %s is also in a variable of the file; use %s everywhere", path, path)
			}
			if tables[t] {
				continue
			}
			tables[t] = true
			order = append(order, t)
			each(t, func(k, x rt.Value) { todo = append(todo, k, x) })
			if m := t.Metatable(); m != nil {
				todo = append(todo, rt.TableValue(m))
			}
		} else if f, ok := x.TryClosure(); ok && !fns[f] {
			fns[f] = true
			for i, cell := range f.Upvalues {
				u := f.GetUpvalue(i)
				if t, ok := u.TryTable(); cells[cell] || ok && t == v.env {
					continue
				}
				cells[cell] = true
				name := "?"
				if i < len(f.UpNames) {
					name = f.UpNames[i]
				}
				v.fixed = append(v.fixed, upvalue{name, f, i, u})
				todo = append(todo, u)
			}
		} else if g, ok := x.Interface().(*rt.GoFunction); ok && !v.builtin[g] {
			return errIterator
		}
	}
	v.frozen = make(map[*rt.Table]*rt.Table, len(order))
	refuse := v.function("newindex", 3, false, func(*vm, *rt.GoCont) error { return errFrozen })
	for _, t := range order {
		v.frozen[t] = freezeTable(t, refuse)
		v.boundMetamethods(v.frozen[t], t)
	}
	return nil
}

// freezeTable makes a table constant and returns its shadow.
func freezeTable(t *rt.Table, refuse rt.Value) *rt.Table {
	shadow, meta := rt.NewTable(), rt.NewTable()
	if m := t.Metatable(); m != nil {
		each(m, func(k, x rt.Value) { meta.Set(k, x) })
		// Reads of fields that the shadow lacks use the old __index.
		if index := m.Get(rt.StringValue("__index")); !index.IsNil() {
			next := rt.NewTable()
			set(next, "__index", index)
			shadow.SetMetatable(next)
		}
	}
	each(t, func(k, x rt.Value) { shadow.Set(k, x) })
	each(shadow, func(k, _ rt.Value) {
		// The virtual machine reads fields of metatables directly.
		if s, ok := k.TryString(); !ok || len(s) < 2 || s[:2] != "__" {
			t.Set(k, rt.NilValue)
		}
	})
	set(meta, "__index", rt.TableValue(shadow))
	set(meta, "__newindex", refuse)
	t.SetMetatable(meta)
	return shadow
}

func each(t *rt.Table, f func(k, x rt.Value)) {
	for k, x, _ := t.Next(rt.NilValue); !k.IsNil(); k, x, _ = t.Next(k) {
		f(k, x)
	}
}

// markState collects the tables in state, with their paths. state must be a tree.
func markState(paths map[*rt.Table]string, t *rt.Table, path string) {
	paths[t] = path
	each(t, func(k, x rt.Value) {
		if t, ok := x.TryTable(); ok {
			markState(paths, t, field(path, k))
		}
	})
}

// checkFixed returns an error if a variable outside state has changed.
func (v *vm) checkFixed() error {
	name := ""
	for i := range v.fixed {
		u := &v.fixed[i]
		if !u.value.Equals(u.fn.GetUpvalue(u.index)) && (name == "" || u.name < name) {
			name = u.name
		}
	}
	if name != "" {
		return fmt.Errorf("%s: the variable %s of a function changed, which is not saved; keep it in state", v.name, name)
	}
	return nil
}
