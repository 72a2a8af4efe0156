package server

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// tickDuration is the length of one tick.
const tickDuration = time.Second / 50

// maxCatchUp is the most ticks that run at once after a stall, two minutes. They take a second or
// two with many players. Clients wait less long for a silent server: 10 s in the original, 100 s in
// DDNet. Therefore no tick is skipped that a client could have waited for. A client whose time
// moves back would send no inputs until the old time returns.
const maxCatchUp = 120 * game.TickRate

// maxOverload is the most ticks that run at once if a tick takes longer than its 20 ms: catching up
// would make it worse.
const maxOverload = 1 * game.TickRate

// idleTicks is the number of ticks that run at once while no client is connected: a wake-up costs
// far more than an empty tick.
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

// forward moves the following ticks to an earlier time. Call it without clients only, since they
// rely on these times.
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

// waited reports whether a datagram that arrives now for a tick may have waited for a machine that
// stood still. Its time says nothing about the client or the network then.
func (c *clock) waited(now conn.Time, tick int32) bool {
	return tick <= c.stalled || now.Sub(c.nextTick()) > stallTicks*tickDuration
}

// nextTick returns the time at which the next tick begins.
func (c *clock) nextTick() conn.Time { return c.tickStart(c.tick + 1) }

// crossesMultiple reports whether one of the ticks after before, up to tick, is a
// multiple of n.
func crossesMultiple(before, tick, n int32) bool { return tick/n != before/n }
