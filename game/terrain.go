package game

import (
	"hash/crc32"

	"github.com/teeyard/teeyard/game/terrain"
)

// Terrain is the part of a map that the rules use.
type Terrain = terrain.Terrain

// TileFlags are the orientation of a tile.
type TileFlags = terrain.TileFlags

// TeleTile is a tile of the tele layer.
type TeleTile = terrain.TeleTile

// SpeedupTile is a tile of the speedup layer.
type SpeedupTile = terrain.SpeedupTile

// SwitchTile is a tile of the switch layer.
type SwitchTile = terrain.SwitchTile

// TuneTile is a tile of the tune layer.
type TuneTile = terrain.TuneTile

// The orientations of a tile, as bits.
const (
	TileFlipX  = terrain.TileFlipX
	TileFlipY  = terrain.TileFlipY
	TileRotate = terrain.TileRotate
)

// ErrTerrain means that the layers of a terrain have different sizes. [New] returns it.
var ErrTerrain = terrain.Err

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// terrainSum returns a checksum of all layers and settings. If only tiles are set, it is the
// checksum of the tiles.
func terrainSum(t *Terrain) uint32 {
	var h hasher
	for i, list := range [...][]TileFlags{t.Flags, t.FrontFlags} {
		for at, v := range list {
			if v != 0 {
				h.add(uint64(i)<<48 | uint64(at)<<8 | uint64(v))
			}
		}
	}
	if t.Front != nil {
		h.bytes(t.Front)
	}
	for _, v := range t.Tele {
		h.add(1<<32 | uint64(v.Number)<<8 | uint64(v.Type))
	}
	for _, v := range t.Speedup {
		h.add(2<<56 | uint64(v.Force)<<48 | uint64(v.MaxSpeed)<<40 | uint64(v.Type)<<32 | uint64(uint16(v.Angle)))
	}
	for _, v := range t.Switch {
		h.add(3<<32 | uint64(v.Number)<<24 | uint64(v.Type)<<16 | uint64(v.Flags)<<8 | uint64(v.Delay))
	}
	for _, v := range t.Tune {
		h.add(4<<32 | uint64(v.Number)<<8 | uint64(v.Type))
	}
	for _, s := range t.Settings {
		h.text(s)
	}
	return crc32.Checksum(t.Tiles, castagnoli) ^ uint32(h)
}
