package game_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tileLog is a mod that notes the tiles of each tick.
type tileLog struct {
	tiles []uint8
	kill  uint8 // on this tile
}

func (*tileLog) Start(*game.Setup) {}
func (m *tileLog) OnTile(ctx *game.Ctx, id game.PlayerID, tile uint8) {
	m.tiles = append(m.tiles, tile)
	if tile == m.kill {
		ctx.Player(id).Kill(game.WeaponWorld)
	}
}

// TestTileHook checks that no tile is left out by a fast tee, that the tile where it stands
// counts in every tick, and that dead ones touch nothing.
func TestTileHook(t *testing.T) {
	terrain := bots.ParseMap(
		"########################",
		"#S                     #",
		"########################",
	)
	row := terrain.Tiles[terrain.Width:]
	for x := 2; x < 23; x++ {
		row[x] = uint8(100 + x)
	}
	m := &tileLog{}
	w := newWorld(t, game.Config{Terrain: terrain, Mods: []game.Mod{m}})
	w.enter(0)
	m.tiles = nil
	w.steps(3)
	testenv.Check(t, slices.Equal(m.tiles, []uint8{192, 192, 192}), "standing on a spawn: %v", m.tiles)
	m.tiles = nil
	// Five tiles in a tick.
	tune := w.Tuning()
	for name, v := range map[string]int32{"ground_control_speed": 160, "ground_control_accel": 160, "velramp_start": 100_000} {
		tune[physics.TuneParamIndex(name)] = v * 100
	}
	w.do(game.Command{Kind: game.CmdTuneParams, Tuning: &tune})
	m.tiles = nil
	w.hold(0, game.Input{Direction: 1, TargetX: 1}, 1)
	testenv.Check(t, len(m.tiles) > 3, "a fast tee touched %v", m.tiles)
	for i, tile := range m.tiles {
		want := uint8(101 + i)
		if i == 0 {
			want = 192
		}
		testenv.Check(t, tile == want, "tiles %v", m.tiles)
	}
	w.hold(0, game.Input{Direction: 1, TargetX: 1}, 20)
	m.tiles, m.kill = nil, 110
	for range 40 {
		w.hold(0, game.Input{Direction: -1, TargetX: 1}, 1)
	}
	testenv.Check(t, slices.Contains(m.tiles, 110) && !slices.Contains(m.tiles, 109), "after death: %v", m.tiles)
}

// TestTileAt checks that the border continues without end.
func TestTileAt(t *testing.T) {
	terrain := bots.ParseMap("# ", " #")
	w := newWorld(t, game.Config{Terrain: terrain})
	w.inTick(func(ctx *game.Ctx) {
		for pos, want := range map[vec.Vec2]uint8{{X: 5, Y: 5}: 1, {X: 40, Y: 5}: 0, {X: -500, Y: -500}: 1, {X: 500, Y: 5}: 0, {X: 500, Y: 500}: 1} {
			if got := ctx.Map().TileAt(pos); got != want {
				t.Errorf("at %v: %d", pos, got)
			}
		}
	})
}

// TestEyes checks how long the expression stays that a player chose, that pain comes before
// it, and that it comes back.
func TestEyes(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	eyes := func(id game.PlayerID, e game.Emote, seconds int32) {
		w.do(game.Command{Kind: game.CmdEyes, Player: id, Emote: e, Value: seconds})
	}
	eyes(0, game.EmoteAngry, 2)
	for range 99 {
		if c := w.char(0); c.Emote != game.EmoteAngry {
			t.Fatalf("emote %d in tick %d", c.Emote, w.Tick())
		}
		w.steps(1)
	}
	w.steps(1)
	testenv.Check(t, w.char(0).Emote != game.EmoteAngry, "it stays angry")
	eyes(0, game.EmoteHappy, 1000)
	eyes(0, game.EmoteBlink, 1000) // too soon
	testenv.Check(t, w.char(0).Emote == game.EmoteHappy, "emote %d", w.char(0).Emote)
	w.inTick(func(ctx *game.Ctx) {
		ctx.Player(0).TakeDamage(game.Damage{Attacker: game.Nobody, Amount: 1})
	})
	testenv.Check(t, w.char(0).Emote == game.EmotePain, "hurt: emote %d", w.char(0).Emote)
	w.steps(30)
	testenv.Check(t, w.char(0).Emote == game.EmoteHappy, "after pain: emote %d", w.char(0).Emote)
	w.steps(30)
	eyes(0, 6, 10)
	eyes(0, 255, -10)
	testenv.Check(t, w.char(0).Emote == game.EmoteHappy, "an unknown emote: %d", w.char(0).Emote)
}

func TestTileHasAllLayers(t *testing.T) {
	terrain := boxMap()
	n := len(terrain.Tiles)
	terrain.Tele = make([]game.TeleTile, n)
	terrain.Switch = make([]game.SwitchTile, n)
	i := 3*terrain.Width + 4 // the first spawn
	terrain.Tele[i] = game.TeleTile{Number: 3, Type: 26}
	terrain.Switch[i] = game.SwitchTile{Number: 9, Delay: 2}
	w := newWorld(t, game.Config{Terrain: terrain})
	w.inTick(func(ctx *game.Ctx) {
		spawns := slices.Collect(ctx.Map().FindTiles(192))
		testenv.Require(t, len(spawns) == 2 && spawns[0] == vec.Vec2{X: 4*32 + 16, Y: 3*32 + 16}, "spawns %v", spawns)
		want := game.Tile{Game: 192, Tele: game.TeleTile{Number: 3, Type: 26}, Switch: game.SwitchTile{Number: 9, Delay: 2}}
		testenv.Check(t, ctx.Map().Tile(spawns[0]) == want, "got %+v", ctx.Map().Tile(spawns[0]))
		testenv.Check(t, ctx.Map().Tile(vec.Vec2{X: -1e9, Y: 1e9}) == game.Tile{Game: 1}, "outside: %+v", ctx.Map().Tile(vec.Vec2{X: -1e9, Y: 1e9}))
	})
}
