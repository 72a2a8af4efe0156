package ddrace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/testenv"
)

// drawing is a terrain to draw on.
type drawing struct{ terrain.Terrain }

// draw returns the terrain of a drawing: # is a wall, x an unhookable one, . air, S a spawn point.
func draw(rows ...string) *drawing {
	d := &drawing{terrain.Terrain{Width: len(rows[0]), Height: len(rows)}}
	legend := map[byte]uint8{'#': TileSolid, 'x': TileNoHook, '.': 0, 'S': tileEntities}
	for _, row := range rows {
		for i := range len(row) {
			d.Tiles = append(d.Tiles, legend[row[i]])
		}
	}
	return d
}

// room returns a room of that size with a wall around it.
func room(width, height int) *drawing {
	rows := []string{strings.Repeat("#", width)}
	for range height - 2 {
		rows = append(rows, "#"+strings.Repeat(".", width-2)+"#")
	}
	return draw(append(rows, rows[0])...)
}

// layer returns a layer, and creates it if it is missing.
func layer[T any](d *drawing, l *[]T) []T {
	if *l == nil {
		*l = make([]T, d.Width*d.Height)
	}
	return *l
}

func (d *drawing) at(x, y int) int { return y*d.Width + x }

func (d *drawing) game(x, y int, index uint8, flags terrain.TileFlags) {
	d.Tiles[d.at(x, y)] = index
	layer(d, &d.Flags)[d.at(x, y)] = flags
}

func (d *drawing) over(x, y int, index uint8, flags terrain.TileFlags) {
	layer(d, &d.Front)[d.at(x, y)] = index
	layer(d, &d.FrontFlags)[d.at(x, y)] = flags
}

func (d *drawing) teleport(x, y int, number, kind uint8) {
	layer(d, &d.Tele)[d.at(x, y)] = terrain.TeleTile{Number: number, Type: kind}
}

func (d *drawing) switchAt(x, y int, number, kind uint8, flags terrain.TileFlags, delay uint8) {
	layer(d, &d.Switch)[d.at(x, y)] = terrain.SwitchTile{Number: number, Type: kind, Flags: flags, Delay: delay}
}

// load prepares the map with the default settings.
func (d *drawing) load(t testing.TB) *Map {
	t.Helper()
	return testenv.Must(NewMap(&d.Terrain, DefaultSettings()))
}

// tile returns the middle of a tile.
func tile(x, y int) Vec {
	return Vec{X: float32(x*tileSize + tileSize/2), Y: float32(y*tileSize + tileSize/2)}
}

// TestTilesThatExist checks the tiles that tees handle: tiles with an effect, and tiles beside
// stoppers.
func TestTilesThatExist(t *testing.T) {
	d := room(9, 7)
	d.game(2, 2, TileFreeze, 0)
	d.over(3, 2, tileUnlive, 0)
	d.game(4, 2, tileThrough, 0) // for hooks only
	d.teleport(5, 2, 1, TeleIn)
	d.teleport(6, 2, 1, TeleOut)
	layer(d, &d.Speedup)[d.at(7, 2)].Force = 1
	layer(d, &d.Tune)[d.at(1, 2)].Type = tuneTile
	d.switchAt(2, 4, 0, switchJumps, 0, 5)
	d.switchAt(3, 4, 0, 6, 0, 5)               // not a switch tile
	d.game(6, 4, tileStop, turned90)           // forbids to go left, onto it from the right
	d.game(6, 5, tileStops, turned0)           // any neighbour
	d.switchAt(3, 5, 0, 108, 0, 0)             // kept without a meaning
	d.switchAt(4, 5, 0, tileHooking, 0, 0)     // dropped
	d.switchAt(5, 5, 0, tileEntities+48, 0, 0) // an entity exists too
	m := d.load(t)
	var got []string
	for i := range d.Tiles {
		if m.marks[i]&markExists != 0 {
			got = append(got, fmt.Sprint(i%d.Width, ",", i/d.Width))
		}
	}
	want := []string{"1,2", "2,2", "3,2", "5,2", "7,2", "2,4", "6,4", "7,4", "3,5", "5,5", "6,5", "7,5", "6,6"}
	testenv.Check(t, slices.Equal(got, want), "tiles exist at\n%v, not\n%v", got, want)
}

