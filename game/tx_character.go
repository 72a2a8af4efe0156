package game

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// The limits of the coordinates that modes and mods set: of positions, where float32 has
// enough fractions, in units, and of velocities, as the physics have them, in units per tick.
const (
	maxPos = 1 << 20
	maxVel = 6000
)

// bounded returns v with both coordinates within a limit. NaN becomes 0.
func bounded(v vec.Vec2, limit float32) vec.Vec2 {
	bound := func(f float32) float32 {
		if math.IsNaN(float64(f)) {
			return 0
		}
		return min(max(f, -limit), limit)
	}
	return vec.Vec2{X: bound(v.X), Y: bound(v.Y)}
}

// SetPos moves a tee to a position and keeps its velocity. The tee's hook and all hooks that hold
// the tee are released. In DDRace the tee's race no longer counts.
func (tx *Tx) SetPos(id PlayerID, pos vec.Vec2) {
	c := tx.character(id)
	if c == nil {
		return
	}
	tx.ReleaseHooks(id)
	c.core.Pos = bounded(pos, maxPos)
	c.core.HookPos = c.core.Pos
	c.core.Quantize()
	c.pos = c.core.Pos
	tx.w.sim.changed(id, changedPos)
}

// Vel returns the velocity of a living tee in units per tick.
func (tx *Tx) Vel(id PlayerID) vec.Vec2 {
	if c := tx.character(id); c != nil {
		return c.core.Vel
	}
	return vec.Vec2{}
}

// SetVel sets the velocity of a tee in units per tick. Each coordinate is limited to 6000.
func (tx *Tx) SetVel(id PlayerID, v vec.Vec2) {
	if c := tx.character(id); c != nil {
		c.core.Vel = bounded(v, maxVel)
		tx.w.sim.changed(id, changedVel)
	}
}

// Push adds v to the velocity of a tee, in units per tick.
func (tx *Tx) Push(id PlayerID, v vec.Vec2) { tx.SetVel(id, tx.Vel(id).Add(bounded(v, maxVel))) }

// Grounded reports whether a living tee stands on ground.
func (tx *Tx) Grounded(id PlayerID) bool {
	c := tx.character(id)
	return c != nil && c.core.Grounded()
}

// Hooked returns the player whom a tee's hook holds, or Nobody.
func (tx *Tx) Hooked(id PlayerID) PlayerID {
	if c := tx.character(id); c != nil && c.core.HookedPlayer >= 0 {
		return PlayerID(c.core.HookedPlayer)
	}
	return Nobody
}

// ReleaseHooks releases the hook of a tee and all hooks that hold the tee. A player must release
// the hook key before the hook works again.
func (tx *Tx) ReleaseHooks(id PlayerID) {
	c := tx.character(id)
	if c == nil {
		return
	}
	tx.w.sim.changed(id, changedHooks)
	c.core.ReleaseHook()
	for i := range tx.w.characters {
		if o := &tx.w.characters[i]; o.exists && o.core.HookedPlayer == int32(id) {
			o.core.ReleaseHook()
		}
	}
}

// RefillJump lets a tee jump in the air again before it lands.
func (tx *Tx) RefillJump(id PlayerID) {
	if c := tx.character(id); c != nil {
		c.core.RefillJump()
		tx.w.sim.changed(id, changedAirJump)
	}
}

// usualJumps is how often a tee can jump: from the ground and once more in the air.
const usualJumps = 2

// SetJumps sets the number of jumps that a tee has before it must land, 1 to 255. It lasts until
// the tee dies or the next call; a new tee has 2. With 1, a tee can jump either from the ground or,
// when it falls, in the air. DDNet's clients predict it.
func (tx *Tx) SetJumps(id PlayerID, n int32) {
	if tx.character(id) != nil {
		tx.w.sim.setJumps(id, min(max(n, 1), 255))
	}
}

// setJumps sets the jumps of a character from now on.
func (w *World) setJumps(id PlayerID, n int32) {
	if c := &w.characters[id]; c.moreJumps != n-usualJumps {
		c.moreJumps, c.airJumps = n-usualJumps, 0
		w.extend()
	}
}

// Jumps returns the number of jumps that a living tee has before it must land.
func (tx *Tx) Jumps(id PlayerID) int32 {
	if tx.character(id) != nil {
		return tx.w.sim.jumps(id)
	}
	return 0
}

