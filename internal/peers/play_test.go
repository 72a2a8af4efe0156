package peers_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	. "github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/maps"
)

// angle is the direction of a vector in radians.
func angle(dx, dy float64) float64 { return math.Atan2(dy, dx) }

// near tells whether two angles differ by at most d.
func near(a, b, d float64) bool { return math.Abs(math.Remainder(a-b, 2*math.Pi)) <= d }

// track is a way from a spawn point past weapons to deadly spikes, under a
// ceiling within reach of the hook.
var track = []string{
	"##############################################",
	"##############################################",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#............................................#",
	"#......S..............s.......g..............#",
	"###################################xxxxxxx####",
	"##############################################",
	"##############################################",
	"##############################################",
	"##############################################",
}

// A person with the real client plays on our server, and the server sees it.
func TestTeeworldsPlays(t *testing.T) {
	file := drawMap(t, track...)
	h := startHost(t, "track", file, nil, "sv_spamprotection 0; sv_inactivekick_time 0; sv_scorelimit 0")
	s := h.join(NewDisplay(t), "yardy")

	// The map was downloaded.
	name := fmt.Sprintf("track_%x.map", sha256.Sum256(file))
	got, err := findFile(s.Home, name)
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("downloaded map %s: %v, %d bytes of %d", name, err, len(got), len(file))
	}

	s.aim(1, 0)
	start := s.char().Pos
	s.holding("d", "walk right", func() bool { return s.char().Pos.X > start.X+60 && s.char().Direction == 1 })
	turn := s.char().Pos
	s.holding("a", "walk left", func() bool { return s.char().Pos.X < turn.X-20 && s.char().Direction == -1 })
	s.shows("walked", "the game", playing)

	ground := s.char().Pos.Y
	jumped := s.core(coreJump)
	s.try("jump", func() { s.Tap("space") }, func() bool { return jumped() && s.char().Pos.Y < ground-40 })

	s.aim(0, -1)
	attached := s.core(coreHookGround)
	s.holding("mouse3", "hang on the ceiling", func() bool {
		if !attached() || s.char().Pos.Y > 3*32 {
			return false
		}
		s.shows("hooked", "the game", playing)
		return true
	})

	s.aim(1, -0.3)
	flying := false
	fired := s.event(func(ev game.Event) bool { return ev.Kind == game.EvSound && ev.Sound == game.SoundGunFire })
	s.try("shoot the gun", func() { s.Click("1", 60*time.Millisecond) }, func() bool {
		flying = flying || h.flying(game.WeaponGun) > 0
		return flying && fired()
	})

	said := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvChat && ev.Player == s.id && ev.Chat == game.ChatAll && ev.Text == "hello yard"
	})
	s.try("say hello", func() {
		s.Tap("t")
		time.Sleep(200 * time.Millisecond)
		s.Type("hello yard")
		s.Tap("Return")
	}, said)

	took := func(kind game.PickupKind) func() bool {
		return s.event(func(ev game.Event) bool {
			return ev.Kind == game.EvPickup && ev.Player == s.id && ev.Pickup == kind
		})
	}
	s.holding("d", "pick up the shotgun", took(game.PickupShotgun))
	s.try("change to the shotgun", func() { s.Tap("3") }, func() bool { return s.char().Weapon == game.WeaponShotgun })
	s.try("shoot the shotgun", func() { s.Click("1", 60*time.Millisecond) }, func() bool {
		return h.flying(game.WeaponShotgun) >= 3 && s.char().Ammo < 10
	})

	emoted := s.event(func(ev game.Event) bool { return ev.Kind == game.EvEmoticon && ev.Player == s.id && ev.Value == 2 })
	s.try("show an emoticon", func() { s.Tap("h") }, emoted)
	s.shows("emoticon", "the game", playing)

	s.holding("Tab", "look at the scoreboard", func() bool {
		if h.has(s.id, game.PlayerFlagScoreboard) {
			s.shows("scoreboard", "the scoreboard", func(img *image.NRGBA) bool {
				return Share(img, board, is(skyColor)) < 0.1
			})
			return true
		}
		return false
	})

	// Death by spikes, on the way past the grenade launcher.
	died := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvKill && ev.Target == s.id && ev.Weapon == game.WeaponWorld
	})
	launcher := took(game.PickupGrenade)
	spawned := s.event(func(ev game.Event) bool { return ev.Kind == game.EvSpawn && ev.Player == s.id })
	s.holding("d", "fall on the spikes", died)
	if !launcher() {
		t.Error("walked through the grenade launcher without taking it")
	}
	s.Shot("spikes")
	s.try("respawn", func() { s.Click("1", 60*time.Millisecond) }, func() bool { return spawned() && s.char().Health == 10 })
	s.shows("respawned", "the game", playing)
	if c := s.char(); c.Weapon != game.WeaponGun || c.Pos.X > 12*32 {
		t.Errorf("respawned at %v with weapon %d", c.Pos, c.Weapon)
	}

	killed := s.event(func(ev game.Event) bool {
		return ev.Kind == game.EvKill && ev.Player == s.id && ev.Target == s.id && ev.Weapon == game.WeaponSelf
	})
	spawned = s.event(func(ev game.Event) bool { return ev.Kind == game.EvSpawn && ev.Player == s.id })
	s.try("kill himself", func() { s.Tap("k") }, killed)
	s.try("respawn again", func() { s.Click("1", 60*time.Millisecond) }, spawned)
	if p, _ := h.player(s.id); p.Score >= 0 {
		t.Errorf("score %d after two deaths by own fault", p.Score)
	}

	team := func(want game.Team) func() bool {
		return func() bool { p, ok := h.player(s.id); return ok && p.Team == want }
	}
	s.try("watch", func() { s.Tap("o") }, team(game.TeamSpectators))
	if _, alive := h.character(s.id); alive {
		t.Error("a spectator has a tee")
	}
	s.shows("spectator", "the game without a HUD", func(img *image.NRGBA) bool {
		return Share(img, Hearts, Red) == 0 && Share(img, image.Rectangle{}, is(rockColor)) > 0.1
	})
	s.try("play again", func() { s.Tap("p") }, func() bool { _, alive := h.character(s.id); return alive && team(game.TeamRed)() })

	gone := s.event(func(ev game.Event) bool { return ev.Kind == game.EvPlayerLeft && ev.Player == s.id })
	s.Stop()
	Eventually(t, 5*time.Second, "the client said goodbye", gone)
}

