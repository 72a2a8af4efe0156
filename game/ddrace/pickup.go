package ddrace

import "github.com/teeyard/teeyard/game/vec"

// carried is the part of an entity of the map that can move.
type carried struct {
	Pos    Vec
	Vel    Vec // units per step
	Layer  Layer
	Number uint8 // of its switch, 0 if it works always
}

// stepTicks is the interval between the moves of map entities, in ticks.
const stepTicks = 7

// isStep reports whether entities move in this tick.
func (w *World) isStep() bool { return w.tick%stepTicks == 0 }

// carry moves an entity by one step. On a mover tile, it takes the tile's velocity.
func (m *Map) carry(c *carried) {
	index, flags := m.tileAndFlags(m.truncIndex(c.Pos), false)
	if index == tileMover || index == tileFastMover {
		speed := float32(4)
		if index == tileFastMover {
			speed = 16
		}
		switch flags {
		case turned0:
			c.Vel = Vec{Y: -speed}
		case turned90:
			c.Vel = Vec{X: speed}
		case turned180:
			c.Vel = Vec{Y: speed}
		case turned270:
			c.Vel = Vec{X: -speed}
		default:
			c.Vel = Vec{}
		}
	}
	c.Pos = c.Pos.Add(c.Vel)
}

// worksFor reports whether an entity affects a tee.
func (w *World) worksFor(c *carried, t *Tee) bool {
	if c.Layer != LayerSwitch || c.Number == 0 {
		return true
	}
	team := w.team(int(t.id))
	if team == TeamSuper {
		return w.settings.release20() || w.switches.preset.Has(c.Number) // before DDNet 20, it reads beyond the teams
	}
	return w.switchActive(c.Number, team)
}

// Pickup is a pickup of the map. It never disappears.
type Pickup struct {
	ID   uint16 // set by AppendPickups
	Kind EntityKind
	carried
}

// tickPickup gives a pickup to the tees that touch it.
func (w *World) tickPickup(p *Pickup) {
	if w.isStep() {
		w.m.carry(&p.carried)
	}
	for t := range w.newest {
		if p.touches(t) && w.worksFor(&p.carried, t) {
			w.pickUp(p, t)
		}
	}
}

func (p *Pickup) touches(t *Tee) bool { return vec.Distance(t.Pos, p.Pos) < 20+teeSize }

func (w *World) pickUp(p *Pickup, t *Tee) {
	switch p.Kind {
	case EntityHealth:
		if w.freeze(t, w.freezeDelay()) {
			w.sound(t, p.Pos, SoundPickupHealth)
		}
	case EntityArmor:
		if t.Super {
			return
		}
		lost := false
		for i := WeaponShotgun; i < NumWeapons; i++ {
			if t.Weapons[i] {
				t.Weapons[i], t.loaded[i] = false, false
				lost = true
			}
		}
		t.stopNinja()
		if lost {
			t.LastWeapon = WeaponGun
			w.sound(t, p.Pos, SoundPickupArmor)
		}
		if t.ActiveWeapon >= WeaponShotgun {
			t.ActiveWeapon = WeaponHammer
		}
	case EntityNoShotgun:
		w.takeWeapon(p, t, WeaponShotgun)
	case EntityNoGrenade:
		w.takeWeapon(p, t, WeaponGrenade)
	case EntityNoLaser:
		w.takeWeapon(p, t, WeaponLaser)
	case EntityNoNinja:
		if !t.Super {
			t.stopNinja()
		}
	case EntityShotgun:
		w.giveWeapon(p, t, WeaponShotgun, SoundPickupShotgun)
	case EntityGrenade:
		w.giveWeapon(p, t, WeaponGrenade, SoundPickupGrenade)
	case EntityLaser:
		w.giveWeapon(p, t, WeaponLaser, SoundPickupShotgun)
	case EntityNinja:
		w.giveNinja(t)
	}
}

// stopNinja ends the ninja at its next tick.
func (t *Tee) stopNinja() {
	t.Ninja.ActivationDir, t.Ninja.ActivationTick, t.Ninja.CurrentMoveTime = Vec{}, -500, 0
}

func (w *World) takeWeapon(p *Pickup, t *Tee, weapon Weapon) {
	if t.Super {
		return
	}
	if t.Weapons[weapon] {
		t.Weapons[weapon], t.loaded[weapon] = false, false
		t.LastWeapon = WeaponGun
		w.sound(t, p.Pos, SoundPickupArmor)
	}
	if t.ActiveWeapon == weapon {
		t.ActiveWeapon = WeaponHammer
	}
}

func (w *World) giveWeapon(p *Pickup, t *Tee, weapon Weapon, s Sound) {
	if t.Weapons[weapon] && t.loaded[weapon] {
		return
	}
	t.Weapons[weapon], t.loaded[weapon] = true, true
	w.sound(t, p.Pos, s)
	w.addEvent(Event{Kind: EventPickup, Tee: t.id, Value: int32(weapon)})
}
