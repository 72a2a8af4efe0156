package bot

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// maneuverTree says where each maneuver leaves an earlier one, its parent.
type maneuverTree struct {
	shared   []int32 // by maneuver: the ticks that it shares with its parent, 0 for none
	children [][]int // by maneuver, in the order in which they leave it
}

// newManeuverTree makes each maneuver the child of the one that shares the most ticks with it,
// among those whose number is smaller by a multiple of step. A step of 2 makes a tree of the even
// maneuvers and one of the odd ones.
func newManeuverTree(step int) *maneuverTree {
	t := &maneuverTree{shared: make([]int32, len(maneuvers)), children: make([][]int, len(maneuvers))}
	for k := range maneuvers {
		parent := -1
		for j := k % step; j < k; j += step {
			if n := sharedTicks(&maneuvers[j], &maneuvers[k]); n > t.shared[k] {
				parent, t.shared[k] = j, n
			}
		}
		if parent >= 0 {
			t.children[parent] = append(t.children[parent], k)
		}
	}
	for _, list := range t.children {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.shared[a], t.shared[b]) })
	}
	return t
}

// sharedTicks returns the number of ticks in which two maneuvers have the same inputs and end under
// the same conditions.
func sharedTicks(a, b *maneuver) (n int32) {
	end := int32(maxManeuverTicks)
	if a.minTicks != b.minTicks {
		end = int32(min(a.minTicks, b.minTicks)) // after that tick, only one of them ends on the ground
	}
	for n < end && a.inputAt(uint8(n)) == b.inputAt(uint8(n)) {
		n++
	}
	return n
}

// trials simulates maneuvers from one position, with the same outcomes as simulate. To save time, a
// maneuver begins where it leaves its parent.
type trials struct {
	world   *physics.World
	tree    *maneuverTree
	touches *touchRecorder // nil to record none
	from    vec.Vec2
	starts  uint32        // number of calls of start
	parted  []partedTrial // by maneuver
	core    physics.Core
}

// partedTrial is the state in which a maneuver leaves its parent, before either of them can land
// in that tick. If the parent ends sooner, it is that end.
type partedTrial struct {
	outcome
	core  physics.Core
	start uint32 // the call of start since which this is valid
}

func newTrials(w *physics.World, tree *maneuverTree, touches *touchRecorder) *trials {
	return &trials{world: w, tree: tree, touches: touches, parted: make([]partedTrial, len(maneuvers))}
}

// start begins trials from another position.
func (s *trials) start(from vec.Vec2) {
	s.from = from
	s.starts++
}

// run simulates a maneuver and returns its outcome and where it ends.
func (s *trials) run(k int) (e outcome, end vec.Vec2) {
	m, c := &maneuvers[k], &s.core
	if p := &s.parted[k]; p.start == s.starts {
		*c, e = p.core, p.outcome
	} else {
		c.Reset(s.world, s.from)
	}
	leaving := s.tree.children[k]
	part := func(child int) { s.parted[child] = partedTrial{e, *c, s.starts} }
	for !e.landed && !e.dead {
		for ; len(leaving) > 0 && s.tree.shared[leaving[0]] <= e.ticks; leaving = leaving[1:] {
			if s.tree.shared[leaving[0]] == e.ticks {
				part(leaving[0])
			}
		}
		if e.ticks > 0 {
			e.landed = e.ticks >= int32(m.minTicks) && c.Grounded()
			e.dead = !e.landed && e.ticks&15 == 0 && c.World.Collision.FarOutside(c.Pos)
		}
		if e.landed || e.dead || e.ticks == maxManeuverTicks {
			break
		}
		in := m.inputAt(uint8(e.ticks))
		c.Tick(&in, true)
		c.Move()
		e.ticks++
		if e.dead = c.Death; !e.dead && s.touches != nil {
			s.touches.record(c.Pos, e.ticks)
		}
	}
	for _, child := range leaving {
		part(child)
	}
	return e, c.Pos
}

// nodeTrials simulates maneuvers from a node, and from a little beside it.
type nodeTrials struct {
	exact  *trials
	beside [2]*trials
}

func newNodeTrials(w *physics.World, tree *maneuverTree, touches *touchRecorder) *nodeTrials {
	return &nodeTrials{newTrials(w, tree, touches), [2]*trials{newTrials(w, tree, nil), newTrials(w, tree, nil)}}
}

// start begins trials from a node at p.
func (s *nodeTrials) start(p vec.Vec2) {
	s.exact.start(p)
	for i, off := range [2]float32{-9, 9} {
		s.beside[i].start(vec.Vec2{X: p.X + off, Y: p.Y})
	}
}
