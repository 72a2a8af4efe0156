package ddrace_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

func TestNeeds(t *testing.T) {
	for want, terrain := range map[string]game.Terrain{
		"a front layer":   {Front: []uint8{0, 9}},
		"a tele layer":    {Tele: []game.TeleTile{{}, {Number: 1, Type: 26}}},
		"a speedup layer": {Speedup: []game.SpeedupTile{{}, {Force: 1, Type: 28}}},
		"a switch layer":  {Switch: []game.SwitchTile{{}, {Number: 1, Type: 22}}},
		"a tune layer":    {Tune: []game.TuneTile{{}, {Number: 1, Type: 68}}},
		"tiles of freeze": {Tiles: []uint8{9, 33}},
	} {
		got := ddrace.Needs(&terrain)
		testenv.Check(t, got == want, "got %q, want %q", got, want)
	}
	testenv.Check(t, ddrace.Needs(&game.Terrain{Tiles: []uint8{11, 9}}) != "", "freeze and unfreeze")
	for name, terrain := range map[string]game.Terrain{
		"of the original":  {Tiles: []uint8{0, 1, 2, 3, 192, 195, 202}},
		"of FNG":           {Tiles: []uint8{7, 8, 9, 10, 14, 15}},
		"of race":          {Tiles: []uint8{33, 34, 35}},
		"an unused layer":  {Front: make([]uint8, 4), Tele: make([]game.TeleTile, 4), Tune: make([]game.TuneTile, 4)},
		"nothing whatever": {},
	} {
		got := ddrace.Needs(&terrain)
		testenv.Check(t, got == "", "%s: %q", name, got)
	}
}
