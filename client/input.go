package client

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// inputEvery is how often an unchanged input is repeated.
const inputEvery = 40 * time.Millisecond

// sentInputs remembers when inputs were sent, to learn how early they came.
type sentInputs struct {
	list [200]struct {
		tick      int32
		predicted time.Duration
		at        conn.Time
	}
	next int
}

// SetInput is what the player does from now on. Target 0,0 becomes 1,0.
func (c *Session) SetInput(in msg7.PlayerInput) {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetX = 1
	}
	c.input = in
}

// PredictedTick is the tick that inputs sent at now are meant for.
func (c *Session) PredictedTick(now conn.Time) int32 {
	return int32(c.predict.at(now)/tickTime) + 1
}

// stepInput sends the input once per predicted tick, if there is a reason.
func (c *Session) stepInput(now conn.Time) {
	if c.received < 3 {
		return
	}
	tick := c.PredictedTick(now)
	if off := tick - c.newest; off > 50 || off < -50 {
		c.predict = newSmoothTime(now, time.Duration(c.newest)*tickTime)
		c.predict.speed[1] = 1000
		tick = c.PredictedTick(now)
	}
	if tick <= c.lastTick {
		return
	}
	c.lastTick = tick
	if now.Sub(c.lastSent) < inputEvery && !acted(&c.input, &c.lastData) {
		return
	}
	c.lastSent, c.lastData = now, c.input

	e := &c.sent.list[c.sent.next]
	c.sent.next = (c.sent.next + 1) % len(c.sent.list)
	e.tick, e.predicted, e.at = tick, c.predict.at(now), now
	c.SendInput(now, tick, c.input)
}

// SendInput sends an input for a tick at once, and with it the acknowledgement
// of the newest snapshot. It is for owners who time inputs themselves
// (SessionConfig.Manual); the input is sent as it is.
func (c *Session) SendInput(now conn.Time, tick int32, in msg7.PlayerInput) {
	m := msg7.Input{AckTick: c.acked, IntendedTick: tick}
	m.SetPlayer(&in)
	if c.acked >= 0 {
		m.PingCorrection = int32(now.Sub(c.ackedAt) / time.Millisecond)
	}
	c.buf = m.Append(c.buf[:0])
	c.conn.Queue(now, c.buf, false)
	c.conn.Flush(now)
}

// acted tells whether more than the aim changed.
func acted(a, b *msg7.PlayerInput) bool {
	x, y := *a, *b
	x.TargetX, x.TargetY, y.TargetX, y.TargetY = 0, 0, 0, 0
	return x != y
}

func (c *Session) onInputTiming(m *msg7.InputTiming) {
	if m.TimeLeft < 0 {
		c.stats.InputsLate++
	}
	if c.cfg.OnTiming != nil {
		c.cfg.OnTiming(m.IntendedTick, m.TimeLeft)
	}
	for i := range c.sent.list {
		e := &c.sent.list[i]
		if e.tick == m.IntendedTick && e.tick != 0 {
			target := e.predicted + c.now.Sub(e.at) - time.Duration(m.TimeLeft-10)*time.Millisecond
			c.predict.update(c.now, target, int(m.TimeLeft), 1)
			return
		}
	}
}
