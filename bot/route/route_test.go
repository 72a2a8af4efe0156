package route_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/testenv"
)

// legend maps the letters of drawings to tiles. Tests place the tiles of other layers.
var legend = map[byte]uint8{'#': 1, 'D': 2, 'x': 3, 'f': 9, 'u': 11, 'S': 192, '|': 33, '!': 34, 'w': 16, 'G': 200}

// draw returns the terrain of a drawing. special maps letters to functions that place tiles.
func draw(special map[byte]func(t *terrain.Terrain, i int), rows ...string) terrain.Terrain {
	tiles := maps.Clone(legend)
	for c := range special {
		tiles[c] = 0
	}
	t := modtest.ParseMap(tiles, rows...)
	n := len(t.Tiles)
	t.Tele, t.Speedup, t.Switch = make([]terrain.TeleTile, n), make([]terrain.SpeedupTile, n), make([]terrain.SwitchTile, n)
	t.Tune, t.Flags = make([]terrain.TuneTile, n), make([]terrain.TileFlags, n)
	for y, row := range rows {
		for x := range len(row) {
			if f := special[row[x]]; f != nil {
				f(&t, y*t.Width+x)
			}
		}
	}
	return t
}

func tele(number, kind uint8) func(*terrain.Terrain, int) {
	return func(t *terrain.Terrain, i int) { t.Tele[i] = terrain.TeleTile{Number: number, Type: kind} }
}

func switchTile(number, kind, delay uint8) func(*terrain.Terrain, int) {
	return func(t *terrain.Terrain, i int) {
		t.Switch[i] = terrain.SwitchTile{Number: number, Type: kind, Delay: delay}
	}
}

func tile(index uint8, flags terrain.TileFlags) func(*terrain.Terrain, int) {
	return func(t *terrain.Terrain, i int) { t.Tiles[i], t.Flags[i] = index, flags }
}

type special = map[byte]func(*terrain.Terrain, int)

// courses are courses that each require another kind of tile.
var courses = map[string]terrain.Terrain{
	"a freeze gap": draw(nil,
		"##############################",
		"#                            #",
		"#                            #",
		"#                            #",
		"#                            #",
		"#S  |                     !  #",
		"#S  |                     !  #",
		"#######ffffffff####fff########",
		"##############################"),
	"a teleporter and its checkpoint": draw(special{'t': tele(1, 26), 'o': tele(1, 27), 'k': tele(2, 29), 'K': tele(2, 30), 'c': tele(0, 31)},
		"##############################",
		"#S  |        #            k  #",
		"#S  |       t# o          k  #",
		"#########################k####",
		"#                        k   #",
		"#                        k   #",
		"#  K  !                cccc  #",
		"#  K  !                cccc  #",
		"##############################"),
	"a speedup": draw(special{'>': func(t *terrain.Terrain, i int) { t.Speedup[i] = terrain.SpeedupTile{Force: 60, Type: 28} }},
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"x                            x",
		"x                            x",
		"xS  |                     !  x",
		"xS  | >>>>>               !  x",
		"xxxxxxxxxxx            xxxxxxx",
		"xxxxxxxxxxxDDDDDDDDDDDDxxxxxxx"),
	"stoppers": draw(special{'v': tile(60, 0), '^': tile(60, terrain.TileFlipX|terrain.TileFlipY)},
		"####################",
		"#S |   ^           #",
		"#S |   ^           #",
		"####^^^^####vvvvvv##",
		"#      ^    #      #",
		"#           # !    #",
		"#             !    #",
		"####################"),
	"a door and its switch": draw(special{'z': switchTile(3, 23, 9), 'd': switchTile(3, 240, 0), 'l': switchTile(3, 210, 0)},
		"##########################",
		"#                   d    #",
		"#                   l    #",
		"#S  |                    #",
		"#S  |                 !  #",
		"#####   #############    #",
		"#z      #           #    #",
		"#z  #               #    #",
		"##########################"),
	"a tune zone": draw(special{'g': func(t *terrain.Terrain, i int) { t.Tune[i] = terrain.TuneTile{Number: 1, Type: 68} }},
		"xxxxxxxxxxxxxxxxxxxx",
		"x     ggggg        x",
		"x     ggggg   !    x",
		"x     ggggg xxxxxxxx",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"x     ggggg x      x",
		"xS  | ggggg x      x",
		"xxxxxxxxxxxxxxxxxxxx"),
	"a grenade jump": draw(nil,
		"xxxxxxxxxxxxxxxxxxxx",
		"x                  x",
		"x                ! x",
		"x             xxxxxx",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"x             x    x",
		"xS   G  |     x    x",
		"xxxxxxxxxxxxxxxxxxxx"),
	"wall jumps": draw(nil,
		"xxxxxxxxxxxxxxxx",
		"x           !  x",
		"x           !  x",
		"x     xwwxxxxxxx",
		"x     xwwx     x",
		"x     xwwx     x",
		"x     xwwx     x",
		"x     xwwx     x",
		"x     xwwx     x",
		"x     xwwx     x",
		"xS       x     x",
		"xS  |    x     x",
		"xxxxxxxxxxxxxxxx"),
}

