// Package infection is the game type Infection, with classes as in InfClass. A few players become
// infected and infect all others. The humans win if one of them survives until the time is over.
package infection

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// The teams.
const (
	infected = game.TeamRed
	humans   = game.TeamBlue
)

// Mode is Infection.
type Mode struct {
	settings
	wall, bomb, mine, slime game.KindID
	humanMenu, infectedMenu game.Menu

	state state
}

// state is the state of the round and its players.
type state struct {
	Started   bool  // a player has been infected in this round
	Lacking   int32 // ticks with too few infected
	Announced bool  // the end of the round has been announced

	Class  game.PerPlayer[class]
	Wanted game.PerPlayer[[2]class] // chosen class by team; none means any
	Picked game.PerPlayer[int32]    // round in which the player was last infected at its start
	Round  int32
	// Doomed is the ticks until a dead human becomes infected, 0 for others. Place is where the
	// player then spawns.
	Doomed game.PerPlayer[int32]
	Place  game.PerPlayer[place]
	Cured  game.PerPlayer[int32] // 1 if a medic cured the player in this tick

	Regen   game.PerPlayer[[game.NumWeapons]int32] // ticks since the weapon last regained a round
	Dashes  game.PerPlayer[int32]                  // of a ninja since the last touch of the ground
	Drained game.PerPlayer[int32]                  // ticks for which the hook of an infected has held a human
	Seen    game.PerPlayer[int32]                  // ticks for which a ghost stays visible
	Poison  game.PerPlayer[int32]                  // damage that slime still does
	Venom   game.PerPlayer[int32]                  // ticks until the next damage by slime
	Slug    game.PerPlayer[int32]                  // 1 + the slug whose slime it is
	Healed  game.PerPlayer[int32]                  // ticks since slime last healed the player
	Fresh   game.PerPlayer[int32]                  // ticks of protection left after a spawn
}

// place is a position where a player spawns, valid if Is.
type place struct {
	X, Y float32
	Is   bool
}

// New returns a new Infection mode.
func New() game.Mode { return &Mode{} }

// Name returns "Infection".
func (*Mode) Name() string { return "Infection" }

// Flags returns GameFlagTeams.
func (*Mode) Flags() game.GameFlags { return game.GameFlagTeams }

// UnevenTeams returns true: the infection makes the teams uneven.
func (*Mode) UnevenTeams() bool { return true }

// MinPlayers returns 2. CanStartMatch can require more.
func (*Mode) MinPlayers() int32 { return 2 }

// PureTuning returns false: classes have their own tuning.
func (*Mode) PureTuning() bool { return false }

// State returns the state of the round.
func (m *Mode) State() any { return &m.state }

// Start declares the settings, the entities and the menus.
func (m *Mode) Start(setup *game.Setup) {
	m.declare(setup)
	m.wall = setup.AddEntityKind(game.EntityKind{Tick: m.tickWall, Draw: m.drawWall, Parts: 2})
	m.bomb = setup.AddEntityKind(game.EntityKind{Tick: m.tickTool, Draw: m.drawBomb, Parts: maxBombs})
	m.mine = setup.AddEntityKind(game.EntityKind{Tick: m.tickMine, Draw: m.drawMine, Parts: mineSides})
	m.slime = setup.AddEntityKind(game.EntityKind{Tick: m.tickSlime, Draw: drawSlime, Parts: slimeDots})
	m.humanMenu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		m.choose(ctx, id, humans, m.offered(humans)[line])
	})
	m.infectedMenu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		m.choose(ctx, id, infected, m.offered(infected)[line])
	})
	setup.ChatCommand(game.CommandSpec{
		Name: "class", Private: true, Params: "?s[name]", Help: "Choose a class, or list the classes",
		Run: func(ctx *game.Ctx, c *game.CommandCall) {
			p := ctx.Player(c.Player)
			team := p.Team()
			for _, k := range m.offered(team) {
				if classes[k].name == c.Arg(0) {
					m.choose(ctx, c.Player, team, k)
					return
				}
			}
			for _, k := range m.offered(team) {
				p.Say(m.line(k))
			}
		},
	})
}

