package ddrace

import "github.com/teeyard/teeyard/game/vec"

// dragger is an entity that pulls tees.
type dragger struct {
	carried
	Strength     int32 // units per tick², 1 to 3
	ThroughWalls bool
	// targets are the pulled tees of each team, or noTee. beams are the tees that a beam pulls.
	targets [maxTeams]int8
	beams   TeeSet
}

func newDragger(e *Entity) dragger {
	d := dragger{carried: carried{Pos: e.Pos, Layer: e.Layer, Number: e.Number}, Strength: int32(e.Kind-EntityDragger) + 1}
	if e.Kind >= EntityDraggerThrough {
		d.Strength, d.ThroughWalls = int32(e.Kind-EntityDraggerThrough)+1, true
	}
	for i := range d.targets {
		d.targets[i] = noTee
	}
	return d
}

// draggerSees reports whether the line from a dragger to a tee is free.
func (w *World) draggerSees(d *dragger, t *Tee) bool {
	if w.tired() {
		return false
	}
	_, stopped := w.m.endOfLight(d.Pos, t.Pos, d.ThroughWalls, &w.looks)
	return !stopped
}

// tickDragger moves a dragger and chooses the tees that it pulls: all solo tees, and one of each
// team. That one is the tee of the last step, or the nearest if that tee is no longer visible.
func (w *World) tickDragger(of int32) {
	if !w.isStep() {
		return
	}
	d := &w.entities.draggers[of]
	w.m.carry(&d.carried)
	var (
		nearest  [maxTeams]int8
		distance [maxTeams]int32
		pulled   TeeSet
		visible  TeeSet // those that are not solo
	)
	reach := float32(w.settings.DraggerRange) - teeSize
	for team := range nearest {
		nearest[team] = noTee
	}
	for t := range w.newest {
		if !(vec.Distance(t.Pos, d.Pos) < reach+teeSize) || w.team(int(t.id)) == TeamSuper || !w.worksFor(&d.carried, t) || !w.draggerSees(d, t) {
			continue
		}
		if t.Core.Solo {
			pulled.add(t.id)
			continue
		}
		visible.add(t.id)
		team, l := w.team(int(t.id)), vec.Trunc(vec.Distance(t.Pos, d.Pos))
		if distance[team] == 0 || distance[team] > l {
			distance[team], nearest[team] = l, t.id
		}
	}
	for team := range d.targets {
		target := &d.targets[team]
		if *target == noTee || !visible.Has(int(*target)) {
			*target = nearest[team]
		}
		if *target != noTee {
			pulled.add(*target)
		}
	}
	if pulled == d.beams {
		return
	}
	for i := range w.seats {
		id := int8(i)
		switch was, is := d.beams.Has(i), pulled.Has(i); {
		case is && !was:
			d.beams.add(id)
			b := beam{kind: beamDragger, of: of, target: id}
			b.laser.Eval = w.tick // when it began
			w.tickDraggerBeam(&b)
			w.entities.beams = append(w.entities.beams, b)
		case was && !is:
			d.beams.remove(id)
			w.endBeams = true
		}
	}
}

// tickDraggerBeam pulls a tee, or ends the beam to it.
func (w *World) tickDraggerBeam(b *beam) {
	d, t := &w.entities.draggers[b.of], w.owner(b.target)
	if t == nil || w.isStep() && !w.worksFor(&d.carried, t) || !w.draggerSees(d, t) ||
		vec.Distance(t.Pos, d.Pos) >= float32(w.settings.DraggerRange) {
		d.beams.remove(b.target)
		b.gone = true
		return
	}
	if vec.Distance(t.Pos, d.Pos) > teeSize {
		t.push(normalize(d.Pos.Sub(t.Pos)).Mul(float32(d.Strength)))
	}
}
