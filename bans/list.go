package bans

import (
	"fmt"
	"maps"
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
	maxRemoved   = 8192
)

// List is a [Store] in memory and, with [Open], in a file. It is safe for concurrent use.
type List struct {
	// now is a monotonic clock for durations. wall is the wall clock, used for the times in the
	// file.
	now, wall func() time.Time

	mu     sync.Mutex
	stored table
	// temporary bans are in memory only. Temporary rcon bans have a table of their own, since the
	// same network may also be banned from the game for another duration.
	temporary, temporaryRcon table
	added                    int // number of bans added so far

	file *storage // nil if in memory only
	torn int
}

// New returns an empty list in memory. now returns the time; nil means time.Now.
func New(now func() time.Time) *List {
	l := &List{now: now, wall: now, stored: newTable(maxStored), temporary: newTable(maxTemporary), temporaryRcon: newTable(maxTemporary)}
	l.temporary.extends, l.temporaryRcon.extends = true, true
	if now == nil {
		l.now = time.Now
		l.wall = func() time.Time { return time.Now().Round(0) } // without the monotonic clock
	}
	return l
}

// Add implements [Store]. The limits are 32768 stored bans, and 8192 temporary bans each for the
// game and for rcon. At its limit, a new ban replaces the ban that ends first. A temporary ban
// never ends before the ban of the same network that it replaces.
func (l *List) Add(b Ban) error {
	_, _, err := l.Put(b)
	return err
}

// Put is Add. It returns the ban as it is stored, and whether the list has changed: a ban of a
// fleet does not replace a ban or removal that was made later.
func (l *List) Put(b Ban) (stored Ban, changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := b.normalize(); err != nil {
		return b, false, err
	}
	now := l.now()
	t := &l.stored
	if b.Temporary {
		if b.Duration <= 0 && b.Until.IsZero() {
			return b, false, fmt.Errorf("%w %s: a temporary ban needs a duration or an end", ErrCannotBan, b.Target())
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
	return b, added, err
}

// put completes a ban and adds it. It does not replace a ban from the game with one from rcon.
func (t *table) put(b *Ban, number int, now time.Time) (added bool, err error) {
	b.Duration = max(b.Duration, 0)
	b.Reason = string(safetext.AppendLine(nil, b.Reason, maxReason))
	if b.Duration > 0 && b.Until.IsZero() {
		b.Until = now.Add(b.Duration)
	}
	b.Until = b.Until.UTC()
	if old := t.get(b.Key()); old != nil && !old.ended(now) && b.RconOnly && !old.RconOnly && b.Made <= old.Made {
		return false, nil
	}
	if old, _, ok := t.decided(b.Key()); ok && (old.laterThan(b) || b.isAgain(&old)) {
		return false, nil
	}
	if !t.add(*b, number, now) {
		return false, fmt.Errorf("%w %s: the list is full: it contains %d permanent bans", ErrCannotBan, b.Target(), t.max)
	}
	return true, nil
}

// Remove implements [Store].
func (l *List) Remove(b Ban) bool {
	found, _ := l.removeFrom(Ban{Net: b.Net, Range: b.Range}, func(*entry) bool { return true })
	return found
}

// RemoveAs is Remove for a fleet: it removes a stored ban as Origin and Made of its argument say,
// unless that was made later, and remembers that. It reports whether there was such a ban.
func (l *List) RemoveAs(b Ban) bool {
	_, stored := l.removeFrom(b, func(e *entry) bool { return !e.Temporary && !e.laterThan(&b) })
	return stored
}

// removeFrom removes the bans of a target from all tables, if a condition is true for them.
func (l *List) removeFrom(b Ban, may func(*entry) bool) (found, stored bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.normalize() != nil {
		return false, false
	}
	now := l.now()
	for _, t := range l.tables() {
		if e := t.get(b.Key()); e != nil && may(e) {
			found = found || !e.ended(now)
			t.remove(e)
			stored = stored || t == &l.stored
		}
	}
	old, _, decided := l.stored.decided(b.Key())
	if stored || b.Made != 0 && !(decided && (old.laterThan(&b) || b.isAgain(&old))) {
		removal := Ban{Net: b.Net, Range: b.Range, Origin: b.Origin, Made: b.Made}
		l.stored.noteRemoved(removal)
		l.file.changed(line{Ban: removal, Removed: true}, now)
	}
	return found, stored
}

// Removed returns the removals of a fleet that the list remembers, 8192 at most. A removal with
// RemoveAs is remembered until the same target is banned again.
func (l *List) Removed() []Ban {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.stored.removed))
}

// StoredFor returns the stored ban of exactly the same network or range.
func (l *List) StoredFor(b Ban) (Ban, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.normalize() == nil {
		if e := l.stored.get(b.Key()); e != nil && !e.ended(l.now()) {
			return e.Ban, true
		}
	}
	return Ban{}, false
}

// Find implements [Store]. It does not allocate.
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

// Lapsed returns the bans from the game that have ended since its last call, at most 512.
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

// Kept returns the stored bans in force for which want returns true, in order of creation.
func (l *List) Kept(want func(*Ban) bool) (kept []Ban) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored.expire(l.now())
	var entries []*entry
	for e := range l.stored.all {
		if want(&e.Ban) {
			entries = append(entries, e)
		}
	}
	return ordered(entries)
}

// tables returns all tables in the order in which Find searches them.
func (l *List) tables() [3]*table { return [...]*table{&l.stored, &l.temporary, &l.temporaryRcon} }

// inForce returns the bans of the tables that have not ended, in order of creation.
func (l *List) inForce(tables ...*table) []Ban {
	var entries []*entry
	for _, t := range tables {
		t.expire(l.now())
		for e := range t.all {
			entries = append(entries, e)
		}
	}
	return ordered(entries)
}

// ordered returns the bans of entries, in order of creation.
func ordered(entries []*entry) []Ban {
	slices.SortFunc(entries, func(a, b *entry) int { return a.number - b.number })
	bans := make([]Ban, len(entries))
	for i, e := range entries {
		bans[i] = e.Ban
	}
	return bans
}
