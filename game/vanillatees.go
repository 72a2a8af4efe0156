package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

func (v *vanilla) kill(id PlayerID, weapon Weapon) { v.w.die(id, id, weapon) }

func (v *vanilla) respawn(id PlayerID) {
	w, p := v.w, &v.w.players[id]
	w.dropCarriedFlags(id)
	w.characters[id].alive = false
	w.removeFromWorld(id)
	w.coreWorld.Cores[id] = nil
	p.respawnTick, p.spawning = w.tick, true
}

func (v *vanilla) respawnNow(PlayerID) {}

func (v *vanilla) changed(PlayerID, characterChange) {}

func (v *vanilla) giveWeapon(id PlayerID, weapon Weapon, ammo int32) bool {
	if weapon == WeaponNinja {
		v.giveNinja(id)
		return true
	}
	return v.w.characters[id].giveWeapon(weapon, max(ammo, -1))
}

func (v *vanilla) takeWeapon(PlayerID, Weapon) {}

func (v *vanilla) jumps(id PlayerID) int32 { return v.w.characters[id].jumps() }

func (v *vanilla) setJumps(id PlayerID, n int32) { v.w.setJumps(id, n) }

func (v *vanilla) reloadTicks(id PlayerID) int32 { return v.w.characters[id].reloadTimer }

func (v *vanilla) input(id PlayerID) Input { return v.w.characters[id].input }

func (v *vanilla) flags(id PlayerID) CharacterFlags { return v.w.characters[id].flags }

func (v *vanilla) setFlags(id PlayerID, f CharacterFlags) { v.w.setFlags(id, f) }

func (v *vanilla) freeze(id PlayerID, ticks int32) bool {
	c := &v.w.characters[id]
	now, end := v.w.tick, FreezeForever
	if ticks != FreezeForever {
		end = now + min(ticks, 1<<20)
		left := c.freezeEnd - now
		if left > 0 && (ticks <= left || c.freezeStart+TickRate >= now && ticks <= left+TickRate) {
			return false
		}
	}
	c.freezeStart, c.freezeEnd = now, end
	v.w.extend()
	return true
}

func (v *vanilla) unfreeze(id PlayerID) bool { return v.w.characters[id].unfreeze(v.w.tick) }

func (v *vanilla) frozen(id PlayerID) int32 { return v.w.characters[id].frozen(v.w.tick) }

func (v *vanilla) spawnPickup(kind PickupKind, pos vec.Vec2, respawn int32) EntityID {
	w := v.w
	if len(v.pickups) >= maxModPickups || !w.hasIDs(1) {
		return NoEntity
	}
	id, _ := w.entityIDs.alloc()
	p := pickup{id: id, kind: kind, pos: pos, spawnTick: -1, handle: w.newHandle(), respawn: max(respawn, Once), permanent: w.building}
	v.pickups = append(v.pickups, p)
	w.usesEntities = true
	return p.handle
}

func (v *vanilla) spawnProjectile(s Shot) EntityID {
	w := v.w
	if len(v.projectiles) >= maxModShots || !w.hasIDs(1) {
		return NoEntity
	}
	p := projectile{
		owner: s.Owner, weapon: s.Weapon, startPos: s.Pos, direction: s.Dir, damage: s.Damage, lifeSpan: s.Ticks,
		impactSound: noSound, explosive: s.Explosive || s.Weapon == WeaponGrenade, handle: w.newHandle(),
	}
	if p.explosive {
		p.impactSound = SoundGrenadeExplode
	}
	if p.damage == 0 {
		p.damage = weapons[s.Weapon].damage
	}
	p.damage = min(max(p.damage, 0), 1000)
	if p.lifeSpan <= 0 {
		p.lifeSpan = lifetimeTicks(w.tuning.At(lifetimes[s.Weapon]))
	}
	v.fireProjectile(p)
	w.usesEntities = true
	return p.handle
}

// lifetimes are the tuning parameters of how long projectiles last.
var lifetimes = [...]int{WeaponGun: physics.GunLifetime, WeaponShotgun: physics.ShotgunLifetime, WeaponGrenade: physics.GrenadeLifetime}

func (v *vanilla) spawnLaser(owner PlayerID, pos, dir vec.Vec2) EntityID {
	w := v.w
	if len(v.lasers) >= maxModShots || !w.hasIDs(1) {
		return NoEntity
	}
	w.usesEntities = true
	return v.fireLaser(owner, pos, dir.Normalize(), w.newHandle())
}

func (v *vanilla) remove(id EntityID) bool {
	for i := range v.pickups {
		if p := &v.pickups[i]; p.handle == id && !p.removed {
			p.removed = true
			return true
		}
	}
	for i := range v.projectiles {
		if p := &v.projectiles[i]; p.handle == id && !p.markedForDestroy {
			p.markedForDestroy = true
			return true
		}
	}
	for i := range v.lasers {
		if l := &v.lasers[i]; l.handle == id && !l.markedForDestroy {
			l.markedForDestroy = true
			return true
		}
	}
	return false
}
