package bans

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrNotStored is returned while changes are not in the file. The changes are in force, and the
// list tries to write them again every two seconds.
var ErrNotStored = errors.New("bans: not stored")

var errSlowDisk = errors.New("the disk does not answer")

const (
	// syncInterval is the time between two checks of the file, and between two attempts to write
	// it.
	syncInterval = 2 * time.Second
	// slowDisk is how long a write may take before it counts as failed.
	slowDisk = 5 * time.Second
	// closeTimeout limits the wait in Close.
	closeTimeout = 2 * time.Second
	// clockJump is how far the wall clock must jump before the file is rewritten with new times.
	clockJump = 5 * time.Second
	// compactAfter is how many obsolete lines a small file may contain.
	compactAfter = 1000
	// lockedSteps is how many steps of a long loop run before other goroutines get the lock.
	lockedSteps = 256
)

// storage keeps a list in a journal. One goroutine does all work with files.
type storage struct {
	list *List

	// The mutex list.mu guards these fields:

	unsaved map[Key]*change // the last change of each target
	number  int             // number of the last change
	tried   int             // last change before the current or latest attempt
	since   time.Time       // when the first change after tried was made
	err     error           // of the latest attempt
	attempt chan struct{}   // closed at the end of the next attempt

	wake    chan struct{}
	closing chan struct{}
	done    chan struct{}
	closed  sync.Once

	// The fields below belong to the goroutine.

	journal            *journal
	started, startWall time.Time
	skew               time.Duration // of the wall clock since startWall, when the file was last written
	lastRead           time.Time
	attempted          bool
}

// change is a line that is not in the file yet.
type change struct {
	line
	number int
}

// Open returns a list with the bans in a file. The file need not exist. Processes can share it:
// each sees the changes of the others within a few seconds. A change is in force at once, and
// another goroutine writes it soon after; see [List.Stored]. For a malformed file Open returns an
// error and does not change the file. now returns the time; nil means time.Now.
func Open(path string, now func() time.Time) (*List, error) {
	l, err := open(path, New(now))
	if err != nil {
		return nil, err
	}
	go l.file.run()
	return l, nil
}

func open(path string, l *List) (*List, error) {
	s := &storage{
		list: l, journal: newJournal(path), unsaved: make(map[Key]*change), attempt: make(chan struct{}),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		started: l.now(), startWall: l.wall(),
	}
	l.file = s
	defer func() { l.torn = s.journal.torn }()
	// Read without the lock, since it may be unavailable. At worst the last line is incomplete and
	// is read later.
	if err := s.read(s.started, s.startWall, false); err != nil {
		return nil, err
	}
	return l, nil
}

// Torn returns the size in bytes of an incomplete line at the end of the file when it was opened,
// as after a crash. The line is ignored, and removed with the next change.
func (l *List) Torn() int { return l.torn }

// Stored waits up to limit until all changes so far are in the file or writing them has failed. If
// some changes are not in the file, the error wraps ErrNotStored. With a limit of 0 it does not
// wait, and an attempt in progress counts as failed only after a few seconds.
func (l *List) Stored(limit time.Duration) error {
	s := l.file
	if s == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := limit > 0 && s.tried < s.number
	if wait {
		upTo, timeout := s.number, time.After(limit)
		for s.tried < upTo && wait {
			attempt := s.attempt
			l.mu.Unlock()
			select {
			case <-attempt:
			case <-timeout:
				wait = false
			}
			l.mu.Lock()
		}
		wait = s.tried < upTo
	}
	err := s.err
	if wait || s.tried < s.number && l.now().Sub(s.since) > slowDisk {
		err = cmp.Or(err, errSlowDisk)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return nil
}

// Close writes pending changes and ends the storage. The list must not be changed after it.
func (l *List) Close() error {
	if l.file == nil {
		return nil
	}
	l.file.closed.Do(func() { close(l.file.closing) })
	select {
	case <-l.file.done:
		err := l.Stored(0)
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.file.unsaved) == 0 && !l.file.journal.rewrite {
			return nil // nothing is lost, whatever the error was
		}
		return err
	case <-time.After(closeTimeout):
		return fmt.Errorf("%w: %w", ErrNotStored, errSlowDisk)
	}
}

