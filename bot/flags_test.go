package bot_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/internal/testenv"
)

// flagTerrain returns the default map with flags at the outermost spawn points and team spawns
// beside them.
func flagTerrain() game.Terrain {
	tr := embedded("teeyard1")
	left, right := -1, -1
	for i, tile := range tr.Tiles {
		if tile != 192 {
			continue
		}
		if left < 0 || i%tr.Width < left%tr.Width {
			left = i
		}
		if right < 0 || i%tr.Width > right%tr.Width {
			right = i
		}
	}
	for i, tile := range tr.Tiles {
		if tile == 192 {
			tr.Tiles[i] = 193
			if i%tr.Width > (left%tr.Width+right%tr.Width)/2 {
				tr.Tiles[i] = 194
			}
		}
	}
	tr.Tiles[left], tr.Tiles[right] = 195, 196
	return tr
}

// TestBotsPlayForTheFlag checks that two teams of bots grab, carry, capture and return flags.
func TestBotsPlayForTheFlag(t *testing.T) {
	testenv.Long(t)
	tr := flagTerrain()
	m := newModeMatch(t, ctf.Mode{}, tr, newNav(tr), 3, 2, 2, 2, 2, 2, 2)
	var flags [game.GameMsgGamePaused + 1]int
	m.onEvent = func(e *game.Event) {
		if e.Kind == game.EvGameMsg {
			flags[e.GameMsg]++
		}
	}
	m.run(120 * game.TickRate)
	t.Logf("%d grabs, %d drops, %d returns, %d captures; %v", flags[game.GameMsgCTFGrab], flags[game.GameMsgCTFDrop],
		flags[game.GameMsgCTFReturn], flags[game.GameMsgCTFCapture], m.world.Frame().Game.TeamScore)
	for _, msg := range []game.GameMsg{game.GameMsgCTFGrab, game.GameMsgCTFDrop, game.GameMsgCTFReturn, game.GameMsgCTFCapture} {
		testenv.Check(t, flags[msg] > 0, "message %d never came", msg)
	}
}
