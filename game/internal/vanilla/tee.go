package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
)

// Input takes an input on its arrival. If the tee may act, it switches weapons and fires at once.
func (w *World) Input(id tee.ID, in *tee.Input, acts bool) {
	c := &w.tees.All[id]
	c.LatestPrevInput = c.LatestInput
	c.LatestInput = *in
	c.LatestInput.Aim()
	if acts && c.NumInputs > 2 {
		w.switchWeapon(id)
		w.fireWeapon(id)
	}
	c.LatestPrevInput = c.LatestInput
}

// Thaw ends the freezes that are over, and sets the exceptions of the physics.
func (w *World) Thaw() {
	w.tees.Physics.Exceptions = true
	for _, id := range w.tees.InOrder() {
		c := &w.tees.All[id]
		if !c.IsFrozen(w.Tick) {
			c.FreezeStart, c.FreezeEnd = 0, 0
		}
		c.Core.Exceptions = c.Flags.Exceptions()
	}
}

// tickTee computes the velocity of a tee and runs its weapons.
func (w *World) tickTee(id tee.ID) {
	c := &w.tees.All[id]
	in := c.Input.Physics()
	if w.tees.Extended {
		maskInput(&in, c.Disabled(w.Tick))
	}
	c.Core.Tick(&in, true)
	if w.tees.Extended {
		c.Flags.EndTick(&c.Core, c.Jumps(), &c.AirJumps)
	}
	if w.collision.FarOutside(c.Pos) {
		w.host.Die(id, id, tee.WeaponWorld)
	}
	w.handleWeapons(id)
}

// maskInput clears the disabled controls in an input.
func maskInput(in *physics.Input, disabled tee.Controls) {
	if disabled&tee.ControlMove != 0 {
		in.Direction = 0
	}
	in.Jump = in.Jump && disabled&tee.ControlJump == 0
	in.Hook = in.Hook && disabled&tee.ControlHook == 0
}

// moveTee moves a tee after the cores of all tees have ticked.
func (w *World) moveTee(id tee.ID) {
	c := &w.tees.All[id]
	c.ReckoningCore.Tick(nil, false)
	c.ReckoningCore.Move()
	c.ReckoningCore.Quantize()

	w.tees.MovedFrom[id] = c.Pos
	c.Core.Move()
	c.Core.Quantize()
	c.Pos = c.Core.Pos
	c.TriggeredEvents |= int32(c.Core.Events)

	if c.Core.Death {
		w.host.Die(id, id, tee.WeaponWorld)
		if !c.Exists {
			return // a mod removed the tee
		}
	}
	if c.ReckonTick+3*tee.TickRate < w.Tick || !equalOnWire(&c.ReckoningCore, &c.Core) {
		c.ReckonTick = w.Tick
		c.SendCore, c.ReckoningCore = c.Core, c.Core
		c.ReckoningCore.World, c.ReckoningCore.Tuning = &w.tees.Reckoning, nil
	}
}

// equalOnWire reports whether two quantised cores give equal snapshot items.
func equalOnWire(a, b *physics.Core) bool {
	return a.Pos == b.Pos && a.Vel == b.Vel && a.HookPos == b.HookPos && a.HookDir == b.HookDir &&
		a.HookState == b.HookState && a.HookTick == b.HookTick && a.HookedPlayer == b.HookedPlayer &&
		a.Jumped == b.Jumped && a.Direction == b.Direction && a.Angle == b.Angle
}

// isDisabled reports whether one of the player's controls does nothing.
func (w *World) isDisabled(c *tee.Tee, control tee.Controls) bool {
	return w.tees.Extended && c.Disabled(w.Tick)&control != 0
}

// canHit reports whether a shot or blow of one player can hit the tee of another one. From may be
// below zero.
func (w *World) canHit(from, id tee.ID, weapon tee.Weapon) bool {
	if !w.tees.Extended || from == id || from < 0 {
		return true
	}
	f := w.tees.All[from].Flags // none without a tee
	if weapon >= 0 && weapon < tee.NumWeapons && f&noHit[weapon] != 0 {
		return false
	}
	return (f|w.tees.All[id].Flags)&tee.Solo == 0
}

// noHit are the flags of a tee that does not hit others with a weapon.
var noHit = [tee.NumWeapons]tee.Flags{
	tee.WeaponHammer: tee.NoHammerHit, tee.WeaponGun: tee.NoGrenadeHit, tee.WeaponShotgun: tee.NoShotgunHit,
	tee.WeaponGrenade: tee.NoGrenadeHit, tee.WeaponLaser: tee.NoLaserHit, tee.WeaponNinja: tee.NoGrenadeHit,
}
