package server

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
)

func TestJoin(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 1)
	p := a.join(1, "alice")
	a.until(2*time.Second, "playing", func() bool { return p.State() == client.Playing })
	if p.ID() != 0 || p.infos[0] != "alice" {
		t.Errorf("id %d, infos %v", p.ID(), p.infos)
	}
	q := a.join(2, "bob")
	a.until(2*time.Second, "playing", func() bool { return q.State() == client.Playing })
	a.run(3 * time.Second)
	if p.infos[1] != "bob" || q.infos[0] != "alice" {
		t.Errorf("alice knows %v, bob %v", p.infos, q.infos)
	}
	s := p.Stats()
	if s.CRCFailures+s.BadDelta+s.BadMessage+s.NoBase != 0 || s.Snapshots < 70 {
		t.Errorf("stats %+v", s)
	}
	q.Close(a.now())
	a.run(time.Second)
	if len(p.drops) != 1 {
		t.Errorf("alice saw drops %q", p.drops)
	}
	if d := a.srv.Drops(); len(d) > 0 {
		t.Errorf("drops %v", d)
	}
}
