package physics

import (
	"errors"
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/game/vec"
)

// Tuning is the set of physics and weapon parameters, in hundredths, in the
// order of the message Sv_TuneParams.
type Tuning [NumTuneParams]int32

// NumTuneParams is the number of parameters.
const NumTuneParams = 32

// The indices of the parameters in Tuning.
const (
	GroundControlSpeed = iota
	GroundControlAccel
	GroundFriction
	GroundJumpImpulse
	AirJumpImpulse
	AirControlSpeed
	AirControlAccel
	AirFriction
	HookLength
	HookFireSpeed
	HookDragAccel
	HookDragSpeed
	Gravity
	VelrampStart
	VelrampRange
	VelrampCurvature
	GunCurvature
	GunSpeed
	GunLifetime
	ShotgunCurvature
	ShotgunSpeed
	ShotgunSpeeddiff
	ShotgunLifetime
	GrenadeCurvature
	GrenadeSpeed
	GrenadeLifetime
	LaserReach
	LaserBounceDelay
	LaserBounceNum
	LaserBounceCost
	PlayerCollision
	PlayerHooking
)

// ErrTuneParam means that there is no tuning parameter with that name.
var ErrTuneParam = errors.New("no such tuning parameter")

// tuningNames are the names in the console's tune command.
var tuningNames = [NumTuneParams]string{
	"ground_control_speed", "ground_control_accel", "ground_friction", "ground_jump_impulse",
	"air_jump_impulse", "air_control_speed", "air_control_accel", "air_friction",
	"hook_length", "hook_fire_speed", "hook_drag_accel", "hook_drag_speed",
	"gravity", "velramp_start", "velramp_range", "velramp_curvature",
	"gun_curvature", "gun_speed", "gun_lifetime", "shotgun_curvature",
	"shotgun_speed", "shotgun_speeddiff", "shotgun_lifetime", "grenade_curvature",
	"grenade_speed", "grenade_lifetime", "laser_reach", "laser_bounce_delay",
	"laser_bounce_num", "laser_bounce_cost", "player_collision", "player_hooking",
}

// DefaultTuning returns the parameters of the standard game types.
func DefaultTuning() Tuning {
	return Tuning{
		GroundControlSpeed: 1000, GroundControlAccel: 200, GroundFriction: 50, GroundJumpImpulse: 1320,
		AirJumpImpulse: 1200, AirControlSpeed: 500, AirControlAccel: 150, AirFriction: 95,
		HookLength: 38000, HookFireSpeed: 8000, HookDragAccel: 300, HookDragSpeed: 1500,
		Gravity: 50, VelrampStart: 55000, VelrampRange: 200000, VelrampCurvature: 140,
		GunCurvature: 125, GunSpeed: 220000, GunLifetime: 200, ShotgunCurvature: 125,
		ShotgunSpeed: 275000, ShotgunSpeeddiff: 80, ShotgunLifetime: 20, GrenadeCurvature: 700,
		GrenadeSpeed: 100000, GrenadeLifetime: 200, LaserReach: 80000, LaserBounceDelay: 15000,
		LaserBounceNum: 100, LaserBounceCost: 0, PlayerCollision: 100, PlayerHooking: 100,
	}
}

// TuneParamName returns the console name of parameter i, 0..31, or "" outside of that
// range.
func TuneParamName(i int) string {
	if i < 0 || i >= NumTuneParams {
		return ""
	}
	return tuningNames[i]
}

// TuneParamIndex returns the index of the parameter with that name, ignoring ASCII
// case, or -1.
func TuneParamIndex(name string) int {
	for i, n := range tuningNames {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

// At returns parameter i as used in computations.
func (t *Tuning) At(i int) float32 { return float32(t[i]) / 100 }

// Set changes the named parameter, truncated to hundredths. The error wraps
// ErrTuneParam.
func (t *Tuning) Set(name string, value float32) error {
	i := TuneParamIndex(name)
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrTuneParam, name)
	}
	t.SetAt(i, value)
	return nil
}

// SetAt changes parameter i, 0..31.
func (t *Tuning) SetAt(i int, value float32) {
	t[i] = vec.Trunc(float32(value * 100))
}

// Get returns the named parameter. The error wraps ErrTuneParam.
func (t *Tuning) Get(name string) (float32, error) {
	i := TuneParamIndex(name)
	if i < 0 {
		return 0, fmt.Errorf("%w: %q", ErrTuneParam, name)
	}
	return t.At(i), nil
}

// GroundControlSpeed is the speed up to which running accelerates (units/tick).
func (t *Tuning) GroundControlSpeed() float32 { return t.At(GroundControlSpeed) }

// GroundControlAccel is the acceleration of running (units/tick²).
func (t *Tuning) GroundControlAccel() float32 { return t.At(GroundControlAccel) }