// OnEntity removes the pickups, because each class has its own weapons.
func (*Mode) OnEntity(ctx *game.Ctx, tile uint8, _ vec.Vec2) {
	const firstPickup, lastPickup = 197, 202
	if tile >= firstPickup && tile <= lastPickup {
		ctx.Cancel()
	}
}

// CanStartMatch reports whether there are enough players.
func (m *Mode) CanStartMatch(ctx *game.Ctx, _ bool) bool { return numPlayers(ctx) >= m.minPlayers }

func numPlayers(ctx *game.Ctx) int32 { return ctx.TeamSize(infected) + ctx.TeamSize(humans) }

// JoinTeam makes new players human before the infection begins, and infected after that. It does
// not let an infected player spectate if the round needs them.
func (m *Mode) JoinTeam(ctx *game.Ctx, r *game.TeamRequest) {
	switch {
	case r.Cause == game.JoinOperator:
	case r.Team != game.TeamSpectators:
		if r.Team = humans; m.state.Started {
			r.Team = infected
		}
		if r.From != game.TeamSpectators {
			ctx.Cancel() // players cannot change sides themselves
		}
	case r.Cause == game.JoinPlayer && r.From == infected && m.running(ctx) && ctx.TeamSize(infected)-1 < max(m.firstInfected(numPlayers(ctx)-1), 1):
		ctx.Cancel()
		r.Refusal = "You are infected, and the round needs you"
	}
}

// OnEnter shows the menu of classes.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) { m.showMenu(ctx, id) }

// OnTeam shows the menu of the new team. A player who joins late is infected.
func (m *Mode) OnTeam(ctx *game.Ctx, id game.PlayerID, _ game.Team) {
	m.state.Class[id], m.state.Doomed[id], m.state.Cured[id] = none, 0, 0
	m.showMenu(ctx, id)
}

// OnRoundStart makes all players human.
func (m *Mode) OnRoundStart(ctx *game.Ctx) {
	m.state.Started, m.state.Announced, m.state.Lacking = false, false, 0
	m.state.Round++
	m.state.Place = game.PerPlayer[place]{}
	for p := range ctx.Players() {
		m.state.Class[p.ID()], m.state.Doomed[p.ID()] = none, 0
		if p.Team() == infected {
			p.SetTeamSilently(humans)
			p.RespawnNow()
		}
	}
}

// PickSpawn spawns a newly infected player where the infection happened.
func (m *Mode) PickSpawn(_ *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	p := m.state.Place[id]
	return vec.Vec2{X: p.X, Y: p.Y}, p.Is
}

// OnSpawn gives a player the weapons, tuning and looks of their class.
func (m *Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	team, k := ctx.Player(id).Team(), m.state.Class[id]
	wanted := none
	if team >= 0 {
		wanted = m.state.Wanted[id][team]
	}
	switch {
	case team == infected && m.enabled(wanted):
		k = wanted
	case team == infected && (k == none || classes[k].team != infected):
		k = m.randomClass(ctx, infected)
	case team == humans && k == none && m.enabled(wanted):
		k = wanted
	case team == humans && k == none && m.state.Started:
		k = m.randomClass(ctx, humans)
	}
	m.state.Place[id].Is = false
	m.setClass(ctx, id, k)
	if team == infected {
		m.state.Fresh[id] = m.spawnProtection * game.TickRate / 1000
	}
}

// OnDeath scores. A human who dies becomes infected.
func (m *Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	killer := ctx.Player(d.Killer)
	v := d.Victim
	wasHuman := ctx.Player(v).Team() == humans
	m.forget(v)
	if d.Weapon == game.WeaponGame {
		return
	}
	ctx.Player(v).DelayRespawn(game.TickRate * ctx.Rules().RespawnDelayTDM)
	if !wasHuman && m.state.Class[v] == boomer {
		m.explode(ctx, v, d.Pos)
	}
	if !m.state.Started {
		return
	}
	byOther := d.Killer >= 0 && d.Killer != v && killer.Team() != ctx.Player(v).Team()
	switch {
	case !wasHuman && byOther:
		killer.AddScore(killPoints)
		if m.state.Class[d.Killer] == hero {
			killer.GiveArmor(1)
		}
	case wasHuman && byOther:
		killer.AddScore(infectPoints)
		killer.Say(fmt.Sprintf("You infected %s: +%d points", ctx.Player(v).Name(), infectPoints))
		ctx.Player(v).Say(fmt.Sprintf("%s infected you", killer.Name()))
		for p := range ctx.Players() {
			if p.ID() != d.Killer && p.Team() == infected && p.Hooked() == v {
				p.AddScore(helpPoints)
			}
		}
		m.state.Place[v] = place{d.Pos.X, d.Pos.Y, true}
	case wasHuman && d.Killer == v:
		ctx.Player(v).AddScore(suicidePoints)
	}
	if wasHuman {
		m.state.Doomed[v] = 2 // the tee disappears in the next tick
	}
}

