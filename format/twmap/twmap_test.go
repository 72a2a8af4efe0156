package twmap

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/format/datafile"

	"github.com/teeyard/teeyard/internal/testenv"
)

// small returns a small map with every kind of item.
func small(version int32) *Map {
	game := NewGameLayer(4, 3)
	game.Set(1, 1, Spawn, 0)
	game.Fill(0, 2, 4, 1, Solid)
	game.Version = version
	view := NewTileLayer("View", 300, 2, 0)
	view.Set(299, 1, 7, FlipV|Rotate)
	view.Version = version
	tele := NewTileLayer("Tele", 2, 1, None)
	tele.Kind = KindTele
	tele.DDNetData = &[5][]byte{0: {1, 2, 3, 4}}
	return &Map{
		Info:   Info{Author: "a", Version: "1", Credits: "c", License: "l", Settings: []string{"sv_x 1", "sv_y 2"}},
		Images: []Image{ExternalImage("grass_main", 1024, 1024), {Name: "dot", Width: 1, Height: 1, Format: 1, Pixels: []byte{1, 2, 3, 4}}},
		Envelopes: []Envelope{
			{Name: "one", Version: 2, Channels: 3, Synchronized: true, Points: []EnvPoint{{Time: 5, Curve: 1, Values: [4]int32{1, -2, 3, -4}}}},
			{Name: "none", Version: 1, Channels: 4},
		},
		Groups: []Group{
			{Name: "back", Version: 3, ParallaxX: 50, ParallaxY: -5, OffsetX: 1, Clip: &Rect{1, 2, 3, 4}, Layers: []Layer{
				NewQuadLayer("quads", 1, NewQuad(1, 2, 3, 4).Shaded(White, Color{1, 2, 3, 4}).Moving(0, 9), NewQuad(0, 0, 1, 1).Mirrored()),
				NewQuadLayer("no quads", None),
			}},
			NewGroup("Game", 100, 100, view, game, tele),
			NewGroup("sound", 100, 100, &SoundLayer{Name: "s", Version: 1, Count: 1, Sound: 0, Sources: []byte{9}}, &RawLayer{Ints: []int32{0, 77, 1, 2}}),
		},
		Sounds:       []Sound{{Name: "beep", Data: []byte("opus")}, {Name: "ext", External: true}},
		UnknownItems: []UnknownItem{{Type: 0x8001, ID: 3, Ints: []int32{1, 2}}, {Type: 0xffff, ID: 0x8001, Ints: []int32{4, 5, 6, 7}}},
	}
}

// layered returns a map with every layer of DDNet, in which all bytes are different.
func layered(width, height int) *Map {
	g := NewGroup("Game", 100, 100, NewGameLayer(width, height))
	for slot, kind := range ddnetKinds {
		l := NewTileLayer(ddnetNames[slot], width, height, None)
		l.Kind, l.DDNetData = kind, new([5][]byte)
		for i := range width * height * kind.DDNetTileSize() {
			l.DDNetData[slot] = append(l.DDNetData[slot], byte(slot<<5+i))
		}
		g.Layers = append(g.Layers, l)
	}
	return &Map{Groups: []Group{g}}
}