// GroundFriction is the factor per tick on the speed of who stands still.
func (t *Tuning) GroundFriction() float32 { return t.At(GroundFriction) }

// GroundJumpImpulse is the upward speed of a jump (units/tick).
func (t *Tuning) GroundJumpImpulse() float32 { return t.At(GroundJumpImpulse) }

// AirJumpImpulse is the upward speed of the second jump (units/tick).
func (t *Tuning) AirJumpImpulse() float32 { return t.At(AirJumpImpulse) }

// AirControlSpeed is the speed up to which steering in the air accelerates (units/tick).
func (t *Tuning) AirControlSpeed() float32 { return t.At(AirControlSpeed) }

// AirControlAccel is the acceleration of steering in the air (units/tick²).
func (t *Tuning) AirControlAccel() float32 { return t.At(AirControlAccel) }

// AirFriction is the factor per tick on the sideward speed in the air without steering.
func (t *Tuning) AirFriction() float32 { return t.At(AirFriction) }

// HookLength is how far the hook reaches (units).
func (t *Tuning) HookLength() float32 { return t.At(HookLength) }

// HookFireSpeed is the speed of the flying hook (units/tick).
func (t *Tuning) HookFireSpeed() float32 { return t.At(HookFireSpeed) }

// HookDragAccel is the acceleration by a hook that holds (units/tick²).
func (t *Tuning) HookDragAccel() float32 { return t.At(HookDragAccel) }

// HookDragSpeed is the speed up to which a hook accelerates (units/tick).
func (t *Tuning) HookDragSpeed() float32 { return t.At(HookDragSpeed) }

// Gravity is the downward acceleration (units/tick²).
func (t *Tuning) Gravity() float32 { return t.At(Gravity) }

// VelrampStart is the speed (units/s) above which sideward movement is damped.
func (t *Tuning) VelrampStart() float32 { return t.At(VelrampStart) }

// VelrampRange is the scale of that damping (units/s).
func (t *Tuning) VelrampRange() float32 { return t.At(VelrampRange) }

// VelrampCurvature is the base of that damping's power.
func (t *Tuning) VelrampCurvature() float32 { return t.At(VelrampCurvature) }

// GunCurvature is how much bullets of the gun drop.
func (t *Tuning) GunCurvature() float32 { return t.At(GunCurvature) }

// GunSpeed is the speed of gun bullets (units/s).
func (t *Tuning) GunSpeed() float32 { return t.At(GunSpeed) }

// GunLifetime is how long gun bullets fly (s).
func (t *Tuning) GunLifetime() float32 { return t.At(GunLifetime) }

// ShotgunCurvature is how much pellets drop.
func (t *Tuning) ShotgunCurvature() float32 { return t.At(ShotgunCurvature) }

// ShotgunSpeed is the speed of the fastest pellet (units/s).
func (t *Tuning) ShotgunSpeed() float32 { return t.At(ShotgunSpeed) }

// ShotgunSpeeddiff is the factor of the slowest pellet's speed.
func (t *Tuning) ShotgunSpeeddiff() float32 { return t.At(ShotgunSpeeddiff) }

// ShotgunLifetime is how long pellets fly (s).
func (t *Tuning) ShotgunLifetime() float32 { return t.At(ShotgunLifetime) }

// GrenadeCurvature is how much grenades drop.
func (t *Tuning) GrenadeCurvature() float32 { return t.At(GrenadeCurvature) }

// GrenadeSpeed is the speed of grenades (units/s).
func (t *Tuning) GrenadeSpeed() float32 { return t.At(GrenadeSpeed) }

// GrenadeLifetime is how long grenades fly (s).
func (t *Tuning) GrenadeLifetime() float32 { return t.At(GrenadeLifetime) }

// LaserReach is the length of the laser (units).
func (t *Tuning) LaserReach() float32 { return t.At(LaserReach) }

// LaserBounceDelay is the pause before a laser goes on from a wall (ms).
func (t *Tuning) LaserBounceDelay() float32 { return t.At(LaserBounceDelay) }

// LaserBounceNum is how often a laser bounces.
func (t *Tuning) LaserBounceNum() float32 { return t.At(LaserBounceNum) }

// LaserBounceCost is the length a bounce takes from a laser (units).
func (t *Tuning) LaserBounceCost() float32 { return t.At(LaserBounceCost) }

// PlayerCollision reports whether tees collide; on unless 0.
func (t *Tuning) PlayerCollision() float32 { return t.At(PlayerCollision) }

// PlayerHooking reports whether hooks grab tees; on unless 0.
func (t *Tuning) PlayerHooking() float32 { return t.At(PlayerHooking) }
