package ddrace

// SentTuning returns the tuning that a player's client is sent: that of the zone that the player sees,
// in which 0 stands for what the tee cannot do, for clients that know no more of its state.
func (w *World) SentTuning(id int) Tuning {
	t := *w.settings.zone(w.players[id].zone)
	tee := w.Tee(id)
	if tee == nil {
		return t
	}
	if tee.Core.Jumps == 0 {
		t[GroundJumpImpulse] = 0
	}
	if tee.Core.Solo || tee.Core.NoCollision {
		t[PlayerCollision] = 0
	}
	if tee.Core.Solo || tee.Core.NoHookHit {
		t[PlayerHooking] = 0
	}
	if !tee.Jetpack {
		t[JetpackStrength] = 0
	}
	if tee.UnhitHammer {
		t[HammerStrength] = 0
	}
	return t
}

// Practises reports whether a team practises.
func (w *World) Practises(team uint8) bool { return team < maxTeams && w.practice>>team&1 != 0 }

// Tees calls yield with the tees in the world from the newest to the oldest, in the order in which
// they act.
func (w *World) Tees(yield func(*Tee) bool) { w.newest(yield) }

// Target returns the cursor relative to the tee, in units.
func (t *Tee) Target() (x, y int32) { return t.input.TargetX, t.input.TargetY }
