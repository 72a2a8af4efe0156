package server

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

// tickDuration is the length of one tick.
const tickDuration = time.Second / 50

// maxCatchUp bounds how many ticks one pass may run after a stall. Time beyond
// it is forgotten: a machine that slept a minute must not spend the next one
// replaying 3,000 ticks while its players wait.
const maxCatchUp = 50

// clock turns time into ticks. It reads no time itself.
type clock struct {
	start conn.Time // when tick 0 began
	tick  int32     // the last tick that was begun
}

// reset makes now the beginning of tick 0.
func (c *clock) reset(now conn.Time) { *c = clock{start: now} }

// tickStart tells when a tick starts.
func (c *clock) tickStart(tick int32) conn.Time {
	return c.start.Add(time.Duration(tick) * tickDuration)
}

// due tells how many ticks are to be run now, at most maxCatchUp; skipped is
// how many were forgotten.
func (c *clock) due(now conn.Time) (ticks, skipped int) {
	n := int(now.Sub(c.start)/tickDuration) - int(c.tick)
	if n <= 0 {
		return 0, 0
	}
	if n > maxCatchUp {
		skipped = n - maxCatchUp
		c.start = c.start.Add(time.Duration(skipped) * tickDuration)
		n = maxCatchUp
	}
	return n, skipped
}

// nextTick tells when the nextTick tick begins.
func (c *clock) nextTick() conn.Time { return c.tickStart(c.tick + 1) }
