package twmap

import (
	"fmt"
	"slices"
)

// Tile indices of the game layer. Indices 4 to 191 are air in the vanilla game; higher ones are
// entities.
const (
	Air        = 0
	Solid      = 1
	Death      = 2
	Unhookable = 3 // solid, but hooks do not attach
)

// Entities of the game layer, as tile indices. An entity is in the middle of its tile. For the
// physics, the tile is air.
const (
	EntityOffset      = 191
	Spawn             = EntityOffset + 1 // for any team
	SpawnRed          = EntityOffset + 2
	SpawnBlue         = EntityOffset + 3
	FlagStandRed      = EntityOffset + 4
	FlagStandBlue     = EntityOffset + 5
	PickupArmor       = EntityOffset + 6
	PickupHealth      = EntityOffset + 7
	PickupShotgun     = EntityOffset + 8
	PickupGrenade     = EntityOffset + 9
	PickupNinja       = EntityOffset + 10
	PickupLaser       = EntityOffset + 11
	lastVanillaEntity = PickupLaser
)

// GameLayer returns the game layer, or nil if the map has none. Menu themes, for example, have
// none. If there are several, it returns the one that 0.7 programs use: the first one in the last
// group that has any.
func (m *Map) GameLayer() *TileLayer {
	for g := len(m.Groups) - 1; g >= 0; g-- {
		for _, l := range m.Groups[g].Layers {
			if t, ok := l.(*TileLayer); ok && t.Kind&KindGame != 0 {
				return t
			}
		}
	}
	return nil
}

// DDNetLayer returns the data of the layer of one of DDNet's kinds, or nil if the map has no such
// layer. The last layer of a kind counts, as in DDNet. The data is row by row, with
// [TileKind.DDNetTileSize] bytes for each tile of the game layer. Rows beyond the game layer are
// left out. A layer of another width than the game layer, or with too little data, is an error.
func (m *Map) DDNetLayer(kind TileKind) ([]byte, error) {
	slot, size := slices.Index(ddnetKinds[:], kind), kind.DDNetTileSize()
	game := m.GameLayer()
	if slot < 0 || game == nil {
		return nil, nil
	}
	var found *TileLayer
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if t, ok := l.(*TileLayer); ok && t.Kind&kind != 0 {
				found = t
			}
		}
	}
	if found == nil {
		return nil, nil
	}
	var data []byte
	if found.DDNetData != nil {
		data = found.DDNetData[slot]
	}
	n := game.Width * game.Height * size
	if found.Width != game.Width || len(data) < n {
		return nil, fmt.Errorf("%w: %s layer of %d×%d tiles with %d bytes; the game layer of %d×%d tiles needs %d bytes",
			ErrFormat, ddnetNames[slot], found.Width, found.Height, len(data), game.Width, game.Height, n)
	}
	return data[:n:n], nil
}

// ddnetKinds and ddnetNames are in the order of TileLayer.DDNetData.
var (
	ddnetKinds = [...]TileKind{KindTele, KindSpeed, KindFront, KindSwitch, KindTune}
	ddnetNames = [...]string{"tele", "speedup", "front", "switch", "tune"}
)

// DDNetTileSize returns the number of bytes per tile of one of DDNet's kinds. Tele and tune have 2
// (number, type). Speedup has 6 (force, maximum speed, type, 0, angle in little endian). Front has
// 4 (index, flags, 0, 0), and so has switch (number, type, flags, delay).
func (k TileKind) DDNetTileSize() int {
	switch k {
	case KindTele, KindTune:
		return 2
	case KindSpeed:
		return 6
	case KindFront, KindSwitch:
		return 4
	}
	return 0
}

// Indices returns the tile indices, row by row from the top left.
func (l *TileLayer) Indices() []uint8 {
	out := make([]uint8, len(l.Tiles))
	for i, t := range l.Tiles {
		out[i] = t.Index
	}
	return out
}

// At returns the tile at column x and row y, or the zero tile if that is outside of the layer.
func (l *TileLayer) At(x, y int) Tile {
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return Tile{}
	}
	return l.Tiles[y*l.Width+x]
}

// Entity is a tile with an entity.
type Entity struct {
	X, Y  int   // column and row
	Index uint8 // Spawn to PickupLaser
}

// Entities iterates over the vanilla entities, row by row.
func (l *TileLayer) Entities(yield func(Entity) bool) {
	for i, t := range l.Tiles {
		if t.Index > EntityOffset && t.Index <= lastVanillaEntity && !yield(Entity{i % l.Width, i / l.Width, t.Index}) {
			return
		}
	}
}
