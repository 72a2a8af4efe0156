package game

import "github.com/teeyard/teeyard/game/vec"

// FlagInfo is the state of a flag.
type FlagInfo struct {
	Pos     vec.Vec2
	AtStand bool
	Carrier PlayerID // player who carries the flag, or Nobody
	// GrabTick is the tick at which a player last took the flag from its stand.
	GrabTick int32
}

// PlaceFlag sets the position of a team's flag stand. Call it in OnEntity. Each team has one flag:
// further calls, and calls for other teams, have no effect.
func (tx *Tx) PlaceFlag(t Team, pos vec.Vec2) {
	if t != TeamRed && t != TeamBlue || tx.w.flags[t].exists {
		return
	}
	id, ok := tx.w.entityIDs.alloc()
	if !ok {
		return
	}
	tx.w.flags[t] = flag{exists: true, id: id, stand: pos}
	tx.w.flags[t].reset()
}

func (tx *Tx) flag(t Team) *flag {
	if t != TeamRed && t != TeamBlue || !tx.w.flags[t].exists {
		return nil
	}
	return &tx.w.flags[t]
}

// Flag returns the state of a team's flag, and false if the team has no flag.
func (tx *Tx) Flag(t Team) (FlagInfo, bool) {
	f := tx.flag(t)
	if f == nil {
		return FlagInfo{Carrier: Nobody}, false
	}
	return FlagInfo{Pos: f.pos, AtStand: f.atStand, Carrier: f.carrier, GrabTick: f.grabTick}, true
}

// GrabFlag gives a team's flag to a living tee.
func (tx *Tx) GrabFlag(t Team, id PlayerID) {
	f := tx.flag(t)
	if f == nil || tx.character(id) == nil {
		return
	}
	f.carrier = id
	if f.atStand {
		f.grabTick = tx.w.tick
	}
	f.atStand = false
}

// DropFlag makes the carrier of a flag drop it.
func (tx *Tx) DropFlag(t Team) {
	if f := tx.flag(t); f != nil && f.carrier != Nobody {
		f.drop(tx.w.tick)
	}
}

// ReturnFlag moves a flag to its stand.
func (tx *Tx) ReturnFlag(t Team) {
	if f := tx.flag(t); f != nil {
		f.reset()
	}
}

// FindCharacters fills out with the living tees that touch a circle around pos, latest spawn first.
// It returns their number.
func (tx *Tx) FindCharacters(pos vec.Vec2, radius float32, out *[MaxPlayers]PlayerID) int {
	n := 0
	for _, id := range out[:tx.w.findCharacters(pos, radius, out)] {
		if tx.w.characters[id].alive {
			out[n] = id
			n++
		}
	}
	return n
}

// WallBetween reports whether a wall is on the line between two points.
func (tx *Tx) WallBetween(from, to vec.Vec2) bool {
	_, _, wall := tx.w.collision.IntersectLine(from, to)
	return wall != 0
}