func TestLayersOfDDNet(t *testing.T) {
	for _, gameOnly := range []bool{false, true} {
		m := layered(3, 2)
		first := *m.Groups[0].Layers[1].(*TileLayer)
		first.DDNetData = &[5][]byte{{1, 2}} // a later layer counts
		m.Groups = append([]Group{NewGroup("", 0, 0, &first)}, m.Groups...)
		read := testenv.Must(Config{GameOnly: gameOnly}.Parse(mustBytes(t, m)))
		for slot, kind := range ddnetKinds {
			data, err := read.DDNetLayer(kind)
			testenv.Check(t, err == nil && slices.Equal(data, m.Groups[1].Layers[slot+1].(*TileLayer).DDNetData[slot]),
				"%s: %v, %v", ddnetNames[slot], data, err)
		}
		data, err := read.DDNetLayer(KindGame)
		testenv.Check(t, data == nil && err == nil, "the game layer is one of DDNet's: %v, %v", data, err)
	}
	data, err := (&Map{Groups: []Group{NewGroup("", 0, 0, NewGameLayer(2, 2))}}).DDNetLayer(KindTune)
	testenv.Check(t, data == nil && err == nil, "a map without layers: %v, %v", data, err)
	_, err = small(3).DDNetLayer(KindTele)
	testenv.Check(t, errors.Is(err, ErrFormat) &&
		strings.Contains(err.Error(), "tele layer of 2×1 tiles with 4 bytes; the game layer of 4×3 tiles needs 24 bytes"), "%v", err)
	tall := layered(3, 4)
	tall.Groups[0].Layers[0] = NewGameLayer(3, 2)
	data, err = tall.DDNetLayer(KindSwitch) // its first rows match those of the game layer
	testenv.Check(t, err == nil && len(data) == 3*2*4 && data[4] == tall.Groups[0].Layers[4].(*TileLayer).DDNetData[3][4],
		"a layer with more rows: %v, %v", data, err)
	tall.Groups[0].Layers[0] = NewGameLayer(4, 2)
	_, err = tall.DDNetLayer(KindSwitch)
	testenv.Check(t, errors.Is(err, ErrFormat), "a narrower layer: %v", err)
	short := layered(3, 2)
	short.Groups[0].Layers[2].(*TileLayer).DDNetData[1] = make([]byte, 35)
	_, err = short.DDNetLayer(KindSpeed)
	testenv.Check(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), "speedup layer of 3×2 tiles with 35 bytes"), "%v", err)
}

func mustBytes(t testing.TB, m *Map) []byte {
	t.Helper()
	b, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWriteReadAll(t *testing.T) {
	for _, version := range []int32{2, 3, 4} {
		m := small(version)
		if version == 2 {
			for _, g := range m.Groups {
				for _, l := range g.Layers {
					if l, ok := l.(*TileLayer); ok && l.Version == 2 {
						l.Name = "" // version 2 has no name
					}
				}
			}
		}
		b := mustBytes(t, m)
		got, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		testenv.Check(t, sameContent(m, got), "version %d: read\n%+v, want\n%+v", version, got, m)
		if got.Size != len(b) || got.CRC != crc32.ChecksumIEEE(b) || got.SHA256 != sha256.Sum256(b) {
			t.Errorf("version %d: wrong size or checksums", version)
		}
	}
}

// TestImageFormats checks that an RGB image is not written as RGBA.
func TestImageFormats(t *testing.T) {
	m := small(3)
	rgba := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	m.Images = []Image{
		{Name: "rgb", Width: 2, Height: 1, Format: 0, Pixels: rgba[:6]},
		{Name: "rgba", Width: 2, Height: 1, Format: 1, Pixels: rgba},
		{Name: "odd", Width: 2, Height: 1, Format: 3, Pixels: rgba[:2]},
		{Name: "made in code", Width: 2, Height: 1, Pixels: rgba},
	}
	got, err := Parse(mustBytes(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{0, 1, 3, 1} {
		if img := got.Images[i]; img.Format != want || !bytes.Equal(img.Pixels, m.Images[i].Pixels) {
			t.Errorf("%s: format %d with %d bytes, want %d", img.Name, img.Format, len(img.Pixels), want)
		}
	}
}

func TestTangents(t *testing.T) {
	m := small(3)
	m.Envelopes[0].Version = 3
	m.Envelopes[0].Points[0].Tangents = [16]int32{0: 1, 15: -1}
	m.Envelopes[1].Points = []EnvPoint{{Time: 1}}
	got, err := Parse(mustBytes(t, m))
	if err != nil {
		t.Fatal(err)
	}
	testenv.Check(t, sameContent(m, got), "read %+v, want %+v", got.Envelopes, m.Envelopes)
}

// TestName checks the byte order of packed names: "Game" as in the original maps.
func TestName(t *testing.T) {
	got := appendName(nil, "Game", 3)
	want := []int32{-941494811, -2139062144, -2139062272}
	testenv.Check(t, slices.Equal(got, want), "appendName = %d, want %d", got, want)
}

func TestTileLayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		l := NewGameLayer(w, h)
		l.Version = rapid.SampledFrom([]int32{3, 4}).Draw(t, "version")
		for range rapid.IntRange(0, 30).Draw(t, "runs") {
			at := rapid.IntRange(0, w*h-1).Draw(t, "at")
			n := rapid.IntRange(1, 600).Draw(t, "n")
			tile := Tile{Index: rapid.Byte().Draw(t, "index"), Flags: rapid.Byte().Draw(t, "flags"), Reserved: rapid.Byte().Draw(t, "reserved")}
			for i := at; i < min(at+n, w*h); i++ {
				l.Tiles[i] = tile
			}
		}
		m := &Map{Groups: []Group{NewGroup("Game", 100, 100, l)}}
		b, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		testenv.Require(t, sameContent(m, got), "read %+v, want %+v", got.GameLayer(), l)
	})
}

