package viewer

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/maps"
)

// mapFiles returns the maps of the program and of an installed Teeworlds, by the path at which
// openPage serves them.
func mapFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, m := range maps.All() {
		files["/maps/"+m.Name] = m.Data
	}
	installed, _ := filepath.Glob("/usr/share/games/teeworlds/data/maps/*.map")
	for _, name := range installed {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files["/maps/"+strings.TrimSuffix(filepath.Base(name), ".map")] = b
	}
	return files
}

// describeMap returns the lines that describeMap in testdata/draw.js generates for a map.
func describeMap(t *testing.T, b []byte) []string {
	t.Helper()
	m, err := twmap.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	hash := func(b []byte) uint32 {
		h := fnv.New32a()
		h.Write(b)
		return h.Sum32()
	}
	tiles := func(l *twmap.TileLayer) uint32 {
		var b []byte
		for _, t := range l.Tiles {
			b = append(b, t.Index, t.Flags, t.Skip, t.Reserved)
		}
		return hash(b)
	}
	list := func(v ...int32) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]") }

	game := m.GameLayer()
	lines := []string{fmt.Sprintf("game %dx%d %d", game.Width, game.Height, tiles(game))}
	for i, name := range []string{"tele", "speedup", "front", "switch", "tune"} {
		data, err := m.DDNetLayer(twmap.KindTele << i)
		if err != nil {
			t.Fatal(err)
		}
		if data != nil {
			lines = append(lines, fmt.Sprintf("%s %d", name, hash(data)))
		}
	}
	for _, i := range m.Images {
		pixels := uint32(0)
		if i.Pixels != nil {
			pixels = hash(i.Pixels)
		}
		lines = append(lines, fmt.Sprintf("image %s %dx%d %v %d", i.Name, i.Width, i.Height, i.External, pixels))
	}
	for _, e := range m.Envelopes {
		for _, p := range e.Points {
			lines = append(lines, fmt.Sprintf("point %d %d %s %s", p.Time, p.Curve, list(p.Values[:]...), list(p.Tangents[:]...)))
		}
	}
	for _, g := range m.Groups {
		clip := ""
		if c := g.Clip; c != nil {
			clip = list(c.X, c.Y, c.W, c.H)
		}
		line := fmt.Sprintf("group %d %d %d %d %s", g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY, clip)
		if slices.Contains(g.Layers, twmap.Layer(game)) {
			line = "game group"
		}
		lines = append(lines, line)
		for _, l := range g.Layers {
			switch l := l.(type) {
			case *twmap.TileLayer:
				lines = append(lines, fmt.Sprintf("tiles %dx%d %d %v %s %d %d %d %d", l.Width, l.Height, l.Kind, l.Flags&1 != 0,
					list(l.Color.R, l.Color.G, l.Color.B, l.Color.A), l.ColorEnv, l.ColorEnvOffset, l.Image, tiles(l)))
			case *twmap.QuadLayer:
				var b []byte
				for _, q := range l.Quads {
					ints := func(vs ...int32) {
						for _, v := range vs {
							b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
						}
					}
					for _, p := range q.Points {
						ints(p.X, p.Y)
					}
					for _, c := range q.Colors {
						ints(c.R, c.G, c.B, c.A)
					}
					for _, p := range q.TexCoords {
						ints(p.X, p.Y)
					}
					ints(q.PosEnv, q.PosEnvOffset, q.ColorEnv, q.ColorEnvOffset)
				}
				lines = append(lines, fmt.Sprintf("quads %v %d %d", l.Flags&1 != 0, l.Image, hash(b)))
			}
		}
	}
	return lines
}

// TestMapFiles checks that the page reads the same from a map as package twmap.
func TestMapFiles(t *testing.T) {
	files := mapFiles(t)
	p := openPage(t, files)
	for path, b := range files {
		got := call[[]string](p, "draw.js", fmt.Sprintf("describeMap(%q)", path))
		want := describeMap(t, b)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf(
					"%s, line %d: %q, want %q",
					path,
					i,
					slices.Concat(got, []string{""})[min(i, len(got))],
					slices.Concat(want, []string{""})[min(i, len(want))],
				)
				break
			}
		}
	}
}

// TestBrokenMaps checks the errors for broken maps.
func TestBrokenMaps(t *testing.T) {
	p := openPage(t, mapFiles(t))
	for _, odd := range call[[]string](p, "draw.js", `breakMap("/maps/testbox", 300)`) {
		t.Error(odd)
	}
}

