package client

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// inputInterval is the time after which an unchanged input is sent again.
const inputInterval = 40 * time.Millisecond

// sentInputs stores the last inputs: their times, for the clock, and their content, for prediction.
type sentInputs struct {
	entries [200]struct {
		tick      int32
		predicted time.Duration
		at        conn.Time
		input     game.Input
	}
	next int
}

func (s *sentInputs) reset() {
	for i := range s.entries {
		s.entries[i].tick = 0
	}
}

// SetInput sets the input from now on. The target 0,0 becomes 1,0.
func (c *Session) SetInput(in game.Input) {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetX = 1
	}
	c.input = in
}

// PredictedTick returns the tick for inputs that are sent at time now.
func (c *Session) PredictedTick(now conn.Time) int32 {
	return int32(c.predictedTime.at(now)/tickTime) + 1
}

// InputDue returns the tick for which an input is due. ok is false if one was sent for that tick
// already, and before the third snapshot.
func (c *Session) InputDue(now conn.Time) (tick int32, ok bool) {
	if c.state != Playing || c.numSnapshots < 3 {
		return 0, false
	}
	tick = c.PredictedTick(now)
	if off := tick - c.newestTick; off > 50 || off < -50 {
		c.predictedTime = newSmoothTime(now, time.Duration(c.newestTick)*tickTime)
		c.predictedTime.speed[1] = 1000
		tick = c.PredictedTick(now)
	}
	return tick, tick > c.lastInputTick
}

// NextInputTime returns the approximate time when the next input is due.
func (c *Session) NextInputTime(now conn.Time) conn.Time {
	if c.state != Playing || c.numSnapshots < 3 {
		return now.Add(tickTime)
	}
	at := c.predictedTime.at(now)
	return now.Add((at/tickTime+1)*tickTime - at)
}

// SentInputAt returns the input that applies in a tick: the last one sent for that tick or an
// earlier one.
func (c *Session) SentInputAt(tick int32) (in game.Input, ok bool) {
	s := &c.sentInputs
	for k := range s.entries {
		e := &s.entries[(s.next+2*len(s.entries)-1-k)%len(s.entries)]
		if e.tick == 0 {
			break
		}
		if e.tick <= tick {
			return e.input, true
		}
	}
	return in, false
}

// sendDueInput sends the input when it has changed and every inputInterval, at most once per
// predicted tick.
func (c *Session) sendDueInput(now conn.Time) {
	tick, due := c.InputDue(now)
	if !due {
		return
	}
	c.lastInputTick = tick
	if now.Sub(c.lastInputAt) < inputInterval && !actionChanged(&c.input, &c.lastInput) {
		return
	}
	c.lastInputAt, c.lastInput = now, c.input

	e := &c.sentInputs.entries[c.sentInputs.next]
	c.sentInputs.next = (c.sentInputs.next + 1) % len(c.sentInputs.entries)
	e.tick, e.predicted, e.at, e.input = tick, c.predictedTime.at(now), now, c.input
	c.SendInput(now, tick, c.input)
}

// SendInput sends an unmodified input for a tick at once, together with the acknowledgement of the
// newest snapshot. See SessionConfig.ManualInput.
func (c *Session) SendInput(now conn.Time, tick int32, in game.Input) {
	ago := int32(0)
	if c.ackedTick >= 0 {
		ago = int32(now.Sub(c.ackedAt) / time.Millisecond)
	}
	c.now, c.inputToSend = now, in
	c.side.SendInput(c.ackedTick, tick, &c.inputToSend, ago)
	c.conn.Flush(now)
}

// actionChanged reports whether two inputs differ in more than the aim.
func actionChanged(a, b *game.Input) bool {
	x, y := *a, *b
	x.TargetX, x.TargetY, y.TargetX, y.TargetY = 0, 0, 0, 0
	return x != y
}

// OnInputTiming adjusts the clock for sending inputs.
func (n sessionHandler) OnInputTiming(tick, left int32) {
	c := n.Session
	if left < 0 {
		c.stats.InputsLate++
	}
	if c.cfg.OnInputTiming != nil {
		c.cfg.OnInputTiming(tick, left)
	}
	for i := range c.sentInputs.entries {
		e := &c.sentInputs.entries[i]
		if e.tick == tick && e.tick != 0 {
			target := e.predicted + c.now.Sub(e.at) - time.Duration(left-10)*time.Millisecond
			c.predictedTime.update(c.now, target, int(left), 1)
			return
		}
	}
}
