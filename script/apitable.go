package script

import (
	"fmt"

	rt "github.com/arnodel/golua/runtime"
)

// apiTable makes reading a missing field of a built-in table an error that suggests the nearest
// field. In logs with the costs of version 1 such fields are nil.
func (v *vm) apiTable(name string, t *rt.Table) {
	if v.meter.version == firstCosts {
		return
	}
	var names []string
	each(t, func(k, _ rt.Value) { names = append(names, plain(k)) })
	v.api[name] = names
	meta := rt.NewTable()
	set(meta, "__index", v.function("undefined", 2, false, func(v *vm, c *rt.GoCont) error {
		field, ok := value(c, 1).TryString()
		if !ok {
			v.push(c, rt.NilValue)
			return nil
		}
		v.payItems(costOf("undefined"), len(names))
		return errNoField(name, field, v.suggest(field, names))
	}))
	t.SetMetatable(meta)
}

func errNoField(table, field, suggestion string) error {
	return fmt.Errorf("there is no %s.%s%s", table, field, suggestion)
}
