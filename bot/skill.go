package bot

// The levels of skill.
const (
	MinSkill = 1
	MaxSkill = 3
)

// skill is what one level is good at.
type skill struct {
	reaction   int32   // ticks until it acts on what it sees of a foe
	errorAngle float32 // typical error of its aim, radians
	turn       float32 // fastest turn of its aim, radians per tick
	lead       float32 // how much of a foe's movement it allows for
	click      int32   // ticks between two presses of a trigger
	dodge      uint32  // percent of shots it tries to dodge
	hook       uint32  // per mille of ticks in which it hooks a foe it could
	choose     uint32  // percent of times it takes the best weapon
	daring     float32 // how much it likes to fight
}

var skills = [MaxSkill]skill{
	{reaction: 22, errorAngle: 0.20, turn: 0.10, lead: 0.3, click: 17, dodge: 0, hook: 1, choose: 50, daring: 20},
	{reaction: 14, errorAngle: 0.09, turn: 0.18, lead: 0.8, click: 11, dodge: 40, hook: 6, choose: 85, daring: 26},
	{reaction: 8, errorAngle: 0.03, turn: 0.32, lead: 1, click: 7, dodge: 90, hook: 14, choose: 100, daring: 32},
}

// source is a random number generator, the same everywhere.
type source uint64

// next is 32 random bits.
func (s *source) next() uint32 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 32)
}

// n is a random number from 0 to n-1.
func (s *source) n(n uint32) uint32 { return uint32(uint64(s.next()) * uint64(n) >> 32) }

// percent tells whether something happens that does so in p percent of times.
func (s *source) percent(p uint32) bool { return s.n(100) < p }

// side is -1, 0 or 1.
func (s *source) side() int8 { return int8(s.n(3)) - 1 }

// spread is a random number from -1 to 1, near 0 most of the time.
func (s *source) spread() float32 {
	const unit = 1.0 / (1 << 32)
	return (float32(s.next()) + float32(s.next()) - 1<<32) * unit
}
