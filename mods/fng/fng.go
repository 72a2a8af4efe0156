// Package fng is the game type FNG. A hit freezes a tee. A player who pushes, hooks or hammers a
// frozen tee into spikes scores. The variants are fng (teams, laser), solofng (no teams, laser),
// boomfng (teams, grenade launcher) and bolofng (no teams, grenade launcher).
package fng

import (
	"fmt"
	"math"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/mods/instagib"
)

// Mode is one of the four variants of FNG.
type Mode struct {
	instagib.Arms
	teams bool

	playerScore, teamScore [numSpikes]int32 // by kind of spikes

	hitFreeze, wrongFreeze int32    // of freezes by hits and by wrong spikes, in seconds
	hammer                 int32    // not 0: the scales apply
	scale, meltScale       [2]int32 // of hammer pushes, x and y, in percent
	steals                 int32    // not 0: steals are announced

	state state
}

// state holds the last touch and the freezer of each player.
type state struct {
	Toucher game.PerPlayer[int32] // 1 + the opponent who touched the player last, 0 after a touch by a teammate
	Freezer game.PerPlayer[int32] // 1 + the opponent who froze the player
}

// The kinds of spikes.
const (
	normal = iota
	gold
	green
	purple
	team
	numSpikes
)

var spikeNames = [numSpikes]string{"normal", "gold", "green", "purple", "team"}

// The points for the player and the team, by kind of spikes.
var defaultScores = [numSpikes][2]int32{normal: {3, 5}, gold: {8, 12}, green: {6, 15}, purple: {10, 18}, team: {5, 10}}

// The tile indexes of spikes.
const (
	tileGold   = 7
	tileNormal = 8
	tileRed    = 9
	tileBlue   = 10
	tileGreen  = 14
	tilePurple = 15
)

// spikeOf is 1 + the kind of spikes of a tile index, 0 for other tiles.
var spikeOf = [256]int8{
	tileGold: 1 + gold, tileNormal: 1 + normal, tileRed: 1 + team, tileBlue: 1 + team, tileGreen: 1 + green, tilePurple: 1 + purple,
}

const (
	meltTicks = 3 * game.TickRate // of freeze that a teammate's hammer removes
	// sacrifice is the weapon of a death in spikes that another player caused.
	sacrifice = game.WeaponNinja
	deadly    = 20
	// reach is the distance from the middle of a tee to the four points where spikes kill, in x and
	// y, in units.
	reach float32 = 28.0 / 3
)

// New returns FNG with a weapon, with or without teams.
func New(w game.Weapon, teams bool) game.Mode {
	return &Mode{Arms: instagib.Arms{Weapon: w}, teams: teams}
}

// Name returns fng, solofng, boomfng or bolofng.
func (m *Mode) Name() string {
	switch grenade := m.Weapon == game.WeaponGrenade; {
	case grenade && m.teams:
		return "boomfng"
	case grenade:
		return "bolofng"
	case m.teams:
		return "fng"
	}
	return "solofng"
}

// Flags returns whether there are teams, and the flag by which DDNet clients know FNG.
func (m *Mode) Flags() game.GameFlags {
	if m.teams {
		return game.GameFlagFNG | game.GameFlagTeams
	}
	return game.GameFlagFNG
}

// State returns the touches and freezers.
func (m *Mode) State() any { return &m.state }

// Start declares the settings.
func (m *Mode) Start(setup *game.Setup) {
	m.Declare(setup)
	for i, name := range spikeNames {
		points := defaultScores[i]
		setup.IntVar(game.IntVar{Name: "sv_player_score_" + name, Help: "Points of a player for " + name + " spikes", Value: &m.playerScore[i],
			Default: points[0], Max: 100})
		setup.IntVar(game.IntVar{Name: "sv_team_score_" + name, Help: "Points of a team for " + name + " spikes", Value: &m.teamScore[i], Default: points[1],
			Max: 100})
	}
	setup.IntVar(game.IntVar{Name: "sv_hit_freeze_delay", Help: "Seconds for which a hit freezes", Value: &m.hitFreeze, Default: 10, Min: 1, Max: 30})
	setup.IntVar(game.IntVar{Name: "sv_wrong_spike_freeze", Help: "Seconds of freeze for using the opponents' spikes", Value: &m.wrongFreeze, Default: 10,
		Max: 30})
	setup.IntVar(game.IntVar{Name: "sv_fng_hammer", Help: "Use the scales for hammers", Value: &m.hammer, Default: 1, Max: 1})
	for _, s := range []struct {
		name  string
		value *int32
		def   int32
	}{
		{"sv_hammer_scale_x", &m.scale[0], 320}, {"sv_hammer_scale_y", &m.scale[1], 120},
		{"sv_melt_hammer_scale_x", &m.meltScale[0], 50}, {"sv_melt_hammer_scale_y", &m.meltScale[1], 50},
	} {
		setup.IntVar(game.IntVar{
			Name: s.name, Help: "Push of hammers in percent; melt: of frozen teammates", Value: s.value, Default: s.def, Min: 1, Max: 1000,
		})
	}
	setup.IntVar(game.IntVar{Name: "sv_announce_steals", Help: "Announce when a player takes another one's frozen tee", Value: &m.steals, Default: 1, Max: 1})
}