// running reports whether a round is being played.
func (m *Mode) running(ctx *game.Ctx) bool {
	return !ctx.Match().Warmup() && ctx.Match().EntitiesMoving()
}

// OnTick runs the round and all tees.
func (m *Mode) OnTick(ctx *game.Ctx) {
	if !ctx.Match().EntitiesMoving() {
		return
	}
	m.tickDoomed(ctx)
	for p := range ctx.Players() {
		if p.Alive() {
			m.tickTee(ctx, p.ID())
		}
	}
	if !ctx.Match().Warmup() {
		m.tickRound(ctx)
	}
	if ctx.Tick()%(game.TickRate/5) == 0 {
		m.tell(ctx)
	}
}

// tickDoomed moves players who died as humans, or were cured, to the other team.
func (m *Mode) tickDoomed(ctx *game.Ctx) {
	for p := range ctx.Players() {
		if m.state.Cured[p.ID()] == 1 {
			m.state.Cured[p.ID()] = 0
			if p.Alive() && p.Team() == infected {
				m.goOnHere(ctx, p.ID())
				p.SetTeamSilently(humans)
				p.RespawnNow()
			}
		}
		if m.state.Doomed[p.ID()] == 0 {
			continue
		}
		if m.state.Doomed[p.ID()]--; m.state.Doomed[p.ID()] == 0 && p.Team() == humans {
			m.infect(ctx, p.ID())
		}
	}
}

// goOnHere sets the next spawn of a player to the position of their tee, if they have one.
func (m *Mode) goOnHere(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if p.Alive() {
		at := p.Pos()
		m.state.Place[id] = place{at.X, at.Y, true}
	}
}

// infect infects a player, who respawns at once.
func (m *Mode) infect(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.SetTeamSilently(infected)
	p.RespawnNow()
}

// tickRound infects the first players and keeps enough players infected.
func (m *Mode) tickRound(ctx *game.Ctx) {
	s := &m.state
	switch least := m.firstInfected(numPlayers(ctx)); {
	case !s.Started && ctx.Match().Ticks() < m.delay*game.TickRate:
	case !s.Started:
		s.Started = true
		m.pick(ctx, least)
		m.armRest(ctx)
	case ctx.TeamSize(infected) >= least:
		s.Lacking = 0
	default:
		if s.Lacking++; s.Lacking >= m.balance*game.TickRate || ctx.TeamSize(infected) == 0 {
			s.Lacking = 0
			m.pick(ctx, least-ctx.TeamSize(infected))
		}
	}
	h := m.numHumans(ctx)
	m.showCounts(ctx, h, numPlayers(ctx)-h)
}

// showCounts shows the numbers of humans and infected as the scores of the teams.
func (m *Mode) showCounts(ctx *game.Ctx, h, i int32) {
	ctx.Match().AddTeamScore(humans, h-ctx.Match().TeamScore(humans))
	ctx.Match().AddTeamScore(infected, i-ctx.Match().TeamScore(infected))
}

// numHumans returns the number of humans who are not about to become infected.
func (m *Mode) numHumans(ctx *game.Ctx) int32 {
	n := ctx.TeamSize(humans)
	for p := range ctx.Players() {
		if m.state.Doomed[p.ID()] > 0 && p.Team() == humans {
			n--
		}
	}
	return n
}

