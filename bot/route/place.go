package route

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
)

const (
	// visitCost is added to the distance of a place for each visit, in tiles, so that the search
	// tries other places too.
	visitCost = 3
	// armedBonus is how many half tiles behind the front a place with a grenade launcher may be and
	// still count as at the front. Maps offer the weapon where it is needed.
	armedBonus = 200
	// placeBytes is the approximate size of a place and its steps, without its moment.
	placeBytes = 600
)

// place is a state that the search has reached.
type place struct {
	moment *ddrace.Moment // nil if it was forgotten
	node   int32
	left   int32 // distance to the goal, half tiles
	fire   int32 // fire counter of the input
	aim    [2]int16
	visits int32
	stage  *stageField
	armed  bool // whether the tee has a grenade launcher
}

// key identifies equivalent places. Of these, the search keeps the one that was reached in the
// fewest ticks.
type key struct {
	x, y   int16 // tiles
	vx, vy int8
	flags  uint16
	stage  uint8
}

// keyOf returns the key of the tee's state.
func (s *Search) keyOf(t *ddrace.Tee, f *stageField) key {
	c := &t.Core
	k := key{x: int16(int32(c.Pos.X) >> 5), y: int16(int32(c.Pos.Y) >> 5), vx: speedClass(c.Vel.X), vy: speedClass(c.Vel.Y), stage: f.id}
	if c.Jumped&2 == 0 {
		k.flags |= 1 + 64*uint16(min(max(c.Jumps-c.JumpedTotal, 0), 15))
	}
	if c.HookState == physics.HookGrabbed {
		k.flags |= 2
	}
	if t.FreezeTime > 0 {
		k.flags |= 4
	}
	if t.Weapons[ddrace.WeaponGrenade] {
		k.flags |= 8
		if t.ReloadTimer > 0 {
			k.flags |= 16
		}
	}
	return k
}

func speedClass(v float32) int8 {
	switch {
	case v < -12:
		return -2
	case v < -3:
		return -1
	case v < 3:
		return 0
	case v < 12:
		return 1
	}
	return 2
}

// add saves the state of the world as a place and reports whether it did. n is the last node, and
// s.steps lead from there. add saves nothing if an equivalent place was reached as soon, the goal
// is unreachable, or there are too many stages.
func (s *Search) add(n int32, fire int32, aim [2]int16) bool {
	t := s.world.Tee(me)
	f := s.stage(t)
	if f == nil {
		return false
	}
	left := f.field[s.ground.tile(t.Pos)]
	if left >= unreachable {
		return false
	}
	k := s.keyOf(t, f)
	i, known := s.byKey[k]
	switch {
	case known && (s.places[i].moment == nil || s.nodes[s.places[i].node].ticks <= s.nodes[n].ticks+s.taken):
		return false
	case !known:
		if s.kept == s.limit {
			s.forget()
		}
		i = int32(len(s.places))
		s.places = append(s.places, place{moment: s.newMoment()})
		s.byKey[k] = i
	}
	p := &s.places[i]
	s.world.Save(p.moment, me)
	s.looked += p.moment.Bytes() / bytesPerTile
	p.node, p.left, p.fire, p.aim, p.stage, p.armed = s.node(n), left, fire, aim, f, t.Weapons[ddrace.WeaponGrenade]
	if !known {
		s.enqueue(i)
	}
	return true
}

// newMoment returns a moment to save the world in.
func (s *Search) newMoment() *ddrace.Moment {
	s.kept++
	if n := len(s.unused); n > 0 {
		m := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return m
	}
	return new(ddrace.Moment)
}

// forget drops half of the places: those with the lowest priority.
func (s *Search) forget() {
	drop := s.kept / 2
	for at := len(s.queue) - 1; at >= 0 && drop > 0; at-- {
		for _, i := range s.queue[at] {
			p := &s.places[i]
			s.unused = append(s.unused, p.moment)
			p.moment = nil
		}
		s.kept -= len(s.queue[at])
		drop -= len(s.queue[at])
		s.queue[at] = s.queue[at][:0]
	}
}

// enqueue adds a place to the queue.
func (s *Search) enqueue(i int32) {
	p := &s.places[i]
	rank := s.rank(p)
	s.front = min(s.front, rank)
	if p.armed {
		rank = max(rank-armedBonus, s.front)
	}
	at := int(rank/unitsPerTile + visitCost*p.visits)
	for len(s.queue) <= at {
		s.queue = append(s.queue, nil)
	}
	s.queue[at] = append(s.queue[at], i)
	s.first = min(s.first, at)
}

// take removes and returns a random place of the highest priority.
func (s *Search) take() (int32, bool) {
	for ; s.first < len(s.queue); s.first++ {
		q := s.queue[s.first]
		if len(q) == 0 {
			continue
		}
		k := s.rand.Uint32n(uint32(len(q)))
		i := q[k]
		q[k] = q[len(q)-1]
		s.queue[s.first] = q[:len(q)-1]
		return i, true
	}
	return 0, false
}

// rank returns the distance of a place to the finish in half tiles. Doors to open and a start line
// to cross count as extra distance.
func (s *Search) rank(p *place) int32 {
	left := min(p.left, 50000)
	if !p.stage.started {
		return left + 500000
	}
	return left + 50000*int32(min(p.stage.doors, 9))
}
