package replay

import (
	"bytes"
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/terrain"
)

// The layers of a terrain besides the tiles, as bits in the order of the format.
const (
	hasFlags = 1 << iota
	hasFront
	hasFrontFlags
	hasTele
	hasSpeedup
	hasSwitch
	hasTune
	allLayers = hasTune<<1 - 1
)

// maxTerrain is the maximum length of a terrain that [game.Terrain.Check] accepts. A layer is
// longest if every other tile of one byte is empty: three bytes for two tiles. The rest covers the
// lengths of the settings, and the other numbers.
const maxTerrain = terrain.MaxTiles + terrain.MaxLayerBytes*3/2 + terrain.MaxSettingsBytes + 3*terrain.MaxSettings + 1<<10

func appendTerrain(dst []byte, t *game.Terrain) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Width))
	dst = binary.AppendUvarint(dst, uint64(t.Height))
	dst = append(dst, t.Tiles...)
	layers := uint64(0)
	for i, present := range []bool{t.Flags != nil, t.Front != nil, t.FrontFlags != nil, t.Tele != nil, t.Speedup != nil, t.Switch != nil, t.Tune != nil} {
		if present {
			layers |= 1 << i
		}
	}
	dst = binary.AppendUvarint(dst, layers)
	flags := func(dst []byte, f game.TileFlags) []byte { return append(dst, byte(f)) }
	dst = appendLayer(dst, t.Flags, flags)
	dst = appendLayer(dst, t.Front, func(dst []byte, v uint8) []byte { return append(dst, v) })
	dst = appendLayer(dst, t.FrontFlags, flags)
	dst = appendLayer(dst, t.Tele, func(dst []byte, v game.TeleTile) []byte { return append(dst, v.Number, v.Type) })
	dst = appendLayer(dst, t.Speedup, func(dst []byte, v game.SpeedupTile) []byte {
		return append(dst, v.Force, v.MaxSpeed, v.Type, byte(v.Angle), byte(v.Angle>>8))
	})
	dst = appendLayer(dst, t.Switch, func(dst []byte, v game.SwitchTile) []byte {
		return append(dst, v.Number, v.Type, byte(v.Flags), v.Delay)
	})
	dst = appendLayer(dst, t.Tune, func(dst []byte, v game.TuneTile) []byte { return append(dst, v.Number, v.Type) })
	dst = binary.AppendUvarint(dst, uint64(len(t.Settings)))
	for _, s := range t.Settings {
		dst = appendText(dst, s)
	}
	return dst
}

// appendLayer appends the tiles of a layer, most of which are usually empty: in turn a number of
// empty ones, and a number of others and these.
func appendLayer[T comparable](dst []byte, tiles []T, appendTile func([]byte, T) []byte) []byte {
	var empty T
	for i := 0; i < len(tiles); {
		first := i
		for i < len(tiles) && tiles[i] == empty {
			i++
		}
		dst = binary.AppendUvarint(dst, uint64(i-first))
		first = i
		for i < len(tiles) && tiles[i] != empty {
			i++
		}
		dst = binary.AppendUvarint(dst, uint64(i-first))
		for _, t := range tiles[first:i] {
			dst = appendTile(dst, t)
		}
	}
	return dst
}

func (s *fieldReader) readTerrain(t *game.Terrain, version byte) {
	w, h := s.uvarint(), s.uvarint()
	if w == 0 || h == 0 || w > terrain.MaxTiles || h > terrain.MaxTiles/w {
		s.fail()
		return
	}
	n := int(w * h)
	*t = game.Terrain{Width: int(w), Height: int(h), Tiles: bytes.Clone(s.raw(n))}
	if version == 1 {
		return
	}
	layers := s.uvarint()
	if layers > allLayers {
		s.fail()
	}
	r := layerReader{s: s, layers: layers, tiles: n, left: terrain.MaxLayerBytes}
	flags := func(b []byte) game.TileFlags { return game.TileFlags(b[0]) }
	t.Flags = readLayer(&r, hasFlags, 1, 1, flags)
	t.Front = readLayer(&r, hasFront, 1, 1, func(b []byte) uint8 { return b[0] })
	t.FrontFlags = readLayer(&r, hasFrontFlags, 1, 1, flags)
	t.Tele = readLayer(&r, hasTele, 2, 2, func(b []byte) game.TeleTile { return game.TeleTile{Number: b[0], Type: b[1]} })
	t.Speedup = readLayer(&r, hasSpeedup, 5, 6, func(b []byte) game.SpeedupTile {
		return game.SpeedupTile{Force: b[0], MaxSpeed: b[1], Type: b[2], Angle: int16(binary.LittleEndian.Uint16(b[3:]))}
	})
	t.Switch = readLayer(&r, hasSwitch, 4, 4, func(b []byte) game.SwitchTile {
		return game.SwitchTile{Number: b[0], Type: b[1], Flags: game.TileFlags(b[2]), Delay: b[3]}
	})
	t.Tune = readLayer(&r, hasTune, 2, 2, func(b []byte) game.TuneTile { return game.TuneTile{Number: b[0], Type: b[1]} })
	settings := s.uvarint()
	if settings > terrain.MaxSettings {
		s.fail()
	}
	for i := uint64(0); i < settings && !s.failed; i++ {
		t.Settings = append(t.Settings, s.readText())
	}
}

// layerReader decodes the layers of a terrain.
type layerReader struct {
	s      *fieldReader
	layers uint64 // that the terrain has
	tiles  int    // of each layer
	left   int    // bytes that layers may still take
}

// readLayer is the inverse of appendLayer, for a layer with tiles of size bytes that take memory
// bytes when they are decoded. It returns nil if the terrain has no such layer.
func readLayer[T any](r *layerReader, layer uint64, size, memory int, decode func([]byte) T) []T {
	if r.layers&layer == 0 || r.s.failed {
		return nil
	}
	if r.left -= r.tiles * memory; r.left < 0 {
		r.s.fail()
		return nil
	}
	tiles := make([]T, r.tiles)
	for i := 0; i < len(tiles); {
		empty := r.s.uvarint()
		others := r.s.uvarint()
		if left := uint64(len(tiles) - i); empty > left || others > left-empty || empty+others == 0 {
			r.s.fail()
			return nil
		}
		i += int(empty)
		b := r.s.raw(int(others) * size)
		for ; len(b) > 0; b = b[size:] {
			tiles[i] = decode(b)
			i++
		}
		if r.s.failed {
			return nil
		}
	}
	return tiles
}
