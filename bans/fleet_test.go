package bans

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFleetOrder puts bans and removals of a fleet into a file in two orders. The latest counts in
// both, also after the file is read again and compacted.
func TestFleetOrder(t *testing.T) {
	type step struct {
		made    int64
		origin  string
		removed bool
	}
	steps := []step{{1, "a", false}, {2, "b", true}, {3, "a", false}, {3, "b", true}, {5, "c", false}, {6, "a", true}}
	for last := range steps {
		for _, backwards := range []bool{false, true} {
			c, path := newClocks(), filepath.Join(t.TempDir(), "bans.json")
			l := c.list(t, path)
			put := func(k int) (changed bool) {
				s := &steps[k]
				b := Ban{Net: address(7), Reason: fmt.Sprint(s.made, s.origin), Origin: s.origin, Made: s.made}
				if s.removed {
					return l.RemoveAs(b)
				}
				_, changed, err := l.Put(b)
				testenv.NoError(t, err)
				return changed
			}
			for k := range last + 1 {
				if backwards {
					k = last - k
				}
				put(k)
				put(k)
			}
			check := func(when string) {
				t.Helper()
				s := &steps[last]
				b, banned := l.StoredFor(Ban{Net: address(7)})
				testenv.Check(t, banned != s.removed, "%s, %d, %v: banned %v", when, last, backwards, banned)
				if banned {
					testenv.Check(t, b.Made == s.made && b.Origin == s.origin && b.Reason == fmt.Sprint(s.made, s.origin), "%s: %+v", when, b)
				}
				removals := l.Removed()
				testenv.Check(t, (len(removals) == 1) == s.removed, "%s, %d, %v: %+v", when, last, backwards, removals)
				for k := range last + 1 {
					testenv.Check(t, !put(k), "%s, %d, %v: entry %d counts again", when, last, backwards, k)
				}
			}
			check("in memory")
			l.mustSync(t)
			l = c.list(t, path)
			check("from the file")
			l.file.journal.rewrite = true
			l.mustSync(t)
			l = c.list(t, path)
			check("from the compacted file")
		}
	}
}

// TestFleetRemovals checks the limit of the removals: the latest are remembered.
func TestFleetRemovals(t *testing.T) {
	l := New(nil)
	for i := range maxRemoved + 10 {
		l.RemoveAs(Ban{Net: address(i), Origin: "a", Made: int64(i + 1)})
	}
	removed := l.Removed()
	testenv.Check(t, len(removed) == maxRemoved, "%d", len(removed))
	for _, b := range removed {
		testenv.Check(t, b.Made > 10, "%+v", b)
	}
}

// TestOutsideOfFleet checks that a ban without a fleet replaces one of a fleet, and the other way
// round.
func TestOutsideOfFleet(t *testing.T) {
	l := New(nil)
	l.mustAdd(t, Ban{Net: address(1), Origin: "a", Made: 5}, Ban{Net: address(1), Duration: time.Hour}, Ban{Net: address(1), Origin: "b", Made: 2})
	b, _ := l.StoredFor(Ban{Net: address(1)})
	testenv.Check(t, b.Origin == "b", "%+v", b)
	testenv.Check(t, l.Remove(Ban{Net: address(1)}) && len(l.All()) == 0 && len(l.Removed()) == 0, "%v %v", l.All(), l.Removed())
}
