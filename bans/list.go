package bans

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/internal/safetext"
)

const (
	maxStored    = 32768
	maxTemporary = 8192
	maxReason    = 127
	maxFile      = 16 << 20
	saveDelay    = time.Second
)

// List is a [Store] in memory and, from [Open], in a file. Several goroutines may
// use it.
type List struct {
	now func() time.Time

	mu     sync.Mutex
	stored table
	// temporary bans are in memory only. Those from rcon have a table of their own, as
	// their networks may also be banned from the game for another time.
	temporary, temporaryRcon table
	added                    int // bans so far

	path   string
	saving *time.Timer
	err    error // of writing the file the last time
	// writing is held while the file is written, so that other calls do not wait.
	writing sync.Mutex
}

// New returns an empty list that is kept in memory only. now is the clock, time.Now if it
// is nil.
func New(now func() time.Time) *List {
	if now == nil {
		now = time.Now
	}
	return &List{now: now, stored: newTable(maxStored), temporary: newMergingTable(maxTemporary), temporaryRcon: newMergingTable(maxTemporary)}
}

// Open returns a list with the bans of a file, which need not exist. Changes are written
// about a second later, all at once, to a new file that then replaces the old one; Close
// writes the rest. It returns an error for a malformed file, and does not change it. now
// is the clock, time.Now if it is nil.
func Open(path string, now func() time.Time) (*List, error) {
	l := New(now)
	l.path = path
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if err := l.load(b); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrFile, path, err)
	}
	return l, nil
}

// file is the content of the file.
type file struct {
	Bans []Ban `json:"bans"`
}

func (l *List) load(b []byte) error {
	if len(b) > maxFile {
		return fmt.Errorf("more than %d bytes", maxFile)
	}
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	for _, ban := range f.Bans {
		if err := l.add(ban); err != nil {
			return err
		}
	}
	return nil
}

// Add implements [Store]. When there are 32768 bans, or 8192 temporary ones from the game
// or from rcon, a new one replaces the one that ends first. Eight temporary bans within an
// IPv4 /24 or an IPv6 /48 become one of all of it.
func (l *List) Add(b Ban) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.add(b); err != nil {
		return err
	}
	if !b.Temporary {
		l.changed()
	}
	return nil
}

func (l *List) add(b Ban) error {
	net, err := Normalize(b.Net)
	if err != nil {
		return err
	}
	now := l.now()
	b.Net, b.Duration = net, max(b.Duration, 0)
	b.Reason = string(safetext.AppendLine(nil, b.Reason, maxReason))
	if b.Duration > 0 && b.Until.IsZero() {
		b.Until = now.Add(b.Duration)
	}
	b.Until = b.Until.Round(0).UTC() // without the monotonic clock
	t := &l.stored
	if b.Temporary {
		if b.Until.IsZero() {
			return fmt.Errorf("%w %v: a temporary ban needs an end", ErrCannotBan, net)
		}
		if t = &l.temporary; b.RconOnly {
			t = &l.temporaryRcon
		}
	}
	if old := t.byNet[net]; old != nil && !old.ended(now) && b.RconOnly && !old.RconOnly {
		return nil
	}
	l.added++
	if !t.add(b, l.added, now) {
		return fmt.Errorf("%w %v: the list is full: %d networks are banned for ever", ErrCannotBan, net, t.max)
	}
	return nil
}

// Remove implements [Store].
func (l *List) Remove(net netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	net, err := Normalize(net)
	if err != nil {
		return false
	}
	found, now := false, l.now()
	for _, t := range l.tables() {
		if e := t.byNet[net]; e != nil {
			found = found || !e.ended(now)
			l.remove(t, e)
		}
	}
	return found
}

func (l *List) remove(t *table, e *entry) {
	t.remove(e)
	if t == &l.stored {
		l.changed()
	}
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
				l.remove(t, e)
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
		for _, e := range t.byNet {
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

// changed schedules writing the file.
func (l *List) changed() {
	if l.path != "" && l.saving == nil {
		l.saving = time.AfterFunc(saveDelay, func() { l.Save() })
	}
}

// Save writes the file, if the list has one.
func (l *List) Save() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.save()
}

// save is Save for callers that hold writing.
func (l *List) save() error {
	l.mu.Lock()
	if l.saving != nil {
		l.saving.Stop()
		l.saving = nil
	}
	bans := l.inForce(&l.stored)
	l.mu.Unlock()
	if l.path == "" {
		return nil
	}
	b, err := json.MarshalIndent(file{bans}, "", "\t")
	if err == nil {
		err = atomicfile.Write(l.path, append(b, '\n'))
	}
	l.mu.Lock()
	l.err = err
	l.mu.Unlock()
	return err
}

// Err returns the error of the last attempt to write the file.
func (l *List) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close writes changes that are not written yet.
func (l *List) Close() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	saved, err := l.saving == nil, l.err
	l.mu.Unlock()
	if saved {
		return err
	}
	return l.save()
}
