// Package ddracerecord makes random players play on DDNet-Server. The server records their inputs
// and positions (format/teehistorian). The package also generates the maps.
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

// Config describes a recording.
type Config struct {
	// Map is the map's name and File its content. File is nil for a map that is installed with
	// DDNet.
	Map  string
	File []byte
	Tees int
	// Seed determines the actions of the players.
	Seed uint64
	// Time is how long the players play.
	Time time.Duration
	// Settings are console commands for the server.
	Settings string
	// Rcon are console commands. Each player runs the next one every second. Commands such as
	// "weapons" need "sv_test_cmds 1" in Settings.
	Rcon []string
	// Versions are used by the players in turn. Without any, all use client.Version06.
	Versions []client.Version
	// Chat, if not nil, returns the chat commands that player i sends after joining.
	Chat func(i int) []string
	// Says are chat commands. Each player sends the next one every second.
	Says []string
	// Kill makes the players kill themselves now and then.
	Kill bool
	// Rejoin makes all players but the first leave after half of the time and join again.
	Rejoin bool
}

const rconPassword = "adminpw"

// Record makes a recording and returns it.
func Record(t testing.TB, cfg Config) []byte {
	t.Helper()
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	if cfg.File != nil {
		peers.WriteFile(t, filepath.Join(data, "maps", cfg.Map+".map"), cfg.File)
	}
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // replaces Debian's
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
	lines := []string{"sv_test_cmds 0; sv_tee_historian 1; sv_kill_protection 0; sv_team_change_delay 0", "sv_rcon_password " + rconPassword,
		fmt.Sprintf("sv_map %q", cfg.Map)}
	if cfg.Settings != "" { // an empty command would hide the commands after it
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
		unknown := strings.Contains(line, "No such command") && !strings.Contains(line, "limit.") // 16.4 alone does not know them
		if unknown || strings.Contains(line, "failed to load map") {
			t.Error(line)
		}
	}
	return b
}

// leave makes the players leave. It fails the test if one of them has left before.
func leave(t testing.TB, players *load.Swarm) {
	t.Helper()
	for i, st := range players.Stats() {
		if st.Err != nil {
			t.Errorf("player %d: %v", i, st.Err)
		}
	}
	players.Stop()
}

// player generates the inputs of one player. Consecutive inputs always differ, because recordings
// leave out repeated inputs.
type player struct {
	cfg    *Config
	i      int
	rand   *rand.Rand
	in     game.Input
	inputs int
	next   [4]int // ticks of the next change of direction, jump, hook, fire and weapon
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
			p.next[2] += 200 // longer than the time that a hook holds another tee
		}
		p.in.TargetX, p.in.TargetY = int32(r.IntN(600)-300), int32(r.IntN(600)-400)
	}
	if due(3, 3, 20) {
		p.in.Fire = (p.in.Fire + 1) & 63
		switch r.IntN(16) {
		case 0, 1:
			p.in.WantedWeapon = int32(r.IntN(7))
		case 2:
			p.in.WantedWeapon = 0 // next and previous weapon count only without a wanted weapon
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
