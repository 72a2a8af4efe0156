package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// TestQueryScripts runs query and browse against a test server and test masters.
func TestQueryScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/query", Setup: func(env *testscript.Env) error {
		if err := freePorts(env); err != nil {
			return err
		}
		port, err := strconv.ParseUint(env.Getenv("PORT"), 10, 16)
		if err != nil {
			return err
		}
		server := transport.UDPPeer(netip.MustParseAddr("127.0.0.1"), uint16(port))
		web := httptest.NewServer(webMaster(server.AddrPort))
		env.Defer(web.Close)
		env.Setenv("WEB", web.URL)
		if err := startRegisterMaster(env); err != nil {
			return err
		}
		for name, version7 := range map[string]bool{"MASTER6": false, "MASTER7": true} {
			if err := startUDPMaster(env, name, version7, server.AddrPort); err != nil {
				return err
			}
		}
		return nil
	}})
}

// webMaster is an HTTP master with full information about one server and none about another.
func webMaster(server netip.AddrPort) http.Handler {
	known := query.AppendJSON(nil, &query.Info{
		Name: "far away", GameType: "CTF", Map: "ctf5", Version: "0.6.5", MaxClients: 16, MaxPlayers: 16,
		Clients: []query.Client{{Name: "one", Country: -1}, {Name: "two", Country: -1}},
	})
	list, err := json.Marshal(map[string]any{"servers": []any{
		map[string]any{"addresses": []string{"tw-0.6+udp://192.0.2.1:8303"}, "location": "eu", "info": json.RawMessage(known)},
		map[string]any{"addresses": []string{"tw-0.7+udp://" + server.String()}, "info": 5},
		map[string]any{"addresses": "nonsense"},
	}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err != nil || r.URL.Path != "/servers.json" {
			http.NotFound(w, r)
			return
		}
		w.Write(list)
	})
}

// startRegisterMaster runs an HTTP master that accepts registrations. It serves its list once the
// list is not empty.
func startRegisterMaster(env *testscript.Env) error {
	probe, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		return err
	}
	m := &mastertest.HTTP{}
	var mu sync.Mutex
	m.Challenge = func(to transport.Peer, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		probe.Send(to, b)
		probe.Flush()
	}
	listed := func() bool {
		return slices.ContainsFunc(m.Log(), func(r mastertest.Request) bool { return r.Status == "success" })
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for end := time.Now().Add(20 * time.Second); r.Method == http.MethodGet && !listed() && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		m.ServeHTTP(w, r)
	}))
	env.Defer(func() {
		web.Close()
		probe.Close()
	})
	env.Setenv("MASTER", web.URL+"/ddnet/15")
	return nil
}

// startUDPMaster runs a UDP master that lists a server and an address without a server.
func startUDPMaster(env *testscript.Env, name string, version7 bool, server netip.AddrPort) error {
	m, addr, closeMaster, err := mastertest.ListenUDP(version7)
	if err != nil {
		return err
	}
	env.Defer(closeMaster)
	env.Setenv(name, addr.String())
	m.Add(server)
	nobody, err := strconv.ParseUint(env.Getenv("NOBODY"), 10, 16)
	if err != nil {
		return err
	}
	m.Add(netip.AddrPortFrom(server.Addr(), uint16(nobody)))
	return nil
}

func TestAnswersAs(t *testing.T) {
	var r query.Result
	for want, forms := range map[string][]query.Format{
		"":                                       nil,
		"0.7":                                    {query.Format7},
		"0.6 (plain)":                            {query.FormatPlain6},
		"0.6 (plain, extended, 64 players), 0.7": {query.FormatPlain6, query.FormatExtended6, query.FormatLegacy64, query.Format7},
	} {
		clear(r.Formats[:])
		for _, f := range forms {
			r.Formats[f] = true
		}
		if got := answersAs(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPrintClients(t *testing.T) {
	i := query.Info{TimeScore: true, Clients: []query.Client{
		{
			Name:      "watcher",
			Score:     5,
			Spectator: true,
			Country:   -1,
		}, {Name: "new", Score: query.NoTime, Country: 276}, {Name: "slow", Score: 125, Bot: true, Country: -1}, {Name: "fast", Score: 59, Country: -1,
			AFK: true},
	}}
	var b strings.Builder
	printClients(&b, &i)
	var got []string
	for l := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(l), " "))
	}
	want := []string{"time name clan country", "0:59 fast away", "2:05 slow bot", "- new 276", "0:05 watcher watches"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	i.TimeScore = false
	b.Reset()
	printClients(&b, &i)
	if fields := strings.Fields(b.String()); fields[4] != "125" || fields[5] != "slow" {
		t.Errorf("%q", b.String())
	}
}
