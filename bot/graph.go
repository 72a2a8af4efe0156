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
		from[i] = n.linksOf(w, i)
		for _, l := range from[i] {
			push(l.node)
		}
	}
	n.store(from)
}

// linksOf tries all moves from a node.
func (n *Nav) linksOf(w *physics.World, i uint16) []link {
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
		if m.hook != never && !n.hookHolds(p, m) {
			continue
		}
		c := physics.NewCore(w, p)
		if e := try(c, m, 0, maxMove, nil); e.landed {
			add(n.at(c.Pos), e.ticks+1, uint8(k))
		}
	}
	return links
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
	whole := func(to uint16) []uint16 {
		s.begin(to)
		for !s.expand(1024, noNode) {
		}
		return append([]uint16(nil), s.time...)
	}
	for i := range n.spots {
		n.spots[i].time = whole(n.spots[i].node)
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
		m := landmark{node: uint16(next), time: whole(uint16(next))}
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
