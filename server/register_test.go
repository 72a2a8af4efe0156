package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// startMaster runs a UDP master on loopback.
func startMaster(t *testing.T, version7 bool) (*mastertest.UDP, transport.Peer) {
	t.Helper()
	m, addr, closeMaster, err := mastertest.ListenUDP(version7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeMaster)
	return m, addr
}

// TestServerRegisters goes through the life of a server on lists of all kinds, on
// loopback: challenged, asked for its information again, changed, and gone.
func TestServerRegisters(t *testing.T) {
	t.Parallel() // it mostly waits
	probe, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	var (
		mu    sync.Mutex
		held  []func() // challenges of 0.7, until release
		free  bool
		left  = make(chan struct{}) // closed when the player knows of the end
		m     = &mastertest.HTTP{}
		lists = "/ddnet/15/servers.json"
	)
	m.Challenge = func(to transport.Peer, b []byte) {
		b = bytes.Clone(b)
		send := func() {
			probe.Send(to, b)
			probe.Flush()
		}
		mu.Lock()
		defer mu.Unlock()
		if b[0] != 0xff && !free {
			held = append(held, send)
			return
		}
		send()
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Action") == "delete" {
			// Players are told before masters: this is the time that masters have.
			select {
			case <-left:
			case <-r.Context().Done():
				return
			}
		}
		m.ServeHTTP(w, r)
	}))
	defer web.Close()
	udp6, at6 := startMaster(t, false)
	udp7, at7 := startMaster(t, true)

	var log testenv.Buffer
	logged := func(text string) bool { return strings.Contains(log.String(), text) }
	srv, err := New(Config{Seed: 1, Log: slog.New(logline.New(&log, slog.LevelDebug)), Commands: []string{
		"bindaddr 127.0.0.1; sv_port 0; sv_name yard; sv_rcon_password x",
		"sv_register_url " + web.URL + "/ddnet/15/register; sv_register_udp tw-0.6+udp://" + at6.String() + ",tw-0.7+udp://" + at7.String(),
		"sv_register_community_token ddtc_x",
		"sv_register 1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%+v", log.String(), m.Log())
		}
	})
	list := func() []master.Server {
		t.Helper()
		servers, skipped, err := master.Fetch(t.Context(), nil, web.URL+lists)
		if err != nil || skipped != 0 {
			t.Fatalf("%d skipped: %v", skipped, err)
		}
		return servers
	}
	addr := srv.Addr()
	has := func(want ...query.Versions) bool {
		servers := list()
		if len(servers) != 1 || servers[0].Info == nil || len(servers[0].Addrs) != len(want) {
			return false
		}
		for _, v := range want {
			if !slices.Contains(servers[0].Addrs, master.Addr{Peer: addr, Version: v}) {
				return false
			}
		}
		return true
	}

	testenv.Eventually(t, "the older version is registered", func() bool { return logged("[register/6/ipv4]: successfully registered") && has(query.Version6) })
	if got := list()[0].Info; got.Name != "yard" || got.Map != "teeyard1" || got.NumClients != 0 {
		t.Errorf("the list has %+v", got)
	}
	m.ForgetInfo()
	mu.Lock()
	for _, send := range held {
		send()
	}
	free = true
	mu.Unlock()
	testenv.Eventually(t, "0.7 is registered", func() bool { return logged("[register/7/ipv4]: successfully registered") && has(query.Version7) })
	for _, u := range []*mastertest.UDP{udp6, udp7} {
		testenv.Eventually(t, "the UDP master lists the server", func() bool {
			servers, _ := u.Servers()
			return slices.Equal(servers, []netip.AddrPort{addr.AddrPort})
		})
	}
	for _, at := range []transport.Peer{at6, at7} {
		testenv.Eventually(t, "that is logged", func() bool {
			return logged("[register]: chose '"+at.String()+"' as master, sending heartbeats") &&
				logged("[register]: successfully registered at '"+at.String()+"'")
		})
	}

	c, err := client.Dial(t.Context(), addr.String(), client.Config{Name: "visitor", NoMap: true, OnEvent: func(_ *client.Client, e event.Event) {
		if _, ok := e.(event.Disconnected); ok {
			close(left)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	testenv.Eventually(t, "the list has the player, and both addresses", func() bool {
		return has(query.Version6, query.Version7) && slices.ContainsFunc(list()[0].Info.Clients, func(c query.Client) bool { return c.Name == "visitor" })
	})

	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if servers := list(); len(servers) != 0 {
		t.Errorf("still on the list: %+v", servers)
	}
	count := map[string]int{}
	for _, r := range m.Log() {
		count[r.Status]++
		if !strings.HasSuffix(r.Address, ":"+strconv.Itoa(int(addr.Port()))) {
			t.Errorf("address %q", r.Address)
		}
	}
	if count["error"] != 0 || count["need_challenge"] == 0 || count["need_info"] == 0 || count["success"] == 0 || count["delete"] != 2 {
		t.Errorf("requests: %v", count)
	}
	if logged("ddtc_x") {
		t.Error("the token is in the log")
	}
}
