package game

import (
	"math"

	"github.com/teeyard/teeyard/game/internal/tee"
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

// Tee is the tee of a player, and a part of [Player]. Without a living tee, methods have no effect
// and return zero values.
type Tee struct {
	tx *Tx
	id PlayerID
}

func (t Tee) player() *player { return t.tx.player(t.id) }

func (t Tee) character() *tee.Tee { return t.tx.character(t.id) }

// SetPos moves the tee to a position and keeps its velocity. The tee's hook and all hooks that hold
// the tee are released. In DDRace the tee's race no longer counts.
func (t Tee) SetPos(pos vec.Vec2) {
	c := t.character()
	if c == nil {
		return
	}
	t.ReleaseHooks()
	c.Core.Pos = bounded(pos, maxPos)
	c.Core.HookPos = c.Core.Pos
	c.Core.Quantize()
	c.Pos = c.Core.Pos
	t.tx.w.sim.changed(t.id, changedPos)
}

// Vel returns the velocity of the tee in units per tick.
func (t Tee) Vel() vec.Vec2 {
	if c := t.character(); c != nil {
		return c.Core.Vel
	}
	return vec.Vec2{}
}

// SetVel sets the velocity of the tee in units per tick. Each coordinate is limited to 6000.
func (t Tee) SetVel(v vec.Vec2) {
	if c := t.character(); c != nil {
		c.Core.Vel = bounded(v, maxVel)
		t.tx.w.sim.changed(t.id, changedVel)
	}
}

// Push adds v to the velocity of the tee, in units per tick.
func (t Tee) Push(v vec.Vec2) { t.SetVel(t.Vel().Add(bounded(v, maxVel))) }

// Grounded reports whether the tee stands on ground.
func (t Tee) Grounded() bool {
	c := t.character()
	return c != nil && c.Core.Grounded()
}

// Hooked returns the player whom the tee's hook holds, or -1.
func (t Tee) Hooked() PlayerID {
	if c := t.character(); c != nil && c.Core.HookedPlayer >= 0 {
		return PlayerID(c.Core.HookedPlayer)
	}
	return Nobody
}

// ReleaseHooks releases the hook of the tee and all hooks that hold the tee. A player must release
// the hook key before the hook works again.
func (t Tee) ReleaseHooks() {
	c := t.character()
	if c == nil {
		return
	}
	t.tx.w.sim.changed(t.id, changedHooks)
	c.Core.ReleaseHook()
	for i := range t.tx.w.tees.All {
		if o := &t.tx.w.tees.All[i]; o.Exists && o.Core.HookedPlayer == int32(t.id) {
			o.Core.ReleaseHook()
		}
	}
}

// RefillJump lets the tee jump in the air again before it lands.
func (t Tee) RefillJump() {
	if c := t.character(); c != nil {
		c.Core.RefillJump()
		t.tx.w.sim.changed(t.id, changedAirJump)
	}
}

// SetJumps sets the number of jumps that the tee has before it must land, 1 to 255. It lasts until
// the tee dies or the next call; a new tee has 2. With 1, the tee can jump either from the ground
// or, when it falls, in the air. DDNet's clients predict it.
func (t Tee) SetJumps(n int32) {
	if t.character() != nil {
		t.tx.w.sim.setJumps(t.id, min(max(n, 1), 255))
	}
}

// setJumps sets the number of jumps of a tee.
func (w *World) setJumps(id PlayerID, n int32) {
	if w.tees.All[id].SetJumps(n) {
		w.extend()
	}
}

// Jumps returns the number of jumps that the tee has before it must land.
func (t Tee) Jumps() int32 {
	if t.character() != nil {
		return t.tx.w.sim.jumps(t.id)
	}
	return 0
}

// SetHealth sets the health of the tee, 1..10.
func (t Tee) SetHealth(n int32) {
	if c := t.character(); c != nil {
		c.Health = min(max(n, 1), tee.MaxHealth)
	}
}

// SetArmor sets the armour of the tee, 0..10.
func (t Tee) SetArmor(n int32) {
	if c := t.character(); c != nil {
		c.Armor = min(max(n, 0), tee.MaxHealth)
	}
}

// Weapon returns the active weapon of the tee, or WeaponWorld without a tee.
func (t Tee) Weapon() Weapon {
	if c := t.character(); c != nil {
		return Weapon(c.ActiveWeapon)
	}
	return WeaponWorld
}

// SelectWeapon makes a weapon the active one at once. It returns false if the tee does not have the
// weapon.
func (t Tee) SelectWeapon(weapon Weapon) bool {
	c := t.character()
	if c == nil || !c.Has(tee.Weapon(weapon)) {
		return false
	}
	t.tx.w.setWeapon(c, weapon)
	t.tx.w.sim.changed(t.id, changedWeapon)
	return true
}

// HasWeapon reports whether the tee has a weapon.
func (t Tee) HasWeapon(weapon Weapon) bool {
	c := t.character()
	return c != nil && c.Has(tee.Weapon(weapon))
}

// Ammo returns the rounds that the tee has for a weapon, or -1 if they are unlimited.
func (t Tee) Ammo(weapon Weapon) int32 {
	if c := t.character(); c != nil && c.Has(tee.Weapon(weapon)) {
		return c.Weapons[weapon].Ammo
	}
	return 0
}

// SetAmmo sets the rounds for a weapon that the tee has, at most 10, or -1 for unlimited ones.
func (t Tee) SetAmmo(weapon Weapon, n int32) {
	if c := t.character(); c != nil && c.Has(tee.Weapon(weapon)) && weapon != WeaponNinja {
		c.Weapons[weapon].Ammo = min(max(n, -1), tee.MaxAmmo)
	}
}

// ReloadTicks returns the number of ticks until the tee can fire again.
func (t Tee) ReloadTicks() int32 {
	if t.character() != nil {
		return t.tx.w.sim.reloadTicks(t.id)
	}
	return 0
}

// SetReloadTicks sets the number of ticks until the tee can fire again.
func (t Tee) SetReloadTicks(n int32) {
	if c := t.character(); c != nil {
		c.ReloadTimer = min(max(n, 0), 1<<20)
		t.tx.w.sim.changed(t.id, changedReloadTicks)
	}
}

// SetEmote sets the eyes of the tee for some ticks.
func (t Tee) SetEmote(e Emote, ticks int32) {
	if c := t.character(); c != nil && e <= EmoteBlink {
		c.SetEmote(tee.Emote(e), t.tx.w.tick+min(max(ticks, 0), 1<<20))
	}
}

// Input returns the last input that moves the tee. It includes changes by [InputHook], but
// not the effect of MaskInput.
func (t Tee) Input() Input {
	if t.character() != nil {
		return t.tx.w.sim.input(t.id)
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

// MaskInput disables the given controls of the tee and enables all others, until the tee dies or
// the next call. Aiming and the camera always work. Clients predict disabled controls only in part.
func (t Tee) MaskInput(disabled Controls) {
	if c := t.character(); c != nil && c.SetMasked(tee.Controls(disabled)) {
		t.tx.w.extend()
	}
}

// MaskedInput returns the controls that MaskInput disabled.
func (t Tee) MaskedInput() Controls {
	if c := t.character(); c != nil {
		return Controls(c.Masked)
	}
	return 0
}

// Alive reports whether the player has a living tee.
func (t Tee) Alive() bool { return t.character() != nil }

// Pos returns the position of the tee, in units (1/32 tile).
func (t Tee) Pos() vec.Vec2 {
	if c := t.character(); c != nil {
		return c.Pos
	}
	return vec.Vec2{}
}

// Health returns the health of the tee, 1..10.
func (t Tee) Health() int32 {
	if c := t.character(); c != nil {
		return c.Health
	}
	return 0
}

// Armor returns the armour of the tee, 0..10.
func (t Tee) Armor() int32 {
	if c := t.character(); c != nil {
		return c.Armor
	}
	return 0
}

// Heal adds health, up to 10. It reports whether the tee had less than 10.
func (t Tee) Heal(n int32) bool {
	c := t.character()
	return c != nil && n > 0 && c.Heal(min(n, tee.MaxHealth))
}

// GiveArmor adds armour, up to 10. It reports whether the tee had less than 10.
func (t Tee) GiveArmor(n int32) bool {
	c := t.character()
	return c != nil && n > 0 && c.GiveArmor(min(n, tee.MaxHealth))
}

// GiveWeapon gives a weapon with ammo rounds: at most 10, or -1 for unlimited ones. They replace
// the rounds of a weapon that the tee has. Clients show unlimited rounds as 10. A ninja becomes the
// active weapon. GiveWeapon returns false if the tee already has the weapon with full or unlimited
// ammo. In DDRace rounds are always unlimited, and the race of the tee that gets a weapon this way
// no longer counts.
func (t Tee) GiveWeapon(weapon Weapon, ammo int32) bool {
	if t.character() == nil || weapon < 0 || weapon >= NumWeapons {
		return false
	}
	return t.tx.w.sim.giveWeapon(t.id, weapon, ammo)
}

// TakeWeapon removes a weapon. If it was active, another weapon becomes active. The last weapon
// cannot be removed.
func (t Tee) TakeWeapon(weapon Weapon) {
	c := t.character()
	if c == nil || weapon < 0 || weapon >= NumWeapons || !c.Weapons[weapon].Owned {
		return
	}
	t.tx.w.sim.takeWeapon(t.id, weapon)
	if weapon == Weapon(c.ActiveWeapon) {
		next := Weapon(-1)
		for i := range c.Weapons {
			if Weapon(i) != weapon && c.Weapons[i].Owned {
				next = Weapon(i)
			}
		}
		if next < 0 {
			return
		}
		t.tx.w.setWeapon(c, next)
	}
	c.Weapons[weapon] = tee.WeaponState{}
	if c.QueuedWeapon == int32(weapon) {
		c.QueuedWeapon = -1
	}
	if c.LastWeapon == tee.Weapon(weapon) {
		c.LastWeapon = c.ActiveWeapon
	}
}

// Kill kills the tee. The death counts as a suicide; clients show weapon as its cause.
func (t Tee) Kill(weapon Weapon) {
	if t.character() != nil {
		t.tx.w.sim.kill(t.id, weapon)
	}
}

// TakeDamage hits the tee. It reports whether the hit counted and the victim survived. It sets
// d.Victim itself.
func (t Tee) TakeDamage(d Damage) bool {
	if t.character() == nil || d.Attacker != Nobody && t.tx.player(d.Attacker) == nil {
		return false
	}
	d.Victim, d.Amount = t.id, min(max(d.Amount, 0), 1000)
	return t.tx.w.sim.damage(d)
}
