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
	GroundControlSpeed = iota // maximum running speed, units/tick
	GroundControlAccel        // acceleration of running, units/tick²
	GroundFriction            // speed factor per tick on the ground without steering
	GroundJumpImpulse         // upward speed of a jump, units/tick
	AirJumpImpulse            // upward speed of the air jump, units/tick
	AirControlSpeed           // maximum steering speed in the air, units/tick
	AirControlAccel           // acceleration of steering in the air, units/tick²
	AirFriction               // horizontal speed factor per tick in the air without steering
	HookLength                // maximum length of the hook, units
	HookFireSpeed             // speed of a flying hook, units/tick
	HookDragAccel             // acceleration by a hook that holds, units/tick²
	HookDragSpeed             // maximum speed by a hook that holds, units/tick
	Gravity                   // downward acceleration, units/tick²
	VelrampStart              // speed above which horizontal movement is damped, units/s
	VelrampRange              // scale of that damping, units/s
	VelrampCurvature          // base of that damping's power
	GunCurvature              // how much bullets drop
	GunSpeed                  // units/s
	GunLifetime               // s
	ShotgunCurvature          // how much pellets drop
	ShotgunSpeed              // speed of the fastest pellet, units/s
	ShotgunSpeeddiff          // factor of the slowest pellet's speed
	ShotgunLifetime           // s
	GrenadeCurvature          // how much grenades drop
	GrenadeSpeed              // units/s
	GrenadeLifetime           // s
	LaserReach                // length of the laser, units
	LaserBounceDelay          // time before a laser continues from a wall, ms
	LaserBounceNum            // maximum number of bounces
	LaserBounceCost           // length that a bounce takes from a laser, units
	PlayerCollision           // tees collide unless 0
	PlayerHooking             // hooks grab tees unless 0
)

// ErrTuneParam means that no tuning parameter has that name.
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

// TuneParamName returns the console name of parameter i, 0..31, or "" outside this range.
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
