package ddrace

import (
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLinesSkipFreeTiles compares lines with a search that looks at every sample. Long lines must
// look at few samples.
func TestLinesSkipFreeTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		d := room(3+r.IntN(40), 3+r.IntN(40))
		for range r.IntN(30) {
			x, y := r.IntN(d.Width), r.IntN(d.Height)
			switch r.IntN(6) {
			case 0, 1:
				d.game(x, y, uint8(r.IntN(5)), 0)
			case 2:
				d.over(x, y, uint8(4+r.IntN(2)), 0)
			case 3:
				d.teleport(x, y, uint8(r.IntN(3)), teleInWeapon+uint8(r.IntN(2)))
			case 4:
				d.game(x, y, tileThroughDir, []terrain.TileFlags{turned0, turned90, turned180, turned270}[r.IntN(4)])
			case 5:
				d.game(x, y, 0, 0)
			}
		}
		m := d.load(t)
		for range 200 {
			scale := []float32{1, 2, 100, 100000}[r.IntN(4)]
			point := func() Vec {
				return Vec{X: (r.Float32()*2 - 0.5) * float32(d.Width*tileSize) * scale, Y: (r.Float32()*2 - 0.5) * float32(d.Height*tileSize)}
			}
			a, b := point(), point()
			switch r.IntN(5) {
			case 0:
				b.X = a.X
			case 1:
				a, b = Vec{X: float32(int(a.X)), Y: float32(int(a.Y))}, Vec{X: float32(int(b.X)), Y: float32(int(a.Y))}
			}
			for i, l := range []line{fullLine(a, b), openLine(a, b)} {
				if l.last > 1<<14 {
					continue
				}
				stops := []marks{markSolid, markLaserEnd, markNoLaser, markSolid | markTele, lineMarks}[r.IntN(5)]
				want := int32(-1)
				for s := int32(0); s <= l.last; s++ {
					if m.marks[m.pureIndex(vec.Mix(a, b, float32(s)/l.parts))]&stops != 0 {
						want = s
						break
					}
				}
				got, tile, ok := m.find(&l, 0, stops, new(int))
				if !ok {
					got = -1
				}
				testenv.Require(t, got == want && (!ok || m.marks[tile]&stops != 0), "line %d from %v to %v: sample %d, not %d", i, a, b, got, want)
			}
		}
	}
	d := room(100, 100)
	for i := range d.Tiles {
		d.Tiles[i] = 0
	}
	d.game(50, 50, TileSolid, 0)
	m := d.load(t)
	for _, to := range []Vec{{X: 2e7, Y: 1700}, {X: 1700, Y: 2e7}, {X: -2e7, Y: -2e7}, {X: 3e7, Y: 3e6}} {
		l, looks := fullLine(tile(50, 51), to), 0
		for s := int32(0); s <= l.last; looks++ {
			_, s = m.look(&l, s, 0)
		}
		testenv.Check(t, l.last > 1e7 && looks < 300, "a line of %d samples to %v: %d looks", l.last, to, looks)
	}
}
