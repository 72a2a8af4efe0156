package bot

import (
	"slices"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// buildLinks computes the links of all nodes that are reachable from the spawn points.
func (n *NavGraph) buildLinks() {
	count := len(n.nodePos)
	seen := make([]bool, count)
	var queue []uint16
	push := func(i uint16) {
		if i != noNode && !seen[i] {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	w := n.newWorld()
	r := n.newTouchRecorder()
	for _, p := range n.spawns {
		c := physics.NewCore(w, p)
		if e := simulate(c, &maneuver{jumpTick: never, airJumpTick: never, hookTick: never, minTicks: 1}, 0, maxManeuverTicks, nil); e.landed {
			push(n.nodeAt(c.Pos))
		}
	}
	if len(queue) == 0 && count > 0 { // a map without spawn points: use all nodes
		for i := range n.nodePos {
			push(uint16(i))
		}
	}
	from := make([][]link, count)
	step := 1
	if count > halfManeuversFrom {
		step = 2
	}
	trials := newNodeTrials(w, newManeuverTree(step), r)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		from[i] = n.tryLinks(trials, i)
		for _, l := range from[i] {
			push(l.node)
		}
	}
	n.packLinks(from)
}

// touchRecorder records which pickups the maneuvers from a node touch.
type touchRecorder struct {
	nav           *NavGraph
	sitesNearTile [][]uint8 // pickup sites in reach, by tile
	fromNode      uint16    // node whose maneuvers are simulated
	maneuver      uint8
}

func (n *NavGraph) newTouchRecorder() *touchRecorder {
	r := &touchRecorder{nav: n, sitesNearTile: make([][]uint8, n.width*n.height)}
	for k := range n.pickupSites {
		x, y := int(n.pickupSites[k].pos.X)/physics.TileSize, int(n.pickupSites[k].pos.Y)/physics.TileSize
		for ty := max(y-2, 0); ty <= min(y+2, n.height-1); ty++ {
			for tx := max(x-2, 0); tx <= min(x+2, n.width-1); tx++ {
				r.sitesNearTile[ty*n.width+tx] = append(r.sitesNearTile[ty*n.width+tx], uint8(k))
			}
		}
	}
	return r
}

// record handles the position p of a tee in a tick of the maneuver.
func (r *touchRecorder) record(p vec.Vec2, tick int32) {
	for _, k := range r.sitesNearTile[r.nav.tileIndex(p.X, p.Y)] {
		s := &r.nav.pickupSites[k]
		if vec.Distance(p, s.pos) >= pickupTouchDistance {
			continue
		}
		if last := len(s.approaches) - 1; last >= 0 && s.approaches[last].node == r.fromNode {
			if tick < int32(s.approaches[last].ticks) {
				s.approaches[last].ticks, s.approaches[last].maneuver = uint8(tick), r.maneuver
			}
			continue
		}
		s.approaches = append(s.approaches, link{node: r.fromNode, ticks: uint8(tick), maneuver: r.maneuver})
	}
}

// tryLinks simulates all maneuvers from a node.
func (n *NavGraph) tryLinks(trials *nodeTrials, i uint16) []link {
	links := make([]link, 0, 16)
	add := func(to uint16, ticks int32, m uint8) {
		if to == noNode || to == i {
			return
		}
		for k := range links {
			if links[k].node == to {
				if ticks < int32(links[k].ticks) {
					links[k].ticks, links[k].maneuver = uint8(ticks), m
				}
				return
			}
		}
		if len(links) < maxLinks {
			links = append(links, link{node: to, ticks: uint8(ticks), maneuver: m})
		}
	}
	p := n.nodePos[i]
	r := trials.exact.touches
	r.fromNode, r.maneuver = i, walkLink
	r.record(p, 0)
	for _, side := range [2]float32{-physics.TileSize, physics.TileSize} {
		for x := p.X + side; ; x += side {
			to := n.nodeOf[n.tileIndex(x, p.Y)]
			if to == noNode {
				break
			}
			if to != i { // tees run ten units per tick
				add(to, max(1, int32(vec.Distance(p, n.nodePos[to])/9.5)), walkLink)
				break
			}
			if x < 0 || x > float32(n.width*physics.TileSize) {
				break
			}
		}
	}
	trials.start(p)
	for k := range maneuvers {
		m := &maneuvers[k]
		if len(n.nodePos) > halfManeuversFrom && k%2 != int(i)%2 || m.hookTick != never && !n.hookCanAttach(p, m) {
			continue
		}
		r.maneuver = uint8(k)
		if e, end := trials.exact.run(k); e.landed {
			if to := n.nodeAt(end); m.hookTick == never || n.isRobust(trials, k, to) {
				add(to, e.ticks+1, uint8(k))
			}
		}
	}
	return links
}

// isRobust reports whether the maneuver still ends near the same node when it starts a little to
// the left or right. Swings on the hook can be very sensitive.
func (n *NavGraph) isRobust(trials *nodeTrials, k int, to uint16) bool {
	if to == noNode {
		return false
	}
	for i := range trials.beside {
		if e, end := trials.beside[i].run(k); !e.landed || vec.Distance(end, n.nodePos[to]) > 2.5*physics.TileSize {
			return false
		}
	}
	return true
}

// hookCanAttach reports whether the hook of a maneuver can reach a hookable wall.
func (n *NavGraph) hookCanAttach(p vec.Vec2, m *maneuver) bool {
	reach := n.tuning.At(physics.HookLength) / 100
	if m.jumpTick != never {
		p.Y -= 40
	}
	end := p.Add(vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)}.Mul(reach))
	_, _, wall := n.col.IntersectLine(p, end)
	return wall&physics.Solid != 0 && wall&physics.NoHook == 0
}

