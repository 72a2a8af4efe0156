package ddrace

import "github.com/teeyard/teeyard/game/vec"

// light is a beam of an entity that freezes.
type light struct {
	carried
	To       Vec     // end of the beam
	rotation float32 // radians, against the clock from below
	angular  float32 // radians per tick
	speed    int32   // of the length, units per tick
	length   int32   // units
	full     int32   // the longest length
	rest     int32   // length beyond an end, for the next step
}

// newLight creates the light of an entity. Until its first step it has no beam.
func newLight(e *Entity) light {
	l := light{
		carried:  carried{Pos: e.Pos, Layer: e.Layer, Number: e.Number},
		To:       e.Pos,
		rotation: float32(pi / 4 * float32(e.Turn)),
		speed:    int32(e.Growth), length: int32(e.Length), full: int32(e.Length),
	}
	if e.Opening {
		l.length = 0
	}
	speeds := [...]float32{pi / 90, pi / 180, pi / 360, 0, -pi / 360, -pi / 180, -pi / 90}
	l.angular = speeds[e.Kind-EntityLight]
	return l
}

// tickLight moves a light and freezes the tees that it hits.
func (w *World) tickLight(l *light) {
	if w.isStep() {
		w.m.carry(&l.carried)
		l.turn()
		l.To, _ = w.m.endOfLight(l.Pos, l.Pos.Add(normalize(direction(l.rotation)).Mul(float32(l.length))), false, &w.looks)
	}
	around := boxAround(l.Pos, l.To, teeSize)
	for t := range w.newest {
		if around.misses(t.Pos) {
			continue
		}
		if at, ok := closest(l.Pos, l.To, t.Pos); ok && vec.Distance(t.Pos, at) < teeSize && w.worksFor(&l.carried, t) {
			w.freeze(t, w.freezeDelay())
		}
	}
}

// turn changes length and direction by one step.
func (l *light) turn() {
	if l.speed != 0 {
		if l.length >= l.full && l.speed > 0 || l.length <= 0 && l.speed < 0 {
			l.speed = -l.speed
		}
		l.length += l.speed*stepTicks + l.rest
		l.rest = 0
		if l.length > l.full {
			l.rest, l.length = l.length-l.full, l.full
		} else if l.length < 0 {
			l.rest, l.length = l.length, 0
		}
	}
	l.rotation += float32(l.angular * stepTicks)
	if l.rotation > pi*2 {
		l.rotation -= pi * 2
	} else if l.rotation < 0 {
		l.rotation += pi * 2
	}
}
