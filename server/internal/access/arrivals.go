package access

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
)

// The limits of arriving clients. Unmodified clients stay far below all of them, even when a slow
// network delivers the datagrams of two seconds at once.
var (
	// ConnectRate limits a person's connects, and SiteConnectRate a site's; see limit.Arrivals. The
	// burst of ConnectRate grows with a person's seats.
	ConnectRate     = limit.Rate{PerSecond: 2, Burst: 16}
	SiteConnectRate = limit.Rate{PerSecond: 10, Burst: 128}
	// JoinNewsRate limits the joining clients that the log and the players are told of.
	JoinNewsRate = limit.Rate{PerSecond: 1, Burst: 64}
	// StrangerLogRate limits the log lines about clients that leave before they play, and about
	// automatic bans.
	StrangerLogRate = limit.Rate{PerSecond: 1, Burst: 40}
	// UnprovenRate limits the answers to a network whose clients know no tokens.
	UnprovenRate = limit.Rate{PerSecond: 1, Burst: 4}
)

const (
	// provenTime is how long the site of an address that has echoed a token gets answers from a
	// budget of its own.
	provenTime = time.Hour
	// connectsPerSeat is the burst of connects for each of a person's seats, so that a classroom
	// can join at once, and again when the server restarts.
	connectsPerSeat = 4
	// The sizes of tables, in networks.
	unprovenTracked = 1024
	provenTracked   = 4096
)

// Arrivals limits the work of the server for each address that connects.
type Arrivals struct {
	settings *Settings
	connects *limit.Arrivals
	// unproven and allUnproven limit the work for addresses of clients without a token. A forger of
	// addresses can use up all of it, but this does not affect clients with tokens.
	unproven    *limit.Limiter // per network
	allUnproven limit.Bucket
	proven      *limit.RecentSet // sites
	strangerLog limit.Bucket
	joinNews    limit.Bucket
	logFull     func()
}

func newArrivals(s *Settings, logFull func()) *Arrivals {
	return &Arrivals{
		settings: s,
		connects: limit.NewArrivals(ConnectRate, SiteConnectRate),
		unproven: limit.NewLimiter(unprovenTracked, UnprovenRate),
		proven:   limit.NewRecentSet(provenTracked, provenTime),
		logFull:  logFull,
	}
}

// Admit counts a connect and returns whether it is within the limits. Loopback has none: the
// operator's tests, proxies and bots use it.
func (l *Arrivals) Admit(now conn.Time, a netip.Addr) limit.Arrival {
	if a.IsLoopback() {
		return limit.ArrivalAdmitted
	}
	l.setConnectRate()
	return l.connects.Admit(int64(now), a)
}

// AdmitAgain counts a connect of a client that is connected already.
func (l *Arrivals) AdmitAgain(now conn.Time, a netip.Addr) bool {
	l.setConnectRate()
	return a.IsLoopback() || l.connects.AdmitAgain(int64(now), a)
}

// setConnectRate follows sv_max_clients_per_ip.
func (l *Arrivals) setConnectRate() {
	r := ConnectRate
	r.Burst = max(r.Burst, connectsPerSeat*float64(l.settings.MaxClientsPerIP))
	l.connects.SetPersonRate(r)
}

// Crowded returns the reason why there are too many clients at an address, or "". The numbers
// include the client itself.
func (l *Arrivals) Crowded(a netip.Addr, samePerson, sameSite int) string {
	perIP, perNetwork := l.settings.MaxClientsPerIP, l.settings.MaxClientsPerNetwork
	switch {
	case samePerson > perIP:
		return fmt.Sprintf("Only %d players with the same IP are allowed", perIP)
	case perNetwork > 0 && sameSite > perNetwork && !a.IsLoopback():
		return fmt.Sprintf("Only %d players from the same network are allowed", perNetwork)
	}
	return ""
}

// AllowUnproven reports whether the server may answer a client without a token, and counts it. Each
// network has a limit, and sv_van_conn_per_second is the limit for all. Loopback has only the
// latter.
func (l *Arrivals) AllowUnproven(now conn.Time, a netip.Addr) bool {
	perSecond := float64(l.settings.VanillaConnPerSecond)
	network, rate := limit.Network(a), limit.Rate{PerSecond: perSecond, Burst: perSecond}
	if !a.IsLoopback() && !l.unproven.Has(int64(now), network, 1) || !l.allUnproven.Take(int64(now), rate, 1) {
		return false
	}
	l.unproven.Take(int64(now), network, 1)
	return true
}

// Prove notes that an address has echoed a token. It proves the whole site: otherwise the owner of
// a large IPv6 network could push all others out.
func (l *Arrivals) Prove(now conn.Time, a netip.Addr) { l.proven.Add(int64(now), limit.Site(a)) }

// IsProven reports whether an address has been proven recently.
func (l *Arrivals) IsProven(now conn.Time, a netip.Addr) bool {
	return l.proven.Has(int64(now), limit.Site(a))
}

// MayLog reports whether the log has room for a line about a stranger, who may come back a
// thousand times a second. It counts the line.
func (l *Arrivals) MayLog(now conn.Time) bool {
	if l.strangerLog.Take(int64(now), StrangerLogRate, 1) {
		return true
	}
	l.logFull()
	return false
}

// MayAnnounce reports whether the log and the players may be told of a client that joins. It
// counts the client.
func (l *Arrivals) MayAnnounce(now conn.Time) bool {
	return l.joinNews.Take(int64(now), JoinNewsRate, 1)
}
