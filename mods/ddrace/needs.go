package ddrace

import (
	"bytes"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// Needs returns a part of the map that only DDRace can play, such as "a tele layer". It returns ""
// if other game types can play the map.
func Needs(t *game.Terrain) string {
	switch {
	case used(t.Front):
		return "a front layer"
	case used(t.Tele):
		return "a tele layer"
	case used(t.Speedup):
		return "a speedup layer"
	case used(t.Switch):
		return "a switch layer"
	case used(t.Tune):
		return "a tune layer"
	}
	// The freeze tile alone is not enough: FNG uses its index for spikes.
	has := func(index byte) bool { return bytes.IndexByte(t.Tiles, index) >= 0 }
	if has(ddrace.TileFreeze) && (has(ddrace.TileUnfreeze) || has(ddrace.TileStart)) {
		return "tiles of freeze"
	}
	return ""
}

// used reports whether a layer has a tile that is not empty.
func used[T comparable](layer []T) bool {
	var none T
	return slices.ContainsFunc(layer, func(tile T) bool { return tile != none })
}
