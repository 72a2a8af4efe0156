package bot

import "github.com/teeyard/teeyard/game/splitmix"

// The range of Config.Skill.
const (
	MinSkill = 1
	MaxSkill = 3
)

// skill contains the parameters of a skill level.
type skill struct {
	reactionTicks     int32   // delay before it reacts to an enemy's movement, ticks
	aimError          float32 // typical aim error, radians
	maxTurn           float32 // maximum turn of the aim, radians per tick
	leadFactor        float32 // fraction of an enemy's movement that it compensates
	fireInterval      int32   // ticks between two presses of fire
	dodgePercent      uint32  // percentage of projectiles that it tries to dodge
	hookPermille      uint32  // per mille of ticks in which it hooks an enemy in reach
	bestWeaponPercent uint32  // percentage of choices that are the best weapon
	aggression        float32 // value of fighting as a goal
}

var skills = [MaxSkill]skill{
	{reactionTicks: 22, aimError: 0.20, maxTurn: 0.10, leadFactor: 0.3, fireInterval: 17, dodgePercent: 0,
		hookPermille: 1, bestWeaponPercent: 50, aggression: 20},
	{reactionTicks: 14, aimError: 0.09, maxTurn: 0.18, leadFactor: 0.8, fireInterval: 11, dodgePercent: 40,
		hookPermille: 6, bestWeaponPercent: 85, aggression: 26},
	{reactionTicks: 8, aimError: 0.03, maxTurn: 0.32, leadFactor: 1, fireInterval: 7, dodgePercent: 90,
		hookPermille: 14, bestWeaponPercent: 100, aggression: 32},
}

// rng is a bot's random number generator.
type rng struct{ splitmix.Rand }

// direction returns -1, 0 or 1.
func (r *rng) direction() int8 { return int8(r.Uint32n(3)) - 1 }

// triangular returns a random number from -1 to 1. Numbers near 0 are the most frequent.
func (r *rng) triangular() float32 {
	const unit = 1.0 / (1 << 32)
	return (float32(r.Uint32()) + float32(r.Uint32()) - 1<<32) * unit
}
