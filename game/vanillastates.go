package game

// beginStates lets the states of the characters take effect in a tick.
func (v *vanilla) beginStates() {
	w := v.w
	w.coreWorld.Exceptions = true
	for _, id := range w.charOrder.ids[:w.charOrder.count] {
		c, own := &w.characters[id], &w.playerExtras[id].tuning
		if !c.isFrozen(w.tick) {
			c.freezeStart, c.freezeEnd = 0, 0
		}
		c.core.Exceptions = c.flags.exceptions()
		c.core.Tuning = nil
		if own.own && !w.rules.PureTuning {
			c.core.Tuning = &own.current
		} else if t, ok := w.zoneTuning(id); ok && !w.rules.PureTuning {
			own.current = t // which counts only in this tick
			c.core.Tuning = &own.current
		}
	}
}

// isDisabled reports whether one of the player's controls does nothing.
func (v *vanilla) isDisabled(c *character, control Controls) bool {
	w := v.w
	return w.extended && c.disabled(w.tick)&control != 0
}

// canHit reports whether a shot or blow of one player can hit the character of another one.
// From may be below zero.
func (v *vanilla) canHit(from, id PlayerID, weapon Weapon) bool {
	w := v.w
	if !w.extended || from == id || from < 0 {
		return true
	}
	f := w.characters[from].flags // none if there is no character
	if weapon >= 0 && weapon < NumWeapons && f&noHit[weapon] != 0 {
		return false
	}
	return (f|w.characters[id].flags)&CharacterFlagSolo == 0
}

// noHit are the flags of a tee that does not hit others with a weapon.
var noHit = [NumWeapons]CharacterFlags{
	WeaponHammer: CharacterFlagNoHammerHit, WeaponGun: CharacterFlagNoGrenadeHit, WeaponShotgun: CharacterFlagNoShotgunHit,
	WeaponGrenade: CharacterFlagNoGrenadeHit, WeaponLaser: CharacterFlagNoLaserHit, WeaponNinja: CharacterFlagNoGrenadeHit,
}
