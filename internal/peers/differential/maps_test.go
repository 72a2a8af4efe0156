package differential

import (
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/maps"
)

// pit is a small map with all objects close together. Tees can fall out of its world.
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

// flagMap has both flags on one floor with deadly gaps.
const flagMap = `
##############################
#............................#
#.R...s.....h....h.....g...B.#
#...####..............####...#
#............................#
#......====..n...====........#
#.R...............S........B.#
#............................#
#.1.R...l...........a...B..2.#
#########.#####.####.#########
#########x#####x####x#########
##############################
`

// mapFile returns the file of a map that does not come with the original.
func mapFile(name string) ([]byte, bool) {
	switch name {
	case "pit":
		return peers.PlainMap(pit), true
	case "flags":
		return peers.PlainMap(flagMap), true
	}
	m, ok := maps.Find(name)
	return m.Data, ok
}
