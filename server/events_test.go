package server

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// What tools read of players, in the order and words of 0.7.5: a match begins when
// the second of them is on his way, who dies of leaving his side died on it, and where
// he went comes after that.
func TestConsoleOnPlayers(t *testing.T) {
	var log strings.Builder
	a := newArenaWith(t, netsim.Link{}, 1, func(cfg *Config) { cfg.Log = slog.New(rawLog{&log}) }, "sv_spamprotection 0")
	p := a.join(1, "ann")
	a.until(5*time.Second, "playing", func() bool { return p.State() == client.Playing })
	log.Reset()
	q := a.join(2, "ben")
	a.until(5*time.Second, "playing", func() bool { return q.State() == client.Playing })
	a.run(5 * time.Second)
	q.Send(a.now(), &msg7.ClSetTeam{Team: -1})
	a.run(time.Second)
	a.srv.Execute("set_team 1 0")
	a.run(5 * time.Second)
	q.Close(a.now())
	a.run(time.Second)
	var got []string
	for l := range strings.Lines(log.String()) {
		if !strings.HasPrefix(l, "[replay]") {
			got = append(got, strings.TrimSpace(l))
		}
	}
	want := []string{
		"[server]: player is ready. ClientID=1 addr=10.0.1.2:50000",
		"[game]: start match type='DM' teamplay='0'",
		"[server]: player has entered the game. ClientID=1 addr=10.0.1.2:50000",
		"[game]: team_join player='1:ben' team=0",
		"[game]: kill killer='1:0:ben' victim='1:0:ben' weapon=-3 special=0",
		"[game]: team_join player='1:ben' team=0->-1",
		"[server]: moved client 1 to team 0",
		"[game]: team_join player='1:ben' team=-1->0",
		"[server]: client dropped. cid=1 addr=10.0.1.2:50000 reason=''",
		"[game]: kill killer='1:0:ben' victim='1:0:ben' weapon=-3 special=0",
		"[game]: leave player='1:ben'",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the console says\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Tuning that the mode does not keep is not believed changed either.
func TestPureTuning(t *testing.T) {
	a := newArena(t, netsim.Link{}, 1)
	o := a.operator(1, "boss")
	o.login(a, "adminpw")
	if out := o.rcon(a, "tune gravity 0.4"); !strings.Contains(out, "gravity changed to 0.40") || !strings.Contains(out, "resetting tuning due to pure server") {
		t.Errorf("tune printed %q", out)
	}
	if out := o.rcon(a, "tune gravity"); !strings.HasSuffix(out, "gravity 0.50") {
		t.Errorf("then %q", out)
	}
	if slices.Contains(o.tuning[:], 40) {
		t.Errorf("players are told of %v", o.tuning)
	}
}
