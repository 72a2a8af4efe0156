// Package foot is the game type Foot: two teams, two goals, and a ball that players carry and kick.
package foot

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
)

// Mode is Foot. All its state is in the ball, which is an entity.
type Mode struct {
	ball game.KindID

	respawn, carry, lifetime int32    // seconds
	bounce                   int32    // percent
	goalTiles                [2]int32 // by team
}

// The indexes of a ball's data.
const (
	phase  = iota
	left   // ticks left in the phase
	grace  // ticks in which the kicker cannot take the ball, or the carrier cannot kick
	passer // 1 + the teammate who had the ball before the owner
	fire   // Input.Fire of the carrier in the last tick
)

// The phases of a ball. Its Owner is the player who has it or had it last, Team is that player's
// team.
const (
	away    = iota // absent until it returns to its start
	ready          // at its start, Entity.To
	carried        // by its owner
	flying
)

const (
	tileFlagRed  = 195
	tileFlagBlue = 196
	tileGrenade  = 200
	firstPickup  = 197
	lastPickup   = 202

	// The ball flies like a grenade. Speeds are in units per tick.
	kickSpeed float32 = 20
	gravity   float32 = 0.56
	maxSpeed  float32 = 30 // less than a tile, so that the ball cannot skip a goal
	rolling   float32 = 0.95

	size      float32 = 20 // of the box that bounces off walls
	reach     float32 = 10 // from the edge of a tee
	stand     float32 = 42 // radius of a goal around a flag stand
	kickGrace         = 15
	// The press of fire that swung the hammer moves the tee some ticks later. It must not kick the
	// ball.
	hammerGrace = 10
)

// New returns a new Foot mode.
func New() game.Mode { return &Mode{} }

// Name returns "Foot".
func (*Mode) Name() string { return "Foot" }

// Flags returns teams and flags. The flags mark the goals.
func (*Mode) Flags() game.GameFlags { return game.GameFlagTeams | game.GameFlagFlags }

// PureTuning returns false: operators can tune.
func (*Mode) PureTuning() bool { return false }

// Start declares the ball and the settings.
func (m *Mode) Start(setup *game.Setup) {
	m.ball = setup.AddEntityKind(game.EntityKind{Tick: m.tick, Draw: draw, Reset: func(_ *game.Ctx, e *game.Entity) { m.reset(e) }})
	for _, v := range []game.IntVar{
		{Name: "sv_ball_respawn", Help: "Seconds until the ball returns after a goal", Value: &m.respawn, Default: 5, Max: 100},
		{Name: "sv_ball_carry", Help: "Seconds for which a tee can keep the ball", Value: &m.carry, Default: 3, Min: 1, Max: 60},
		{Name: "sv_ball_lifetime", Help: "Seconds after which an untouched ball returns to its start", Value: &m.lifetime, Default: 20, Min: 1, Max: 600},
		{Name: "sv_ball_bounce", Help: "Speed that the ball keeps when it bounces, percent", Value: &m.bounce, Default: 75, Max: 100},
		{Name: "sv_goal_tile_red", Help: "Tiles with this index are the goal of red", Value: &m.goalTiles[game.TeamRed], Default: 9, Min: 4, Max: 191},
		{Name: "sv_goal_tile_blue", Help: "Tiles with this index are the goal of blue", Value: &m.goalTiles[game.TeamBlue], Default: 10, Min: 4, Max: 191},
	} {
		setup.IntVar(v)
	}
}

// OnEntity puts the ball at the map's grenade launcher and the flags on their stands. It removes
// all pickups.
func (m *Mode) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	switch {
	case tile == tileGrenade:
		ctx.SpawnEntity(m.ball, game.Entity{Pos: pos, To: pos, Owner: game.Nobody})
	case tile == tileFlagRed:
		ctx.Flag(game.TeamRed).Place(pos)
	case tile == tileFlagBlue:
		ctx.Flag(game.TeamBlue).Place(pos)
	}
	if tile >= firstPickup && tile <= lastPickup {
		ctx.Cancel()
	}
}

// OnSpawn gives the hammer only.
func (*Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.SelectWeapon(game.WeaponHammer)
	p.TakeWeapon(game.WeaponGun)
}

// OnDamage cancels all damage. A hammer hit takes the ball from an opponent.
func (m *Mode) OnDamage(ctx *game.Ctx, d *game.Damage) {
	attacker := ctx.Player(d.Attacker)
	ctx.Cancel()
	if d.Weapon != game.WeaponHammer || !attacker.Alive() || attacker.Team() == ctx.Player(d.Victim).Team() || m.carriedBy(ctx, d.Attacker) != nil {
		return
	}
	if e := m.carriedBy(ctx, d.Victim); e != nil {
		disarm(ctx, d.Victim)
		m.take(ctx, e, d.Attacker)
		e.Data[grace] = hammerGrace
	}
}

