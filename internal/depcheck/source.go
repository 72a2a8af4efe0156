package depcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// Load reads all packages of the module that dir is in, for all platforms, without tests. It
// returns the packages and, by import path, what lacks a doc comment.
func Load(dir string) (pkgs []Package, undocumented map[string][]string, err error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,IgnoredGoFiles", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("depcheck: go list: %w", err)
	}
	undocumented = map[string][]string{}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var l struct {
			ImportPath, Dir, Name             string
			GoFiles, CgoFiles, IgnoredGoFiles []string
		}
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return pkgs, undocumented, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("depcheck: go list: %w", err)
		}
		src := source{pkg: Package{Path: l.ImportPath, Command: l.Name == "main"}, fset: token.NewFileSet()}
		for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.IgnoredGoFiles) {
			if err := src.read(filepath.Join(l.Dir, name), l.Name); err != nil {
				return nil, nil, err
			}
		}
		if src.files == 0 {
			continue // tests only
		}
		if !src.doc {
			src.undocumented = append(src.undocumented, "the package")
		}
		pkgs = append(pkgs, src.pkg)
		if len(src.undocumented) > 0 {
			undocumented[l.ImportPath] = src.undocumented
		}
	}
}

// source collects what the files of a package contain.
type source struct {
	pkg          Package
	fset         *token.FileSet
	files        int
	doc          bool // some file has a package comment
	undocumented []string
}

// read takes one file; files of another package (a generator that the build
// ignores) do not count.
func (s *source) read(path, name string) error {
	if ok, _ := filepath.Match("*_test.go", filepath.Base(path)); ok {
		return nil
	}
	f, err := parser.ParseFile(s.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("depcheck: %w", err)
	}
	if name != "" && f.Name.Name != name {
		return nil
	}
	s.files++
	s.doc = s.doc || f.Doc.Text() != ""
	s.imports(f)
	if !s.pkg.Command {
		s.comments(f)
	}
	return nil
}

// imports adds the imports of a file, the selectors on them and go statements.
func (s *source) imports(f *ast.File) {
	local := map[string]string{}
	for _, im := range f.Imports {
		path, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		if !slices.Contains(s.pkg.Imports, path) {
			s.pkg.Imports = append(s.pkg.Imports, path)
		}
		name := filepath.Base(path)
		if im.Name != nil {
			name = im.Name.Name
		}
		local[name] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			s.pkg.Goroutines = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && local[x.Name] != "" {
				use := local[x.Name] + "." + n.Sel.Name
				if !slices.Contains(s.pkg.Uses, use) {
					s.pkg.Uses = append(s.pkg.Uses, use)
				}
			}
		}
		return true
	})
}

// comments adds the exported names of a file that have no doc comment. In a group of
// constants or variables, the comment of the group is enough, or one above a block of lines.
func (s *source) comments(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) {
				s.want(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			var block *ast.CommentGroup // the comment above the block
			last := 0                   // the line where the block ends so far
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						s.want(spec.Name, spec.Doc, soleComment(d))
						s.methods(spec.Type)
					}
				case *ast.ValueSpec:
					if spec.Doc != nil || s.fset.Position(spec.Pos()).Line != last+1 {
						block = spec.Doc
					}
					last = s.fset.Position(spec.End()).Line
					for _, name := range spec.Names {
						if name.IsExported() {
							s.want(name, block, spec.Comment, d.Doc)
						}
					}
				}
			}
		}
	}
}

// methods adds the methods of an interface that have no comment. A single method needs
// none.
func (s *source) methods(t ast.Expr) {
	i, ok := t.(*ast.InterfaceType)
	if !ok || len(i.Methods.List) < 2 {
		return
	}
	for _, m := range i.Methods.List {
		for _, name := range m.Names {
			if name.IsExported() {
				s.want(name, m.Doc, m.Comment)
			}
		}
	}
}

// soleComment returns the comment of a declaration that is not a group.
func soleComment(d *ast.GenDecl) *ast.CommentGroup {
	if d.Lparen.IsValid() {
		return nil
	}
	return d.Doc
}

// want adds a name if all of its comments are empty.
func (s *source) want(name *ast.Ident, docs ...*ast.CommentGroup) {
	for _, d := range docs {
		if d.Text() != "" {
			return
		}
	}
	pos := s.fset.Position(name.Pos())
	s.undocumented = append(s.undocumented, fmt.Sprintf("%s (%s:%d)", name.Name, filepath.Base(pos.Filename), pos.Line))
}

// exportedReceiver reports whether a function has no receiver or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
