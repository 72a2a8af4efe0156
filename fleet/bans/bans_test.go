package bans

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testenv"
)

// member is a server of a simulated fleet, whose clock may be wrong.
type member struct {
	name  string
	skew  time.Duration
	set   Set
	inbox []Entry // in any order, some of them twice
}

func (m *member) receive(r *rand.Rand, now time.Time) {
	if len(m.inbox) == 0 {
		return
	}
	k := r.IntN(len(m.inbox))
	e := m.inbox[k]
	m.inbox = slices.Delete(m.inbox, k, k+1)
	m.set.Put(e, now.Add(m.skew))
}

func target(k int) bans.Ban {
	return bans.Ban{Net: netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(k)}), 32)}
}

// TestSchedules lets servers ban and unban at random, with clocks up to an hour apart, while
// entries arrive late, in any order and twice. When all have arrived and the time of the last clock
// has come, all servers have the same bans. Without wrong clocks, a decision that was made in
// knowledge of another one wins.
func TestSchedules(t *testing.T) {
	schedules := uint64(500)
	if testenv.Full() {
		schedules = 100_000
	}
	for seed := range schedules {
		r := rand.New(rand.NewPCG(seed, 1))
		now := time.UnixMilli(1_700_000_000_000)
		skewed := seed%2 == 0
		members := make([]*member, 2+r.IntN(3))
		for i := range members {
			members[i] = &member{name: fmt.Sprint("server", i)}
			if skewed {
				members[i].skew = time.Duration(r.Int64N(int64(time.Hour)))
			}
		}
		const targets = 4
		var decided [targets]*Entry // in knowledge of all that was decided before about the target
		for range 5 + r.IntN(20) {
			now = now.Add(time.Duration(r.IntN(3)) * time.Millisecond) // often the same
			m, k := members[r.IntN(len(members))], r.IntN(targets)
			clock := now.Add(m.skew)
			e := Entry{Origin: m.name, Ban: target(k), Made: m.set.Next(clock), Removed: r.IntN(2) == 0}
			knows := decided[k] == nil
			if !knows {
				other := m.set.find(KeyOf(e.Ban), decided[k].Origin)
				knows = other != nil && other.compare(decided[k]) >= 0
			}
			if _, err := m.set.Put(e, clock); err != nil {
				t.Fatal(err)
			}
			if _, banned := m.set.InForce(KeyOf(e.Ban)); !skewed && banned == e.Removed {
				t.Fatalf("seed %d: the server's own decision has no effect", seed)
			}
			if knows {
				decided[k] = &e
			} else if decided[k] != nil && decided[k].compare(&e) < 0 {
				decided[k] = &e // both were made at the same time, as far as anybody knows
			}
			for _, o := range members {
				if o != m {
					o.inbox = append(o.inbox, e)
					if r.IntN(4) == 0 {
						o.inbox = append(o.inbox, e)
					}
				}
			}
			for range r.IntN(6) {
				members[r.IntN(len(members))].receive(r, now)
			}
		}
		for _, m := range members {
			for len(m.inbox) > 0 {
				m.receive(r, now)
			}
			m.set.Due(now.Add(2 * time.Hour))
			if n, _ := m.set.Waiting(); n > 0 {
				t.Fatalf("seed %d: %d entries wait for ever", seed, n)
			}
			if got, want := fmt.Sprint(m.set.All()), fmt.Sprint(members[0].set.All()); got != want {
				t.Fatalf("seed %d: %s and %s have different bans:\n%s\n%s", seed, members[0].name, m.name, want, got)
			}
			for k, e := range decided {
				if _, banned := m.set.InForce(KeyOf(target(k))); !skewed && e != nil && banned == e.Removed {
					t.Fatalf("seed %d: target %d is banned: %v, but %+v was decided last", seed, k, banned, *e)
				}
			}
		}
	}
}

// TestAhead checks that an entry from the future waits, and does not move the stamps of others.
func TestAhead(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	var s Set
	future := Entry{Origin: "wrong", Ban: target(1), Made: Stamp(now.Add(time.Hour).UnixMilli())}
	changed, err := s.Put(future, now)
	testenv.NoError(t, err)
	n, from := s.Waiting()
	_, banned := s.InForce(KeyOf(target(1)))
	testenv.Check(t, len(changed) == 0 && !banned && n == 1 && from == "wrong" && s.Next(now) == Stamp(now.UnixMilli()), "%v, %d of %s", changed, n, from)
	removal := Entry{Origin: "right", Ban: target(1), Made: s.Next(now.Add(54 * time.Minute)), Removed: true}
	_, err = s.Put(removal, now.Add(54*time.Minute))
	testenv.NoError(t, err)
	testenv.Check(t, len(s.Due(now.Add(54*time.Minute))) == 0, "it counts too early")
	changed = s.Due(now.Add(55 * time.Minute))
	_, banned = s.InForce(KeyOf(target(1)))
	testenv.Check(t, slices.Equal(changed, []Key{KeyOf(target(1))}) && banned, "%v, banned %v", changed, banned)
	testenv.Check(t, s.Next(now.Add(55*time.Minute)) == future.Made+1, "the next stamp is %d", s.Next(now))
}

// TestLimits checks what a server may not do.
func TestLimits(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	var s Set
	for text, allowed := range map[string][2]bool{ // to a server and to an operator
		"203.0.113.7": {true, true}, "203.0.0.0/16": {true, true}, "203.0.0.0/15": {false, true}, "2001:db8::/32": {true, true},
		"2001:d00::/24": {false, true}, "127.0.0.1": {false, false}, "::1": {false, false}, "126.0.0.0-128.0.0.0": {false, false},
		"10.0.0.0-10.3.0.0": {false, true}, "10.0.0.1-10.0.0.9": {true, true},
	} {
		ban, err := bans.Parse(text)
		testenv.NoError(t, err)
		for k, origin := range []string{"server", OperatorPrefix + "alice"} {
			_, err := s.Put(Entry{Origin: origin, Ban: ban, Made: s.Next(now)}, now)
			if (err == nil) != allowed[k] || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%s bans %s: %v", origin, text, err)
			}
		}
	}

	// The first thousand bans of a server count, in whatever order they come.
	const many = MaxPerServer + 50
	one, other := Set{}, Set{}
	at := func(k int) bans.Ban {
		return bans.Ban{Net: netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, byte(k >> 8), byte(k)}), 32)}
	}
	for k := range many {
		one.Put(Entry{Origin: "bad", Ban: at(k), Made: Stamp(k)}, now)
		other.Put(Entry{Origin: "bad", Ban: at(many - 1 - k), Made: Stamp(many - 1 - k)}, now)
	}
	testenv.Check(t, len(one.All()) == MaxPerServer && fmt.Sprint(one.All()) == fmt.Sprint(other.All()), "%d and %d bans", len(one.All()), len(other.All()))
	changed, err := one.Put(Entry{Origin: "bad", Ban: at(3), Made: many, Removed: true}, now)
	testenv.NoError(t, err)
	_, banned := one.InForce(KeyOf(at(MaxPerServer)))
	testenv.Check(t, slices.Contains(changed, KeyOf(at(MaxPerServer))) && banned, "the next ban does not move up: %v", changed)

	// Without the origin, the bans of others remain.
	one.Put(Entry{Origin: "good", Ban: at(5), Made: 1}, now)
	for _, e := range one.Of("bad") {
		one.Forget("bad", KeyOf(e.Ban))
	}
	testenv.Check(t, len(one.All()) == 1 && one.All()[0].Origin == "good", "left: %v", one.All())
}