// SetHealth sets the health of a living tee, 1..10.
func (tx *Tx) SetHealth(id PlayerID, n int32) {
	if c := tx.character(id); c != nil {
		c.health = min(max(n, 1), maxHealth)
	}
}

// SetArmor sets the armour of a living tee, 0..10.
func (tx *Tx) SetArmor(id PlayerID, n int32) {
	if c := tx.character(id); c != nil {
		c.armor = min(max(n, 0), maxHealth)
	}
}

// Weapon returns the active weapon of a living tee, or WeaponWorld without a tee.
func (tx *Tx) Weapon(id PlayerID) Weapon {
	if c := tx.character(id); c != nil {
		return c.activeWeapon
	}
	return WeaponWorld
}

// SelectWeapon makes a weapon the active one at once. It returns false if the tee does not have the
// weapon.
func (tx *Tx) SelectWeapon(id PlayerID, weapon Weapon) bool {
	c := tx.character(id)
	if c == nil || !c.has(weapon) {
		return false
	}
	tx.w.setWeapon(c, weapon)
	tx.w.sim.changed(id, changedWeapon)
	return true
}

// HasWeapon reports whether a living tee has a weapon.
func (tx *Tx) HasWeapon(id PlayerID, weapon Weapon) bool {
	c := tx.character(id)
	return c != nil && c.has(weapon)
}

// Ammo returns the rounds that a tee has for a weapon, or -1 if they are unlimited.
func (tx *Tx) Ammo(id PlayerID, weapon Weapon) int32 {
	if c := tx.character(id); c != nil && c.has(weapon) {
		return c.weapons[weapon].ammo
	}
	return 0
}

// SetAmmo sets the rounds for a weapon that the tee has, at most 10, or -1 for unlimited ones.
func (tx *Tx) SetAmmo(id PlayerID, weapon Weapon, n int32) {
	if c := tx.character(id); c != nil && c.has(weapon) && weapon != WeaponNinja {
		c.weapons[weapon].ammo = min(max(n, -1), weapons[weapon].maxAmmo)
	}
}

// ReloadTicks returns the number of ticks until a tee can fire again.
func (tx *Tx) ReloadTicks(id PlayerID) int32 {
	if tx.character(id) != nil {
		return tx.w.sim.reloadTicks(id)
	}
	return 0
}

// SetReloadTicks sets the number of ticks until a tee can fire again.
func (tx *Tx) SetReloadTicks(id PlayerID, n int32) {
	if c := tx.character(id); c != nil {
		c.reloadTimer = min(max(n, 0), 1<<20)
		tx.w.sim.changed(id, changedReloadTicks)
	}
}

// SetEmote sets the eyes of a tee for some ticks.
func (tx *Tx) SetEmote(id PlayerID, e Emote, ticks int32) {
	if c := tx.character(id); c != nil && e <= EmoteBlink {
		c.setEmote(e, tx.w.tick+min(max(ticks, 0), 1<<20))
	}
}

// Input returns the last input that moves a living tee. It includes changes by [InputHook], but not
// the effect of MaskInput.
func (tx *Tx) Input(id PlayerID) Input {
	if tx.character(id) != nil {
		return tx.w.sim.input(id)
	}
	return Input{}
}

// Controls is a set of a player's controls.
type Controls uint8

// The controls.
const (
	ControlMove   Controls = 1 << iota // steering left and right
	ControlJump                        // jumping
	ControlHook                        // hooking
	ControlFire                        // firing
	ControlSelect                      // choosing a weapon

	ControlAll = ControlMove | ControlJump | ControlHook | ControlFire | ControlSelect
)

// MaskInput disables the given controls of a tee and enables all others, until the tee dies or the
// next call. Aiming and the camera always work. Clients predict disabled controls only in part.
func (tx *Tx) MaskInput(id PlayerID, disabled Controls) {
	if c := tx.character(id); c != nil && c.masked != disabled&ControlAll {
		c.masked = disabled & ControlAll
		tx.w.extend()
	}
}

// MaskedInput returns the controls that MaskInput disabled.
func (tx *Tx) MaskedInput(id PlayerID) Controls {
	if c := tx.character(id); c != nil {
		return c.masked
	}
	return 0
}
