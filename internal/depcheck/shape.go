package depcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Shape describes how the files of a package use each other, without tests.
//
// There is an arrow from one file to another if the first uses a declaration of the second: a
// function, method, type, constant, variable or field. Ten uses are one arrow. An arrow runs back
// if there is also an arrow in the other direction: a reader of either file needs both.
type Shape struct {
	Files  int
	Arrows int
	Back   int
	Most   int    // number of files that one file uses
	Widest string // the file with the most
	Types  map[string]TypeSize
}

// TypeSize is the size of a named struct.
type TypeSize struct{ Fields, Methods int }

// MeasureShape reads the package with an import path or a relative path such as ./server in the
// module that dir is in. The go command compiles the imports of the package.
func MeasureShape(dir, path string) (Shape, error) {
	pkg, exports, err := listExports(dir, path)
	if err != nil {
		return Shape{}, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return Shape{}, fmt.Errorf("depcheck: %w", err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	checked, err := conf.Check(pkg.ImportPath, fset, files, &info)
	if err != nil {
		return Shape{}, fmt.Errorf("depcheck: %w", err)
	}
	return shapeOf(fset, checked, &info, len(files)), nil
}

// listed is what the go command says about a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listExports returns a package and, by import path, the compiled files of its imports.
func listExports(dir, path string) (pkg listed, exports map[string]string, err error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", path)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return pkg, nil, fmt.Errorf("depcheck: go list: %w", err)
	}
	exports = map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(out))
	for { // the package itself is the last
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return pkg, exports, nil
		} else if err != nil {
			return pkg, nil, fmt.Errorf("depcheck: go list: %w", err)
		}
		pkg, exports[l.ImportPath] = l, l.Export
	}
}

func shapeOf(fset *token.FileSet, pkg *types.Package, info *types.Info, files int) Shape {
	type arrow struct{ from, to string }
	arrows := map[arrow]bool{}
	file := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	for id, o := range info.Uses {
		if a := (arrow{file(id.Pos()), file(o.Pos())}); o.Pkg() == pkg && a.from != a.to {
			arrows[a] = true
		}
	}
	s := Shape{Files: files, Arrows: len(arrows), Types: map[string]TypeSize{}}
	used := map[string]int{}
	for a := range arrows {
		used[a.from]++
		if arrows[arrow{a.to, a.from}] {
			s.Back++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if used[name] > s.Most {
			s.Most, s.Widest = used[name], name
		}
	}
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := t.Type().(*types.Named); ok {
			if st, ok := named.Underlying().(*types.Struct); ok {
				s.Types[name] = TypeSize{st.NumFields(), named.NumMethods()}
			}
		}
	}
	return s
}
