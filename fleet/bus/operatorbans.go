package bus

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/fleet/bans"
)

const (
	// keepEnded is how long a ban that has ended stays in the bucket, and keepRemoved a removal. A
	// server that was away for longer may bring back its own ban.
	keepEnded   = 24 * time.Hour
	keepRemoved = 90 * 24 * time.Hour
)

// Bans returns all entries about bans, and the revision up to which they are.
func (o *Operator) Bans() (set *bans.Set, revision uint64, err error) {
	set = new(bans.Set)
	kv, err := o.js.KeyValue(o.fleet.bans())
	if err != nil {
		return nil, 0, o.explain(err)
	}
	w, err := kv.WatchAll()
	if err != nil {
		return nil, 0, o.explain(err)
	}
	defer w.Stop()
	for update := range w.Updates() {
		if update == nil {
			return set, revision, nil
		}
		revision = max(revision, update.Revision())
		if update.Operation() != nats.KeyValuePut {
			continue
		}
		if e, err := parseEntry(update.Key(), update.Value()); err == nil {
			set.Put(e, time.Now()) // what servers refuse does not count here, either
		}
	}
	return nil, 0, errors.New("the connection ended")
}

// origin returns the origin of the operator's entries.
func (o *Operator) origin() string { return bans.OperatorPrefix + o.name }

// Put sends an entry of the operator, and returns it with its origin and stamp. The set has what
// the operator knew.
func (o *Operator) Put(e bans.Entry, knew *bans.Set) (bans.Entry, error) {
	e.Origin, e.By, e.Made = o.origin(), o.name, knew.Next(time.Now())
	e.Ban.Origin, e.Ban.Made = "", 0
	if err := e.Check(); err != nil {
		return e, err
	}
	if _, err := o.js.Publish(subject(o.fleet.bans(), BanKey(&e)), marshalEntry(&e)); err != nil {
		return e, o.explain(err)
	}
	_, err := knew.Put(e, time.Now())
	return e, err
}

// DropOrigin undoes what an origin has decided: its bans and its removals. It returns how many
// targets have changed. Revoke the origin's credentials first.
func (o *Operator) DropOrigin(of string) (changed int, err error) {
	if err := CheckName("the origin", of); err != nil {
		return 0, err
	}
	set, _, err := o.Bans()
	if err != nil {
		return 0, err
	}
	for _, theirs := range set.Of(of) {
		key := bans.KeyOf(theirs.Ban)
		last, _ := set.Last(key)
		if last.Origin != of {
			continue
		}
		set.Forget(of, key)
		e := bans.Entry{Ban: theirs.Ban, Removed: true}
		if before, ok := set.InForce(key); ok {
			e = bans.Entry{Ban: before.Ban}
		}
		set.Put(theirs, time.Now()) // so that the operator's entry is later
		if _, err := o.Put(e, set); err != nil {
			return changed, fmt.Errorf("%s: %w", key, err)
		}
		changed++
	}
	return changed, nil
}

// Snapshot writes the snapshot from which servers start, and removes entries of the past. It
// returns the numbers of entries that were written and removed.
func (o *Operator) Snapshot() (kept, removed int, err error) {
	set, revision, err := o.Bans()
	if err != nil {
		return 0, 0, err
	}
	s := snapshot{revision: revision}
	now := time.Now()
	for _, e := range set.Every() {
		if isPast(&e, now) {
			err := o.js.PurgeStream(stream(o.fleet.bans()), &nats.StreamPurgeRequest{Subject: subject(o.fleet.bans(), BanKey(&e))})
			if err != nil {
				return 0, removed, o.explain(err)
			}
			removed++
			continue
		}
		s.entries = append(s.entries, e)
	}
	kept = len(s.entries)
	b, err := s.marshal()
	if err != nil {
		return kept, removed, err
	}
	kv, err := o.js.KeyValue(o.fleet.snapshots())
	if err == nil {
		_, err = kv.Put("bans", b)
	}
	return kept, removed, o.explain(err)
}

// isPast reports whether nobody needs an entry any more.
func isPast(e *bans.Entry, now time.Time) bool {
	if e.Removed {
		return now.Sub(time.UnixMilli(int64(e.Made))) > keepRemoved
	}
	return !e.Ban.Until.IsZero() && now.Sub(e.Ban.Until) > keepEnded
}
