// Package bans merges what the servers and operators of a fleet say about bans.
//
// Everybody who may ban is an origin. An origin has at most one entry about a target: a ban, or the
// removal of a ban. Of the entries of all origins about a target, the latest is in force. So
// entries may arrive in any order and several times, and there is no leader: servers with the same
// entries have the same bans. The package knows neither a network nor a file.
package bans

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
)

const (
	// MaxAhead is how far the time of an entry may be ahead of the own clock. An entry from later
	// waits until then, so that a wrong clock cannot win for ever.
	MaxAhead = 5 * time.Minute
	// MaxPerServer is the largest number of bans in force of one server. Those that were made first
	// count.
	MaxPerServer = 1000
	// MinBits4 and MinBits6 are the lengths of the largest networks that a server may ban.
	MinBits4, MinBits6 = 16, 32
	// OperatorPrefix begins the origins of operators, who have no limits.
	OperatorPrefix = "op-"
)

// Stamp is the time at which an entry was made, in ms since 1970, by the clock of its origin. It is
// greater than all stamps that the origin had seen.
type Stamp int64

// Entry is what an origin says about a target.
type Entry struct {
	Origin string `json:"-"`
	// Ban has the target, and with a ban also the end and the reason. Its Duration counts for
	// nothing.
	Ban  bans.Ban `json:"ban"`
	Made Stamp    `json:"made"`
	// By names who made the entry, for operators.
	By string `json:"by,omitempty"`
	// Removed tells that the target is not banned.
	Removed bool `json:"removed,omitempty"`
}

// ErrRefused is returned for an entry that its origin may not make.
var ErrRefused = errors.New("refused")

// Check returns an error that wraps ErrRefused for a ban of localhost, and for a ban of a large
// network by a server.
func (e *Entry) Check() error {
	if e.Removed {
		return nil
	}
	networks := e.Ban.Networks()
	if len(networks) == 0 {
		return fmt.Errorf("%w: %v has no networks that may be banned", ErrRefused, e.Ban.Target())
	}
	for _, net := range networks {
		if _, err := bans.Normalize(net); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		least := MinBits6
		if net.Addr().Is4() {
			least = MinBits4
		}
		if !e.isOperators() && net.Bits() < least {
			return fmt.Errorf("%w: a server may ban networks up to /%d, and not %v", ErrRefused, least, net)
		}
	}
	return nil
}

func (e *Entry) isOperators() bool { return strings.HasPrefix(e.Origin, OperatorPrefix) }

// compare orders entries by their stamps. Two entries about one target have the same stamp only if
// their origins differ.
func (e *Entry) compare(o *Entry) int {
	return cmp.Or(cmp.Compare(e.Made, o.Made), strings.Compare(e.Origin, o.Origin))
}

// Key names a target in all entries.
type Key string

// KeyOf returns the key of the target of a ban.
func KeyOf(b bans.Ban) Key {
	if nets := b.Networks(); len(nets) == 1 { // a range can be a network
		return Key(bans.FormatNet(nets[0]))
	}
	return Key(b.Target())
}

// Set is a set of entries. The zero Set is empty. It is not safe for concurrent use.
type Set struct {
	targets map[Key]map[string]*Entry // by origin
	origins map[string]*origin
	// Latest is the greatest stamp in the set, of entries that do not wait.
	latest Stamp
	// waiting are the entries that are too far ahead, the first due first.
	waiting []*Entry
}

// origin has the bans of an origin, without removals, in their order.
type origin struct{ bans []*Entry }

// Next returns a stamp for a new entry. It is later than everything in the set.
func (s *Set) Next(now time.Time) Stamp { return max(Stamp(now.UnixMilli()), s.latest+1) }

// Put adds an entry, unless the set has a later one of its origin about the same target. It returns
// the targets for which InForce may have changed. The error wraps ErrRefused.
func (s *Set) Put(e Entry, now time.Time) (changed []Key, err error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	key := KeyOf(e.Ban)
	if was := s.targets[key][e.Origin]; was != nil {
		if was.compare(&e) >= 0 {
			return nil, nil
		}
		changed = s.take(key, was)
	}
	if s.targets == nil {
		s.targets, s.origins = map[Key]map[string]*Entry{}, map[string]*origin{}
	}
	if s.targets[key] == nil {
		s.targets[key] = map[string]*Entry{}
	}
	s.targets[key][e.Origin] = &e
	if isAhead(&e, now) {
		at, _ := slices.BinarySearchFunc(s.waiting, &e, (*Entry).compare)
		s.waiting = slices.Insert(s.waiting, at, &e)
		return changed, nil
	}
	return append(changed, s.begin(key, &e)...), nil
}

func isAhead(e *Entry, now time.Time) bool { return e.Made > Stamp(now.Add(MaxAhead).UnixMilli()) }

