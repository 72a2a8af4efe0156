// Package bot plays the game: it computes the input of a player from a view of the world.
//
// A [Bot] plays one tee. A Bot uses only the map and the part of the game that its player can see
// on the screen. It can therefore play in a server's own world and, as a client, on any other
// server. A Bot uses no clock, and no randomness except its seed: equal seeds and equal views give
// equal inputs.
//
// A Bot moves with a [NavGraph], a graph of maneuvers that are simulated once per map with the
// physics of the game. In each tick it simulates variations from the tee's position. The Bot keeps
// the variation that reaches the goal soonest without dying.
package bot

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/game/vec"
)

// Config is the configuration of a Bot.
type Config struct {
	// Terrain is the map. It is not used if Nav is set.
	Terrain game.Terrain
	// Nav is the graph of the map. Several bots can share it. If it is nil, New builds a graph.
	// Building a graph can take seconds on a large map.
	Nav *NavGraph
	// Skill is the skill level from 1 (weak) to 3 (strong); 0 means 2.
	Skill int
	// Seed initialises the random numbers.
	Seed uint64
}

// Bot plays one tee. It is not safe for concurrent use.
type Bot struct {
	graph          *NavGraph
	skill          skill
	rand           rng
	world          *physics.World // simulates maneuvers
	reckoningWorld *physics.World // computes the tee's position, as clients do

	tick    int32
	started bool
	input   game.Input

	// State of the bot's own tee.
	alive     bool
	self      physics.Core // state at selfTick
	selfTick  int32
	stateTick int32 // tick of the snapshot state that self is computed from
	health    int32
	armor     int32
	weapon    game.Weapon
	hasWeapon [game.NumWeapons]bool
	ammo      [game.NumWeapons]int32
	deadTicks int32
	team      game.Team
	teamMode  bool

	movement
	combat
	goalPlanner
}

// New returns a bot. The error wraps ErrTerrain.
func New(cfg Config) (*Bot, error) {
	nav := cfg.Nav
	if nav == nil {
		var err error
		if nav, err = NewNavGraph(cfg.Terrain, nil); err != nil {
			return nil, err
		}
	}
	if cfg.Skill == 0 {
		cfg.Skill = 2
	}
	b := &Bot{graph: nav, rand: rng{splitmix.Rand(cfg.Seed)}, world: nav.newWorld(), reckoningWorld: physics.NewWorld(nav.col)}
	b.SetSkill(cfg.Skill)
	b.self.Reset(b.reckoningWorld, vec.Vec2{})
	b.goalPlanner.init(nav)
	b.combat.enemy = game.Nobody
	b.input.TargetX = 100
	return b, nil
}

// String describes the bot's goal and plan, for debugging.
func (b *Bot) String() string {
	return fmt.Sprintf("goal %d/%d foe %d plan %+v at %d", b.goal.kind, b.goal.index, b.enemy, b.plan, b.planTick)
}

// NextInput returns the input for the tick after the view's. Call it once per tick. Ticks may be
// missing.
func (b *Bot) NextInput(v *game.View) game.Input {
	if v == nil || v.Frame == nil || v.Viewer < 0 || v.Viewer >= game.MaxPlayers || b.started && v.Tick == b.tick {
		return b.input
	}
	passed := v.Tick - b.tick
	if !b.started || passed < 0 || passed > 5*game.TickRate {
		b.reset(v.Tick)
		passed = 1
	}
	b.started, b.tick = true, v.Tick
	b.input.Flags = 0
	b.teamMode = v.Game.Flags&game.GameFlagTeams != 0
	b.updateTeams(v)

	c := ownCharacter(v)
	if c == nil {
		b.onDeath()
		b.respawn()
		return b.input
	}
	if !b.alive {
		b.onSpawn()
	}
	b.updateSelf(c, v.Tick)
	b.updateInventory(c)
	b.updatePickups(v)
	b.updateFlags(v)
	b.updateEnemy(v)
	b.updateThreat(v)
	b.chooseGoal()
	b.move(passed)
	b.fight(passed)
	return b.input
}

