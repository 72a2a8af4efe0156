package server

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// TestStatus fills in the state of a server in use, without allocating.
func TestStatus(t *testing.T) {
	var status Status
	var last *Tick
	ts := newTestServerWith(t, Config{Observers: []Observer{ObserverFunc(func(tick *Tick) { last = tick; tick.Status(&status) })}},
		"sv_player_slots 16; sv_name x; drain")
	ts.srv.Execute("drain off") // it ran when the world was there
	ts.join(ip(1), "a")
	b := ts.join(ip(2), "b")
	ts.joinAs(client06DDNet, ip(3), "c")
	ts.feed(ip(4), []byte("nonsense"))
	b.Close("")
	ts.step(3)
	count := func(of []Count, name string) uint64 {
		for _, c := range of {
			if c.Name == name {
				return c.N
			}
		}
		t.Errorf("there is no %s in %v", name, of)
		return 0
	}
	if i := &status.Info; i.Name != "x" || i.NumClients != 2 || status.Bots != 0 || status.Draining {
		t.Errorf("%+v", status)
	}
	if c, j := status.Connected, status.Joined; count(c, "0.7") != 1 || count(c, "0.6") != 1 || count(j, "0.7") != 2 || count(j, "0.6") != 1 {
		t.Errorf("connected %v, joined %v", c, j)
	}
	if n := count(status.Drops, "info"); n != 1 || len(status.Drops) != int(numDrops) {
		t.Errorf("drops %v", status.Drops)
	}
	ticks := uint64(0)
	for _, n := range status.TickTimes.Counts {
		ticks += n
	}
	if want := uint64(ts.srv.clock.tick); ticks != want-1 { // this one is not over
		t.Errorf("%d ticks, %d are over", ticks, want-1)
	}
	testenv.RequireExactAllocs(t)
	if n := testing.AllocsPerRun(10, func() { last.Status(&status) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	new(Tick).Status(&status) // of no server
}

// TestTickTimes puts ticks into their buckets.
func TestTickTimes(t *testing.T) {
	var h TickTimes
	h.add(1, 0)
	h.add(1, 100*time.Microsecond)
	h.add(25, 25*101*time.Microsecond)
	h.add(2, 5*time.Second)
	if h.Counts[0] != 2 || h.Counts[1] != 25 || h.Counts[len(h.Counts)-1] != 2 || h.Sum != 5*time.Second+25*101*time.Microsecond+100*time.Microsecond ||
		h.Last != 5*time.Second/2 {
		t.Errorf("%+v", h)
	}
	if b := TickTimeBounds(); len(b)+1 != len(h.Counts) {
		t.Errorf("%d bounds", len(b))
	}
}

// slowTransport is a transport whose clock goes on while it sends.
type slowTransport struct {
	*testServer
	took time.Duration
}

func (s *slowTransport) Flush() error {
	s.now = s.now.Add(s.took)
	return nil
}

var _ transport.Conn = (*slowTransport)(nil)

// TestTickTimeIsMeasured checks that a tick counts with sending, by the clock and by the processor
// time of its thread.
func TestTickTimeIsMeasured(t *testing.T) {
	spent := time.Duration(0)
	ts := newTestServerWith(t, Config{ThreadTime: func() time.Duration {
		spent += time.Millisecond
		return spent
	}})
	ts.srv.transport = &slowTransport{ts, 3 * time.Millisecond}
	ts.step(4)
	if h := ts.srv.tickTimes.clock; h.Sum != 12*time.Millisecond {
		t.Errorf("%+v", h)
	}
	if h := ts.srv.tickTimes.cpu; h.Sum != 4*time.Millisecond || h.Counts[4] != 0 || h.Counts[3] != 4 {
		t.Errorf("%+v", h)
	}
}

// TestObserversGetLinesOfBroadcasts checks that observers get the lines of a broadcast, and of
// other texts one line.
func TestObserversGetLinesOfBroadcasts(t *testing.T) {
	var texts []string
	ts := newTestServerWith(t, Config{Observers: []Observer{ObserverFunc(func(tick *Tick) {
		for _, e := range tick.Events {
			switch e := e.(type) {
			case event.Broadcast:
				texts = append(texts, "broadcast "+e.Text)
			case event.Chat:
				texts = append(texts, "chat "+e.Text)
			}
		}
	})}})
	ts.idle(5, ts.join(ip(1), "dora"))
	texts = nil
	for _, kind := range []game.CommandKind{game.CmdBroadcast, game.CmdSay} {
		ts.srv.queueCommand(game.Command{Kind: kind, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: "one\ntwo"})
	}
	ts.step(2)
	testenv.Check(t, slices.Equal(texts, []string{"broadcast one\ntwo", "chat one two"}), "observers get %q", texts)
}
