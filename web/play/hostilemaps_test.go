package play

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/datafile"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/hostile"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// Item types and kinds of layers in a map file.
const (
	itemVersion, itemImage, itemEnvelope, itemGroup, itemLayer, itemPoints = 0, 2, 3, 4, 5, 6

	layerTiles, layerQuads = 2, 3
)

// mapFile collects the items of a map.
type mapFile struct {
	datafile.Writer
	layers int
}

func newMapFile() *mapFile {
	w := new(mapFile)
	w.AddItem(itemVersion, 0, []int32{1})
	return w
}

// runs adds a block with n tiles of an index, each repeated 256 times.
func (w *mapFile) runs(index byte, n int) int32 {
	return w.AddBlock(bytes.Repeat([]byte{index, 0, 255, 0}, (n+255)/256))
}

// tiles adds a layer of tiles whose block has runs of them; kind is 1 for the game layer.
func (w *mapFile) tiles(kind, width, height, image, env, block int32) {
	w.AddItem(itemLayer, uint16(w.layers), []int32{0, layerTiles, 0, 4, width, height, kind, 255, 255, 255, 255, env, 0, image, block, 0, 0, 0})
	w.layers++
}

func (w *mapFile) quads(n, block, image int32) {
	w.AddItem(itemLayer, uint16(w.layers), []int32{0, layerQuads, 0, 1, n, block, image, 0, 0, 0})
	w.layers++
}

// groups adds groups that all have the same layers.
func (w *mapFile) groups(n int) {
	for i := range n {
		w.AddItem(itemGroup, uint16(i), []int32{2, 0, 0, 100, 100, 0, int32(w.layers)})
	}
}

// ints returns integers as they are in a block.
func ints(values ...int32) (b []byte) {
	for _, v := range values {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

// hostileMaps are maps that ask for much memory or time, or have absurd values, by name.
func hostileMaps() map[string][]byte {
	small := func(w *mapFile) { w.tiles(1, 64, 64, -1, -1, w.runs(1, 64*64)) }
	// Files may need memory in proportion to their size.
	noise := make([]byte, 1<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	const big, small32 = math.MaxInt32, math.MinInt32
	all := map[string][]byte{}
	add := func(name string, fill func(w *mapFile)) {
		w := newMapFile()
		fill(w)
		all[name] = testenv.Must(w.Bytes())
	}
	add("a layer of 100 million tiles", func(w *mapFile) {
		w.tiles(1, 10_000, 10_000, -1, -1, w.runs(1, 1e8))
		w.groups(1)
	})
	add("a long layer", func(w *mapFile) {
		w.AddBlock(noise)
		w.tiles(1, 1<<21, 2, -1, -1, w.runs(1, 1<<22))
		w.groups(1)
	})
	add("a layer of 16 million tiles", func(w *mapFile) {
		w.AddBlock(noise)
		w.tiles(1, 4096, 4096, -1, -1, w.runs(1, 1<<24))
		w.groups(1)
	})
	add("an image of 60000 by 60000", func(w *mapFile) {
		small(w)
		w.AddItem(itemImage, 0, []int32{1, 60_000, 60_000, 0, -1, w.AddBlock(make([]byte, 1<<20))})
		w.tiles(0, 64, 64, 0, -1, w.runs(1, 64*64))
		w.groups(1)
	})
	add("an image of 2048 by 2048 with tiles of all flags", func(w *mapFile) {
		small(w)
		w.AddItem(itemImage, 0, []int32{1, 2048, 2048, 0, -1, w.AddBlock(make([]byte, 4<<22))})
		w.AddItem(itemLayer, uint16(w.layers), []int32{0, layerTiles, 0, 3, 16, 16, 0, 1 << 30, -1, 999, 255, 77, small32, 0,
			w.AddBlock(bytes.Repeat([]byte{7, 255, 255, 255}, 256)), 0, 0, 0})
		w.layers++
		w.groups(1)
	})
	add("many groups with the same layers", func(w *mapFile) {
		small(w)
		for range 500 {
			w.quads(0, -1, -1)
		}
		w.groups(500)
	})
	add("many layers", func(w *mapFile) {
		small(w)
		block := w.runs(1, 1)
		for range 900 {
			w.tiles(0, 1, 1, -1, -1, block)
		}
		w.groups(1)
	})
	add("many envelopes with the same points", func(w *mapFile) {
		small(w)
		w.AddItem(itemPoints, 0, make([]int32, 6*100_000))
		for i := range 900 {
			w.AddItem(itemEnvelope, uint16(i), []int32{1, 4, 0, 100_000, 0, 0, 0, 0, 0, 0, 0, 0})
		}
		w.groups(1)
	})
	add("moving quads with a long envelope", func(w *mapFile) {
		small(w)
		points := make([]int32, 6*100_000)
		for i := range 100_000 {
			copy(points[6*i:], []int32{int32(i), 1, big, small32, int32(i), 0})
		}
		w.AddItem(itemPoints, 0, points)
		w.AddItem(itemEnvelope, 0, []int32{1, 4, 0, 100_000, 0, 0, 0, 0, 0, 0, 0, 0})
		var block []byte
		for i := range int32(5000) {
			quad := make([]int32, 38)
			quad[0], quad[1], quad[2], quad[34], quad[35], quad[36], quad[37] = small32, big, i, 0, i*7, 0, -i
			block = append(block, ints(quad...)...)
		}
		w.quads(5000, w.AddBlock(block), -1)
		w.groups(1)
	})
	add("absurd groups, envelopes and quads", func(w *mapFile) {
		small(w)
		w.AddItem(itemImage, 0, []int32{1, 16, 16, 1, w.AddBlock(append([]byte("../../../x<b>"), 0)), -1})
		w.AddItem(itemPoints, 0, []int32{500, 9, 1, 2, 3, 4, -500, -7, small32, big, 0, 0, big, 5, 0, 0, 0, 0})
		for i, e := range [][]int32{{1, 4, 0, 3}, {2, 3, 1, 2}, {2, 0, 0, 0}, {1, 1, 2, 1}} {
			w.AddItem(itemEnvelope, uint16(i), append(e, 0, 0, 0, 0, 0, 0, 0, 0, 1))
		}
		var block []byte
		for _, v := range []int32{0, 1, -1, big, small32} {
			block = append(block, ints(slices.Repeat([]int32{v}, 34)...)...)
			block = append(block, ints(v%4, v, 3-v%4, -v)...)
		}
		w.quads(5, w.AddBlock(block), -1)
		w.quads(5, w.AddBlock(block), 0)
		w.quads(5, w.AddBlock(block), 99)
		w.tiles(0, 1, 1, 99, 99, w.runs(255, 1))
		for i, g := range [][]int32{
			{2, 0, 0, 100, 100, 0, 2}, {2, big, small32, small32, big, 2, 1, 1, small32, small32, big, big}, {2, 0, 0, 0, 0, 3, 1, 1, 0, 0, 0, 0},
			{2, 0, 0, -1, 1 << 20, 4, 1, 1, 10, 10, -5, 1 << 30},
		} {
			w.AddItem(itemGroup, uint16(i), g)
		}
	})
	add("a record of an image that is too short", func(w *mapFile) {
		small(w)
		w.AddItem(itemImage, 0, []int32{1, 2})
		w.groups(1)
	})
	return all
}

// hostileTable is a table whose server attacks the page.
type hostileTable struct {
	*table
	attacker *hostile.Transport
	mu       sync.Mutex
	served   map[string]http.HandlerFunc // in place of the server's own files, by the last part of the path
}

func sitDownWithHostile(t *testing.T, commands ...string) *hostileTable {
	t.Helper()
	b := &hostileTable{served: map[string]http.HandlerFunc{}}
	b.table = sitDownWith(t, way{
		datagrams: func(c transport.Conn) transport.Conn {
			b.attacker = hostile.Wrap(c)
			return b.attacker
		},
		requests: func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b.mu.Lock()
				serve := b.served[path.Base(r.URL.Path)]
				b.mu.Unlock()
				if serve != nil {
					serve(w, r)
				} else {
					h.ServeHTTP(w, r)
				}
			})
		},
	}, commands...)
	return b
}

