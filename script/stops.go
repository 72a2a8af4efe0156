package script

import (
	"fmt"
	"math"

	"github.com/teeyard/teeyard/game"
)

// stops are the calls of hooks that a clock stops, or the log where it did. Calls are counted in each tick, and how far
// one got is the steps that the script has used in this tick. Both are the same when a match is run again.
type stops struct {
	clock game.HookClock // nil without one

	tick  int32  // that the following are about
	calls uint32 // until now
	due   []game.HookStop
	done  []game.HookStop

	debt     int64 // nanoseconds that hooks have taken beyond the script's share
	debtTick int32 // up to which shares are taken off it
}

// What the hooks of all scripts may take in every tick, and what a script may take beyond its part of that before it is
// switched off, in nanoseconds of the processor. The steps in every tick take a fifth of it on a machine of 2020, and
// other programs do not count. So this stops only scripts whose steps take much longer than steps should.
const (
	timeShare = 6_000_000
	timeLoan  = 30_000_000
)

// atEnd is the steps of a stop after the call has returned.
const atEnd = math.MaxUint64

// in begins with a tick, unless it is the same.
func (s *stops) in(tick int32) {
	if s.tick != tick {
		s.tick, s.calls, s.due, s.done = tick, 0, s.due[:0], s.done[:0]
	}
}

// begin begins a call that is not within another one. scripts is how many share the time of a tick.
func (s *stops) begin(m *meter, tick int32, scripts int) {
	s.in(tick)
	s.calls++
	m.clock, m.stopAt, m.stopped = s.clock, 0, 0
	if s.clock != nil {
		m.started, m.began, m.took = s.clock.Beats(), 0, 0
		m.beat = m.started
		if s.clock.Busy() {
			m.began = s.clock.Spent()
		}
		if s.debt > 0 {
			s.debt = max(s.debt-int64(tick-s.debtTick)*timeShare/int64(max(scripts, 1)), 0)
		}
		s.debtTick = tick
		m.room = timeLoan - s.debt
	}
	for _, at := range s.due {
		if at.Call == s.calls {
			m.stopAt = at.Steps
		}
	}
}

// end ends a call that was not stopped, and reports whether it is the last one: the script has used up its time.
func (s *stops) end(m *meter) bool {
	if m.stopAt == atEnd {
		return true
	}
	if s.clock == nil {
		return false
	}
	beat := s.clock.Beats()
	if m.began == 0 && beat == m.started {
		return false
	}
	late := m.late(beat)
	s.debt += m.took
	if late {
		m.stopped = atEnd
		s.note(m)
		return true
	}
	return false
}

// note notes where the clock has stopped the call.
func (s *stops) note(m *meter) {
	if m.stopped != 0 {
		s.done = append(s.done, game.HookStop{Call: s.calls, Steps: m.stopped})
		m.stopped, s.debt = 0, 0
	}
}

// beatTime is the time between two beats in nanoseconds.
const beatTime = 10_000_000

// late reports whether a call has taken too long at a beat of the clock. One that was not measured from the start has
// taken no more than the beats since then, and no more than the tick. Where the system tells no processor time, beats
// are all there is.
func (m *meter) late(beat uint32) bool {
	m.beat = beat
	beats := beat - m.started
	now := m.clock.Spent()
	if now == 0 {
		return beats >= maxBeats
	}
	if m.began == 0 {
		m.began = max(m.clock.Began(), now-int64(beats)*beatTime)
	}
	m.took = now - m.began
	return m.took > m.room
}

// overtimeText says why a script is switched off that has used up its time.
func overtimeText(name string, scripts int) string {
	return fmt.Sprintf("%s: it takes too long, more than %.3g ms in every tick", name, timeShare/1e6/float64(max(scripts, 1)))
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
