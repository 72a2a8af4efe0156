package tee

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Tee is the tee of a player.
type Tee struct {
	Exists   bool // the player has a tee, alive or dead
	Alive    bool
	InWorld  bool // takes part in collisions and hits
	EntityID uint16

	Pos  vec.Vec2 // for hits by others; vanilla sets it to Core.Pos once per tick
	Core physics.Core

	// SendCore is the state that clients were sent in ReckonTick. Clients compute ReckoningCore
	// from it.
	ReckonTick      int32
	SendCore        physics.Core
	ReckoningCore   physics.Core
	TriggeredEvents int32 // of the core in this tick

	Health, Armor int32

	Weapons         [NumWeapons]WeaponState
	ActiveWeapon    Weapon
	LastWeapon      Weapon
	QueuedWeapon    int32  // weapon to switch to, -1 for none
	ReloadTimer     int32  // ticks before the next shot
	AttackTick      int32  // of the last shot
	LastNoAmmoSound int32  // tick
	HitObjects      [10]ID // tees that the ninja has hit in this dash
	NumObjectsHit   int
	Ninja           Ninja
	Emote           Emote
	EmoteStop       int32 // tick, -1 for never

	LastActionTick  int32 // of the last change of Input, for blinking
	Input           Input // that moves the tee
	LatestInput     Input // that fires and switches weapons
	LatestPrevInput Input
	NumInputs       int32 // that moved the tee since it spawned

	States
}

// Ninja is the state of a tee's ninja.
type Ninja struct {
	ActivationDir  vec.Vec2
	ActivationTick int32 // of the pickup
	MoveTime       int32 // ticks of the dash left; continues below zero
	OldSpeed       int32 // before the dash, whole units per tick
}

// Pause moves all timers of the tee by one tick that does not count.
func (t *Tee) Pause() {
	t.AttackTick++
	t.Ninja.ActivationTick++
	t.ReckonTick++
	if t.LastActionTick != -1 {
		t.LastActionTick++
	}
	if t.Weapons[t.ActiveWeapon].AmmoRegenStart > -1 {
		t.Weapons[t.ActiveWeapon].AmmoRegenStart++
	}
	if t.EmoteStop > -1 {
		t.EmoteStop++
	}
	if t.FreezeEnd > 0 {
		t.FreezeStart++
		t.FreezeEnd++
	}
}

// Heal adds health and reports whether the tee needed it.
func (t *Tee) Heal(n int32) bool {
	if t.Health >= MaxHealth {
		return false
	}
	t.Health = min(max(t.Health+n, 0), MaxHealth)
	return true
}

// GiveArmor adds armour and reports whether the tee needed it.
func (t *Tee) GiveArmor(n int32) bool {
	if t.Armor >= MaxHealth {
		return false
	}
	t.Armor = min(max(t.Armor+n, 0), MaxHealth)
	return true
}

// GiveWeapon gives a weapon with rounds, -1 for unlimited ones. It reports whether the tee needed
// it.
func (t *Tee) GiveWeapon(weapon Weapon, ammo int32) bool {
	s := &t.Weapons[weapon]
	if s.Owned && (s.Ammo >= MaxAmmo || s.Ammo < 0) {
		return false
	}
	s.Owned = true
	s.Ammo = min(MaxAmmo, ammo)
	return true
}

// SelectWeapon makes a weapon the active one. It reports whether another one was active.
func (t *Tee) SelectWeapon(weapon Weapon) bool {
	if weapon == t.ActiveWeapon {
		return false
	}
	t.LastWeapon = t.ActiveWeapon
	t.QueuedWeapon = -1
	t.ActiveWeapon = weapon
	t.Weapons[weapon].AmmoRegenStart = -1
	return true
}

// Has reports whether the tee has a weapon.
func (t *Tee) Has(weapon Weapon) bool {
	return weapon >= 0 && weapon < NumWeapons && t.Weapons[weapon].Owned
}

// SetEmote sets the expression of the eyes before a tick.
func (t *Tee) SetEmote(e Emote, until int32) { t.Emote, t.EmoteStop = e, until }

// SetInput sets the input that moves the tee in a tick.
func (t *Tee) SetInput(in *Input, tick int32) {
	if t.Input != *in {
		t.LastActionTick = tick
	}
	t.Input = *in
	t.Input.Aim()
	t.NumInputs++
}

// ResetInput releases all buttons, for a player who starts to chat.
func (t *Tee) ResetInput() {
	t.Input.Direction = 0
	t.Input.Hook = false
	if t.Input.Fire&1 != 0 {
		t.Input.Fire++
	}
	t.Input.Fire &= CounterMask
	t.Input.Jump = false
	t.LatestInput = t.Input
	t.LatestPrevInput = t.Input
}
