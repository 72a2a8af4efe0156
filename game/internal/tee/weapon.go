package tee

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Weapon is a weapon, with the number of 0.7. Negative values are other causes of death.
type Weapon int8

// The weapons, and the death by a tile or beyond the map.
const (
	WeaponWorld   Weapon = -1
	WeaponHammer  Weapon = 0
	WeaponGun     Weapon = 1
	WeaponShotgun Weapon = 2
	WeaponGrenade Weapon = 3
	WeaponLaser   Weapon = 4
	WeaponNinja   Weapon = 5
	NumWeapons           = 6
)

// WeaponState is the state of one of a tee's weapons.
type WeaponState struct {
	Owned          bool
	Ammo           int32 // rounds, -1 for unlimited ones
	AmmoRegenStart int32 // tick at which the next round started to reload, -1 without one
}

// Path returns the curvature of a weapon's projectiles, and their speed in units per second.
func (w Weapon) Path(t *physics.Tuning) (curvature, speed float32) {
	switch w {
	case WeaponGrenade:
		return t.At(physics.GrenadeCurvature), t.At(physics.GrenadeSpeed)
	case WeaponShotgun:
		return t.At(physics.ShotgunCurvature), t.At(physics.ShotgunSpeed)
	case WeaponGun:
		return t.At(physics.GunCurvature), t.At(physics.GunSpeed)
	}
	return 0, 0
}

// ShotAt returns the position of a projectile some seconds after its start.
func (w Weapon) ShotAt(pos, dir vec.Vec2, t *physics.Tuning, seconds float32) vec.Vec2 {
	curvature, speed := w.Path(t)
	seconds = float32(seconds * speed)
	return vec.Vec2{
		X: pos.X + float32(dir.X*seconds),
		Y: pos.Y + float32(dir.Y*seconds) + float32(curvature/10000*float32(seconds*seconds)),
	}
}
