package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFilesAreCurrent checks that the map files match their descriptions. It ignores compression,
// which can differ between Go versions.
func TestFilesAreCurrent(t *testing.T) {
	for name, build := range mapBuilders {
		m, err := build()
		if err != nil {
			t.Fatal(err)
		}
		built, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(filepath.Join("..", name+".map"))
		if err != nil {
			t.Fatal(err)
		}
		same, err := sameMap(file, built)
		if err != nil {
			t.Fatal(err)
		}
		testenv.Check(t, same, "%s.map is out of date: go run ./maps/gen", name)
	}
}

// TestGroundIsThick checks that the ground is at least two tiles thick, since the tileset has no
// tiles for thinner ground.
func TestGroundIsThick(t *testing.T) {
	m, err := teeyard1()
	if err != nil {
		t.Fatal(err)
	}
	g := m.GameLayer()
	in := hasIndex(g, twmap.Solid)
	for y := 1; y < g.Height-1; y++ {
		for x := 1; x < g.Width-1; x++ {
			testenv.Check(t, !in(x, y) || (in(x-1, y) || in(x+1, y)) && (in(x, y-1) || in(x, y+1)), "ground at %d,%d is one tile thick", x, y)
		}
	}
}
