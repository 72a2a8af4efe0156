package route

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/testenv"
)

// absurd returns a wide room with a spawn point, a start line and an unreachable finish line. fill
// changes its tiles.
func absurd(fill func(t *terrain.Terrain, i, x, y int), settings ...string) terrain.Terrain {
	const width, height = 300, 40
	t := terrain.Terrain{Width: width, Height: height, Tiles: make([]uint8, width*height), Tele: make([]terrain.TeleTile, width*height), Settings: settings}
	for i := range t.Tiles {
		x, y := i%width, i/width
		switch {
		case x == 0 || y == 0 || x == width-1 || y == height-1 || x == width-4:
			t.Tiles[i] = ddrace.TileSolid
		case x == 2 && y == height-2:
			t.Tiles[i] = 192
		case x == 4:
			t.Tiles[i] = ddrace.TileStart
		case x == width-2:
			t.Tiles[i] = ddrace.TileFinish
		default:
			fill(&t, i, x, y)
		}
	}
	return t
}

// absurdMaps are maps on which a tick, a moment or a field takes far more work than usual.
var absurdMaps = map[string]terrain.Terrain{
	"draggers": absurd(func(t *terrain.Terrain, i, x, y int) {
		if x%3 == 0 && y%3 == 0 {
			t.Tiles[i] = 236 + uint8(x%3) // draggers that pull through walls
		}
	}, "sv_dragger_range 99999"),
	"bullets": absurd(func(t *terrain.Terrain, i, _, _ int) { t.Tiles[i] = 191 + uint8(ddrace.EntityBulletExplosive) }, "tune shotgun_speed 1e6"),
	"pickups": absurd(func(t *terrain.Terrain, i, _, _ int) { t.Tiles[i] = 198 }),
	"teleporters": absurd(func(t *terrain.Terrain, i, x, _ int) {
		t.Tele[i] = terrain.TeleTile{Number: 1, Type: []uint8{ddrace.TeleIn, ddrace.TeleOut}[x&1]}
	}),
	"checkpoints": absurd(func(t *terrain.Terrain, i, x, _ int) {
		t.Tele[i] = terrain.TeleTile{Number: 1, Type: []uint8{ddrace.TeleCheckIn, ddrace.TeleCheckOut}[x&1]}
	}),
}

// TestWorkIsLimited checks on all these maps that a search does little more work than allowed, that
// it ends, and that the work of a field is proportional to the size of the map.
func TestWorkIsLimited(t *testing.T) {
	testenv.Long(t)
	for name, m := range absurdMaps {
		f := testenv.Must(NewFinder(Config{Terrain: m, Memory: 1 << 20}))
		slice := testenv.Amount(500, 5000)
		f.limit = 20 * slice
		most, before, runs := 0, f.Work(), 0
		for over := false; !over; runs++ {
			testenv.Require(t, runs <= 20, "%s: it does not end", name)
			_, over = f.Run(slice)
			most = max(most, f.Work()-before)
			before = f.Work()
		}
		s := f.search
		t.Logf("%s: %d runs, %d ticks, work %d, at most %d in a run, %d tiles looked at for %d fields", name,
			runs, s.ticks, f.Work(), most, s.ground.looked, len(s.fields))
		testenv.Check(t, s.ground.looked <= 20*len(m.Tiles)*len(s.fields), "%s: %d tiles looked at for %d fields", name, s.ground.looked, len(s.fields))
		if name != "teleporters" && name != "checkpoints" {
			testenv.Check(t, f.Work() > 4*s.ticks, "%s: work %d for %d ticks: the map is not absurd", name, f.Work(), s.ticks)
		}
	}
}

// TestSlices checks that the result does not depend on how the work is divided into calls.
func TestSlices(t *testing.T) {
	var texts []string
	for _, slice := range []int{1, 700, 30_000} {
		s := testenv.Must(NewSearch(Config{Terrain: absurdMaps["checkpoints"], Seed: 4}))
		for s.Ticks() < 3000 {
			s.Run(slice)
		}
		texts = append(texts, fmt.Sprint(s.nodes[:100]))
	}
	testenv.Check(t, texts[0] == texts[1] && texts[1] == texts[2], "%s\n\n%s\n\n%s", texts[0], texts[1], texts[2])
}

// TestLargeMap checks that oversized maps are not searched.
func TestLargeMap(t *testing.T) {
	const width = maxTiles/100 + 1
	s := testenv.Must(NewSearch(Config{Terrain: terrain.Terrain{Width: width, Height: 100, Tiles: make([]uint8, width*100)}}))
	s.Run(10)
	testenv.Check(t, s.Done() && s.Route().Ticks == 0, "it is searched")
}

// TestRunnerGetsTired checks that a runner beside its way looks ahead only as long as that takes
// little work.
func TestRunnerGetsTired(t *testing.T) {
	testenv.Long(t)
	for name, m := range absurdMaps {
		way := testenv.Must(NewWay(Config{Terrain: m}, &Route{Steps: []Step{{Ticks: 20, TargetX: 1}, {Ticks: 200, TargetX: 1}}}))
		plans, _ := beside(way)
		costly := way.work() > maxWayWork*way.Ticks()
		testenv.Check(t, costly == (plans == 0), "%s: %d plans, with work %d for %d ticks", name, plans, way.work(), way.Ticks())
		if costly && name != "pickups" {
			way.looked = 0 // pretend that the way takes little work
			plans, total := beside(way)
			testenv.Check(t, plans == 1 && total <= 2*maxPlan, "%s: %d plans, which look at %d tiles", name, plans, total)
		}
	}
}

// beside lets a runner stand beside its way for 80 ticks. It returns how often the runner looks
// ahead, and how many tiles it reads in doing so.
func beside(way *Way) (plans, looked int) {
	r := NewRunner(1)
	r.SetWay(way)
	for tick := range int32(80) {
		c := game.CharacterState{X: 600, Y: 1000, Pos: ddrace.Vec{X: 600, Y: 1000}}
		r.looked = 0
		r.NextInput(&game.View{Frame: &game.Frame{Tick: tick + 1, Characters: []game.CharacterState{c}}})
		if r.looked > 0 {
			plans++
		}
		looked += r.looked
	}
	return plans, looked
}
