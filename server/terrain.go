package server

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
)

// Terrain returns what a world needs of a map that has a game layer.
func Terrain(m *twmap.Map) (game.Terrain, error) {
	l := m.GameLayer()
	t := game.Terrain{Width: l.Width, Height: l.Height, Tiles: l.Indices(), Settings: m.Info.Settings}
	t.Flags = tileFlags(len(l.Tiles), func(i int) uint8 { return l.Tiles[i].Flags })
	front, err := m.DDNetLayer(twmap.KindFront)
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
	if t.Tele, err = ddnetTiles(m, twmap.KindTele, func(b []byte) game.TeleTile { return game.TeleTile{Number: b[0], Type: b[1]} }); err != nil {
		return t, err
	}
	if t.Speedup, err = ddnetTiles(m, twmap.KindSpeed, func(b []byte) game.SpeedupTile {
		return game.SpeedupTile{Force: b[0], MaxSpeed: b[1], Type: b[2], Angle: int16(binary.LittleEndian.Uint16(b[4:]))}
	}); err != nil {
		return t, err
	}
	if t.Switch, err = ddnetTiles(m, twmap.KindSwitch, func(b []byte) game.SwitchTile {
		return game.SwitchTile{Number: b[0], Type: b[1], Flags: game.TileFlags(b[2]), Delay: b[3]}
	}); err != nil {
		return t, err
	}
	if t.Tune, err = ddnetTiles(m, twmap.KindTune, func(b []byte) game.TuneTile { return game.TuneTile{Number: b[0], Type: b[1]} }); err != nil {
		return t, err
	}
	return t, t.Check()
}

// ddnetTiles returns the tiles of one of DDNet's layers, nil if the map has none.
func ddnetTiles[T any](m *twmap.Map, kind twmap.TileKind, decode func([]byte) T) ([]T, error) {
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

// tileFlags returns the flags of n tiles, nil if none has any that matter to the game.
func tileFlags(n int, flags func(i int) uint8) []game.TileFlags {
	const known = game.TileFlipX | game.TileFlipY | game.TileRotate
	var all []game.TileFlags
	for i := range n {
		if f := game.TileFlags(flags(i)) & known; f != 0 {
			if all == nil {
				all = make([]game.TileFlags, n)
			}
			all[i] = f
		}
	}
	return all
}
