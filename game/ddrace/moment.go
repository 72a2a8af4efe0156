package ddrace

import (
	"slices"

	"github.com/teeyard/teeyard/game/vec"
)

// Moment is the state of a world in which only one player is, as a search needs it that goes back to
// earlier moments again and again. It is for the world that it was saved from, and for others of the
// same map and settings. It can be used again.
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

// Bytes returns about how much memory the moment takes.
func (m *Moment) Bytes() int {
	const fixed, each = 1024, 96
	e := &m.entities
	return fixed + 12*len(m.timers) + each*(len(e.projectiles)+3*len(e.beams)+len(e.lights)+len(e.pickups)) + 192*len(e.draggers) + 768*len(e.turrets)
}

// Save saves the state of a world in which only that player is, in team 0.
func (w *World) Save(m *Moment, id int) {
	m.tick, m.rand, m.nextID = w.tick, w.rand, w.nextID
	m.player, m.tee = w.players[id], w.tees[id]
	m.team = w.teams[0]
	s := &w.switches
	m.active, m.timed = s.active[0], s.timed
	m.timers = append(m.timers[:0], s.timers[:min(s.count+1, len(s.timers))]...)
	m.entities.copyFrom(&w.entities)
}

// Load goes back to a moment of that player.
func (w *World) Load(m *Moment, id int) {
	w.tick, w.rand, w.nextID = m.tick, m.rand, m.nextID
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

// Work returns about how much the last step did besides what every step does, in tiles and entities that it looked
// at: on some maps a step takes a thousand times as long as on others.
func (w *World) Work() int {
	e := &w.entities
	n := w.looks + w.hooking + len(e.projectiles) + len(e.beams) + len(e.lights) + len(e.pickups) + maxTeams*(len(e.draggers)+len(e.turrets))
	for _, id := range w.present() {
		t := &w.tees[id]
		n += int(min(vec.Distance(t.PrevPos, t.Pos), maxMove))
	}
	return n
}

// Blocked reports whether stoppers, or doors whose switches are active, keep tees from moving from a tile
// to the one beside it. Both are indices.
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

// Pos returns where the tee is.
func (m *Moment) Pos() Vec { return m.tee.Pos }

// Door returns the number of the switch that keeps the door at a tile closed, if there is a door.
func (m *Map) Door(tile int) (number uint8, is bool) {
	if m.doors == nil {
		return 0, false
	}
	d := m.doors[tile]
	return d.number, d.closed
}

// HookHolds reports whether a hook that flies from a to b finds a wall to hold on to.
func (m *Map) HookHolds(a, b Vec) bool {
	_, hit, _ := m.hookLine(a, b, false, new(int))
	return hit == TileSolid
}
