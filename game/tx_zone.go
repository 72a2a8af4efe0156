package game

import (
	"slices"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// TuneZone is a part of the map in which tees move with another tuning. A tee must meet all of
// Tile, Tune and To that are set.
type TuneZone struct {
	// Tile selects the tiles with this index in the game layer or DDNet's front layer. Tune selects
	// the tiles with this number in DDNet's tune layer.
	Tile, Tune uint8
	// Floor selects by the tile below the tee, 32 units below its middle, instead of the tile at
	// its middle.
	Floor bool
	// From and To are opposite corners of a rectangle, in units. If To is zero, the zone is not
	// limited to a rectangle.
	From, To vec.Vec2
	// Tuning are the parameters that differ from the world's, by their console names, such as
	// "gravity". Weapon parameters cannot differ.
	Tuning map[string]float32
}

// maxTuneZones is how many zones there may be.
const maxTuneZones = 256

// tuneZone is a TuneZone as the world has it.
type tuneZone struct {
	TuneZone
	of      owner
	changes []tuneChange // by index
}

type tuneChange struct {
	index int
	value float32
}

// TuneZone declares a zone. If a tee is in several zones, the one declared first counts. While
// [Player.SetTuning] gives the player a tuning, zones do not count. As with SetTuning, clients are
// sent the tuning at the end of the tick.
func (s *Setup) TuneZone(z TuneZone) {
	w, d := s.w, s.declare("TuneZone")
	own := tuneZone{TuneZone: z, of: w.running}
	for name, value := range z.Tuning {
		i := physics.TuneParamIndex(name)
		if i < 0 {
			d.fail("TuneZone", name, "the tuning has no such parameter")
			return
		}
		own.changes = append(own.changes, tuneChange{i, value})
	}
	if len(w.tuneZones) == maxTuneZones {
		d.fail("TuneZone", "257", "at most 256 can be declared")
		return
	}
	slices.SortFunc(own.changes, func(a, b tuneChange) int { return a.index - b.index })
	own.From.X, own.To.X = min(z.From.X, z.To.X), max(z.From.X, z.To.X)
	own.From.Y, own.To.Y = min(z.From.Y, z.To.Y), max(z.From.Y, z.To.Y)
	w.tuneZones = append(w.tuneZones, own)
	w.extend()
}

// zoneAt returns the zone of a tee in a place, or nil.
func (w *World) zoneAt(pos vec.Vec2) *tuneZone {
	for i := range w.tuneZones {
		if z := &w.tuneZones[i]; !w.isOff(z.of) && w.isInZone(z, pos) {
			return z
		}
	}
	return nil
}

func (w *World) isInZone(z *tuneZone, pos vec.Vec2) bool {
	if z.From != z.To && (pos.X < z.From.X || pos.X > z.To.X || pos.Y < z.From.Y || pos.Y > z.To.Y) {
		return false
	}
	if z.Tile == 0 && z.Tune == 0 {
		return true
	}
	if z.Floor {
		pos.Y += physics.TileSize
	}
	t, i := &w.terrain, w.collision.TileIndex(pos.X, pos.Y)
	return (z.Tile == 0 || t.Tiles[i] == z.Tile || at(t.Front, i) == z.Tile) &&
		(z.Tune == 0 || at(t.Tune, i).Number == z.Tune)
}

// apply changes a tuning to the zone's.
func (z *tuneZone) apply(t *Tuning) {
	for _, c := range z.changes {
		t.SetAt(c.index, c.value)
	}
}

// zoneTuning returns the tuning of the zone of a player's tee, and false if it is in none.
func (w *World) zoneTuning(id PlayerID) (t Tuning, ok bool) {
	if len(w.tuneZones) == 0 || !w.isAlive(id) {
		return t, false
	}
	z := w.zoneAt(w.tees.All[id].Pos)
	if z == nil {
		return t, false
	}
	t = w.tuning
	z.apply(&t)
	copy(t[firstWeaponParam:endOfWeaponParams], w.tuning[firstWeaponParam:endOfWeaponParams])
	return t, true
}
