package physics

import (
	"fmt"
	"os"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// benchGrid returns the standard map dm1 if the original's data files are installed,
// and a random map of that size otherwise.
func benchGrid(tb testing.TB) *Collision {
	w, h := 60, 50
	tiles := make([]uint8, w*h)
	if b, err := os.ReadFile("/usr/share/games/teeworlds/data/maps/dm1.map"); err == nil {
		m := testenv.Must(twmap.Parse(b))
		g := m.GameLayer()
		w, h = g.Width, g.Height
		tiles = tiles[:0]
		for _, t := range g.Tiles {
			tiles = append(tiles, t.Index)
		}
	} else {
		s := stream{1}
		for i := range tiles {
			x, y := i%w, i/w
			if x == 0 || y == 0 || x == w-1 || y == h-1 || s.n(8) == 0 {
				tiles[i] = tileSolid
			}
		}
	}
	return testenv.Must(NewCollision(w, h, tiles))
}

const benchTicks = 1024

// benchMatch returns a world with n tees on air tiles, and inputs that change every
// ten ticks on average.
func benchMatch(tb testing.TB, n int) (*World, [][]Input) {
	w := NewWorld(benchGrid(tb))
	s := stream{1}
	for i := range n {
		for {
			x := s.n(w.Collision.Width())
			y := s.n(w.Collision.Height())
			p := Vec{X: float32(x*32 + 16), Y: float32(y*32 + 16)}
			if w.Collision.At(p.X, p.Y) == 0 {
				w.Cores[i] = NewCore(w, p)
				break
			}
		}
	}
	cur := make([]Input, n)
	for i := range cur {
		cur[i].TargetY = -1
	}
	inputs := make([][]Input, benchTicks)
	for t := range inputs {
		for i := range cur {
			if s.n(10) == 0 {
				in := &cur[i]
				in.Direction = int32(s.n(3) - 1)
				in.TargetX = int32(s.n(801) - 400)
				in.TargetY = int32(s.n(401))*2 - 401 // odd, so never 0
				in.Jump = s.n(2) == 1
				in.Hook = s.n(3) != 0
			}
		}
		inputs[t] = append([]Input(nil), cur...)
	}
	return w, inputs
}

func (w *World) benchTick(inputs []Input) {
	for i := range inputs {
		w.Cores[i].Tick(&inputs[i], true)
	}
	for i := range inputs {
		w.Cores[i].Move()
		w.Cores[i].Quantize()
	}
}

// BenchmarkWorld measures Tick, Move and Quantize per tee.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			w, inputs := benchMatch(b, n)
			b.ReportAllocs()
			t := 0
			for b.Loop() {
				w.benchTick(inputs[t%benchTicks])
				t++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/tee")
		})
	}
}
