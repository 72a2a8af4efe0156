package client

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/format/datafile"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// Item types of a map file.
const (
	itemVersion, itemInfo, itemImage, itemGroup, itemLayer = 0, 1, 2, 4, 5

	layerTiles = 2
	none       = -1
)

// mapBombs returns map files that make a parser allocate as much memory as they can. Each contains
// padding bytes that do not compress and so make the file large.
func mapBombs(t *testing.T, padding int) map[string][]byte {
	random := rand.New(rand.NewPCG(1, uint64(padding)))
	noise := make([]byte, padding)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	make := func(fill func(w *datafile.Writer)) []byte {
		var w datafile.Writer
		w.AddItem(itemVersion, 0, []int32{1})
		fill(&w)
		w.AddBlock(noise)
		return testenv.Must(w.Bytes())
	}
	size := 16 * padding
	tiles := func(kind twmap.TileKind, version, w, h, block int32, more ...int32) []int32 {
		return append([]int32{0, layerTiles, 0, version, w, h, int32(kind), 255, 255, 255, 255, none, 0, none, block, 0, 0, 0}, more...)
	}
	layers := func(w *datafile.Writer, all ...[]int32) {
		w.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0, int32(len(all))})
		for i, l := range all {
			w.AddItem(itemLayer, uint16(i), l)
		}
	}
	text := func(letters ...byte) []byte { return bytes.Repeat(letters, max(4<<20, size)) }
	side := int32(1)
	for int(4*side*side) < max(12<<20, 30*padding) {
		side++
	}
	area := int(side * side)
	return map[string][]byte{
		"settings of one line": make(func(w *datafile.Writer) {
			w.AddItem(itemInfo, 0, []int32{1, none, none, none, none, w.AddBlock(text('x', 'y'))})
		}),
		"settings of empty lines": make(func(w *datafile.Writer) {
			w.AddItem(itemInfo, 0, []int32{1, none, none, none, none, w.AddBlock(bytes.Repeat([]byte{0}, 256<<10+30*padding))})
		}),
		"an author with a long name": make(func(w *datafile.Writer) {
			w.AddItem(itemInfo, 0, []int32{1, w.AddBlock(text('a')), none, none, none, none})
		}),
		"many images with one long name": make(func(w *datafile.Writer) {
			name := w.AddBlock(bytes.Repeat([]byte{'a'}, 64<<10))
			for i := range 1000 {
				w.AddItem(itemImage, uint16(i), []int32{1, 1, 1, 1, name, none})
			}
		}),
		"a large game layer": make(func(w *datafile.Writer) {
			layers(w, tiles(twmap.KindGame, 3, side, side, w.AddBlock(bytes.Repeat([]byte{0}, 4*area))))
		}),
		"a large game layer of runs": make(func(w *datafile.Writer) {
			layers(w, tiles(twmap.KindGame, 4, side, side, w.AddBlock(bytes.Repeat([]byte{1, 0, 255, 0}, area/256+1))))
		}),
		"a game layer that is too large": make(func(w *datafile.Writer) {
			layers(w, tiles(twmap.KindGame, 4, 4*side, 4*side, w.AddBlock(bytes.Repeat([]byte{1, 0, 255, 0}, area/16+1))))
		}),
		"many game layers of the same tiles": make(func(w *datafile.Writer) {
			block := w.AddBlock(bytes.Repeat([]byte{0}, 1<<20))
			var all [][]int32
			for range 1000 {
				all = append(all, tiles(twmap.KindGame, 3, 512, 512, block))
			}
			layers(w, all...)
		}),
		"all layers of DDNet": make(func(w *datafile.Writer) {
			game := w.AddBlock(bytes.Repeat([]byte{0}, area))
			all := [][]int32{tiles(twmap.KindGame, 3, side/2, side/2, game)}
			kinds := []twmap.TileKind{twmap.KindTele, twmap.KindSpeed, twmap.KindFront, twmap.KindSwitch, twmap.KindTune}
			for i, kind := range kinds {
				l := tiles(kind, 3, side/2, side/2, game, none, none, none, none, none)
				l[18+i] = w.AddBlock(bytes.Repeat([]byte{0}, int(side/2)*int(side/2)*kind.DDNetTileSize()))
				all = append(all, l)
			}
			layers(w, all...)
		}),
	}
}

// TestRecentMaps checks that large maps do not stay in memory beside each other.
func TestRecentMaps(t *testing.T) {
	file := make([]byte, 100<<20)
	for _, c := range []struct{ bytes, want int }{{1 << 20, maxRecentMaps}, {30 << 20, 2}, {60 << 20, 1}, {100 << 20, 1}} {
		s := NewMaps("-")
		for range 6 {
			s.addRecent(&Map{File: file[:c.bytes]})
		}
		testenv.Check(t, len(s.recent) == c.want, "of maps with %d bytes, %d are in memory", c.bytes, len(s.recent))
	}
	testenv.Check(t, maxDecoded(maxMapSize) <= 256<<20, "a map may need %d bytes", maxDecoded(maxMapSize))
}

// TestMapBombs checks that parsing a downloaded map allocates memory in proportion to its file,
// plus a constant for large empty maps.
func TestMapBombs(t *testing.T) {
	testenv.Long(t)
	if testenv.Race {
		t.Skip("the race detector allocates more than maps may")
	}
	const base, perByte = 64 << 20, 250 // sum of all allocations, in bytes
	for _, padding := range testenv.Amount([]int{256 << 10}, []int{0, 16 << 10, 256 << 10, 1 << 20}) {
		for name, file := range mapBombs(t, padding) {
			var err error
			n := testenv.Allocated(func() { _, err = parseMap("m", file) })
			what := fmt.Sprintf("%s in %d bytes: %d bytes allocated, %.120v", name, len(file), n, err)
			testenv.Check(t, n <= uint64(base+perByte*len(file)), "%s", what)
			t.Log(what)
		}
	}
}
