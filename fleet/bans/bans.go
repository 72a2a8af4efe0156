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
	"net/netip"
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
	if !e.Ban.Range.IsValid() {
		return e.checkNetwork(e.Ban.Net)
	}
	networks := e.Ban.Networks()
	if len(networks) == 0 {
		return fmt.Errorf("%w: %v has no networks that may be banned", ErrRefused, e.Ban.Target())
	}
	for _, net := range networks {
		if err := e.checkNetwork(net); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) checkNetwork(net netip.Prefix) error {
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
	return nil
}

func (e *Entry) isOperators() bool { return strings.HasPrefix(e.Origin, OperatorPrefix) }

// compare orders entries by their stamps. Two entries about one target have the same stamp only if
// their origins differ.
func (e *Entry) compare(o *Entry) int {
	return cmp.Or(cmp.Compare(e.Made, o.Made), strings.Compare(e.Origin, o.Origin))
}

// Key names a target in all entries.
type Key = bans.Key

// KeyOf returns the key of the target of a ban.
func KeyOf(b bans.Ban) Key { return b.Key() }

// Set is a set of entries. The zero Set is empty. It is not safe for concurrent use.
type Set struct {
	targets map[Key][]*record // of each origin
	len     int
	// servers has the bans of each server, without removals, in their order.
	servers map[string][]*record
	// Latest is the greatest stamp in the set, of entries that do not wait.
	latest Stamp
	// waiting are the entries that are too far ahead, the first due first.
	waiting []*record
}

// record is an entry in a set.
type record struct {
	Entry
	waits bool
}

// Len returns the number of entries, with those that do not count.
func (s *Set) Len() int { return s.len }

// Next returns a stamp for a new entry. It is later than everything in the set.
func (s *Set) Next(now time.Time) Stamp { return max(Stamp(now.UnixMilli()), s.latest+1) }

// Put adds an entry, unless the set has a later one of its origin about the same target. It returns
// the targets for which InForce may have changed. The error wraps ErrRefused.
func (s *Set) Put(e Entry, now time.Time) (changed []Key, err error) { return s.put(&e, now, nil) }

// put is Put with a copy of an entry. It appends the targets.
func (s *Set) put(e *Entry, now time.Time, changed []Key) ([]Key, error) {
	if err := e.Check(); err != nil {
		return changed, err
	}
	key := e.Ban.Key()
	if was := s.find(key, e.Origin); was != nil {
		if was.compare(e) >= 0 {
			return changed, nil
		}
		changed = s.take(key, was, changed)
	}
	if s.targets == nil {
		s.targets, s.servers = map[Key][]*record{}, map[string][]*record{}
	}
	added := &record{Entry: *e, waits: isAhead(e, now)}
	s.targets[key] = append(s.targets[key], added)
	s.len++
	if added.waits {
		at, _ := slices.BinarySearchFunc(s.waiting, added, compareWaiting)
		s.waiting = slices.Insert(s.waiting, at, added)
		return changed, nil
	}
	return s.begin(key, added, changed), nil
}

// find returns the entry of an origin about a target, or nil.
func (s *Set) find(key Key, origin string) *record {
	for _, e := range s.targets[key] {
		if e.Origin == origin {
			return e
		}
	}
	return nil
}

func compareWaiting(a, b *record) int { return a.compare(&b.Entry) }

func isAhead(e *Entry, now time.Time) bool { return e.Made > Stamp(now.Add(MaxAhead).UnixMilli()) }

// begin makes an entry count, and appends the targets for which InForce may have changed.
func (s *Set) begin(key Key, e *record, changed []Key) []Key {
	e.waits = false
	s.latest = max(s.latest, e.Made)
	changed = append(changed, key)
	if e.Removed || e.isOperators() {
		return changed
	}
	at, _ := s.place(e)
	all := slices.Insert(s.servers[e.Origin], at, e)
	s.servers[e.Origin] = all
	if at < MaxPerServer && len(all) > MaxPerServer {
		changed = append(changed, all[MaxPerServer].Ban.Key()) // the one that is too much now
	}
	return changed
}

