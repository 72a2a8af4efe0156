package load_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// serve runs a server until the test ends.
func serve(t *testing.T) transport.Peer {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("clients need addresses of 127.0.0.0/8, and only Linux has all of them without configuration")
	}
	return servertest.Start(t, server.Config{}, "sv_max_clients_per_ip 4").Addr()
}

func TestSwarm(t *testing.T) {
	for _, versions := range [][]client.Version{nil, {client.Version06}, {client.Version07, client.Version06}} {
		t.Run(fmt.Sprint(versions), func(t *testing.T) { testSwarm(t, versions) })
	}
}

func testSwarm(t *testing.T, versions []client.Version) {
	s := load.Start(t.Context(), load.Config{Servers: []transport.Peer{serve(t)}, Clients: 4, Seed: 1, Versions: versions})
	defer s.Stop()
	if err := s.WaitJoined(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	s.ResetStats()
	var all []load.Stats
	quiet := func(st load.Stats) bool { return st.Snapshots == 0 && st.Err == nil }
	for end := time.Now().Add(10 * time.Second); ; {
		time.Sleep(300 * time.Millisecond)
		if all = s.Stats(); !slices.ContainsFunc(all, quiet) || time.Now().After(end) {
			break
		}
	}
	for i, st := range all {
		if st.Snapshots == 0 || st.Bytes == 0 || st.FirstSnapshot == 0 || st.Joined < st.FirstSnapshot || st.CRCFailures != 0 || st.BadMessage != 0 ||
			st.Err != nil {
			t.Errorf("client %d: %+v", i, st)
		}
	}
	s.Stop()
	for i, st := range s.Stats() {
		if st.Playing <= 0 || st.Version != client.Version07 && len(versions) == 0 || len(st.InputsEarly) == 0 || st.Err != nil {
			t.Errorf("client %d at the end: %+v", i, st)
		}
	}
	if total := load.Total(all); total.Snapshots < 4*all[0].Snapshots/2 {
		t.Errorf("total %+v of %+v", total, all)
	}
}

func TestSwarmNobodyThere(t *testing.T) {
	s := load.Start(t.Context(), load.Config{Servers: []transport.Peer{transport.MustParsePeer("127.0.0.1:9")}, Clients: 2, Interval: time.Hour})
	defer s.Stop()
	if err := s.WaitJoined(50 * time.Millisecond); !errors.Is(err, load.ErrJoin) {
		t.Fatalf("joined a server that does not exist: %v", err)
	}
}

func TestFetchAskChurn(t *testing.T) {
	addr := serve(t)
	if size, span, err := load.FetchMap(addr, 10*time.Second); err != nil || size == 0 || span <= 0 {
		t.Errorf("map: %d bytes in %v, %v", size, span, err)
	}
	// A busy machine gets more time.
	for span := 200 * time.Millisecond; ; span *= 4 {
		ctx, cancel := context.WithTimeout(context.Background(), span)
		got, err := load.Churn(ctx, load.ChurnConfig{Server: addr, Rate: 100, Concurrent: 8, Until: client.Entering})
		cancel()
		if err != nil || got.Started != got.Left+got.Refused+got.Lost {
			t.Fatalf("churn: %+v, %v", got, err)
		}
		if got.Left > 0 {
			break
		}
		if span > 10*time.Second {
			t.Fatalf("nobody joined and left: %+v", got)
		}
	}
}

func TestAskInfo(t *testing.T) {
	addr := serve(t)
	for span := 50 * time.Millisecond; ; span *= 4 {
		n, err := load.QueryInfo(addr, span)
		if err != nil || n == 0 && span > 10*time.Second {
			t.Fatalf("%d answers, %v", n, err)
		}
		if n > 0 {
			break
		}
	}
}
