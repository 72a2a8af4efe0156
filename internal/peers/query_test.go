package peers

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// inform asks a server and expects an answer.
func inform(t *testing.T, addr transport.Peer) query.Result {
	t.Helper()
	r, err := query.AskHost(t.Context(), query.Config{Timeout: 10 * time.Second}, addr.String())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestQueryServers asks the real servers and ours.
func TestQueryServers(t *testing.T) {
	for _, c := range []struct {
		name     string
		start    func(testing.TB, string) *gameServer
		versions query.Versions
	}{
		{"teeworlds-server", startOriginal, query.Version7},
		{"DDNet-Server", startDDNet, query.Version6 | query.Version7},
		{"teeyard", startTeeyard, query.Version6 | query.Version7},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.start(t, "")
			var r query.Result
			Eventually(t, 10*time.Second, "the first client has left", func() bool {
				r = inform(t, s.addr)
				return r.Info.NumClients == 0
			})
			if r.Versions() != c.versions || !r.Complete || r.Latency <= 0 || r.Latency > 5*time.Second {
				t.Errorf("speaks %v, complete %v, latency %v", r.Versions(), r.Complete, r.Latency)
			}
			if i := r.Info; i.Name != "bench" || i.Map != "dm1" || i.MaxClients != 64 || i.Password {
				t.Errorf("%+v", i)
			}
			swarm := load.Start(t.Context(), load.Config{Servers: []transport.Peer{s.addr}, Clients: 30})
			defer swarm.Stop()
			if err := swarm.WaitJoined(30 * time.Second); err != nil {
				t.Fatal(err)
			}
			// DDNet-Server describes itself once a second.
			Eventually(t, 10*time.Second, "all clients are listed", func() bool {
				r = inform(t, s.addr)
				return r.Complete && r.Info.NumClients == 30 && len(r.Info.Clients) == 30
			})
			for n, c := range r.Info.Clients {
				if c.Name == "" {
					t.Errorf("client %d: %+v", n, c)
				}
			}
		})
	}
}

// TestDDNetRegisters has the real server announce itself to the master that our own
// registrar is tested with: the master is as a real one.
func TestDDNetRegisters(t *testing.T) {
	sock, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer sock.Close()
	var mu sync.Mutex
	m := &mastertest.HTTP{Challenge: func(to transport.Peer, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		sock.Send(to, b)
		sock.Flush()
	}}
	web := httptest.NewServer(m)
	defer web.Close()
	s := startDDNet(t, "http_allow_insecure 1; sv_register_url "+web.URL+"/ddnet/15/register; sv_register ipv4")
	list := func() []master.Server {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		servers, skipped, err := master.Fetch(ctx, nil, web.URL+"/ddnet/15/servers.json")
		if err != nil || skipped != 0 {
			t.Fatalf("%d skipped: %v", skipped, err)
		}
		return servers
	}
	want := []master.Addr{{Peer: s.addr, Version: query.Version6}, {Peer: s.addr, Version: query.Version7}}
	Eventually(t, 30*time.Second, "the server is on the list in both versions", func() bool {
		servers := list()
		return len(servers) == 1 && cmp.Equal(servers[0].Addrs, want, cmp.Comparer(func(a, b transport.Peer) bool { return a == b }))
	})
	told := list()[0].Info
	if told == nil || told.Name != "bench" || told.Map != "dm1" {
		t.Errorf("the list has %+v", told)
	}
	s.Stop()
	if servers := list(); len(servers) != 0 {
		t.Errorf("still on the list: %+v", servers)
	}
	var statuses []string
	for _, r := range m.Log() {
		if r.Status == "error" {
			t.Errorf("the master complains: %+v", r)
		}
		statuses = append(statuses, r.Status)
	}
	for _, status := range []string{"need_challenge", "success", "delete"} {
		if !slices.Contains(statuses, status) {
			t.Errorf("no %q of %s", status, strings.Join(statuses, " "))
		}
	}
}