// OnSpawn gives the hammer and the weapon of the variant.
func (m *Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.GiveWeapon(m.Weapon, -1)
	p.SelectWeapon(m.Weapon)
	p.TakeWeapon(game.WeaponGun)
	m.state.Toucher[id], m.state.Freezer[id] = 0, 0
}

// OnLeave removes the touches by a player who leaves.
func (m *Mode) OnLeave(_ *game.Ctx, id game.PlayerID) { m.forget(id) }

// OnTeam removes the touches by a player who changes team.
func (m *Mode) OnTeam(_ *game.Ctx, id game.PlayerID, _ game.Team) { m.forget(id) }

func (m *Mode) forget(id game.PlayerID) {
	for i := range m.state.Toucher {
		if m.state.Toucher[i] == 1+int32(id) {
			m.state.Toucher[i] = 0
		}
		if m.state.Freezer[i] == 1+int32(id) {
			m.state.Freezer[i] = 0
		}
	}
}

func (m *Mode) mates(ctx *game.Ctx, a, b game.PlayerID) bool {
	return m.teams && ctx.Player(a).Team() == ctx.Player(b).Team()
}

// touch stores which player touched a tee last. A touch by a teammate removes the touch by an
// opponent.
func (m *Mode) touch(ctx *game.Ctx, id, by game.PlayerID) {
	if m.state.Toucher[id] = 1 + int32(by); m.mates(ctx, id, by) {
		m.state.Toucher[id] = 0
	}
}

// OnDamage freezes the victim. Only spikes kill.
func (m *Mode) OnDamage(ctx *game.Ctx, d *game.Damage) {
	attacker, victim := ctx.Player(d.Attacker), ctx.Player(d.Victim)
	other := attacker.Connected() && d.Attacker != d.Victim
	if d.Weapon == sacrifice {
		d.Amount = deadly
		return
	}
	ctx.Cancel() // the hit only pushes
	frozen := victim.Frozen() != 0
	switch {
	case !other:
	case d.Weapon == game.WeaponHammer:
		m.hammered(ctx, d, frozen && m.mates(ctx, d.Victim, d.Attacker))
	case !frozen && m.Hits(d) && !m.mates(ctx, d.Victim, d.Attacker):
		victim.Freeze(m.hitFreeze * game.TickRate)
		m.touch(ctx, d.Victim, d.Attacker)
		m.state.Freezer[d.Victim] = 1 + int32(d.Attacker)
		m.score(ctx, d.Attacker, 1, 1)
		ctx.Effects(game.MaskAll).KillFeed(d.Attacker, d.Victim, d.Weapon)
		ctx.Effects(game.MaskAll).Death(victim.Pos(), d.Victim)
		ctx.Effects(game.MaskOne(d.Attacker)).Sound(attacker.Pos(), game.SoundHit)
	}
}

// hammered scales the push of a hammer. A hammer hit by a teammate (melt) also shortens the freeze.
func (m *Mode) hammered(ctx *game.Ctx, d *game.Damage, melt bool) {
	victim := ctx.Player(d.Victim)
	m.touch(ctx, d.Victim, d.Attacker)
	scale := m.scale
	if melt {
		scale = m.meltScale
		if left := victim.Frozen(); left != game.FreezeForever {
			victim.Unfreeze()
			if !victim.Freeze(left - meltTicks) {
				ctx.Player(d.Attacker).AddScore(1)
			}
		}
	}
	if m.hammer != 0 {
		d.Force.X = float32(d.Force.X * float32(scale[0]) / 100)
		d.Force.Y = float32(d.Force.Y * float32(scale[1]) / 100)
	}
}