// TestWay checks that a way lists each tile with an effect once per visit, and never tile 0.
// Positions that are not numbers have no tiles.
func TestWay(t *testing.T) {
	d := room(12, 5)
	for x := 2; x < 9; x += 2 {
		d.game(x, 2, TileFreeze, 0)
	}
	d.game(0, 0, TileFreeze, 0)
	m := d.load(t)
	way := func(a, b Vec) []int32 { return m.appendWay(nil, a, b) }
	at := func(x, y int) int32 { return int32(d.at(x, y)) }
	testenv.Check(t, slices.Equal(way(tile(1, 2), tile(8, 2)), []int32{at(2, 2), at(4, 2), at(6, 2), at(8, 2)}),
		"to the right: %v", way(tile(1, 2), tile(8, 2)))
	testenv.Check(t, slices.Equal(way(tile(4, 2), tile(4, 2)), []int32{at(4, 2)}), "standing: %v", way(tile(4, 2), tile(4, 2)))
	testenv.Check(t, len(way(tile(3, 2), tile(3, 2))) == 0 && len(way(tile(1, 3), tile(9, 3))) == 0, "a way through nothing")
	testenv.Check(t, len(way(tile(0, 0), tile(1, 0))) == 0, "tile 0 is on a way: %v", way(tile(0, 0), tile(1, 0)))
	nan := Vec{X: tile(0, 0).X / 0 * 0}
	testenv.Check(t, len(way(nan, tile(4, 2))) == 0, "a way from nowhere")
	testenv.Check(t, len(way(Vec{X: -3e38}, Vec{X: 3e38})) == 0, "a way without end")
	// A one-way tile at the end of a row affects the start of the next row.
	testenv.Check(t, m.mapIndex(tile(3, 2)) == -1 && m.mapIndex(tile(2, 2)) == at(2, 2), "map index")
}

// TestStoppers checks the restrictions beside and on stoppers in each rotation.
func TestStoppers(t *testing.T) {
	for _, c := range []struct {
		index  uint8
		flags  terrain.TileFlags
		on     Restrictions    // standing on it
		beside [4]Restrictions // coming from above, from the left, from below, from the right
	}{
		{tileStop, turned0, cannotDown, [4]Restrictions{cannotDown, 0, 0, 0}},
		{tileStop, turned90, cannotLeft, [4]Restrictions{0, 0, 0, cannotLeft}},
		{tileStop, turned180, cannotUp, [4]Restrictions{0, 0, cannotUp, 0}},
		{tileStop, turned270, cannotRight, [4]Restrictions{0, cannotRight, 0, 0}},
		{tileStop, 1, cannotDown, [4]Restrictions{cannotDown, 0, 0, 0}},
		{tileStop, 2, cannotUp, [4]Restrictions{0, 0, cannotUp, 0}},
		{tileStop, 9, cannotLeft, [4]Restrictions{0, 0, 0, cannotLeft}},
		{tileStop, 10, cannotRight, [4]Restrictions{0, cannotRight, 0, 0}},
		{tileStops, turned180, 0, [4]Restrictions{cannotDown, 0, cannotUp, 0}},
		{tileStops, turned90, 0, [4]Restrictions{0, cannotRight, 0, cannotLeft}},
		{tileStopAll, 0, 0, [4]Restrictions{cannotDown, cannotRight, cannotUp, cannotLeft}},
	} {
		for _, front := range []bool{false, true} {
			d := room(7, 7)
			if front {
				d.over(3, 3, c.index, c.flags)
			} else {
				d.game(3, 3, c.index, c.flags)
			}
			m := d.load(t)
			got := [4]Restrictions{}
			for i, p := range []Vec{tile(3, 2), tile(2, 3), tile(3, 4), tile(4, 3)} {
				got[i] = m.restrictions(p, 18, -1, nil)
			}
			on := m.restrictions(tile(3, 3), 0, int32(d.at(3, 3)), nil)
			if c.index != tileStop {
				on = 0 // all points are on it
			}
			testenv.Check(t, got == c.beside && on&^cannotMove == 0 && (c.index != tileStop || on == c.on),
				"%d with flags %d, front %v: %v beside, %v on it", c.index, c.flags, front, got, on)
		}
	}
	v := (cannotLeft | cannotDown).clamp(Vec{X: -1, Y: 2})
	testenv.Check(t, v == Vec{} && (cannotLeft|cannotDown).clamp(Vec{X: 1, Y: -2}) == Vec{X: 1, Y: -2}, "clamped to %v", v)
}

