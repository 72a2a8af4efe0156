package physics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// The shortcuts of MoveBox, IntersectLine and the loops over other tees must not
// change a bit. Bit patterns are compared, so that signs of zeros count too.

func bits(v Vec) [2]uint32 {
	return [2]uint32{math.Float32bits(v.X), math.Float32bits(v.Y)}
}

// choices is a source of random choices: a fast generator for many cases, rapid for few
// cases that shrink.
type choices interface{ n(k int) int }

type rapidChoices struct{ t *rapid.T }

func (r rapidChoices) n(k int) int { return rapid.IntRange(0, k-1).Draw(r.t, "n") }

func randomGrid(s choices) *Collision {
	w, h := 1+s.n(24), 1+s.n(24)
	density := [4]int{0, 3, 10, 40}[s.n(4)]
	tiles := make([]uint8, w*h)
	for i := range tiles {
		if s.n(100) < density {
			tiles[i] = uint8(1 + s.n(3))
		}
	}
	c, err := NewCollision(w, h, tiles)
	if err != nil {
		panic(err)
	}
	return c
}

// coordinate returns a whole number inside the map in most cases, otherwise one at a
// tile's edge, with a fraction, or outside.
func coordinate(s choices, tiles int) float32 {
	v := float32(s.n(tiles * TileSize))
	switch s.n(8) {
	case 0:
		v += float32(s.n(1024)) / 1024
	case 1:
		v = float32(s.n(tiles+1)*TileSize) - 16 + float32(s.n(65))/2
	case 2:
		v = float32(s.n(5*tiles*TileSize)-2*tiles*TileSize) / 2
	case 3:
		v = float32(s.n(1<<16)-1<<15) * [3]float32{0.37, 3.3, 999.9}[s.n(3)]
	}
	return v
}

func position(s choices, c *Collision) Vec {
	return Vec{X: coordinate(s, c.Width()), Y: coordinate(s, c.Height())}
}

func velocity(s choices) Vec {
	part := func() float32 {
		switch s.n(8) {
		case 0:
			return 0
		case 1:
			return float32(s.n(1<<20)-1<<19) / 4096
		case 2:
			return float32(s.n(3) - 1)
		}
		return float32(s.n(1<<13)-1<<12) / 256
	}
	return Vec{X: part(), Y: part()}
}

func checkMoveBox(tb rapid.TB, s choices, c *Collision) {
	p, v := position(s, c), velocity(s)
	size := Vec{X: TeeSize, Y: TeeSize}
	e := float32(0)
	switch s.n(8) {
	case 0:
		size, e = Vec{X: 14, Y: 14}, 0.5
	case 1:
		size, e = Vec{X: float32(1 + s.n(100)), Y: float32(1+s.n(100)) / 2}, 1
	}
	p1, v1, p2, v2 := p, v, p, v
	d1 := c.MoveBox(&p1, &v1, size, e)
	d2 := c.naiveMoveBox(&p2, &v2, size, e)
	if bits(p1) != bits(p2) || bits(v1) != bits(v2) || d1 != d2 {
		tb.Fatalf("box %v from %v by %v: %v %v %v, want %v %v %v", size, p, v, p1, v1, d1, p2, v2, d2)
	}
}

func checkMoveElastic(tb rapid.TB, s choices, c *Collision) {
	p, v := position(s, c), velocity(s)
	part := func() float32 { return [...]float32{0, 0, 0.5, 0.99, 1, -0.5, -3, 7}[s.n(8)] }
	e := Vec{X: part(), Y: part()}
	size := Vec{X: TeeSize, Y: TeeSize}
	if s.n(8) == 0 {
		size = Vec{X: float32(1 + s.n(100)), Y: float32(1+s.n(100)) / 2}
	}
	p1, v1, p2, v2 := p, v, p, v
	l1 := c.MoveElastic(&p1, &v1, size, e)
	l2 := c.naiveMoveElastic(&p2, &v2, size, e)
	if bits(p1) != bits(p2) || bits(v1) != bits(v2) || l1 != l2 {
		tb.Fatalf("box %v from %v by %v, elasticity %v: %v %v %v, want %v %v %v", size, p, v, e, p1, v1, l1, p2, v2, l2)
	}
}

