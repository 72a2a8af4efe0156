package game

import "github.com/teeyard/teeyard/game/vec"

// Mode is a kind of match; a world has exactly one. What it does beyond
// starting it says by implementing the hook interfaces of this file, which
// [New] looks up once.
//
// A mode or mod that keeps state of its own must keep it free of clocks, map
// iteration and other sources of chance (see [Tx.Rand]), and should implement
// [StateHook], or a replay cannot be verified. One value serves one world.
type Mode interface {
	// Name is what clients and master servers show, for example "DM".
	Name() string
	// Flags are the features the mode has. They must not change.
	Flags() GameFlags
	// Start is called at the end of [New].
	Start(tx *Tx)
}

// Mod changes or watches the rules besides the mode. It too implements the hook
// interfaces it needs.
type Mod interface {
	Start(tx *Tx)
}

// The hooks that can be cancelled are called for the mods in order and then for
// the mode; the first to cancel is the last to be asked. The others are called
// for the mode first, so that mods see and may change what it did.
//
// Hooks nest, when a hook hurts somebody in turn for example. Sixteen deep,
// hooks are no longer called and only the built-in rules go on.

// DamageHook is asked about every hit before it counts, with the amount the
// weapon does. It may change amount, force and source. Cancelling leaves the
// push only.
type DamageHook interface {
	OnDamage(ctx *Ctx, d *Damage)
}

// DamageTakenHook is told of every hit that counted, before its victim may die.
type DamageTakenHook interface {
	OnDamageTaken(ctx *Ctx, d *Damage)
}

// DeathHook is told of every death, before clients are. Scoring is done here:
// cancelling keeps the mode from scoring.
type DeathHook interface {
	OnDeath(ctx *Ctx, d *Death)
}

// SpawnPicker may choose where a player appears; ok false leaves it to the
// next.
type SpawnPicker interface {
	PickSpawn(ctx *Ctx, id PlayerID) (pos vec.Vec2, ok bool)
}

// SpawnHook is told of every new character, which has full health, hammer and
// gun.
type SpawnHook interface {
	OnSpawn(ctx *Ctx, id PlayerID)
}

// PickupHook is asked when a living character touches a pickup, whether he
// needs it or not. Cancelling leaves it lying.
type PickupHook interface {
	OnPickup(ctx *Ctx, id PlayerID, kind PickupKind)
}

// ChatHook is asked about what players say, after the spam rules. It may change
// it. Cancelling swallows it.
type ChatHook interface {
	OnChat(ctx *Ctx, c *ChatMessage)
}

// EnterHook is told who came into the game.
type EnterHook interface {
	OnEnter(ctx *Ctx, id PlayerID)
}

// LeaveHook is told who is about to leave the game.
type LeaveHook interface {
	OnLeave(ctx *Ctx, id PlayerID)
}

// TeamHook is told who changed team.
type TeamHook interface {
	OnTeam(ctx *Ctx, id PlayerID, from Team)
}

// TickHook is called once per tick, also while the world is paused, after the
// entities and the match moved.
type TickHook interface {
	OnTick(ctx *Ctx)
}

// EntityHook is asked, in [New] before Start, about every entity tile of the
// map (index 192 and up). Cancelling means that the tile is taken care of.
type EntityHook interface {
	OnEntity(ctx *Ctx, tile uint8, pos vec.Vec2)
}

// RoundStartHook is told that a match or round begins.
type RoundStartHook interface {
	OnRoundStart(ctx *Ctx)
}

// FlagReturnHook is told of a flag that went home by itself.
type FlagReturnHook interface {
	OnFlagReturn(ctx *Ctx, t Team)
}

// MatchResult is what a WinRule says about a match.
type MatchResult uint8

// The verdicts.
const (
	MatchContinues MatchResult = iota
	MatchTied                  // a limit is reached but nobody leads: sudden death
	MatchOver
)

