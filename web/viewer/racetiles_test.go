package viewer

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
)

// raceMap returns a map with a row of DDRace tiles in each layer.
func raceMap(t *testing.T) []byte {
	t.Helper()
	const width, height = 20, 11
	game := twmap.NewGameLayer(width, height)
	game.Fill(0, 10, width, 1, twmap.Solid)
	for i, tile := range []uint8{9, 11, 12, 13, 144, 145, 33, 34, 35} {
		game.Fill(1+2*i, 1, 2, 2, tile)
	}
	for i, tile := range []uint8{60, 61, 62, 17, 18, 32} {
		game.Set(1+2*i, 4, tile, 0)
	}
	game.Set(2, 4, 60, twmap.Rotate)
	game.Set(1, 8, 192, 0) // a spawn is invisible
	layers := []twmap.Layer{game}
	add := func(slot int, kind twmap.TileKind, tiles map[[2]int][]byte) {
		l := twmap.NewTileLayer("", width, height, twmap.None)
		l.Kind, l.DDNetData = kind, new([5][]byte)
		size := kind.DDNetTileSize()
		data := make([]byte, width*height*size)
		for at, tile := range tiles {
			copy(data[(at[1]*width+at[0])*size:], tile)
		}
		l.DDNetData[slot] = data
		layers = append(layers, l)
	}
	add(0, twmap.KindTele, map[[2]int][]byte{{1, 6}: {1, 26}, {3, 6}: {1, 27}, {5, 6}: {12, 10}, {7, 6}: {255, 29}, {9, 6}: {0, 31}})
	add(1, twmap.KindSpeed, map[[2]int][]byte{{11, 6}: {5, 0, 28, 0, 0, 0}, {13, 6}: {5, 0, 28, 0, 45, 0}, {14, 6}: {0, 0, 28, 0, 45, 0}})
	add(2, twmap.KindFront, map[[2]int][]byte{{15, 4}: {2, 0}, {17, 4}: {9, 0}, {3, 10}: {5, 0}, {5, 10}: {9, 0}})
	add(3, twmap.KindSwitch, map[[2]int][]byte{{1, 8}: {3, 24}, {3, 8}: {3, 25}, {5, 8}: {42, 22, 0, 3}, {7, 8}: {1, 9}})
	add(4, twmap.KindTune, map[[2]int][]byte{{15, 8}: {1, 68}, {16, 8}: {1, 68}})
	b, err := (&twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, layers...)}}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRaceTiles draws DDRace tiles in the page's own look.
func TestRaceTiles(t *testing.T) {
	file := raceMap(t)
	files := map[string][]byte{"/maps/race": file}
	for path, b := range mapFiles(t) {
		files[path] = b
	}
	p := openPage(t, files)

	if got, want := call[[]string](p, "draw.js", `describeMap("/maps/race")`), describeMap(t, file); !slices.Equal(got, want) {
		t.Errorf("the map is read as %q, want %q", got, want)
	}
	for _, odd := range call[[]string](p, "draw.js", `breakMap("/maps/race", 300)`) {
		t.Error(odd)
	}

	marks := call[[]string](p, "draw.js", `raceMarks("/maps/race")`)
	for what, want := range map[string]string{
		"freeze": "1 1 1 0 0 0", "unfreeze": "3 2 2 0 0 0", "start": "13 1 7 0 0 0", "checkpoint": "18 2 9 0 0 0",
		"stopper that leaves the way up":    "1 4 0 9 0 192",
		"stopper that leaves the way right": "2 4 0 9 0 0",
		"teleporter":                        "1 6 0 1 1 0", "its end": "3 6 0 3 1 0", "one that stops": "5 6 0 2 12 0", "way back": "9 6 0 5 0 0",
		"speedup": "13 6 0 8 0 32", "death in front": "15 4 10 0 0 0", "freeze in front": "17 4 1 0 0 0", "hook through": "3 10 0 15 0 192",
		"switch on": "1 8 0 6 3 0", "switch off": "3 8 0 7 3 0", "for a time": "5 8 0 6 42 0", "freeze of a switch": "7 8 1 0 0 0", "tuning": "16 8 11 0 0 0",
	} {
		if !slices.Contains(marks, want) {
			t.Errorf("%s: no %q among %q", what, want, marks)
		}
	}
	for _, none := range []string{"14 6 0 8 0 32", "5 10 1 0 0 0"} { // without force, in the ground
		if slices.Contains(marks, none) {
			t.Errorf("%q is drawn", none)
		}
	}
	delete(files, "/maps/race")
	delete(files, "/maps/yardrun") // a race map
	for path := range files {      // maps of other modes
		if odd := call[[]string](p, "draw.js", `raceMarks("`+path+`")`); len(odd) > 0 {
			t.Errorf("%s: %q", path, odd)
		}
	}

	if got := call[[]string](p, "draw.js", "limitTexts()"); !slices.Equal(got, []string{"", "to 20"}) {
		t.Errorf("a score limit of 20 is shown as %q", got)
	}

	p.Run(`import('/test/draw.js').then(m => m.open("/maps/race", "race", 640, 352))`)
	if code := call[int](p, "draw.js", "drawMap(320, 176, 0.5)"); code != 0 {
		t.Errorf("WebGL error %#x", code)
	}
	comparePicture(t, p.Screenshot(), "testdata/racetiles.png", 640, 352)
}

// TestGameLayerWithImages checks that the game layer of a map without other visible layers is
// drawn, also with the images of the game.
func TestGameLayerWithImages(t *testing.T) {
	data := FindData()
	if data == "" {
		t.Skip("Teeworlds is not installed")
	}
	p := openServed(t, data, map[string][]byte{"/maps/race": raceMap(t)})
	p.Run(`import('/test/draw.js').then(m => m.open("/maps/race", "race", 640, 352, true))`)
	if code := call[int](p, "draw.js", "drawMap(320, 176, 0.5)"); code != 0 {
		t.Errorf("WebGL error %#x", code)
	}
	comparePicture(t, p.Screenshot(), "testdata/racetiles.png", 640, 352)
}