// begin makes an entry count.
func (s *Set) begin(key Key, e *Entry) (changed []Key) {
	s.latest = max(s.latest, e.Made)
	changed = []Key{key}
	if e.Removed {
		return changed
	}
	o := s.origins[e.Origin]
	if o == nil {
		o = &origin{}
		s.origins[e.Origin] = o
	}
	at, _ := slices.BinarySearchFunc(o.bans, e, compareInOrigin)
	o.bans = slices.Insert(o.bans, at, e)
	if at < MaxPerServer && len(o.bans) > MaxPerServer {
		changed = append(changed, KeyOf(o.bans[MaxPerServer].Ban)) // the one that is too much now
	}
	return changed
}

// compareInOrigin orders the entries of one origin. Several may have the same stamp.
func compareInOrigin(a, b *Entry) int {
	if a.Made != b.Made {
		return cmp.Compare(a.Made, b.Made)
	}
	return strings.Compare(string(KeyOf(a.Ban)), string(KeyOf(b.Ban))) // takes long
}

// take removes an entry.
func (s *Set) take(key Key, e *Entry) (changed []Key) {
	delete(s.targets[key], e.Origin)
	if len(s.targets[key]) == 0 {
		delete(s.targets, key)
	}
	if at := slices.Index(s.waiting, e); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return nil
	}
	changed = []Key{key}
	o := s.origins[e.Origin]
	if e.Removed || o == nil {
		return changed
	}
	at, found := slices.BinarySearchFunc(o.bans, e, compareInOrigin)
	if !found {
		return changed
	}
	if at < MaxPerServer && len(o.bans) > MaxPerServer {
		changed = append(changed, KeyOf(o.bans[MaxPerServer].Ban)) // there is room for it now
	}
	o.bans = slices.Delete(o.bans, at, at+1)
	if len(o.bans) == 0 {
		delete(s.origins, e.Origin)
	}
	return changed
}

// Forget removes the entry of an origin about a target. Others may come into force again. It
// returns the targets for which InForce may have changed.
func (s *Set) Forget(from string, key Key) (changed []Key) {
	if e := s.targets[key][from]; e != nil {
		return s.take(key, e)
	}
	return nil
}

// Due lets entries count that were too far ahead. It returns the targets for which InForce may have
// changed. Call it about once a second.
func (s *Set) Due(now time.Time) (changed []Key) {
	for len(s.waiting) > 0 && !isAhead(s.waiting[0], now) {
		e := s.waiting[0]
		s.waiting = s.waiting[1:]
		changed = append(changed, s.begin(KeyOf(e.Ban), e)...)
	}
	return changed
}

// Waiting returns how many entries are too far ahead, and the origin of one of them. Its clock may
// be wrong.
func (s *Set) Waiting() (n int, from string) {
	if len(s.waiting) == 0 {
		return 0, ""
	}
	return len(s.waiting), s.waiting[0].Origin
}

// InForce returns the ban of a target, if there is one. A ban whose end has passed is still in
// force.
func (s *Set) InForce(key Key) (ban Entry, ok bool) {
	last, ok := s.Last(key)
	return last, ok && !last.Removed
}

// Last returns the latest entry about a target that counts.
func (s *Set) Last(key Key) (entry Entry, ok bool) {
	var last *Entry
	for _, e := range s.targets[key] {
		if (last == nil || last.compare(e) < 0) && s.counts(e) {
			last = e
		}
	}
	if last == nil {
		return Entry{}, false
	}
	return *last, true
}

// counts reports whether an entry is neither ahead nor beyond the number that its origin may have.
func (s *Set) counts(e *Entry) bool {
	if slices.Contains(s.waiting, e) {
		return false
	}
	o := s.origins[e.Origin]
	if e.Removed || e.isOperators() || o == nil || len(o.bans) <= MaxPerServer {
		return true
	}
	at, _ := slices.BinarySearchFunc(o.bans, e, compareInOrigin)
	return at < MaxPerServer
}

// All returns the bans in force, sorted by their targets.
func (s *Set) All() (all []Entry) {
	for key := range s.targets {
		if e, ok := s.InForce(key); ok {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(string(KeyOf(a.Ban)), string(KeyOf(b.Ban))) })
	return all
}

// Every returns all entries, also those that do not count, sorted by their targets and origins.
func (s *Set) Every() (all []Entry) {
	for _, origins := range s.targets {
		for _, e := range origins {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(strings.Compare(string(KeyOf(a.Ban)), string(KeyOf(b.Ban))), strings.Compare(a.Origin, b.Origin))
	})
	return all
}

// Of returns the entries of an origin, sorted by their targets.
func (s *Set) Of(from string) (all []Entry) {
	for _, origins := range s.targets {
		if e := origins[from]; e != nil {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(string(KeyOf(a.Ban)), string(KeyOf(b.Ban))) })
	return all
}