// TestDoors checks that doors with an active switch close the tiles up to the first wall. Without a
// switch layer, doors are lines without an effect.
func TestDoors(t *testing.T) {
	d := room(12, 7)
	d.switchAt(2, 3, 5, tileEntities+48, 0, 0)
	d.switchAt(3, 3, 0, tileEntities+18+1, 0, 0) // of medium length to the right: 6 tiles
	d.game(7, 3, TileSolid, 0)
	m := d.load(t)
	testenv.Require(t, len(m.Entities) == 1, "entities %v", m.Entities)
	e := m.Entities[0]
	testenv.Check(t, e == Entity{Kind: EntityDoor, Layer: LayerSwitch, Number: 5, Turn: 2, Length: 192, Pos: tile(2, 3)}, "door %+v", e)
	active := SwitchSet{1 << 5}
	var open SwitchSet
	for x := 1; x < 11; x++ {
		p := tile(x, 2)
		closed := m.restrictions(p, 18, -1, &active) == cannotDown
		testenv.Check(t, closed == (x >= 2 && x < 7) && m.restrictions(p, 18, -1, &open) == 0 && m.restrictions(p, 18, -1, nil) == 0,
			"above door tile %d: closed %v", x, closed)
	}
	testenv.Check(t, m.Switches == 5, "%d switches", m.Switches)

	d = room(12, 7)
	d.over(2, 3, tileEntities+48, 0)
	d.over(2, 4, tileEntities+18+2, 0)
	m = d.load(t)
	testenv.Check(t, len(m.Entities) == 1 && m.Entities[0].Turn == 0 && m.Entities[0].Length == 288 && m.doors == nil,
		"door of the front layer: %+v", m.Entities)
}

// TestEntities checks the entities of a map, their parts and their order.
func TestEntities(t *testing.T) {
	d := room(16, 9)
	const entity = tileEntities - 1
	d.game(1, 1, entity+1, 0)
	d.over(1, 1, entity+2, 0)
	d.game(2, 1, entity+6, 0)
	d.switchAt(2, 1, 7, entity+10, 0, 0)
	d.over(2, 1, entity+7, 0)
	d.game(4, 4, entity+13, 0) // a light with two arms
	d.game(5, 4, entity+19, 0)
	d.game(6, 4, entity+24, 0) // that begins at its full length and shrinks fast
	d.game(3, 3, entity+21, 0)
	d.game(2, 2, entity+25, 0) // that begins with nothing and grows slowly
	d.game(8, 4, entity+15, 0) // one without arms
	d.game(10, 2, entity+33, turned90)
	d.game(11, 2, entity+34, 2)
	d.game(12, 2, entity+28, 0) // means nothing
	d.game(13, 2, entity+47, 0)
	d.game(14, 2, entity+4, 0) // a flag stand
	m := d.load(t)
	want := []Entity{
		{Kind: EntityArmor, Pos: tile(2, 1)},
		{Kind: EntityHealth, Layer: LayerFront, Pos: tile(2, 1)},
		{Kind: EntityNinja, Layer: LayerSwitch, Number: 7, Pos: tile(2, 1)},
		{Kind: EntityBulletExplosive, Turn: 1, Pos: tile(10, 2)},
		{Kind: EntityBullet, Turn: 3, Pos: tile(11, 2)},
		{Kind: EntityDraggerThrough + 2, Pos: tile(13, 2)},
		{Kind: EntityLight + 1, Turn: 2, Length: 96, Growth: 5, Pos: tile(4, 4)},
		{Kind: EntityLight + 1, Turn: 5, Length: 288, Growth: 1, Opening: true, Pos: tile(4, 4)},
	}
	testenv.Check(t, slices.Equal(m.Entities, want), "entities\n%+v, not\n%+v", m.Entities, want)
	testenv.Check(t, slices.Equal(m.Spawns[0], []Vec{tile(1, 1)}) && slices.Equal(m.Spawns[1], []Vec{tile(1, 1)}) && m.Spawns[2] == nil, "spawns %v", m.Spawns)
	testenv.Check(t, len(m.Faults.List) == 1 && m.Faults.List[0].String() == "game layer, tile 12, 2: index 219 means nothing here", "faults %v", m.Faults.List)
}

