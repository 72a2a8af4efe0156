package game

import "github.com/teeyard/teeyard/game/vec"

// Mode is a game type. A world has exactly one. Besides these methods, a mode implements the hook
// interfaces that it needs; [Hooks] lists them. [New] looks them up once.
//
// The only source of randomness of a mode or mod is [Tx.Rand]. Clocks, map iteration and goroutines
// are not allowed. If a mode or mod has state of its own, it must implement [StateHook] or
// [StateSaver]; otherwise replays cannot be verified. A value serves only one world.
type Mode interface {
	// Name returns the game type shown by clients and master servers, for example
	// "DM".
	Name() string
	// Flags returns the features of the mode, always the same.
	Flags() GameFlags
	// Start is called by [New], before any hook of the mode or a mod.
	Start(setup *Setup)
}

// Mod changes or observes the rules in addition to the mode. It implements the hook interfaces that
// it needs; [Hooks] lists them. [New] calls Start after the mode's Start.
type Mod interface {
	Start(setup *Setup)
}

// DamageHook is called for every hit before it counts, with the weapon's damage. The hook can
// change the amount, force and source. If it cancels, the victim is only pushed.
type DamageHook interface {
	OnDamage(ctx *Ctx, d *Damage)
}

// DamageTakenHook is called for every hit that counted, before a possible death of the victim.
type DamageTakenHook interface {
	OnDamageTaken(ctx *Ctx, d *Damage)
}

// DeathHook is called for every death, before clients learn of it. The mode scores in this hook, so
// a mod that cancels prevents the score. A living tee also dies when its player changes the team or
// leaves. The start of a round removes tees without a death. The victim's tee is already dead.
type DeathHook interface {
	OnDeath(ctx *Ctx, d *Death)
}

// SelfKillHook is called when a player asks for the death of their own living tee. If the hook
// cancels, the tee lives.
type SelfKillHook interface {
	OnSelfKill(ctx *Ctx, id PlayerID)
}

// EmoticonHook is called when a player shows an emoticon; the number 0 to 15 is an [Emoticon]. If
// the hook cancels, the emoticon is not shown.
type EmoticonHook interface {
	OnEmoticon(ctx *Ctx, id PlayerID, emoticon int32)
}

// SpawnPicker chooses a player's spawn position. If ok is false, the next mod or mode is asked, and
// at the end the map's spawn points decide.
type SpawnPicker interface {
	PickSpawn(ctx *Ctx, id PlayerID) (pos vec.Vec2, ok bool)
}

// SpawnHook is called for every new tee. The tee has full health, a hammer and a gun.
type SpawnHook interface {
	OnSpawn(ctx *Ctx, id PlayerID)
}

// PickupHook is called when a tee touches a pickup, even if the tee does not need it. If the hook
// cancels, the pickup stays. For a pickup that a mod made, ctx.Pickup is its id.
type PickupHook interface {
	OnPickup(ctx *Ctx, id PlayerID, kind PickupKind)
}

// ChatHook is called for each chat line of a player that passed the spam protection. The hook can
// change the line. If it cancels, the line is not sent. A line that begins with a slash is a
// command and is never sent. If no hook cancels such a line, the player is told that the command
// does not exist.
type ChatHook interface {
	OnChat(ctx *Ctx, c *ChatMessage)
}

// InputHook is called for every input of a player with a living tee, before the input takes effect.
// It is called twice per tick: for the input that fires at once, and for the input that moves the
// tee. The hook can change the input, but the player's client does not predict the change. An
// invalid input is ignored. To disable controls, use [Tee.MaskInput].
type InputHook interface {
	OnInput(ctx *Ctx, id PlayerID, in *Input)
}

// FireHook is called before a tee fires a loaded weapon. The length of dir is 1, or 0 if the player
// aims at their own tee. If the hook cancels, the weapon fires nothing, a hammer hits no tee, and
// no ammo is spent. The tee still shows the movement and must reload; [Tee.SetReloadTicks] changes
// the time. Cancelling can thus turn a weapon into a tool.
type FireHook interface {
	OnFire(ctx *Ctx, id PlayerID, weapon Weapon, dir vec.Vec2)
}

// EnterHook is called after a player has entered the game.
type EnterHook interface {
	OnEnter(ctx *Ctx, id PlayerID)
}

// LeaveHook is called before a player leaves the game.
type LeaveHook interface {
	OnLeave(ctx *Ctx, id PlayerID)
}

// RenameHook is called after a player in the game has changed name.
type RenameHook interface {
	OnRename(ctx *Ctx, id PlayerID)
}

// TeamHook is called after a player has changed team.
type TeamHook interface {
	OnTeam(ctx *Ctx, id PlayerID, from Team)
}

// TickHook is called once per tick, after the entities and the match. It is also called while the
// game is paused.
type TickHook interface {
	OnTick(ctx *Ctx)
}

// EntityHook is called by [New], after Start, for every entity tile of the map (index 192 and up).
// Pos is the middle of the tile. A hook that handles a tile cancels; the world then makes nothing
// from the tile.
type EntityHook interface {
	OnEntity(ctx *Ctx, tile uint8, pos vec.Vec2)
}

// TileHook is called in every tick for the tiles of the game layer that the middle of a living tee
// crossed since the last tick, and for its current tile, in order. It is not called for air (index
// 0).
type TileHook interface {
	OnTile(ctx *Ctx, id PlayerID, tile uint8)
}

// RoundStartHook is called when a match or round starts.
type RoundStartHook interface {
	OnRoundStart(ctx *Ctx)
}