func (m *Mode) score(ctx *game.Ctx, id game.PlayerID, player, team int32) {
	p := ctx.Player(id)
	p.AddScore(player)
	if m.teams {
		ctx.Match().AddTeamScore(p.Team(), team)
	}
}

// OnTick finds tees that are hooked and tees in spikes.
func (m *Mode) OnTick(ctx *game.Ctx) {
	if !ctx.Match().EntitiesMoving() {
		return
	}
	for p := range ctx.Players() {
		if hooked := p.Hooked(); hooked != game.Nobody {
			m.touch(ctx, hooked, p.ID())
		}
	}
	for p := range ctx.Players() {
		if !p.Alive() {
			continue
		}
		if tile := spikeAt(ctx, p.Pos()); tile != 0 {
			m.sting(ctx, p.ID(), tile)
		}
	}
}

// spikeAt returns the tile index of the nearest spikes that a tee touches, or 0.
func spikeAt(ctx *game.Ctx, pos vec.Vec2) (tile uint8) {
	nearest := float32(math.MaxFloat32)
	for _, corner := range [...]vec.Vec2{{X: -reach, Y: -reach}, {X: reach, Y: -reach}, {X: -reach, Y: reach}, {X: reach, Y: reach}} {
		p := pos.Add(corner)
		t := ctx.Map().Tile(p)
		for _, index := range [...]uint8{t.Game, t.Front} {
			if spikeOf[index] == 0 {
				continue
			}
			middle := vec.Vec2{X: float32(int32(p.X)&^31 + 16), Y: float32(int32(p.Y)&^31 + 16)}
			if d := vec.Distance(pos, middle); d < nearest {
				nearest, tile = d, index
			}
		}
	}
	return tile
}

// sting kills a tee in spikes. If the tee is frozen, the player who touched it last scores.
func (m *Mode) sting(ctx *game.Ctx, id game.PlayerID, tile uint8) {
	p := ctx.Player(id)
	by := game.PlayerID(m.state.Toucher[id]) - 1
	if p.Frozen() == 0 || by == game.Nobody || by == id {
		p.Kill(game.WeaponWorld)
		return
	}
	spike := spikeOf[tile] - 1
	if wrong := tile == tileRed && ctx.Player(by).Team() != game.TeamRed || tile == tileBlue && ctx.Player(by).Team() != game.TeamBlue; wrong && m.teams {
		ctx.Player(by).AddScore(-m.playerScore[spike])
		ctx.Player(by).Freeze(m.wrongFreeze * game.TickRate)
		m.state.Toucher[by] = 0
	} else {
		m.score(ctx, by, m.playerScore[spike], m.teamScore[spike])
	}
	if freezer := game.PlayerID(m.state.Freezer[id]) - 1; m.teams && m.steals != 0 && freezer != game.Nobody && freezer != by {
		ctx.Say(fmt.Sprintf("%s took the frozen tee of %s", ctx.Player(by).Name(), ctx.Player(freezer).Name()))
	}
	ctx.Effects(game.MaskAll).Sound(p.Pos(), game.SoundCTFCapture)
	ctx.Player(id).TakeDamage(game.Damage{Attacker: by, Weapon: sacrifice})
}

// OnDeath subtracts a point for a suicide or a fall. Sacrifices have scored already.
func (*Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	if d.Killer == d.Victim {
		mode.ScoreDeath(ctx, d, false)
	}
}

// OnSelfKill prevents the suicide of frozen tees.
func (*Mode) OnSelfKill(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if p.Frozen() != 0 {
		ctx.Cancel()
		p.Say("You cannot kill yourself while you are frozen")
	}
}

// JoinTeam prevents team changes of frozen tees.
func (*Mode) JoinTeam(ctx *game.Ctx, r *game.TeamRequest) {
	if r.Cause == game.JoinPlayer && ctx.Player(r.Player).Frozen() != 0 {
		ctx.Cancel()
		r.Refusal = "You cannot change teams while you are frozen"
	}
}

// CheckWin ends the match at the score or time limit if a player or team leads.
func (m *Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	if m.teams {
		return tdm.Mode{}.CheckWin(ctx)
	}
	return mode.CheckSoloWin(ctx)
}
