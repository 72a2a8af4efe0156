package server

import (
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

// rate is how much of something a peer may do: a burst at once, and one more
// per interval.
type rate struct {
	burst    int
	interval time.Duration
}

// What a client may do. Unmodified clients stay far below all of them, even when
// a slow network delivers two seconds at once.
var (
	// inputRate is for INPUT, of which clients send one per tick.
	inputRate = rate{128, 5 * time.Millisecond}
	// requestRate is for everything that asks something of the world. The world
	// has stricter limits for most, but sv_spamprotection turns them off, and
	// without any a few hundred lines of chat in one tick fill the send buffers
	// of everybody who hears them.
	requestRate = rate{32, 50 * time.Millisecond}
	// rconRate is for the commands of operators.
	rconRate = rate{256, 20 * time.Millisecond}
	// authRate is for passwords, right or wrong.
	authRate = rate{8, time.Second}
	// connectRate is for the connects of an address.
	connectRate = rate{16, 500 * time.Millisecond}
)

// allowance is what is left of a rate: when it would be whole again.
type allowance conn.Time

// take takes one, if there is one.
func (a *allowance) take(now conn.Time, r rate) bool {
	whole := max(conn.Time(*a), now)
	if whole.Sub(now) > time.Duration(r.burst-1)*r.interval {
		return false
	}
	*a = allowance(whole.Add(r.interval))
	return true
}

// allowances are those of a session.
type allowances struct {
	input, request, rcon, auth allowance
}

// joinPatience is how long a client may stay on its way into the game without
// getting any further. Loading a large map over a slow line is progress.
const joinPatience = 5 * time.Minute

// stressGuard slows down addresses that connect again and again.
type stressGuard struct {
	connects map[netip.Addr]allowance
}

// stressTracked bounds the addresses remembered; all of them have echoed a token.
const stressTracked = 4096

// allow takes one connect from what an address may do. Loopback is free: tests,
// proxies and bots of the operator come from there.
func (g *stressGuard) allow(now conn.Time, a netip.Addr) bool {
	if a.IsLoopback() {
		return true
	}
	a = household(a)
	left, known := g.connects[a]
	if !left.take(now, connectRate) {
		return false
	}
	if !known && len(g.connects) >= stressTracked {
		for k, v := range g.connects {
			if conn.Time(v) <= now {
				delete(g.connects, k)
			}
		}
		if len(g.connects) >= stressTracked {
			return false
		}
	}
	if g.connects == nil {
		g.connects = make(map[netip.Addr]allowance)
	}
	g.connects[a] = left
	return true
}

// household is what one customer of a provider has: an IPv4 address, or all of
// an IPv6 network.
func household(a netip.Addr) netip.Addr {
	if a.Is4() {
		return a
	}
	return network(a).Addr()
}

// rconTries counts the wrong passwords that came from an address, so that a
// new connection is no new start.
type rconTries struct {
	wrong map[netip.Addr]rconTry
}

type rconTry struct {
	n     int
	until conn.Time // forgotten from then on
}

const (
	rconForget  = 10 * time.Minute
	rconTracked = 1024
)

// add counts one more wrong password and tells how many that makes.
func (r *rconTries) add(now conn.Time, a netip.Addr) int {
	a = household(a)
	e := r.wrong[a]
	if e.until <= now {
		e.n = 0
	}
	if r.wrong == nil {
		r.wrong = make(map[netip.Addr]rconTry)
	}
	if _, known := r.wrong[a]; !known && len(r.wrong) >= rconTracked {
		oldest, first := netip.Addr{}, conn.Time(0)
		for k, v := range r.wrong {
			if !oldest.IsValid() || v.until < first {
				oldest, first = k, v.until
			}
		}
		delete(r.wrong, oldest)
	}
	e.n, e.until = e.n+1, now.Add(rconForget)
	r.wrong[a] = e
	return e.n
}

// forget is for an address that knew the password in the end, or paid.
func (r *rconTries) forget(a netip.Addr) { delete(r.wrong, household(a)) }
