// Package terrain has the parts of a map that the rules need: tiles and settings. Package game uses
// these types, and so can the simulations that package game imports.
package terrain

import (
	"errors"
	"fmt"
)

// Err is the error for a terrain whose sizes do not match.
var Err = errors.New("game: bad terrain")

// Terrain is the part of a map that the game rules need: the game layer, the additional layers of
// DDNet maps, and the map's settings. It must not be changed. A layer that is not nil has Width
// times Height tiles, row by row.
type Terrain struct {
	Width, Height int // tiles
	// Tiles are the tile indices of the game layer: 0 air, 1 solid, 2 death, 3 unhookable; 192 and
	// above are entities (spawns, pickups, flag stands). Only modes and mods use other indices.
	Tiles []uint8
	// Flags are the rotations and mirrorings of the game layer's tiles; nil means that all tiles
	// are upright.
	Flags []TileFlags
	// Front is a second game layer, and FrontFlags are its flags. Only modes and mods use them: the
	// game takes walls and entities from Tiles alone.
	Front      []uint8
	FrontFlags []TileFlags
	Tele       []TeleTile
	Speedup    []SpeedupTile
	Switch     []SwitchTile
	Tune       []TuneTile
	// Settings are the console commands of the map, such as "tune gravity 0.3".
	Settings []string
}

// TileFlags are the rotation and mirroring of a tile.
type TileFlags uint8

// The tile flags, with their values in maps.
const (
	TileFlipX  TileFlags = 1 // mirrored left to right
	TileFlipY  TileFlags = 2 // mirrored top to bottom
	TileRotate TileFlags = 8 // turned clockwise by 90 degrees, after that
)

// TeleTile is a tile of the tele layer: a teleporter or its exit. Teleporters and exits with the
// same Number belong together. Type is the tile index.
type TeleTile struct{ Number, Type uint8 }

// SpeedupTile is a tile of the speedup layer. It pushes tees if Force is above 0. Angle is in
// degrees, clockwise from the right.
type SpeedupTile struct {
	Force, MaxSpeed, Type uint8
	Angle                 int16
}

// SwitchTile is a tile of the switch layer: a switch, or a tile that the switches with the same
// Number control. Type is the tile index. Delay is in seconds for most types.
type SwitchTile struct {
	Number, Type uint8
	Flags        TileFlags
	Delay        uint8
}

// TuneTile is a tile of the tune layer: Number is the tune zone, Type the tile index.
type TuneTile struct{ Number, Type uint8 }

// The limits of a terrain. Formats that contain a terrain need them too.
const (
	// MaxTiles limits the map size: 16 million tiles are 64 times the largest map in use.
	MaxTiles = 1 << 24
	// MaxLayerBytes limits the memory of all layers but Tiles.
	MaxLayerBytes = 64 << 20
	// MaxSettings and MaxSettingsBytes limit the settings.
	MaxSettings      = 1 << 14
	MaxSettingsBytes = 1 << 20
)

// Check returns Err if the sizes do not match or are too large.
func (t *Terrain) Check() error {
	if t.Width <= 0 || t.Height <= 0 || t.Width > MaxTiles/t.Height {
		return fmt.Errorf("%w: size %d x %d", Err, t.Width, t.Height)
	}
	n, bytes := t.Width*t.Height, 0
	if len(t.Tiles) != n {
		return fmt.Errorf("%w: %d tiles for %d x %d", Err, len(t.Tiles), t.Width, t.Height)
	}
	for _, l := range []struct {
		name     string
		len, per int
		missing  bool
	}{
		{"flags", len(t.Flags), 1, t.Flags == nil},
		{"front layer", len(t.Front), 1, t.Front == nil},
		{"flags of the front layer", len(t.FrontFlags), 1, t.FrontFlags == nil},
		{"tele layer", len(t.Tele), 2, t.Tele == nil},
		{"speedup layer", len(t.Speedup), 6, t.Speedup == nil},
		{"switch layer", len(t.Switch), 4, t.Switch == nil},
		{"tune layer", len(t.Tune), 2, t.Tune == nil},
	} {
		if !l.missing && l.len != n {
			return fmt.Errorf("%w: %s with %d tiles for %d x %d", Err, l.name, l.len, t.Width, t.Height)
		}
		bytes += l.len * l.per
	}
	if bytes > MaxLayerBytes {
		return fmt.Errorf("%w: layers of %d bytes, at most %d are allowed", Err, bytes, MaxLayerBytes)
	}
	bytes = 0
	for _, s := range t.Settings {
		bytes += len(s)
	}
	if len(t.Settings) > MaxSettings || bytes > MaxSettingsBytes {
		return fmt.Errorf("%w: %d settings of %d bytes, at most %d and %d are allowed", Err, len(t.Settings), bytes, MaxSettings, MaxSettingsBytes)
	}
	return nil
}
