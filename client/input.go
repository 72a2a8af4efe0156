package client

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// inputEvery is how often an unchanged input is repeated.
const inputEvery = 40 * time.Millisecond

// sentInputs remembers inputs that were sent: when, to learn how early they came,
// and what, to predict.
type sentInputs struct {
	list [200]struct {
		tick      int32
		predicted time.Duration
		at        conn.Time
		input     game.Input
	}
	next int
}

func (s *sentInputs) forget() {
	for i := range s.list {
		s.list[i].tick = 0
	}
}

// SetInput is what the player does from now on. Target 0,0 becomes 1,0.
func (c *Session) SetInput(in game.Input) {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetX = 1
	}
	c.input = in
}

// PredictedTick is the tick that inputs sent at now are meant for.
func (c *Session) PredictedTick(now conn.Time) int32 {
	return int32(c.predict.at(now)/tickTime) + 1
}

// DueInput tells the tick that an input is to be made for now. It is false while
// there was one for that tick already, and before the third snapshot.
func (c *Session) DueInput(now conn.Time) (tick int32, ok bool) {
	if c.state != Playing || c.received < 3 {
		return 0, false
	}
	tick = c.PredictedTick(now)
	if off := tick - c.newest; off > 50 || off < -50 {
		c.predict = newSmoothTime(now, time.Duration(c.newest)*tickTime)
		c.predict.speed[1] = 1000
		tick = c.PredictedTick(now)
	}
	return tick, tick > c.lastTick
}

// NextInput is about when the next input will be due.
func (c *Session) NextInput(now conn.Time) conn.Time {
	if c.state != Playing || c.received < 3 {
		return now.Add(tickTime)
	}
	at := c.predict.at(now)
	return now.Add((at/tickTime+1)*tickTime - at)
}

// SentInput is the input that counts in a tick, of those sent so far: for it or
// the last before it.
func (c *Session) SentInput(tick int32) (in game.Input, ok bool) {
	s := &c.sent
	for k := range s.list {
		e := &s.list[(s.next+2*len(s.list)-1-k)%len(s.list)]
		if e.tick == 0 {
			break
		}
		if e.tick <= tick {
			return e.input, true
		}
	}
	return in, false
}

// stepInput sends the input once per predicted tick, if there is a reason.
func (c *Session) stepInput(now conn.Time) {
	tick, due := c.DueInput(now)
	if !due {
		return
	}
	c.lastTick = tick
	if now.Sub(c.lastSent) < inputEvery && !acted(&c.input, &c.lastData) {
		return
	}
	c.lastSent, c.lastData = now, c.input

	e := &c.sent.list[c.sent.next]
	c.sent.next = (c.sent.next + 1) % len(c.sent.list)
	e.tick, e.predicted, e.at, e.input = tick, c.predict.at(now), now, c.input
	c.SendInput(now, tick, c.input)
}

// SendInput sends an input for a tick at once, and with it the acknowledgement
// of the newest snapshot. It is for owners who time inputs themselves
// (SessionConfig.Manual); the input is sent as it is.
func (c *Session) SendInput(now conn.Time, tick int32, in game.Input) {
	ago := int32(0)
	if c.acked >= 0 {
		ago = int32(now.Sub(c.ackedAt) / time.Millisecond)
	}
	c.now, c.sending = now, in
	c.guest.SendInput(c.acked, tick, &c.sending, ago)
	c.conn.Flush(now)
}

// acted tells whether more than the aim changed.
func acted(a, b *game.Input) bool {
	x, y := *a, *b
	x.TargetX, x.TargetY, y.TargetX, y.TargetY = 0, 0, 0, 0
	return x != y
}

// OnInputTiming sets the clock that inputs are sent by.
func (n news) OnInputTiming(tick, left int32) {
	c := n.Session
	if left < 0 {
		c.stats.InputsLate++
	}
	if c.cfg.OnTiming != nil {
		c.cfg.OnTiming(tick, left)
	}
	for i := range c.sent.list {
		e := &c.sent.list[i]
		if e.tick == tick && e.tick != 0 {
			target := e.predicted + c.now.Sub(e.at) - time.Duration(left-10)*time.Millisecond
			c.predict.update(c.now, target, int(left), 1)
			return
		}
	}
}
