// Package bot is a player's brain: a view in, an input out.
//
// A [Bot] plays one tee. It knows the map and what its player could see on
// the screen, and nothing else; so it can play on a server's own world and, behind
// a client, on any other server. It has no clock and no chance of its own: equal
// seeds and equal views give equal inputs.
//
// It gets about with a [NavGraph], a graph of moves that were tried out once per map
// with the real physics. From tick to tick it tries out variations from where the
// tee really is and keeps the one that brings it to its goal soonest, alive. The
// same physics tells it where a walk ends in spikes.
package bot

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Config says whose brain it is to be.
type Config struct {
	// Terrain is the map. It is not needed with a Nav.
	Terrain game.Terrain
	// Nav is what was found out about the map before; brains share it. Nil makes
	// one, which takes a while on a large map.
	Nav *NavGraph
	// Skill is 1 for a beginner to 3 for an adversary; 0 is 2.
	Skill int
	// Seed makes its chances.
	Seed uint64
}

// Bot plays one tee. It is not safe for concurrent use.
type Bot struct {
	graph          *NavGraph
	skill          skill
	rand           rng
	world          *physics.World // to try moves in
	reckoningWorld *physics.World // to follow the own tee in, as clients do

	tick    int32
	started bool
	input   game.Input

	// The own tee.
	alive     bool
	self      physics.Core // as it is in tick
	selfTick  int32
	stateTick int32 // tick of the state that self goes on from
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

// New makes a brain. The error wraps ErrTerrain.
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
	b := &Bot{graph: nav, rand: rng(cfg.Seed), world: nav.newWorld(), reckoningWorld: physics.NewWorld(nav.col)}
	b.SetSkill(cfg.Skill)
	b.self.Reset(b.reckoningWorld, vec.Vec2{})
	b.goalPlanner.init(nav)
	b.combat.enemy = game.Nobody
	b.input.TargetX = 100
	return b, nil
}

// String tells what a brain is after, for people who look for faults.
func (b *Bot) String() string {
	return fmt.Sprintf("goal %d/%d foe %d plan %+v at %d", b.goal.kind, b.goal.index, b.enemy, b.plan, b.planTick)
}

// NextInputTime is the input for the next tick of the viewer's tee, after a look at this
// one. It is to be called once per tick; ticks may be missing.
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
	b.updateEnemy(v)
	b.updateThreat(v)
	b.chooseGoal()
	b.move(passed)
	b.fight(passed)
	return b.input
}

// reset begins anew: a map was reset, or much time passed.
func (b *Bot) reset(tick int32) {
	b.alive = false
	b.tick = tick
	b.goalPlanner.reset(tick)
	b.movement.clearPlan()
	b.combat.forgetEnemy()
}

// ownCharacter is the state of the viewer's tee, nil while he has none.
func ownCharacter(v *game.View) *game.CharacterState {
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == v.Viewer {
			return c
		}
	}
	return nil
}

// updateTeams reads the scoreboard: who is on which side.
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

// onDeath lets go of everything.
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

// respawn presses fire after a moment, as players do.
func (b *Bot) respawn() {
	if b.team == game.TeamSpectators {
		return
	}
	if b.deadTicks++; b.deadTicks > 30 && b.deadTicks%8 == 0 {
		b.setFire(b.input.Fire&1 == 0)
	}
}

// onSpawn is the start of a life: a hammer, and a gun in hand.
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

// setFire changes the fire button.
func (b *Bot) setFire(down bool) {
	if down != (b.input.Fire&1 != 0) {
		b.input.Fire = (b.input.Fire + 1) & 63
	}
}

// updateSelf brings self to where the tee is. Its state may be of an earlier tick;
// then it went on since as a tee without new input does, or there would be a
// newer state.
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

// updateInventory reads what the player's own display shows.
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

// SetSkill changes how good the brain is; see Config.
func (b *Bot) SetSkill(level int) { b.skill = skills[min(max(level, MinSkill), MaxSkill)-1] }
