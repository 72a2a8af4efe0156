package bans

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bans"
)

// Shared is the bans of a server that may share them with a fleet. It implements bans.Store and
// adds to a list, which remains the truth of the server: the game asks the list alone.
//
// After Join, a bus takes the entries to send from Pending, hands over what others sent with
// Receive, and calls Synced when it has received everything so far.
type Shared struct {
	*bans.List
	now func() time.Time

	// arrived is set after bans of others have come into force.
	arrived atomic.Bool
	wake    chan struct{} // there is something to send

	mu      sync.Mutex
	origin  string // of this server, "" outside of a fleet
	all     bool   // bans of other servers count, too
	latest  Stamp
	pending map[Key]Entry // not acknowledged
	acked   map[Key]Stamp // of this server
	refused func(error)

	merging sync.Mutex // guards the set
	set     Set
}

// NewShared returns the bans of a list, outside of a fleet. now returns the time; nil means
// time.Now.
func NewShared(list *bans.List, now func() time.Time) *Shared {
	if now == nil {
		now = time.Now
	}
	return &Shared{List: list, now: now, wake: make(chan struct{}, 1), pending: map[Key]Entry{}, acked: map[Key]Stamp{}}
}

// Join shares the bans as an origin. If all is false, only operators can ban for this server.
// refused is called for each ban that the fleet would not accept, and that stays on this server. It
// must not call the methods of s.
func (s *Shared) Join(origin string, all bool, refused func(error)) {
	s.mu.Lock()
	s.origin, s.all, s.refused = origin, all, refused
	for _, b := range s.List.All() {
		s.latest = max(s.latest, Stamp(b.Made))
	}
	for _, b := range s.List.Removed() {
		s.latest = max(s.latest, Stamp(b.Made))
	}
	s.mu.Unlock()
}

// Add implements bans.Store.
func (s *Shared) Add(b bans.Ban) error {
	b.Origin, b.Made = "", 0
	if old, ok := s.List.StoredFor(b); ok && b.RconOnly && !old.RconOnly {
		return nil
	}
	stamped, share := s.stamp(b, false)
	stored, changed, err := s.List.Put(stamped)
	if share && changed {
		s.share(entryOf(stored, false))
	}
	return err
}

// Remove implements bans.Store.
func (s *Shared) Remove(b bans.Ban) bool {
	if _, stored := s.List.StoredFor(b); stored {
		if stamped, share := s.stamp(bans.Ban{Net: b.Net, Range: b.Range}, true); share && s.List.RemoveAs(stamped) {
			s.share(entryOf(stamped, true))
			s.List.Remove(b) // a temporary ban
			return true
		}
	}
	return s.List.Remove(b)
}

// stamp returns a ban or removal that the fleet should know as an entry of this server.
func (s *Shared) stamp(b bans.Ban, removed bool) (stamped bans.Ban, share bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origin == "" || b.Temporary {
		return b, false
	}
	e := Entry{Origin: s.origin, Ban: b, Removed: removed}
	if err := e.Check(); err != nil {
		s.refused(fmt.Errorf("the ban of %s stays on this server: %w", b.Target(), err))
		return b, false
	}
	s.latest = max(Stamp(s.now().UnixMilli()), s.latest+1)
	b.Origin, b.Made = s.origin, int64(s.latest)
	return b, true
}

// entryOf returns the entry for a ban or removal in a list.
func entryOf(b bans.Ban, removed bool) Entry {
	e := Entry{Origin: b.Origin, Ban: b, Made: Stamp(b.Made), Removed: removed}
	e.Ban.Origin, e.Ban.Made = "", 0
	return e
}

// share sends an entry of this server.
func (s *Shared) share(e Entry) {
	key := KeyOf(e.Ban)
	s.mu.Lock()
	if e.Made > s.acked[key] && e.Made > s.pending[key].Made {
		s.pending[key] = e
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Wake returns a channel that has a value after Pending has got an entry.
func (s *Shared) Wake() <-chan struct{} { return s.wake }

// Pending returns the entries of this server that are not acknowledged, the oldest first.
func (s *Shared) Pending() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Values(s.pending))
	slices.SortFunc(all, func(a, b Entry) int { return compareInOrigin(&a, &b) })
	return all
}