func checkLine(tb rapid.TB, s choices, c *Collision) {
	p := position(s, c)
	q := position(s, c)
	switch s.n(4) {
	case 0:
		q = p.Add(velocity(s).Mul(5))
	case 1:
		q.X = p.X
	case 2:
		q.Y = p.Y
	}
	if d := vec.Distance(p, q); d > 1e5 || d > 300 && s.n(40) != 0 {
		return // the naive version takes too long
	}
	h1, b1, f1 := c.IntersectLine(p, q)
	h2, b2, f2 := c.naiveIntersectLine(p, q)
	if bits(h1) != bits(h2) || bits(b1) != bits(b2) || f1 != f2 {
		tb.Fatalf("line %v to %v: %v %v %v, want %v %v %v", p, q, h1, b1, f1, h2, b2, f2)
	}
}

// randomWorld returns a world with tees close to each other.
func randomWorld(s choices, c *Collision) *World {
	w := NewWorld(c)
	if s.n(8) == 0 {
		w.Tuning[PlayerCollision] = int32(s.n(2))
		w.Tuning[PlayerHooking] = int32(s.n(2))
	}
	centre := position(s, c)
	for range 1 + s.n(6) {
		i := s.n(MaxCores)
		p := centre.Add(Vec{X: float32(s.n(161) - 80), Y: float32(s.n(161) - 80)})
		switch s.n(16) {
		case 0:
			p = position(s, c)
		case 1:
			p = centre
		}
		o := NewCore(w, p)
		o.Vel = velocity(s)
		w.Cores[i] = o
	}
	w.HighIDs = true
	return w
}

// twin returns an equal world with its own cores.
func twin(w *World) *World {
	t := NewWorld(w.Collision)
	t.Tuning, t.HighIDs = w.Tuning, w.HighIDs
	for i, c := range w.Cores {
		if c != nil {
			o := *c
			o.World = t
			t.Cores[i] = &o
		}
	}
	return t
}

func checkWorld(tb rapid.TB, s choices, c *Collision) {
	a := randomWorld(s, c)
	id := 0
	for a.Cores[id] == nil {
		id++
	}
	me := a.Cores[id]
	next := me.Pos.Add(velocity(s))
	hook := me.Pos.Add(velocity(s).Mul(3))
	me.HookPos = me.Pos
	if s.n(3) == 0 {
		me.HookedPlayer = int32(s.n(MaxCores))
		me.HookState = HookGrabbed
	}
	b := twin(a)
	a.refreshCache(&a.Tuning)
	var stop [2]Vec
	for i, w := range [2]*World{a, b} {
		c := w.Cores[id]
		if i == 0 {
			stop[i] = c.stopAtOthers(next)
			c.applyPlayerForces()
			c.HookedPlayer = noPlayer
			c.grabTee(hook)
		} else {
			stop[i] = c.naiveStopAtOthers(next)
			c.naivePushOthers()
			c.HookedPlayer = noPlayer
			c.naiveGrab(hook)
		}
	}
	if bits(stop[0]) != bits(stop[1]) {
		tb.Fatalf("way from %v to %v ends at %v, want %v", me.Pos, next, stop[0], stop[1])
	}
	// Then compare a whole move.
	a.Cores[id].Move()
	b.Cores[id].naiveMove()
	for i := range a.Cores {
		if x, y := a.Cores[i], b.Cores[i]; x != nil {
			if bits(x.Pos) != bits(y.Pos) || bits(x.Vel) != bits(y.Vel) || x.HookedPlayer != y.HookedPlayer ||
				x.HookState != y.HookState || x.Events != y.Events || x.Death != y.Death {
				tb.Fatalf("core %d (acting %d):\n got %+v\nwant %+v", i, id, *x, *y)
			}
		}
	}
}

func TestFastEqualsNaive(t *testing.T) {
	grids, cases := 30, 900 // of each of the three kinds
	if testenv.Full() {
		grids = 250
	}
	s := stream{7}
	for range grids {
		c := randomGrid(&s)
		for range cases {
			checkMoveBox(t, &s, c)
			checkMoveElastic(t, &s, c)
			checkLine(t, &s, c)
			checkWorld(t, &s, c)
		}
	}
}

func TestFastEqualsNaiveRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapidChoices{t}
		c := randomGrid(s)
		checkMoveBox(t, s, c)
		checkMoveElastic(t, s, c)
		checkLine(t, s, c)
		checkWorld(t, s, c)
	})
}