// changed records a change for the file. The caller holds list.mu.
func (s *storage) changed(l line, now time.Time) {
	if s == nil {
		return
	}
	if s.tried == s.number {
		s.since = now
	}
	s.number++
	if len(s.unsaved) >= 2*maxStored { // drop bans that newer ones have pushed out of the list
		for of, c := range s.unsaved {
			if !c.Removed && s.list.stored.get(of) == nil {
				delete(s.unsaved, of)
			}
		}
	}
	s.unsaved[l.Key()] = &change{l, s.number}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *storage) run() {
	defer close(s.done)
	t := time.NewTicker(syncInterval)
	defer t.Stop()
	for {
		s.sync()
		select {
		case <-s.wake:
		case <-t.C:
		case <-s.closing:
			s.sync()
			return
		}
	}
}

// sync reads changes of other processes and writes the own ones.
func (s *storage) sync() {
	l := s.list
	l.mu.Lock()
	upTo := s.number
	idle := len(s.unsaved) == 0 && s.err == nil
	l.mu.Unlock()
	// Lock the file the first time even without changes, to report early that nothing can be
	// stored.
	first := !s.attempted && s.journal.offset > 0
	s.attempted = true
	if _, jumped := s.jumped(l.now(), l.wall()); idle && !first && !jumped && !s.journal.rewrite && !s.journal.changed() {
		s.lastRead = l.now()
		return
	}
	release, err := s.journal.acquire()
	if err != nil {
		s.finish(upTo, err)
		return
	}
	defer release()
	f, err := s.exchange(l.now(), l.wall())
	s.finish(upTo, err)
	if f != nil {
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			s.journal.rewrite = true
			s.finish(upTo, err)
		}
		s.journal.wrote()
	}
}

// finish ends an attempt to write the changes up to upTo.
func (s *storage) finish(upTo int, err error) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	s.tried, s.since, s.err = upTo, s.list.now(), err
	close(s.attempt)
	s.attempt = make(chan struct{})
}

// jumped reports whether the wall clock has been set since the file was written. skew is the total
// jump since the start.
func (s *storage) jumped(now, wall time.Time) (skew time.Duration, jumped bool) {
	skew = wall.Sub(s.startWall) - now.Sub(s.started)
	return skew, (skew - s.skew).Abs() > clockJump
}

// exchange reads the file and writes the pending changes. The caller must sync and close a returned
// file.
func (s *storage) exchange(now, wall time.Time) (*os.File, error) {
	l := s.list
	skew, jumped := s.jumped(now, wall)
	if err := s.read(now, wall, jumped); err != nil {
		return nil, err
	}
	l.mu.Lock()
	changes := make([]*change, 0, len(s.unsaved))
	for _, c := range s.unsaved {
		l.breathe(len(changes))
		changes = append(changes, c)
	}
	needed := l.stored.len() + len(l.stored.removed)
	l.mu.Unlock()
	if jumped && s.journal.offset == 0 {
		s.skew, jumped = skew, false
	}
	if jumped || s.journal.rewrite || s.journal.lines+len(changes) > 2*needed+compactAfter {
		err := s.journal.replace(s.lines(now, wall))
		if err == nil {
			s.skew = skew
			s.saved(changes)
			return nil, nil
		}
		if s.journal.rewrite || len(changes) == 0 {
			return nil, err
		}
		// The disk may have room for another line, although not for another file.
	}
	if len(changes) == 0 {
		return nil, nil
	}
	slices.SortFunc(changes, func(a, b *change) int { return a.number - b.number })
	lines := make([]line, len(changes))
	for i, c := range changes {
		lines[i] = c.at(now, wall)
	}
	f, err := s.journal.append(lines)
	if err == nil {
		s.saved(changes)
	}
	return f, err
}

