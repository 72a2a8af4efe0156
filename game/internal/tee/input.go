package tee

import "github.com/teeyard/teeyard/game/physics"

// Input is the state of a player's controls during one tick.
type Input struct {
	Direction        int32 // -1 left, 0 none, 1 right
	TargetX, TargetY int32 // the cursor relative to the tee, in units
	Jump             bool
	Fire             int32 // counter up to CounterMask; odd while held
	Hook             bool
	Flags            uint8 // of the player
	WantedWeapon     int32 // 0 for none, else weapon+1
	NextWeapon       int32 // counter like Fire
	PrevWeapon       int32 // counter like Fire
}

// CounterMask is the largest value of the counters of an input.
const CounterMask = 63

// Aim replaces a target of (0, 0), because it has no angle.
func (in *Input) Aim() {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetY = -1
	}
}

// Physics returns the part of the input that moves a tee.
func (in *Input) Physics() physics.Input {
	return physics.Input{Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Hook: in.Hook}
}

// Controls is a set of a player's controls.
type Controls uint8

// The controls.
const (
	ControlMove Controls = 1 << iota
	ControlJump
	ControlHook
	ControlFire
	ControlSelect

	ControlAll = ControlMove | ControlJump | ControlHook | ControlFire | ControlSelect
)
