//go:build peers

// Package fleet tests servers that a real nats-server connects.
package fleet

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// patience is how long a test waits for others.
const patience = 60 * time.Second

// startServer starts a server of the fleet "test".
func startServer(t *testing.T, n *peers.NATS, id, settings string) *peers.Server {
	t.Helper()
	return startServerIn(t, n, t.TempDir(), id, settings)
}

// startServerIn is startServer with the server's folder.
func startServerIn(t *testing.T, n *peers.NATS, home, id, settings string) *peers.Server {
	t.Helper()
	return peers.StartTeeyardWithDatabase(t, home, fmt.Sprintf("sv_nats %s; sv_fleet test; sv_fleet_id %s; sv_http 0; %s", n.URL(), id, settings))
}

func connect(t *testing.T, n *peers.NATS, name string) *bus.Operator {
	t.Helper()
	o, err := bus.Connect(bus.Access{URL: n.URL()}, "test", name)
	testenv.NoError(t, err)
	t.Cleanup(o.Close)
	return o
}

// await waits until exactly these servers run.
func await(t *testing.T, o *bus.Operator, ids ...string) (servers []bus.Server) {
	t.Helper()
	peers.Eventually(t, patience, fmt.Sprintf("%q run", ids), func() bool {
		var err error
		servers, err = o.Servers()
		var got []string
		for _, s := range servers {
			got = append(got, s.ID)
		}
		return err == nil && slices.Equal(got, ids)
	})
	return servers
}

// TestPresence checks who is in the list of running servers: a server that starts, one that was
// there before NATS, and all of them after NATS has lost its memory; and not one that has ended.
func TestPresence(t *testing.T) {
	n := peers.NewNATS(t, "")
	a := startServer(t, n, "a", "sv_fleet_tags eu,dm")
	n.Start()
	o := connect(t, n, "alice")
	await(t, o, "a")
	b := startServer(t, n, "b", "")
	servers := await(t, o, "a", "b")
	testenv.Check(t, slices.Equal(servers[0].Tags, []string{"eu", "dm"}) && servers[0].Address == fmt.Sprint(a.Addr) && servers[0].Info.Map.Name == "dm1" &&
		servers[0].Skew.Abs() < time.Minute, "%+v", servers[0])
	n.Kill()
	n.Start()
	await(t, o, "a", "b")
	b.Signal(os.Interrupt)
	await(t, o, "a")
}

// run runs a line with a level, and returns the answers and the servers that did not answer.
func run(t *testing.T, o *bus.Operator, level, on, line string) (answers map[string]*bus.Answer, missing []string) {
	t.Helper()
	to, servers, err := o.Resolve(on)
	testenv.NoError(t, err)
	var ids []string
	for _, s := range servers {
		ids = append(ids, s.ID)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	answers = map[string]*bus.Answer{}
	missing, err = o.Run(ctx, level, to, ids, line, func(a *bus.Answer) { answers[a.ID] = a })
	testenv.NoError(t, err)
	return answers, missing
}
