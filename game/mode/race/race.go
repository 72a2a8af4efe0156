// Package race is a race against the clock from a start to a finish. Each player races alone, as
// often as they like, and the best time wins.
package race

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/ranks"
)

// HasCourse reports whether a map has a start and a finish.
func HasCourse(t game.Terrain) bool {
	return bytes.IndexByte(t.Tiles, ddrace.TileStart) >= 0 && bytes.IndexByte(t.Tiles, ddrace.TileFinish) >= 0
}

// Mode is race. Its state is the races of one world. The ranks keep all finishes. The mode also
// reads the best times that older servers kept in the storage.
type Mode struct {
	state  state
	course string // the table of the times in the storage
	bots   int32  // sv_rank_bots
}

// space is the name of the storage of races.
const space = "race"

type state struct {
	NoCourse bool                 // the map has no start or no finish
	Current  [game.MaxPlayers]run // since the start
	Best     [game.MaxPlayers]run // of this match, with the Time 0 for none
}

// run is one way through the course.
type run struct {
	Time        int32                        // ms
	Checkpoints [ddrace.NumCheckpoints]int32 // ms since the start, 0 for those not passed
}

var (
	_ game.Mode           = (*Mode)(nil)
	_ game.StateHook      = (*Mode)(nil)
	_ game.PlayersRule    = (*Mode)(nil)
	_ game.PurityRule     = (*Mode)(nil)
	_ game.TileHook       = (*Mode)(nil)
	_ game.TickHook       = (*Mode)(nil)
	_ game.DamageHook     = (*Mode)(nil)
	_ game.DeathHook      = (*Mode)(nil)
	_ game.EnterHook      = (*Mode)(nil)
	_ game.RenameHook     = (*Mode)(nil)
	_ game.LeaveHook      = (*Mode)(nil)
	_ game.RoundStartHook = (*Mode)(nil)
	_ game.WinRule        = (*Mode)(nil)
	_ game.StorageHook    = (*Mode)(nil)
)

// Name returns "Race".
func (*Mode) Name() string { return "Race" }

// Flags returns the flag for races.
func (*Mode) Flags() game.GameFlags { return game.GameFlagRace }

// MinPlayers returns 1: a player can race alone.
func (*Mode) MinPlayers() int32 { return 1 }

// PureTuning returns false: operators may change the tuning of races.
func (*Mode) PureTuning() bool { return false }

// State returns the races.
func (m *Mode) State() any { return &m.state }

// Start looks for the course.
func (m *Mode) Start(setup *game.Setup) {
	terrain := setup.Map().Terrain()
	m.state.NoCourse = !HasCourse(terrain)
	// The tiles identify a map. Names do not, because a map has several versions.
	h := fnv.New64a()
	h.Write(terrain.Tiles)
	m.course = fmt.Sprintf("%dx%d %016x", terrain.Width, terrain.Height, h.Sum64())
	setup.SetRace(game.RaceState{
		Precision: 2, // a tick is 0.02 s
		Flags:     game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon,
	})
	ranks.Declare(setup, &m.bots, new(int32))
}

// OnEnter warns a player if the map is not for races.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	if m.state.NoCourse {
		ctx.Player(id).Say("This map has no start and finish for a race")
	}
}

// OnTile starts, times and ends races.
func (m *Mode) OnTile(ctx *game.Ctx, id game.PlayerID, tile uint8) {
	switch {
	case tile == ddrace.TileStart:
		ctx.Player(id).StartRace()
		m.state.Current[id] = run{}
	case tile == ddrace.TileFinish:
		m.finish(ctx, id)
	case tile >= ddrace.TileCheckpoint && tile < ddrace.TileCheckpoint+ddrace.NumCheckpoints:
		m.pass(ctx, id, int(tile-ddrace.TileCheckpoint))
	}
}

