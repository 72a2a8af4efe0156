//go:build peers

package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/bans"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// member is a server in this process, without a game.
type member struct {
	*fleetbans.Shared
	id   string
	bus  *bus.Member
	stop func()
}

// startMember starts a member with the bans of a file.
func startMember(t *testing.T, n *peers.NATS, id, file string) *member {
	t.Helper()
	return startMemberAt(t, n.URL(), id, file)
}

// startMemberAt is startMember with the URL of NATS.
func startMemberAt(t *testing.T, url, id, file string) *member {
	t.Helper()
	list, err := bans.Open(file, nil)
	testenv.NoError(t, err)
	m := &member{Shared: fleetbans.NewShared(list, nil), id: id}
	b, err := bus.Open(bus.Config{
		URL: url, Fleet: "test", ID: id, Bans: m.Shared, BansFrom: "all",
		Status: func() []byte { return []byte("{}") }, Gist: func() uint64 { return 0 }, Log: func(bool, string) {},
	})
	testenv.NoError(t, err)
	m.bus = b
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { b.Run(ctx) })
	m.stop = sync.OnceFunc(func() {
		stop()
		done.Wait()
		testenv.NoError(t, list.Close())
	})
	t.Cleanup(m.stop)
	return m
}

// inForce returns the bans in force.
func (m *member) inForce() (all []string) {
	for _, b := range m.All() {
		all = append(all, fmt.Sprint(b.Target(), " ", b.Reason, " ", b.Origin))
	}
	slices.Sort(all)
	return all
}

func address(k int) bans.Ban {
	return bans.Ban{Net: netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, byte(k >> 8), byte(k)}), 32)}
}

// TestBansWithoutNATS kills nats-server again and again while servers ban and unban, restarts some
// of them, and then checks that all have the same bans: for each target the last decision, if it
// was made in knowledge of the others.
func TestBansWithoutNATS(t *testing.T) {
	servers, decisions, kills := 6, 200, 3
	if testenv.Full() {
		servers, decisions, kills = 20, 1000, 20
	}
	n := peers.NewNATS(t, "")
	n.Start()
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	file := func(i int) string { return filepath.Join(dir, fmt.Sprint(i), "bans.json") }
	members := make([]*member, servers)
	for i := range members {
		peers.WriteFile(t, file(i), nil)
		members[i] = startMember(t, n, fmt.Sprint("server", i), file(i))
	}
	// Each target belongs to one server, so that the last decision about it is known.
	banned := map[int]bool{}
	for k := range decisions {
		if k%(decisions/kills) == decisions/kills/2 {
			n.Kill()
			if k%2 == 0 {
				i := r.IntN(servers) // a server that restarts while NATS is away
				members[i].stop()
				members[i] = startMember(t, n, fmt.Sprint("server", i), file(i))
			}
		}
		if k%(decisions/kills) == decisions/kills*3/4 {
			n.Start()
		}
		x := r.IntN(decisions / 2)
		m := members[x%servers]
		if banned[x] {
			testenv.Check(t, m.Remove(address(x)), "%d is not banned", x)
		} else {
			b := address(x)
			b.Reason = fmt.Sprint("decision ", k)
			testenv.NoError(t, m.Add(b))
		}
		banned[x] = !banned[x]
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
	}
	want := 0
	for _, yes := range banned {
		if yes {
			want++
		}
	}
	begun := time.Now()
	peers.Eventually(t, patience, "all lists are equal and whole", func() bool {
		for _, m := range members {
			if got := m.inForce(); len(got) != want || !slices.Equal(got, members[0].inForce()) {
				return false
			}
		}
		return true
	})
	t.Logf("%d decisions of %d servers, %d kills: equal after %v", decisions, servers, kills, time.Since(begun).Round(time.Millisecond))
	for x, yes := range banned {
		_, ok := members[0].StoredFor(address(x))
		testenv.Check(t, ok == yes, "target %d: banned %v, want %v", x, ok, yes)
	}
	for _, m := range members {
		peers.Eventually(t, patience, m.id+" knows that NATS has all its entries", func() bool { return len(m.Pending()) == 0 })
	}
	// NATS keeps no consumers of connections that are lost.
	nc := testenv.Must(nats.Connect(n.URL()))
	defer nc.Close()
	js := testenv.Must(nc.JetStream())
	peers.Eventually(t, patience, fmt.Sprintf("the bucket has %d consumers", servers), func() bool {
		info, err := js.StreamInfo("KV_test_bans")
		return err == nil && info.State.Consumers == servers
	})
}

// TestBansOfOperators checks bans of operators, the snapshot from which a new server starts, and
// that all decisions of a server can be undone.
func TestBansOfOperators(t *testing.T) {
	n := peers.NewNATS(t, "")
	n.Start()
	dir := t.TempDir()
	a := startMember(t, n, "a", filepath.Join(dir, "a.json"))
	b := startMember(t, n, "b", filepath.Join(dir, "b.json"))
	o := connect(t, n, "alice")
	put := func(e fleetbans.Entry) {
		t.Helper()
		set, _, err := o.Bans()
		testenv.NoError(t, err)
		_, err = o.Put(e, set)
		testenv.NoError(t, err)
	}
	have := func(m *member, want ...string) {
		t.Helper()
		peers.Eventually(t, patience, fmt.Sprintf("%s has %q", m.id, want), func() bool { return slices.Equal(m.inForce(), want) })
	}
	ban := func(k int, reason string) bans.Ban {
		x := address(k)
		x.Reason = reason
		return x
	}
	put(fleetbans.Entry{Ban: ban(1, "op")})
	have(a, "203.0.0.1 op op-alice")
	testenv.NoError(t, b.Add(ban(2, "by b")))
	have(a, "203.0.0.1 op op-alice", "203.0.0.2 by b b")
	kept, removed, err := o.Snapshot()
	testenv.Check(t, err == nil && kept == 2 && removed == 0, "%d %d %v", kept, removed, err)
	testenv.NoError(t, b.Add(ban(3, "by b")))
	c := startMember(t, n, "c", filepath.Join(dir, "c.json"))
	have(c, "203.0.0.1 op op-alice", "203.0.0.2 by b b", "203.0.0.3 by b b")
	// The server b goes mad: it lifts what others have banned, and bans what they have lifted.
	testenv.Check(t, b.Remove(address(1)), "b does not know the ban")
	testenv.NoError(t, b.Add(ban(4, "by b")))
	have(a, "203.0.0.2 by b b", "203.0.0.3 by b b", "203.0.0.4 by b b")
	changed, err := o.DropOrigin("b")
	testenv.Check(t, err == nil && changed == 4, "%d %v", changed, err)
	have(a, "203.0.0.1 op op-alice")
	have(b, "203.0.0.1 op op-alice")
	have(c, "203.0.0.1 op op-alice")
}
