package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

// maxBans bounds the list; the original keeps as many.
const maxBans = 1024

// maxBanReason is the longest reason kept, in bytes.
const maxBanReason = 63

// banRefresh is how long a banned address waits between two answers.
const banRefresh = 5 * time.Second

// ErrUnbannable is returned for addresses that no ban may hit.
var ErrUnbannable = errors.New("ban error (localhost cannot be banned)")

// errBansFull is returned when the list holds maxBans entries for life.
var errBansFull = fmt.Errorf("ban error (%d addresses are banned for life already; unban some first)", maxBans)

// ban is one entry of the list.
type ban struct {
	addr   netip.Addr
	until  conn.Time // 0 for life
	reason string
	told   conn.Time // last time the address was told
}

// bans is the list of addresses that may not connect.
type bans struct {
	list  []*ban // in the order they end: the console numbers them so
	index map[netip.Addr]*ban
}

// add bans addr until now+for (0 for life), or renews its ban.
func (b *bans) add(now conn.Time, addr netip.Addr, span time.Duration, reason string) (*ban, error) {
	if localhost(addr) {
		return nil, ErrUnbannable
	}
	reason = text([]byte(reason), maxBanReason)
	e := b.index[addr]
	if e == nil {
		b.expire(now)
		if len(b.list) >= maxBans && !b.evict() {
			return nil, errBansFull
		}
		e = &ban{addr: addr}
		if b.index == nil {
			b.index = make(map[netip.Addr]*ban)
		}
		b.index[addr] = e
		b.list = append(b.list, e)
	}
	e.reason, e.told, e.until = reason, now, 0
	if span > 0 {
		e.until = now.Add(span)
	}
	slices.SortStableFunc(b.list, func(x, y *ban) int {
		if (x.until == 0) != (y.until == 0) {
			return btoi(x.until == 0) - btoi(y.until == 0)
		}
		return cmp.Compare(x.until, y.until)
	})
	return e, nil
}

// localhost tells whether an address is the one by which the operator's own programs
// come, so that no ban may hit it.
func localhost(a netip.Addr) bool {
	return a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || a == netip.IPv6Loopback()
}

// evict lifts the ban that ends first. Without it, whoever has a thousand
// addresses to get banned for a minute could keep the list full.
func (b *bans) evict() bool {
	var first *ban
	for _, e := range b.list {
		if e.until != 0 && (first == nil || e.until < first.until) {
			first = e
		}
	}
	return first != nil && b.remove(first.addr)
}

// find tells whether addr is banned now.
func (b *bans) find(now conn.Time, addr netip.Addr) *ban {
	if len(b.index) == 0 {
		return nil
	}
	e := b.index[addr]
	if e != nil && e.until != 0 && now >= e.until {
		b.remove(addr)
		return nil
	}
	return e
}

// remove lifts a ban.
func (b *bans) remove(addr netip.Addr) bool {
	if b.index[addr] == nil {
		return false
	}
	delete(b.index, addr)
	for i, e := range b.list {
		if e.addr == addr {
			b.list = append(b.list[:i], b.list[i+1:]...)
			break
		}
	}
	return true
}

// expire removes what has run out.
func (b *bans) expire(now conn.Time) {
	kept := b.list[:0]
	for _, e := range b.list {
		if e.until != 0 && now >= e.until {
			delete(b.index, e.addr)
			continue
		}
		kept = append(kept, e)
	}
	clear(b.list[len(kept):])
	b.list = kept
}

// text is what the banned are told.
func (e *ban) text(now conn.Time) string { return "You have been banned " + e.terms(now) }

// terms tells for how long and why.
func (e *ban) terms(now conn.Time) string {
	if e.until == 0 {
		return fmt.Sprintf("for life (%s)", e.reason)
	}
	return fmt.Sprintf("for %s (%s)", minutes(e.until.Sub(now)), e.reason)
}

// minutes words a span as the original does, rounded up.
func minutes(span time.Duration) string {
	n := int((span + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}
