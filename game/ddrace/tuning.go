package ddrace

import (
	"strings"

	"github.com/teeyard/teeyard/game/vec"
)

// Tuning is the set of physics and weapon parameters of DDNet, in hundredths, in the order of its
// message Sv_TuneParams.
type Tuning [NumTuneParams]int32

// NumTuneParams is the number of parameters. DDNet 16.4 has the first NumTuneParams16 of them.
const (
	NumTuneParams   = 47
	NumTuneParams16 = 45
)

// The indices of the parameters in [Tuning]. Up to LaserBounceCost they are the same as in
// game/physics.
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
	ShotgunCurvature          // how much the bullets of entities drop
	ShotgunSpeed              // speed of those bullets, units/s
	ShotgunSpeeddiff          // unused
	ShotgunLifetime           // unused
	GrenadeCurvature          // how much grenades drop
	GrenadeSpeed              // units/s
	GrenadeLifetime           // s
	LaserReach                // length of the laser, units
	LaserBounceDelay          // time before a laser continues from a wall, ms
	LaserBounceNum            // maximum number of bounces
	LaserBounceCost           // length that a bounce takes from a laser, units
	LaserDamage               // unused
	PlayerCollision           // tees collide unless 0
	PlayerHooking             // hooks grab tees unless 0
	JetpackStrength           // recoil of the jetpack
	ShotgunStrength           // pull of the shotgun, units/tick
	ExplosionStrength         // push of explosions
	HammerStrength            // factor of the hammer's push
	HookDuration              // how long a hook holds a tee, s
	HammerFireDelay           // ms, like the others
	GunFireDelay
	ShotgunFireDelay
	GrenadeFireDelay
	LaserFireDelay
	NinjaFireDelay
	HammerHitFireDelay // after a hit
	GroundElasticityX  // factor of the speed after a hit on a wall, -1 to 1 (0 = stop); this and the next only from DDNet 20 on
	GroundElasticityY  // of ground and ceilings
)

// tuningNames are the names in the console's tune command.
var tuningNames = [NumTuneParams]string{
	"ground_control_speed", "ground_control_accel", "ground_friction", "ground_jump_impulse",
	"air_jump_impulse", "air_control_speed", "air_control_accel", "air_friction",
	"hook_length", "hook_fire_speed", "hook_drag_accel", "hook_drag_speed",
	"gravity", "velramp_start", "velramp_range", "velramp_curvature",
	"gun_curvature", "gun_speed", "gun_lifetime", "shotgun_curvature",
	"shotgun_speed", "shotgun_speeddiff", "shotgun_lifetime", "grenade_curvature",
	"grenade_speed", "grenade_lifetime", "laser_reach", "laser_bounce_delay",
	"laser_bounce_num", "laser_bounce_cost", "laser_damage", "player_collision", "player_hooking",
	"jetpack_strength", "shotgun_strength", "explosion_strength", "hammer_strength", "hook_duration",
	"hammer_fire_delay", "gun_fire_delay", "shotgun_fire_delay", "grenade_fire_delay",
	"laser_fire_delay", "ninja_fire_delay", "hammer_hit_fire_delay",
	"ground_elasticity_x", "ground_elasticity_y",
}

// BareTuning returns DDNet's parameters without the changes of DDRace.
func BareTuning() Tuning {
	return Tuning{
		GroundControlSpeed: 1000, GroundControlAccel: 200, GroundFriction: 50, GroundJumpImpulse: 1320,
		AirJumpImpulse: 1200, AirControlSpeed: 500, AirControlAccel: 150, AirFriction: 95,
		HookLength: 38000, HookFireSpeed: 8000, HookDragAccel: 300, HookDragSpeed: 1500,
		Gravity: 50, VelrampStart: 55000, VelrampRange: 200000, VelrampCurvature: 140,
		GunCurvature: 125, GunSpeed: 220000, GunLifetime: 200, ShotgunCurvature: 125,
		ShotgunSpeed: 275000, ShotgunSpeeddiff: 80, ShotgunLifetime: 20, GrenadeCurvature: 700,
		GrenadeSpeed: 100000, GrenadeLifetime: 200, LaserReach: 80000, LaserBounceDelay: 15000,
		LaserBounceNum: 100000, LaserBounceCost: 0, LaserDamage: 500, PlayerCollision: 100, PlayerHooking: 100,
		JetpackStrength: 40000, ShotgunStrength: 1000, ExplosionStrength: 600, HammerStrength: 100, HookDuration: 125,
		HammerFireDelay: 12500, GunFireDelay: 12500, ShotgunFireDelay: 50000, GrenadeFireDelay: 50000,
		LaserFireDelay: 80000, NinjaFireDelay: 80000, HammerHitFireDelay: 32000,
	}
}

// DefaultTuning returns the initial parameters of DDRace, in the world and in each tune zone.
func DefaultTuning() Tuning {
	t := BareTuning()
	t[GunCurvature], t[GunSpeed] = 0, 140000
	t[ShotgunCurvature], t[ShotgunSpeed], t[ShotgunSpeeddiff] = 0, 50000, 0
	return t
}

// TuneParamName returns the console name of parameter i, or "" if there is none.
func TuneParamName(i int) string {
	if i < 0 || i >= NumTuneParams {
		return ""
	}
	return tuningNames[i]
}

// TuneParamIndex returns the index of the parameter with that name, ignoring ASCII case, or -1.
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

// SetAt changes parameter i, truncated to hundredths.
func (t *Tuning) SetAt(i int, value float32) { t[i] = vec.Trunc(float32(value * 100)) }
