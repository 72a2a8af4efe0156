package bot

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// connect finds the links, starting from where tees spawn. What cannot be
// reached from there stays without.
func (n *Nav) connect() {
	count := len(n.pos)
	seen := make([]bool, count)
	var queue []uint16
	push := func(i uint16) {
		if i != noNode && !seen[i] {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	w := n.newWorld()
	r := n.newReach()
	for _, p := range n.spawns {
		c := physics.NewCore(w, p)
		if e := try(c, &move{jump: never, again: never, hook: never, length: 1}, 0, maxMove, nil); e.landed {
			push(n.at(c.Pos))
		}
	}
	if len(queue) == 0 && count > 0 { // a map without spawns: take all
		for i := range n.pos {
			push(uint16(i))
		}
	}
	from := make([][]link, count)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		from[i] = n.linksOf(w, i, r)
		for _, l := range from[i] {
			push(l.node)
		}
	}
	n.store(from)
}

// reach finds out which pickups moves touch on their way.
type reach struct {
	nav  *Nav
	near [][]uint8 // by tile, the spots that may be touched from there
	node uint16    // that is being tried
	move uint8
}

func (n *Nav) newReach() *reach {
	r := &reach{nav: n, near: make([][]uint8, n.width*n.height)}
	for k := range n.spots {
		x, y := int(n.spots[k].pos.X)/physics.TileSize, int(n.spots[k].pos.Y)/physics.TileSize
		for ty := max(y-2, 0); ty <= min(y+2, n.height-1); ty++ {
			for tx := max(x-2, 0); tx <= min(x+2, n.width-1); tx++ {
				r.near[ty*n.width+tx] = append(r.near[ty*n.width+tx], uint8(k))
			}
		}
	}
	return r
}

// at notes that a tee is at p in a tick of the move.
func (r *reach) at(p vec.Vec2, tick int32) {
	for _, k := range r.near[r.nav.tile(p.X, p.Y)] {
		s := &r.nav.spots[k]
		if vec.Distance(p, s.pos) >= touching {
			continue
		}
		if last := len(s.from) - 1; last >= 0 && s.from[last].node == r.node {
			if tick < int32(s.from[last].ticks) {
				s.from[last].ticks, s.from[last].move = uint8(tick), r.move
			}
			continue
		}
		s.from = append(s.from, link{node: r.node, ticks: uint8(tick), move: r.move})
	}
}

// linksOf tries all moves from a node.
func (n *Nav) linksOf(w *physics.World, i uint16, r *reach) []link {
	links := make([]link, 0, 16)
	add := func(to uint16, ticks int32, m uint8) {
		if to == noNode || to == i {
			return
		}
		for k := range links {
			if links[k].node == to {
				if ticks < int32(links[k].ticks) {
					links[k].ticks, links[k].move = uint8(ticks), m
				}
				return
			}
		}
		if len(links) < maxLinks {
			links = append(links, link{node: to, ticks: uint8(ticks), move: m})
		}
	}
	p := n.pos[i]
	r.node, r.move = i, walk
	r.at(p, 0)
	for _, side := range [2]float32{-physics.TileSize, physics.TileSize} {
		for x := p.X + side; ; x += side {
			to := n.nodeOf[n.tile(x, p.Y)]
			if to == noNode {
				break
			}
			if to != i { // running does ten units a tick
				add(to, max(1, int32(vec.Distance(p, n.pos[to])/9.5)), walk)
				break
			}
			if x < 0 || x > float32(n.width*physics.TileSize) {
				break
			}
		}
	}
	for k := range repertoire {
		m := &repertoire[k]
		if len(n.pos) > manyNodes && k%2 != int(i)%2 || m.hook != never && !n.hookHolds(p, m) {
			continue
		}
		r.move = uint8(k)
		c := physics.NewCore(w, p)
		if e := try(c, m, 0, maxMove, &around{reach: r}); e.landed {
			if to := n.at(c.Pos); m.hook == never || n.steady(w, p, m, to) {
				add(to, e.ticks+1, uint8(k))
			}
		}
	}
	return links
}

// steady tells whether a move from about p ends at about the same place. Swings
// on the hook may depend on a hair.
func (n *Nav) steady(w *physics.World, p vec.Vec2, m *move, to uint16) bool {
	if to == noNode {
		return false
	}
	for _, off := range [2]float32{-9, 9} {
		c := physics.NewCore(w, vec.Vec2{X: p.X + off, Y: p.Y})
		if e := try(c, m, 0, maxMove, nil); !e.landed || vec.Distance(c.Pos, n.pos[to]) > 2.5*physics.TileSize {
			return false
		}
	}
	return true
}

// hookHolds tells whether the hook of a move has a chance to hold.
func (n *Nav) hookHolds(p vec.Vec2, m *move) bool {
	reach := n.tuning.HookLength() / 100
	if m.jump != never {
		p.Y -= 40
	}
	end := p.Add(vec.Vec2{X: float32(m.hookX), Y: float32(m.hookY)}.Mul(reach))
	_, _, wall := n.col.IntersectLine(p, end)
	return wall&physics.Solid != 0 && wall&physics.NoHook == 0
}

// store packs the links, and the same ones seen from their ends.
func (n *Nav) store(from [][]link) {
	count := len(from)
	n.outAt, n.inAt = make([]uint32, count+1), make([]uint32, count+1)
	for i, links := range from {
		n.out = append(n.out, links...)
		n.outAt[i+1] = uint32(len(n.out))
		for _, l := range links {
			n.inAt[l.node+1]++
		}
	}
	for i := range count {
		n.inAt[i+1] += n.inAt[i]
	}
	n.in = make([]link, len(n.out))
	next := append([]uint32(nil), n.inAt...)
	for i, links := range from {
		for _, l := range links {
			n.in[next[l.node]] = link{node: uint16(i), ticks: l.ticks, move: l.move}
			next[l.node]++
		}
	}
}

// from are the links from a node.
func (n *Nav) from(i uint16) []link { return n.out[n.outAt[i]:n.outAt[i+1]] }

// measure finds the times to the pickups and to landmarks, which are spread so
// that each is far from the others.
func (n *Nav) measure() {
	if len(n.pos) == 0 {
		return
	}
	s := newSearch(n)
	whole := func() []uint16 {
		for !s.expand(1024, noNode) {
		}
		return append([]uint16(nil), s.time...)
	}
	for i := range n.spots {
		s.begin(noNode)
		for _, l := range n.spots[i].from {
			s.push(l.node, int32(l.ticks))
		}
		n.spots[i].time = whole()
	}
	linked := func(i int) bool { return n.outAt[i+1] > n.outAt[i] && n.inAt[i+1] > n.inAt[i] }
	next := -1
	for i := range n.pos {
		if linked(i) {
			next = i
			break
		}
	}
	closest := make([]float32, len(n.pos))
	for i := range closest {
		closest[i] = 1e9
	}
	for next >= 0 && len(n.marks) < landmarks {
		s.begin(uint16(next))
		m := landmark{node: uint16(next), time: whole()}
		n.marks = append(n.marks, m)
		next = -1
		far := float32(8 * physics.TileSize)
		for i := range n.pos {
			closest[i] = min(closest[i], vec.Distance(n.pos[i], n.pos[m.node]))
			if closest[i] > far && linked(i) {
				far, next = closest[i], i
			}
		}
	}
}
