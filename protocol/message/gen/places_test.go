package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/protocol/message/schema"
)

// TestPlaces checks that the places of the messages in this module exist, and that nearly all
// messages have functions of an original and, if they are not answered at once, become something.
func TestPlaces(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]map[string]bool{}
	check := func(name, place string) {
		if place == "" {
			return
		}
		folder, symbol := path.Dir(place), path.Base(place)
		pkg, symbol, _ := strings.Cut(symbol, ".")
		folder = path.Join(folder, pkg)
		if packages[folder] == nil {
			packages[folder] = declared(t, filepath.Join(root, folder))
		}
		if !packages[folder][symbol] {
			t.Errorf("%s: %s does not exist", name, place)
		}
	}
	for _, v := range versions {
		s, err := schema.Load(v.pkg)
		if err != nil {
			t.Fatal(err)
		}
		known, become, all := 0, 0, 0
		for _, m := range s.Messages {
			if m.Reserved {
				continue
			}
			all++
			check(m.Name, "protocol/message/"+v.pkg+"."+m.Go)
			check(m.Name, m.Links.Becomes)
			if len(m.Links.Teeworlds.Read)+len(m.Links.Teeworlds.Sent)+len(m.Links.DDNet.Read)+len(m.Links.DDNet.Sent) > 0 {
				known++
			}
			if m.Links.Becomes != "" {
				become++
			}
		}
		if known < all*9/10 || become < all*6/10 {
			t.Errorf("%s: of %d messages, %d have functions of an original, and %d become something", v.title, all, known, become)
		}
		for _, p := range s.Packets {
			check(p.Name, p.Code)
		}
	}
	hl, err := schema.HalfLife()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range hl {
		check(p.Name, p.Code)
	}
	if packages["event"]["NoSuchEvent"] || len(packages) < 6 {
		t.Errorf("%d packages", len(packages))
	}
}

// declared returns the names that the files of a folder declare, with the methods of interfaces.
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					addSpec(names, s)
				}
			}
		}
	}
	return names
}

func addSpec(names map[string]bool, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		if i, ok := s.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				for _, n := range m.Names {
					names[n.Name] = true
				}
			}
		}
	}
}