// serve serves a file in place of the server; nil ends that.
func (b *hostileTable) serve(name string, f http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.served[name] = f
}

// serveMap serves a map file, and returns its path.
func (b *hostileTable) serveMap(file []byte, f http.HandlerFunc) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(file))
	b.serve(sum, f)
	return "/play/map/" + sum
}

func (b *hostileTable) announce(file []byte) {
	b.attacker.Do(func(m *hostile.Middle) { m.ChangeMap("evil", file) })
}

// again leaves the match if the page is still in it, and joins an honest one.
func (b *hostileTable) again() {
	b.attacker.Do(func(*hostile.Middle) {})
	b.Run(`game.card.leave()`)
	b.Run(`game.card.join()`)
	b.playing()
}

// next joins again if the match is over. In full it does so anyway, to show that it can.
func (b *hostileTable) next() {
	if testenv.Full() || b.is(`game.connection.reason`) {
		b.again()
	}
}

const drawOften = `for (const zoom of [1, 6]) {
	game.camera.zoom = zoom;
	for (const tick of [0, 1, 2 ** 31]) game.scene.draw(Object.assign(game.moment ?? game.watching.empty, { tick }), game.camera);
}`

// showHostileMaps lets the server announce maps that ask for much memory or time, or have absurd
// values. The page shows them or says that it cannot, and so does the page behind the card, which
// reads maps without the engine.
func (b *hostileTable) showHostileMaps() {
	files := hostileMaps()
	names := slices.Sorted(maps.Keys(files))
	if !testenv.Full() {
		names = []string{"absurd groups, envelopes and quads"}
	}
	b.Run(`game.scene.setImages('/viewer/data/', new Set(), false); void (game.scene.useImages = true)`) // so that layers are drawn
	for _, name := range names {
		file := files[name]
		url := b.serveMap(file, func(w http.ResponseWriter, _ *http.Request) { w.Write(file) })
		b.Run(`game.connection.map = null`)
		b.announce(file)
		b.Wait(`game.connection.reason || game.connection.map`)
		if b.is(`!game.connection.reason`) {
			b.Run(`new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))`)
			b.Run(drawOften)
		} else {
			// A slow machine may lose the connection while it reads the map.
			b.check("a sentence about "+name, `['The map cannot be shown', 'The connection is lost'].includes(game.card.title.textContent)`)
		}
		b.Run(`import('/viewer/draw/mapfile.js').then(async ({ readMap }) => {
			const file = await (await fetch('` + url + `')).arrayBuffer();
			return readMap(new Uint8Array(file));
		}).then((map) => {
			game.scene.setMap(map, 'evil');
			` + drawOften + `
		}, (err) => { if (!err.message.startsWith('The map cannot be shown: ')) throw err; })`)
		b.t.Logf("%s: %s", name, browsertest.Eval[string](b.Page, `JSON.stringify({
			reason: game.connection.reason, heap: performance.memory.usedJSHeapSize >> 20,
			wasm: (game.connection.engine?.program.memory.buffer.byteLength ?? 0) >> 20 })`))
		b.next()
	}
}

