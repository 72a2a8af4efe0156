package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
)

// TestBadNetwork checks that over a network that loses, duplicates and reorders every line
// of chat arrives once and in order, snapshots are understood and inputs come in time.
func TestBadNetwork(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05, Duplicate: 0.05})
	early, late := 0, 0
	var players []*player
	for i := range 4 {
		players = append(players, tn.join(client.Config{
			Name: fmt.Sprint("player ", i), Version: []client.Version{client.Version07, client.Version06}[i%2],
			Play: func(_ *client.Client, v *game.View) game.Input {
				return game.Input{Direction: v.Tick/40%3 - 1, Jump: v.Tick%50 < 3, Fire: v.Tick / 10 & 63, TargetX: v.Tick%100 - 50, TargetY: -20}
			},
			OnInputTiming: func(_, left int32) {
				if left < 0 {
					late++
				} else {
					early++
				}
			},
		}))
	}
	for n := range 30 {
		players[0].Say(fmt.Sprint("line ", n))
		tn.run(600 * time.Millisecond)
	}
	tn.run(2 * time.Second)
	for i, s := range players {
		n := 0
		for _, e := range s.events {
			if chat, ok := e.(event.Chat); ok && chat.From.Name == "player 0" {
				if want := fmt.Sprint("line ", n); chat.Text != want {
					t.Fatalf("player %d heard %q instead of %q", i, chat.Text, want)
				}
				n++
			}
		}
		st := s.Stats()
		if n != 30 || st.CRCFailures+st.BadDelta+st.BadMessage != 0 || st.Snapshots < 300 {
			t.Errorf("player %d heard %d lines: %+v", i, n, st)
		}
	}
	t.Logf("%d inputs in time, %d late; player 0: %+v", early, late, players[0].Stats())
	if early == 0 || late*4 > early {
		t.Errorf("%d inputs were late, %d in time", late, early)
	}
}
