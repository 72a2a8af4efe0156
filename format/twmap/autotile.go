package twmap

// Neighbors is a set of neighbours of a tile.
type Neighbors uint8

// Neighbours by compass direction. N is the row above.
const (
	N Neighbors = 1 << iota
	NE
	E
	SE
	S
	SW
	W
	NW
)

var neighborOffsets = [8][2]int{{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}

// AutoTileRule selects a tile by its neighbours.
type AutoTileRule struct {
	Full, Empty  Neighbors // neighbours that must be part of the shape, and neighbours that must not
	Index, Flags uint8
}

// AutoTile describes how to draw a shape with a tileset. An AutoTile consists of the tile for the
// inside and rules for the edges; the last matching rule is used. Scatter tiles replace about one
// in ScatterEvery of the tiles that are surrounded on all sides. Scatter tiles are not used at the
// layer's border, because clients repeat the border outwards.
type AutoTile struct {
	Inside       uint8
	Rules        []AutoTileRule
	Scatter      []uint8
	ScatterEvery int
}

// Apply draws the tiles for which in returns true. Outside of the layer, its border is repeated, as
// in the game. Equal shapes give equal tiles.
func (t AutoTile) Apply(l *TileLayer, in func(x, y int) bool) {
	clamped := func(x, y int) bool {
		return in(min(max(x, 0), l.Width-1), min(max(y, 0), l.Height-1))
	}
	for y := range l.Height {
		for x := range l.Width {
			if !in(x, y) {
				continue
			}
			var full Neighbors
			for i, o := range neighborOffsets {
				if clamped(x+o[0], y+o[1]) {
					full |= 1 << i
				}
			}
			index, flags := t.Inside, uint8(0)
			for _, r := range t.Rules {
				if full&r.Full == r.Full && full&r.Empty == 0 {
					index, flags = r.Index, r.Flags
				}
			}
			border := x == 0 || y == 0 || x == l.Width-1 || y == l.Height-1
			if full == 0xff && t.ScatterEvery > 0 && !border {
				if h := hashPosition(x, y); h%uint32(t.ScatterEvery) == 0 {
					index = t.Scatter[h/uint32(t.ScatterEvery)%uint32(len(t.Scatter))]
				}
			}
			l.Set(x, y, index, flags)
		}
	}
}

// hashPosition returns a hash of a position, for choices that look random but never change.
func hashPosition(x, y int) uint32 {
	h := uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}