// missHostileMaps lets the server announce maps whose files are too short, have no end, or never
// come, and then another map with each tick.
func (b *hostileTable) missHostileMaps() {
	file := testenv.Must(newMapFile().Bytes())
	for name, answer := range map[string]http.HandlerFunc{
		"short":   func(w http.ResponseWriter, _ *http.Request) { w.Write(file[:20]) },
		"missing": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1<<16))
			}
		},
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		if !testenv.Full() && name != "endless" && name != "silent" {
			continue
		}
		file = append(file, 0) // another hash
		var begun, ended atomic.Bool
		b.serveMap(file, func(w http.ResponseWriter, r *http.Request) {
			begun.Store(true)
			answer(w, r)
			ended.Store(true)
		})
		b.announce(file)
		if name == "silent" {
			b.Wait(`document.getElementById('status').textContent === 'Loading the map evil.'`)
			testenv.Eventually(b.t, "the page requests the map", begun.Load)
			b.press("Escape")
			b.check("a player can leave while the map does not come", `game.overlays.open === game.menu.overlay && !game.menu.leave.hidden`)
			b.Run(`game.connection.progressAt -= 30_000`)
			b.Wait(`game.card.title.textContent === 'The server does not let you in'`)
			b.check("the missing map is named", `game.card.text.textContent.startsWith('The server sends no map.')`)
			testenv.Eventually(b.t, "the page ends its request", ended.Load)
			b.next()
			continue
		}
		testenv.Eventually(b.t, "the request has ended", ended.Load)
		// Then the client asks the game's server, which has another map or does not answer
		b.Wait(`game.card.title.textContent === 'The map cannot be shown' || document.getElementById('status').textContent.startsWith('Loading the map evil')`)
		b.next()
	}

	files := hostileMaps()
	one, other := files["an image of 60000 by 60000"], files["absurd groups, envelopes and quads"]
	for _, file := range [][]byte{one, other} {
		b.serveMap(file, func(w http.ResponseWriter, _ *http.Request) { w.Write(file) })
	}
	b.attacker.Do(func(m *hostile.Middle) {
		m.Attack = func(m *hostile.Middle, n int) { m.ChangeMap(fmt.Sprint("map", n), [][]byte{one, other}[n%2]) }
	})
	time.Sleep(300 * time.Millisecond)
	b.attacker.Do(func(m *hostile.Middle) { m.Attack = nil })
	b.again()
}

// readHostileInfo gives the page descriptions of the server that make no sense.
func (b *hostileTable) readHostileInfo() {
	b.Run(`game.card.leave()`)
	for _, info := range []string{
		"null", `{"name": {"a": 1}, "map": [], "players": "many", "max_players": 1e999, "program": 3}`,
		fmt.Sprintf(`{"name": %q, "game_type": %q, "host": "<b>", "port": -1, "players": 1e300, "problem": 0,
			"map": {"name": "\u202e<img src=x>", "sha256": "../..", "size": 1e18}}`,
			strings.Repeat("<img src=x onerror=alert(1)>", 1e5), strings.Repeat("W", 1e6)),
	} {
		b.serve("info.json", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, info) })
		b.Run(`import('/viewer/page/serverinfo.js').then(async ({ loadServerInfo }) => {
			const info = await loadServerInfo(game.root);
			if (info) game.head.update(game.card.info = info);
			game.card.show(null);
		})`)
		b.check("nothing is wider than the page with "+info[:min(len(info), 80)], `document.documentElement.scrollWidth <= innerWidth`)
		b.check("texts stay texts", `!document.querySelector('#card img, #frame img') && game.card.server.textContent.length <= 256`)
	}
	b.serve("info.json", nil)
	b.Run(`game.card.info = null`)
	b.again()
}
