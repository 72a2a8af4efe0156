// Command typecheck finds errors of types in all packages and tests for other systems, such as
// windows/amd64. It takes some seconds. A build would first compile the standard library for each
// system; typecheck only reads the declarations in it and in other modules.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	failed := false
	for _, system := range os.Args[1:] {
		if err := check(".", system); err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s:\n%v\n", system, err)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// pkg is a package in the output of go list, a dependency or not.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	ImportMap  map[string]string
	Module     *struct {
		Main      bool
		GoVersion string
	}

	done  chan struct{} // closed when types and errs are set
	types *types.Package
	errs  []error
}

// check checks the module in a folder for a system such as windows/amd64.
func check(dir, system string) error {
	packages, err := list(dir, system)
	if err != nil {
		return err
	}
	byPath := make(map[string]*pkg, len(packages))
	for _, p := range packages {
		byPath[p.ImportPath] = p
	}
	_, arch, _ := strings.Cut(system, "/")
	sizes := types.SizesFor("gc", arch)
	for _, p := range packages {
		go func() {
			defer close(p.done)
			p.check(byPath, sizes)
		}()
	}
	var all []error
	seen := map[string]bool{} // packages with tests occur twice
	for _, p := range packages {
		<-p.done
		for _, err := range p.errs {
			if !seen[err.Error()] {
				seen[err.Error()] = true
				all = append(all, err)
			}
		}
	}
	return errors.Join(all...)
}

// list returns all packages of the module with their tests and dependencies.
func list(dir, system string) (packages []*pkg, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-tags", "peers", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,Imports,ImportMap,Module", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{done: make(chan struct{})}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if !strings.HasSuffix(p.ImportPath, ".test") { // those only call the tests
			packages = append(packages, p)
		}
	}
}

// check waits for the imports of a package and checks it. It checks functions only in packages of
// the main module.
func (p *pkg) check(byPath map[string]*pkg, sizes types.Sizes) {
	if p.ImportPath == "unsafe" {
		p.types = types.Unsafe
		return
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			p.errs = append(p.errs, err)
			return
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			imported := byPath[path]
			if imported == nil {
				return nil, fmt.Errorf("go list does not have the package %q", path)
			}
			if <-imported.done; imported.types == nil {
				return nil, errors.New("it has errors")
			}
			return imported.types, nil
		}),
		Sizes:            sizes,
		IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
		Error:            func(err error) { p.errs = append(p.errs, err) },
	}
	if p.Module != nil {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	p.types, _ = config.Check(p.ImportPath, fset, files, nil)
}

// importer is a function that is a types.Importer.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
