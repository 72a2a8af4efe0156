package bans

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testenv"
)

// bucket stands in for the bucket of a fleet: it has the last entry of each origin and target, and
// counts revisions.
type bucket struct {
	entries  map[string]Entry
	at       map[string]int
	revision int
}

func newBucket() *bucket { return &bucket{entries: map[string]Entry{}, at: map[string]int{}} }

func (b *bucket) put(e Entry) {
	key := e.Origin + " " + KeyOf(e.Ban).String()
	b.revision++
	b.entries[key], b.at[key] = e, b.revision
}

// since returns the entries after a revision, in order.
func (b *bucket) since(revision int) (entries []Entry) {
	keys := slices.SortedFunc(maps.Keys(b.at), func(x, y string) int { return b.at[x] - b.at[y] })
	for _, key := range keys {
		if b.at[key] > revision {
			entries = append(entries, b.entries[key])
		}
	}
	return entries
}

// sharer is a server with a list in a file, a bucket that may be away, and a clock.
type sharer struct {
	*Shared
	t    testing.TB
	id   string
	path string
	now  func() time.Time
	list *bans.List
	read int
}

func newSharer(t testing.TB, id string, now func() time.Time) *sharer {
	s := &sharer{t: t, id: id, path: filepath.Join(t.TempDir(), "bans.json"), now: now}
	s.start()
	return s
}

// start starts the server with what its file has.
func (s *sharer) start() {
	list, err := bans.Open(s.path, nil)
	testenv.NoError(s.t, err)
	s.list, s.Shared, s.read = list, NewShared(list, s.now), 0
	s.Join(s.id, true, func(err error) { s.t.Log(err) })
}

func (s *sharer) restart() {
	testenv.NoError(s.t, s.list.Close())
	s.start()
}

// exchange reads and sends everything. Sometimes an acknowledgement is lost.
func (s *sharer) exchange(r *rand.Rand, b *bucket) {
	s.Receive(b.since(s.read))
	s.read = b.revision
	s.Synced()
	for _, e := range s.Pending() {
		b.put(e)
		if r.IntN(4) > 0 {
			s.Acknowledge(e)
		}
	}
}

// inForce returns the stored bans.
func (s *sharer) inForce() (all []string) {
	for _, b := range s.List.All() {
		all = append(all, fmt.Sprint(b.Target(), " ", b.Reason, " ", b.Origin, " ", b.Made))
	}
	slices.Sort(all)
	return all
}

// TestShare lets servers ban, unban, restart and lose the bucket or their connection at random.
// When all have exchanged their entries, the lists are equal, and the last decision that was made
// in knowledge of all others counts.
func TestShare(t *testing.T) {
	runs := uint64(20)
	if testenv.Full() {
		runs = 500
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(seed, 2))
		clock := time.Now()
		b := newBucket()
		var servers []*sharer
		for i := range 3 {
			skew := time.Duration(r.Int64N(int64(2 * time.Minute)))
			servers = append(servers, newSharer(t, fmt.Sprint("server", i), func() time.Time { return clock.Add(skew) }))
		}
		// A server that joins with bans from before.
		testenv.NoError(t, servers[0].list.Add(bans.Ban{Net: target(9).Net, Reason: "before"}))
		settle := func() {
			for range 3 {
				for _, s := range servers {
					s.exchange(r, b)
				}
			}
		}
		for step := range 40 {
			s := servers[r.IntN(len(servers))]
			clock = clock.Add(time.Duration(r.Int64N(int64(time.Second))))
			switch r.IntN(8) {
			case 0, 1, 2:
				ban := target(r.IntN(5))
				ban.Reason = fmt.Sprint("step ", step)
				testenv.NoError(t, s.Add(ban))
			case 3:
				s.Remove(target(r.IntN(5)))
			case 4, 5:
				s.exchange(r, b)
			case 6:
				s.restart()
			case 7:
				if r.IntN(4) == 0 { // the bucket is lost
					b = newBucket()
					for _, s := range servers {
						s.read = 0
						s.Forgotten()
					}
				}
			}
		}
		settle()
		want := servers[0].inForce()
		for _, s := range servers[1:] {
			testenv.Check(t, slices.Equal(s.inForce(), want), "seed %d: %s has %q, want %q", seed, s.id, s.inForce(), want)
		}
		testenv.Check(t, slices.ContainsFunc(want, func(s string) bool { return s == "203.0.113.9 before server0 1" }), "seed %d: %q", seed, want)
		last := servers[r.IntN(3)]
		ban := target(1)
		ban.Reason = "the last"
		testenv.NoError(t, last.Add(ban))
		last.Add(target(2))
		testenv.Check(t, last.Remove(target(2)), "no ban")
		last.exchange(r, b)
		last.restart()
		settle()
		for _, s := range servers {
			got, banned := s.StoredFor(target(1))
			testenv.Check(t, banned && got.Reason == "the last" && got.Origin == last.id, "seed %d: %s: %+v", seed, s.id, got)
			_, banned = s.StoredFor(target(2))
			testenv.Check(t, !banned, "seed %d: %s still has the ban that was lifted", seed, s.id)
			testenv.NoError(t, s.list.Close())
		}
	}
}

