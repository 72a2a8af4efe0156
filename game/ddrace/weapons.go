package ddrace

import "github.com/teeyard/teeyard/game/vec"

// inputMask is the largest value of the input counters.
const inputMask = 63

// presses returns how often a button was pressed between two values of its counter.
func presses(prev, cur int32) int32 {
	prev &= inputMask
	steps := (cur - prev) & inputMask
	return (steps + 1 - prev&1) / 2
}

// switchWeapon handles the weapon selection of the latest input.
func (w *World) switchWeapon(t *Tee) {
	wanted := t.ActiveWeapon
	if t.QueuedWeapon != -1 {
		wanted = t.QueuedWeapon
	}
	if t.Weapons == [NumWeapons]bool{} || t.Weapons == [NumWeapons]bool{WeaponNinja: true} {
		return
	}
	next := presses(t.latestPrevInput.NextWeapon, t.latestInput.NextWeapon)
	for next > 0 {
		wanted = (wanted + 1) % NumWeapons
		if t.Weapons[wanted] {
			next--
		}
	}
	prev := presses(t.latestPrevInput.PrevWeapon, t.latestInput.PrevWeapon)
	for prev > 0 {
		wanted = (wanted + NumWeapons - 1) % NumWeapons
		if t.Weapons[wanted] {
			prev--
		}
	}
	if t.latestInput.WantedWeapon != 0 {
		wanted = Weapon(t.input.WantedWeapon - 1)
	}
	if wanted >= 0 && wanted < NumWeapons && wanted != t.ActiveWeapon && t.Weapons[wanted] {
		t.QueuedWeapon = wanted
	}
	w.takeQueuedWeapon(t)
}

// takeQueuedWeapon switches to the queued weapon as soon as the active weapon has reloaded.
func (w *World) takeQueuedWeapon(t *Tee) {
	if t.ReloadTimer == 0 && t.QueuedWeapon != -1 && !t.Weapons[WeaponNinja] && t.Weapons[t.QueuedWeapon] {
		w.setWeapon(t, t.QueuedWeapon)
	}
}

// setWeapon makes a weapon the active one.
func (w *World) setWeapon(t *Tee, weapon Weapon) {
	if weapon == t.ActiveWeapon {
		return
	}
	t.LastWeapon, t.QueuedWeapon, t.ActiveWeapon = t.ActiveWeapon, -1, weapon
	w.sound(t, t.Pos, SoundWeaponSwitch)
}

// tickWeapons runs one tick of the weapons: ninja, jetpack, reloading, held buttons.
func (w *World) tickWeapons(t *Tee) {
	w.tickNinja(t)
	w.tickJetpack(t)
	if t.painSoundTimer > 0 {
		t.painSoundTimer--
	}
	if t.ReloadTimer > 0 {
		t.ReloadTimer--
		return
	}
	w.fireWeapon(t)
}

// triggers reports whether the latest input fires: with a press, or while the button is held if the
// weapon fires by itself.
func (t *Tee) triggers(fullAuto bool) bool {
	in, auto := &t.latestInput, t.ActiveWeapon == WeaponGrenade || t.ActiveWeapon == WeaponShotgun || t.ActiveWeapon == WeaponLaser
	auto = auto || fullAuto || t.Jetpack && t.ActiveWeapon == WeaponGun
	return presses(t.latestPrevInput.Fire, in.Fire) != 0 || auto && in.Fire&1 != 0 && t.hasAmmo()
}

// hasAmmo reports whether the active weapon is loaded. Ammunition does not run out. A weapon that a
// pickup took is unloaded, but not one that a teleporter took.
func (t *Tee) hasAmmo() bool { return t.loaded[t.ActiveWeapon] }

// practises reports whether the team of a tee practises.
func (w *World) practises(t *Tee) bool {
	return w.Practises(w.team(int(t.id)))
}

// Practice returns the teams that practise, as bits. Team n is bit n.
func (w *World) Practice() uint64 { return w.practice }

// Practises reports whether a team practises.
func (w *World) Practises(team uint8) bool { return team < maxTeams && w.practice>>team&1 != 0 }

// SetPractice sets whether a team practises. That changes the effect of its shots after their
// owner's death.
func (w *World) SetPractice(team uint8, on bool) {
	if team >= maxTeams {
		return
	}
	w.practice &^= 1 << team
	if on {
		w.practice |= 1 << team
	}
}

// aimDir returns the direction of the latest input.
func (t *Tee) aimDir() Vec {
	return normalize(Vec{X: float32(t.latestInput.TargetX), Y: float32(t.latestInput.TargetY)})
}

// tickJetpack pushes a tee by its gun.
func (w *World) tickJetpack(t *Tee) {
	if t.ActiveWeapon == WeaponGun && t.Jetpack && t.FreezeTime == 0 && t.triggers(false) && t.hasAmmo() {
		t.push(t.aimDir().Mul(-1).Mul(w.params(t.Zone)[JetpackStrength] / 100 / 6.11))
	}
}

