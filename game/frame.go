package game

import "github.com/teeyard/teeyard/game/vec"

// Frame is the visible state of the world after one tick. Its numbers are rounded as all network
// versions send them: positions are in units (1/32 tile), velocities and hook directions in 1/256
// units, angles in 1/256 radians.
//
// On the server the world fills the frame, and the bridges send it. On the client the bridges fill
// it from snapshots.
type Frame struct {
	Tick        int32
	Game        GameState
	Extended    bool          // characters can have states that only mods set
	Players     []PlayerState // all players in the game, ascending by ID
	Characters  []CharacterState
	Projectiles []ProjectileState
	Lasers      []LaserState
	Pickups     []PickupState // only pickups that can be taken now
	Flags       []FlagState
	// The fields below are set with GameFlagDDRace.
	Switches []SwitchState // for each team with players, ascending; empty if the map has no switches
	SpecTees []SpecTee
}

// GameFlags is a set of features of a mode.
type GameFlags uint8

// The game flags, with their values in 0.7.
const (
	GameFlagTeams GameFlags = 1 << iota
	GameFlagFlags
	GameFlagSurvival
	GameFlagRace

	// GameFlagDDRace: the world has the physics and maps of DDRace. DDNet clients predict and show
	// them. GameFlagNoWeakHook, also for DDNet clients: hooks do not depend on the order of tees.
	GameFlagNoWeakHook GameFlags = 1 << 5
	GameFlagDDRace     GameFlags = 1 << 6

	// GameFlagFNG is for DDNet clients only. They then predict the hammer's stronger push of FNG,
	// and treat the victim of a laser in the kill feed as alive.
	GameFlagFNG GameFlags = 1 << 7
)

// GameStateFlags is a set of states of a match.
type GameStateFlags uint8

// The game state flags, with their values in 0.7.
const (
	StateWarmup GameStateFlags = 1 << iota
	StateSuddenDeath
	StateRoundOver
	StateGameOver
	StatePaused
	StateCountdown
)

// GameState is the state of the match.
type GameState struct {
	Flags     GameFlags
	StartTick int32 // tick at which the match started
	State     GameStateFlags
	// EndTick is the tick at which State ends, or 0 for never. After the end of a round or match it
	// is a duration: the number of ticks that the round or match took.
	EndTick      int32
	TeamScore    [2]int32 // with GameFlagTeams
	FlagCarrier  [2]int32 // with GameFlagFlags: player id, -1 dropped, -2 at the stand, -3 no flag
	FlagDropTick [2]int32 // with GameFlagFlags
	ScoreLimit   int32
	TimeLimit    int32 // minutes
	MatchNum     int32
	MatchCurrent int32
	Race         RaceState // with GameFlagRace
}

// PlayerState is the public state of a player.
type PlayerState struct {
	ID      PlayerID
	Team    Team
	Flags   PlayerFlags
	Score   int32 // with GameFlagRace the best time in ms, or NoRaceTime
	Latency int32 // ms; set by the server, 0 in the world
	// RaceStart is the tick at which the player's race clock started, with GameFlagRace. It is 0 if
	// the clock is stopped.
	RaceStart int32
	// The fields below are set with GameFlagDDRace. DDRaceTeam is 0..TeamSuper. AFK reports whether
	// the player is away. Pause is the state of the player's own tee. HideClock reports whether the
	// client hides the race clock.
	DDRaceTeam int32
	AFK        bool
	Pause      PauseKind
	HideClock  bool
	// SpecMode is the target of the player's camera.
	SpecMode    SpectateMode
	SpectatorID PlayerID // the followed player, or Nobody
	ViewX       int32
	ViewY       int32
	// Spectating reports whether the camera is not bound to the player's own tee: for spectators,
	// for paused players, and for dead players who do not respawn in this round.
	Spectating bool
}

// CharacterState is a tee in a frame, with the values of the snapshot item Character.
type CharacterState struct {
	Player       PlayerID
	Tick         int32 // tick of the position, velocity and hook below; 0 means the frame's tick
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
	Ammo         int32 // rounds left, 10 if unlimited; for the ninja the tick at which it ends
	Weapon       Weapon
	Emote        Emote
	AttackTick   int32
	// TriggeredEvents is the set of physics events of this tick, such as jumps and hook hits.
	TriggeredEvents int32
	// The fields from here to NotFor are set only if Frame.Extended is true. FreezeStart and
	// FreezeEnd are the ticks of a freeze: 0 without one, and FreezeEnd can be FreezeForever. Jumps
	// is the number of jumps that the tee has before it must land; AirJumps is the number of air
	// jumps since it was last on the ground. TickOrder is the tee's place in the order in which
	// tees move. NotFor is the set of players who do not see the tee.
	Flags                  CharacterFlags
	FreezeStart, FreezeEnd int32
	Jumps, AirJumps        int32
	TickOrder              int32
	NotFor                 PlayerMask
	// Secret means that a mod hides the tee from at least two players. A view without a viewer then
	// does not show it. In DDRace, ShowOthers does not make a tee secret.
	Secret bool
	// NinjaStart is the tick at which the tee last became a ninja. The fields below are set with
	// GameFlagDDRace: TargetX and TargetY are the point that the tee aims at, relative to the tee.
	// TeleCheckpoint is the number of the last teleport checkpoint that it passed.
	NinjaStart       int32
	TargetX, TargetY int32
	TeleCheckpoint   int32
	// Pos is the position in the frame's tick. X and Y are the position in Tick, and Tick can be
	// older.
	Pos vec.Vec2
}