// Acknowledge notes that the fleet has an entry of this server.
func (s *Shared) Acknowledge(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := KeyOf(e.Ban)
	s.acked[key] = max(s.acked[key], e.Made)
	if p, ok := s.pending[key]; ok && p.Made <= e.Made {
		delete(s.pending, key)
	}
}

// Forgotten notes that the fleet has lost all entries, so that Synced sends all again.
func (s *Shared) Forgotten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.acked)
}

// Receive merges entries of others, and entries of this server that come back. It returns the bans
// of others that are new here, which the caller must not change, and an error for each refused
// entry.
func (s *Shared) Receive(entries []Entry) (added []*Entry, refused []error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	now := s.now()
	changed := slices.Grow(s.set.Due(now), len(entries))
	for i := range entries {
		e := &entries[i]
		if e.Origin == s.origin {
			s.returned(e)
		} else if !s.all && !e.isOperators() {
			continue
		}
		var err error
		if changed, err = s.set.put(e, now, changed); err != nil {
			refused = append(refused, fmt.Errorf("%s of %s: %w", e.Ban.Target(), e.Origin, err))
		}
	}
	s.mu.Lock()
	s.latest = max(s.latest, s.set.latest)
	s.mu.Unlock()
	for _, key := range changed {
		if e := s.apply(key, now); e != nil {
			added = append(added, e)
		}
	}
	if len(added) > 0 {
		s.arrived.Store(true)
	}
	return added, refused
}

// returned notes an entry of this server that the fleet has. If the list has a later one, the fleet
// gets it.
func (s *Shared) returned(e *Entry) {
	s.mu.Lock()
	s.acked[KeyOf(e.Ban)] = e.Made // which may be less than what it had
	s.mu.Unlock()
	s.Acknowledge(*e)
	if b, ok := s.List.StoredFor(e.Ban); ok && b.Origin == s.origin && Stamp(b.Made) > e.Made {
		s.share(entryOf(b, false))
	}
}

// apply brings the list up to date for a target. It returns a ban that is new there, or nil.
func (s *Shared) apply(key Key, now time.Time) (added *Entry) {
	last := s.set.last(key)
	switch {
	case last == nil: // it is too far ahead, or beyond the limit of its origin
		if stored, ok := s.List.StoredFor(key.Ban()); ok && stored.Origin != "" && stored.Origin != s.origin {
			s.List.RemoveAs(key.Ban())
		}
		return nil
	case last.Removed:
		s.List.RemoveAs(bans.Ban{Net: last.Ban.Net, Range: last.Ban.Range, Origin: last.Origin, Made: int64(last.Made)})
		return nil
	case !last.Ban.Until.IsZero() && !now.Before(last.Ban.Until):
		return nil
	}
	b := last.Ban
	b.Origin, b.Made = last.Origin, int64(last.Made)
	if _, changed, err := s.List.Put(b); !changed || err != nil {
		return nil
	}
	return &last.Entry
}

// Synced shares what the list has and the fleet does not. Bans from before the server joined lose
// against all that the fleet says about their targets.
func (s *Shared) Synced() {
	for _, b := range s.List.Kept(func(b *bans.Ban) bool { return b.Made == 0 || b.Origin == s.origin }) {
		if b.Made == 0 {
			const oldest = 1
			e := Entry{Origin: s.origin, Ban: b}
			if e.Check() != nil {
				continue
			}
			b.Origin, b.Made = s.origin, oldest
			if last, ok := s.last(KeyOf(b)); ok && last.Removed {
				s.List.Remove(b)
				continue
			} else if ok {
				continue // the fleet has a ban already
			}
			s.List.Put(b)
		}
		s.share(entryOf(b, false))
	}
	for _, b := range s.List.Removed() {
		if b.Origin == s.origin {
			s.share(entryOf(b, true))
		}
	}
}

func (s *Shared) last(key Key) (Entry, bool) {
	s.merging.Lock()
	defer s.merging.Unlock()
	return s.set.Last(key)
}

// Arrived reports whether bans of others have come into force since its last call.
func (s *Shared) Arrived() bool { return s.arrived.Load() && s.arrived.Swap(false) }

// Fleet returns the number of entries of the fleet that the server knows, and an origin whose
// entries are too far ahead, or "".
func (s *Shared) Fleet() (entries int, ahead string) {
	s.merging.Lock()
	defer s.merging.Unlock()
	_, ahead = s.set.Waiting()
	return s.set.Len(), ahead
}
