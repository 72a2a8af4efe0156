package differential

import (
	"sync"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/maps"
)

// pit is a map in which everything is near, and from which tees can fall out of the world.
const pit = `################################
#..............................#
#.S.h.a..s.g.l.n....h....a...S.#
#..====....##....======..##....#
#..............................#
#.S.g..l....s...g.l....s.n.g.S.#
#####..##########..#######..####
#..............................#
#...........==.................#
#.S.a.s.h.g.n.l.h.a...g..l...S.#
#########..xx..#########.#######
#########......#########.#######
`

var pitFile = sync.OnceValue(func() []byte {
	tiles, err := twmap.ParseTiles(pit, map[byte]uint8{
		'.': twmap.Air, '#': twmap.Solid, '=': twmap.Unhookable, 'x': twmap.Death, 'S': twmap.Spawn,
		'a': twmap.PickupArmor, 'h': twmap.PickupHealth, 's': twmap.PickupShotgun,
		'g': twmap.PickupGrenade, 'l': twmap.PickupLaser, 'n': twmap.PickupNinja,
	})
	if err != nil {
		panic(err)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, tiles)}}
	b, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return b
})

// mapFile returns the file of a map that does not come with the original.
func mapFile(name string) ([]byte, bool) {
	if name == "pit" {
		return pitFile(), true
	}
	m, ok := maps.Find(name)
	return m.Data, ok
}