// compareInOrigin orders the entries of one origin. Several may have the same stamp.
func compareInOrigin(a, b *Entry) int {
	if a.Made != b.Made {
		return cmp.Compare(a.Made, b.Made)
	}
	return a.Ban.Key().Compare(b.Ban.Key())
}

// place returns the index of an entry in servers.
func (s *Set) place(e *record) (at int, found bool) {
	return slices.BinarySearchFunc(s.servers[e.Origin], e, func(a, b *record) int { return compareInOrigin(&a.Entry, &b.Entry) })
}

// take removes an entry, and appends the targets for which InForce may have changed.
func (s *Set) take(key Key, e *record, changed []Key) []Key {
	s.len--
	if rest := slices.DeleteFunc(s.targets[key], func(o *record) bool { return o == e }); len(rest) > 0 {
		s.targets[key] = rest
	} else {
		delete(s.targets, key)
	}
	if e.waits {
		at := slices.Index(s.waiting, e)
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return changed
	}
	changed = append(changed, key)
	all := s.servers[e.Origin]
	at, found := s.place(e)
	if !found || e.Removed {
		return changed
	}
	if at < MaxPerServer && len(all) > MaxPerServer {
		changed = append(changed, all[MaxPerServer].Ban.Key()) // there is room for it now
	}
	if all = slices.Delete(all, at, at+1); len(all) > 0 {
		s.servers[e.Origin] = all
	} else {
		delete(s.servers, e.Origin)
	}
	return changed
}

// Forget removes the entry of an origin about a target. Others may come into force again. It
// returns the targets for which InForce may have changed.
func (s *Set) Forget(from string, key Key) (changed []Key) {
	if e := s.find(key, from); e != nil {
		return s.take(key, e, nil)
	}
	return nil
}

// Due lets entries count that were too far ahead. It returns the targets for which InForce may have
// changed. Call it about once a second.
func (s *Set) Due(now time.Time) (changed []Key) {
	for len(s.waiting) > 0 && !isAhead(&s.waiting[0].Entry, now) {
		e := s.waiting[0]
		s.waiting = s.waiting[1:]
		changed = s.begin(e.Ban.Key(), e, changed)
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
	if last := s.last(key); last != nil {
		return last.Entry, true
	}
	return Entry{}, false
}

func (s *Set) last(key Key) (last *record) {
	for _, e := range s.targets[key] {
		if (last == nil || last.compare(&e.Entry) < 0) && s.counts(e) {
			last = e
		}
	}
	return last
}

// counts reports whether an entry is neither ahead nor beyond the number that its origin may have.
func (s *Set) counts(e *record) bool {
	if e.waits {
		return false
	}
	if e.Removed || e.isOperators() || len(s.servers[e.Origin]) <= MaxPerServer {
		return true
	}
	at, _ := s.place(e)
	return at < MaxPerServer
}

// All returns the bans in force, sorted by their targets.
func (s *Set) All() (all []Entry) {
	for key := range s.targets {
		if e, ok := s.InForce(key); ok {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, compareTargets)
	return all
}

// Every returns all entries, also those that do not count, the earliest first: a set takes them in
// this order with the least work.
func (s *Set) Every() (all []Entry) {
	for _, entries := range s.targets {
		for _, e := range entries {
			all = append(all, e.Entry)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(a.compare(&b), compareTargets(a, b)) })
	return all
}

// Of returns the entries of an origin, sorted by their targets.
func (s *Set) Of(from string) (all []Entry) {
	for key := range s.targets {
		if e := s.find(key, from); e != nil {
			all = append(all, e.Entry)
		}
	}
	slices.SortFunc(all, compareTargets)
	return all
}

func compareTargets(a, b Entry) int { return a.Ban.Key().Compare(b.Ban.Key()) }
