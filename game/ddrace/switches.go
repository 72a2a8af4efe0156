package ddrace

// switches are the states of the switches for each team.
type switches struct {
	count  int // the highest number
	preset SwitchSet
	active [maxTeams]SwitchSet
	timers []switchTimer // of team t and number n at t*(count+1)+n
	timed  int           // timers that run
}

// switchTimer is the last change of a switch by a tile.
type switchTimer struct {
	end        int32 // tick in which the switch goes back, 0 for none
	lastUpdate int32
	kind       uint8 // the tile
}

func (s *switches) init(m *Map) {
	s.count = m.Switches
	s.begin(&m.Settings.Open)
	for i := range s.active {
		s.active[i] = s.preset
	}
	if s.count > 0 {
		s.timers = make([]switchTimer, maxTeams*(s.count+1))
	}
}

// begin sets the switches that are inactive at first.
func (s *switches) begin(open *SwitchSet) {
	for i := range s.preset {
		s.preset[i] = ^open[i]
	}
}

// set applies a tile to a switch. end is the tick in which the switch goes back, or 0 for never.
func (s *switches) set(team, number, kind uint8, end, now int32) {
	if number == 0 || int(number) > s.count || team >= maxTeams {
		return
	}
	s.active[team].Set(number, kind == switchOpen || kind == switchTimedOpen)
	s.change(&s.timers[int(team)*(s.count+1)+int(number)], switchTimer{end: end, lastUpdate: now, kind: kind})
}

// runs reports whether the switch goes back.
func (t *switchTimer) runs() bool { return t.kind == switchTimedOpen || t.kind == SwitchTimedClose }

// change sets a timer and updates the number of running timers.
func (s *switches) change(t *switchTimer, to switchTimer) {
	if t.runs() {
		s.timed--
	}
	if *t = to; t.runs() {
		s.timed++
	}
}

// tick resets the switches whose time is over.
func (s *switches) tick(now int32) {
	for i := 0; s.timed > 0 && i < len(s.timers); i++ {
		t := &s.timers[i]
		if t.kind == 0 || t.end > now {
			continue
		}
		team, number := i/(s.count+1), uint8(i%(s.count+1))
		switch t.kind {
		case switchTimedOpen:
			s.active[team].Set(number, false)
			s.change(t, switchTimer{lastUpdate: t.lastUpdate, kind: SwitchClose})
		case SwitchTimedClose:
			s.active[team].Set(number, true)
			s.change(t, switchTimer{lastUpdate: t.lastUpdate, kind: switchOpen})
		}
	}
}

// turnSwitch turns a switch for a tee's team. The arguments are the switch, 1 for on or 0 for off
// (default: the other state), and the seconds until it turns back (default: no end).
func (w *World) turnSwitch(t *Tee, args []string) (answer string) {
	s, team, n := &w.switches, w.team(t.ID()), intArg(args, 0)
	if n < 0 || int(n) > s.count || s.count == 0 {
		return "Invalid switch ID"
	}
	if n == 0 || team >= maxTeams {
		return ""
	}
	timer := &s.timers[int(team)*(s.count+1)+int(n)]
	to := switchTimer{lastUpdate: timer.lastUpdate, kind: SwitchClose}
	active := !w.switchActive(uint8(n), team)
	if len(args) > 1 {
		active = intArg(args, 1) != 0
	}
	if active {
		to.kind = switchOpen
	}
	if len(args) > 2 {
		if to.end = w.tick + 1 + intArg(args, 2)*TickRate; to.end != 0 {
			to.kind = SwitchTimedClose
			if active {
				to.kind = switchTimedOpen
			}
		}
	}
	s.active[team].Set(uint8(n), active)
	s.change(timer, to)
	return ""
}

// ResetSwitches resets a team's switches to their initial states.
func (w *World) ResetSwitches(team uint8) {
	s := &w.switches
	if team >= maxTeams {
		return
	}
	s.active[team] = s.preset
	if s.count > 0 {
		list := s.timers[int(team)*(s.count+1):][:s.count+1]
		for i := range list {
			s.change(&list[i], switchTimer{lastUpdate: list[i].lastUpdate})
		}
	}
}

// switchActive reports whether a switch is active for a team. Number 0 always is.
func (w *World) switchActive(number, team uint8) bool {
	return number == 0 || team < maxTeams && w.switches.active[team].Has(number)
}

// doorsFor returns the switches whose doors are closed for a tee.
func (w *World) doorsFor(t *Tee) *SwitchSet {
	if team := w.players[t.id].team; team < maxTeams {
		return &w.switches.active[team]
	}
	return nil
}
