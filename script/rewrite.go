package script

import (
	"fmt"

	"github.com/arnodel/golua/ast"
	"github.com/arnodel/golua/ops"
	"github.com/arnodel/golua/scanner"
	"github.com/arnodel/golua/token"
)

// The names of functions that rewritten code calls. Lua does not allow these names, so scripts
// cannot use them.
const (
	lenName    = "#len"
	powName    = "#pow"
	modName    = "#mod"
	concatName = "#concat"
	guardName  = "#guard"
)

// maxNesting limits how deep blocks, brackets and operators can be nested, because the parser and
// the compiler recurse.
const maxNesting = 150

// checkNesting returns an error for a source that is nested too deeply to be parsed.
func checkNesting(name string, source []byte) error {
	s := scanner.New(name, source)
	open, run := 0, 0
	for {
		t := s.Scan()
		switch t.Type {
		case token.EOF, token.INVALID, token.UNFINISHED:
			return nil // the parser reports the error
		case token.SgOpenBkt, token.SgOpenBrace, token.SgOpenSquareBkt, token.KwFunction, token.KwDo, token.KwThen, token.KwRepeat:
			open++
			run = 0
		case token.SgCloseBkt, token.SgCloseBrace, token.SgCloseSquareBkt, token.KwEnd, token.KwUntil, token.KwElseIf:
			open--
			run = 0
		case token.SgMinus, token.KwNot, token.SgHash, token.SgTilde, token.SgHat:
			run++ // the parser recurses for these operators
		case token.SgComma, token.SgSemicolon, token.SgAssign, token.KwLocal, token.KwReturn, token.KwIf, token.KwAnd, token.KwOr:
			run = 0
		}
		if open > maxNesting || run > maxNesting {
			return fmt.Errorf("%s:%d: nested too deeply", name, t.Pos.Line)
		}
	}
}

// local is a visible local variable.
type local struct {
	name string
	fn   int // nesting of the function that declares it; 1 is the file itself
}

// rewriter changes the syntax tree of a script. Operators whose result depends on the machine
// become calls. Assignments in functions to variables that are not saved get a guard.
type rewriter struct {
	locals  []local
	owners  map[string][]int // for each visible name, the nesting of the functions that declare it, innermost last
	fn      int
	depth   int
	mod     bool           // rewrite the operator %
	globals map[string]int // lines that set globals
	fields  fieldCheck
}

// syntaxError is an error of the rewriter.
type syntaxError struct {
	line int
	text string
}

// rewrite changes the syntax tree of a file. It returns the lines at which the file sets globals.
func rewrite(name string, chunk *ast.BlockStat, mod bool, api map[string][]string) (globals map[string]int, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case syntaxError:
			err = fmt.Errorf("%s:%d: %s", name, p.line, p.text)
		default:
			panic(p)
		}
	}()
	w := rewriter{owners: map[string][]int{}, fn: 1, mod: mod, globals: map[string]int{}, fields: fieldCheck{api: api}}
	w.block(chunk)
	w.checkFields()
	return w.globals, nil
}

func fail(at ast.Locator, text string) { panic(syntaxError{line(at), text}) }

func line(at ast.Locator) int {
	if pos := at.Locate().StartPos(); pos != nil {
		return pos.Line
	}
	return 0
}

func (w *rewriter) enter(at ast.Locator) {
	if w.depth++; w.depth > 2*maxNesting {
		fail(at, "nested too deeply")
	}
}

func (w *rewriter) declare(n ast.Name) {
	if n.Val == "_ENV" {
		fail(n, "_ENV is not for scripts")
	}
	w.locals = append(w.locals, local{n.Val, w.fn})
	w.owners[n.Val] = append(w.owners[n.Val], w.fn)
}

// leave ends the scope of all local variables except the first n.
func (w *rewriter) leave(n int) {
	for _, l := range w.locals[n:] {
		w.owners[l.name] = w.owners[l.name][:len(w.owners[l.name])-1]
	}
	w.locals = w.locals[:n]
}