// TestGame checks that, among several game layers, the first one of the last group is used.
func TestGame(t *testing.T) {
	a, b, c := NewGameLayer(1, 1), NewGameLayer(2, 1), NewGameLayer(3, 1)
	m := &Map{Groups: []Group{NewGroup("", 100, 100, a), NewGroup("", 100, 100, b, c), NewGroup("", 0, 0)}}
	testenv.Check(t, m.GameLayer() == b, "not the first game layer of the last group that has one")
	testenv.Check(t, (&Map{}).GameLayer() == nil, "an empty map has a game layer")
	_, err := (&Map{}).Terrain()
	testenv.Check(t, errors.Is(err, ErrNoGameLayer), "the terrain of an empty map: %v", err)
}

// file returns a map file with arbitrary items.
func file(t testing.TB, fill func(w *datafile.Writer)) []byte {
	t.Helper()
	var w datafile.Writer
	w.AddItem(itemVersion, 0, []int32{1})
	fill(&w)
	b, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tileItem(version, w, h, data int32) []int32 {
	return []int32{0, layerTiles, 0, version, w, h, 1, 255, 255, 255, 255, None, 0, None, data, 0, 0, 0}
}

func oneLayer(t testing.TB, data []byte, item func(ref int32) []int32) []byte {
	return file(t, func(w *datafile.Writer) {
		w.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0, 1})
		w.AddItem(itemLayer, 0, item(w.AddBlock(data)))
	})
}

