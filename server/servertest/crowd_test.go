package servertest_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// crowdKind is a kind of clients, with the number of ids that it knows.
type crowdKind struct {
	version client.Version
	ddnet   int32
	ids     int
}

// TestCrowd checks that clients of all versions see a game of 128 players: themselves and the
// nearest others, under ids that they know, with the right names.
func TestCrowd(t *testing.T) {
	logs := new(servertest.Folder)
	s := servertest.New(t, server.Config{Replays: logs},
		"sv_map teeyard1; sv_max_clients 128; sv_player_slots 128; sv_scorelimit 0; sv_replay 1")
	kinds := []crowdKind{{client.Version07, 0, 64}, {client.Version06, -1, 16}, {client.Version06, 16040, 64}, {client.Version06, 19000, 128}}
	var players []*servertest.Player
	join := func() {
		for _, k := range kinds {
			players = append(players, s.JoinAs(client.Config{Name: fmt.Sprint("p", len(players)), Version: k.version, DDNetVersion: k.ddnet}))
		}
	}
	join() // with the lowest ids
	s.Console("dbg_dummies 120")
	s.Step(10)
	join() // with the highest
	for i, p := range players {
		p.SetInput(game.Input{Direction: int32(i%3) - 1, Jump: i%2 == 0, Fire: int32(i % 2), TargetX: 100, TargetY: int32(i) - 4})
	}
	for range 20 {
		s.Step(10)
		before := teesByName(s)
		s.Step(15)
		for i, p := range players {
			checkCrowd(t, s, p, kinds[i%len(kinds)], before)
		}
	}
	players[7].Say("hello from 7")
	players[0].Say("hello from 0")
	players[6].Kill()
	s.Step(25)
	for i, p := range players {
		for _, from := range []int{0, 7} {
			heard := slices.ContainsFunc(p.Events, func(e event.Event) bool {
				c, ok := e.(event.Chat)
				return ok && strings.HasSuffix(c.Text, fmt.Sprint("hello from ", from)) &&
					(c.From.Name == fmt.Sprint("p", from) || strings.HasPrefix(c.Text, fmt.Sprintf("p%d: ", from)))
			})
			testenv.Check(t, heard, "p%d did not hear p%d", i, from)
		}
		for _, e := range p.Events {
			if k, ok := e.(event.Kill); ok {
				testenv.Check(t, isName(k.Victim.Name) && isName(k.Killer.Name), "p%d: %+v", i, k)
			}
		}
	}
	seen := 0
	for _, e := range players[6].Events {
		if k, ok := e.(event.Kill); ok && k.Victim.Name == "p6" {
			seen++
		}
	}
	testenv.Check(t, seen > 0, "p6 did not see its own death")

	s.Console("sv_replay 0") // ends the log
	s.Step(2)
	names := testenv.Must(logs.Names())
	testenv.Require(t, len(names) == 1, "logs %v", names)
	testenv.Eventually(t, "the log does not verify", func() bool { // once it is written
		r, err := replay.NewReader(bytes.NewReader(logs.Content(names[0])))
		if err != nil {
			return false
		}
		res, err := replay.Verify(r, replay.VerifyConfig{Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true }})
		return err == nil && res.Ticks > 500
	})
}

// isName reports whether a name belongs to a player or bot.
func isName(name string) bool {
	return strings.HasPrefix(name, "p") || strings.HasPrefix(name, "dummy")
}

// teesByName returns the positions of all tees.
func teesByName(s *servertest.Server) map[string]vec.Vec2 {
	tees, world := map[string]vec.Vec2{}, s.World().Frame()
	for i := range world.Characters {
		info, _ := s.World().Player(world.Characters[i].Player)
		tees[info.Profile.Name] = world.Characters[i].Pos
	}
	return tees
}

func squareDistance(a, b vec.Vec2) float32 {
	x, y := a.X-b.X, a.Y-b.Y
	return x*x + y*y
}

// checkCrowd checks the view of a client. Before has the tees of a moment ago.
func checkCrowd(t *testing.T, s *servertest.Server, p *servertest.Player, k crowdKind, before map[string]vec.Vec2) {
	t.Helper()
	tees := teesByName(s)
	own, _ := p.PlayerInfo(p.Self())
	name := own.Profile.Name
	known := map[string]bool{}
	var shown game.Frame
	p.WithView(func(v *game.View) {
		shown.Players, shown.Characters = slices.Clone(v.Players), slices.Clone(v.Characters)
	})
	for i := range shown.Players {
		id := shown.Players[i].ID
		info, ok := p.PlayerInfo(id)
		if !ok || int(id) >= k.ids || !isName(info.Profile.Name) || known[info.Profile.Name] {
			t.Errorf("%+v: %s: player %d is %q", k, name, id, info.Profile.Name)
		}
		known[info.Profile.Name] = true
	}
	want := k.ids - 1
	if k.ids == game.MaxPlayers {
		want = len(s.World().Frame().Players)
	}
	testenv.Check(t, len(known) == want, "%+v: %s knows %d players, want %d", k, name, len(known), want)
	for i := range shown.Characters {
		c := &shown.Characters[i]
		info, _ := p.PlayerInfo(c.Player)
		pos, ok := tees[info.Profile.Name]
		if now, was := squareDistance(c.Pos, pos), squareDistance(c.Pos, before[info.Profile.Name]); ok && min(now, was) > 600*600 {
			t.Errorf("%+v: %s sees %q at %v, not at %v", k, name, info.Profile.Name, c.Pos, pos)
		}
	}
	if _, alive := tees[name]; !alive {
		return
	}
	type neighbour struct {
		name     string
		distance float32
	}
	var near []neighbour
	for other, pos := range tees {
		near = append(near, neighbour{other, squareDistance(pos, tees[name])})
	}
	slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.distance, b.distance) })
	for _, n := range near[:min(len(near), k.ids/3)] {
		was, alive := before[n.name]
		stays := alive && squareDistance(was, tees[n.name]) < 200*200 // it did not appear a moment ago
		testenv.Check(t, known[n.name] || !stays, "%+v: %s does not know %s nearby", k, name, n.name)
	}
}
