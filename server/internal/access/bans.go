package access

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
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

const (
	// maxReason is the longest stored reason of a ban or mute, in bytes.
	maxReason = 63
	// banAnswerInterval is the time between two answers to a banned address.
	banAnswerInterval = 5 * time.Second
	// banAnswersTracked is the number of networks whose last answer is remembered.
	banAnswersTracked = 4096
	// A command waits so long for the disk: a tick. A healthy disk needs less. The log reports what
	// comes later.
	storeTimeout = time.Second / 50
	// storePause is the time between two commands that wait for the disk.
	storePause = time.Second
)

// errUnbannable is returned for an address that the server refuses to ban.
var errUnbannable = errors.New("ban failed (localhost)")

// Bans is the networks that may not connect.
type Bans struct {
	// Store contains the bans, and also bans that are from the remote console alone.
	Store bans.Store

	cfg   Config
	host  Host
	clock func() time.Time
	// answered has the banned networks that tried to connect recently, whether they were answered
	// or not.
	answered *limit.RecentSet
	arrivals *Arrivals
	// nextWait is when a command may wait for the disk again.
	nextWait conn.Time
	unstored later.Trouble // why bans are not stored, as printed last
}

func newBans(cfg Config, a *Arrivals) *Bans {
	b := &Bans{Store: cfg.Bans, cfg: cfg, host: cfg.Host, clock: cfg.Clock, arrivals: a, answered: limit.NewRecentSet(banAnswersTracked, banAnswerInterval)}
	if b.Store == nil {
		b.Store = bans.New(cfg.Clock)
	}
	return b
}

// Find returns the ban of an address from the game.
func (l *Bans) Find(a netip.Addr) (bans.Ban, bool) {
	b, ok := l.Store.Find(a)
	return b, ok && !b.RconOnly
}

// List returns the bans from the game: first the bans of single addresses, then the others. Each
// part is in the order of the ends. Of bans that end in the same second, the latest comes first.
// The console numbers bans in this order, as in the original.
func (l *Bans) List() []bans.Ban {
	list := slices.DeleteFunc(l.Store.All(), func(b bans.Ban) bool { return b.RconOnly })
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

// Add adds a ban, or renews the ban of the same network. It logs the ban for a command of who, and
// drops the clients that it hits.
func (l *Bans) Add(who console.Caller, b bans.Ban) error {
	renewed := slices.ContainsFunc(l.Store.All(), func(old bans.Ban) bool { return old.SameTarget(b) && !old.RconOnly })
	b, err := l.add(b)
	if err != nil {
		return err
	}
	if renewed {
		l.host.Print(who, console.Standard, "net_ban", fmt.Sprintf("%s banned %s", quoteTarget(&b), l.Terms(&b)))
		l.host.NoteBan(&b, false)
		l.dropBanned(&b)
		return nil
	}
	l.Apply(who, b)
	return nil
}

// AddForNow keeps the person behind an address from connecting for a while. Connected clients stay:
// many persons may share the address, and one of them must not be able to throw out the rest.
func (l *Bans) AddForNow(a netip.Addr, duration time.Duration, reason string) (bans.Ban, error) {
	b, err := l.add(bans.Ban{Net: limit.Person(a), Duration: duration, Reason: reason, Temporary: true})
	if err == nil && l.arrivals.MayLog(l.host.Now()) {
		l.log(console.Operator, &b)
	}
	return b, err
}

// add stores a ban and returns it with its end.
func (l *Bans) add(b bans.Ban) (bans.Ban, error) {
	if b.Contains(localhost4) || b.Contains(netip.IPv6Loopback()) {
		return bans.Ban{}, errUnbannable
	}
	b.Reason = printable(b.Reason, maxReason)
	if b.Duration > 0 {
		b.Until = l.clock().Add(b.Duration)
	}
	if err := l.Store.Add(b); err != nil {
		return bans.Ban{}, fmt.Errorf("ban error (%w)", err)
	}
	l.answered.Add(int64(l.host.Now()), answerKey(&b))
	return b, nil
}

// Apply logs a ban that is stored already, and drops the clients that it hits.
func (l *Bans) Apply(who console.Caller, b bans.Ban) {
	if b.Duration > 0 && b.Until.IsZero() {
		b.Until = l.clock().Add(b.Duration)
	}
	l.log(who, &b)
	l.dropBanned(&b)
}

func (l *Bans) log(who console.Caller, b *bans.Ban) {
	l.host.Print(who, console.Standard, "net_ban", fmt.Sprintf("banned %s %s", quoteTarget(b), l.Terms(b)))
	l.host.NoteBan(b, false)
}

func (l *Bans) dropBanned(b *bans.Ban) {
	for c := range l.host.Clients() {
		if b.Contains(c.Addr) {
			l.host.Drop(c.ID, l.Message(b))
		}
	}
}

// MayAnswer reports whether an address that is banned and tries to connect now gets an answer. It
// gets none while it keeps trying.
func (l *Bans) MayAnswer(b *bans.Ban) bool {
	now, net := int64(l.host.Now()), answerKey(b)
	asked := l.answered.Has(now, net)
	l.answered.Add(now, net)
	return !asked
}

// answerKey returns the network by which answered knows a ban.
func answerKey(b *bans.Ban) netip.Prefix {
	if b.Range.IsValid() {
		return netip.PrefixFrom(b.Range.First, b.Range.First.BitLen())
	}
	return b.Net
}

// ReportUnstored warns the caller of a command if the bans that it changed are not stored. While
// many such commands run, it does not wait for the disk each time.
func (l *Bans) ReportUnstored(call *console.Call) {
	wait := time.Duration(0)
	if now := l.host.Now(); now >= l.nextWait {
		wait, l.nextWait = storeTimeout, now.Add(storePause)
	}
	if err := l.Store.Stored(wait); err != nil {
		l.unstored.NoteError(err)
		call.Warn("net_ban", "%v (in force while this server runs; it keeps trying to store them)", err)
	}
}

// dropArrived drops the clients that are hit by bans of other servers of the fleet.
func (l *Bans) dropArrived() {
	for c := range l.host.Clients() {
		if b, banned := l.Find(c.Addr); banned && !b.Temporary && !isLocalhost(c.Addr) {
			l.answered.Add(int64(l.host.Now()), answerKey(&b))
			l.host.Drop(c.ID, l.Message(&b))
		}
	}
}

// Tick drops clients that another server of the fleet has banned. It logs whether bans can be
// stored, if that has changed, and then the bans that have ended.
func (l *Bans) Tick() {
	err := l.Store.Stored(0)
	switch news := l.unstored.NoteError(err); {
	case !news:
	case err == nil:
		l.host.Print(console.Operator, console.Standard, "net_ban", "all bans are stored now")
	default:
		l.host.Print(console.Operator, console.Warning, "net_ban", err.Error()+" (in force while this server runs; it keeps trying to store them)")
	}
	if fleet, ok := l.Store.(interface{ Arrived() bool }); ok && fleet.Arrived() {
		l.dropArrived()
	}
	store, ok := l.Store.(interface{ Lapsed() []bans.Ban })
	if !ok {
		return
	}
	for _, b := range store.Lapsed() {
		if !b.Temporary || l.arrivals.MayLog(l.host.Now()) {
			l.host.Print(console.Operator, console.Standard, "net_ban", fmt.Sprintf("ban %s expired", quoteTarget(&b)))
		}
	}
}

// isLocalhost reports whether an address belongs to the operator's own programs. They cannot be
// banned.
func isLocalhost(a netip.Addr) bool { return a == localhost4 || a == netip.IPv6Loopback() }

var localhost4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
