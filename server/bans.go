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
	// maxBanReason is the longest reason kept, in bytes.
	maxBanReason = 63
	// banAnswerInterval is how long a banned address waits between two answers.
	banAnswerInterval = 5 * time.Second
	// banAnswersTracked is the size of the table of those who were answered lately.
	banAnswersTracked = 4096
)

// ErrUnbannable is returned for addresses that no ban may hit.
var ErrUnbannable = errors.New("ban error (localhost cannot be banned)")

// banList is the list of addresses that may not connect. Bans from the remote console
// alone are in the store, too, but do not concern the game.
type banList struct {
	store bans.Store
	clock func() time.Time
	// answered has the banned networks that asked lately, whether they were answered
	// or not.
	answered *limit.RecentSet
}

// newBanList takes a store, or makes one with a clock of its own.
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
	if b.Net.IsSingleIP() && isLocalhost(b.Net.Addr()) {
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

// isLocalhost reports whether an address is the one by which the operator's own
// programs come, so that no ban may hit it.
func isLocalhost(a netip.Addr) bool {
	return a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || a == netip.IPv6Loopback()
}

// addrPrefix returns the network that is one address.
func addrPrefix(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// find returns the ban that keeps an address away from the game now, if there is one.
func (l *banList) find(addr netip.Addr) (bans.Ban, bool) {
	b, ok := l.store.Find(addr)
	return b, ok && !b.RconOnly
}

// list returns the bans in the order they end: the console numbers them so.
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

// mayAnswer reports whether a banned network that asks now is to be told why: not if
// it asked all the time.
func (l *banList) mayAnswer(now conn.Time, net netip.Prefix) bool {
	asked := l.answered.Has(int64(now), net)
	l.answered.Add(int64(now), net)
	return !asked
}

// banMessage is what banned clients are told.
func banMessage(b bans.Ban, now time.Time) string { return "You have been banned " + banTerms(b, now) }

// banTerms says for how long a ban is and why.
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
