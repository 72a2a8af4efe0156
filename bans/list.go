package bans

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

const (
	maxStored    = 32768
	maxTemporary = 8192
	maxReason    = 127
	maxLapsed    = 256
)

// List is a [Store] in memory and, from [Open], in a file. Several goroutines may
// use it.
type List struct {
	// now is a clock that nobody sets, such as the monotonic one of time.Now, so that
	// bans last as long as they should. wall is the clock by which they end in the file.
	now, wall func() time.Time

	mu     sync.Mutex
	stored table
	// temporary bans are in memory only. Those from rcon have a table of their own, as
	// their networks may also be banned from the game for another time.
	temporary, temporaryRcon table
	added                    int // bans so far

	file *storage // nil in memory
	torn int
}

// New returns an empty list that is kept in memory only. now is the clock, time.Now if it
// is nil.
func New(now func() time.Time) *List {
	l := &List{now: now, wall: now, stored: newTable(maxStored), temporary: newTable(maxTemporary), temporaryRcon: newTable(maxTemporary)}
	l.temporary.extends, l.temporaryRcon.extends = true, true
	if now == nil {
		l.now = time.Now
		l.wall = func() time.Time { return time.Now().Round(0) } // without the monotonic clock
	}
	return l
}

// Add implements [Store]. When there are 32768 bans, or 8192 temporary ones from the game
// or from rcon, a new one replaces the one that ends first. A temporary ban never ends
// earlier than the one of the same network that it replaces.
func (l *List) Add(b Ban) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := b.normalize(); err != nil {
		return err
	}
	now := l.now()
	t := &l.stored
	if b.Temporary {
		if b.Duration <= 0 && b.Until.IsZero() {
			return fmt.Errorf("%w %s: a temporary ban needs an end", ErrCannotBan, b.Target())
		}
		if t = &l.temporary; b.RconOnly {
			t = &l.temporaryRcon
		}
	}
	l.added++
	added, err := t.put(&b, l.added, now)
	if added && !b.Temporary {
		l.file.changed(line{Ban: b}, now)
	}
	return err
}

// put completes a ban and adds it, unless there is one from the game that one from rcon
// would replace.
func (t *table) put(b *Ban, number int, now time.Time) (added bool, err error) {
	b.Duration = max(b.Duration, 0)
	b.Reason = string(safetext.AppendLine(nil, b.Reason, maxReason))
	if b.Duration > 0 && b.Until.IsZero() {
		b.Until = now.Add(b.Duration)
	}
	b.Until = b.Until.UTC()
	if old := t.get(b.target()); old != nil && !old.ended(now) && b.RconOnly && !old.RconOnly {
		return false, nil
	}
	if !t.add(*b, number, now) {
		return false, fmt.Errorf("%w %s: the list is full: %d networks are banned for ever", ErrCannotBan, b.Target(), t.max)
	}
	return true, nil
}

// Remove implements [Store].
func (l *List) Remove(b Ban) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.normalize() != nil {
		return false
	}
	found, now := false, l.now()
	for _, t := range l.tables() {
		if e := t.get(b.target()); e != nil {
			found = found || !e.ended(now)
			t.remove(e)
			if t == &l.stored {
				l.file.changed(line{Ban: Ban{Net: b.Net, Range: b.Range}, Removed: true}, now)
			}
		}
	}
	return found
}

// Find implements [Store]. It allocates nothing.
func (l *List) Find(a netip.Addr) (ban Ban, ok bool) {
	a = a.Unmap().WithZone("")
	l.mu.Lock()
	defer l.mu.Unlock()
	if !a.IsValid() {
		return ban, false
	}
	for _, t := range l.tables() {
		t.find(a, func(e *entry) bool {
			switch {
			case e.ended(l.now()):
				t.lapse(e)
			case !ok || !e.RconOnly:
				ban, ok = e.Ban, true
			}
			return !ok || ban.RconOnly
		})
		if ok && !ban.RconOnly {
			break
		}
	}
	return ban, ok
}

// Lapsed returns the bans from the game that have ended since it was called last, at most 512.
func (l *List) Lapsed() (bans []Ban) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range []*table{&l.stored, &l.temporary} {
		t.expire(l.now())
		for _, b := range t.lapsed {
			if !b.RconOnly {
				bans = append(bans, b)
			}
		}
		t.lapsed = t.lapsed[:0]
	}
	return bans
}

// All implements [Store].
func (l *List) All() []Ban {
	l.mu.Lock()
	defer l.mu.Unlock()
	tables := l.tables()
	return l.inForce(tables[:]...)
}

// tables returns all tables, in the order in which Find looks into them.
func (l *List) tables() [3]*table { return [...]*table{&l.stored, &l.temporary, &l.temporaryRcon} }

// inForce returns the bans of tables that have not ended, in the order they were made.
func (l *List) inForce(tables ...*table) []Ban {
	var entries []*entry
	for _, t := range tables {
		t.expire(l.now())
		for e := range t.all {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int { return a.number - b.number })
	bans := make([]Ban, len(entries))
	for i, e := range entries {
		bans[i] = e.Ban
	}
	return bans
}
