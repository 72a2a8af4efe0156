package ddrace

// StepPaused runs a tick in which the game is paused, as by DDNet's pause_game: players' inputs are
// kept, but nothing moves. The returned events are valid until the next step.
func (w *World) StepPaused(inputs []PlayerInput) []Event {
	for _, in := range inputs {
		if p := &w.players[in.Player]; p.inGame {
			p.input, p.hasInput = in.Input, true
		}
	}
	w.tick++
	for t := range w.order.walk(w) {
		t.AttackTick++
		t.Ninja.ActivationTick++
		if t.EmoteStop > -1 {
			t.EmoteStop++
		}
	}
	for i := range w.entities.projectiles {
		w.entities.projectiles[i].Start++
	}
	for i := range w.entities.beams {
		w.entities.beams[i].laser.Eval++
	}
	w.removeEntities()
	w.giveIDs()
	if w.rules != nil {
		w.rules.Tick(w)
	}
	for id := range w.seats {
		if p := &w.players[id]; p.inGame {
			p.dieTick++
			p.prevDieTick++
		}
	}
	w.switches.tick(w.tick)
	if w.taken {
		w.clearEvents()
	}
	w.taken = true
	return w.events
}
