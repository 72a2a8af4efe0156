// Package ddrace is DDRace: a race through a map with the tiles of DDNet, in which tees help and block
// each other. The world is that of game/ddrace.
package ddrace

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/ranks"
)

// Mode is DDRace, in which everybody races for themselves or in a team. Its state is the races of one
// world.
type Mode struct {
	state    state
	vars     variables
	settings ddrace.Settings // as operators have set them; maps change them further
	tx       *game.Tx        // for what happens in the midst of a tick
	practice []string        // the names of what is typed in practice
}

type state struct {
	Best    [game.MaxPlayers]run   // with the Time 0 for none
	Began   [game.MaxPlayers]int32 // tick in which the race began or was loaded, whatever its time says
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

// New returns the mode.
func New() game.Mode { return new(Mode) }

// Name returns the name that clients and lists of servers know.
func (*Mode) Name() string { return "DDraceNetwork" }

// GameType returns that name, with a mark where operators can cheat, as on DDNet-Server.
func (m *Mode) GameType(name string) string {
	if m.vars.TestCommands != 0 {
		return "Test" + name
	}
	return name
}

// Flags returns that it is a race with the physics of DDRace.
func (*Mode) Flags() game.GameFlags { return game.GameFlagRace | game.GameFlagDDRace }

// MinPlayers returns that one can race alone.
func (*Mode) MinPlayers() int32 { return 1 }

// PureTuning returns that maps change the tuning.
func (*Mode) PureTuning() bool { return false }

// CheckWin returns that races have no end.
func (*Mode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }

// State returns the races.
func (m *Mode) State() any { return &m.state }

// DDRaceSettings returns what operators have set.
func (m *Mode) DDRaceSettings() ddrace.Settings { return m.settings }

// Start says how clients show the race, and declares the commands.
func (m *Mode) Start(tx *game.Tx) {
	m.tx = tx
	tx.SetRace(game.RaceState{Flags: game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon})
	m.declareSettings(tx)
	ranks.Declare(tx, &m.vars.RankBots, &m.vars.HideScore)
	m.declareTeams(tx)
	m.declareSaves(tx)
	m.declareCommands(tx)
	m.declarePractice(tx)
	m.declareOperators(tx)
	m.declareTuning(tx)
	tx.Rank(game.RankRequest{Op: game.RankBest, By: game.Nobody})
}

// DDRaceTeams returns the races of teams.
func (m *Mode) DDRaceTeams(tx *game.Tx) ddrace.Teams {
	m.tx = tx
	return (*teamRace)(m)
}

// DDRaceEvent tells what tees passed.
func (m *Mode) DDRaceEvent(tx *game.Tx, e *ddrace.Event) {
	id := game.PlayerID(e.Tee)
	switch e.Kind {
	case ddrace.EventStart:
		m.state.Began[id] = tx.Tick()
	case ddrace.EventCheckpoint:
		if best := m.state.Best[id].Checkpoints[e.Value]; best != 0 {
			tx.SendCheckpoint(id, ms(e.Extra)-best)
		}
	case ddrace.EventPlaysOn:
		m.chosen(id).ForcePaused = 0
		m.setPause(tx, id, game.NotPaused)
	case ddrace.EventUnlock:
		m.sayToTeam(uint8(e.Value), "Your team was unlocked by an unlock team tile")
	}
}

// OnEnter asks for the best time that the player has.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: id, Name: ctx.Name(id)})
	if t := timerType(m.vars.TimerType); t != timerGame {
		m.setTimer(&ctx.Tx, id, t)
	}
	if m.vars.ShowAll != 0 {
		ctx.SetShowAll(id, true)
	}
	if m.vars.ShowOthers != 0 && ctx.DDRace().Settings().ShowOthersDefault != 0 {
		ctx.SayTo(id, "You can see other players. To disable this use DDNet client and type /showothers")
	}
}

// OnRename asks for the best time that the new name has. The race goes on.
func (m *Mode) OnRename(ctx *game.Ctx, id game.PlayerID) {
	m.state.Best[id] = run{}
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: id, Name: ctx.Name(id)})
}

// OnLeave forgets what is the player's. The best time of all stays.
func (m *Mode) OnLeave(_ *game.Ctx, id game.PlayerID) {
	m.state.Best[id], m.state.Began[id], m.state.Players[id] = run{}, 0, choices{}
	m.state.Teams.forget(int(id))
	m.state.Saves.forget(int(id))
}

// OnStored takes the best times from the ranks, and tells players what they asked for.
func (m *Mode) OnStored(ctx *game.Ctx, a *game.StoreAnswer) {
	switch {
	case a.Rank != nil && a.Rank.Op == game.RankBest:
		m.loaded(&ctx.Tx, a.Rank)
	case a.Rank == nil || !m.storedSave(ctx, a.Rank):
		ranks.Answer(ctx, a, m.vars.HideScore != 0)
	}
}

// OnTick shows the best times as scores, and watches over teams.
func (m *Mode) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == 1 {
		m.setOptions(&ctx.Tx)
	}
	for id := range ctx.Players() {
		if t := m.state.Best[id].Time; t != 0 && m.vars.HideScore == 0 {
			ctx.SetScore(id, t)
		} else {
			ctx.SetScore(id, game.NoRaceTime)
		}
	}
	m.showClocks(ctx)
}
