package ddrace

import "github.com/teeyard/teeyard/game/physics"

// rescue is where a tee last stood, to which its player can take it back.
type rescue struct {
	set       bool
	tee       Tee
	freezeAge int32 // ticks since the freeze of that tee began
}

// keepRescue remembers a tee that stands somewhere, if it could be taken back: with sv_rescue, or in a
// team, which may come to practise.
func (w *World) keepRescue(t *Tee) {
	team := w.team(int(t.id))
	if w.settings.Rescue == 0 && !w.settings.ForcedSolo() && team == 0 || team >= TeamSuper {
		return
	}
	if !t.InFreeze && !t.Deep && w.stands(t) {
		w.players[t.id].rescue = rescue{set: true, tee: *t, freezeAge: w.tick - t.FreezeStart}
	}
}

// stands reports whether a tee is on the ground, or on a stopper that keeps it from falling.
func (w *World) stands(t *Tee) bool {
	if onGround(w.m.walls, t.Pos) {
		return true
	}
	below := Vec{X: t.Pos.X, Y: t.Pos.Y + teeSize/2 + 4}
	return w.m.restrictions(below, 0, -1, nil)&cannotDown != 0
}

// CanRescue reports whether there is a place that Rescue takes a tee back to.
func (w *World) CanRescue(id int) bool {
	t := w.AliveTee(id)
	return t != nil && w.players[id].rescue.set && !t.Super
}

// Rescue takes a tee back to where it last stood, with what it had there, except for its time. It
// reports whether the tee is somewhere else now.
func (w *World) Rescue(id int) bool {
	t := w.AliveTee(id)
	if t == nil {
		return false
	}
	r := &w.players[id].rescue
	moves := w.CanRescue(id)
	if moves {
		w.loadTee(id, &SavedTee{tee: r.tee, freezeAge: r.freezeAge}, noTee, w.team(id))
		t.Core.Vel = Vec{}
		t.Core.HookState = physics.HookIdle
		in := &t.savedInput
		in.Direction, in.Jump, in.Hook = 0, false, false
		if in.Fire&1 != 0 {
			in.Fire = (in.Fire + 1) & inputMask // released
		}
	}
	w.unfreeze(t)
	return moves
}