// FlagReturnHook is called when a dropped flag has returned to its stand without a player.
type FlagReturnHook interface {
	OnFlagReturn(ctx *Ctx, t Team)
}

// FinishHook is called after a player has finished a race, at the end of the tick, after OnTick.
// The player's clock has stopped, so the hook can change tees safely. In DDRace it is called once
// for each player of a team. It is also called for finishes that are not ranked, such as a bot's.
// It is not called for teams in practice mode, or for races that ended before the finish, for
// example by a cheat.
type FinishHook interface {
	OnFinish(ctx *Ctx, f *RaceFinish)
}

// MatchResult is the result of [WinRule].
type MatchResult uint8

// The results of [WinRule].
const (
	MatchContinues MatchResult = iota
	MatchTied                  // a limit is reached without a leader: sudden death follows
	MatchOver
)

// WinRule decides the end of a match. CheckWin is called every tick of a running or paused match.
// With GameFlagSurvival it is called at the end of each round instead.
type WinRule interface {
	CheckWin(ctx *Ctx) MatchResult
}

// PlayersRule sets the number of players that a match needs: without the rule two, or one in each
// team with GameFlagTeams. With GameFlagTeams, MinPlayers returns the number for each team. [New]
// calls it, and the world calls it again when a mod is switched off or reloaded.
type PlayersRule interface {
	MinPlayers() int32
}

// RoundRule is for modes with GameFlagSurvival. RoundOver is called every tick of a running or
// paused round and reports whether the round is over.
type RoundRule interface {
	RoundOver(ctx *Ctx) bool
}

// BalanceRule is for modes with GameFlagTeams. CanBeMoved reports whether the server may move a
// player to balance the teams.
type BalanceRule interface {
	CanBeMoved(ctx *Ctx, id PlayerID) bool
}

// StateHook is for modes and mods with state of their own, of a fixed size.
type StateHook interface {
	// State returns a pointer to the state, always the same pointer. The state must be of a fixed
	// size as defined by package encoding/binary: numbers, booleans, arrays, and structs of these.
	// The world hashes, saves and restores it; New returns ErrState for other types. Store times as
	// ticks, and actions as numbers, not as functions.
	State() any
}

// StateSaver is for modes and mods whose state has no fixed size. Otherwise implement [StateHook],
// which is simpler.
type StateSaver interface {
	// AppendState appends the state to dst. Equal states must give equal bytes, because
	// [World.Hash] covers the bytes. It is called for every hash: twice a second on a server that
	// records.
	AppendState(dst []byte) []byte
	// RestoreState replaces the state by a state from AppendState. The mode or mod was started in
	// the same way, and Start and EntityHook have already run. RestoreState must not keep b. It
	// returns an error if b is not valid; the world is then discarded.
	RestoreState(b []byte) error
}

// Damage is a hit on a tee.
type Damage struct {
	Victim   PlayerID
	Attacker PlayerID // Nobody for the world; lower values: -2-team of a player who left
	Weapon   Weapon
	Amount   int32
	Force    vec.Vec2 // added to the victim's velocity, units per tick
	Source   vec.Vec2 // direction of the hit's origin; only the angle counts
	// HealthLost and ArmorLost are set in DamageTakenHook.
	HealthLost int32
	ArmorLost  int32
}

// Death is the death of a tee.
type Death struct {
	Victim PlayerID
	Killer PlayerID // as Damage.Attacker; the victim itself for falls and suicides
	Weapon Weapon
	Pos    vec.Vec2 // position of the victim
	// ModeSpecial is sent to clients with the kill (0.7: bit 0 if the victim carried a
	// flag, bit 1 if the killer carries one).
	ModeSpecial int32
}

// ChatMessage is a chat line of a player.
type ChatMessage struct {
	From   PlayerID
	Mode   ChatMode
	Target PlayerID // recipient of a whisper, else Nobody
	Text   string
}

// maxHookDepth is the maximum nesting of hooks.
const maxHookDepth = 16

// hooks are the hook interfaces that mode and mods implement, in calling order. hookTable
// fills it.
type hooks struct {
	damage      []hookOf[DamageHook]
	damageTaken []hookOf[DamageTakenHook]
	death       []hookOf[DeathHook]
	selfKill    []hookOf[SelfKillHook]
	emoticon    []hookOf[EmoticonHook]
	spawnPicker []hookOf[SpawnPicker]
	spawn       []hookOf[SpawnHook]
	pickup      []hookOf[PickupHook]
	chat        []hookOf[ChatHook]
	input       []hookOf[InputHook]
	fire        []hookOf[FireHook]
	enter       []hookOf[EnterHook]
	leave       []hookOf[LeaveHook]
	rename      []hookOf[RenameHook]
	team        []hookOf[TeamHook]
	tick        []hookOf[TickHook]
	entity      []hookOf[EntityHook]
	tile        []hookOf[TileHook]
	roundStart  []hookOf[RoundStartHook]
	flagReturn  []hookOf[FlagReturnHook]
	finish      []hookOf[FinishHook]
	state       []hookOf[StateHook]
	savers      []hookOf[StateSaver]
	storage     []hookOf[StorageHook]
	winRule     hookOf[WinRule]
	roundRule   hookOf[RoundRule]
	balanceRule hookOf[BalanceRule]
	playersRule hookOf[PlayersRule]
	unevenRule  hookOf[UnevenRule]
	startRule   hookOf[StartRule]
	purityRule  hookOf[PurityRule]
	namers      []hookOf[GameTypeNamer]
	join        []hookOf[JoinRule]
}
