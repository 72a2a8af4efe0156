package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
)

const (
	// maxBanReason is the longest reason that is stored, in bytes.
	maxBanReason = 63
	// banAnswerInterval is the time between two answers to a banned address.
	banAnswerInterval = 5 * time.Second
	// banAnswersTracked is the number of networks whose last answer is remembered.
	banAnswersTracked = 4096
)

// ErrUnbannable is returned for addresses that cannot be banned.
var ErrUnbannable = errors.New("ban failed (localhost)")

// banList is the networks that may not connect. The store also has bans that are from the
// remote console alone.
type banList struct {
	store bans.Store
	clock func() time.Time
	// answered has the banned networks that tried to connect recently, whether they
	// were answered or not.
	answered *limit.RecentSet
	// nextWait is when a command may wait for the disk again.
	nextWait conn.Time
	reported string // why bans are not stored, as printed last
}

// newBanList returns the list of a store; nil makes one in memory with a clock.
func newBanList(store bans.Store, clock func() time.Time) banList {
	if store == nil {
		store = bans.New(clock)
	} else {
		clock = time.Now
	}
	return banList{store: store, clock: clock, answered: limit.NewRecentSet(banAnswersTracked, banAnswerInterval)}
}

// add adds a ban, or renews that of the same network, and returns it with its end.
func (l *banList) add(now conn.Time, b bans.Ban) (bans.Ban, error) {
	if b.Net.Contains(localhost4) || b.Net.Contains(netip.IPv6Loopback()) {
		return bans.Ban{}, ErrUnbannable
	}
	b.Reason = printableText([]byte(b.Reason), maxBanReason)
	if b.Duration > 0 {
		b.Until = l.clock().Add(b.Duration)
	}
	if err := l.store.Add(b); err != nil {
		return bans.Ban{}, fmt.Errorf("ban error (%w)", err)
	}
	l.answered.Add(int64(now), b.Net)
	return b, nil
}

// isLocalhost reports whether an address is that of the operator's own programs, which
// cannot be banned.
func isLocalhost(a netip.Addr) bool { return a == localhost4 || a == netip.IPv6Loopback() }

var localhost4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// addrPrefix returns the network of one address.
func addrPrefix(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// find returns the ban of an address from the game, if there is one.
func (l *banList) find(addr netip.Addr) (bans.Ban, bool) {
	b, ok := l.store.Find(addr)
	return b, ok && !b.RconOnly
}

// list returns the bans in the order of their ends, by which the console numbers them.
func (l *banList) list() []bans.Ban {
	list := slices.DeleteFunc(l.store.All(), func(b bans.Ban) bool { return b.RconOnly })
	slices.SortStableFunc(list, func(x, y bans.Ban) int {
		if x.Until.IsZero() != y.Until.IsZero() {
			return boolToInt(x.Until.IsZero()) - boolToInt(y.Until.IsZero())
		}
		return x.Until.Compare(y.Until)
	})
	return list
}

// clear removes all bans.
func (l *banList) clear() {
	for _, b := range l.store.All() {
		l.store.Remove(b.Net)
	}
}

// mayAnswer reports whether a banned network that tries to connect now is told about the
// ban: not if it keeps trying.
func (l *banList) mayAnswer(now conn.Time, net netip.Prefix) bool {
	asked := l.answered.Has(int64(now), net)
	l.answered.Add(int64(now), net)
	return !asked
}

// banMessage returns what banned clients are told.
func banMessage(b bans.Ban, now time.Time) string { return "You have been banned " + banTerms(b, now) }

// banTerms returns the remaining time of a ban and its reason.
func banTerms(b bans.Ban, now time.Time) string {
	reason := cmp.Or(b.Reason, "No reason given")
	if b.Until.IsZero() {
		return fmt.Sprintf("for life (%s)", reason)
	}
	return fmt.Sprintf("for %s (%s)", minutes(b.Until.Sub(now)), reason)
}

// minutes returns a duration in words as the original does, rounded up.
func minutes(d time.Duration) string {
	n := int((d + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}