// pass notes the time at a checkpoint.
func (m *Mode) pass(ctx *game.Ctx, id game.PlayerID, checkpoint int) {
	p := ctx.Player(id)
	t, running := p.RaceTime()
	passed := &m.state.Current[id].Checkpoints[checkpoint]
	if !running || *passed != 0 {
		return
	}
	*passed = t
	if best := m.state.Best[id].Checkpoints[checkpoint]; best != 0 {
		p.SendCheckpoint(t - best)
	}
}

// finish ends a player's race.
func (m *Mode) finish(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	t, running := p.RaceTime()
	if !running || t == 0 {
		return
	}
	p.StopRace()
	current, best := &m.state.Current[id], &m.state.Best[id]
	current.Time = t
	f := game.RaceFinish{Player: id, Time: t}
	if best.Time != 0 {
		f.Diff = t - best.Time
	}
	if best.Time == 0 || t < best.Time {
		f.Record = game.RecordPersonal
		*best = *current
	}
	if ranks.Counts(&ctx.Tx, id, m.bots) {
		ctx.Rank(game.RankRequest{
			Op: game.RankFinish, By: id, Names: []string{p.Name()}, Time: t, Checkpoints: current.Checkpoints[:],
			Begin: ctx.Tick() - t*game.TickRate/1000, End: ctx.Tick(),
		})
		if r := ctx.Race(); r.BestTime == 0 || t < r.BestTime {
			f.Record = game.RecordOfAll
			r.BestTime = t
			ctx.SetRace(r)
		}
	}
	p.SendRaceFinish(f)
}

// OnTick shows the best times as scores.
func (m *Mode) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		if t := m.state.Best[p.ID()].Time; t != 0 {
			p.SetScore(t)
		} else {
			p.SetScore(game.NoRaceTime)
		}
	}
}

// OnDamage keeps players from harming and pushing each other.
func (*Mode) OnDamage(ctx *game.Ctx, d *game.Damage) {
	if d.Attacker != d.Victim {
		d.Force.X, d.Force.Y = 0, 0
		ctx.Cancel()
	}
}

// OnDeath ends the player's race, so that they can begin another one at once.
func (*Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	victim := ctx.Player(d.Victim)
	victim.StopRace()
	victim.RespawnNow()
}

// OnRename deletes the player's best time, because it belongs to the old name. The race continues.
func (m *Mode) OnRename(_ *game.Ctx, id game.PlayerID) { m.state.Best[id] = run{} }

// OnLeave deletes the player's times. The best time of all players stays.
func (m *Mode) OnLeave(_ *game.Ctx, id game.PlayerID) {
	m.state.Current[id], m.state.Best[id] = run{}, run{}
}

// OnStored shows the best time of all from the ranks or the storage, and the answers to players'
// requests.
func (m *Mode) OnStored(ctx *game.Ctx, a *game.StoreAnswer) {
	t := int32(0)
	switch {
	case a.Rank != nil && a.Rank.Op == game.RankBest && len(a.Rank.Rows) > 0:
		t = max(a.Rank.Rows[0].Time, 1)
	case a.Rank != nil:
		ranks.Answer(ctx, a, false)
		return
	case a.Op == game.StoreTop && a.Space == space && len(a.Rows) > 0:
		t = int32(min(max(a.Rows[0].Score, 1), math.MaxInt32))
	default:
		return
	}
	if r := ctx.Race(); r.BestTime == 0 || t < r.BestTime {
		r.BestTime = t
		ctx.SetRace(r)
	}
}

// OnRoundStart deletes all times of the match.
func (m *Mode) OnRoundStart(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.StopRace()
		m.state.Current[p.ID()], m.state.Best[p.ID()] = run{}, run{}
	}
	r := ctx.Race()
	r.BestTime = 0
	ctx.SetRace(r)
	ctx.Storage(space).Top(m.course, 1, true)
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: game.Nobody})
}

// CheckWin ends the match at the time limit.
func (*Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	if mode.TimeLimitReached(ctx) {
		return game.MatchOver
	}
	return game.MatchContinues
}
