package twmap

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game/terrain"
)

// Terrain returns the tiles and settings of the map in the form that a world needs. Terrain returns
// [ErrNoGameLayer], or an error about damaged layers.
func (m *Map) Terrain() (terrain.Terrain, error) {
	l := m.GameLayer()
	if l == nil {
		return terrain.Terrain{}, ErrNoGameLayer
	}
	t := terrain.Terrain{Width: l.Width, Height: l.Height, Tiles: l.Indices(), Settings: m.Info.Settings}
	t.Flags = tileFlags(len(l.Tiles), func(i int) uint8 { return l.Tiles[i].Flags })
	front, err := m.DDNetLayer(KindFront)
	if err != nil {
		return t, err
	}
	if front != nil {
		t.Front = make([]uint8, len(front)/4)
		for i := range t.Front {
			t.Front[i] = front[4*i]
		}
		t.FrontFlags = tileFlags(len(t.Front), func(i int) uint8 { return front[4*i+1] })
	}
	if t.Tele, err = ddnetTiles(m, KindTele, func(b []byte) terrain.TeleTile { return terrain.TeleTile{Number: b[0], Type: b[1]} }); err != nil {
		return t, err
	}
	if t.Speedup, err = ddnetTiles(m, KindSpeed, func(b []byte) terrain.SpeedupTile {
		return terrain.SpeedupTile{Force: b[0], MaxSpeed: b[1], Type: b[2], Angle: int16(binary.LittleEndian.Uint16(b[4:]))}
	}); err != nil {
		return t, err
	}
	if t.Switch, err = ddnetTiles(m, KindSwitch, func(b []byte) terrain.SwitchTile {
		return terrain.SwitchTile{Number: b[0], Type: b[1], Flags: terrain.TileFlags(b[2]), Delay: b[3]}
	}); err != nil {
		return t, err
	}
	if t.Tune, err = ddnetTiles(m, KindTune, func(b []byte) terrain.TuneTile { return terrain.TuneTile{Number: b[0], Type: b[1]} }); err != nil {
		return t, err
	}
	return t, t.Check()
}

// ddnetTiles returns the decoded tiles of one of DDNet's layers, or nil if the map has none.
func ddnetTiles[T any](m *Map, kind TileKind, decode func([]byte) T) ([]T, error) {
	data, err := m.DDNetLayer(kind)
	if data == nil {
		return nil, err
	}
	size := kind.DDNetTileSize()
	tiles := make([]T, len(data)/size)
	for i := range tiles {
		tiles[i] = decode(data[i*size:])
	}
	return tiles, nil
}

// tileFlags returns the flags of n tiles, or nil if no tile has flags that the terrain uses.
func tileFlags(n int, flags func(i int) uint8) []terrain.TileFlags {
	const known = terrain.TileFlipX | terrain.TileFlipY | terrain.TileRotate
	var all []terrain.TileFlags
	for i := range n {
		if f := terrain.TileFlags(flags(i)) & known; f != 0 {
			if all == nil {
				all = make([]terrain.TileFlags, n)
			}
			all[i] = f
		}
	}
	return all
}
