package script

import "github.com/teeyard/teeyard/game"

// stops are the calls of hooks that a clock stops, or the log where it did. Calls are counted in each tick, and how far
// one got is the steps that the script has used in this tick. Both are the same when a match is run again.
type stops struct {
	clock func() uint32 // nil without one

	tick  int32  // that the following are about
	calls uint32 // until now
	due   []game.HookStop
	done  []game.HookStop
}

// in begins with a tick, unless it is the same.
func (s *stops) in(tick int32) {
	if s.tick != tick {
		s.tick, s.calls, s.due, s.done = tick, 0, s.due[:0], s.done[:0]
	}
}

// begin begins a call that is not within another one.
func (s *stops) begin(m *meter, tick int32) {
	s.in(tick)
	s.calls++
	m.clock, m.stopAt, m.stopped = s.clock, 0, 0
	if s.clock != nil {
		m.started = s.clock()
	}
	for _, at := range s.due {
		if at.Call == s.calls {
			m.stopAt = at.Steps
		}
	}
}

// note notes where the clock has stopped the call.
func (s *stops) note(m *meter) {
	if m.stopped != 0 {
		s.done = append(s.done, game.HookStop{Call: s.calls, Steps: m.stopped})
		m.stopped = 0
	}
}

// maxStops limits what a log can have in a tick. There is one, unless scripts are reloaded in it.
const maxStops = 64

func (s *stops) stopAt(tick int32, at game.HookStop) {
	s.in(tick)
	if len(s.due) < maxStops && at.Steps > 0 {
		s.due = append(s.due, at)
	}
}

func (s *stops) append(dst []game.HookStop, tick int32) []game.HookStop {
	if s.tick != tick {
		return dst
	}
	return append(dst, s.done...)
}