// TestSharedKinds checks which bans leave a server, and which come in.
func TestSharedKinds(t *testing.T) {
	now := time.Now()
	s := newSharer(t, "a", func() time.Time { return now })
	defer s.list.Close()
	testenv.NoError(t, s.Add(bans.Ban{Net: target(1).Net, Duration: time.Hour, Temporary: true}))
	testenv.NoError(t, s.Add(bans.Ban{Net: testenv.Must(bans.Parse("10.0.0.0/8")).Net}))
	testenv.Check(t, len(s.Pending()) == 0 && len(s.All()) == 2, "%v of %v", s.Pending(), s.All())
	testenv.NoError(t, s.Add(target(2)))
	testenv.NoError(t, s.Add(bans.Ban{Net: target(2).Net, RconOnly: true})) // does not replace it
	pending := s.Pending()
	testenv.Check(t, len(pending) == 1 && pending[0].Origin == "a" && !pending[0].Ban.RconOnly, "%+v", pending)
	s.Acknowledge(pending[0])
	testenv.Check(t, len(s.Pending()) == 0, "%+v", s.Pending())

	op := Entry{Origin: "op-alice", Ban: target(3), Made: s.latest + 1}
	other := Entry{Origin: "b", Ban: target(4), Made: s.latest + 2}
	ended := Entry{Origin: "b", Ban: target(5), Made: s.latest + 3}
	ended.Ban.Until = now.Add(-time.Second)
	ahead := Entry{Origin: "b", Ban: target(6), Made: Stamp(now.Add(MaxAhead + time.Minute).UnixMilli())}
	wide := Entry{Origin: "b", Ban: testenv.Must(bans.Parse("172.16.0.0/12")), Made: s.latest + 4}
	s.Join("a", false, func(error) {})
	added, refused := s.Receive([]Entry{op, other})
	testenv.Check(t, len(added) == 1 && added[0].Origin == "op-alice" && len(refused) == 0, "%+v %v", added, refused)
	testenv.Check(t, s.Arrived() && !s.Arrived(), "the arrival is not reported once")
	s.Join("a", true, func(error) {})
	added, refused = s.Receive([]Entry{op, other, ended, ahead, wide})
	testenv.Check(t, len(added) == 1 && added[0].Origin == "b" && len(refused) == 1, "%+v %v", added, refused)
	_, from := s.Fleet()
	testenv.Check(t, from == "b", "ahead: %q", from)
	now = now.Add(2 * time.Minute)
	added, _ = s.Receive(nil)
	testenv.Check(t, len(added) == 1 && KeyOf(added[0].Ban) == KeyOf(target(6)), "%+v", added)
	// A later removal wins over a ban of this server.
	s.Receive([]Entry{{Origin: "op-alice", Ban: target(2), Made: s.latest + 1, Removed: true}})
	_, banned := s.StoredFor(target(2))
	testenv.Check(t, !banned, "the ban of this server stays")
}