// TestExits checks the exits of teleporters. The exits of a number are in the order of their tiles.
func TestExits(t *testing.T) {
	d := room(9, 5)
	d.teleport(5, 1, 3, TeleOut)
	d.teleport(2, 1, 3, TeleOut)
	d.teleport(2, 2, 255, TeleOut)
	d.teleport(3, 2, 3, TeleCheckOut)
	d.teleport(4, 2, 0, TeleOut)
	d.teleport(4, 3, 3, TeleOut)
	m := d.load(t)
	var got []Vec
	for i := range m.outs.count(3) {
		got = append(got, m.exit(&m.outs, 3, i))
	}
	testenv.Check(t, slices.Equal(got, []Vec{tile(2, 1), tile(5, 1), tile(4, 3)}), "exits %v", got)
	testenv.Check(t, m.outs.count(255) == 1 && m.outs.count(0) == 0 && m.outs.count(4) == 0 && m.checkOuts.count(3) == 1, "counts")
	testenv.Check(t, m.teleNumber(int32(d.at(2, 2)), TeleOut) == 255 && m.teleNumber(int32(d.at(2, 2)), TeleIn) == 0 &&
		m.teleNumber(-1, TeleOut) == 0, "numbers")
}

// TestEntityLines checks the obstacles for the lines of entities: walls and laser blockers of both
// layers, or only blockers for lines that pass walls.
func TestEntityLines(t *testing.T) {
	d := room(12, 5)
	d.game(4, 1, TileSolid, 0)
	d.over(6, 1, tileNoLaser, 0)
	d.game(8, 2, tileNoLaser, 0)
	m := d.load(t)
	end, stopped := m.endOfLight(tile(2, 1), tile(9, 1), false, new(int))
	testenv.Check(t, stopped && end == Vec{X: 4*tileSize - 0, Y: tile(2, 1).Y}, "stopped %v at %v", stopped, end)
	end, stopped = m.endOfLight(tile(2, 1), tile(9, 1), true, new(int))
	testenv.Check(t, stopped && end.X == 6*tileSize, "through walls: stopped %v at %v", stopped, end)
	_, stopped = m.endOfLight(tile(2, 2), tile(10, 2), true, new(int))
	testenv.Check(t, stopped, "a blocker of the game layer stops nothing")
	end, stopped = m.endOfLight(tile(2, 3), tile(9, 3), false, new(int))
	testenv.Check(t, !stopped && end == tile(9, 3), "in the open: stopped %v at %v", stopped, end)
	_, stopped = m.endOfLight(tile(4, 1), tile(4, 1), false, new(int))
	testenv.Check(t, !stopped, "a line without length is stopped")
}

// TestLimits checks that a map full of entities, faults and exits loads with a short message.
func TestLimits(t *testing.T) {
	d := room(260, 260)
	for i := range d.Tiles {
		d.Tiles[i] = tileEntities + 6
		d.teleport(i%260, i/260, 1, TeleOut)
	}
	d.Tiles[0] = 250
	for i := range 100 {
		d.Tiles[1+i] = tileEntities
	}
	m := d.load(t)
	testenv.Check(t, len(m.Entities) == maxEntities && len(m.Spawns[0]) == maxSpawns && m.outs.count(1) == 260*260,
		"%d entities, %d spawns", len(m.Entities), len(m.Spawns[0]))
	testenv.Check(t, len(m.Faults.List) == 3 && m.Faults.List[0].Count == 1 && m.Faults.List[1].Count == 260*260-101-maxEntities &&
		m.Faults.List[2].Count == 100-maxSpawns, "faults %v", m.Faults.List)

	settings := make([]string, 200)
	for i := range settings {
		settings[i] = fmt.Sprint("unknown ", i)
	}
	d = room(5, 5)
	d.Settings = settings
	m = d.load(t)
	testenv.Check(t, len(m.Faults.List) == maxFaults && m.Faults.More == 100, "%d faults and %d more", len(m.Faults.List), m.Faults.More)
}
