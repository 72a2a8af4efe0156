package game

import "github.com/teeyard/teeyard/game/vec"

// Frame is all there is to see in the world after one tick, in the quantised
// numbers every network version shares: positions in world units (1/32 tile),
// velocities and hook directions times 256, angles in radians times 256.
//
// The server's world fills it for the bridges to send; the client's bridges
// fill it from what they receive.
type Frame struct {
	Tick        int32
	Game        GameState
	Players     []PlayerState // ascending by ID, everybody who is in the game
	Characters  []CharacterState
	Projectiles []ProjectileState
	Lasers      []LaserState
	Pickups     []PickupState // only those that can be taken now
	Flags       []FlagState
}

// GameFlags is a set of features of a mode.
type GameFlags uint8

// The game flags, with the values 0.7 gives them.
const (
	GameFlagTeams GameFlags = 1 << iota
	GameFlagFlags
	GameFlagSurvival
	GameFlagRace
)

// GameStateFlags is a set of states a match is in.
type GameStateFlags uint8

// The state flags, with the values 0.7 gives them.
const (
	StateWarmup GameStateFlags = 1 << iota
	StateSuddenDeath
	StateRoundOver
	StateGameOver
	StatePaused
	StateCountdown
)

// GameState is where the match stands.
type GameState struct {
	Flags        GameFlags
	StartTick    int32 // tick at which the match began
	State        GameStateFlags
	EndTick      int32    // tick at which State ends, 0 never
	TeamScore    [2]int32 // GameFlagTeams
	FlagCarrier  [2]int32 // GameFlagFlags: player id, -1 taken but dropped, -2 at the stand, -3 missing
	FlagDropTick [2]int32 // GameFlagFlags
	ScoreLimit   int32
	TimeLimit    int32 // minutes
	MatchNum     int32
	MatchCurrent int32
}

// PlayerState is what everybody may know of a player.
type PlayerState struct {
	ID      PlayerID
	Team    Team
	Flags   PlayerFlags
	Score   int32
	Latency int32 // ms; the session fills it in, the world leaves it 0
	// What the player looks at.
	SpecMode    SpectateMode
	SpectatorID PlayerID // whom he follows, Nobody
	ViewX       int32
	ViewY       int32
	// Spectating reports whether the player sees through other eyes than his own
	// tee's: as a spectator, or dead with no respawn.
	Spectating bool
}

// CharacterState is a tee in the world.
type CharacterState struct {
	Player       PlayerID
	Tick         int32 // tick the core values are of, 0: use as they are
	X, Y         int32
	VelX, VelY   int32
	Angle        int32
	Direction    int32
	Jumped       int32
	HookedPlayer int32
	HookState    int32
	HookTick     int32
	HookX, HookY int32
	HookDX       int32
	HookDY       int32
	Health       int32 // 0..10
	Armor        int32 // 0..10
	Ammo         int32 // rounds left; for the ninja the tick it ends
	Weapon       Weapon
	Emote        Emote
	AttackTick   int32
	// TriggeredEvents is the set of core events (jumps, hook hits) of this tick.
	TriggeredEvents int32
	// Pos is where the tee is now: X, Y are of Tick and may lag.
	Pos vec.Vec2
}

// ProjectileState is a flying shot; its path follows from where and when it
// started.
type ProjectileState struct {
	ID         uint16
	X, Y       int32
	VelX, VelY int32 // direction times 100
	Weapon     Weapon
	StartTick  int32
	Pos        vec.Vec2 // where it is now
}

// LaserState is a beam that ends at X, Y.
type LaserState struct {
	ID           uint16
	X, Y         int32
	FromX, FromY int32
	StartTick    int32
	// Pos and From are its ends before they were cut to whole numbers.
	Pos, From vec.Vec2
}

// PickupState is a thing lying there.
type PickupState struct {
	ID   uint16
	X, Y int32
	Kind PickupKind
}

// FlagState is a flag, at the stand, carried or dropped.
type FlagState struct {
	Team Team
	X, Y int32
	Pos  vec.Vec2 // before it was cut to whole numbers
}

// View is a frame seen through one player's eyes.
type View struct {
	*Frame
	Viewer PlayerID
	Pos    vec.Vec2 // centre of what the viewer sees
	// VitalsOf is the player whose health, armour and ammunition the viewer may
	// know: himself, or whom he follows where the rules allow it.
	VitalsOf PlayerID
	// ShowAll is true for a recording that nothing is hidden from.
	ShowAll bool
}

// Sees reports whether a thing at p is near enough to be sent: 1000 wide, 800
// high, 1100 far, in world units.
func (v *View) Sees(p vec.Vec2) bool {
	if v.ShowAll {
		return true
	}
	dx, dy := v.Pos.X-p.X, v.Pos.Y-p.Y
	if dx > 1000 || dx < -1000 || dy > 800 || dy < -800 {
		return false
	}
	// The next number after 1100² still has a root that rounds to 1100.
	return float32(dx*dx)+float32(dy*dy) <= 1100*1100+0.125
}

// Hears reports whether an effect at p is near enough to be sent: closer than
// 1500 world units.
func (v *View) Hears(p vec.Vec2) bool {
	if v.ShowAll {
		return true
	}
	dx, dy := v.Pos.X-p.X, v.Pos.Y-p.Y
	return float32(dx*dx)+float32(dy*dy) < 1500*1500
}
