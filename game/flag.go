package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

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

// tickDeferredFlag moves a flag with its carrier or lets it fall.
func (w *World) tickDeferredFlag(t Team) {
	f := &w.flags[t]
	if !f.exists {
		return
	}
	if f.carrier != Nobody {
		if w.characters[f.carrier].exists {
			f.pos = w.characters[f.carrier].pos
		}
		return
	}
	if w.collision.At(f.pos.X, f.pos.Y)&physics.Death != 0 || w.collision.FarOutside(f.pos) {
		f.reset()
		w.callFlagReturn(t)
	}
	if f.atStand {
		return
	}
	if w.tick > f.dropTick+flagReturnTime {
		f.reset()
		w.callFlagReturn(t)
		return
	}
	f.vel.Y += w.coreWorld.Tuning.At(physics.Gravity)
	w.collision.MoveBox(&f.pos, &f.vel, vec.Vec2{X: flagSize, Y: flagSize}, 0.5)
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
