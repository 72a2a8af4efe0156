package vanilla

import (
	"math"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// PickupKind is a kind of pickup, with the number of 0.7.
type PickupKind uint8

// The pickups.
const (
	PickupHealth PickupKind = iota
	PickupArmor
	PickupGrenade
	PickupShotgun
	PickupLaser
	PickupNinja
	PickupGun
	PickupHammer
)

// Once is the Respawn of a pickup that can be taken once.
const Once int32 = -1

// Pickup is a pickup on the map, available or waiting to respawn.
type Pickup struct {
	ID        uint16
	Kind      PickupKind
	Pos       vec.Vec2
	SpawnTick int32 // it respawns after this tick; -1 if it is available

	// The fields below are set if a mode or mod made the pickup.
	Handle    Handle
	Respawn   int32 // ticks, 0 for the usual time of the kind, or Once
	Permanent bool  // made with the map
	Removed   bool
}

// spawnDelays returns the ticks before a pickup first appears and before it respawns.
func (k PickupKind) spawnDelays() (first, again int32) {
	if k == PickupNinja {
		return 90 * tee.TickRate, 90 * tee.TickRate
	}
	return 0, 15 * tee.TickRate
}

// isWeapon reports whether the pickup is a weapon whose appearance clients hear.
func (k PickupKind) isWeapon() bool {
	return k == PickupGrenade || k == PickupShotgun || k == PickupLaser
}

// AddPickup adds a pickup that a mode or mod made. It returns false if all ids are in use.
func (w *World) AddPickup(p Pickup) bool {
	id, ok := w.ids.Alloc()
	if ok {
		p.ID, p.SpawnTick = id, -1
		w.Pickups = append(w.Pickups, p)
	}
	return ok
}

func (p *Pickup) reset(tick int32) {
	if p.Handle != 0 {
		p.SpawnTick, p.Removed = -1, !p.Permanent
		return
	}
	p.SpawnTick = -1
	if first, _ := p.Kind.spawnDelays(); first > 0 {
		p.SpawnTick = tick + first
	}
}

func (w *World) tickPickup(i int) {
	p := &w.Pickups[i]
	if p.Removed {
		return
	}
	if p.SpawnTick > 0 {
		if w.Tick <= p.SpawnTick {
			return
		}
		p.SpawnTick = -1
		if p.Kind.isWeapon() {
			w.host.Sound(p.Pos, SoundWeaponSpawn)
		}
	}
	id := w.tees.Closest(p.Pos, 20)
	if id == tee.Nobody || !w.tees.All[id].Alive {
		return
	}
	if !w.host.Take(id, p.Kind, p.Handle) {
		return
	}
	p = &w.Pickups[i] // the hook can have made others
	if p.Removed || !w.takePickup(id, p) {
		return
	}
	_, again := p.Kind.spawnDelays()
	if p.Respawn != 0 {
		again = p.Respawn
	}
	p.SpawnTick = w.Tick + again
	if again == Once {
		p.SpawnTick, p.Removed = math.MaxInt32, true
	}
	w.host.Taken(id, p.Kind, p.Pos)
}

// takePickup applies a pickup to a tee. It reports whether the tee needed it.
func (w *World) takePickup(id tee.ID, p *Pickup) bool {
	c := &w.tees.All[id]
	switch p.Kind {
	case PickupHealth:
		if !c.Heal(1) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupHealth)
	case PickupArmor:
		if !c.GiveArmor(1) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupArmor)
	case PickupGrenade:
		if !c.GiveWeapon(tee.WeaponGrenade, tee.MaxAmmo) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupGrenade)
	case PickupShotgun:
		if !c.GiveWeapon(tee.WeaponShotgun, tee.MaxAmmo) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupShotgun)
	case PickupLaser:
		if !c.GiveWeapon(tee.WeaponLaser, tee.MaxAmmo) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupShotgun)
	case PickupGun: // not on maps, as the next
		if !c.GiveWeapon(tee.WeaponGun, tee.MaxAmmo) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupShotgun)
	case PickupHammer:
		if c.Weapons[tee.WeaponHammer].Owned || !c.GiveWeapon(tee.WeaponHammer, -1) {
			return false
		}
		w.host.Sound(p.Pos, SoundPickupShotgun)
	case PickupNinja:
		w.GiveNinja(id)
		for _, other := range w.tees.InOrder() {
			if other != id {
				w.tees.All[other].SetEmote(tee.EmoteSurprise, w.Tick+tee.TickRate)
			}
		}
		c.SetEmote(tee.EmoteAngry, w.Tick+1200*tee.TickRate/1000)
	default:
		return false
	}
	return true
}
