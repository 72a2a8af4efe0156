package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a change of one place. The change only adds text before and after the place, so places
// inside each other do not conflict.
type mutant struct {
	id            int
	file          string // relative to the module's root
	line          int
	function      string
	kind          string
	text          string // the place's code as one line
	ordinal       int    // number among equal places of the function
	start, end    int    // offsets in the file, in bytes
	before, after string // with %d for the id
	pkg           *source

	outcome outcome
	by      string // the test that failed
}

// name identifies a mutant as long as its function's code stays the same.
func (m *mutant) name() string {
	name := filepath.ToSlash(filepath.Dir(m.file)) + ":" + m.function + ":" + m.kind + ":" + m.text
	if m.ordinal > 0 {
		name += fmt.Sprintf(":%d", m.ordinal+1)
	}
	return name
}

func (m *mutant) String() string { return fmt.Sprintf("%s:%d %s", m.file, m.line, m.name()) }

// source is a package whose code is changed.
type source struct {
	folder, path, dir string
	files             []string // relative to the module's root
	mutants           []*mutant
}

type listed struct {
	Dir, ImportPath, Export, Name string
	GoFiles, TestGoFiles          []string
	XTestGoFiles, Deps            []string
	Module                        *struct{ Main bool }
}

// list runs go list.
func list(args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,Export,Name,GoFiles,TestGoFiles,XTestGoFiles,Deps,Module"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// loadPackages parses the packages below some folders and finds all their mutants.
func loadPackages(folders []string) ([]*source, error) {
	patterns := make([]string, len(folders))
	for i, f := range folders {
		patterns[i] = "./" + f + "/..."
	}
	all, err := list(append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	var pkgs []*source
	for _, p := range all {
		rel, err := filepath.Rel(root, p.Dir)
		if err != nil || p.Module == nil || !p.Module.Main || p.Name == "main" {
			continue
		}
		rel = filepath.ToSlash(rel)
		i := slices.IndexFunc(folders, func(f string) bool { return rel == f || strings.HasPrefix(rel, f+"/") })
		// Package modtest is part of tests, not of the program.
		if i < 0 || strings.HasSuffix(rel, "/modtest") {
			continue
		}
		s := &source{folder: folders[i], path: p.ImportPath, dir: rel}
		for _, f := range p.GoFiles {
			s.files = append(s.files, rel+"/"+f)
		}
		if err := s.find(exports); err != nil {
			return nil, err
		}
		pkgs = append(pkgs, s)
	}
	return pkgs, nil
}

// find collects the package's mutants.
func (s *source) find(exports map[string]string) error {
	set := token.NewFileSet()
	var files []*ast.File
	for _, f := range s.files {
		parsed, err := parser.ParseFile(set, f, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, parsed)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := config.Check(s.path, set, files, info); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	for i, f := range files {
		if ast.IsGenerated(f) {
			continue
		}
		code, err := os.ReadFile(s.files[i])
		if err != nil {
			return err
		}
		v := &finder{pkg: s, file: s.files[i], code: code, tokens: set.File(f.Pos()), info: info}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Name.Name != "init" {
				v.function = functionName(fn)
				v.block(fn.Body.List)
				ast.Inspect(fn.Body, v.visit)
			}
		}
	}
	seen := map[string]int{}
	for _, m := range s.mutants {
		name := m.name()
		m.ordinal = seen[name]
		seen[name]++
	}
	return nil
}

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	return fmt.Sprintf("%s.%s", t, fn.Name.Name)
}

// finder collects the mutants of a function.
type finder struct {
	pkg            *source
	file, function string
	code           []byte
	tokens         *token.File
	info           *types.Info
}

// add adds a mutant of a node's place. In before and after, %d stands for the id and %s for the
// place's code.
func (v *finder) add(kind string, n ast.Node, before, after string) {
	start, end := v.tokens.Offset(n.Pos()), v.tokens.Offset(n.End())
	code := string(v.code[start:end])
	text := strings.Join(strings.Fields(code), " ")
	if len(text) > 80 {
		text = text[:80]
	}
	v.pkg.mutants = append(v.pkg.mutants, &mutant{
		file: v.file, line: v.tokens.Line(n.Pos()), function: v.function, kind: kind, text: text, start: start, end: end,
		before: before, after: after, pkg: v.pkg,
	})
}

func (v *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		v.block(n.List)
	case *ast.CaseClause:
		v.block(n.Body)
		for _, e := range n.List {
			if v.isBool(e) {
				v.add("never", e, "(", ") && !mutantOn(%d)")
			}
		}
	case *ast.CommClause:
		v.block(n.Body)
	case *ast.IfStmt:
		if v.isBool(n.Cond) {
			v.add("never", n.Cond, "(", ") && !mutantOn(%d)")
			v.add("always", n.Cond, "(", ") || mutantOn(%d)")
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if t := v.info.TypeOf(e); t == types.Typ[types.Bool] || t == types.Typ[types.UntypedBool] {
				v.add("not", e, "(", ") != mutantOn(%d)")
			}
		}
	case *ast.BinaryExpr:
		v.binary(n)
	}
	if e, ok := n.(ast.Expr); ok && v.info.Types[e].Value != nil {
		v.constant(e)
		return false // constants cannot contain calls
	}
	switch n.(type) {
	case *ast.CompositeLit:
		// The keys of arrays and the lengths in types are constants.
		return false
	case *ast.GenDecl, *ast.ArrayType:
		return false
	}
	return true
}

