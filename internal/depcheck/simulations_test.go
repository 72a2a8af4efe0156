package depcheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// simulationNames are the names in package game with which code can ask for a simulation.
var simulationNames = map[string]bool{
	"ddrace": true, "ddraceHost": true, "IsDDRace": true, "GameFlagDDRace": true, "vanilla": true, "vanillaHost": true,
}

// TestSimulationsAreChosenInOnePlace checks that no file of game knows which simulation a world
// has, except the hosts of the simulations and the file that chooses one.
func TestSimulationsAreChosenInOnePlace(t *testing.T) {
	paths, err := filepath.Glob("../../game/*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range paths {
		name := filepath.Base(path)
		switch {
		case strings.HasSuffix(name, "_test.go"), name == "simulation.go", strings.HasPrefix(name, "ddrace"), strings.HasPrefix(name, "vanilla"):
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.CONST // the flag of the mode
			case *ast.Ident:
				if simulationNames[n.Name] {
					t.Errorf("%s: %s: only the hosts of simulations, and the file that chooses one, may know which there are", fset.Position(n.Pos()), n.Name)
				}
			}
			return true
		})
	}
	if checked < 30 {
		t.Errorf("only %d files were checked", checked)
	}
}
