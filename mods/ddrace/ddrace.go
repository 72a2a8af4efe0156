// Package ddrace is the game type DDRace: a race through a map with the tiles of DDNet, in which
// tees help and block each other. Package game/ddrace simulates the tees.
package ddrace

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/ranks"
)

// Mode is DDRace. Players race alone or in a team. The state of the mode is the races of one world.
type Mode struct {
	state    state
	vars     variables
	settings ddrace.Settings // as set by operators; maps override them
	tx       *game.Tx        // for calls by the simulation inside a tick
	practice []string        // names of the commands for practice
}

type state struct {
	Best    [game.MaxPlayers]run   // best run of each player; Time is 0 if there is none
	Began   [game.MaxPlayers]int32 // tick in which the race began or was loaded, regardless of its race time
	Teams   teams
	Saves   saves
	Players [game.MaxPlayers]choices
}

var (
	_ game.Mode         = (*Mode)(nil)
	_ game.DDRaceRule   = (*Mode)(nil)
	_ game.StateHook    = (*Mode)(nil)
	_ game.PlayersRule  = (*Mode)(nil)
	_ game.PurityRule   = (*Mode)(nil)
	_ game.TickHook     = (*Mode)(nil)
	_ game.EnterHook    = (*Mode)(nil)
	_ game.RenameHook   = (*Mode)(nil)
	_ game.LeaveHook    = (*Mode)(nil)
	_ game.StorageHook  = (*Mode)(nil)
	_ game.WinRule      = (*Mode)(nil)
	_ game.SelfKillHook = (*Mode)(nil)
	_ game.EmoticonHook = (*Mode)(nil)
)

// New returns a new DDRace mode.
func New() game.Mode { return new(Mode) }

// Name returns the name of the game type that clients and server lists know.
func (*Mode) Name() string { return "DDraceNetwork" }

// GameType returns the name with a mark if operators can use test commands, as DDNet-Server does.
func (m *Mode) GameType(name string) string {
	if m.vars.TestCommands != 0 {
		return "Test" + name
	}
	return name
}

// Flags returns the flags of a race with the physics of DDRace.
func (*Mode) Flags() game.GameFlags { return game.GameFlagRace | game.GameFlagDDRace }

// MinPlayers returns 1: a player can race alone.
func (*Mode) MinPlayers() int32 { return 1 }

// PureTuning returns false: maps change the tuning.
func (*Mode) PureTuning() bool { return false }

// CheckWin never ends the match.
func (*Mode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }

// State returns the state of all races.
func (m *Mode) State() any { return &m.state }

// DDRaceSettings returns the settings of the operators.
func (m *Mode) DDRaceSettings() ddrace.Settings { return m.settings }

// Start sets how clients show races, and declares the settings and commands.
func (m *Mode) Start(setup *game.Setup) {
	m.tx = &setup.Tx
	setup.SetRace(game.RaceState{Flags: game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon})
	m.declareSettings(setup)
	ranks.Declare(setup, &m.vars.RankBots, &m.vars.HideScore)
	m.declareTeams(setup)
	m.declareSaves(setup)
	m.declareCommands(setup)
	m.declarePractice(setup)
	m.declareOperators(setup)
	m.declareTuning(setup)
	setup.Rank(game.RankRequest{Op: game.RankBest, By: game.Nobody})
}

// DDRaceTeams returns the rules for races of teams.
func (m *Mode) DDRaceTeams(tx *game.Tx) ddrace.Teams {
	m.tx = tx
	return (*teamRace)(m)
}

// DDRaceEvent handles an event of the simulation, such as a passed checkpoint.
func (m *Mode) DDRaceEvent(tx *game.Tx, e *ddrace.Event) {
	id := game.PlayerID(e.Tee)
	switch e.Kind {
	case ddrace.EventStart:
		m.state.Began[id] = tx.Tick()
	case ddrace.EventCheckpoint:
		if best := m.state.Best[id].Checkpoints[e.Value]; best != 0 {
			tx.Player(id).SendCheckpoint(ms(e.Extra) - best)
		}
	case ddrace.EventPlaysOn:
		m.chosen(id).ForcePaused = 0
		m.setPause(tx, id, game.NotPaused)
	case ddrace.EventUnlock:
		m.sayToTeam(uint8(e.Value), "Your team was unlocked by an unlock team tile")
	}
}

// OnEnter requests the best time of the player.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: id, Name: p.Name()})
	if t := timerType(m.vars.TimerType); t != timerGame {
		m.setTimer(&ctx.Tx, id, t)
	}
	if m.vars.ShowAll != 0 {
		p.Camera().SetShowAll(true)
	}
	if m.vars.ShowOthers != 0 && ctx.DDRace().Settings().ShowOthersDefault != 0 {
		p.Say("You can see other players. To disable this use DDNet client and type /showothers")
	}
}

// OnRename requests the best time of the new name. The race goes on.
func (m *Mode) OnRename(ctx *game.Ctx, id game.PlayerID) {
	m.state.Best[id] = run{}
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: id, Name: ctx.Player(id).Name()})
}

// OnLeave removes the data of the player. The best time of all players stays.
func (m *Mode) OnLeave(ctx *game.Ctx, id game.PlayerID) {
	if w := ctx.DDRace(); w.Settings().ForcedSolo() && m.practiceByDefault(w) {
		w.SetPractice(uint8(id), true)
	}
	m.state.Best[id], m.state.Began[id], m.state.Players[id] = run{}, 0, choices{}
	m.state.Teams.forget(int(id))
	m.state.Saves.forget(int(id))
}

// OnStored stores the best times of the ranks, and sends players the answers to their requests.
func (m *Mode) OnStored(ctx *game.Ctx, a *game.StoreAnswer) {
	switch {
	case a.Rank != nil && a.Rank.Op == game.RankBest:
		m.loaded(&ctx.Tx, a.Rank)
	case a.Rank == nil || !m.storedSave(ctx, a.Rank):
		ranks.Answer(ctx, a, m.vars.HideScore != 0)
	}
}

// OnTick shows the best times as scores and broadcasts race times.
func (m *Mode) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == 1 {
		m.setOptions(&ctx.Tx)
		m.begin(ctx)
	}
	for p := range ctx.Players() {
		if t := m.state.Best[p.ID()].Time; t != 0 && m.vars.HideScore == 0 {
			p.SetScore(t)
		} else {
			p.SetScore(game.NoRaceTime)
		}
	}
	m.showClocks(ctx)
}
