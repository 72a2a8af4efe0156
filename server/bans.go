package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

const (
	// maxBanReason is the longest reason that is stored, in bytes.
	maxBanReason = 63
	// banAnswerInterval is the time between two answers to a banned address.
	banAnswerInterval = 5 * time.Second
	// banAnswersTracked is the number of networks whose last answer is remembered.
	banAnswersTracked = 4096
)

// ErrUnbannable is returned for an address that the server refuses to ban.
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
	unstored later.Trouble // why bans are not stored, as printed last
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
	if b.Contains(localhost4) || b.Contains(netip.IPv6Loopback()) {
		return bans.Ban{}, ErrUnbannable
	}
	b.Reason = printableText([]byte(b.Reason), maxBanReason)
	if b.Duration > 0 {
		b.Until = l.clock().Add(b.Duration)
	}
	if err := l.store.Add(b); err != nil {
		return bans.Ban{}, fmt.Errorf("ban error (%w)", err)
	}
	l.answered.Add(int64(now), answerKey(&b))
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

// list returns the bans of addresses and behind them the others, each in the order of their
// ends, of those that end in the same second the last one first. By this order the console
// numbers them, as in the original.
func (l *banList) list() []bans.Ban {
	list := slices.DeleteFunc(l.store.All(), func(b bans.Ban) bool { return b.RconOnly })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y bans.Ban) int {
		if a, b := x.Net.IsSingleIP(), y.Net.IsSingleIP(); a != b {
			return boolToInt(b) - boolToInt(a)
		}
		if x.Until.IsZero() || y.Until.IsZero() {
			return boolToInt(x.Until.IsZero()) - boolToInt(y.Until.IsZero())
		}
		return cmp.Compare(x.Until.Unix(), y.Until.Unix())
	})
	return list
}

// clear removes all bans.
func (l *banList) clear() {
	for _, b := range l.store.All() {
		l.store.Remove(b)
	}
}

// answerKey returns the network by which answered knows a ban.
func answerKey(b *bans.Ban) netip.Prefix {
	if b.Range.IsValid() {
		return addrPrefix(b.Range.First)
	}
	return b.Net
}

// mayAnswer reports whether the banned who try to connect now are told about the ban: not if
// they keep trying.
func (l *banList) mayAnswer(now conn.Time, b *bans.Ban) bool {
	net := answerKey(b)
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

// quoteTarget returns what is banned as lines of the console have it.
func quoteTarget(b *bans.Ban) string {
	if b.Range.IsValid() {
		return fmt.Sprintf("'%s' - '%s'", b.Range.First, b.Range.Last)
	}
	return "'" + bans.FormatNet(b.Net) + "'"
}

// appendBans appends the commands that make the bans of a list again, also in the original,
// which reads ranges but no networks, or in DDNet-Server, which has another command for ranges.
func appendBans(dst []byte, list []bans.Ban, now time.Time, forDDNet bool) []byte {
	for _, b := range list {
		minutes := -1 // for life
		if !b.Until.IsZero() {
			minutes = max(int((b.Until.Sub(now)+time.Minute-1)/time.Minute), 1)
		}
		reason := b.Reason
		if strings.ContainsAny(reason, "\"\\;#") || reason != strings.TrimSpace(reason) {
			reason = console.Quote(reason)
		}
		first, last := b.Ends()
		command, target := "ban", saveAddr(first)
		switch {
		case first == last:
		case forDDNet:
			command, target = "ban_range", target+" "+saveAddr(last)
		default:
			target += "-" + saveAddr(last)
		}
		dst = fmt.Appendf(dst, "%s %s %d %s\n", command, target, minutes, reason)
	}
	return dst
}

// saveAddr returns an address as the original reads it.
func saveAddr(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

// minutes returns a duration in words as the original does, rounded up.
func minutes(d time.Duration) string {
	return words.Count(max(1, int((d+time.Minute-1)/time.Minute)), "minute")
}