// TestScene draws everything in the page's own look and compares it with a reference picture.
// TEEYARD_SCREENSHOTS=DIR keeps the output.
func TestScene(t *testing.T) {
	p := openPage(t, mapFiles(t))
	p.Run(`import('/test/draw.js').then(m => m.open("/maps/testbox", "testbox", 640, 360))`)
	if code := call[int](p, "draw.js", "drawShow(600, 350, 1)"); code != 0 {
		t.Errorf("WebGL error %#x", code)
	}
	comparePicture(t, p.Screenshot(), "testdata/scene.png", 640, 360)
}

// TestSceneWithImages draws everything with the images of an installed Teeworlds.
func TestSceneWithImages(t *testing.T) {
	data := FindData()
	if data == "" {
		t.Skip("Teeworlds is not installed")
	}
	p := openServed(t, data, mapFiles(t))
	p.Run(`import('/test/draw.js').then(m => m.open("/maps/ctf5", "ctf5", 640, 360, true))`)
	if code := call[int](p, "draw.js", "drawShow(2000, 900, 1)"); code != 0 {
		t.Errorf("WebGL error %#x", code)
	}
	comparePicture(t, p.Screenshot(), "testdata/scene-images.png", 640, 360)
}

// comparePicture compares the top left of a picture with a reference. It compares blocks of 8 by 8
// pixels, since programs and graphics cards round differently.
func comparePicture(t *testing.T, got image.Image, reference string, width, height int) {
	t.Helper()
	f, err := os.Open(reference)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	block := func(img image.Image, x, y int) (sum [3]int) {
		for i := range 64 {
			r, g, b, _ := img.At(x+i%8, y+i/8).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+int(r>>8), sum[1]+int(g>>8), sum[2]+int(b>>8)
		}
		return sum
	}
	bad, total := 0, 0
	for y := 0; y < height; y += 8 {
		for x := 0; x < width; x += 8 {
			a, b := block(got, x, y), block(want, x, y)
			for i := range a {
				if d := a[i] - b[i]; d > 64*16 || d < -64*16 {
					bad++
					break
				}
			}
			total++
		}
	}
	if bad*50 > total {
		t.Errorf("%d of %d blocks differ from %s (TEEYARD_SCREENSHOTS=DIR keeps what was drawn)", bad, total, reference)
	}
}

// BenchmarkFrame measures the script time of a frame with 64 players: for drawing alone with
// everything in the picture, and for all work of the page in a match of bots.
func BenchmarkFrame(b *testing.B) {
	p := openServed(b, "", mapFiles(b))
	p.Run(`import('/test/draw.js').then(m => m.open("/maps/teeyard1", "teeyard1", 320, 180))`)
	b.ReportMetric(call[float64](p, "draw.js", "measure(64, 40)"), "ms/drawing")

	p = openServed(b, "", map[string][]byte{"/many.demo": record(b, 64, 150)})
	p.Do(chromedp.EmulateViewport(320, 180)) // the processor draws here
	all := call[struct{ Frame, First float64 }](p, "page.js", "measure('/many.demo', 40)")
	b.ReportMetric(all.Frame, "ms/frame")
	b.ReportMetric(all.First, "ms/first-picture")
}

// TestFramesMakeNoGarbage checks that drawing repeatedly allocates no memory, since a browser would
// collect it in the middle of a match.
func TestFramesMakeNoGarbage(t *testing.T) {
	p := openPage(t, mapFiles(t))
	p.Run(`import('/test/draw.js').then(m => m.open("/maps/testbox", "testbox", 16, 9))`)
	p.Run(`import('/test/draw.js').then(m => m.drawMany(64, 50))`) // while it is optimised
	const frames = 100
	least := math.Inf(1)
	for range 2 {
		before := p.HeapUsed()
		p.Run(fmt.Sprintf(`import('/test/draw.js').then(m => m.drawMany(64, %d))`, frames))
		// A collection in between would make this negative and meaningless.
		if grown := p.HeapUsed() - before; grown > 0 {
			least = min(least, grown/frames)
		}
	}
	t.Logf("%.0f bytes for each frame", least)
	if least > 16<<10 && !math.IsInf(least, 1) {
		t.Errorf("a frame takes %.0f bytes of new memory", least)
	}
}