// OnDeath subtracts a point for a fall or a suicide, and resets the ball of the victim.
func (m *Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	mode.ScoreDeath(ctx, d, true)
	if e := m.carriedBy(ctx, d.Victim); e != nil {
		m.reset(e)
	}
}

// OnLeave removes a player who leaves from the passes.
func (m *Mode) OnLeave(ctx *game.Ctx, id game.PlayerID) { m.forget(ctx, id) }

// OnTeam removes a player who changes team from the passes.
func (m *Mode) OnTeam(ctx *game.Ctx, id game.PlayerID, _ game.Team) { m.forget(ctx, id) }

func (m *Mode) forget(ctx *game.Ctx, id game.PlayerID) {
	for e := range ctx.Entities(m.ball) {
		if e.Data[passer] == 1+int32(id) {
			e.Data[passer] = 0
		}
	}
}

// CanBeMoved reports false for a player who has the ball.
func (m *Mode) CanBeMoved(ctx *game.Ctx, id game.PlayerID) bool { return m.carriedBy(ctx, id) == nil }

// CheckWin ends the match at the score or time limit if a team leads.
func (*Mode) CheckWin(ctx *game.Ctx) game.MatchResult { return tdm.Mode{}.CheckWin(ctx) }

// carriedBy returns the ball that a player carries, or nil.
func (m *Mode) carriedBy(ctx *game.Ctx, id game.PlayerID) *game.Entity {
	for e := range ctx.Entities(m.ball) {
		if e.Data[phase] == carried && e.Owner == id {
			return e
		}
	}
	return nil
}

// reset removes a ball from the field. It returns to its start later.
func (m *Mode) reset(e *game.Entity) {
	e.Pos, e.Vel, e.Owner = e.To, vec.Vec2{}, game.Nobody
	e.Data = [8]int32{phase: away, left: m.respawn * game.TickRate}
}

// tick runs one tick of a ball.
func (m *Mode) tick(ctx *game.Ctx, e *game.Entity) {
	e.Data[left] = max(e.Data[left]-1, 0)
	e.Data[grace] = max(e.Data[grace]-1, 0)
	switch e.Data[phase] {
	case away:
		if e.Data[left] == 0 {
			e.Data[phase] = ready
			ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundWeaponSpawn)
		}
	case ready:
		m.touch(ctx, e)
	case carried:
		m.carryOn(ctx, e)
	case flying:
		m.fly(ctx, e)
	}
}

// touch gives a ball to the nearest tee that touches it and carries none.
func (m *Mode) touch(ctx *game.Ctx, e *game.Entity) {
	var except game.PlayerMask
	if e.Data[grace] > 0 && e.Owner != game.Nobody {
		except = game.MaskOne(e.Owner)
	}
	for other := range ctx.Entities(m.ball) {
		if other.Data[phase] == carried && other.Owner != game.Nobody {
			except.Add(other.Owner)
		}
	}
	if p, ok := ctx.NearestPlayer(e.Pos, reach, except); ok && !ctx.Map().WallBetween(e.Pos, p.Pos()) {
		m.take(ctx, e, p.ID())
	}
}

// take gives a ball to a tee. The tee holds a grenade launcher while it carries the ball.
func (m *Mode) take(ctx *game.Ctx, e *game.Entity, id game.PlayerID) {
	p := ctx.Player(id)
	switch {
	case e.Owner == id:
	case e.Owner != game.Nobody && e.Team == p.Team():
		e.Data[passer] = 1 + int32(e.Owner)
	default:
		e.Data[passer] = 0
	}
	e.Pos, e.Vel, e.Owner, e.Team = p.Pos(), vec.Vec2{}, id, p.Team()
	e.Data[phase], e.Data[left], e.Data[grace], e.Data[fire] = carried, m.carry*game.TickRate, 0, p.Input().Fire
	p.GiveWeapon(game.WeaponGrenade, -1)
	p.SelectWeapon(game.WeaponGrenade)
	p.MaskInput(game.ControlFire | game.ControlSelect) // fire kicks the ball instead of a grenade
	ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundPickupGrenade)
}

// disarm undoes take.
func disarm(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.MaskInput(0)
	p.TakeWeapon(game.WeaponGrenade)
	p.SetArmor(0)
}

