package script

import (
	"slices"

	"github.com/arnodel/golua/ast"
)

// fieldCheck finds unknown fields of built-in tables when the source names both, as in game.sya.
// Reading others is an error at run time; see [vm.apiTable].
type fieldCheck struct {
	api  map[string][]string // fields of built-in tables
	read []fieldUse
	set  map[string]bool // table.field that the file assigns
}

type fieldUse struct {
	at           ast.Locator
	table, field string
}

// fieldOf returns the built-in table and the field that an expression names.
func (w *rewriter) fieldOf(e ast.IndexExp) (u fieldUse, ok bool) {
	table, ok1 := e.Coll.(ast.Name)
	field, ok2 := e.Idx.(ast.String)
	if !ok1 || !ok2 || w.lookup(table.Val) != 0 || w.fields.api[table.Val] == nil {
		return u, false
	}
	return fieldUse{e.Coll, table.Val, string(field.Val)}, true
}

func (w *rewriter) readsField(e ast.IndexExp) {
	if u, ok := w.fieldOf(e); ok {
		w.fields.read = append(w.fields.read, u)
	}
}

func (w *rewriter) setsField(e ast.IndexExp) {
	if u, ok := w.fieldOf(e); ok {
		if w.fields.set == nil {
			w.fields.set = map[string]bool{}
		}
		w.fields.set[u.table+"."+u.field] = true
	}
}

// checkFields fails for the first unknown field. It ignores tables that the file replaces by a
// global of the same name, and fields that the file assigns.
func (w *rewriter) checkFields() {
	for _, u := range w.fields.read {
		names := w.fields.api[u.table]
		_, isOther := w.globals[u.table]
		if !isOther && !w.fields.set[u.table+"."+u.field] && !slices.Contains(names, u.field) {
			fail(u.at, errNoField(u.table, u.field, suggest(u.field, names)).Error())
		}
	}
}
