package bot

// The levels of skill.
const (
	MinSkill = 1
	MaxSkill = 3
)

// skill is what one level is good at.
type skill struct {
	reactionTicks     int32   // ticks until it acts on what it sees of a foe
	aimError          float32 // typical error of its aim, radians
	maxTurn           float32 // fastest turn of its aim, radians per tick
	leadFactor        float32 // how much of a foe's movement it allows for
	fireInterval      int32   // ticks between two presses of a trigger
	dodgePercent      uint32  // percent of shots it tries to dodge
	hookPermille      uint32  // per mille of ticks in which it hooks a foe it could
	bestWeaponPercent uint32  // percent of times it takes the best weapon
	aggression        float32 // how much it likes to fight
}

var skills = [MaxSkill]skill{
	{reactionTicks: 22, aimError: 0.20, maxTurn: 0.10, leadFactor: 0.3, fireInterval: 17, dodgePercent: 0, hookPermille: 1, bestWeaponPercent: 50, aggression: 20},
	{reactionTicks: 14, aimError: 0.09, maxTurn: 0.18, leadFactor: 0.8, fireInterval: 11, dodgePercent: 40, hookPermille: 6, bestWeaponPercent: 85, aggression: 26},
	{reactionTicks: 8, aimError: 0.03, maxTurn: 0.32, leadFactor: 1, fireInterval: 7, dodgePercent: 90, hookPermille: 14, bestWeaponPercent: 100, aggression: 32},
}

// rng is a random number generator, the same everywhere.
type rng uint64

// next is 32 random bits.
func (s *rng) next() uint32 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 32)
}

// intn is a random number from 0 to intn-1.
func (s *rng) intn(n uint32) uint32 { return uint32(uint64(s.next()) * uint64(n) >> 32) }

// chance reports whether something happens that does so in p chance of times.
func (s *rng) chance(p uint32) bool { return s.intn(100) < p }

// direction is -1, 0 or 1.
func (s *rng) direction() int8 { return int8(s.intn(3)) - 1 }

// triangular is a random number from -1 to 1, near 0 most of the time.
func (s *rng) triangular() float32 {
	const unit = 1.0 / (1 << 32)
	return (float32(s.next()) + float32(s.next()) - 1<<32) * unit
}
