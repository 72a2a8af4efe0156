package ddrace

import "github.com/teeyard/teeyard/game/vec"

// turret is an entity that fires plasma.
type turret struct {
	carried
	Explosive, Freezing bool
	// The ticks of the last shots at each team and at each solo tee.
	firedAtTeam [maxTeams]int32
	firedAtSolo [MaxTees]int32
}

func newTurret(e *Entity) turret {
	return turret{
		carried:   carried{Pos: e.Pos, Layer: e.Layer, Number: e.Number},
		Explosive: e.Kind == EntityTurretExplosive || e.Kind == EntityTurretBoth,
		Freezing:  e.Kind == EntityTurretFreeze || e.Kind == EntityTurretBoth,
	}
}

// tickTurret moves a turret and fires at the nearest tee of each team and at all solo tees.
func (w *World) tickTurret(g *turret) {
	if w.isStep() {
		w.m.carry(&g.carried)
	}
	if w.settings.PlasmaPerSec <= 0 {
		return
	}
	delay := TickRate / w.settings.PlasmaPerSec
	var (
		nearest  [maxTeams]int8
		distance [maxTeams]int32
		targets  TeeSet
	)
	for team := range nearest {
		nearest[team] = noTee
	}
	for t := range w.newest {
		if !(vec.Distance(t.Pos, g.Pos) < float32(w.settings.PlasmaRange)+teeSize) || w.team(int(t.id)) == TeamSuper || !w.worksFor(&g.carried, t) {
			continue
		}
		team := w.team(int(t.id))
		last := g.firedAtTeam[team]
		if t.Core.Solo {
			last = g.firedAtSolo[t.id]
		}
		if last+delay > w.tick {
			continue
		}
		if w.tired() {
			continue
		}
		if _, _, wall := w.m.wallLine(g.Pos, t.Pos, &w.looks); wall {
			continue
		}
		if t.Core.Solo {
			targets.add(t.id)
			g.firedAtSolo[t.id] = w.tick
			continue
		}
		if l := vec.Trunc(vec.Distance(t.Pos, g.Pos)); distance[team] == 0 || distance[team] > l {
			distance[team], nearest[team] = l, t.id
		}
	}
	for team, id := range nearest {
		if id != noTee {
			targets.add(id)
			g.firedAtTeam[team] = w.tick
		}
	}
	if targets == (TeeSet{}) {
		return
	}
	for i := range w.seats {
		if id := int8(i); targets.Has(i) && !w.entities.beamsFull() {
			w.entities.addShot(beam{kind: beamPlasma, target: id, plasma: plasma{
				Pos: g.Pos, vel: normalize(w.tees[id].Pos.Sub(g.Pos)), life: 75, Explosive: g.Explosive, Freezing: g.Freezing, Start: w.tick,
			}})
		}
	}
}

// plasma is a shot of a turret. It ends with its target.
type plasma struct {
	Pos                 Vec
	vel                 Vec   // units per tick
	Start               int32 // tick
	life                int32 // ticks that remain
	Explosive, Freezing bool  // it unfreezes if it does not freeze
}

// tickPlasma moves plasma and lets it hit the next obstacle on its way.
func (w *World) tickPlasma(b *beam) {
	p, target := &b.plasma, w.owner(b.target)
	if p.life == 0 || target == nil {
		b.gone = true
		return
	}
	if w.tired() {
		return
	}
	p.life--
	p.Pos = p.Pos.Add(p.vel)
	p.vel = p.vel.Mul(1.1)
	next := p.Pos.Add(p.vel)
	if t, _ := w.firstOnLine(p.Pos, next, 0, nil, b.target, nil); t != nil && w.team(int(t.id)) != TeamSuper {
		if p.Freezing {
			w.freeze(t, w.freezeDelay())
		} else {
			w.unfreeze(t)
		}
		w.endPlasma(b)
	}
	// It can hit a tee and a wall at once.
	if _, stopped := w.m.endOfLight(p.Pos, next, false, &w.looks); stopped {
		w.endPlasma(b)
	}
}

func (w *World) endPlasma(b *beam) {
	if b.plasma.Explosive {
		w.explode(b.plasma.Pos, b.target, true, int(w.team(int(b.target))))
	}
	b.gone = true
}
