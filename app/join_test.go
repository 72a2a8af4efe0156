package app

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// freePorts gives a script a UDP port for its server, as $PORT, and an unused one, as $NOBODY.
func freePorts(env *testscript.Env) error {
	for _, name := range []string{"PORT", "NOBODY", "SPARE"} {
		port, err := peers.FreePort()
		if err != nil {
			return err
		}
		env.Setenv(name, strconv.Itoa(port))
	}
	env.Setenv("HIDDEN", "\u202e\u200f\u2066") // must not reach a terminal
	return nil
}

// eventRecorder is a printer that passes events on.
type eventRecorder struct {
	printer
	events chan event.Event
}

func (r eventRecorder) printEvent(e event.Event) { r.events <- e }

func (r eventRecorder) printPresent([]client.ScoreboardRow, game.PlayerID) {}

// runJoin runs a join command. It returns the printed events, the command's input and its result.
func runJoin(ctx context.Context, c joinCmd) (<-chan event.Event, *io.PipeWriter, <-chan error) {
	in, typed := io.Pipe()
	out := eventRecorder{events: make(chan event.Event, 1024)}
	joined := make(chan error, 1)
	go func() { joined <- c.runSession(ctx, in, out, nil) }()
	return out.events, typed, joined
}

// startServer runs a server until the test ends. The context ends after a minute.
func startServer(t *testing.T, commands ...string) (*servertest.Server, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return servertest.Start(t, server.Config{}, append([]string{"sv_map testbox"}, commands...)...), ctx
}

// relay passes datagrams between a client and a server. While deaf is set, it drops the client's.
func relay(t *testing.T, to transport.Peer, deaf *atomic.Bool) transport.Peer {
	t.Helper()
	sock, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sock.Close() })
	go func() {
		var client netip.AddrPort
		b := make([]byte, transport.MaxDatagram)
		for {
			n, from, err := sock.ReadFromUDPAddrPort(b)
			switch {
			case err != nil:
				return
			case from == to.AddrPort:
				sock.WriteToUDPAddrPort(b[:n], client)
			case !deaf.Load():
				client = from
				sock.WriteToUDPAddrPort(b[:n], to.AddrPort)
			}
		}
	}()
	return transport.Peer{AddrPort: sock.LocalAddr().(*net.UDPAddr).AddrPort()}
}

// TestPipeOverBadNetwork checks that a line from a pipe arrives even if the network fails when the
// pipe ends.
func TestPipeOverBadNetwork(t *testing.T) {
	t.Parallel()
	s, ctx := startServer(t)
	var deaf atomic.Bool
	events, typed, joined := runJoin(ctx, joinCmd{Host: relay(t, s.Addr(), &deaf).String(), Name: "piper", Protocol: "any", Cache: "-"})
	for {
		select {
		case e := <-events:
			switch e := e.(type) {
			case event.Entered:
				deaf.Store(true)
				io.WriteString(typed, "not lost\n")
				typed.Close()
				time.AfterFunc(replyWait*3/2, func() { deaf.Store(false) })
			case event.Chat:
				if e.Text == "not lost" {
					if err := <-joined; err != nil {
						t.Error(err)
					}
					return
				}
			}
		case err := <-joined:
			t.Fatalf("it ended without the line: %v", err)
		case <-ctx.Done():
			t.Fatal("the line did not come")
		}
	}
}

// TestWatchesAgain checks that a spectator is a spectator again after a reconnect.
func TestWatchesAgain(t *testing.T) {
	t.Parallel()
	s, ctx := startServer(t)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events, typed, joined := runJoin(ctx, joinCmd{Host: s.Addr().String(), Name: "observer", Protocol: "any", Again: 100 * time.Millisecond, Cache: "-"})
	defer typed.Close()
	watching, kicked := 0, false
	for watching < 2 {
		select {
		case e := <-events:
			switch e := e.(type) {
			case event.TeamChange:
				if e.Player.Name == "observer" && e.Player.Team == game.TeamSpectators {
					watching++
					s.Console("kick 0 out")
				}
			case event.Disconnected:
				kicked = e.Again != 0
			}
		case err := <-joined:
			t.Fatalf("it ended, having watched %d times: %v", watching, err)
		case <-ctx.Done():
			t.Fatalf("watched %d times, kicked: %v", watching, kicked)
		}
	}
	if !kicked {
		t.Error("it was not kicked")
	}
	leave() // otherwise it connects again until the context ends
	<-joined
}
