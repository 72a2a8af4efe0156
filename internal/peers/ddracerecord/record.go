// Package ddracerecord has players do random things on DDNet-Server, which records their
// inputs and positions (format/teehistorian), and makes maps for that.
package ddracerecord

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
)

// Config says what to record.
type Config struct {
	// Map is the map's name, and File its content; nil for one that is installed with DDNet.
	Map  string
	File []byte
	Tees int
	// Seed is for what the players do.
	Seed uint64
	// Time is how long they play.
	Time time.Duration
	// Settings are console commands for the server.
	Settings string
	// Rcon are commands of which each player runs the next one every second, such as "weapons",
	// which needs "sv_test_cmds 1" in Settings.
	Rcon []string
	// Versions are spoken in turn; none is client.Version06.
	Versions []client.Version
	// Chat are commands for the chat that player i runs after having joined, if it has any.
	Chat func(i int) []string
	// Says are commands for the chat of which each player runs the next one every second.
	Says []string
	// Kill has the players kill themselves now and then.
	Kill bool
	// Rejoin has all but the first leave after half of the time, and join again.
	Rejoin bool
}

const rconPassword = "adminpw"

// Record returns the recording.
func Record(t testing.TB, cfg Config) []byte {
	t.Helper()
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	if cfg.File != nil {
		peers.WriteFile(t, filepath.Join(data, "maps", cfg.Map+".map"), cfg.File)
	}
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // instead of Debian's
	if len(cfg.Versions) == 0 {
		cfg.Versions = []client.Version{client.Version06}
	}
	if slices.Contains(cfg.Versions, client.Version07) {
		installed, err := os.ReadFile(filepath.Join(peers.OriginalMaps, cfg.Map+".map"))
		if err != nil {
			t.Fatal(err)
		}
		peers.WriteFile(t, filepath.Join(data, "maps7", cfg.Map+".map"), installed)
	}
	lines := []string{"sv_test_cmds 0; sv_tee_historian 1; sv_kill_protection 0; sv_team_change_delay 0", "sv_rcon_password " + rconPassword, fmt.Sprintf("sv_map %q", cfg.Map)}
	if cfg.Settings != "" { // an empty command would hide those after it
		lines = append(lines, cfg.Settings)
	}
	s := peers.StartDDNetIn(t, home, strings.Join(lines, "; "))
	join := func(first, tees int) *load.Swarm {
		return peers.Join(t, s, load.Config{Clients: tees, Versions: cfg.Versions, Configure: func(i int, c *client.Config) {
			i += first
			c.Name = fmt.Sprintf("bot %d", i)
			c.LocalAddr = fmt.Sprintf("127.0.3.%d", 1+i)
			c.Play = newPlayer(&cfg, i).play
			if len(cfg.Rcon) > 0 {
				c.RconPassword = rconPassword
			}
		}})
	}
	if cfg.Rejoin {
		first := join(0, 1)
		others := join(1, cfg.Tees-1)
		time.Sleep(cfg.Time / 2)
		others.Stop()
		others = join(1, cfg.Tees-1)
		time.Sleep(cfg.Time / 2)
		leave(t, first)
		leave(t, others)
	} else {
		all := join(0, cfg.Tees)
		time.Sleep(cfg.Time)
		leave(t, all)
	}
	s.Stop()
	names, err := filepath.Glob(filepath.Join(data, "teehistorian", "*.teehistorian"))
	if err != nil || len(names) != 1 {
		t.Fatalf("recordings: %q, %v\n%s", names, err, s.Output())
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if r, err := teehistorian.NewReader(bytes.NewReader(b)); err != nil || r.Header().MapName != cfg.Map {
		t.Fatalf("not recorded on %q: %v", cfg.Map, err)
	}
	for line := range strings.Lines(s.Output()) {
		unknown := strings.Contains(line, "No such command") && !strings.Contains(line, "limit.") // of the original alone
		if unknown || strings.Contains(line, "failed to load map") {
			t.Error(line)
		}
	}
	return b
}

// leave lets players leave, who must have played up to now.
func leave(t testing.TB, players *load.Swarm) {
	t.Helper()
	for i, st := range players.Stats() {
		if st.Err != nil {
			t.Errorf("player %d: %v", i, st.Err)
		}
	}
	players.Stop()
}

// player makes the inputs of a player. Each differs from the one before, since recordings lack
// inputs that do not.
type player struct {
	cfg    *Config
	i      int
	rand   *rand.Rand
	in     game.Input
	inputs int
	next   [4]int // when to change: direction, jump, hook, fire and weapon
}

func newPlayer(cfg *Config, i int) *player {
	p := &player{cfg: cfg, i: i, rand: rand.New(rand.NewPCG(cfg.Seed, uint64(i)))}
	p.in.TargetX = 100
	return p
}

func (p *player) play(c *client.Client, _ *game.View) game.Input {
	r := p.rand
	before := p.in
	due := func(k, least, more int) bool {
		if p.inputs < p.next[k] {
			return false
		}
		p.next[k] = p.inputs + least + r.IntN(more)
		return true
	}
	if due(0, 5, 60) {
		p.in.Direction = int32(r.IntN(2)*2 - 1)
		if r.IntN(8) == 0 {
			p.in.Direction = 0
		}
	}
	if due(1, 2, 25) {
		p.in.Jump = !p.in.Jump
	}
	if due(2, 5, 40) {
		if p.in.Hook = !p.in.Hook; p.in.Hook && r.IntN(4) == 0 {
			p.next[2] += 200 // as long as hooks hold others, and longer
		}
		p.in.TargetX, p.in.TargetY = int32(r.IntN(600)-300), int32(r.IntN(600)-400)
	}
	if due(3, 3, 20) {
		p.in.Fire = (p.in.Fire + 1) & 63
		switch r.IntN(16) {
		case 0, 1:
			p.in.WantedWeapon = int32(r.IntN(7))
		case 2:
			p.in.WantedWeapon = 0 // the others count only then
			p.in.NextWeapon = (p.in.NextWeapon + 1 + int32(r.IntN(3))) & 63
		case 3:
			p.in.WantedWeapon = 0
			p.in.PrevWeapon = (p.in.PrevWeapon + 1 + int32(r.IntN(3))) & 63
		}
	}
	if p.in.TargetX++; p.in.TargetX == before.TargetX || p.in.TargetX == 0 {
		p.in.TargetX++
	}
	p.inputs++
	switch n := p.inputs - 20 - 7*p.i; {
	case n == 0 && p.cfg.Chat != nil:
		for _, line := range p.cfg.Chat(p.i) {
			c.Say(line)
		}
	case len(p.cfg.Rcon) > 0 && n >= 50 && n%50 == 0:
		c.Rcon(p.cfg.Rcon[n/50%len(p.cfg.Rcon)])
	case len(p.cfg.Says) > 0 && n >= 25 && n%50 == 25:
		c.Say(p.cfg.Says[(n/50+p.i)%len(p.cfg.Says)])
	case p.cfg.Kill && n > 0 && n%600 == 0:
		c.Kill()
	}
	return p.in
}
