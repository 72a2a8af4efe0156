package bot_test

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"

	"github.com/teeyard/teeyard/internal/testenv"
)

// parseMap returns the terrain of a drawing: # wall, x death, S spawn point, h, s and g pickups,
// all others air.
func parseMap(rows ...string) game.Terrain {
	t := game.Terrain{Width: len(rows[0]), Height: len(rows)}
	for _, r := range rows {
		for _, c := range r {
			tile := map[rune]uint8{'#': 1, 'x': 2, 'S': 192, 'h': 198, 's': 199, 'g': 200}[c]
			t.Tiles = append(t.Tiles, tile)
		}
	}
	return t
}

func TestNavRefusesBadTerrain(t *testing.T) {
	for _, tr := range []game.Terrain{
		{}, {Width: 2, Height: 2, Tiles: make([]uint8, 3)}, {Width: -1, Height: 1},
		{Width: 1 << 40, Height: 1 << 40}, {Width: 1, Height: 0},
	} {
		if _, err := bot.NewNavGraph(tr, nil); !errors.Is(err, bot.ErrTerrain) {
			t.Errorf("%d x %d: %v", tr.Width, tr.Height, err)
		}
		if _, err := bot.New(bot.Config{Terrain: tr}); !errors.Is(err, bot.ErrTerrain) {
			t.Errorf("bot on %d x %d: %v", tr.Width, tr.Height, err)
		}
	}
}

// TestNowhereToStand runs bots on maps without links.
func TestNowhereToStand(t *testing.T) {
	for name, tr := range map[string]game.Terrain{
		"cell":  parseMap("###", "#S#", "###"),
		"fall":  parseMap(" S ", "   ", "   "),
		"death": parseMap("#####", "#S S#", "#   #", "xxxxx"),
		"tile":  parseMap("S"),
		"wall":  parseMap("##", "##"),
	} {
		m := newMatch(t, tr, newNav(tr), 1, 3, 3)
		m.run(500)
		t.Log(name, m.falls)
	}
}

// TestOverThePit checks that a bot takes a pickup on the other side of a pit.
func TestOverThePit(t *testing.T) {
	tr := parseMap(
		"##############################",
		"#                            #",
		"#                            #",
		"#                            #",
		"#                            #",
		"#                            #",
		"# S                       g  #",
		"#########            #########",
		"#########            #########",
		"#########xxxxxxxxxxxx#########",
	)
	m := newMatch(t, tr, newNav(tr), 1, 2)
	m.run(15 * game.TickRate)
	testenv.Check(t, m.pickups != 0 && m.falls <= 0, "%d pickups, %d falls", m.pickups, m.falls)
}

// TestHighUp checks that a bot takes a pickup that requires two jumps, and one that requires the
// hook.
func TestHighUp(t *testing.T) {
	rows := []string{
		"####################",
		"#                  #",
		"#                  #",
		"#                  #",
		"#                  #",
		"#         g        #",
		"#                  #",
		"#                  #",
		"#                  #",
		"#                  #",
		"#                  #",
		"#                  #",
		"#                  #",
		"# S                #",
		"####################",
	}
	m := newMatch(t, parseMap(rows...), newNav(parseMap(rows...)), 1, 2)
	m.run(20 * game.TickRate)
	testenv.Check(t, m.pickups != 0, "did not get it with two jumps")
	rows[5], rows[2] = rows[1], "#         g        #"
	m = newMatch(t, parseMap(rows...), newNav(parseMap(rows...)), 1, 2)
	m.run(30 * game.TickRate)
	testenv.Check(t, m.pickups != 0, "did not get it with the hook")
}

// FuzzTerrain runs bots on arbitrary maps.
func FuzzTerrain(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x01\x00\xc0\x00\x01\x00\x00\x01\x01"), uint8(4), uint64(1))
	f.Add([]byte{0, 192, 0, 0, 198, 199, 1, 1, 1, 2, 1, 1, 200, 201, 202, 3}, uint8(7), uint64(2))
	f.Fuzz(func(t *testing.T, tiles []byte, width uint8, seed uint64) {
		const maxWidth = 24
		w := int(width)%maxWidth + 1
		tr := game.Terrain{Width: w, Height: 12}
		for i := range w * tr.Height {
			tile := uint8(0)
			if len(tiles) > 0 {
				tile = tiles[i%len(tiles)]
			}
			if tile > 3 && tile < 192 {
				tile &= 1
			}
			tr.Tiles = append(tr.Tiles, tile)
		}
		newMatch(t, tr, newNav(tr), seed, 1+int(seed%3), 1+int((seed+1)%3)).run(60)
	})
}
