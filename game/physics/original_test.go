package physics

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// stream is the generator that also drove the original code.
type stream struct{ splitmix.Rand }

func (s *stream) n(k int) int { return int(s.Next() % uint64(k)) }

// digest is a running hash of the states.
type digest uint64

func (h *digest) add(v int32) {
	x := (uint64(*h) ^ uint64(uint32(v))) * 1099511628211
	*h = digest(x ^ x>>29)
}

// coreFields returns all values that a tick changes in a core.
func coreFields(c *Core) [16]int32 {
	s := c.State()
	r := [16]int32{s.X, s.Y, s.VelX, s.VelY, s.Angle, s.Direction, s.Jumped, s.HookedPlayer,
		s.HookState, s.HookTick, s.HookX, s.HookY, s.HookDX, s.HookDY, int32(c.Events)}
	if c.Death {
		r[15] = 1
	}
	return r
}

// scenario is a reproducible match: a random map, 1, 2, 4 or 16 tees with random
// inputs held for about ten ticks, ascending or descending tick order, ticks
// without input, tees that vanish and respawn, and in every fourth scenario
// random tuning.
type scenario struct {
	s      stream
	down   bool
	world  *World
	cores  []Core
	inputs []Input
	absent []int
	hash   digest
	tick   int
}

func newScenario(k int, grid *Collision) *scenario {
	sc := &scenario{s: stream{splitmix.Rand(k + 1)}, down: k&4 != 0, hash: 14695981039346656037}
	s := &sc.s
	n := [4]int{1, 2, 4, 16}[k%4]
	w := 15 + s.n(30)
	h := 10 + s.n(20)
	density := [4]int{2, 6, 12, 25}[s.n(4)]
	wall := s.n(2) == 1
	tiles := make([]uint8, w*h)
	for y := range h {
		for x := range w {
			r := s.n(100)
			kind := s.n(10)
			t := &tiles[y*w+x]
			if r < density {
				switch {
				case kind < 6:
					*t = 1
				case kind < 9:
					*t = 3
				default:
					*t = 2
				}
			}
			if wall && (x == 0 || y == 0 || x == w-1 || y == h-1) {
				*t = 1
			}
		}
	}
	if grid == nil {
		var err error
		if grid, err = NewCollision(w, h, tiles); err != nil {
			panic(err)
		}
	}
	sc.world = NewWorld(grid)
	if k%8 >= 6 {
		t := &sc.world.Tuning
		for i := range t {
			if s.n(3) == 0 {
				t[i] = int32(int64(t[i]) * int64(25+s.n(200)) / 100)
			}
		}
		if s.n(3) == 0 {
			t[PlayerCollision] = 0
		}
		if s.n(3) == 0 {
			t[PlayerHooking] = 0
		}
	}
	sc.cores = make([]Core, n)
	sc.inputs = make([]Input, n)
	sc.absent = make([]int, n)
	for i := range n {
		sc.inputs[i].TargetY = -1
		sc.spawn(i)
	}
	return sc
}

func (sc *scenario) spawn(i int) {
	col := sc.world.Collision
	x := sc.s.n(col.Width() * TileSize)
	y := sc.s.n(col.Height() * TileSize)
	sc.cores[i].Reset(sc.world, Vec{X: float32(x), Y: float32(y)})
	sc.world.Cores[i] = &sc.cores[i]
}

// each calls f for the present cores in tick order.
func (sc *scenario) each(f func(i int)) {
	n := len(sc.cores)
	for i := range n {
		if sc.down {
			i = n - 1 - i
		}
		if sc.absent[i] == 0 {
			f(i)
		}
	}
}

func (sc *scenario) steer() {
	s := &sc.s
	n := len(sc.cores)
	for i := range n {
		if sc.absent[i] > 0 {
			if sc.absent[i]--; sc.absent[i] == 0 {
				sc.spawn(i)
			}
			continue
		}
		if s.n(10) != 0 {
			continue
		}
		in := &sc.inputs[i]
		in.Direction = int32(s.n(3) - 1)
		in.TargetX = int32(s.n(801) - 400)
		in.TargetY = int32(s.n(801) - 400)
		in.Jump = s.n(2) == 1
		in.Hook = s.n(3) != 0
		o := s.n(n)
		if s.n(2) == 0 && o != i {
			in.TargetX = vec.Trunc(sc.cores[o].Pos.X - sc.cores[i].Pos.X)
			in.TargetY = vec.Trunc(sc.cores[o].Pos.Y - sc.cores[i].Pos.Y)
		}
		if in.TargetX == 0 && in.TargetY == 0 {
			in.TargetY = -1
		}
	}
}

// step runs a tick up to the point at which states are compared.
func (sc *scenario) step() {
	sc.steer()
	sc.each(func(i int) { sc.cores[i].Tick(&sc.inputs[i], sc.s.n(16) != 0) })
	sc.each(func(i int) {
		sc.cores[i].Move()
		sc.cores[i].Quantize()
	})
	for i := range sc.cores {
		if sc.absent[i] > 0 {
			sc.hash.add(-int32(sc.absent[i]))
			continue
		}
		for _, v := range coreFields(&sc.cores[i]) {
			sc.hash.add(v)
		}
	}
}

// finish runs the rest of the tick.
func (sc *scenario) finish() {
	for i := range sc.cores {
		if sc.absent[i] > 0 {
			continue
		}
		if c := &sc.cores[i]; c.Death || sc.world.Collision.FarOutside(c.Pos) {
			sc.spawn(i)
		} else if sc.s.n(400) == 0 {
			sc.world.Cores[i] = nil
			sc.absent[i] = 1 + sc.s.n(50)
		}
	}
	sc.tick++
}

// TestOriginal replays the results of the original code. A program that linked gamecore.cpp and
// collision.cpp of release 0.7.5 (g++ 12 -O2, amd64, glibc 2.36) wrote testdata/original.bin. It
// ran the scenarios 0 to 39 for 1000 ticks each, and wrote the low half of the running hash for
// each tick, and all states before every 200th.
func TestOriginal(t *testing.T) {
	const scenarios, ticks = 40, 1000
	b := testenv.Must(os.ReadFile("testdata/original.bin"))
	word := func() int32 {
		v := int32(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return v
	}
	states := 0
	for k := range scenarios {
		sc := newScenario(k, nil)
		for range ticks {
			sc.step()
			if sc.tick%200 == 199 {
				for i := range sc.cores {
					if sc.absent[i] > 0 {
						continue
					}
					got := coreFields(&sc.cores[i])
					var want [16]int32
					for j := range want {
						want[j] = word()
					}
					if got != want {
						t.Errorf("scenario %d tick %d core %d:\n got %d\nwant %d", k, sc.tick, i, got, want)
					}
				}
			}
			if want := word(); int32(sc.hash) != want {
				t.Fatalf("scenario %d differs at tick %d", k, sc.tick)
			}
			for i := range sc.cores {
				if sc.absent[i] == 0 {
					states++
				}
			}
			sc.finish()
		}
	}
	if len(b) != 0 {
		t.Errorf("%d bytes left", len(b))
	}
	t.Logf("%d character ticks equal", states)
}
