package route

import (
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// Costs and distances are in half tiles. Danger and doors count as extra distance.
const (
	costStraight = 2
	costDiagonal = 3
	costFreeze   = 100
	costDoor     = 400
	maxCost      = costDiagonal + costFreeze + costDoor
	unreachable  = 1 << 30
	unitsPerTile = costStraight
)

// stage is the state of a run that, besides the position, determines the way to the goal.
type stage struct {
	started    bool
	checkpoint uint8 // exits of checkpoint teleporters
	active     ddrace.SwitchSet
}

// field maps each tile to its distance to the goal of a stage, in half tiles.
type field []int32

// ground is the map data that fields need.
type ground struct {
	m         *ddrace.Map
	t         *terrain.Terrain
	width     int
	wall      []bool // tees cannot be here
	freezes   []bool
	hasStart  bool
	outs      [256][]int32 // exits of teleporters by number
	checkOuts [256][]int32
	ins       [256][]int32 // teleporters by number
	checkIns  []int32
	spawns    []int32
	looked    int // number of tiles read for all fields
}

func newGround(m *ddrace.Map, t *terrain.Terrain) *ground {
	g := &ground{m: m, t: t, width: t.Width, wall: make([]bool, len(t.Tiles)), freezes: make([]bool, len(t.Tiles))}
	for i := range t.Tiles {
		has := func(index uint8) bool { return g.has(i, index) }
		g.wall[i] = t.Tiles[i] == ddrace.TileSolid || t.Tiles[i] == ddrace.TileNoHook || has(ddrace.TileDeath)
		g.freezes[i] = has(ddrace.TileFreeze) || has(ddrace.TileDeep) || has(ddrace.TileLive)
		g.hasStart = g.hasStart || has(ddrace.TileStart)
		if t.Tele != nil {
			switch n := t.Tele[i].Number; t.Tele[i].Type {
			case ddrace.TeleIn, ddrace.TeleInEvil:
				g.ins[n] = append(g.ins[n], int32(i))
			case ddrace.TeleOut:
				g.outs[n] = append(g.outs[n], int32(i))
			case ddrace.TeleCheckIn, ddrace.TeleCheckInEvil:
				g.checkIns = append(g.checkIns, int32(i))
			case ddrace.TeleCheckOut:
				g.checkOuts[n] = append(g.checkOuts[n], int32(i))
			}
		}
	}
	for _, list := range &m.Spawns {
		for _, p := range list {
			g.spawns = append(g.spawns, int32(g.tile(p)))
		}
	}
	return g
}

// has reports whether a tile has the index in the game layer or the front layer.
func (g *ground) has(i int, index uint8) bool {
	return g.t.Tiles[i] == index || g.t.Front != nil && g.t.Front[i] == index
}

// tile returns the index of the tile at a position.
func (g *ground) tile(p ddrace.Vec) int {
	x := min(max(int(p.X)/32, 0), g.width-1)
	y := min(max(int(p.Y)/32, 0), g.t.Height-1)
	return y*g.width + x
}

// teleporter reports whether a tile teleports. number is the number of its exits, or 0 for the
// exits of the checkpoint.
func (g *ground) teleporter(i int) (number uint8, is bool) {
	if g.t.Tele == nil {
		return 0, false
	}
	switch t := g.t.Tele[i]; t.Type {
	case ddrace.TeleIn, ddrace.TeleInEvil:
		return t.Number, t.Number != 0 && len(g.outs[t.Number]) > 0
	case ddrace.TeleCheckIn, ddrace.TeleCheckInEvil:
		return 0, true
	}
	return 0, false
}

// opens reports whether touching a tile opens the doors of a switch.
func (g *ground) opens(i int, number uint8) bool {
	if g.t.Switch == nil {
		return false
	}
	t := g.t.Switch[i]
	return t.Number == number && (t.Type == ddrace.SwitchTimedClose || t.Type == ddrace.SwitchClose)
}

// closedDoor reports whether a closed door is at a tile, and returns the number of its switch.
func (g *ground) closedDoor(i int, s *stage) (number uint8, closed bool) {
	number, closed = g.m.Door(i)
	return number, closed && s.active.Has(number)
}

// newField computes the distances to the goal of a stage: the start line, then the finish line. If
// closed doors separate the tile at from it, the goal is a switch of the first door, and doors is
// the number of these doors.
func (g *ground) newField(s *stage, at int) (f field, doors int) {
	goal := uint8(ddrace.TileFinish)
	if !s.started && g.hasStart {
		goal = ddrace.TileStart
	}
	isGoal := func(i int) bool { return g.has(i, goal) }
	if f = g.distances(s, asItIs, isGoal); f[at] < unreachable {
		return f, 0
	}
	if f = g.distances(s, throughDoors, isGoal); f[at] >= unreachable {
		return g.distances(s, toAllCheckpoints, isGoal), 0
	}
	number, doors := g.doorsFrom(f, s, at)
	opens := func(i int) bool { return g.opens(i, number) }
	for r := range numRelaxations {
		if way := g.distances(s, r, opens); way[at] < unreachable {
			return way, doors
		}
	}
	return f, doors
}

// relaxation selects the obstacles that a way may ignore.
type relaxation uint8

const (
	asItIs relaxation = iota
	throughDoors
	toAllCheckpoints
	numRelaxations
)

// doorsFrom counts the closed doors on the way from a tile. number is the switch number of the
// first door.
func (g *ground) doorsFrom(f field, s *stage, at int) (number uint8, doors int) {
	var seen [256]bool
	for f[at] > 0 && f[at] < unreachable {
		next := g.next(f, at, s)
		if next == at {
			break
		}
		at = next
		if n, closed := g.closedDoor(at, s); closed && !seen[n] {
			seen[n] = true
			if doors++; doors == 1 {
				number = n
			}
		}
	}
	return number, doors
}

// next returns the tile nearest to the goal among those that a tee can reach from a tile in one
// step.
func (g *ground) next(f field, at int, s *stage) int {
	best := at
	x := at % g.width
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if to := at + dy*g.width + dx; x+dx >= 0 && x+dx < g.width && to >= 0 && to < len(f) && f[to] < f[best] {
				best = to
			}
		}
	}
	if number, is := g.teleporter(at); is {
		outs := g.outs[number]
		if number == 0 {
			outs = g.checkOuts[s.checkpoint]
		}
		for _, out := range outs {
			if f[out] < f[best] {
				best = int(out)
			}
		}
	}
	return best
}