// lookup returns the nesting of the function that declares a local variable, or 0 for a global.
func (w *rewriter) lookup(name string) int {
	if all := w.owners[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return 0
}

func (w *rewriter) block(b *ast.BlockStat) {
	n := len(w.locals)
	w.stats(b)
	w.leave(n)
}

func (w *rewriter) stats(b *ast.BlockStat) {
	for i, s := range b.Stats {
		b.Stats[i] = w.stat(s)
	}
	w.exps(b.Return)
}

func (w *rewriter) exps(list []ast.ExpNode) {
	for i, e := range list {
		list[i] = w.exp(e)
	}
}

func (w *rewriter) function(f ast.Function) ast.Function {
	n := len(w.locals)
	w.fn++
	for _, p := range f.Params {
		w.declare(p)
	}
	if f.VarargName != nil {
		w.declare(*f.VarargName)
	}
	w.block(&f.Body)
	w.fn--
	w.leave(n)
	return f
}

func (w *rewriter) cond(c ast.CondStat) ast.CondStat {
	c.Cond = w.exp(c.Cond)
	w.block(&c.Body)
	return c
}

func (w *rewriter) stat(s ast.Stat) ast.Stat {
	w.enter(s)
	defer func() { w.depth-- }()
	switch s := s.(type) {
	case ast.AssignStat:
		return w.assign(s)
	case ast.BlockStat:
		w.block(&s)
		return s
	case ast.FunctionCall:
		w.call(s.BFunctionCall)
		return s
	case *ast.ForStat:
		s.Start, s.Stop = w.exp(s.Start), w.exp(s.Stop)
		if s.Step != nil {
			s.Step = w.exp(s.Step)
		}
		n := len(w.locals)
		w.declare(s.Var)
		w.block(&s.Body)
		w.leave(n)
		return s
	case *ast.ForInStat:
		w.exps(s.Params)
		n := len(w.locals)
		for _, v := range s.Vars {
			w.declare(v)
		}
		w.block(&s.Body)
		w.leave(n)
		return s
	case ast.IfStat:
		s.If = w.cond(s.If)
		for i := range s.ElseIfs {
			s.ElseIfs[i] = w.cond(s.ElseIfs[i])
		}
		if s.Else != nil {
			w.block(s.Else)
		}
		return s
	case ast.LocalFunctionStat:
		w.declare(s.Name)
		s.Function = w.function(s.Function)
		return s
	case ast.LocalStat:
		w.exps(s.Values)
		attribs := []*ast.DeclAttrib{s.PrefixAttrib}
		for _, n := range s.NameAttribs {
			w.declare(n.Name)
			attribs = append(attribs, n.Attrib)
		}
		for _, a := range attribs {
			if a != nil && a.Type == ast.CloseAttrib {
				fail(s, "<close> is not for scripts")
			}
		}
		return s
	case ast.RepeatStat:
		n := len(w.locals)
		w.stats(&s.Body) // the condition sees the locals of the body
		s.Cond = w.exp(s.Cond)
		w.leave(n)
		return s
	case ast.WhileStat:
		s.CondStat = w.cond(s.CondStat)
		return s
	case ast.GlobalStat, ast.GlobalFunctionStat, ast.GlobalWildcardStat:
		fail(s, "declarations with global are not for scripts; leave the word out")
	case ast.BreakStat, ast.EmptyStat, ast.GotoStat, ast.LabelStat:
		return s
	}
	fail(s, fmt.Sprintf("a statement of kind %T is not for scripts", s))
	return nil
}

// assign puts a guard before an assignment in a function to a global, or to a local variable of the
// file. Only the file itself can set these, while it is read.
func (w *rewriter) assign(s ast.AssignStat) ast.Stat {
	w.exps(s.Src)
	var guarded []ast.Stat
	for i, d := range s.Dest {
		switch d := d.(type) {
		case ast.Name:
			if d.Val == "_ENV" {
				fail(d, "_ENV is not for scripts")
			}
			owner := w.lookup(d.Val)
			if owner == 0 && w.fn == 1 {
				w.globals[d.Val] = line(d)
			}
			if owner <= 1 && w.fn > 1 {
				guarded = append(guarded, ast.FunctionCall{BFunctionCall: intrinsic(d, guardName, ast.String{Location: d.Location, Val: []byte(d.Val)})})
			}
		case ast.IndexExp:
			w.setsField(d)
			d.Coll, d.Idx = w.exp(d.Coll), w.exp(d.Idx)
			s.Dest[i] = d
		default:
			fail(s, "cannot assign to this")
		}
	}
	if guarded == nil {
		return s
	}
	return ast.BlockStat{Location: s.Location, Stats: append(guarded, s)}
}

func (w *rewriter) call(c *ast.BFunctionCall) {
	c.Target = w.exp(c.Target)
	w.exps(c.Args)
}

func (w *rewriter) exp(e ast.ExpNode) ast.ExpNode {
	w.enter(e)
	defer func() { w.depth-- }()
	switch e := e.(type) {
	case ast.FunctionCall:
		w.call(e.BFunctionCall)
		return e
	case *ast.BFunctionCall:
		w.call(e)
		return e
	case *ast.BinOp:
		return w.binOp(e)
	case *ast.UnOp:
		e.Operand = w.exp(e.Operand)
		if e.Op == ops.OpLen {
			return intrinsic(e, lenName, e.Operand)
		}
		return e
	case ast.Function:
		return w.function(e)
	case ast.IndexExp:
		w.readsField(e)
		e.Coll, e.Idx = w.exp(e.Coll), w.exp(e.Idx)
		return e
	case ast.TableConstructor:
		for i, f := range e.Fields {
			if _, none := f.Key.(ast.NoTableKey); !none {
				e.Fields[i].Key = w.exp(f.Key)
			}
			e.Fields[i].Value = w.exp(f.Value)
		}
		return e
	case ast.Name:
		if e.Val == "_ENV" {
			fail(e, "_ENV is not for scripts")
		}
		return e
	case ast.String:
		if len(e.Val) > maxString {
			fail(e, fmt.Sprintf("a string of %d bytes, the limit is %d", len(e.Val), maxString))
		}
		return e
	case ast.Bool, ast.Etc, ast.Nil, ast.Int, ast.Float:
		return e
	}
	fail(e, fmt.Sprintf("an expression of kind %T is not for scripts", e))
	return nil
}

// binOp rewrites a chain of operators of the same precedence.
func (w *rewriter) binOp(e *ast.BinOp) ast.ExpNode {
	e.Left = w.exp(e.Left)
	if e.Right[0].Op == ops.OpConcat {
		return w.concat(e)
	}
	calls := false
	for i := range e.Right {
		e.Right[i].Operand = w.exp(e.Right[i].Operand)
		calls = calls || w.called(e.Right[i].Op) != ""
	}
	if !calls {
		return e
	}
	left := e.Left
	for _, r := range e.Right {
		if f := w.called(r.Op); f != "" {
			left = intrinsic(e, f, left, r.Operand)
		} else {
			left = &ast.BinOp{Location: e.Location, Left: left, OpType: e.OpType, Right: []ast.Operation{r}}
		}
	}
	return left
}

// called returns the function that replaces an operator, or "".
func (w *rewriter) called(op ops.Op) string {
	switch {
	case op == ops.OpPow:
		return powName
	case op == ops.OpMod && w.mod:
		return modName
	}
	return ""
}

// concat rewrites a chain of the operator .. whose left side has been rewritten.
func (w *rewriter) concat(e *ast.BinOp) ast.ExpNode {
	operands := []ast.ExpNode{e.Left}
	for _, r := range e.Right {
		x := w.exp(r.Operand)
		if c, ok := x.(*ast.BFunctionCall); ok {
			if f, ok := c.Target.(ast.Name); ok && f.Val == concatName { // the rest of the chain
				operands = append(operands, c.Args[:len(c.Args)-1]...)
				continue
			}
		}
		operands = append(operands, x)
	}
	// A call as the last argument would pass all its results instead of the first. The nil after it
	// prevents that.
	return intrinsic(e, concatName, append(operands, ast.Nil{})...)
}

// intrinsic returns a call of a built-in function with one result.
func intrinsic(at ast.Locator, name string, args ...ast.ExpNode) *ast.BFunctionCall {
	loc := at.Locate()
	return &ast.BFunctionCall{Location: loc, Target: ast.Name{Location: loc, Val: name}, Args: args}
}
