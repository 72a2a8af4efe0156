package bot_test

import (
	"testing"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/maps"
)

// terrain is the game layer of an embedded map.
func terrain(t testing.TB, name string) game.Terrain {
	t.Helper()
	file, ok := maps.Find(name)
	if !ok {
		t.Fatalf("no map %s", name)
	}
	m, err := twmap.Parse(file.File)
	if err != nil {
		t.Fatal(err)
	}
	g := m.Game()
	return game.Terrain{Width: g.Width, Height: g.Height, Tiles: g.Indices()}
}

func newNav(t testing.TB, tr game.Terrain) *bot.Nav {
	t.Helper()
	n, err := bot.NewNav(tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// match is a world full of bots, and what they did.
type match struct {
	world  *game.World
	brains []*bot.Brain
	cmds   []game.Command
	before []vec.Vec2 // places of the tees a while ago
	since  []int32

	kills, deaths []int // by player; deaths by others
	falls         int   // deaths to the world
	suicides      int
	pickups       int
	longest       int32 // ticks somebody stayed in one place
	visited       map[[2]int]bool
}

// still is how far a tee gets that stands still, in units.
const still = 64

func newMatch(t testing.TB, tr game.Terrain, nav *bot.Nav, seed uint64, skill ...int) *match {
	t.Helper()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots, rules.ScoreLimit = game.MaxPlayers, game.MaxPlayers, 0
	w, err := game.New(game.Config{Terrain: tr, Mode: dm.Mode{}, Rules: rules, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	n := len(skill)
	m := &match{
		world: w, before: make([]vec.Vec2, n), since: make([]int32, n),
		kills: make([]int, n), deaths: make([]int, n), visited: map[[2]int]bool{},
	}
	for i, s := range skill {
		b, err := bot.New(bot.Config{Nav: nav, Skill: s, Seed: seed*1000 + uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		m.brains = append(m.brains, b)
		id := game.PlayerID(i)
		m.cmds = append(m.cmds,
			game.Command{Kind: game.CmdJoin, Player: id, Origin: uint64(i)},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: "bot", Country: -1}},
			game.Command{Kind: game.CmdEnter, Player: id})
	}
	w.Step(m.cmds)
	return m
}

// think fills in the commands of the next tick.
func (m *match) think() {
	m.cmds = m.cmds[:0]
	for i, b := range m.brains {
		v := m.world.View(game.PlayerID(i))
		in := b.Think(&v)
		m.cmds = append(m.cmds,
			game.Command{Kind: game.CmdDirect, Player: game.PlayerID(i), Input: in},
			game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: in})
	}
}

// run plays some ticks.
func (m *match) run(ticks int) {
	for range ticks {
		m.think()
		m.count(m.world.Step(m.cmds))
	}
}

func (m *match) count(events []game.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case game.EvPickup:
			m.pickups++
		case game.EvKill:
			switch {
			case e.Weapon == game.WeaponWorld:
				m.falls++
			case e.Player == e.Target:
				m.suicides++
			case e.Player >= 0:
				m.kills[e.Player]++
				m.deaths[e.Target]++
			}
		}
	}
	f := m.world.Frame()
	present := [game.MaxPlayers]bool{}
	for i := range f.Characters {
		c := &f.Characters[i]
		present[c.Player] = true
		m.visited[[2]int{int(c.Pos.X) >> 8, int(c.Pos.Y) >> 8}] = true
		if vec.Distance(c.Pos, m.before[c.Player]) > still {
			m.before[c.Player], m.since[c.Player] = c.Pos, f.Tick
		}
		m.longest = max(m.longest, f.Tick-m.since[c.Player])
	}
	for i := range m.since {
		if !present[i] {
			m.since[i] = f.Tick
		}
	}
}

func sum(v []int) (n int) {
	for _, k := range v {
		n += k
	}
	return n
}

func TestScratch(t *testing.T) {
	tr := terrain(t, "teeyard1")
	nav := newNav(t, tr)
	t.Log("nodes", nav.Nodes(), "links", nav.Links())
	for seed := uint64(1); seed < 4; seed++ {
		m := newMatch(t, tr, nav, seed, 2, 2, 2, 2, 2, 2)
		m.run(50 * 180)
		t.Log("kills", sum(m.kills), "falls", m.falls, "suicides", m.suicides, "pickups", m.pickups, "longest", m.longest, "cells", len(m.visited))
	}
	for _, pair := range [][2]int{{3, 2}, {2, 1}, {3, 1}} {
		var a, b int
		for seed := uint64(1); seed < 5; seed++ {
			m := newMatch(t, tr, nav, seed, pair[0], pair[1])
			m.run(50 * 180)
			a += m.kills[0]
			b += m.kills[1]
		}
		t.Log(pair, a, b)
	}
}

func BenchmarkThink(b *testing.B) {
	tr := terrain(b, "teeyard1")
	nav := newNav(b, tr)
	m := newMatch(b, tr, nav, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	m.run(500)
	b.ReportAllocs()
	for b.Loop() {
		m.think()
		b.StopTimer()
		m.world.Step(m.cmds)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/think")
}

func BenchmarkNav(b *testing.B) {
	tr := terrain(b, "teeyard1")
	b.ReportAllocs()
	for b.Loop() {
		newNav(b, tr)
	}
}
