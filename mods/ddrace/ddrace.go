// Package ddrace is DDRace: a race through a map with the tiles of DDNet, in which tees help and block
// each other. The world is that of game/ddrace.
package ddrace

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// Mode is DDRace, in which everybody races for themselves. Its state is the races of one world.
type Mode struct {
	state state
}

type state struct {
	Best [game.MaxPlayers]run // of this match, with the Time 0 for none
}

// run is one way through the course.
type run struct {
	Time        int32                        // ticks
	Checkpoints [ddrace.NumCheckpoints]int32 // ticks since the start, 0 for those not passed
}

var (
	_ game.Mode        = (*Mode)(nil)
	_ game.DDRaceRule  = (*Mode)(nil)
	_ game.StateHook   = (*Mode)(nil)
	_ game.PlayersRule = (*Mode)(nil)
	_ game.PurityRule  = (*Mode)(nil)
	_ game.TickHook    = (*Mode)(nil)
	_ game.DeathHook   = (*Mode)(nil)
	_ game.LeaveHook   = (*Mode)(nil)
	_ game.WinRule     = (*Mode)(nil)
)

// New returns the mode.
func New() game.Mode { return new(Mode) }

// Name returns the name that clients and lists of servers know.
func (*Mode) Name() string { return "DDraceNetwork" }

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

// DDRaceSettings returns the settings of DDNet-Server.
func (*Mode) DDRaceSettings() ddrace.Settings { return ddrace.DefaultSettings() }

// Start says how clients show the race.
func (m *Mode) Start(tx *game.Tx) {
	tx.SetRace(game.RaceState{Precision: 2, Flags: game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon})
}

// DDRaceEvent starts, times and ends races.
func (m *Mode) DDRaceEvent(tx *game.Tx, e *ddrace.Event) {
	id := game.PlayerID(e.Tee)
	switch e.Kind {
	case ddrace.EventStart:
		tx.StartRace(id)
	case ddrace.EventCheckpoint:
		if best := m.state.Best[id].Checkpoints[e.Value]; best != 0 {
			tx.SendCheckpoint(id, ms(e.Extra-best))
		}
	case ddrace.EventFinish:
		m.finish(tx, id, e.Value)
	}
}

// ms converts ticks.
func ms(ticks int32) int32 { return ticks * (1000 / game.TickRate) }

// finish ends a player's race.
func (m *Mode) finish(tx *game.Tx, id game.PlayerID, time int32) {
	tx.StopRace(id)
	best := &m.state.Best[id]
	f := game.RaceFinish{Player: id, Time: ms(time)}
	if best.Time != 0 {
		f.Diff = ms(time - best.Time)
	}
	if best.Time == 0 || time < best.Time {
		f.Record = game.RecordPersonal
		best.Time = time
		if t := tx.DDRace().Tee(int(id)); t != nil {
			best.Checkpoints = t.Checkpoints
		}
	}
	if r := tx.Race(); r.BestTime == 0 || ms(time) < r.BestTime {
		f.Record = game.RecordOfAll
		r.BestTime = ms(time)
		tx.SetRace(r)
	}
	tx.SendRaceFinish(f)
}

// OnTick shows the best times as scores.
func (m *Mode) OnTick(ctx *game.Ctx) {
	for id := range ctx.Players() {
		if t := m.state.Best[id].Time; t != 0 {
			ctx.SetScore(id, ms(t))
		} else {
			ctx.SetScore(id, game.NoRaceTime)
		}
	}
}

// OnDeath stops the player's clock.
func (*Mode) OnDeath(ctx *game.Ctx, d *game.Death) { ctx.StopRace(d.Victim) }

// OnLeave forgets the player's times. The best time of all stays.
func (m *Mode) OnLeave(_ *game.Ctx, id game.PlayerID) { m.state.Best[id] = run{} }
