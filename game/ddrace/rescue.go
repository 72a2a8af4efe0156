package ddrace

import "github.com/teeyard/teeyard/game/physics"

// rescue is an earlier state of a tee to which its player can take it back.
type rescue struct {
	set       bool
	tee       Tee
	freezeAge int32 // ticks since the freeze of that tee began
}

// tick returns the tick of that state.
func (r *rescue) tick() int32 { return r.freezeAge + r.tee.FreezeStart }

// player20 has the additional fields of a player as of DDNet 20: more places to go back to.
type player20 struct {
	pausedAt int32 // tick in which the tee was last taken out of the world

	manual bool // the player says where rescues go to
	own    rescue
	tele   rescue // where the last teleport of a command led
	death  rescue // where the tee that died last stood before
}

// keepRescue remembers the place of a standing tee if the player could return to it: with
// sv_rescue, or in a team, since a team can start to practise.
func (w *World) keepRescue(t *Tee) {
	if w.isRescuePlace(t) {
		w.players[t.id].rescue = w.place(t)
	}
}

// place returns the current state of a tee.
func (w *World) place(t *Tee) rescue {
	return rescue{set: true, tee: *t, freezeAge: w.tick - t.FreezeStart}
}

// isRescuePlace reports whether a rescue could take a tee back to its current place.
func (w *World) isRescuePlace(t *Tee) bool {
	team := w.team(int(t.id))
	if w.settings.Rescue == 0 && !w.settings.ForcedSolo() && team == 0 || team >= TeamSuper {
		return false
	}
	return !t.InFreeze && !t.Deep && w.stands(t) && !(w.settings.release20() && w.touchesHealth(t))
}

// touchesHealth reports whether a tee touches a pickup that freezes, even with an inactive switch.
func (w *World) touchesHealth(t *Tee) bool {
	for i := range w.entities.pickups {
		if p := &w.entities.pickups[i]; p.Kind == EntityHealth && p.touches(t) {
			return true
		}
	}
	return false
}

// stands reports whether a tee is on the ground, or on a stopper that keeps it from falling.
func (w *World) stands(t *Tee) bool {
	if onGround(w.m.walls, t.Pos) {
		return true
	}
	below := Vec{X: t.Pos.X, Y: t.Pos.Y + teeSize/2 + 4}
	return w.m.restrictions(below, 0, -1, nil)&cannotDown != 0
}

// SetManualRescue sets whether a player chooses the place of rescues, and reports a change.
func (w *World) SetManualRescue(id int, manual bool) bool {
	was := &w.players20[id].manual
	changed := *was != manual
	*was = manual
	return changed
}

// ManualRescue reports whether a player chooses the place of rescues.
func (w *World) ManualRescue(id int) bool { return w.players20[id].manual }

// SetRescue makes the position of a player's tee the place of rescues, if the player chooses that
// place and the tee stands. It reports whether the place was set.
func (w *World) SetRescue(id int) bool {
	t := w.AliveTee(id)
	if t == nil || !w.players20[id].manual || !w.isRescuePlace(t) {
		return false
	}
	w.players20[id].own = w.place(t)
	return true
}

// rescueOf returns the destination of a player's rescues.
func (w *World) rescueOf(id int) *rescue {
	if w.players20[id].manual {
		return &w.players20[id].own
	}
	return &w.players[id].rescue
}

// CanRescue reports whether there is a place to which Rescue can move a player's tee.
func (w *World) CanRescue(id int) bool {
	t := w.AliveTee(id)
	return t != nil && w.rescueOf(id).set && !t.isImmune()
}

// Rescue moves a tee back to the place where it last stood, or that its player chose. It restores
// the state that the tee had there, except for its time. It reports whether the tee moved.
func (w *World) Rescue(id int) bool {
	t := w.AliveTee(id)
	if t == nil {
		return false
	}
	moves := w.CanRescue(id)
	if moves {
		r := w.rescueOf(id)
		race := t.Race
		w.loadTee(id, &SavedTee{tee: r.tee, freezeAge: r.freezeAge}, noTee, w.team(id))
		if w.settings.release20() {
			t.Race = race
		}
		t.Core.Vel = Vec{}
		t.Core.HookState = physics.HookIdle
		in := &t.savedInput
		in.Direction, in.Jump, in.Hook = 0, false, false
		if in.Fire&1 != 0 {
			in.Fire = (in.Fire + 1) & inputMask // released
		}
	}
	if moves || !w.settings.release20() {
		w.unfreeze(t)
	}
	return moves
}

// CanGoBack reports whether a player's tee can go back to the place of the player's previous tee.
func (w *World) CanGoBack(id int) bool { return w.AliveTee(id) != nil && w.players20[id].death.set }

// GoBack moves a tee to the last place of the player's previous tee, and makes that the place of
// rescues.
func (w *World) GoBack(id int) {
	if w.CanGoBack(id) {
		r := w.rescueOf(id)
		r.tee, r.freezeAge = w.players20[id].death.tee, w.players20[id].death.freezeAge
		w.Rescue(id)
	}
}

// TeleportInPractice moves a tee to another place and ends its freeze and its fall. From DDNet 20
// on it also restores all jumps.
func (w *World) TeleportInPractice(id int, to Vec) {
	t := w.AliveTee(id)
	if t == nil {
		return
	}
	w.Teleport(id, to)
	w.unfreeze(t)
	t.Core.Vel = Vec{}
	if w.settings.release20() {
		t.Core.Jumped, t.Core.JumpedTotal = 0, 0
		w.players20[id].tele = w.place(t)
		w.players20[id].tele.set = t.Pos.X != 0 // as DDNet has it
	}
}

// CanTeleportAgain reports whether a player has a last teleport, for TeleportAgain.
func (w *World) CanTeleportAgain(id int) bool {
	return w.AliveTee(id) != nil && w.players20[id].tele.set
}

// TeleportAgain restores a tee to its state after the player's last teleport.
func (w *World) TeleportAgain(id int) {
	if w.CanTeleportAgain(id) {
		r := &w.players20[id].tele
		s := SavedTee{tee: r.tee, freezeAge: r.freezeAge}
		if r.tee.StartTick != 0 {
			s.Time = r.tick() - r.tee.StartTick
		}
		w.loadTee(id, &s, r.tee.Core.HookedPlayer, anyTeam)
	}
}
