package game_test

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// zones is a mod with zones.
type zones struct{ list []game.TuneZone }

func (*zones) PureTuning() bool { return false }

func (m *zones) Start(setup *game.Setup) {
	for _, z := range m.list {
		setup.TuneZone(z)
	}
}

// gravities puts a tee in places and returns the gravity that it and its client have there, in
// hundredths, and how far it fell in ten ticks.
func (w *world) gravities(places ...vec.Vec2) (tuned, told []int32, fell []float32) {
	w.t.Helper()
	for _, pos := range places {
		evs := w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetPos(pos); ctx.Player(0).SetVel(vec.Vec2{}) })
		evs = append(evs, w.steps(10)...)
		tuned = append(tuned, w.PlayerTuning(0)[physics.Gravity])
		fell = append(fell, w.char(0).Pos.Y-pos.Y)
		n := int32(-1)
		for _, e := range eventsOf(evs, game.EvPlayerTuning) {
			n = e.Tuning[physics.Gravity]
		}
		told = append(told, n)
	}
	return tuned, told, fell
}

func TestZonesHaveTunings(t *testing.T) {
	terrain := twoTeesMap(8)
	terrain.Tiles[5*terrain.Width+20] = 77
	terrain.Tune = make([]game.TuneTile, len(terrain.Tiles))
	terrain.Tune[5*terrain.Width+25] = game.TuneTile{Number: 3, Type: 68}
	zero := func(v float32) map[string]float32 { return map[string]float32{"gravity": v, "gun_speed": 1} }
	m := &zones{[]game.TuneZone{
		{Tile: 77, Tuning: zero(0)},
		{Tune: 3, Tuning: zero(0.1)},
		{From: vec.Vec2{X: 32 * 32, Y: 9 * 32}, To: vec.Vec2{X: 30 * 32}, Tuning: zero(0.2)},
		{Tile: 1, Floor: true, Tuning: zero(0.3)},
	}}
	w := newWorld(t, game.Config{Terrain: terrain, Mods: []game.Mod{m}})
	w.enter(0)
	at := func(x, y float32) vec.Vec2 { return vec.Vec2{X: x*32 + 16, Y: y*32 + 16} }
	tuned, told, fell := w.gravities(at(10, 5), at(20, 5), at(10, 5), at(25, 5), at(31, 5), at(10, 13))
	for i, want := range []int32{50, 0, 50, 10, 20, 30} {
		testenv.Check(t, tuned[i] == want && told[i] == want, "place %d has the gravity %d, is told %d, want %d", i, tuned[i], told[i], want)
	}
	testenv.Check(t, fell[1] == 0 && fell[3] < fell[4] && fell[4] < fell[2], "fell %v", fell)
	testenv.Check(t, w.PlayerTuning(0)[physics.GunSpeed] == w.Tuning()[physics.GunSpeed], "weapons are tuned")
	own := w.Tuning()
	own[physics.Gravity] = 70
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetTuning(&own) })
	tuned, _, _ = w.gravities(at(20, 5))
	testenv.Check(t, tuned[0] == 70, "a zone comes before the player's own tuning")

	_, err := game.New(game.Config{Terrain: terrain, Mode: tdm.Mode{}, Mods: []game.Mod{&zones{[]game.TuneZone{{Tuning: map[string]float32{"gravitty": 1}}}}}})
	testenv.Check(t, errors.Is(err, game.ErrDeclared), "a parameter that there is not: %v", err)
}

// TestRespawnIsNoDeath respawns a tee.
func TestRespawnIsNoDeath(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	start := w.char(0).Pos
	evs := w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetPos(vec.Vec2{X: 900, Y: 200})
		p.SetHealth(3)
		p.Respawn()
		p.Respawn()
		ctx.Player(9).Respawn()
	})
	evs = append(evs, w.steps(3)...)
	c := w.char(0)
	testenv.Check(t, w.alive(0) && c.Health == 10 && vec.Distance(c.Pos, start) < 400, "%+v", c)
	testenv.Check(t, len(eventsOf(evs, game.EvKill)) == 0 && len(eventsOf(evs, game.EvDeath)) == 0 && len(eventsOf(evs, game.EvSpawn)) == 1, "%+v", evs)
	w.kill(0, game.WeaponWorld)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).Respawn() })
	w.steps(3)
	testenv.Check(t, w.alive(0), "who was dead is still")
}
