package bans

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrNotStored is returned while changes are not in the file: they are in force, and
// writing them is tried again every two seconds.
var ErrNotStored = errors.New("bans: not stored")

var errSlowDisk = errors.New("the disk does not answer")

const (
	// syncInterval is the time between two looks at the file, and between two tries to
	// write it.
	syncInterval = 2 * time.Second
	// slowDisk is how long writing may take before that is an error.
	slowDisk = 5 * time.Second
	// closeTimeout limits how long Close waits.
	closeTimeout = 2 * time.Second
	// clockJump is how much the wall clock must be set by for the file to be rewritten
	// with the new times.
	clockJump = 5 * time.Second
	// compactAfter is the number of lines that are no longer needed in a small file.
	compactAfter = 1000
	// lockedSteps is how many steps of a long loop others wait for.
	lockedSteps = 256
)

// storage keeps a list in a journal. A goroutine does all work with files.
type storage struct {
	list *List

	// Guarded by list.mu:

	unsaved map[target]change // the last of each
	number  int               // of the last change
	tried   int               // the last change when the last attempt began
	since   time.Time         // when the first change after tried was made
	err     error             // of the last attempt
	attempt chan struct{}     // closed when the next attempt ends

	wake    chan struct{}
	closing chan struct{}
	done    chan struct{}
	closed  sync.Once

	// Of the goroutine:

	journal            *journal
	started, startWall time.Time
	skew               time.Duration // of the wall clock since then, when the file was written last
	lastRead           time.Time
	attempted          bool
}

// change is a line that is not in the file yet.
type change struct {
	line
	number int
}

// Open returns a list with the bans of a file, which need not exist, and that of other
// processes with the same file: each sees the changes of the others within a few seconds.
// Changes are in force at once, and written soon after by another goroutine; see
// [List.Stored]. It returns an error for a malformed file, and does not change it. now is
// the clock, time.Now if it is nil.
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
		list: l, journal: newJournal(path), unsaved: make(map[target]change), attempt: make(chan struct{}),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		started: l.now(), startWall: l.wall(),
	}
	l.file = s
	defer func() { l.torn = s.journal.torn }()
	// Without the lock, which may be impossible to get: at worst, the last line is not
	// complete yet and is read later.
	if err := s.read(s.started, s.startWall, false); err != nil {
		return nil, err
	}
	return l, nil
}

// Torn returns how many bytes at the end of the file were no whole line when it was opened, as after a crash. They do
// not count, and go with the next change.
func (l *List) Torn() int { return l.torn }

// Stored waits until the changes so far are in the file, or the attempt to write them has
// failed, at most for limit. It returns an error that wraps ErrNotStored if they are not.
// With a limit of 0 it does not wait, and gives an attempt under way a few seconds.
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

// Close writes changes that are not written yet. The list must not be changed after it.
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
			return nil // whatever it was, nothing is lost
		}
		return err
	case <-time.After(closeTimeout):
		return fmt.Errorf("%w: %w", ErrNotStored, errSlowDisk)
	}
}

// changed notes a change for the file. The caller holds list.mu.
func (s *storage) changed(l line, now time.Time) {
	if s == nil {
		return
	}
	if s.tried == s.number {
		s.since = now
	}
	s.number++
	if len(s.unsaved) >= 2*maxStored { // bans that others have pushed out of the list
		for of, c := range s.unsaved {
			if !c.Removed && s.list.stored.get(of) == nil {
				delete(s.unsaved, of)
			}
		}
	}
	s.unsaved[l.target()] = change{l, s.number}
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

// sync reads what others have written, and writes the changes.
func (s *storage) sync() {
	l := s.list
	l.mu.Lock()
	upTo := s.number
	idle := len(s.unsaved) == 0 && s.err == nil
	l.mu.Unlock()
	// The first time, a file is locked, so that it is said early if nothing can be stored.
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

// finish ends an attempt that began after a change.
func (s *storage) finish(upTo int, err error) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	s.tried, s.since, s.err = upTo, s.list.now(), err
	close(s.attempt)
	s.attempt = make(chan struct{})
}

// jumped reports whether the wall clock has been set since the file was written, and by
// how much in all.
func (s *storage) jumped(now, wall time.Time) (skew time.Duration, jumped bool) {
	skew = wall.Sub(s.startWall) - now.Sub(s.started)
	return skew, (skew - s.skew).Abs() > clockJump
}

// exchange reads the file, and writes to it what there is to write. If it returns a file,
// that is to be synced and closed.
func (s *storage) exchange(now, wall time.Time) (*os.File, error) {
	l := s.list
	skew, jumped := s.jumped(now, wall)
	if err := s.read(now, wall, jumped); err != nil {
		return nil, err
	}
	l.mu.Lock()
	changes := make([]change, 0, len(s.unsaved))
	for _, c := range s.unsaved {
		l.breathe(len(changes))
		changes = append(changes, c)
	}
	needed := l.stored.len()
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
		// Where there is no room for another file, there may be some for a line.
	}
	if len(changes) == 0 {
		return nil, nil
	}
	slices.SortFunc(changes, func(a, b change) int { return a.number - b.number })
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

// breathe lets others have the lock, every so many steps of a loop.
func (l *List) breathe(step int) {
	if step%lockedSteps == 0 {
		l.mu.Unlock()
		l.mu.Lock()
	}
}

// at returns the line with times of the wall clock.
func (l line) at(now, wall time.Time) line {
	l.At = wall.UTC()
	if !l.Until.IsZero() {
		l.Until = wall.Add(l.Until.Sub(now)).UTC()
	}
	return l
}

// saved forgets changes that are in the file, unless they have been changed again.
func (s *storage) saved(changes []change) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	for i, c := range changes {
		s.list.breathe(i)
		if s.unsaved[c.target()].number == c.number {
			delete(s.unsaved, c.target())
		}
	}
}

// lines returns all bans for a new file.
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
	l.mu.Unlock()
	slices.SortFunc(entries, func(a, b entry) int { return a.number - b.number })
	lines := make([]line, len(entries))
	for i, e := range entries {
		lines[i] = line{Ban: e.Ban}.at(now, wall)
	}
	return lines
}

// read reads what others have written since the last time. After a jump of the clock, the
// time since then says how old it is at most.
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

// apply applies lines of others to the list. The own changes come after them.
func (s *storage) apply(lines []line, now time.Time) (err error) {
	l := s.list
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range lines {
		l.breathe(i)
		if _, later := s.unsaved[line.target()]; !later {
			l.added++
			err = cmp.Or(err, l.stored.apply(line, l.added, now))
		}
	}
	return err
}

// setAll replaces the list with that of the file and the changes that are not in it yet.
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
		if e := t.get(l.target()); e != nil {
			t.remove(e)
		}
		return nil
	}
	_, err := t.put(&l.Ban, number, now)
	return err
}