// WinRule is for modes: it is asked every tick of a running or paused match,
// in survival modes at the end of a round.
type WinRule interface {
	CheckWin(ctx *Ctx) MatchResult
}

// RoundRule is for modes with GameFlagSurvival: it is asked every tick of a running
// or paused round whether it is over.
type RoundRule interface {
	RoundOver(ctx *Ctx) bool
}

// BalanceRule is for modes with GameFlagTeams: it reports whether a player may be
// moved to even out the teams.
type BalanceRule interface {
	CanBeMoved(ctx *Ctx, id PlayerID) bool
}

// StateHook adds the state of a mode or mod to the world's hash.
type StateHook interface {
	AppendState(dst []byte) []byte
}

// Damage is a hit.
type Damage struct {
	Victim   PlayerID
	Attacker PlayerID // Nobody: the world; below: the team of a player who left
	Weapon   Weapon
	Amount   int32
	Force    vec.Vec2 // added to the victim's velocity, units per tick
	Source   vec.Vec2 // the way it came from; only its angle counts
	// HealthLost and ArmorLost are set for DamageTakenHook.
	HealthLost int32
	ArmorLost  int32
}

// Death is the end of a character.
type Death struct {
	Victim PlayerID
	Killer PlayerID // as Damage.From; the victim himself for falls and suicides
	Weapon Weapon
	// ModeSpecial is told to clients with the kill (0.7: bit 0 the victim carried
	// a flag, bit 1 the killer does).
	ModeSpecial int32
}

// ChatMessage is a line of chat.
type ChatMessage struct {
	From   PlayerID
	Mode   ChatMode
	Target PlayerID // of a whisper
	Text   string
}

// maxHookDepth is how deep hooks may nest.
const maxHookDepth = 16

// hooks are the interfaces that mode and mods implement, in calling order.
type hooks struct {
	damage      []DamageHook
	damageTaken []DamageTakenHook
	death       []DeathHook
	spawnPicker []SpawnPicker
	spawn       []SpawnHook
	pickup      []PickupHook
	chat        []ChatHook
	enter       []EnterHook
	leave       []LeaveHook
	team        []TeamHook
	tick        []TickHook
	entity      []EntityHook
	roundStart  []RoundStartHook
	flagReturn  []FlagReturnHook
	state       []StateHook
	winRule     WinRule
	roundRule   RoundRule
	balanceRule BalanceRule
}

func appendImplementers[H any](dst *[]H, candidates []any) {
	for _, c := range candidates {
		if h, ok := c.(H); ok {
			*dst = append(*dst, h)
		}
	}
}

func (w *World) resolveHooks() {
	var modsFirst, modeFirst []any
	modeFirst = append(modeFirst, w.mode)
	for _, m := range w.mods {
		modsFirst, modeFirst = append(modsFirst, m), append(modeFirst, m)
	}
	modsFirst = append(modsFirst, w.mode)

	h := &w.hooks
	appendImplementers(&h.damage, modsFirst)
	appendImplementers(&h.death, modsFirst)
	appendImplementers(&h.spawnPicker, modsFirst)
	appendImplementers(&h.pickup, modsFirst)
	appendImplementers(&h.chat, modsFirst)
	appendImplementers(&h.entity, modsFirst)
	appendImplementers(&h.damageTaken, modeFirst)
	appendImplementers(&h.spawn, modeFirst)
	appendImplementers(&h.enter, modeFirst)
	appendImplementers(&h.leave, modeFirst)
	appendImplementers(&h.team, modeFirst)
	appendImplementers(&h.tick, modeFirst)
	appendImplementers(&h.roundStart, modeFirst)
	appendImplementers(&h.flagReturn, modeFirst)
	appendImplementers(&h.state, modeFirst)
	h.winRule, _ = w.mode.(WinRule)
	h.roundRule, _ = w.mode.(RoundRule)
	h.balanceRule, _ = w.mode.(BalanceRule)
}
