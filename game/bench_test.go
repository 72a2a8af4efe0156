package game_test

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// botMatch returns a world in which bots have been playing for a minute, on the arena with
// flags on two spawn points and a course between them.
func botMatch(t testing.TB, mode game.Mode, players int) (*world, *bots.Bots) {
	terrain := bots.Arena()
	flag := uint8(195)
	for i, tile := range terrain.Tiles {
		if tile == 192 && flag <= 196 {
			terrain.Tiles[i] = flag
			flag++
		}
	}
	if _, ok := mode.(*race.Mode); ok {
		mode = new(race.Mode) // each serves one world
		for i, tile := range terrain.Tiles {
			if tile == 0 {
				terrain.Tiles[i] = []uint8{33, 35, 36, 37, 38, 39, 40}[i%7] // no finish, which is kept for good
			}
		}
	}
	w := newWorld(t, game.Config{Mode: mode, Terrain: terrain, Rules: bots.Rules()})
	b := &bots.Bots{Rand: 1}
	for id := range game.PlayerID(players) {
		w.Step(bots.Join(id))
	}
	for range 3000 {
		w.Step(b.Commands(players))
		w.Frame()
	}
	return w, b
}

var benchMatches = []struct {
	mode    game.Mode
	players int
}{{dm.Mode{}, 2}, {dm.Mode{}, 16}, {dm.Mode{}, 64}, {tdm.Mode{}, 64}, {ctf.Mode{}, 64}, {lms.Mode{}, 64}, {lts.Mode{}, 64}, {new(race.Mode), 64}}

func TestSteadyTickAllocatesNothing(t *testing.T) {
	testenv.Long(t)
	testenv.RequireExactAllocs(t)
	for _, match := range benchMatches {
		w, b := botMatch(t, match.mode, match.players)
		n := testing.AllocsPerRun(200, func() {
			w.Step(b.Commands(match.players))
			w.Frame()
			w.View(3)
			w.Hash()
		})
		if n != 0 {
			t.Errorf("%s with %d players: %v allocations per tick", match.mode.Name(), match.players, n)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, match := range benchMatches {
		b.Run(fmt.Sprintf("mode=%s/players=%d", match.mode.Name(), match.players), func(b *testing.B) {
			w, bots := botMatch(b, match.mode, match.players)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				w.Step(bots.Commands(match.players))
			}
		})
	}
}

// BenchmarkEntities runs ticks with 16 players and entities of a mod that move and are drawn.
func BenchmarkEntities(b *testing.B) {
	for _, n := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			m := &things{entity: func(_ *game.Ctx, e *game.Entity) { e.Vel.X = float32(e.Data[0]&64)/32 - 1 }}
			m.start = func(setup *game.Setup) {
				for i := range n {
					setup.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: float32(100 + i), Y: 40}})
				}
			}
			w := newWorld(b, game.Config{Mods: []game.Mod{m}, Rules: bots.Rules()})
			players := &bots.Bots{Rand: 1}
			for id := range game.PlayerID(16) {
				w.Step(bots.Join(id))
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Step(players.Commands(16))
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	for _, mode := range []game.Mode{dm.Mode{}, new(race.Mode)} {
		b.Run("mode="+mode.Name(), func(b *testing.B) {
			w, _ := botMatch(b, mode, 16)
			b.ReportAllocs()
			for range b.N {
				w.Hash()
			}
		})
	}
}
