package server

import (
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
)

// What a client may do. Unmodified clients stay far below all of these rates, even
// when a slow network delivers two seconds at once.
var (
	// inputRate is for INPUT, of which clients send one per tick.
	inputRate = limit.Rate{PerSecond: 200, Burst: 128}
	// requestRate is for everything that asks something of the world. The world
	// has stricter limits for most, but sv_spamprotection turns them off, and
	// without any a few hundred lines of chat in one tick fill the send buffers
	// of everybody who hears them.
	requestRate = limit.Rate{PerSecond: 20, Burst: 32}
	// rconRate is for the commands of operators.
	rconRate = limit.Rate{PerSecond: 50, Burst: 256}
	// authRate is for passwords, right or wrong.
	authRate = limit.Rate{PerSecond: 1, Burst: 8}
	// connectRate is for the connects of one person.
	connectRate = limit.Rate{PerSecond: 2, Burst: 16}
	// unprovenRate is for one network whose clients know no tokens; see
	// spoofLimiter.
	unprovenRate = limit.Rate{PerSecond: 1, Burst: 4}
	// decompressRate is for datagrams that may be the answer to a challenge: each
	// has to be decompressed to know.
	decompressRate = limit.Rate{PerSecond: 250, Burst: 256}
)

const (
	// joinTimeout is how long a client may stay on its way into the game without
	// getting any further. Loading a large map over a slow line is progress.
	joinTimeout = 5 * time.Minute
	// rconForgetTime is after how long without a wrong password all of a person are
	// forgotten.
	rconForgetTime = 10 * time.Minute
	// Sizes of tables, in addresses or networks.
	connectsTracked  = 4096 // all of them have echoed a token
	unprovenTracked  = 1024
	passwordsTracked = 1024
)

// sessionLimits are the buckets of a session.
type sessionLimits struct {
	input, request, rcon, auth limit.Bucket
}

// newFailedLogins returns the counter of the wrong passwords of a person, so that a
// new connection is no new start.
func newFailedLogins() *limit.Failures {
	f := limit.NewFailures(passwordsTracked, rconForgetTime)
	f.Renew = true
	return f
}

// mayConnect takes one connect from what a person may do. Loopback is free: tests,
// proxies and bots of the operator come from there.
func (s *Server) mayConnect(now conn.Time, a netip.Addr) bool {
	return a.IsLoopback() || s.connectLimiter.Take(int64(now), limit.Person(a), 1)
}

// spoofLimiter bounds what is done for addresses that clients without a token
// claim to have. Whoever can forge addresses can use up all of it; clients with
// tokens do not notice.
type spoofLimiter struct {
	networks *limit.Limiter
	total    limit.Bucket
}

// allow takes one from what the network of an address may do, if all together do at
// most perSecond. Loopback is bounded by the total only.
func (l *spoofLimiter) allow(now conn.Time, a netip.Addr, perSecond int) bool {
	network, rate := limit.Network(a), limit.Rate{PerSecond: float64(perSecond), Burst: float64(perSecond)}
	if !a.IsLoopback() && !l.networks.Has(int64(now), network, 1) || !l.total.Take(int64(now), rate, 1) {
		return false
	}
	l.networks.Take(int64(now), network, 1)
	return true
}
