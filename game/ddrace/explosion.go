package ddrace

import "github.com/teeyard/teeyard/game/vec"

// explode pushes the tees around a point. If harmless is set (plasma and shots without an owner),
// or if the owner's weapons do not affect others, it pushes one tee of each team. Without an owner,
// team limits it to one team; -1 means no limit.
func (w *World) explode(p Vec, owner int8, harmless bool, team int) {
	w.addEvent(Event{Kind: EventExplosion, Tee: owner, Pos: p})
	const outer, inner = 135, 48
	zone := uint8(0)
	if owner >= 0 {
		zone = w.players[owner].zone
	}
	strength := w.params(zone)[ExplosionStrength]
	by := w.owner(owner)
	affects := w.affects(by, by != nil && by.UnhitGrenade)
	pushed := uint64(0) // teams
	for t := range w.newest {
		if !(vec.Distance(t.Pos, p) < outer+teeSize) {
			continue
		}
		away := t.Pos.Sub(p)
		l := away.Len()
		dir := Vec{X: 0, Y: 1}
		if l != 0 {
			dir = normalize(away)
		}
		damage := float32(strength * (1 - vec.Clamp((l-inner)/(outer-inner), 0, 1)))
		if vec.Trunc(damage) == 0 || !affects && !harmless && owner != t.id {
			continue
		}
		if owner >= 0 && !w.canCollide(int(t.id), int(owner)) || owner < 0 && team >= 0 && int(w.team(int(t.id))) != team {
			continue
		}
		if !affects || harmless {
			team := w.team(int(t.id))
			bit := uint64(1) << (team & 63) // before DDNet 20, TeamSuper is as team 0
			if pushed&bit != 0 || team == TeamSuper && w.settings.release20() {
				continue
			}
			pushed |= bit
		}
		w.hurt(t, dir.Mul(damage).Mul(2))
	}
}
