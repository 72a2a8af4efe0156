package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// closestFlag returns the flag closest to pos, with the limits of tee.Tees.Closest.
func (w *World) closestFlag(pos vec.Vec2, radius float32) Team {
	best, nearest := TeamSpectators, radius*2
	for i := range w.flags {
		f := &w.flags[i]
		if !f.Exists {
			continue
		}
		if d := vec.Distance(pos, f.Pos); d < tee.FlagSize+radius && d < nearest {
			best, nearest = Team(i), d
		}
	}
	return best
}

// dropCarriedFlags drops the flags that a player who dies or leaves still carries.
func (w *World) dropCarriedFlags(id PlayerID) {
	for i := range w.flags {
		if f := &w.flags[i]; f.Exists && f.Carrier == tee.ID(id) {
			f.Drop(w.tick)
		}
	}
}
