package server

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// tickDuration is the length of one tick.
const tickDuration = time.Second / 50

// maxCatchUp is the most ticks that run at once after a stall, two minutes. They take a
// second or two with many players. When time moves back, clients send no inputs until it is
// where it was, so no tick is skipped for which any client could have waited: the
// original's clients wait 10 s for a server that is silent, DDNet's 100 s.
const maxCatchUp = 120 * game.TickRate

// maxOverload is the most ticks that run at once if ticks take longer than they last: catching
// up would make it worse.
const maxOverload = 1 * game.TickRate

// idleTicks is the number of ticks that are run at once while no client is connected:
// waking up costs far more than an empty tick.
const idleTicks = 25

// stallTicks is the number of ticks that are due at once from which on the machine, and not
// the load, is to blame. Without clients, idleTicks are due at once.
const stallTicks = idleTicks

// clock converts time to ticks. It gets the time as an argument.
type clock struct {
	start conn.Time // when tick 0 began
	tick  int32     // the last tick that began
	// stalled is the last tick that began late because the machine stood still.
	stalled int32
	lastDue int // ticks that were run at once last
}

// reset makes now the beginning of tick 0.
func (c *clock) reset(now conn.Time) { *c = clock{start: now} }

// forward moves the ticks that follow to an earlier time. Clients count on their times, and must
// not be there.
func (c *clock) forward(ticks int) { c.start = c.start.Add(-time.Duration(ticks) * tickDuration) }

// tickStart returns the time at which a tick begins.
func (c *clock) tickStart(tick int32) conn.Time {
	return c.start.Add(time.Duration(tick) * tickDuration)
}

// due returns the number of ticks to run now, at most maxCatchUp, and the number of skipped ticks
// beyond that. If catching up itself takes so long that many ticks are due again, they are at most
// maxOverload or half of those before.
func (c *clock) due(now conn.Time) (ticks, skipped int) {
	n := int(now.Sub(c.start)/tickDuration) - int(c.tick)
	if n <= 0 {
		c.lastDue = 0
		return 0, 0
	}
	limit := maxCatchUp
	if c.lastDue > stallTicks {
		limit = max(c.lastDue/2, maxOverload)
	}
	if n > limit {
		skipped = n - limit
		c.start = c.start.Add(time.Duration(skipped) * tickDuration)
		n = limit
	}
	c.lastDue = n
	if n > stallTicks {
		c.stalled = c.tick + int32(n)
	}
	return n, skipped
}

// waited reports whether what arrives now for a tick may have waited for a machine that
// stood still, so that its time says nothing about the client or the network.
func (c *clock) waited(now conn.Time, tick int32) bool {
	return tick <= c.stalled || now.Sub(c.nextTick()) > stallTicks*tickDuration
}

// nextTick returns the time at which the next tick begins.
func (c *clock) nextTick() conn.Time { return c.tickStart(c.tick + 1) }

// crossesMultiple reports whether one of the ticks after before, up to tick, is a
// multiple of n.
func crossesMultiple(before, tick, n int32) bool { return tick/n != before/n }
