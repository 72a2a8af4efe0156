package peers_test

import (
	"fmt"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	. "github.com/teeyard/teeyard/internal/peers"
)

// pit is a flat place with two spawn points in sight of each other.
var pit = []string{
	"########################",
	"########################",
	"#......................#",
	"#......................#",
	"#......................#",
	"#......................#",
	"#......................#",
	"#.......S.....S........#",
	"########################",
	"########################",
	"########################",
}

// Two people with real clients fight until one dies.
func TestTwoTeeworldsFight(t *testing.T) {
	h := startHost(t, "pit", drawMap(t, pit...), nil, "sv_inactivekick_time 0; sv_scorelimit 0")
	screens := []*Display{NewDisplay(t), NewDisplay(t)}
	var clients []*Client
	for i, d := range screens {
		clients = append(clients, d.StartTeeworlds(h.addr, fmt.Sprintf("tee%d", i), "player_color_body 1", "player_use_custom_color_body 1"))
	}
	var tees []*seat
	for i, c := range clients {
		tees = append(tees, h.await(c, fmt.Sprintf("tee%d", i)))
	}
	a, b := tees[0], tees[1]
	Eventually(t, 10*time.Second, "the match goes on with two", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.frame.Game.State == 0
	})

	mark := h.now()
	kill := func() (game.Event, bool) {
		return h.since(mark, func(ev game.Event) bool {
			return ev.Kind == game.EvKill && ev.Player >= 0 && ev.Player != ev.Target && ev.Weapon == game.WeaponGun
		})
	}
	towards := func(me, other *seat) {
		m, ok1 := h.character(me.id)
		o, ok2 := h.character(other.id)
		if ok1 && ok2 {
			me.aim(float64(o.Pos.X-m.Pos.X)/200, float64(o.Pos.Y-m.Pos.Y)/200)
		}
	}
	var wg sync.WaitGroup
	for i := range tees {
		towards(tees[i], tees[1-i])
	}
	// One has the first three hits, so that seldom both die at once; a shot that
	// is under way outlives who fired it.
	for range 3 {
		hit := a.event(func(ev game.Event) bool { return ev.Kind == game.EvDamage && ev.Player == b.id && ev.Target == a.id })
		a.try("hit the other", func() { a.Click("1", 60*time.Millisecond) }, hit)
	}
	end := time.Now().Add(30 * time.Second)
	for _, s := range tees {
		wg.Go(func() {
			for time.Now().Before(end) {
				if _, dead := kill(); dead {
					return
				}
				s.Click("1", 60*time.Millisecond)
			}
		})
	}
	wg.Wait()
	ev, ok := kill()
	if !ok {
		t.Fatal("nobody died")
	}
	winner, loser := a, b
	if ev.Player == b.id {
		winner, loser = b, a
	}
	if ev.Player != winner.id || ev.Target != loser.id {
		t.Errorf("%d killed %d, the players are %d and %d", ev.Player, ev.Target, a.id, b.id)
	}
	if _, hurt := h.since(mark, func(ev game.Event) bool {
		return ev.Kind == game.EvDamage && ev.Player == loser.id && ev.Target == winner.id && ev.Value > 0
	}); !hurt {
		t.Error("nobody was hurt before the end")
	}
	for _, s := range tees {
		kills := h.count(mark, func(ev game.Event) bool { return ev.Kind == game.EvKill && ev.Player == s.id && ev.Target != s.id })
		Eventually(t, time.Second, fmt.Sprintf("%s has %d points", s.name, kills), func() bool {
			p, _ := h.player(s.id)
			return int(p.Score) == kills
		})
	}
	for _, s := range tees {
		s.shows(s.name+"-killfeed", "the kill message", func(img *image.NRGBA) bool {
			return Share(img, killFeed, is(skyColor)) < 0.97 && Share(img, image.Rectangle{}, is(rockColor)) > 0.1
		})
	}
	Eventually(t, 10*time.Second, "the loser is back", func() bool { _, alive := h.character(loser.id); return alive })
}

// killFeed is where clients show who killed whom; above the map, it is sky.
var killFeed = image.Rect(700, 8, 1020, 44)
