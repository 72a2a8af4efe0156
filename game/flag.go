package game

import "github.com/teeyard/teeyard/game/vec"

const (
	flagSize       float32 = 14
	flagReturnTime         = 30 * TickRate // a dropped flag returns after this time
)

// flag is a flag of a mode with GameFlagFlags. The world moves it; the mode decides the effect of a
// touch.
type flag struct {
	exists   bool
	id       uint16
	pos, vel vec.Vec2
	stand    vec.Vec2
	atStand  bool
	carrier  PlayerID
	dropTick int32
	grabTick int32 // tick at which it was last taken from its stand
}

func (f *flag) reset() {
	if !f.exists {
		return
	}
	f.carrier = Nobody
	f.atStand = true
	f.pos = f.stand
	f.vel = vec.Vec2{}
	f.grabTick = 0
}

func (f *flag) pause() {
	f.dropTick++
	if f.grabTick != 0 {
		f.grabTick++
	}
}

func (f *flag) drop(tick int32) {
	f.carrier = Nobody
	f.vel = vec.Vec2{}
	f.dropTick = tick
}

// closestFlag returns the flag closest to pos, with the limits of closestCharacter.
func (w *World) closestFlag(pos vec.Vec2, radius float32) Team {
	best, nearest := TeamSpectators, radius*2
	for i := range w.flags {
		f := &w.flags[i]
		if !f.exists {
			continue
		}
		if d := vec.Distance(pos, f.pos); d < flagSize+radius && d < nearest {
			best, nearest = Team(i), d
		}
	}
	return best
}

// dropCarriedFlags drops the flags that a player who dies or leaves still carries.
func (w *World) dropCarriedFlags(id PlayerID) {
	for i := range w.flags {
		if f := &w.flags[i]; f.exists && f.carrier == id {
			f.drop(w.tick)
		}
	}
}
