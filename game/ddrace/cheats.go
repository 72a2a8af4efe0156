package ddrace

// The methods of this file are what the console can do to a player's tee, if it has one. Most end its
// race.

// SetSuper makes a tee super, which is in a team of its own that acts on all, or a usual one again.
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

// setInvincible says whether freeze, death tiles and teleporters do something to a tee, and whether its jumps end.
func (w *World) setInvincible(t *Tee, on bool) {
	if t.Invincible, t.AirJumps = on, on; on {
		w.SetSuper(t.ID(), false)
		w.unfreeze(t)
	}
}

// setEndlessHook says whether a tee's hook holds for ever and, as of DDNet 20, tells its player.
func (w *World) setEndlessHook(t *Tee, on bool) {
	if m := map[bool]Message{true: MessageEndless, false: MessageUnendless}[on]; t.EndlessHook != on && w.settings.release20() {
		w.tell(t, m)
	}
	t.EndlessHook = on
}

// GiveWeapon gives a tee a weapon, or takes it. Both are cheats, after which its race does not count.
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

// Teleport puts a tee to another place.
func (w *World) Teleport(id int, to Vec) {
	if t := w.AliveTee(id); t != nil {
		t.Core.Pos, t.Pos, t.PrevPos = to, to, to
		t.Race = RaceCheat
	}
}

// TeleView returns whose view is where the console's tele teleports to: that of another player or, as of DDNet 20,
// always that of the one who typed it.
func (w *World) TeleView(by, to int) int {
	if w.settings.release20() {
		return by
	}
	return to
}

// TeleportTo puts a tee to what a player sees, as the console's tele does: as of DDNet 20 to its crosshair
// if that is to be, and with an end to its freeze and fall, and all its jumps.
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

// Crosshair returns where a player's tee aims.
func (w *World) Crosshair(id int) Vec {
	t := &w.tees[id]
	x, y := t.Target()
	return t.Pos.Add(Vec{X: float32(x), Y: float32(y)})
}

// SetSolo says whether a tee and others act on each other.
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

// FreezeTicks freezes a tee for some ticks, as Freeze. It reports whether it did.
func (w *World) FreezeTicks(id int, ticks int32) bool {
	t := w.AliveTee(id)
	return t != nil && w.freezeTicks(t, ticks)
}

// ReleaseHooks lets the hook of a tee go, and those that hold it.
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

// SelectWeapon makes a weapon that a tee has the active one.
func (w *World) SelectWeapon(id int, weapon Weapon) {
	if t := w.AliveTee(id); t != nil && weapon >= 0 && weapon < NumWeapons && t.Weapons[weapon] && t.ActiveWeapon != weapon {
		t.LastWeapon, t.ActiveWeapon, t.QueuedWeapon = t.ActiveWeapon, weapon, -1
	}
}

// TellTuning has a player's client told its tuning, after its tee has got other states.
func (w *World) TellTuning(id int) { w.addEvent(Event{Kind: EventTuning, Tee: int8(id)}) }

// SetInput sets the input that a player repeats until another one comes.
func (w *World) SetInput(id int, in Input) {
	if p := &w.players[id]; p.inGame {
		p.input, p.hasInput = in, true
	}
}

// Respawn gives a player who has no tee one as soon as there is a place.
func (w *World) Respawn(id int) {
	if p := &w.players[id]; p.inGame && !p.hasTee && !p.spectator {
		p.spawning = true
	}
}
