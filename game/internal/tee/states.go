package tee

import "github.com/teeyard/teeyard/game/physics"

// States is the part of a tee that only mods change. It has an effect only with Tees.Extended.
type States struct {
	Flags       Flags
	FreezeStart int32 // tick at which the freeze began
	FreezeEnd   int32 // tick from which the tee is free again; 0 not frozen, or FreezeForever
	Masked      Controls
	NotFor      Set   // players who do not see the tee
	MoreJumps   int32 // than UsualJumps
	AirJumps    int32 // since the tee was on the ground; counted if MoreJumps is not 0
}

// Set is a set of players, as in package game.
type Set struct{ Low, High uint64 }

// UsualJumps is how often a tee can jump: from the ground and once more in the air.
const UsualJumps = 2

// FreezeForever is the end of a freeze that only Unfreeze ends.
const FreezeForever int32 = -1

// Flags is a set of exceptions from the usual rules, with the values of DDNet.
type Flags uint32

// The flags.
const (
	Solo         Flags = 1 << 0 // the tee and others do not affect each other
	NoCollision  Flags = 1 << 2
	EndlessHook  Flags = 1 << 3
	EndlessJump  Flags = 1 << 4
	NoHammerHit  Flags = 1 << 6 // the tee does not hit others with that weapon
	NoShotgunHit Flags = 1 << 7
	NoGrenadeHit Flags = 1 << 8 // also the gun and the ninja, as in DDNet
	NoLaserHit   Flags = 1 << 9
	NoHook       Flags = 1 << 10
	Invincible   Flags = 1 << 25

	allFlags = Solo | NoCollision | EndlessHook | EndlessJump | NoHammerHit | NoShotgunHit | NoGrenadeHit | NoLaserHit | NoHook | Invincible
)

// Exceptions returns the flags that the physics apply.
func (f Flags) Exceptions() (e physics.Exceptions) {
	if f&Solo != 0 {
		e |= physics.Solo
	}
	if f&NoCollision != 0 {
		e |= physics.NoCollision
	}
	if f&NoHook != 0 {
		e |= physics.NoHookHit
	}
	return e
}

// EndTick applies endless hook and the limits of jumps after a tick of a core. It counts the jumps
// in the air.
func (f Flags) EndTick(core *physics.Core, jumps int32, inAir *int32) {
	if f&EndlessHook != 0 {
		core.HookTick = 0
	}
	if jumps != UsualJumps {
		if core.Events&physics.EventAirJump != 0 {
			*inAir++
		} else if core.Events&physics.EventGroundJump != 0 || core.Grounded() {
			*inAir = 0
		}
		core.LimitJumps(jumps, *inAir)
	}
	if f&EndlessJump != 0 {
		core.RefillJump()
	}
}

// The methods below that change a state report whether it was another one before.

// SetFlags replaces the flags.
func (s *States) SetFlags(f Flags) bool {
	f &= allFlags
	changed := s.Flags != f
	s.Flags = f
	return changed
}

// SetMasked replaces the masked controls.
func (s *States) SetMasked(c Controls) bool {
	c &= ControlAll
	changed := s.Masked != c
	s.Masked = c
	return changed
}

// SetJumps sets the number of jumps before the tee must land.
func (s *States) SetJumps(n int32) bool {
	if s.MoreJumps == n-UsualJumps {
		return false
	}
	s.MoreJumps, s.AirJumps = n-UsualJumps, 0
	return true
}

// Freeze freezes the tee for some ticks, or for FreezeForever. A freeze that began less than a
// second ago is only replaced by one that lasts over a second longer.
func (s *States) Freeze(tick, ticks int32) bool {
	end := FreezeForever
	if ticks != FreezeForever {
		end = tick + min(ticks, 1<<20)
		left := s.FreezeEnd - tick
		if left > 0 && (ticks <= left || s.FreezeStart+TickRate >= tick && ticks <= left+TickRate) {
			return false
		}
	}
	s.FreezeStart, s.FreezeEnd = tick, end
	return true
}

// Unfreeze ends a freeze.
func (s *States) Unfreeze(tick int32) bool {
	if !s.IsFrozen(tick) {
		return false
	}
	s.FreezeStart, s.FreezeEnd = 0, 0
	return true
}

// IsFrozen reports whether the tee is frozen in a tick.
func (s *States) IsFrozen(tick int32) bool {
	return s.FreezeEnd == FreezeForever || s.FreezeEnd > tick
}

// Frozen returns the remaining ticks of a freeze, 0 without one, or FreezeForever.
func (s *States) Frozen(tick int32) int32 {
	switch {
	case !s.IsFrozen(tick):
		return 0
	case s.FreezeEnd == FreezeForever:
		return FreezeForever
	}
	return s.FreezeEnd - tick
}

// Jumps returns the number of jumps before the tee must land.
func (s *States) Jumps() int32 { return UsualJumps + s.MoreJumps }

// Disabled returns the controls that do nothing in a tick.
func (s *States) Disabled(tick int32) Controls {
	if s.IsFrozen(tick) {
		return s.Masked | ControlAll&^ControlSelect
	}
	return s.Masked
}