// packLinks stores the links twice: ordered by their start, and by their end.
func (n *NavGraph) packLinks(from [][]link) {
	count := len(from)
	n.outStart, n.inStart = make([]uint32, count+1), make([]uint32, count+1)
	for i, links := range from {
		n.outLinks = append(n.outLinks, links...)
		n.outStart[i+1] = uint32(len(n.outLinks))
		for _, l := range links {
			n.inStart[l.node+1]++
		}
	}
	for i := range count {
		n.inStart[i+1] += n.inStart[i]
	}
	n.inLinks = make([]link, len(n.outLinks))
	next := slices.Clone(n.inStart)
	for i, links := range from {
		for _, l := range links {
			n.inLinks[next[l.node]] = link{node: uint16(i), ticks: l.ticks, maneuver: l.maneuver}
			next[l.node]++
		}
	}
}

// linksFrom returns the links that start at a node.
func (n *NavGraph) linksFrom(i uint16) []link { return n.outLinks[n.outStart[i]:n.outStart[i+1]] }

// computeTimes computes the times to the pickups, and to landmarks placed far from each other.
func (n *NavGraph) computeTimes() {
	if len(n.nodePos) == 0 {
		return
	}
	s := newSearch(n)
	whole := func() []uint16 {
		for !s.expand(1024, noNode) {
		}
		return slices.Clone(s.times)
	}
	for i := range n.pickupSites {
		s.start(noNode)
		for _, l := range n.pickupSites[i].approaches {
			s.push(l.node, int32(l.ticks))
		}
		n.pickupSites[i].times = whole()
	}
	linked := func(i int) bool { return n.outStart[i+1] > n.outStart[i] && n.inStart[i+1] > n.inStart[i] }
	next := -1
	for i := range n.nodePos {
		if linked(i) {
			next = i
			break
		}
	}
	closest := slices.Repeat([]float32{1e9}, len(n.nodePos))
	for next >= 0 && len(n.landmarks) < maxLandmarks {
		s.start(uint16(next))
		m := landmark{node: uint16(next), times: whole()}
		n.landmarks = append(n.landmarks, m)
		next = -1
		far := float32(8 * physics.TileSize)
		for i := range n.nodePos {
			closest[i] = min(closest[i], vec.Distance(n.nodePos[i], n.nodePos[m.node]))
			if closest[i] > far && linked(i) {
				far, next = closest[i], i
			}
		}
	}
}
