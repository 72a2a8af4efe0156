package peers

import (
	"strings"

	"github.com/teeyard/teeyard/format/twmap"
)

// PlainMap returns the file of a map that consists of a game layer only, which servers can
// play. The drawing has a line of characters for each row of tiles: . air, # solid, =
// unhookable, x deadly, S spawn point, h health, a armor, s shotgun, g grenade launcher, l
// laser, n ninja; of races > start, < finish, c and d checkpoints.
func PlainMap(drawing string) []byte {
	m := &twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, parseDrawing(drawing))}}
	file, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return file
}

func parseDrawing(drawing string) *twmap.TileLayer {
	layer, err := twmap.ParseTiles(strings.TrimSpace(drawing), map[byte]uint8{
		'.': twmap.Air, '#': twmap.Solid, '=': twmap.Unhookable, 'x': twmap.Death, 'S': twmap.Spawn,
		'R': twmap.SpawnRed, 'B': twmap.SpawnBlue, '1': twmap.FlagStandRed, '2': twmap.FlagStandBlue,
		'h': twmap.PickupHealth, 'a': twmap.PickupArmor, 's': twmap.PickupShotgun,
		'g': twmap.PickupGrenade, 'l': twmap.PickupLaser, 'n': twmap.PickupNinja,
		'>': 33, '<': 34, 'c': 35, 'd': 36,
	})
	if err != nil {
		panic(err)
	}
	return layer
}
