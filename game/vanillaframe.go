package game

import "github.com/teeyard/teeyard/game/vec"

// show adds the shots and pickups, newest first, and those that entities of mods draw.
func (v *vanilla) show(f *Frame) {
	w := v.w
	f.Projectiles = f.Projectiles[:0]
	for i := len(v.projectiles) - 1; i >= 0; i-- {
		f.Projectiles = append(f.Projectiles, w.projectileState(&v.projectiles[i], 0))
	}
	f.Projectiles = append(f.Projectiles, w.drawn.projectiles...)
	f.Lasers = f.Lasers[:0]
	for i := len(v.lasers) - 1; i >= 0; i-- {
		l := &v.lasers[i]
		f.Lasers = append(f.Lasers, laserState(l.id, l.pos, l.segmentStart, l.evalTick, 0))
	}
	f.Lasers = append(f.Lasers, w.drawn.lasers...)
	f.Pickups = f.Pickups[:0]
	for i := len(v.pickups) - 1; i >= 0; i-- {
		if p := &v.pickups[i]; p.spawnTick == -1 {
			f.Pickups = append(f.Pickups, pickupState(p.id, p.kind, p.pos, 0))
		}
	}
	f.Pickups = append(f.Pickups, w.drawn.pickups...)
}

func (v *vanilla) eyes(id PlayerID, e Emote) (shown Emote, lastAction int32) {
	return e, v.w.characters[id].lastActionTick
}

func (v *vanilla) viewRange(PlayerID) vec.Vec2 { return vec.Vec2{} }