// board is a part of the screen that is sky on the track's left end unless the
// scoreboard is shown.
var board = image.Rect(320, 110, 700, 160)

// flying counts the shots of a weapon on their way.
func (r *recorder) flying(w game.Weapon) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, p := range r.frame.Projectiles {
		if p.Weapon == w {
			n++
		}
	}
	return n
}

// findFile reads the file of a name, upper or lower case, anywhere in a folder.
func findFile(dir, name string) ([]byte, error) {
	var found string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.EqualFold(d.Name(), name) {
			found = path
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == "" {
		return nil, os.ErrNotExist
	}
	return os.ReadFile(found)
}

// A real client downloads our map once and has it from then on.
func TestTeeworldsKeepsMap(t *testing.T) {
	h := startHost(t, "teeyard1", nil, nil)
	d, home := NewDisplay(t), t.TempDir()
	for i, want := range []bool{true, false} {
		name := fmt.Sprintf("visit%d", i)
		s := h.joinAt(home, d, name)
		if got := strings.Contains(s.Output(), "starting to download map"); got != want {
			t.Errorf("visit %d: downloads the map: %v", i, got)
		}
		s.shows(name, "the game", func(img *image.NRGBA) bool { return Share(img, Hearts, Red) > 0.2 })
		s.Stop()
		Eventually(t, 5*time.Second, "the client left", func() bool { return h.id(name) == game.Nobody })
	}
	file := maps.Default().Data
	got, err := findFile(home, fmt.Sprintf("teeyard1_%x.map", sha256.Sum256(file)))
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("the downloaded map: %v, %d bytes of %d", err, len(got), len(file))
	}
}
