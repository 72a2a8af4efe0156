package fill_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/fill"
)

// server is a server with a world and seats, and without a network.
type server struct {
	*fill.Bots
	world   *game.World
	terrain *game.Terrain
	rules   game.Rules
	console *console.Console
	seats   fill.Seats
	watched bool
	queue   []game.Command
	now     conn.Time
	left    []game.PlayerID // bots that have left
	began   int             // how often bots came to a world without bots
}

func newServer(t *testing.T, cfg game.Config, lines ...string) *server {
	t.Helper()
	if cfg.Terrain.Width == 0 {
		cfg.Terrain = modtest.ParseMap(nil, "####################", "#..................#", "#..S............S..#", "####################")
	}
	cfg.Rules = modtest.Rules()
	s := &server{terrain: &cfg.Terrain, rules: cfg.Rules, world: modtest.New(t, cfg).Game, now: conn.Time(time.Hour)}
	s.rules.MaxClients, s.rules.PlayerSlots = 64, 64
	s.console = testenv.Must(console.New(console.Config{Output: func(console.Caller, int, string, string) {}}))
	s.Bots = fill.New(fill.Config{Host: s, Seed: 1})
	testenv.NoError(t, s.Register(s.console))
	s.run(lines...)
	t.Cleanup(s.Close)
	return s
}

// run runs console lines.
func (s *server) run(lines ...string) {
	for _, line := range lines {
		s.console.Execute(line, console.Operator)
	}
}

// step runs ticks.
func (s *server) step(ticks int) {
	for range ticks {
		s.now = s.now.Add(time.Second / game.TickRate)
		if s.Advance(s.now, s.world.Tick()+1, true) {
			s.began++
		}
		s.world.Step(s.queue)
		s.queue, s.seats.Leaving = nil, game.PlayerMask{}
	}
}

// explore waits in real time until bots can play.
func (s *server) explore(t *testing.T) {
	t.Helper()
	testenv.Eventually(t, "the map is explored", s.Explored)
}

// join adds a client that plays or only watches.
func (s *server) join(id game.PlayerID, team game.Team) {
	s.RemoveExcess()
	s.enter(id)
	s.seats.Clients.Add(id)
	s.seats.InGame.Add(id)
	if team == game.TeamSpectators {
		s.seats.Spectators.Add(id)
	}
}

// enter lets a player enter the world.
func (s *server) enter(id game.PlayerID) {
	for _, cmd := range []game.Command{{Kind: game.CmdJoin}, {Kind: game.CmdProfile, Profile: &game.Profile{Name: "player"}}, {Kind: game.CmdEnterGame}} {
		cmd.Player, cmd.Target = id, game.Nobody
		s.Queue(cmd)
	}
}

func (s *server) Match() fill.Match {
	return fill.Match{World: s.world, Terrain: s.terrain, Rules: &s.rules}
}

func (s *server) Seats() fill.Seats { return s.seats }

func (s *server) IsWatched() bool { return s.watched }

func (s *server) Queue(cmd game.Command) { s.queue = append(s.queue, cmd) }

func (s *server) Leave(id game.PlayerID, reason string) {
	s.left = append(s.left, id)
	s.seats.Leaving.Add(id)
	s.Queue(game.Command{Kind: game.CmdLeave, Player: id, Target: game.Nobody, Text: reason})
}

func (s *server) FreeName(_ game.PlayerID, name string) string { return name }

func (s *server) Print(int, string, string) {}

func (s *server) Wake() {}
