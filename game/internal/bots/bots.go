// Package bots is for tests of the rules: maps drawn as text, and players with random
// inputs that are the same on every machine.
package bots

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/splitmix"
)

// tileByChar maps the characters of a drawn map to tiles: # solid, x death, - or =
// unhookable, S spawn, R and B team spawns, 1 and 2 flag stands, h health, a armour, s
// shotgun, g grenade, l laser, n ninja; of races > start, < finish, c and d checkpoints.
var tileByChar = map[byte]uint8{
	' ': 0, '.': 0, '#': 1, 'x': 2, '-': 3, '=': 3, 'S': 192, 'R': 193, 'B': 194, '1': 195, '2': 196,
	'a': 197, 'h': 198, 's': 199, 'g': 200, 'n': 201, 'l': 202,
	'>': 33, '<': 34, 'c': 35, 'd': 36,
}

// ParseMap returns the terrain of a drawing. It panics when the rows differ in length or have
// unknown characters.
func ParseMap(rows ...string) game.Terrain { return ParseMapWith(nil, rows...) }

// ParseMapWith is ParseMap with characters for other tiles.
func ParseMapWith(tiles map[byte]uint8, rows ...string) game.Terrain {
	t := game.Terrain{Width: len(rows[0]), Height: len(rows)}
	for _, r := range rows {
		if len(r) != t.Width {
			panic(fmt.Sprintf("row %q is %d wide, not %d", r, len(r), t.Width))
		}
		for i := range len(r) {
			tile, ok := tiles[r[i]]
			if !ok {
				if tile, ok = tileByChar[r[i]]; !ok {
					panic(fmt.Sprintf("row %q: %q is no tile", r, r[i]))
				}
			}
			t.Tiles = append(t.Tiles, tile)
		}
	}
	return t
}

// Arena returns a small deathmatch map with everything on it.
func Arena() game.Terrain {
	return ParseMap(
		"############################################################",
		"#                                                          #",
		"#   S       h a          S            n          h    S    #",
		"#                                                          #",
		"#  ######         ########        #######       ######     #",
		"#                                                          #",
		"#          s                 g                  l          #",
		"#                                                          #",
		"# S      ######           --------            #######    S #",
		"#                                                          #",
		"####                                                    ####",
		"#          S        h             a       S                #",
		"#                                                          #",
		"#        #####    #######     ########  #######            #",
		"#   h                                              a       #",
		"#                                                          #",
		"# S           l         S     g        s            S      #",
		"#                                                          #",
		"##########################xxxx##############################",
		"############################################################",
	)
}

// Rules returns the default rules with 64 slots and no score limit.
func Rules() game.Rules {
	r := game.DefaultRules()
	r.MaxClients, r.PlayerSlots = 64, 64
	r.ScoreLimit = 0
	return r
}

// Join returns the commands that bring a player into the game.
func Join(id game.PlayerID) []game.Command {
	name := fmt.Sprintf("bot %d", id)
	return []game.Command{
		{Kind: game.CmdJoin, Player: id, AddrHash: uint64(id)},
		{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: name, Country: -1}},
		{Kind: game.CmdEnterGame, Player: id},
	}
}

// Rand is the random number generator of tests.
type Rand = splitmix.Rand

// Bots play at random: they run, jump, hook, aim and shoot.
type Bots struct {
	Rand Rand
	in   [game.MaxPlayers]game.Input
	cmds []game.Command
}

// Commands returns one tick's commands of the first n players. The slice is reused.
func (b *Bots) Commands(n int) []game.Command {
	b.cmds = b.cmds[:0]
	for id := range game.PlayerID(n) {
		in := &b.in[id]
		r := b.Rand.Next()
		if r%8 == 0 {
			in.Direction = int32(r>>8%3) - 1
			in.Jump = r>>16&1 != 0
			in.Hook = r>>17&1 != 0
			in.TargetX, in.TargetY = int32(r>>20%401)-200, int32(r>>32%401)-200
		}
		if r>>40%5 == 0 {
			in.Fire = (in.Fire + 1) & 63
		}
		if in.WantedWeapon = 0; r>>44%64 == 0 {
			in.WantedWeapon = int32(r >> 50 % 6)
		}
		b.cmds = append(b.cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: *in})
	}
	for id := range game.PlayerID(n) {
		b.cmds = append(b.cmds, game.Command{Kind: game.CmdInput, Player: id, Input: b.in[id]})
	}
	return b.cmds
}
