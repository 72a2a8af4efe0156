package twmap

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestParseTiles(t *testing.T) {
	legend := map[byte]uint8{'.': Air, '#': Solid, 'S': Spawn}
	l, err := ParseTiles("..S\n###\n", legend)
	if err != nil {
		t.Fatal(err)
	}
	if l.Width != 3 || l.Height != 2 || !slices.Equal(l.Indices(), []uint8{0, 0, Spawn, 1, 1, 1}) {
		t.Errorf("%d×%d %v", l.Width, l.Height, l.Indices())
	}
	got := slices.Collect(l.Entities)
	testenv.Check(t, slices.Equal(got, []Entity{{2, 0, Spawn}}), "entities %v", got)
	for _, bad := range []string{"..\n.", "..\n.?"} {
		if _, err := ParseTiles(bad, legend); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestStamp(t *testing.T) {
	l := NewTileLayer("", 4, 2, 0)
	l.Stamp(0, 0, 1, 1, 2, 2, false) // tiles 17 18 / 33 34
	l.Stamp(2, 0, 1, 1, 2, 2, true)
	if want := []uint8{17, 18, 18, 17, 33, 34, 34, 33}; !slices.Equal(l.Indices(), want) {
		t.Errorf("%v, want %v", l.Indices(), want)
	}
	testenv.Check(t, l.At(1, 0).Flags == 0 && l.At(2, 0).Flags == FlipV, "only the mirrored half is mirrored")
	l.Stamp(-1, -1, 0, 0, 2, 2, false) // only tile 17 is inside the layer; tile 0 is not copied
	testenv.Check(t, l.At(0, 0).Index == 17 && l.At(4, 0) == (Tile{}) && l.At(0, -1) == (Tile{}), "stamp at the edge")
}

// TestTiling draws a 3×3 block with its eight edges. The last matching rule must be used.
func TestTiling(t *testing.T) {
	tiling := AutoTile{Inside: 9, Rules: []AutoTileRule{
		{Empty: N, Index: 2}, {Empty: S, Index: 8}, {Empty: W, Index: 4}, {Empty: E, Index: 6},
		{Empty: N | W, Index: 1}, {Empty: N | E, Index: 3}, {Empty: S | W, Index: 7}, {Empty: S | E, Index: 5},
	}}
	in := func(x, y int) bool { return x >= 1 && x <= 3 && y >= 1 && y <= 3 }
	l := NewTileLayer("", 5, 5, 0)
	tiling.Apply(l, in)
	want := []uint8{
		0, 0, 0, 0, 0,
		0, 1, 2, 3, 0,
		0, 4, 9, 6, 0,
		0, 7, 8, 5, 0,
		0, 0, 0, 0, 0,
	}
	testenv.Check(t, slices.Equal(l.Indices(), want), "%v, want %v", l.Indices(), want)
	// The border is repeated outwards, so a full layer has no edges.
	full := NewTileLayer("", 2, 2, 0)
	tiling.Apply(full, func(x, y int) bool { return true })
	testenv.Check(t, slices.Equal(full.Indices(), []uint8{9, 9, 9, 9}), "full layer: %v", full.Indices())
}
