package physics

import "github.com/teeyard/teeyard/game/vec"

// CoreState is a core in whole numbers: the fields of the snapshot item CharacterCore
// after its tick, in wire order.
type CoreState struct {
	X, Y         int32 // units
	VelX, VelY   int32 // units per tick * 256
	Angle        int32 // radians * 256
	Direction    int32 // -1..1
	Jumped       int32 // 0..3
	HookedPlayer int32 // -1..63
	HookState    int32 // -1..5
	HookTick     int32 // ticks
	HookX, HookY int32 // units
	HookDX       int32 // * 256
	HookDY       int32 // * 256
}

// State returns the core, rounded to values that a snapshot can represent.
func (c *Core) State() CoreState {
	return CoreState{
		X:            vec.Round(c.Pos.X),
		Y:            vec.Round(c.Pos.Y),
		VelX:         vec.Round(float32(c.Vel.X * 256)),
		VelY:         vec.Round(float32(c.Vel.Y * 256)),
		Angle:        c.Angle,
		Direction:    c.Direction,
		Jumped:       c.Jumped,
		HookedPlayer: c.HookedPlayer,
		HookState:    c.HookState,
		HookTick:     c.HookTick,
		HookX:        vec.Round(c.HookPos.X),
		HookY:        vec.Round(c.HookPos.Y),
		HookDX:       vec.Round(float32(c.HookDir.X * 256)),
		HookDY:       vec.Round(float32(c.HookDir.Y * 256)),
	}
}

// SetState sets the core to a state. World, Death and Events do not change.
func (c *Core) SetState(s *CoreState) {
	c.Pos = Vec{X: float32(s.X), Y: float32(s.Y)}
	c.Vel = Vec{X: float32(s.VelX) / 256, Y: float32(s.VelY) / 256}
	c.Angle = s.Angle
	c.Direction = s.Direction
	c.Jumped = s.Jumped
	c.HookedPlayer = s.HookedPlayer
	c.HookState = s.HookState
	c.HookTick = s.HookTick
	c.HookPos = Vec{X: float32(s.HookX), Y: float32(s.HookY)}
	c.HookDir = Vec{X: float32(s.HookDX) / 256, Y: float32(s.HookDY) / 256}
}

// HookWay returns about how far a flying hook is from its tee, in units, and 0 for other hooks. The
// cost of the next Tick grows with it.
func (s *CoreState) HookWay() int64 {
	if s.HookState != HookFlying {
		return 0
	}
	x, y := int64(s.HookX)-int64(s.X), int64(s.HookY)-int64(s.Y)
	return max(x, -x) + max(y, -y)
}

// Quantize rounds the core to values that a snapshot can represent, so that clients continue with
// the same numbers.
func (c *Core) Quantize() {
	s := c.State()
	c.SetState(&s)
}
