package load_test

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// serve runs a server until the test ends.
func serve(t *testing.T) transport.Peer {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("clients need addresses of 127.0.0.0/8, which only Linux has without set-up")
	}
	s, err := server.New(server.Config{Commands: []string{"bindaddr 127.0.0.1; sv_port 0; sv_register 0; sv_max_clients 64; sv_player_slots 64; sv_rcon_password x"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), s.Addr().Port())
}

func TestSwarm(t *testing.T) {
	for _, v := range [][2]client.Version{{client.Version07}, {client.Version06}, {client.Version07, client.Version06}} {
		t.Run(string(v[0]+v[1]), func(t *testing.T) { swarm(t, v[0], v[1]) })
	}
}

func swarm(t *testing.T, first, second client.Version) {
	s, err := load.Start(load.Config{Server: serve(t), Clients: 4, Seed: 1, Version: first, Second: second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if err := s.Join(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	s.Mark()
	time.Sleep(300 * time.Millisecond)
	all := s.Stats()
	for i, st := range all {
		if st.Snapshots == 0 || st.Bytes == 0 || st.Join == 0 || st.CRCFailures != 0 || st.BadMessage != 0 || st.Err != nil {
			t.Errorf("client %d: %+v", i, st)
		}
	}
	if total := load.Total(all); total.Snapshots < 4*all[0].Snapshots/2 {
		t.Errorf("total %+v of %+v", total, all)
	}
}

func TestSwarmNobodyThere(t *testing.T) {
	s, err := load.Start(load.Config{Server: netip.MustParseAddrPort("127.0.0.1:9"), Clients: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if err := s.Join(50 * time.Millisecond); !errors.Is(err, load.ErrJoin) {
		t.Fatalf("joined nobody: %v", err)
	}
}

func TestFetchAskChurn(t *testing.T) {
	addr := serve(t)
	if size, span, err := load.FetchMap(addr, 10*time.Second); err != nil || size == 0 || span <= 0 {
		t.Errorf("map: %d bytes in %v, %v", size, span, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	got, err := load.Churn(ctx, load.ChurnConfig{Server: addr, Rate: 100, AtOnce: 8, Until: client.Entering})
	if err != nil || got.Left == 0 || got.Begun != got.Left+got.Refused+got.Lost {
		t.Errorf("churn: %+v, %v", got, err)
	}
}

func TestAskInfo(t *testing.T) {
	if n, err := load.AskInfo(serve(t), 50*time.Millisecond); err != nil || n == 0 {
		t.Errorf("%d answers, %v", n, err)
	}
}
