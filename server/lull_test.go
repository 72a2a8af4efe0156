package server

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/transport"
)

// A server without clients wakes up twice a second, and its clock loses nothing by
// it; with a client it does every tick.
func TestLull(t *testing.T) {
	r := &rig{now: int64(time.Second), byPeer: map[transport.Peer]*player{}}
	srv, err := New(Config{Transport: rigConn{r}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	start := conn.Time(r.now)
	for i := range 10 {
		before := conn.Time(r.now)
		r.now = int64(srv.Advance(before))
		if i > 0 && conn.Time(r.now).Sub(before) != 500*time.Millisecond {
			t.Fatalf("wants to be called after %v", conn.Time(r.now).Sub(before))
		}
	}
	srv.Advance(conn.Time(r.now))
	if want := int32(conn.Time(r.now).Sub(start) / tickDuration); srv.clock.tick != want {
		t.Errorf("tick %d, want %d", srv.clock.tick, want)
	}

	a := newArena(t, netsim.Link{}, 1)
	p := a.join(1, "one")
	a.until(5*time.Second, "in the game", func() bool { return p.State() == client.Playing })
	if next := a.srv.Advance(a.now()); next.Sub(a.now()) > tickDuration {
		t.Errorf("with a client it wants to be called after %v", next.Sub(a.now()))
	}
}
