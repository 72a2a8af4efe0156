package game

// Timer is a timer that a mode or mod declared with [Setup.Timer]. It is a number and can be part
// of a [StateHook] state.
type Timer int32

// timer runs at most once for each player, and once without a player.
type timer struct {
	run hookOf[func(ctx *Ctx, id PlayerID)]
	due [MaxPlayers + 1]int32 // ticks, 0 if it does not run; the last is for Nobody
}

// Timer declares a timer. When it ends, run is called with the player that was passed to
// [Tx.After].
func (s *Setup) Timer(run func(ctx *Ctx, id PlayerID)) Timer {
	d := s.declare("Timer")
	d.timers = addCallback(d, "timer", d.timers, timer{run: ownHook(s, run)}, run == nil)
	return Timer(len(d.timers)) // so that the zero value is none
}

// due returns the place of a timer's end, or nil for a player who is not connected.
func (tx *Tx) due(t Timer, id PlayerID) *int32 {
	if t <= 0 || int(t) > len(tx.w.declared.timers) {
		panic("game: invalid Timer; use one that Setup.Timer returned")
	}
	switch {
	case id == Nobody:
		id = MaxPlayers
	case tx.player(id) == nil:
		return nil
	}
	return &tx.w.declared.timers[t-1].due[id]
}

// After starts a timer that ends in the given ticks, at least 1. A running timer starts again. A
// timer runs separately for each player, and once more for [Nobody]. Timers stop during a pause.
// The timers of a player end when the player leaves.
func (tx *Tx) After(t Timer, ticks int32, id PlayerID) {
	if due := tx.due(t, id); due != nil {
		*due = tx.w.tick + min(max(ticks, 1), MaxTick-tx.w.tick)
	}
}

// StopTimer stops the timer that [Tx.After] started for the same id. Its function is not called.
func (tx *Tx) StopTimer(t Timer, id PlayerID) {
	if due := tx.due(t, id); due != nil {
		*due = 0
	}
}

// TicksLeft returns the remaining ticks of a timer, or 0 if it does not run.
func (tx *Tx) TicksLeft(t Timer, id PlayerID) int32 {
	if due := tx.due(t, id); due != nil && *due != 0 {
		return max(*due-tx.w.tick, 1)
	}
	return 0
}

// tickTimers calls the timers that are due, in the order of declaration. For each timer it calls
// the players in ascending order, and then the timer without a player.
func (w *World) tickTimers() {
	paused := w.match.isPaused()
	for i := range w.declared.timers {
		t := &w.declared.timers[i]
		for id := range t.due {
			switch due := &t.due[id]; {
			case *due == 0:
			case paused:
				*due++
			case w.tick >= *due:
				*due = 0
				who := PlayerID(id)
				if id == MaxPlayers {
					who = Nobody
				}
				w.callDeclared(t.run.of, func(ctx *Ctx) { t.run.hook(ctx, who) })
			}
		}
	}
}

// stopTimers stops the timers of a player who leaves.
func (w *World) stopTimers(id PlayerID) {
	for i := range w.declared.timers {
		w.declared.timers[i].due[id] = 0
	}
}