// fireWeapon fires if the latest input asks for it and the weapon has reloaded.
func (w *World) fireWeapon(t *Tee) {
	if t.ReloadTimer != 0 {
		return
	}
	w.takeQueuedWeapon(t)
	if w.settings.Deepfly == 0 && t.ActiveWeapon == WeaponHammer && t.Deep {
		return
	}
	// A held button fires as soon as a freeze ends.
	if !t.triggers(t.justUnfrozen) {
		return
	}
	if t.FreezeTime != 0 {
		if t.painSoundTimer <= 0 && t.latestPrevInput.Fire&1 == 0 {
			t.painSoundTimer = TickRate
			w.sound(t, t.Pos, SoundPlayerPainLong)
		}
		return
	}
	if !t.hasAmmo() {
		return
	}
	dir := t.aimDir()
	start := t.Pos.Add(dir.Mul(teeSize).Mul(0.75))
	tuning := w.params(t.Zone)
	switch t.ActiveWeapon {
	case WeaponHammer:
		w.swingHammer(t, start)
	case WeaponGun:
		if !t.HasNinjaJetpack() {
			w.fireProjectile(t, WeaponGun, start, dir, tuning[GunLifetime])
			w.sound(t, t.Pos, SoundGunFire)
		}
	case WeaponShotgun:
		w.fireLaser(t, WeaponShotgun, dir)
		w.sound(t, t.Pos, SoundShotgunFire)
	case WeaponGrenade:
		w.fireProjectile(t, WeaponGrenade, start, dir, tuning[GrenadeLifetime])
		w.sound(t, t.Pos, SoundGrenadeFire)
	case WeaponLaser:
		w.fireLaser(t, WeaponLaser, dir)
		w.sound(t, t.Pos, SoundLaserFire)
	case WeaponNinja:
		t.Ninja.numHit = 0
		t.Ninja.ActivationDir, t.Ninja.CurrentMoveTime = dir, ninjaMoveTicks
		speed := t.Core.Vel.Len()
		if w.settings.release20() {
			speed = min(speed, maxSpeed)
		}
		t.Ninja.OldVelAmount = vec.Trunc(speed)
		w.sound(t, t.Pos, SoundNinjaFire)
	}
	t.AttackTick = w.tick
	if t.ReloadTimer == 0 {
		t.ReloadTimer = w.fireTicks(tuning[HammerFireDelay+int(t.ActiveWeapon)])
	}
}

// reloadTicks returns the ticks of a delay in milliseconds.
func reloadTicks(ms float32) int32 { return vec.Trunc(float32(ms*TickRate) / 1000) }

// fireTicks returns the ticks of the delay between two shots, in milliseconds. DDNet 20 rounds some
// delays differently from reloadTicks.
func (w *World) fireTicks(ms float32) int32 {
	if w.settings.release20() {
		return vec.Trunc(float32(ms/1000) * TickRate)
	}
	return reloadTicks(ms)
}

// swingHammer hits all tees around a point, and wakes them up.
func (w *World) swingHammer(t *Tee, at Vec) {
	t.Ninja.numHit = 0
	w.sound(t, t.Pos, SoundHammerFire)
	if t.UnhitHammer {
		return
	}
	hit := false
	tuning := w.params(t.Zone)
	for o := range w.newest {
		if !(vec.Distance(o.Pos, at) < teeSize/2+teeSize) || o == t || !w.canCollide(int(t.id), int(o.id)) {
			continue
		}
		effect, dir := at, Vec{Y: -1}
		if away := o.Pos.Sub(at); away.Len() > 0 {
			effect = o.Pos.Sub(normalize(away).Mul(teeSize).Mul(0.5))
		}
		w.addEvent(Event{Kind: EventHammerHit, Tee: t.id, Pos: effect})
		if away := o.Pos.Sub(t.Pos); away.Len() > 0 {
			dir = normalize(away)
		}
		vel := o.Core.Vel.Add(normalize(dir.Add(Vec{Y: -1.1})).Mul(10))
		force := o.Restrictions.clamp(vel).Sub(o.Core.Vel)
		w.hurt(o, Vec{Y: -1}.Add(force).Mul(tuning[HammerStrength]))
		w.unfreeze(o)
		if t.FreezeHammer {
			w.freeze(o, w.freezeDelay())
		}
		hit = true
	}
	if hit {
		t.ReloadTimer = reloadTicks(tuning[HammerHitFireDelay])
	}
}

// hurt pushes a tee, and shows that it was hit.
func (w *World) hurt(t *Tee, force Vec) {
	t.EmoteStop = w.tick + TickRate/2
	t.push(force)
}