// distances computes the distance of each tile to the nearest goal.
func (g *ground) distances(s *stage, r relaxation, isGoal func(int) bool) field {
	f := make(field, len(g.wall))
	g.looked += len(f)
	for i := range f {
		f[i] = unreachable
	}
	q := &bucketQueue{field: f}
	for i := range f {
		if !g.wall[i] && isGoal(i) {
			q.push(int32(i), 0)
		}
	}
	g.spread(q, s, r)
	return f
}

// spread runs Dijkstra's algorithm from the goals.
func (g *ground) spread(q *bucketQueue, s *stage, r relaxation) {
	w, n := g.width, len(g.wall)
	closed := s.active
	var done exitsDone
	if r >= throughDoors {
		closed = ddrace.SwitchSet{}
	}
	for {
		at, cost, ok := q.pop()
		if !ok {
			return
		}
		i := int(at)
		enter := int32(0)
		if g.freezes[i] {
			enter = costFreeze
		}
		if _, shut := g.closedDoor(i, s); shut {
			enter += costDoor
		}
		g.spreadExits(q, s, i, cost, r, &done)
		x := i % w
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				from := i + dy*w + dx
				if from == i || x+dx < 0 || x+dx >= w || from < 0 || from >= n || g.wall[from] || q.field[from] <= cost {
					continue
				}
				if _, is := g.teleporter(from); is {
					continue // a tee does not stay on such a tile
				}
				step := int32(costStraight)
				if dx != 0 && dy != 0 {
					step = costDiagonal
					if g.wall[i+dx] || g.wall[i+dy*w] || g.m.Blocked(from, i+dx, &closed) || g.m.Blocked(i+dx, i, &closed) ||
						g.m.Blocked(from, i+dy*w, &closed) || g.m.Blocked(i+dy*w, i, &closed) {
						continue
					}
				} else if g.m.Blocked(from, i, &closed) {
					continue
				}
				q.push(int32(from), cost+step+enter)
			}
		}
	}
}

// exitsDone records which teleporters have had an exit reached. Only the first one counts, since it
// is the nearest to the goal. There may be as many exits as teleporters.
type exitsDone struct {
	numbers    [256]bool
	checkpoint bool
}

// spreadExits continues from an exit to its teleporters.
func (g *ground) spreadExits(q *bucketQueue, s *stage, i int, cost int32, r relaxation, done *exitsDone) {
	through := func(ins []int32, done *bool) {
		if *done {
			return
		}
		*done = true
		g.looked += len(ins)
		for _, in := range ins {
			if !g.wall[in] && q.field[in] > cost+costStraight {
				q.push(in, cost+costStraight)
			}
		}
	}
	if g.t.Tele == nil {
		return
	}
	switch t := g.t.Tele[i]; {
	case t.Type == ddrace.TeleOut && t.Number != 0:
		through(g.ins[t.Number], &done.numbers[t.Number])
	case t.Type == ddrace.TeleCheckOut && (r == toAllCheckpoints || t.Number == s.checkpoint):
		through(g.checkIns, &done.checkpoint)
	}
	if len(g.checkOuts[s.checkpoint]) == 0 && slices.Contains(g.spawns, int32(i)) {
		through(g.checkIns, &done.checkpoint)
	}
}

// bucketQueue is a priority queue for Dijkstra's algorithm with small costs.
type bucketQueue struct {
	field   field
	buckets [maxCost + 1][]int32
	at      int32
	pending int
}

func (q *bucketQueue) push(tile, cost int32) {
	if cost >= q.field[tile] {
		return
	}
	q.field[tile] = cost
	b := &q.buckets[cost%int32(len(q.buckets))]
	*b = append(*b, tile)
	q.pending++
}

func (q *bucketQueue) pop() (tile, cost int32, ok bool) {
	for q.pending > 0 {
		b := &q.buckets[q.at%int32(len(q.buckets))]
		if len(*b) == 0 {
			q.at++
			continue
		}
		tile = (*b)[len(*b)-1]
		*b = (*b)[:len(*b)-1]
		q.pending--
		if q.field[tile] == q.at {
			return tile, q.at, true
		}
	}
	return 0, 0, false
}