// firstInfected returns how many of n players are infected first.
func (m *Mode) firstInfected(n int32) int32 {
	first := int32(0)
	switch {
	case n > 20:
		first = 4
	case n > 8:
		first = 3
	case n > 3:
		first = 2
	case n > 1:
		first = 1
	}
	if m.firstLimit > 0 {
		first = min(first, m.firstLimit)
	}
	return first
}

// pick infects n random humans, preferring those who were picked longest ago.
func (m *Mode) pick(ctx *game.Ctx, n int32) {
	for ; n > 0 && m.numHumans(ctx) > 0; n-- {
		picked, same := game.Nobody, 0
		for p := range ctx.Players() {
			if p.Team() != humans || m.state.Doomed[p.ID()] > 0 {
				continue
			}
			switch {
			case picked == game.Nobody || m.state.Picked[p.ID()] < m.state.Picked[picked]:
				picked, same = p.ID(), 1
			case m.state.Picked[p.ID()] == m.state.Picked[picked]:
				if same++; ctx.Rand(same) == 0 {
					picked = p.ID()
				}
			}
		}
		if picked == game.Nobody {
			return
		}
		m.state.Picked[picked] = m.state.Round
		ctx.Say(fmt.Sprintf("%s is infected", ctx.Player(picked).Name()))
		ctx.Effects(game.MaskAll).Sound(ctx.Player(picked).Pos(), game.SoundDie)
		m.goOnHere(ctx, picked)
		m.infect(ctx, picked)
	}
}

// armRest gives a random class, with armor, to humans who chose none.
func (m *Mode) armRest(ctx *game.Ctx) {
	for p := range ctx.Players() {
		if p.Team() == humans && m.state.Class[p.ID()] == none {
			m.setClass(ctx, p.ID(), m.randomClass(ctx, humans))
			p.SetArmor(10)
		}
	}
}

// limit returns the length of a round in ticks.
func (m *Mode) limit(ctx *game.Ctx) int32 {
	if minutes := ctx.Rules().TimeLimit; minutes > 0 {
		return minutes * 60 * game.TickRate
	}
	return m.timeLimit * game.TickRate
}

// CheckWin ends the round when no human is left or the time is over.
func (m *Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	s := &m.state
	n := m.numHumans(ctx)
	switch {
	case !s.Started || s.Announced:
		return game.MatchContinues
	case n <= 0:
		ctx.Say(fmt.Sprintf("The infected win the round in %s", clock(ctx.Match().Ticks())))
		m.showCounts(ctx, 0, numPlayers(ctx))
	case numPlayers(ctx) < 2:
		ctx.Say("The round is over: too few players")
	case ctx.Match().Ticks() < m.limit(ctx):
		return game.MatchContinues
	default:
		who := "humans win"
		if n == 1 {
			who = "human wins"
		}
		ctx.Say(fmt.Sprintf("%d %s the round", n, who))
		for p := range ctx.Players() {
			if p.Team() == humans && m.state.Doomed[p.ID()] == 0 {
				p.AddScore(survivePoints)
				p.Say(fmt.Sprintf("You survived: +%d points", survivePoints))
			}
		}
		m.showCounts(ctx, n, 0)
	}
	s.Announced = true
	m.tell(ctx)
	return game.MatchOver
}

// clock formats a time as minutes and seconds.
func clock(ticks int32) string {
	s := max(ticks, 0) / game.TickRate
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// tell shows each player their class and the state of the round.
func (m *Mode) tell(ctx *game.Ctx) {
	text := "Waiting for players"
	switch {
	case ctx.Match().Warmup():
	case m.state.Announced:
		text = ""
	case !m.state.Started:
		text = fmt.Sprintf("Infection in %d s", (m.delay*game.TickRate-ctx.Match().Ticks())/game.TickRate+1)
	default:
		h := m.numHumans(ctx)
		text = fmt.Sprintf("%s  Humans %d, infected %d", clock(m.limit(ctx)-ctx.Match().Ticks()), h, numPlayers(ctx)-h)
	}
	for p := range ctx.Players() {
		own := text
		if p.Alive() && text != "" {
			own = text + "\n" + m.status(ctx, p.ID()) // DDNet's client centers the last line
		}
		p.SetScreenText(own)
	}
}