func (v *finder) binary(n *ast.BinaryExpr) {
	if v.info.Types[n].Value != nil {
		return
	}
	x, y := v.source(n.X), v.source(n.Y)
	other := map[token.Token]string{
		token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
		token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
	}[n.Op]
	switch n.Op {
	case token.LAND, token.LOR:
		if v.isBool(n.X) && v.isBool(n.Y) {
			op := map[token.Token]string{token.LAND: "|| mutantOn(%d)", token.LOR: "&& !mutantOn(%d)"}[n.Op]
			v.add("without", n.X, "((", ") "+op+")")
			v.add("without", n.Y, "((", ") "+op+")")
		}
		return
	case token.MUL:
		return // the opposite operator may divide by zero
	case token.ADD, token.SUB, token.QUO:
		basic, ok := v.info.TypeOf(n).Underlying().(*types.Basic)
		if !ok || basic.Info()&types.IsNumeric == 0 || basic.Info()&types.IsUntyped != 0 {
			return
		}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if !v.isBool(n) {
			return
		}
	default:
		return
	}
	if !v.isPure(n) {
		return
	}
	v.add(n.Op.String()+" is "+other, n, "mutantPick(%d, ", ", ("+escape(x)+") "+other+" ("+escape(y)+"))")
}

func escape(s string) string { return strings.ReplaceAll(s, "%", "%%") }

func (v *finder) source(n ast.Node) string {
	return string(v.code[v.tokens.Offset(n.Pos()):v.tokens.Offset(n.End())])
}

func (v *finder) isBool(e ast.Expr) bool {
	t := v.info.TypeOf(e)
	return v.info.Types[e].Value == nil && (t == types.Typ[types.Bool] || t == types.Typ[types.UntypedBool])
}

// isPure reports whether an expression may be evaluated twice. It must not receive from channels,
// and may call only conversions and builtin functions without effects.
func (v *finder) isPure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if v.info.Types[n.Fun].IsType() {
				return true
			}
			id, ok := n.Fun.(*ast.Ident)
			if _, builtin := v.info.Uses[id].(*types.Builtin); !ok || !builtin || !slices.Contains([]string{"len", "cap", "min", "max"}, id.Name) {
				pure = false
			}
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.FuncLit:
			pure = false
		}
		return pure
	})
	return pure
}

// constant adds a mutant that increases an integer constant by one.
func (v *finder) constant(e ast.Expr) {
	basic, ok := v.info.TypeOf(e).(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return
	}
	value := v.info.Types[e].Value
	n, exact := constant.Int64Val(value)
	if value.Kind() != constant.Int || !exact || n == 127 || n == 255 || n == 1<<31-1 || n == 1<<32-1 {
		return
	}
	v.add("plus one", e, "("+basic.Name()+"(", ")+mutantOne["+basic.Name()+"](%d))")
}

// block adds mutants that leave a statement out.
func (v *finder) block(statements []ast.Stmt) {
	for _, s := range statements {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && isName(call.Fun, "panic", "Unlock", "Lock", "RUnlock", "RLock", "Done", "Exit", "close") {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.BranchStmt:
			if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
				continue
			}
		default:
			continue
		}
		v.add("without", s, "if !mutantOn(%d) { ", " }")
	}
}

func isName(e ast.Expr, names ...string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains(names, e.Name)
	case *ast.SelectorExpr:
		return slices.Contains(names, e.Sel.Name)
	}
	return false
}

// pick returns the n mutants with the smallest hashes of seed and name, in the order of the code.
func pick(all []*mutant, seed uint64, n int) []*mutant {
	hash := func(m *mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", seed, m.name())
		return h.Sum64() * 0x9e3779b97f4a7c15
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *mutant) int { return cmp.Compare(hash(a), hash(b)) })
	all = all[:min(n, len(all))]
	slices.SortStableFunc(all, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.start, b.start))
	})
	return all
}

func only(sample []*mutant, name string) []*mutant {
	return slices.DeleteFunc(sample, func(m *mutant) bool { return m.name() != name })
}