func init() {
	t := courses["a tune zone"]
	t.Settings = []string{"tune_zone 1 gravity 0.05", "tune_zone 1 air_friction 1"}
	courses["a tune zone"] = t
}

// TestCourses finds a way through each course.
func TestCourses(t *testing.T) {
	for name, course := range courses {
		t.Run(name, func(t *testing.T) {
			s := testenv.Must(route.NewSearch(route.Config{Terrain: course, Seed: 1}))
			s.Run(400_000)
			r := s.Route()
			t.Logf("%d ticks simulated: %d steps, %d ticks, %d tiles", s.Ticks(), len(r.Steps), r.Ticks, r.Length)
			testenv.Require(t, r.Finished, "no way found: %d of %d tiles are left", r.Left, r.Length)
			testenv.Check(t, finish(t, course, r.Steps) == r.Ticks, "played, it took %d ticks", finish(t, course, r.Steps))
		})
	}
}

// finish plays the steps in a new world. It returns the tick after the spawn in which the tee
// finishes.
func finish(t *testing.T, course terrain.Terrain, steps []route.Step) int {
	w := ddrace.New(ddrace.Config{Map: testenv.Must(ddrace.NewMap(&course, ddrace.DefaultSettings()))})
	w.Enter(0, false)
	for w.Tee(0) == nil {
		w.Step(nil)
	}
	ticks, fire := 0, int32(0)
	for i := range steps {
		for range steps[i].Ticks {
			in := steps[i].Input(fire)
			fire = in.Fire
			w.Step([]ddrace.PlayerInput{{Input: in}})
			ticks++
			if t := w.Tee(0); t != nil && t.Race == ddrace.RaceFinished {
				return ticks
			}
		}
	}
	t.Errorf("the steps do not finish")
	return 0
}

// TestAnyMap searches on maps of random tiles. Some have no spawn points or goals.
func TestAnyMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 30 {
		m := draw(nil, "####################", "#                  #", "#                  #", "#                  #",
			"#                  #", "####################")
		for i := range m.Tiles {
			if r.IntN(3) != 0 {
				continue
			}
			kind, number := uint8(r.IntN(256)), uint8(r.IntN(3))
			switch r.IntN(6) {
			case 0:
				m.Tiles[i], m.Flags[i] = kind, terrain.TileFlags(r.IntN(12))
			case 1:
				m.Tele[i] = terrain.TeleTile{Number: number, Type: uint8(26 + r.IntN(8))}
			case 2:
				m.Switch[i] = terrain.SwitchTile{Number: number, Type: uint8(22 + r.IntN(4)), Delay: number}
			case 3:
				m.Tiles[i] = uint8(33 + r.IntN(2))
			case 4:
				m.Tiles[i] = 192
			}
		}
		s := testenv.Must(route.NewSearch(route.Config{Terrain: m, Memory: 1}))
		s.Run(1000)
		steps := s.Route().Steps
		testenv.Check(t, s.Done() || s.Work() >= 1000, "it ended after the work of %d ticks with %d steps", s.Work(), len(steps))
	}
	_, err := route.NewSearch(route.Config{Terrain: terrain.Terrain{Width: 3, Height: 3}})
	testenv.Check(t, err != nil, "a terrain without tiles")
}

// TestMemory checks that a search respects its memory limit and still finds the way.
func TestMemory(t *testing.T) {
	course := courses["a teleporter and its checkpoint"]
	s := testenv.Must(route.NewSearch(route.Config{Terrain: course, Seed: 1, Memory: 1}))
	s.Run(400_000)
	testenv.Check(t, s.Route().Finished, "no way found")
}
