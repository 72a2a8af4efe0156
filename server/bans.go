package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/protocol/conn"
)

// maxBanReason is the longest reason kept, in bytes.
const maxBanReason = 63

// banRefresh is how long a banned address waits between two answers.
const banRefresh = 5 * time.Second

// maxTold bounds the banned of whom it is known when they were answered last; more
// than that get no answer.
const maxTold = 4096

// ErrUnbannable is returned for addresses that no ban may hit.
var ErrUnbannable = errors.New("ban error (localhost cannot be banned)")

// ban is one entry of the list, with the words in which the game speaks of it.
type ban struct{ halflife.Ban }

// bans is the list of addresses that may not connect. Bans from the remote console
// alone are in the store, too, and are none of the game's business.
type bans struct {
	store halflife.Bans
	clock func() time.Time
	told  map[netip.Prefix]conn.Time // when the banned were answered last
	swept conn.Time                  // when told was last cleared of what is old
}

// newBans takes a store, or makes one with a clock of its own.
func newBans(store halflife.Bans, clock func() time.Time) bans {
	if store == nil {
		l := halflife.NewBanList()
		l.Now = clock
		return bans{store: l, clock: clock}
	}
	return bans{store: store, clock: time.Now}
}

// add bans a network for a time (0 for life), or renews its ban.
func (b *bans) add(now conn.Time, net netip.Prefix, span time.Duration, reason string) (ban, error) {
	if net.IsSingleIP() && localhost(net.Addr()) {
		return ban{}, ErrUnbannable
	}
	e := ban{halflife.Ban{Net: net, Span: span, Reason: printable([]byte(reason), maxBanReason)}}
	if span > 0 {
		e.Until = b.clock().Add(span)
	}
	if err := b.store.Add(e.Ban); err != nil {
		return ban{}, fmt.Errorf("ban error (%w)", err)
	}
	b.tell(now, net)
	return e, nil
}

// single is the network that is one address.
func single(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// localhost tells whether an address is the one by which the operator's own programs
// come, so that no ban may hit it.
func localhost(a netip.Addr) bool {
	return a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || a == netip.IPv6Loopback()
}

// find tells whether addr is banned now, and how.
func (b *bans) find(addr netip.Addr) (ban, bool) {
	e, ok := b.store.Find(addr)
	return ban{e}, ok && !e.RconOnly
}

// list are the bans in the order they end: the console numbers them so.
func (b *bans) list() []ban {
	var list []ban
	for _, e := range b.store.All() {
		if !e.RconOnly {
			list = append(list, ban{e})
		}
	}
	slices.SortStableFunc(list, func(x, y ban) int {
		if x.Until.IsZero() != y.Until.IsZero() {
			return btoi(x.Until.IsZero()) - btoi(y.Until.IsZero())
		}
		return x.Until.Compare(y.Until)
	})
	return list
}

// clear lifts all bans.
func (b *bans) clear() {
	for _, e := range b.store.All() {
		b.store.Remove(e.Net)
	}
	clear(b.told)
}

// mayTell tells whether somebody banned is to be told why: not if he was asking all
// the time.
func (b *bans) mayTell(now conn.Time, net netip.Prefix) bool {
	last, known := b.told[net]
	return b.tell(now, net) && (!known || now.Sub(last) > banRefresh)
}

// tell notes that somebody banned was answered, or asked. It reports whether there
// was room for that.
func (b *bans) tell(now conn.Time, net netip.Prefix) bool {
	if b.told == nil {
		b.told = make(map[netip.Prefix]conn.Time)
	}
	if _, known := b.told[net]; !known && len(b.told) >= maxTold {
		if now.Sub(b.swept) <= banRefresh {
			return false
		}
		b.swept = now
		for n, at := range b.told {
			if now.Sub(at) > banRefresh {
				delete(b.told, n)
			}
		}
		if len(b.told) >= maxTold {
			return false
		}
	}
	b.told[net] = now
	return true
}

// name is the network as the console shows it.
func (e ban) name() string {
	if e.Net.IsSingleIP() {
		return e.Net.Addr().String()
	}
	return e.Net.String()
}

// text is what the banned are told.
func (e ban) text(now time.Time) string { return "You have been banned " + e.terms(now) }

// terms tells for how long and why.
func (e ban) terms(now time.Time) string {
	reason := cmp.Or(e.Reason, "No reason given")
	if e.Until.IsZero() {
		return fmt.Sprintf("for life (%s)", reason)
	}
	return fmt.Sprintf("for %s (%s)", minutes(e.Until.Sub(now)), reason)
}

// minutes words a span as the original does, rounded up.
func minutes(span time.Duration) string {
	n := int((span + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}
