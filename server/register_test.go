package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
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
			return logged("[register]: chose '"+at.String()+"' as master, sending heartbeats") && logged("[register]: successfully registered at '"+at.String()+"'")
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

func TestServerRegistersNowhereByDefault(t *testing.T) {
	ts := newTestServer(t, nil)
	defer ts.srv.Shutdown(ts.now, "")
	ts.srv.Execute("sv_register_url http://127.0.0.1:1/; sv_register_udp 127.0.0.1; sv_external_port 5")
	ts.step(200)
	if ts.srv.registration.activeRegistration != nil || ts.sentPackets != 0 {
		t.Errorf("%d packets", ts.sentPackets)
	}
}

// TestRegistrationFollowsItsSettings changes the settings of a registered server.
func TestRegistrationFollowsItsSettings(t *testing.T) {
	before := runtime.NumGoroutine()
	ts := newTestServer(t, nil)
	var masters [2]*mastertest.UDP
	at := [2]transport.Peer{transport.MustParsePeer("127.0.0.1:8300"), transport.MustParsePeer("127.0.0.2:8300")}
	type datagram struct {
		from, to transport.Peer
		b        []byte
	}
	var flying []datagram
	for i := range masters {
		send := func(to transport.Peer, b []byte) { flying = append(flying, datagram{at[i], to, bytes.Clone(b)}) }
		masters[i] = &mastertest.UDP{Send: send, Probe: send}
	}
	server := ts.LocalAddr()
	ts.send = func(to transport.Peer, b []byte) { flying = append(flying, datagram{server, to, bytes.Clone(b)}) }
	probed := map[transport.Peer]bool{}
	run := func() {
		ts.step(5)
		for len(flying) > 0 {
			d := flying[0]
			flying = flying[1:]
			switch i := slices.Index(at[:], d.to); {
			case i >= 0:
				masters[i].Feed(int64(ts.now), d.from, d.b)
			case d.to.Addr() == server.Addr():
				probed[d.to] = true
				ts.feed(d.from, d.b)
			}
		}
		time.Sleep(time.Millisecond) // names are resolved beside the game
	}
	beats := func(i int) int { _, n := masters[i].Servers(); return n }
	until := func(what string, ok func() bool) {
		t.Helper()
		for range 5000 {
			if run(); ok() {
				return
			}
		}
		t.Fatalf("still not: %s\n%s", what, ts.log.String())
	}

	ts.srv.Execute("sv_register_udp 127.0.0.1; sv_register tw0.6")
	until("the first master lists it", func() bool {
		return beats(0) > 0 && strings.Contains(ts.log.String(), "successfully registered at '127.0.0.1'")
	})
	if ts.srv.registration.registrar.NumRegistered() != 1 || !probed[server] {
		t.Errorf("on %d lists; %v was probed", ts.srv.registration.registrar.NumRegistered(), probed)
	}
	ts.srv.Execute("sv_register_port 4000")
	until("the other port is told", func() bool { return probed[withPort(server, 4000)] })
	ts.srv.Execute("sv_register_udp 127.0.0.2; sv_external_port 0")
	until("the other master hears of it", func() bool { return beats(1) > 0 })
	ts.srv.Execute("sv_register 0")
	until("the end", func() bool { return ts.srv.registration.activeRegistration == nil })
	sent := ts.sentPackets
	for range 100 {
		run()
	}
	if ts.sentPackets != sent {
		t.Errorf("%d packets after the end", ts.sentPackets-sent)
	}

	for line, want := range map[string]string{
		"sv_register 8":                                    `protocol "8"`,
		"sv_register 1; sv_register_udp ftp://a":           `"ftp://a" is not the address of a UDP master`,
		"sv_register 1; sv_register_url b":                 `"b" is not the URL`,
		"sv_register ipv6; sv_register_url http://[::1]:1": "cannot be reached by tw0.6/ipv6,tw0.7/ipv6",
		"sv_register 1; sv_external_port 70000":            "70000 is not a port",
		"sv_register 1; sv_register_extra secret":          "sv_register_extra must be",
		"sv_register 1":                                    "are both empty",
	} {
		ts.log.Reset()
		ts.srv.Execute(`sv_register_udp ""; sv_register_url ""; sv_register_extra ""; sv_external_port 0; ` + line)
		ts.step(1)
		if !strings.Contains(ts.log.String(), "[register]: the server is not announced: ") || !strings.Contains(ts.log.String(), want) || ts.srv.registration.activeRegistration != nil {
			t.Errorf("%s: %q", line, ts.log.String())
		}
	}
	ts.srv.Shutdown(ts.now, "")
	testenv.Eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

// TestRegistrationIgnoresStrangers checks that it neither takes the datagrams of
// strangers nor allocates for them.
func TestRegistrationIgnoresStrangers(t *testing.T) {
	ts := newTestServer(t, nil, "sv_register_url http://127.0.0.1:1/; sv_register_udp 127.0.0.1; sv_register 1")
	defer ts.srv.Shutdown(ts.now, "")
	ts.step(3)
	from := ip(1)
	token := ts.srv.tokens.Token(ts.now, from.Addr())
	for name, b := range map[string][]byte{
		"0.6":         query.AppendRequest(nil, query.Request{}),
		"0.6 probe":   []byte(query.Header6 + "\xff\xff\xff\xfffw??"),
		"challenge":   []byte(query.Header6 + "\xff\xff\xff\xffchalwho:tw0.6/ipv4\x00x\x00"),
		"0.7":         packet.AppendConnless(nil, token, 1, []byte("\xff\xff\xff\xffgie3\x01")),
		"0.7 probe":   packet.AppendConnless(nil, token, 1, []byte("\xff\xff\xff\xfffw??")),
		"0.7 control": packet.AppendTokenReply(nil, token, 5),
		"nonsense":    {1, 2, 3},
	} {
		n := 1.0
		for try := 0; n != 0 && try < 5; try++ { // others allocate, too
			n = testing.AllocsPerRun(100, func() {
				if ts.srv.registration.handle(ts.now, from, b) {
					t.Fatal("taken")
				}
			})
		}
		if n != 0 && !testenv.Race {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if ts.srv.registration.activeRegistration == nil {
		t.Error("nothing is announced")
	}
}
