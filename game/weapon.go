package game

type weaponSpec struct {
	fireDelay     int32 // ticks between shots
	damage        int32
	maxAmmo       int32
	ammoRegenTime int32 // ticks to regenerate a round, 0 for never
}

var weapons = [NumWeapons]weaponSpec{
	WeaponHammer:  {fireDelay: 6, damage: 3, maxAmmo: 10},
	WeaponGun:     {fireDelay: 6, damage: 1, maxAmmo: 10, ammoRegenTime: 25},
	WeaponShotgun: {fireDelay: 25, damage: 1, maxAmmo: 10},
	WeaponGrenade: {fireDelay: 25, damage: 6, maxAmmo: 10},
	WeaponLaser:   {fireDelay: 40, damage: 5, maxAmmo: 10},
	WeaponNinja:   {fireDelay: 40, damage: 9, maxAmmo: 10},
}

// has reports whether the character has a weapon.
func (c *character) has(weapon Weapon) bool {
	return weapon >= 0 && weapon < NumWeapons && c.weapons[weapon].owned
}

func (c *character) hasAnyWeapon() bool {
	for i := range c.weapons {
		if c.weapons[i].owned {
			return true
		}
	}
	return false
}

// setWeapon makes weapon the active one.
func (w *World) setWeapon(c *character, weapon Weapon) {
	if weapon == c.activeWeapon {
		return
	}
	c.lastWeapon = c.activeWeapon
	c.queuedWeapon = -1
	c.activeWeapon = weapon
	w.sound(c.pos, SoundWeaponSwitch, MaskAll)
	c.weapons[weapon].ammoRegenStart = -1
}

// Weapon returns the weapon that a pickup gives, or WeaponWorld for none.
func (k PickupKind) Weapon() Weapon {
	switch k {
	case PickupGrenade:
		return WeaponGrenade
	case PickupShotgun:
		return WeaponShotgun
	case PickupLaser:
		return WeaponLaser
	case PickupNinja:
		return WeaponNinja
	case PickupGun:
		return WeaponGun
	case PickupHammer:
		return WeaponHammer
	}
	return WeaponWorld
}
