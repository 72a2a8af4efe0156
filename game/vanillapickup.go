package game

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// pickup is a pickup on the map, available or waiting to respawn.
type pickup struct {
	id        uint16
	kind      PickupKind
	pos       vec.Vec2
	spawnTick int32 // it respawns after this tick; -1 if it is available

	// Of one that a mode or mod made.
	handle    EntityID
	respawn   int32 // ticks, 0 for the usual time of the kind, or Once
	permanent bool  // made with the map
	removed   bool
}

// pickupSpawnDelays returns the ticks before a pickup first appears and before it
// respawns.
func pickupSpawnDelays(k PickupKind) (first, again int32) {
	if k == PickupNinja {
		return 90 * TickRate, 90 * TickRate
	}
	return 0, 15 * TickRate
}

func (p *pickup) reset(tick int32) {
	if p.handle != NoEntity {
		p.spawnTick, p.removed = -1, !p.permanent
		return
	}
	p.spawnTick = -1
	if first, _ := pickupSpawnDelays(p.kind); first > 0 {
		p.spawnTick = tick + first
	}
}

func (v *vanilla) tickPickup(i int) {
	w := v.w
	p := &v.pickups[i]
	if p.removed {
		return
	}
	if p.spawnTick > 0 {
		if w.tick <= p.spawnTick {
			return
		}
		p.spawnTick = -1
		if p.kind == PickupGrenade || p.kind == PickupShotgun || p.kind == PickupLaser {
			w.sound(p.pos, SoundWeaponSpawn, MaskAll)
		}
	}
	id := w.closestCharacter(p.pos, 20)
	if id == Nobody || !w.characters[id].alive {
		return
	}
	if !w.callPickup(id, p.kind, p.handle) {
		return
	}
	p = &v.pickups[i] // the hook can have made others
	if p.removed || !v.takePickup(id, p) {
		return
	}
	_, again := pickupSpawnDelays(p.kind)
	if p.respawn != 0 {
		again = p.respawn
	}
	p.spawnTick = w.tick + again
	if again == Once {
		p.spawnTick, p.removed = math.MaxInt32, true
	}
	weapon := WeaponWorld
	if p.kind == PickupGrenade || p.kind == PickupShotgun || p.kind == PickupLaser {
		weapon = p.kind.Weapon()
	}
	w.addEvent(Event{Kind: EvPickup, To: MaskOne(id), Player: id, Pickup: p.kind, Weapon: weapon, Pos: p.pos})
}

// takePickup applies a pickup to a character. It reports whether the character needed
// it.
func (v *vanilla) takePickup(id PlayerID, p *pickup) bool {
	w := v.w
	c := &w.characters[id]
	switch p.kind {
	case PickupHealth:
		if !c.heal(1) {
			return false
		}
		w.sound(p.pos, SoundPickupHealth, MaskAll)
	case PickupArmor:
		if !c.giveArmor(1) {
			return false
		}
		w.sound(p.pos, SoundPickupArmor, MaskAll)
	case PickupGrenade:
		if !c.giveWeapon(WeaponGrenade, weapons[WeaponGrenade].maxAmmo) {
			return false
		}
		w.sound(p.pos, SoundPickupGrenade, MaskAll)
	case PickupShotgun, PickupLaser:
		weapon := p.kind.Weapon()
		if !c.giveWeapon(weapon, weapons[weapon].maxAmmo) {
			return false
		}
		w.sound(p.pos, SoundPickupShotgun, MaskAll)
	case PickupGun: // not on maps, as the next
		if !c.giveWeapon(WeaponGun, weapons[WeaponGun].maxAmmo) {
			return false
		}
		w.sound(p.pos, SoundPickupShotgun, MaskAll)
	case PickupHammer:
		if c.weapons[WeaponHammer].owned || !c.giveWeapon(WeaponHammer, -1) {
			return false
		}
		w.sound(p.pos, SoundPickupShotgun, MaskAll)
	case PickupNinja:
		v.giveNinja(id)
		for i := 0; i < w.charOrder.count; i++ {
			if other := w.charOrder.ids[i]; other != id {
				w.characters[other].setEmote(EmoteSurprise, w.tick+TickRate)
			}
		}
		c.setEmote(EmoteAngry, w.tick+1200*TickRate/1000)
	default:
		return false
	}
	return true
}
