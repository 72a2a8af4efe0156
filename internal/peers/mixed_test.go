package peers_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	. "github.com/teeyard/teeyard/internal/peers"
)

// meadow is an even field with a shotgun, spikes at the right end, and a ceiling
// within reach of the hook.
var meadow = []string{
	"##############################################",
	"##############################################",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#......S..............s......................#",
	"###################################xxxxxxx####",
	"##############################################",
	"##############################################",
	"##############################################",
	"##############################################",
}

// A person with DDNet's client plays on our server, beside one with the original
// client: each sees the other, hears the other, and can be shot by the other.
func TestDDNetPlays(t *testing.T) {
	file := drawMap(t, meadow...)
	h := startHost(t, "meadow", file, nil, "sv_spamprotection 0; sv_inactivekick_time 0; sv_scorelimit 0",
		`add_vote "say it" "say it was said"`)
	s := h.await(NewDisplay(t).StartDDNet(h.addr, "dora", `bind j "callvote option \"say it\" why not"`), "dora")
	s.shows("joined", "the game", playing)

	s.aim(1, 0)
	start := s.char().Pos
	s.holding("d", "walk right", func() bool { return s.char().Pos.X > start.X+60 && s.char().Direction == 1 })
	s.holding("a", "walk left", func() bool { return s.char().Direction == -1 })
	ground := s.char().Pos.Y
	jumped := s.core(coreJump)
	s.try("jump", func() { s.Tap("space") }, func() bool { return jumped() && s.char().Pos.Y < ground-40 })
	s.aim(0, -1)
	attached := s.core(coreHookGround)
	s.holding("mouse3", "hang on the ceiling", func() bool { return attached() && s.char().Pos.Y <= 3*32 })
	s.aim(1, -0.3)
	fired := s.event(func(ev game.Event) bool { return ev.Kind == game.EvSound && ev.Sound == game.SoundGunFire })
	s.try("shoot the gun", func() { s.Click("1", 60*time.Millisecond) }, fired)

	v := h.join(NewDisplay(t), "vera")
	said := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvChat && ev.Player == s.id && ev.Chat == game.ChatAll && ev.Text == "hello vera"
	})
	s.try("say hello", func() { s.Tap("t"); time.Sleep(200 * time.Millisecond); s.Type("hello vera"); s.Tap("Return") }, said)
	answered := v.event(func(ev game.Event) bool {
		return ev.Kind == game.EvChat && ev.Player == v.id && ev.Chat == game.ChatAll && ev.Text == "hello dora"
	})
	v.try("answer", func() { v.Tap("t"); time.Sleep(200 * time.Millisecond); v.Type("hello dora"); v.Tap("Return") }, answered)
	emoted := s.event(func(ev game.Event) bool { return ev.Kind == game.EvEmoticon && ev.Player == s.id && ev.Value == 2 })
	s.try("show an emoticon", func() { s.Tap("h") }, emoted)
	time.Sleep(300 * time.Millisecond)
	s.shows("together", "the game", playing)
	v.shows("together-seen-by-vera", "the game", playing)
	// A vote. Both sit at one address, so one voice decides it.
	decided := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvChat && ev.Player == game.Nobody && ev.Text == "it was said"
	})
	s.try("call a vote", func() { s.Tap("j") }, decided)
	time.Sleep(500 * time.Millisecond)
	s.Shot("vote")
	v.Shot("vote-seen-by-vera")

	s.Do("keydown", "Tab")
	time.Sleep(700 * time.Millisecond)
	s.Shot("scoreboard")
	s.Do("keyup", "Tab")

	took := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvPickup && ev.Player == s.id && ev.Pickup == game.PickupShotgun
	})
	s.holding("d", "pick up the shotgun", took)
	died := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvKill && ev.Target == s.id && ev.Weapon == game.WeaponWorld
	})
	s.holding("d", "fall on the spikes", died)
	spawned := s.event(func(ev game.Event) bool { return ev.Kind == game.EvSpawn && ev.Player == s.id })
	s.try("respawn", func() { s.Click("1", 60*time.Millisecond) }, func() bool { return spawned() && s.char().Health == 10 })

	team := func(want game.Team) func() bool {
		return func() bool { p, ok := h.player(s.id); return ok && p.Team == want }
	}
	s.try("watch", func() { s.Tap("o") }, team(game.TeamSpectators))
	s.shows("spectator", "the game without a HUD", func(img *image.NRGBA) bool { return Share(img, Hearts, Red) == 0 })
	s.try("play again", func() { s.Tap("p") }, func() bool { _, alive := h.character(s.id); return alive && team(game.TeamRed)() })

	gone := s.event(func(ev game.Event) bool { return ev.Kind == game.EvPlayerLeft && ev.Player == s.id })
	s.Stop()
	Eventually(t, 5*time.Second, "the client said goodbye", gone)
	v.Shot("after-dora-left")
	// It logs everything as information; what it misses of web servers and on its
	// disk is not our doing.
	complaint := regexp.MustCompile(`(?i)warning|error|fail|invalid|malformed|unknown|wrong`)
	others := regexp.MustCompile(` I (http|serverbrowse_http|storage|console|chatresp): |reason='unknown'`)
	for line := range strings.Lines(s.Output()) {
		if complaint.MatchString(line) && !others.MatchString(line) {
			t.Errorf("DDNet complains: %s", line)
		}
	}
}

// DDNet's client reads maps of 0.7, which it cannot, because it gets them in a form
// that it can.
func TestDDNetOnMapOf07(t *testing.T) {
	Need(t, "teeworlds", "DDNet")
	file, err := os.ReadFile("/usr/share/games/teeworlds/data/maps/dm1.map")
	if err != nil {
		t.Fatal(err)
	}
	h := startHost(t, "dm1", file, nil, "sv_bots 3")
	s := h.await(NewDisplay(t).StartDDNet(h.addr, "dora"), "dora")
	s.shows("dm1", "the game", func(img *image.NRGBA) bool { return Share(img, Hearts, Red) > 0.1 })
	time.Sleep(2 * time.Second)
	s.Shot("dm1-later")
	v := h.join(NewDisplay(t), "vera")
	v.shows("dm1-vera", "the game", func(img *image.NRGBA) bool { return Share(img, Hearts, Red) > 0.1 })
	if !s.Running() {
		t.Errorf("DDNet's client ended:\n%s", s.Output())
	}
}

// DDNet's client gets the map from the web where there is a server for it, and knows
// it by its hash.
func TestDDNetFetchesMapFromWeb(t *testing.T) {
	Need(t, "DDNet")
	file := drawMap(t, meadow...)
	name := fmt.Sprintf("meadow_%x.map", sha256.Sum256(file))
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/maps/"+name {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		w.Write(file)
	}))
	defer web.Close()
	h := startHost(t, "meadow", file, nil, "sv_maps_base_url "+web.URL+"/maps")
	s := h.await(NewDisplay(t).StartDDNet(h.addr, "dora", "http_allow_insecure 1"), "dora")
	s.shows("joined", "the game", playing)
	if n := asked.Load(); n != 1 {
		t.Errorf("the web server was asked %d times", n)
	}
	if got, err := findFile(s.Home, name); err != nil || !bytes.Equal(got, file) {
		t.Errorf("downloaded map %s: %v, %d bytes of %d", name, err, len(got), len(file))
	}
}
