package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// FlagInfo is the state of a flag.
type FlagInfo struct {
	Pos     vec.Vec2
	AtStand bool
	Carrier PlayerID // player who carries the flag, or Nobody
	// GrabTick is the tick at which a player last took the flag from its stand.
	GrabTick int32
}

// Flag is the flag of a team.
type Flag struct {
	tx   *Tx
	team Team
}

// Flag returns the flag of a team. The result is usable even if the team has no flag yet.
func (tx *Tx) Flag(t Team) Flag { return Flag{tx, t} }

// Place sets the position of the flag's stand. Call it in OnEntity. Each team has one flag: further
// calls, and calls for other teams, have no effect.
func (f Flag) Place(pos vec.Vec2) {
	if f.team != TeamRed && f.team != TeamBlue || f.tx.w.flags[f.team].Exists {
		return
	}
	id, ok := f.tx.w.entityIDs.Alloc()
	if !ok {
		return
	}
	f.tx.w.flags[f.team] = tee.Flag{Exists: true, EntityID: id, Stand: pos}
	f.tx.w.flags[f.team].Reset()
}

// flag returns the state of the flag, or nil if the team has none.
func (f Flag) flag() *tee.Flag {
	if f.team != TeamRed && f.team != TeamBlue || !f.tx.w.flags[f.team].Exists {
		return nil
	}
	return &f.tx.w.flags[f.team]
}

// Info returns the state of the flag, and false if the team has no flag.
func (f Flag) Info() (FlagInfo, bool) {
	fl := f.flag()
	if fl == nil {
		return FlagInfo{Carrier: Nobody}, false
	}
	return FlagInfo{Pos: fl.Pos, AtStand: fl.AtStand, Carrier: PlayerID(fl.Carrier), GrabTick: fl.GrabTick}, true
}

// Grab gives the flag to a living tee.
func (f Flag) Grab(id PlayerID) {
	fl := f.flag()
	if fl == nil || f.tx.character(id) == nil {
		return
	}
	fl.Carrier = tee.ID(id)
	if fl.AtStand {
		fl.GrabTick = f.tx.w.tick
	}
	fl.AtStand = false
}

// Drop makes the carrier drop the flag.
func (f Flag) Drop() {
	if fl := f.flag(); fl != nil && fl.Carrier != tee.Nobody {
		fl.Drop(f.tx.w.tick)
	}
}

// Return moves the flag to its stand.
func (f Flag) Return() {
	if fl := f.flag(); fl != nil {
		fl.Reset()
	}
}
