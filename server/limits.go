package server

import (
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
)

// The rate limits of clients. Unmodified clients stay far below all of them, even when a
// slow network delivers the datagrams of two seconds at once.
var (
	// inputRate is for INPUT. Clients send one per tick.
	inputRate = limit.Rate{PerSecond: 200, Burst: 128}
	// requestRate is for requests to the world. It has stricter limits for most, but
	// sv_spamprotection 0 turns them off, and some hundred lines of chat in one tick
	// would fill the send buffers of everybody who gets them.
	requestRate = limit.Rate{PerSecond: 20, Burst: 32}
	// replyRate is for the lines with which the server answers commands in the chat.
	replyRate = limit.Rate{PerSecond: 10, Burst: 64}
	// rconRate is for the commands of operators.
	rconRate = limit.Rate{PerSecond: 50, Burst: 256}
	// authRate is for passwords, right or wrong.
	authRate = limit.Rate{PerSecond: 1, Burst: 8}
	// authNoticeRate is for telling a client that its passwords are beyond authRate.
	authNoticeRate = limit.Rate{PerSecond: 1, Burst: 1}
	// guessRate is for the wrong passwords of all together, for each password; see
	// limit.Guesses.
	guessRate = limit.Rate{PerSecond: 10, Burst: 50}
	// joinNewsRate is for newcomers of whom the log and the others are told; see
	// mayAnnounce.
	joinNewsRate = limit.Rate{PerSecond: 1, Burst: 64}
	// connectRate is for the connects of a person, siteConnectRate for those of a site;
	// see limit.Arrivals.
	connectRate     = limit.Rate{PerSecond: 2, Burst: 16}
	siteConnectRate = limit.Rate{PerSecond: 10, Burst: 128}
	// strangerLogRate is for the lines of the log about clients that leave before they play
	// or are banned automatically.
	strangerLogRate = limit.Rate{PerSecond: 1, Burst: 40}
	// unprovenRate is for a network whose clients know no tokens; see spoofLimiter.
	unprovenRate = limit.Rate{PerSecond: 1, Burst: 4}
	// decompressRate is for datagrams that may answer a challenge. Only decompression
	// shows whether they do.
	decompressRate = limit.Rate{PerSecond: 250, Burst: 256}
)

const (
	// joinTimeout is the time after which a client is dropped that gets no further on its
	// way into the game. Downloading a large map over a slow line is progress.
	joinTimeout = 5 * time.Minute
	// loadingPatience is the time without a sign of life after which a client is dropped that loads the map, as
	// long as DDNet-Server's (conn_timeout). It costs no more than one that only keeps its connection until joinTimeout.
	loadingPatience = 100 * time.Second
	// rconForgetTime is the time without a wrong password after which those of a person
	// are forgotten.
	rconForgetTime = 10 * time.Minute
	// provenTime is how long the site of an address that has echoed a token gets
	// answers from a budget of its own.
	provenTime = time.Hour
	// operatorTime and guestTime are how long those who knew the password of the remote
	// console or of the game have tries of their own.
	operatorTime = 30 * 24 * time.Hour
	guestTime    = 7 * 24 * time.Hour
	// newcomerTime is how long a client is a newcomer.
	newcomerTime = 10 * time.Second
	// The sizes of tables, in addresses or networks.
	unprovenTracked  = 1024
	passwordsTracked = 1024
	provenTracked    = 4096
	operatorsTracked = 64
	guestsTracked    = 4096
)

// proveAddr remembers that an address has echoed a token. What counts is its site:
// otherwise somebody with a large IPv6 network could push everybody else out.
func (s *Server) proveAddr(now conn.Time, a netip.Addr) {
	s.provenSites.Add(int64(now), limit.Site(a))
}

// isProven reports whether an address has been proved recently, or is that of a player.
func (s *Server) isProven(now int64, a netip.Addr) bool {
	return s.provenSites.Has(now, limit.Site(a)) || s.halfLife.isPlayerAddr(a)
}

// sessionLimits is the token buckets of a session, and whether it may try no more passwords.
type sessionLimits struct {
	input, request, reply, rcon, auth, authNotice limit.Bucket
	loginBarred                                   bool
}

// newFailedLogins returns the counter of wrong passwords per person. A new connection does not
// reset it.
func newFailedLogins() *limit.Failures {
	f := limit.NewFailures(passwordsTracked, rconForgetTime)
	f.Renew = true
	return f
}

// mayConnect counts a connect and says whether it is within the limits. Loopback has none: the
// operator's tests, proxies and bots use it.
func (s *Server) mayConnect(now conn.Time, a netip.Addr) limit.Arrival {
	if a.IsLoopback() {
		return limit.ArrivalAdmitted
	}
	return s.arrivals.Admit(int64(now), a)
}

// mayLogStranger reports whether there is room in the log for a line about somebody who may
// come back a thousand times a second, and counts it if not.
func (s *Server) mayLogStranger(now conn.Time) bool {
	if s.strangerLog.Take(int64(now), strangerLogRate, 1) {
		return true
	}
	s.countDrop(dropLogLines)
	return false
}

// isNewcomer reports whether the client connected a moment ago.
func (c *session) isNewcomer() bool { return c.server.now.Sub(c.connectedAt) < newcomerTime }

// mayAnnounce reports whether the log and the other players may be told of a client: of
// newcomers only so many, since somebody with many networks can join and leave a thousand times
// a second. The others play too, but in silence until they are no newcomers any more.
func (c *session) mayAnnounce() bool {
	s := c.server
	if !c.announced && (!c.isNewcomer() || c.peer.Addr().IsLoopback() || s.joinNews.Take(int64(s.now), joinNewsRate, 1)) {
		c.announced = true
	}
	return c.announced
}

// isQuiet reports whether neither the log nor the others are told what a player does, who was
// not announced and is, or was until they left, a newcomer.
func (s *Server) isQuiet(id game.PlayerID) bool {
	return id >= 0 && s.seats.quiet.Has(id) && (s.sessions[id] == nil || s.sessions[id].isNewcomer())
}

// spoofLimiter limits what is done for addresses of clients without a token. Somebody who
// can forge addresses can use up all of it, but this does not affect clients with tokens.
type spoofLimiter struct {
	networks *limit.Limiter
	total    limit.Bucket
}

// allow reports whether something may be done for an address: the limits are those of its
// network, and perSecond for all. Loopback has only the latter.
func (l *spoofLimiter) allow(now conn.Time, a netip.Addr, perSecond int) bool {
	network, rate := limit.Network(a), limit.Rate{PerSecond: float64(perSecond), Burst: float64(perSecond)}
	if !a.IsLoopback() && !l.networks.Has(int64(now), network, 1) || !l.total.Take(int64(now), rate, 1) {
		return false
	}
	l.networks.Take(int64(now), network, 1)
	return true
}
