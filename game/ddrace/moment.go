package ddrace

import (
	"slices"

	"github.com/teeyard/teeyard/game/vec"
)

// Moment is the saved state of a world with only one player, for searches that often go back. Load
// it into the same world, or into another one with the same map and settings. A Moment can be
// reused.
type Moment struct {
	tick     int32
	rand     prng
	nextID   uint16
	player   player
	tee      Tee
	team     teamState
	active   SwitchSet
	timers   []switchTimer
	timed    int
	entities entities
}

// Bytes returns the approximate memory size of the moment.
func (m *Moment) Bytes() int {
	const fixed, each = 1024, 96
	e := &m.entities
	return fixed + 12*len(m.timers) + each*(len(e.projectiles)+3*len(e.beams)+len(e.lights)+len(e.pickups)) + 192*len(e.draggers) + 768*len(e.turrets)
}

// Save saves the state of a world with only that player, in team 0.
func (w *World) Save(m *Moment, id int) {
	m.tick, m.rand, m.nextID = w.tick, w.rand, w.nextID
	m.player, m.tee = w.players[id], w.tees[id]
	m.team = w.teams[0]
	s := &w.switches
	m.active, m.timed = s.active[0], s.timed
	m.timers = append(m.timers[:0], s.timers[:min(s.count+1, len(s.timers))]...)
	m.entities.copyFrom(&w.entities)
}

// Load restores a moment of that player.
func (w *World) Load(m *Moment, id int) {
	w.tick, w.rand, w.nextID = m.tick, m.rand, m.nextID
	w.seat(id)
	w.players[id], w.tees[id] = m.player, m.tee
	w.teams[0] = m.team
	s := &w.switches
	s.active[0], s.timed = m.active, m.timed
	copy(s.timers, m.timers)
	w.entities.copyFrom(&m.entities)
	w.order.count = 0
	if m.player.inWorld {
		w.order.add(int8(id))
	}
	w.listIDs()
	w.clearEvents()
}

// copyFrom makes e a copy that shares nothing.
func (e *entities) copyFrom(o *entities) {
	e.projectiles = append(e.projectiles[:0], o.projectiles...)
	e.beams, e.shots = append(e.beams[:0], o.beams...), o.shots
	e.lights = append(e.lights[:0], o.lights...)
	e.draggers = append(e.draggers[:0], o.draggers...)
	e.turrets = append(e.turrets[:0], o.turrets...)
	e.pickups = append(e.pickups[:0], o.pickups...)
	if len(e.fixtures) != len(o.fixtures) {
		e.fixtures = slices.Clone(o.fixtures) // they never change
	}
}

// Work returns the approximate extra work of the last step, in tiles and entities examined. On some
// maps a step takes a thousand times as long as on others.
func (w *World) Work() int {
	e := &w.entities
	n := w.looks + w.hooking + len(e.projectiles) + len(e.beams) + len(e.lights) + len(e.pickups) + maxTeams*(len(e.draggers)+len(e.turrets))
	for _, id := range w.present() {
		t := &w.tees[id]
		n += int(min(vec.Distance(t.PrevPos, t.Pos), maxMove))
	}
	return n
}

// Blocked reports whether tees cannot move from one tile to a tile beside it, because of a stopper
// or a door with an active switch. from and to are tile indices.
func (m *Map) Blocked(from, to int, active *SwitchSet) bool {
	var way Restrictions
	switch int32(to - from) {
	case -1:
		way = cannotLeft
	case 1:
		way = cannotRight
	case -m.width:
		way = cannotUp
	case m.width:
		way = cannotDown
	}
	for front := range 2 {
		if index, flags := m.tileAndFlags(int32(from), front == 1); index == tileStop && stopperOf(index, flags)&way != 0 {
			return true
		}
		if index, flags := m.tileAndFlags(int32(to), front == 1); stopperOf(index, flags)&way != 0 {
			return true
		}
	}
	return m.doors != nil && m.doors[to].closed && active.Has(m.doors[to].number)
}

// Pos returns the position of the tee, in units.
func (m *Moment) Pos() Vec { return m.tee.Pos }

// Door reports whether there is a door at a tile, and returns the number of the switch that closes
// it.
func (m *Map) Door(tile int) (number uint8, is bool) {
	if m.doors == nil {
		return 0, false
	}
	d := m.doors[tile]
	return d.number, d.closed
}

// HookHolds reports whether a hook that flies from a to b attaches to a wall.
func (m *Map) HookHolds(a, b Vec) bool {
	_, hit, _ := m.hookLine(a, b, false, new(int))
	return hit == TileSolid
}
