package ddrace

import (
	"bytes"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// Needs returns what a map has that only DDRace plays, such as "a tele layer", and "" for maps that
// other modes can play as well.
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
	// Freeze alone does not tell: it has the index of spikes of FNG.
	has := func(index byte) bool { return bytes.IndexByte(t.Tiles, index) >= 0 }
	if has(ddrace.TileFreeze) && (has(ddrace.TileUnfreeze) || has(ddrace.TileStart)) {
		return "tiles of freeze"
	}
	return ""
}

// used reports whether a layer has a tile.
func used[T comparable](layer []T) bool {
	var none T
	return slices.ContainsFunc(layer, func(tile T) bool { return tile != none })
}