// carryOn moves a ball with its carrier, until the carrier fires or the time is over. The carrier's
// armor shows the time left.
func (m *Mode) carryOn(ctx *game.Ctx, e *game.Entity) {
	id := e.Owner
	if !ctx.Player(id).Alive() { // the carrier has left
		m.reset(e)
		return
	}
	e.Pos = ctx.Player(id).Pos()
	in := ctx.Player(id).Input()
	pressed := in.Fire != e.Data[fire] && in.Fire&1 != 0 && e.Data[grace] == 0
	e.Data[fire] = in.Fire
	if !pressed && e.Data[left] > 0 {
		all := m.carry * game.TickRate
		ctx.Player(id).SetArmor((10*e.Data[left] + all - 1) / all)
		return
	}
	dir := vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)}
	if dir == (vec.Vec2{}) {
		dir.Y = -1
	}
	disarm(ctx, id)
	e.Vel = dir.Normalize().Mul(kickSpeed)
	e.Data[phase], e.Data[left], e.Data[grace] = flying, m.lifetime*game.TickRate, kickGrace
	ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundGrenadeFire)
}

// fly moves a ball that flies free.
func (m *Mode) fly(ctx *game.Ctx, e *game.Entity) {
	e.Vel.Y += gravity
	if speed := e.Vel.Len(); speed > maxSpeed {
		e.Vel = e.Vel.Mul(maxSpeed / speed)
	}
	before := e.Vel
	death := ctx.Map().MoveBox(&e.Pos, &e.Vel, vec.Vec2{X: size, Y: size}, float32(m.bounce)/100)
	if before.Y > 0 && e.Vel.Y <= 0 {
		e.Vel.X = float32(e.Vel.X * rolling)
	}
	if vec.Distance(before, e.Vel) > 5 {
		ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundHookAttachGround)
	}
	if t, ok := m.goalAt(ctx, e.Pos); ok {
		m.goal(ctx, e, t)
		return
	}
	if death || e.Data[left] == 0 {
		m.reset(e)
		return
	}
	m.touch(ctx, e)
}

var bothTeams = [2]game.Team{game.TeamRed, game.TeamBlue}

// goalAt returns the team whose goal is at a position.
func (m *Mode) goalAt(ctx *game.Ctx, pos vec.Vec2) (game.Team, bool) {
	tile := ctx.Map().Tile(pos)
	for _, t := range bothTeams {
		if n := m.goalTiles[t]; n == int32(tile.Game) || n == int32(tile.Front) {
			return t, true
		}
		if f, ok := ctx.Flag(t).Info(); ok && vec.Distance(f.Pos, pos) < stand {
			return t, true
		}
	}
	return 0, false
}

// goal scores for the opponents of the team that conceded, and starts a new kickoff.
func (m *Mode) goal(ctx *game.Ctx, e *game.Entity, conceded game.Team) {
	scored := conceded ^ 1
	team := [2]string{"red", "blue"}[scored]
	ctx.Match().AddTeamScore(scored, 1)
	by, pass := e.Owner, game.PlayerID(e.Data[passer])-1
	switch {
	case by == game.Nobody:
		ctx.Broadcast(fmt.Sprintf("Goal for the %s team", team))
	case e.Team == conceded:
		ctx.Player(by).AddScore(-1)
		ctx.Broadcast(fmt.Sprintf("%s scored an own goal for the %s team", ctx.Player(by).Name(), team))
	case pass != game.Nobody:
		ctx.Player(by).AddScore(1)
		ctx.Player(pass).AddScore(1)
		ctx.Broadcast(fmt.Sprintf("%s scored for the %s team with a pass from %s", ctx.Player(by).Name(), team, ctx.Player(pass).Name()))
	default:
		ctx.Player(by).AddScore(1)
		ctx.Broadcast(fmt.Sprintf("%s scored for the %s team", ctx.Player(by).Name(), team))
	}
	ctx.Effects(game.MaskAll).Explosion(e.Pos)
	ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundCTFCapture)
	m.reset(e)
	if ctx.Match().CheckWin() {
		return
	}
	for other := range ctx.Entities(m.ball) {
		m.reset(other)
	}
	for p := range ctx.Players() {
		if p.Alive() {
			p.Respawn()
		}
	}
}

// draw draws a flying ball as a grenade, and a ball at its start as a pickup. A carried ball is not
// drawn: its carrier holds the launcher.
func draw(_ *game.Ctx, e *game.Entity, d *game.Drawing) {
	switch e.Data[phase] {
	case ready:
		d.Pickup(0, game.PickupGrenade, e.Pos, game.MaskAll)
	case flying:
		d.Projectile(0, game.WeaponGrenade, e.Pos, e.Vel, game.MaskAll)
	}
}