// ProjectileState is a projectile in a frame. X, Y and VelX, VelY are the values in StartTick; the
// path follows from them. A projectile of WeaponHammer is a light that a mod draws.
type ProjectileState struct {
	ID         uint16
	X, Y       int32
	VelX, VelY int32 // direction times 100
	Weapon     Weapon
	StartTick  int32
	Pos        vec.Vec2   // the position in the frame's tick
	NotFor     PlayerMask // players who do not see it
	// The fields below are set with GameFlagDDRace. Start and Direction are X, Y and VelX, VelY
	// before rounding. Owner is the player who fired, or -1.
	Start, Direction vec.Vec2
	Owner            PlayerID
	Flags            ProjectileFlags
	TuneZone         uint8 // in which it was fired; its tuning moves it
	Entity           MapEntity
}

// LaserState is a laser beam in a frame, from FromX, FromY to X, Y.
type LaserState struct {
	ID           uint16
	X, Y         int32
	FromX, FromY int32
	StartTick    int32
	// Pos and From are the ends of the beam before rounding.
	Pos, From vec.Vec2
	NotFor    PlayerMask // players who do not see it
	// The fields below are set with GameFlagDDRace. Owner fired the beam. Entity is the map object
	// of a LaserBeam, whose StartTick is the frame's tick.
	Owner  PlayerID
	Kind   LaserKind
	Entity MapEntity
}

// PickupState is a pickup in a frame.
type PickupState struct {
	ID     uint16
	X, Y   int32
	Kind   PickupKind
	NotFor PlayerMask // players who do not see it
	Entity MapEntity  // with GameFlagDDRace
}

// FlagState is a flag in a frame: at its stand, carried or dropped.
type FlagState struct {
	Team Team
	X, Y int32
	Pos  vec.Vec2 // before rounding
}

// View is a frame from the point of view of one player.
type View struct {
	*Frame
	Viewer PlayerID
	Pos    vec.Vec2 // centre of the screen
	// VitalsOf is the player whose health, armour and ammo the viewer sees: the viewer, or the
	// followed player if the rules allow it.
	VitalsOf PlayerID
	// ShowAll is set for spectators without a seat, such as recordings. They see and hear all
	// public things at all positions.
	ShowAll bool
	// Range is the horizontal and vertical distance from Pos within which the viewer sees and
	// hears, in units. It is set in DDRace, where it depends on the client, and 0 in other games.
	Range vec.Vec2
}

// Sees reports whether something at p is close enough to be sent: within 1000 units
// horizontally, 800 vertically and 1100 in distance, or within Range.
func (v *View) Sees(p vec.Vec2) bool {
	switch {
	case v.ShowAll:
		return true
	case v.Range != vec.Vec2{}:
		return isWithin(v.Pos, p, v.Range.X, v.Range.Y)
	}
	dx, dy := v.Pos.X-p.X, v.Pos.Y-p.Y
	if dx > 1000 || dx < -1000 || dy > 800 || dy < -800 {
		return false
	}
	// The next number after 1100² still has a root that rounds to 1100.
	return float32(dx*dx)+float32(dy*dy) <= 1100*1100+0.125
}

// Shows reports whether the view shows a thing that the players in notFor do not see. A view
// without a viewer shows public things only; see [PlayerMask.IsPublic].
func (v *View) Shows(notFor PlayerMask) bool {
	if v.ShowAll {
		return notFor.Not().IsPublic()
	}
	return !notFor.Has(v.Viewer)
}

// ShowsTee reports whether the viewer may see a tee. It ignores the distance.
func (v *View) ShowsTee(c *CharacterState) bool {
	if v.ShowAll {
		return !c.Secret
	}
	return v.Shows(c.NotFor)
}

// Hears reports whether an effect at p is close enough to be sent: less than 1500 units away, or
// within Range.
func (v *View) Hears(p vec.Vec2) bool {
	switch {
	case v.ShowAll:
		return true
	case v.Range != vec.Vec2{}:
		return isWithin(v.Pos, p, v.Range.X, v.Range.Y)
	}
	dx, dy := v.Pos.X-p.X, v.Pos.Y-p.Y
	return float32(dx*dx)+float32(dy*dy) < 1500*1500
}
