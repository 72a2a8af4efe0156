package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/vec"
)

func (v *vanillaHost) kill(id PlayerID, weapon Weapon) { v.w.die(id, id, weapon) }

func (v *vanillaHost) respawn(id PlayerID) {
	w, p := v.w, &v.w.players[id]
	w.dropCarriedFlags(id)
	w.tees.Die(tee.ID(id))
	p.respawnTick, p.spawning = w.tick, true
}

func (v *vanillaHost) respawnNow(PlayerID) {}

func (v *vanillaHost) changed(PlayerID, characterChange) {}

func (v *vanillaHost) giveWeapon(id PlayerID, weapon Weapon, ammo int32) bool {
	if weapon == WeaponNinja {
		v.world.GiveNinja(tee.ID(id))
		return true
	}
	return v.tee(id).GiveWeapon(tee.Weapon(weapon), max(ammo, -1))
}

func (v *vanillaHost) takeWeapon(PlayerID, Weapon) {}

func (v *vanillaHost) tee(id PlayerID) *tee.Tee { return &v.w.tees.All[id] }

func (v *vanillaHost) jumps(id PlayerID) int32 { return v.tee(id).Jumps() }

func (v *vanillaHost) setJumps(id PlayerID, n int32) { v.w.setJumps(id, n) }

func (v *vanillaHost) reloadTicks(id PlayerID) int32 { return v.tee(id).ReloadTimer }

func (v *vanillaHost) input(id PlayerID) Input { return inputOfTee(&v.tee(id).Input) }

func (v *vanillaHost) flags(id PlayerID) CharacterFlags { return CharacterFlags(v.tee(id).Flags) }

func (v *vanillaHost) setFlags(id PlayerID, f CharacterFlags) { v.w.setFlags(id, f) }

func (v *vanillaHost) freeze(id PlayerID, ticks int32) bool {
	if !v.tee(id).Freeze(v.w.tick, ticks) {
		return false
	}
	v.w.extend()
	return true
}

func (v *vanillaHost) unfreeze(id PlayerID) bool { return v.tee(id).Unfreeze(v.w.tick) }

func (v *vanillaHost) frozen(id PlayerID) int32 { return v.tee(id).Frozen(v.w.tick) }

func (v *vanillaHost) damage(d Damage) bool { return v.world.Damage(d.vanilla()) }

func (v *vanillaHost) explode(pos vec.Vec2, from PlayerID, weapon Weapon, maxDamage int32) {
	v.world.Explode(pos, tee.ID(from), tee.Weapon(weapon), maxDamage)
}

func (v *vanillaHost) spawnPickup(kind PickupKind, pos vec.Vec2, respawn int32) EntityID {
	w := v.w
	if len(v.world.Pickups) >= maxModPickups || !w.hasIDs(1) {
		return NoEntity
	}
	w.usesEntities = true
	id := w.newHandle()
	v.world.AddPickup(vanilla.Pickup{
		Kind: vanilla.PickupKind(kind), Pos: pos, Handle: vanilla.Handle(id), Respawn: max(respawn, Once), Permanent: w.building,
	})
	return id
}

func (v *vanillaHost) spawnProjectile(s Shot) EntityID {
	w := v.w
	if len(v.world.Projectiles) >= maxModShots || !w.hasIDs(1) {
		return NoEntity
	}
	w.usesEntities = true
	id := w.newHandle()
	p := v.world.NewProjectile(tee.Weapon(s.Weapon), tee.ID(s.Owner), s.Pos, s.Dir)
	p.Handle = vanilla.Handle(id)
	if s.Explosive {
		p.MakeExplosive()
	}
	if s.Damage != 0 {
		p.Damage = min(max(s.Damage, 0), 1000)
	}
	if s.Ticks > 0 {
		p.LifeSpan = s.Ticks
	}
	v.world.Fire(p)
	return id
}

func (v *vanillaHost) spawnLaser(owner PlayerID, pos, dir vec.Vec2) EntityID {
	w := v.w
	if len(v.world.Lasers) >= maxModShots || !w.hasIDs(1) {
		return NoEntity
	}
	w.usesEntities = true
	id := w.newHandle()
	v.world.FireLaser(tee.ID(owner), pos, dir.Normalize(), vanilla.Handle(id))
	return id
}

func (v *vanillaHost) remove(id EntityID) bool { return v.world.Remove(vanilla.Handle(id)) }