// reset resets the state, after a reset of the map or a long gap.
func (b *Bot) reset(tick int32) {
	b.alive = false
	b.tick = tick
	b.goalPlanner.reset(tick)
	b.movement.clearPlan()
	b.combat.forgetEnemy()
}

// ownCharacter returns the state of the viewer's tee, or nil if there is none.
func ownCharacter(v *game.View) *game.CharacterState {
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == v.Viewer {
			return c
		}
	}
	return nil
}

// updateTeams reads the team of every player.
func (b *Bot) updateTeams(v *game.View) {
	for i := range v.Players {
		p := &v.Players[i]
		if p.ID == v.Viewer {
			b.team = p.Team
		}
		if p.ID >= 0 && p.ID < game.MaxPlayers {
			b.teamOf[p.ID] = p.Team
		}
	}
}

// onDeath releases all buttons and drops the plan and the enemy.
func (b *Bot) onDeath() {
	if b.alive {
		b.alive, b.deadTicks = false, 0
		b.movement.clearPlan()
		b.combat.forgetEnemy()
		if b.input.Fire&1 != 0 {
			b.setFire(false)
		}
	}
	b.input.Direction, b.input.Jump, b.input.Hook, b.input.WantedWeapon = 0, false, false, 0
}

// respawn presses fire after a short delay.
func (b *Bot) respawn() {
	if b.team == game.TeamSpectators {
		return
	}
	if b.deadTicks++; b.deadTicks > 30 && b.deadTicks%8 == 0 {
		b.setFire(b.input.Fire&1 == 0)
	}
}

// onSpawn initialises the state for a new character with hammer and gun.
func (b *Bot) onSpawn() {
	b.alive = true
	b.stateTick, b.selfTick = 0, 0
	b.hasWeapon = [game.NumWeapons]bool{game.WeaponHammer: true, game.WeaponGun: true}
	b.ammo = [game.NumWeapons]int32{10, 10, 10, 10, 10, 10}
	b.goal.kind, b.nextDecision = goalNone, 0
	b.anchorPos, b.anchorTick = b.self.Pos, b.tick
	if b.input.Fire&1 != 0 {
		b.setFire(false)
	}
}

// setFire presses or releases the fire button.
func (b *Bot) setFire(down bool) {
	if down != (b.input.Fire&1 != 0) {
		b.input.Fire = (b.input.Fire + 1) & 63
	}
}

// updateSelf computes the tee's state in the current tick. The snapshot state may be of an earlier
// tick. The tee has then moved without new input, as dead reckoning assumes.
func (b *Bot) updateSelf(c *game.CharacterState, tick int32) {
	from := c.Tick
	if from <= 0 || from > tick || tick-from > 4*game.TickRate {
		from = tick
	}
	if from != b.stateTick || from == tick || b.selfTick > tick || b.selfTick < from {
		b.self.SetState(&physics.CoreState{
			X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
			HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
		})
		b.self.World = b.reckoningWorld
		b.stateTick, b.selfTick = from, from
	}
	for b.selfTick < tick {
		b.self.Tick(nil, false)
		b.self.Move()
		b.self.Quantize()
		b.selfTick++
	}
	if d := vec.Distance(b.self.Pos, c.Pos); !(d <= 2) {
		b.self.Pos = c.Pos
		b.stateTick = 0
	}
}

// updateInventory reads health, armor, weapon and ammunition.
func (b *Bot) updateInventory(c *game.CharacterState) {
	b.health, b.armor = c.Health, c.Armor
	if c.Weapon < 0 || c.Weapon >= game.NumWeapons {
		return
	}
	if c.Weapon != b.weapon {
		b.weapon, b.wantedTicks = c.Weapon, 0
	}
	b.hasWeapon[game.WeaponNinja] = false
	b.hasWeapon[b.weapon] = true
	b.ammo[b.weapon] = c.Ammo
	if b.weapon == game.WeaponHammer || b.weapon == game.WeaponNinja {
		b.ammo[b.weapon] = 10
	}
}

// SetSkill changes the skill level; see Config.Skill.
func (b *Bot) SetSkill(level int) { b.skill = skills[min(max(level, MinSkill), MaxSkill)-1] }
