//go:build peers

package tools

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
)

// TestQueryServers queries the originals and our server, without clients and with 30 clients.
func TestQueryServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		start    func(testing.TB, string) *peers.Server
		versions query.Versions
	}{
		{"teeworlds-server", peers.StartOriginal, query.Version7},
		{"DDNet-Server", peers.StartDDNet, query.Version6 | query.Version7},
		{"teeyard", peers.StartTeeyard, query.Version6 | query.Version7},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.start(t, "")
			// DDNet-Server updates its information once a second.
			await := func(clients int) (r query.Result) {
				t.Helper()
				peers.Eventually(t, 10*time.Second, fmt.Sprintf("%d clients are listed", clients), func() bool {
					var err error
					if r, err = query.AskHost(t.Context(), query.Config{Timeout: 10 * time.Second}, s.Addr.String()); err != nil {
						t.Fatal(err)
					}
					return r.Complete && r.Info.NumClients == clients && len(r.Info.Clients) == clients
				})
				return r
			}
			r := await(0)
			if r.Versions() != c.versions || r.Latency <= 0 || r.Latency > 5*time.Second {
				t.Errorf("speaks %v, latency %v", r.Versions(), r.Latency)
			}
			if i := r.Info; i.Name != "bench" || i.Map != "dm1" || i.MaxClients != 64 || i.Password {
				t.Errorf("%+v", i)
			}
			defer peers.Join(t, s, load.Config{Clients: 30}).Stop()
			for n, c := range await(30).Info.Clients {
				if c.Name == "" {
					t.Errorf("client %d: %+v", n, c)
				}
			}
		})
	}
}

// TestDDNetRegisters makes DDNet-Server register at the fake master that also serves the tests of
// our registrar. This shows that the fake behaves like a real master.
func TestDDNetRegisters(t *testing.T) {
	sock := listen(t)
	var mu sync.Mutex
	m := &mastertest.HTTP{Challenge: func(to transport.Peer, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		sock.Send(to, b)
		sock.Flush()
	}}
	web := httptest.NewServer(m)
	defer web.Close()
	s := peers.StartDDNet(t, "http_allow_insecure 1; sv_register_url "+web.URL+"/ddnet/15/register; sv_register ipv4")
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
	want := []master.Addr{{Peer: s.Addr, Version: query.Version6}, {Peer: s.Addr, Version: query.Version7}}
	peers.Eventually(t, 30*time.Second, "the server is on the list in both versions", func() bool {
		servers := list()
		return len(servers) == 1 && cmp.Equal(servers[0].Addrs, want, cmp.Comparer(func(a, b transport.Peer) bool { return a == b }))
	})
	info := list()[0].Info
	if info == nil || info.Name != "bench" || info.Map != "dm1" {
		t.Errorf("the list has %+v", info)
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
