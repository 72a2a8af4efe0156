// Package bot is a player's brain: a view in, an input out.
//
// A [Brain] plays one tee. It knows the map and what its player could see on
// the screen, and nothing else; so it can play on a server's own world and, behind
// a client, on any other server. It has no clock and no chance of its own: equal
// seeds and equal views give equal inputs.
//
// It gets about with a [Nav], a graph of moves that were tried out once per map
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
	Nav *Nav
	// Skill is 1 for a beginner to 3 for an adversary; 0 is 2.
	Skill int
	// Seed makes its chances.
	Seed uint64
}

// Brain plays one tee. It is not safe for concurrent use.
type Brain struct {
	nav    *Nav
	skill  skill
	rand   source
	world  *physics.World // to try moves in
	ghosts *physics.World // to follow the own tee in, as clients do

	tick  int32
	begun bool
	input game.Input

	// The own tee.
	alive    bool
	self     physics.Core // as it is in tick
	selfTick int32
	reckoned int32 // tick of the state that self goes on from
	health   int32
	armor    int32
	weapon   game.Weapon
	have     [game.NumWeapons]bool
	ammo     [game.NumWeapons]int32
	deadFor  int32
	team     game.Team
	teams    bool

	mover
	fighter
	goals
}

// New makes a brain. The error wraps ErrTerrain.
func New(cfg Config) (*Brain, error) {
	nav := cfg.Nav
	if nav == nil {
		var err error
		if nav, err = NewNav(cfg.Terrain, nil); err != nil {
			return nil, err
		}
	}
	if cfg.Skill == 0 {
		cfg.Skill = 2
	}
	b := &Brain{nav: nav, rand: source(cfg.Seed), world: nav.newWorld(), ghosts: physics.NewWorld(nav.col)}
	b.SetSkill(cfg.Skill)
	b.self.Reset(b.ghosts, vec.Vec2{})
	b.goals.init(nav)
	b.fighter.foe = game.Nobody
	b.input.TargetX = 100
	return b, nil
}

// String tells what a brain is after, for people who look for faults.
func (b *Brain) String() string {
	return fmt.Sprintf("goal %d/%d foe %d plan %+v at %d", b.goal.kind, b.goal.index, b.foe, b.plan, b.planAt)
}

// Think is the input for the next tick of the viewer's tee, after a look at this
// one. It is to be called once per tick; ticks may be missing.
func (b *Brain) Think(v *game.View) game.Input {
	if v == nil || v.Frame == nil || v.Viewer < 0 || v.Viewer >= game.MaxPlayers || b.begun && v.Tick == b.tick {
		return b.input
	}
	passed := v.Tick - b.tick
	if !b.begun || passed < 0 || passed > 5*game.TickRate {
		b.forget(v.Tick)
		passed = 1
	}
	b.begun, b.tick = true, v.Tick
	b.input.Flags = 0
	b.teams = v.Game.Flags&game.GameFlagTeams != 0
	b.lookAtPlayers(v)

	c := own(v)
	if c == nil {
		b.die()
		b.respawn()
		return b.input
	}
	if !b.alive {
		b.spawn()
	}
	b.follow(c, v.Tick)
	b.takeStock(c)
	b.lookAtPickups(v)
	b.lookAtFoes(v)
	b.lookAtShots(v)
	b.chooseGoal()
	b.move(passed)
	b.fight(passed)
	return b.input
}

// forget begins anew: a map was reset, or much time passed.
func (b *Brain) forget(tick int32) {
	b.alive = false
	b.tick = tick
	b.goals.forget(tick)
	b.mover.drop()
	b.fighter.lose()
}

// own is the state of the viewer's tee, nil while he has none.
func own(v *game.View) *game.CharacterState {
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == v.Viewer {
			return c
		}
	}
	return nil
}

// lookAtPlayers reads the scoreboard: who is on which side.
func (b *Brain) lookAtPlayers(v *game.View) {
	for i := range v.Players {
		p := &v.Players[i]
		if p.ID == v.Viewer {
			b.team = p.Team
		}
		if p.ID >= 0 && p.ID < game.MaxPlayers {
			b.sides[p.ID] = p.Team
		}
	}
}

// die lets go of everything.
func (b *Brain) die() {
	if b.alive {
		b.alive, b.deadFor = false, 0
		b.mover.drop()
		b.fighter.lose()
		if b.input.Fire&1 != 0 {
			b.press(false)
		}
	}
	b.input.Direction, b.input.Jump, b.input.Hook, b.input.WantedWeapon = 0, false, false, 0
}

// respawn presses fire after a moment, as players do.
func (b *Brain) respawn() {
	if b.team == game.TeamSpectators {
		return
	}
	if b.deadFor++; b.deadFor > 30 && b.deadFor%8 == 0 {
		b.press(b.input.Fire&1 == 0)
	}
}

// spawn is the start of a life: a hammer, and a gun in hand.
func (b *Brain) spawn() {
	b.alive = true
	b.reckoned, b.selfTick = 0, 0
	b.have = [game.NumWeapons]bool{game.WeaponHammer: true, game.WeaponGun: true}
	b.ammo = [game.NumWeapons]int32{10, 10, 10, 10, 10, 10}
	b.goal.kind, b.decide = goalNone, 0
	b.anchor, b.anchored = b.self.Pos, b.tick
	if b.input.Fire&1 != 0 {
		b.press(false)
	}
}

// press changes the fire button.
func (b *Brain) press(down bool) {
	if down != (b.input.Fire&1 != 0) {
		b.input.Fire = (b.input.Fire + 1) & 63
	}
}

// follow brings self to where the tee is. Its state may be of an earlier tick;
// then it went on since as a tee without new input does, or there would be a
// newer state.
func (b *Brain) follow(c *game.CharacterState, tick int32) {
	from := c.Tick
	if from <= 0 || from > tick || tick-from > 4*game.TickRate {
		from = tick
	}
	if from != b.reckoned || from == tick || b.selfTick > tick || b.selfTick < from {
		b.self.SetState(&physics.CoreState{
			X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
			HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
		})
		b.self.World = b.ghosts
		b.reckoned, b.selfTick = from, from
	}
	for b.selfTick < tick {
		b.self.Tick(nil, false)
		b.self.Move()
		b.self.Quantize()
		b.selfTick++
	}
	if d := vec.Distance(b.self.Pos, c.Pos); !(d <= 2) {
		b.self.Pos = c.Pos
		b.reckoned = 0
	}
}

// takeStock reads what the player's own display shows.
func (b *Brain) takeStock(c *game.CharacterState) {
	b.health, b.armor = c.Health, c.Armor
	if c.Weapon < 0 || c.Weapon >= game.NumWeapons {
		return
	}
	if c.Weapon != b.weapon {
		b.weapon, b.wished = c.Weapon, 0
	}
	b.have[game.WeaponNinja] = false
	b.have[b.weapon] = true
	b.ammo[b.weapon] = c.Ammo
	if b.weapon == game.WeaponHammer || b.weapon == game.WeaponNinja {
		b.ammo[b.weapon] = 10
	}
}

// SetSkill changes how good the brain is; see Config.
func (b *Brain) SetSkill(level int) { b.skill = skills[min(max(level, MinSkill), MaxSkill)-1] }