// TestHostile checks that wrong declarations are refused without allocating the declared memory,
// and that the error names the place.
func TestHostile(t *testing.T) {
	many := func(w *datafile.Writer, n int, item func(i int32) []int32) {
		w.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0, int32(n)})
		for i := range n {
			w.AddItem(itemLayer, uint16(i), item(int32(i)))
		}
	}
	for name, c := range map[string]struct {
		file []byte
		want error
		text string
	}{
		"no version": {mustWrite(t, new(datafile.Writer)), ErrFormat, "no version item"},
		"a huge grid": {oneLayer(t, make([]byte, 4), func(ref int32) []int32 { return tileItem(3, 1<<30, 1<<30, ref) }),
			ErrFormat, "tile layer 0 is 1073741824×1073741824"},
		"24 GiB of runs": {oneLayer(t, make([]byte, 36), func(ref int32) []int32 { return tileItem(4, 80000, 80000, ref) }),
			ErrFormat, "tile layer 0"},
		"runs that end": {oneLayer(t, make([]byte, 8), func(ref int32) []int32 { return tileItem(4, 10, 10, ref) }),
			ErrFormat, "after 2 tiles"},
		"runs over the limit": {oneLayer(t, slices.Repeat([]byte{0, 0, 255, 0}, 1<<18), func(ref int32) []int32 { return tileItem(4, 1<<13, 1<<13, ref) }),
			ErrTooLarge, "tile layer 0 needs 268435456 bytes"},
		"no width":    {oneLayer(t, nil, func(ref int32) []int32 { return tileItem(3, 0, 5, ref) }), ErrFormat, "0×5"},
		"no data":     {oneLayer(t, nil, func(int32) []int32 { return tileItem(3, 5, 5, None) }), ErrFormat, "has 0 bytes"},
		"wrong data":  {oneLayer(t, nil, func(int32) []int32 { return tileItem(3, 5, 5, 9) }), datafile.ErrNoBlock, "tile layer 0"},
		"short layer": {oneLayer(t, nil, func(int32) []int32 { return []int32{0, layerTiles, 0} }), ErrFormat, "has 3 fields"},
		"many quads": {oneLayer(t, make([]byte, quadBytes), func(ref int32) []int32 { return []int32{0, layerQuads, 0, 1, 1 << 30, ref, None} }),
			ErrFormat, "1073741824 quads in 152 bytes"},
		"negative quads": {oneLayer(t, nil, func(ref int32) []int32 { return []int32{0, layerQuads, 0, 1, -1, ref, None} }),
			ErrFormat, "-1 quads"},
		"one block for many layers": {file(t, func(w *datafile.Writer) {
			ref := w.AddBlock(make([]byte, 1<<20))
			many(w, 500, func(int32) []int32 { return tileItem(3, 512, 512, ref) })
		}), ErrTooLarge, "tile layer 8"},
		"one large block for many small layers": {file(t, func(w *datafile.Writer) {
			ref := w.AddBlock(make([]byte, maxSpare))
			many(w, 500, func(int32) []int32 { return tileItem(3, 1, 1, ref) })
		}), ErrTooLarge, "tile layer 128"},
		"one layer for many groups": {file(t, func(w *datafile.Writer) {
			w.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0, 1})
			w.AddItem(itemGroup, 1, []int32{1, 0, 0, 100, 100, 0, 1})
			w.AddItem(itemLayer, 0, []int32{0, 99, 0})
		}), ErrFormat, "group 1 has layer 0"},
		"too many layers": {file(t, func(w *datafile.Writer) {
			w.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0x7fffffff, 0x7fffffff})
		}), ErrFormat, "group 0 has layers"},
		"too many points": {file(t, func(w *datafile.Writer) {
			w.AddItem(itemEnvelope, 0, []int32{1, 3, 0, 0x7fffffff})
		}), ErrFormat, "envelope 0 has points 0..2147483647 of 0"},
	} {
		var err error
		n := testenv.Allocated(func() { _, err = Config{MaxDecoded: 8 << 20}.Parse(c.file) })
		testenv.Check(t, errors.Is(err, c.want) && strings.Contains(err.Error(), c.text), "%s: %v, want %v with %q", name, err, c.want, c.text)
		// The limit is 8 MiB, plus decompression buffers.
		testenv.Check(t, n <= 40<<20, "%s: %d bytes allocated", name, n)
	}
}

// TestLongData checks that a layer's data is refused before decompression if it is much too long,
// and accepted if it has a few surplus bytes.
func TestLongData(t *testing.T) {
	const w, h = 60, 30
	layer := func(version int32, kind TileKind, spare int) []byte {
		return file(t, func(out *datafile.Writer) {
			size := cmp.Or(kind.DDNetTileSize(), 4)
			item := tileItem(version, w, h, out.AddBlock(make([]byte, w*h*size+spare)))
			item[6] = int32(kind)
			if slot := slices.Index(ddnetKinds[:], kind); slot >= 0 {
				item = append(item, None, None, None, None, None)
				item[18+slot], item[14] = item[14], out.AddBlock(make([]byte, 4*w*h))
			}
			out.AddItem(itemGroup, 0, []int32{1, 0, 0, 100, 100, 0, 1})
			out.AddItem(itemLayer, 0, item)
		})
	}
	const long = 4 << 20
	refused := func(name string, read func() error) {
		var err error
		n := testenv.Allocated(func() { err = read() })
		testenv.Check(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), "is 60×30 tiles of"), "%s: %v", name, err)
		testenv.Check(t, n < long/8, "%s: %d bytes allocated", name, n)
	}
	for _, kind := range append([]TileKind{KindGame}, ddnetKinds[:]...) {
		for _, version := range []int32{3, 4} {
			name := fmt.Sprintf("kind %d, version %d", kind, version)
			_, err := Config{GameOnly: true}.Parse(layer(version, kind, 100))
			testenv.Check(t, err == nil, "%s, a little more: %v", name, err)
			file := layer(version, kind, long)
			refused(name, func() error {
				_, err := Config{GameOnly: true}.Parse(file)
				return err
			})
		}
	}
	old := layer(4, KindGame, long)
	refused("Compatible", func() error {
		_, err := Compatible(old)
		return err
	})
}

