package depcheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Server and client use the bridge of a version of the protocol. Only the files in which they
// choose it may know which versions there are. Tools that show the protocol itself, such as
// internal/dump, are not part of this.
var (
	neutral  = []string{"game", "bot", "transport", "server", "client", "recorder"}
	choosers = map[string]bool{"server/versions.go": true, "client/version.go": true, "recorder/format.go": true}
)

// methods06 are the methods of connections and tokens that are for 0.6.
var methods06 = map[string]bool{"Dial6": true, "Accept6": true, "Judge6": true, "AppendChallenge": true}

// version06 matches 0.6 in a text.
var version06 = regexp.MustCompile(`\b0\.6\b`)

// TestVersionsAreChosenInOnePlace checks that no other file mentions 0.6.
func TestVersionsAreChosenInOnePlace(t *testing.T) {
	files, chosen := 0, 0
	for _, room := range neutral {
		err := filepath.WalkDir(filepath.Join("../..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel("../..", path)
			if err != nil {
				return err
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files++
			faults := mentions(fset, f)
			if choosers[filepath.ToSlash(name)] {
				chosen++
				return nil
			}
			for _, fault := range faults {
				t.Errorf("%s: %s; only bridges, and the files that choose one, may know versions", name, fault)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 || chosen != len(choosers) {
		t.Errorf("%d files looked at, %d of %d that choose", files, chosen, len(choosers))
	}
}

// mentions returns where a file mentions 0.6: in imports, names of protocol packages,
// comments and strings.
func mentions(fset *token.FileSet, f *ast.File) []string {
	var faults []string
	fault := func(pos token.Pos, what string) {
		faults = append(faults, fmt.Sprintf("line %d %s", fset.Position(pos).Line, what))
	}
	wire := map[string]bool{}
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		switch {
		case strings.HasSuffix(path, "/bridge6"), strings.HasSuffix(path, "/msg6"):
			fault(imp.Pos(), "imports "+path)
		case strings.HasPrefix(path, Module+"/protocol/"), path == Module+"/query":
			wire[path[strings.LastIndex(path, "/")+1:]] = true
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if version06.MatchString(c.Text) {
				fault(c.Pos(), "has 0.6 in a comment")
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && version06.MatchString(n.Value) {
				fault(n.Pos(), "has 0.6 in a string")
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if methods06[n.Sel.Name] || ok && wire[x.Name] && strings.HasSuffix(n.Sel.Name, "6") {
				fault(n.Pos(), "uses "+n.Sel.Name)
			}
		}
		return true
	})
	return faults
}

// TestMentions checks what mentions finds.
func TestMentions(t *testing.T) {
	for src, want := range map[string]int{
		"package a\nimport _ \"" + Module + "/bridge/bridge6\"\n":                                                                       1,
		"package a\nimport _ \"" + Module + "/protocol/message/msg6\"\n":                                                                1,
		"package a\nimport \"" + Module + "/protocol/packet\"\nvar x = packet.KindControl6\n":                                           1,
		"package a\nimport \"" + Module + "/protocol/packet\"\nvar x = packet.KindControl7\n":                                           0,
		"package a\n// For 0.6 clients.\nvar x = \"0.6\"\n":                                                                             2,
		"package a\n// 40.6 and 0.65 are numbers.\nvar x = 0.6\n":                                                                       0,
		"package a\nimport \"math/rand/v2\"\nvar r = rand.Uint64\nimport _ \"" + Module + "/bridge/bridge7\"\n// Teeworlds 0.7 only.\n": 0,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if f == nil {
			t.Fatal(err)
		}
		if got := mentions(fset, f); len(got) != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
