package script

import (
	"fmt"
	"math"

	"github.com/teeyard/teeyard/game"
)

// stops decides which calls of hooks are stopped: by the clock, or by the log of a match that the
// clock has stopped. A stop is the number of the call in its tick and the steps that the script had
// used. Both are the same in a replay.
type stops struct {
	clock game.HookClock // nil if there is none

	tick  int32  // tick of the following fields
	calls uint32 // number of calls so far
	due   []game.HookStop
	done  []game.HookStop

	debt     int64 // nanoseconds that hooks have taken beyond the share
	debtTick int32 // last tick whose share was subtracted
}

// The processor time in nanoseconds that the hooks of all scripts may take in every tick, the part
// that each script has at least, and the time beyond its part after which a script is switched off.
// The steps of a tick take a fifth of the share on a machine of the year 2020, and other programs
// do not count. So only scripts whose steps take much longer than usual are stopped.
const (
	timeShare  = 6_000_000
	leastShare = 2_000_000
	timeLoan   = 30_000_000
)

// timeOf returns the nanoseconds that each of some scripts may take in every tick.
func timeOf(scripts int) int64 { return max(timeShare/int64(max(scripts, 1)), leastShare) }

// atEnd stands for a stop after the call has returned.
const atEnd = math.MaxUint64

// in begins a tick, if it is a new one.
func (s *stops) in(tick int32) {
	if s.tick != tick {
		s.tick, s.calls, s.due, s.done = tick, 0, s.due[:0], s.done[:0]
	}
}

// begin begins a call of a hook that is not inside another one. scripts is the number of scripts
// that share the tick.
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
			s.debt = max(s.debt-int64(tick-s.debtTick)*timeOf(scripts), 0)
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

// end ends a call that was not stopped. It reports whether the script has used up its time and must
// be switched off.
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

// note stores the point at which the clock stopped the call.
func (s *stops) note(m *meter) {
	if m.stopped != 0 {
		s.done = append(s.done, game.HookStop{Call: s.calls, Steps: m.stopped})
		m.stopped, s.debt = 0, 0
	}
}

// beatTime is the time between two beats, in nanoseconds.
const beatTime = 10_000_000

// late reports whether a call has taken too long at a beat of the clock. For a call that was not
// measured from its start it assumes the beats since the start, but no more than the time of the
// tick. On systems without processor times it only counts beats.
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

// overtimeText returns the reason for switching off a script that has used up its time.
func overtimeText(name string, scripts int) string {
	return fmt.Sprintf("%s: it takes too long, more than %.3g ms in every tick", name, float64(timeOf(scripts))/1e6)
}

// maxStops is the largest number of stops of a log in a tick. Without reloads there is at most one.
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