func mustWrite(t *testing.T, w *datafile.Writer) []byte {
	b, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestWriteChecks checks that a layer with missing tiles is not written.
func TestWriteChecks(t *testing.T) {
	l := NewGameLayer(3, 3)
	l.Tiles = l.Tiles[:8]
	_, err := (&Map{Groups: []Group{NewGroup("Game", 100, 100, l)}}).Bytes()
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `"Game"`) {
		t.Error(err)
	}
}

// FuzzParse checks that any input is either parsed or refused within the memory limit. A parsed map
// must not change when it is written and parsed again.
func FuzzParse(f *testing.F) {
	for _, version := range []int32{3, 4} {
		f.Add(mustBytes(f, small(version)))
	}
	f.Add(mustBytes(f, layered(3, 2)))
	f.Add(oneLayer(f, make([]byte, 36), func(ref int32) []int32 { return tileItem(4, 80000, 80000, ref) }))
	f.Add(file(f, func(w *datafile.Writer) {
		w.AddItem(itemInfo, 0, []int32{1, -1, -1, -1, -1, w.AddBlock(make([]byte, 9000))})
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 20
		var m *Map
		var err error
		if n := testenv.Allocated(func() { m, err = Config{MaxDecoded: limit}.Parse(b) }); n > uint64(8*limit+256*len(b)) {
			t.Fatalf("%d bytes allocated for an input of %d", n, len(b))
		}
		if err != nil {
			return
		}
		if g := m.GameLayer(); g != nil && len(g.Tiles) != g.Width*g.Height {
			t.Fatalf("game layer of %d×%d has %d tiles", g.Width, g.Height, len(g.Tiles))
		}
		only, err := Config{MaxDecoded: limit, GameOnly: true}.Parse(b)
		if err != nil {
			t.Fatalf("the game layer alone: %v", err)
		}
		for _, kind := range ddnetKinds {
			data, err := m.DDNetLayer(kind)
			same, err2 := only.DDNetLayer(kind)
			if !slices.Equal(data, same) || (err == nil) != (err2 == nil) || err != nil && !errors.Is(err, ErrFormat) {
				t.Fatalf("kind %d: %d bytes, %v; with GameOnly %d, %v", kind, len(data), err, len(same), err2)
			}
			if g := m.GameLayer(); data != nil && len(data) != g.Width*g.Height*kind.DDNetTileSize() {
				t.Fatalf("kind %d has %d bytes for %d×%d tiles", kind, len(data), g.Width, g.Height)
			}
		}
		out, err := m.Bytes()
		if errors.Is(err, datafile.ErrTooMany) {
			return // too many items for the writer
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := Config{MaxDecoded: 4 * limit}.Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		second, err := again.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		testenv.Require(t, slices.Equal(out, second), "writing the map that was read from a written map gives another file")
	})
}

func BenchmarkParse(b *testing.B) {
	m := &Map{Groups: []Group{NewGroup("Game", 100, 100, NewGameLayer(100, 50))}}
	file := mustBytes(b, m)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(file); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWithSettings checks that everything except the settings of a map stays the same.
func TestWithSettings(t *testing.T) {
	m := &Map{Groups: []Group{NewGroup("Game", 100, 100, NewGameLayer(4, 4))}}
	for _, before := range [][]string{nil, {"tune gravity 1", ""}} {
		m.Info.Author, m.Info.Settings = "somebody", before
		file := testenv.Must(m.Bytes())
		for _, settings := range [][]string{{"sv_team 0", "", "# so"}, nil} {
			got := testenv.Must(Parse(testenv.Must(WithSettings(file, settings))))
			testenv.Check(t, slices.Equal(got.Info.Settings, settings) && got.Info.Author == "somebody" &&
				got.GameLayer().Width == 4, "%q became %+v", settings, got.Info)
		}
	}
	_, err := WithSettings([]byte("no map"), nil)
	testenv.Check(t, err != nil, "WithSettings accepts a file that is not a map")
}
