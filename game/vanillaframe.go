package game

import "github.com/teeyard/teeyard/game/vec"

// show adds the shots and pickups, newest first, and then the ones that entities of mods draw.
func (v *vanillaHost) show(f *Frame) {
	w := v.w
	f.Projectiles = f.Projectiles[:0]
	for i := len(v.world.Projectiles) - 1; i >= 0; i-- {
		p := &v.world.Projectiles[i]
		f.Projectiles = append(f.Projectiles, w.projectileState(p.ID, p.Weapon, p.StartPos, p.Direction, p.StartTick, PlayerMask{}))
	}
	f.Projectiles = append(f.Projectiles, w.drawn.projectiles...)
	f.Lasers = f.Lasers[:0]
	for i := len(v.world.Lasers) - 1; i >= 0; i-- {
		l := &v.world.Lasers[i]
		f.Lasers = append(f.Lasers, laserState(l.ID, l.Pos, l.From, l.EvalTick, PlayerMask{}))
	}
	f.Lasers = append(f.Lasers, w.drawn.lasers...)
	f.Pickups = f.Pickups[:0]
	for i := len(v.world.Pickups) - 1; i >= 0; i-- {
		if p := &v.world.Pickups[i]; p.SpawnTick == -1 {
			f.Pickups = append(f.Pickups, pickupState(p.ID, PickupKind(p.Kind), p.Pos, PlayerMask{}))
		}
	}
	f.Pickups = append(f.Pickups, w.drawn.pickups...)
}

func (v *vanillaHost) eyes(id PlayerID, e Emote) (shown Emote, lastAction int32) {
	return e, v.w.tees.All[id].LastActionTick
}

func (v *vanillaHost) viewRange(PlayerID) vec.Vec2 { return vec.Vec2{} }