// breathe lets other goroutines take the lock once every lockedSteps steps of a loop.
func (l *List) breathe(step int) {
	if step%lockedSteps == 0 {
		l.mu.Unlock()
		l.mu.Lock()
	}
}

// at returns the line with its times converted to the wall clock.
func (l line) at(now, wall time.Time) line {
	l.At = wall.UTC()
	if !l.Until.IsZero() {
		l.Until = wall.Add(l.Until.Sub(now)).UTC()
	}
	return l
}

// saved removes written changes from unsaved, except those that were changed again meanwhile.
func (s *storage) saved(changes []*change) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	for i, c := range changes {
		s.list.breathe(i)
		if s.unsaved[c.Key()] == c {
			delete(s.unsaved, c.Key())
		}
	}
}

// lines returns all bans as lines for a new file.
func (s *storage) lines(now, wall time.Time) []line {
	l := s.list
	l.mu.Lock()
	entries := make([]entry, 0, l.stored.len())
	for e := range l.stored.all {
		l.breathe(len(entries))
		if !e.ended(now) {
			entries = append(entries, *e)
		}
	}
	removed := slices.Collect(maps.Values(l.stored.removed))
	l.mu.Unlock()
	slices.SortFunc(entries, func(a, b entry) int { return a.number - b.number })
	lines := make([]line, len(entries), len(entries)+len(removed))
	for i, e := range entries {
		lines[i] = line{Ban: e.Ban}.at(now, wall)
	}
	slices.SortFunc(removed, func(a, b Ban) int { return cmp.Compare(a.Made, b.Made) })
	for _, b := range removed {
		lines = append(lines, line{Ban: b, Removed: true}.at(now, wall))
	}
	return lines
}

// read applies new lines of other processes. If the clock jumped, a new line is at most as old as
// the last read.
func (s *storage) read(now, wall time.Time, jumped bool) error {
	lines, all, err := s.journal.read()
	if err != nil {
		return err
	}
	for i := range lines {
		l := &lines[i]
		if l.Until.IsZero() {
			continue
		}
		at := l.At
		if at.IsZero() && l.Duration > 0 {
			at = l.Until.Add(-l.Duration)
		} else if at.IsZero() {
			at = wall
		}
		age := max(wall.Sub(at), 0)
		if jumped {
			age = min(age, now.Sub(s.lastRead))
		}
		l.Until = now.Add(l.Until.Sub(at) - age)
	}
	s.lastRead = now
	if all {
		return s.setAll(lines, now)
	}
	return s.apply(lines, now)
}

// apply applies lines of other processes, except where a pending change of the same target exists.
func (s *storage) apply(lines []line, now time.Time) (err error) {
	l := s.list
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range lines {
		l.breathe(i)
		if _, later := s.unsaved[line.Key()]; !later {
			l.added++
			err = cmp.Or(err, l.stored.apply(line, l.added, now))
		}
	}
	return err
}

// setAll replaces the list with the lines of the file and the pending changes.
func (s *storage) setAll(lines []line, now time.Time) (err error) {
	l, t := s.list, newTable(maxStored)
	for i, line := range lines {
		err = cmp.Or(err, t.apply(line, i+1, now))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.added = max(l.added, len(lines))
	for _, c := range s.unsaved {
		err = cmp.Or(err, t.apply(c.line, l.added+c.number, now))
	}
	l.added += s.number
	l.stored = t
	return err
}

// apply applies a line of a file.
func (t *table) apply(l line, number int, now time.Time) error {
	if l.Removed || l.ended(now) {
		if old, _, ok := t.decided(l.Key()); ok && old.laterThan(&l.Ban) {
			return nil
		}
		if e := t.get(l.Key()); e != nil {
			t.remove(e)
		}
		if l.Removed {
			t.noteRemoved(l.Ban)
		}
		return nil
	}
	_, err := t.put(&l.Ban, number, now)
	return err
}
