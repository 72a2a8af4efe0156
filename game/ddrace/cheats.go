package ddrace

// This file has the changes that the console makes to a player's tee. Without a tee they do
// nothing. Most of them end its race.

// SetSuper makes a tee super, or ends that. Super tees are in [TeamSuper], and affect the tees of
// all teams.
func (w *World) SetSuper(id int, super bool) {
	t := w.AliveTee(id)
	if t == nil || t.Super == super {
		return
	}
	t.Super = super
	if super && w.settings.release20() {
		w.setInvincible(t, false)
	}
	if !super {
		w.SetTeam(id, t.teamBeforeSuper)
		return
	}
	t.teamBeforeSuper = w.players[id].team
	if !w.Practises(t.teamBeforeSuper) { // which is not to be left
		w.SetTeam(id, TeamSuper)
	}
	t.Race = RaceCheat
	w.unfreeze(t)
}

// setInvincible makes a tee immune to freeze, death tiles and teleporters, with endless jumps, or
// ends that.
func (w *World) setInvincible(t *Tee, on bool) {
	if t.Invincible, t.AirJumps = on, on; on {
		w.SetSuper(t.ID(), false)
		w.unfreeze(t)
	}
}

// setEndlessHook sets whether a tee's hook holds without a time limit. As of DDNet 20 it also tells
// the player about a change.
func (w *World) setEndlessHook(t *Tee, on bool) {
	if m := map[bool]Message{true: MessageEndless, false: MessageUnendless}[on]; t.EndlessHook != on && w.settings.release20() {
		w.tell(t, m)
	}
	t.EndlessHook = on
}

// GiveWeapon gives a tee a weapon, or takes it away. Both are cheats: the tee's race no longer
// counts.
func (w *World) GiveWeapon(id int, weapon Weapon, give bool) {
	t := w.AliveTee(id)
	if t == nil || weapon < 0 || weapon >= NumWeapons {
		return
	}
	t.Race = RaceCheat
	switch {
	case weapon == WeaponNinja && give:
		w.giveNinja(t)
	case weapon == WeaponNinja:
		t.endNinja()
	default:
		if !give && t.ActiveWeapon == weapon {
			t.ActiveWeapon = WeaponGun
		}
		t.Weapons[weapon] = give
		t.loaded[weapon] = t.loaded[weapon] || give
	}
}

// Teleport moves a tee to another place.
func (w *World) Teleport(id int, to Vec) {
	if t := w.AliveTee(id); t != nil {
		t.Core.Pos, t.Pos, t.PrevPos = to, to, to
		t.Race = RaceCheat
	}
}

// TeleView returns the player whose view is the destination of the console command tele: the player
// to, or from DDNet 20 on always the player by, who typed the command.
func (w *World) TeleView(by, to int) int {
	if w.settings.release20() {
		return by
	}
	return to
}

// TeleportTo moves a tee to the place that a player sees, as the console command tele does. From
// DDNet 20 on it moves to the crosshair if crosshair is set, ends freeze and fall, and restores all
// jumps.
func (w *World) TeleportTo(id int, view Vec, crosshair bool) {
	t := w.AliveTee(id)
	if t == nil {
		return
	}
	if crosshair && w.settings.release20() {
		view = w.Crosshair(id)
	}
	w.Teleport(id, view)
	if w.settings.release20() {
		t.Core.Jumped, t.Core.JumpedTotal = 0, 0
		w.unfreeze(t)
		t.Core.Vel = Vec{}
	}
}

// Crosshair returns the position at which a player's tee aims.
func (w *World) Crosshair(id int) Vec {
	t := &w.tees[id]
	x, y := t.Target()
	return t.Pos.Add(Vec{X: float32(x), Y: float32(y)})
}

// SetSolo sets whether a tee is solo: a solo tee and others do not affect each other.
func (w *World) SetSolo(id int, solo bool) {
	if t := w.AliveTee(id); t != nil {
		t.Core.Solo = solo
		w.addEvent(Event{Kind: EventTuning, Tee: t.id})
	}
}

// Freeze freezes a tee for some seconds.
func (w *World) Freeze(id int, seconds int32) {
	if t := w.AliveTee(id); t != nil {
		w.freeze(t, seconds)
	}
}

// Unfreeze ends the freeze of a tee.
func (w *World) Unfreeze(id int) {
	if t := w.AliveTee(id); t != nil {
		w.unfreeze(t)
	}
}

// FreezeTicks freezes a tee for some ticks, as Freeze does, and reports whether the tee froze.
func (w *World) FreezeTicks(id int, ticks int32) bool {
	t := w.AliveTee(id)
	return t != nil && w.freezeTicks(t, ticks)
}

// ReleaseHooks releases the hook of a tee, and the hooks that hold it.
func (w *World) ReleaseHooks(id int) {
	if t := w.AliveTee(id); t != nil {
		t.Core.resetHook()
		w.releaseHooksOn(int8(id))
	}
}

// RefillJumps lets a tee jump in the air again.
func (w *World) RefillJumps(id int) {
	if t := w.AliveTee(id); t != nil {
		t.Core.Jumped, t.Core.JumpedTotal = min(t.Core.Jumped, 1), 0
	}
}

// SelectWeapon selects a weapon that a tee has.
func (w *World) SelectWeapon(id int, weapon Weapon) {
	if t := w.AliveTee(id); t != nil && weapon >= 0 && weapon < NumWeapons && t.Weapons[weapon] && t.ActiveWeapon != weapon {
		t.LastWeapon, t.ActiveWeapon, t.QueuedWeapon = t.ActiveWeapon, weapon, -1
	}
}

// TellTuning makes the world send a player's client its tuning, after the states of the tee
// changed.
func (w *World) TellTuning(id int) { w.addEvent(Event{Kind: EventTuning, Tee: int8(id)}) }

// SetInput sets the input that a player repeats until the next input.
func (w *World) SetInput(id int, in Input) {
	if p := &w.players[id]; p.inGame {
		p.input, p.hasInput = in, true
	}
}

// Respawn gives a player without a tee a new tee as soon as there is a free place.
func (w *World) Respawn(id int) {
	if p := &w.players[id]; p.inGame && !p.hasTee && !p.spectator {
		p.spawning = true
	}
}
