package ddrace

import (
	"math"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/ranks"
)

// run is one finished race.
type run struct {
	Time        int32                        // ms
	Checkpoints [ddrace.NumCheckpoints]int32 // ms since the start, 0 if not passed
}

// ms converts ticks to milliseconds. The result is at most the largest int32, some 24 days.
func ms(ticks int32) int32 {
	const perTick = 1000 / game.TickRate
	return min(ticks, math.MaxInt32/perTick) * perTick
}

// finish ends the race of a player with a living tee after the given ticks.
func (m *Mode) finish(w *ddrace.World, id int, ticks int32) {
	t, tx, player := w.AliveTee(id), m.tx, game.PlayerID(id)
	t.Race, t.LastCheckpoint = ddrace.RaceFinished, -1
	now := run{Time: ms(ticks)}
	for i, c := range &t.Checkpoints {
		now.Checkpoints[i] = ms(c)
	}
	best := &m.state.Best[id]
	keepsWorse := w.Settings().SaveWorseScores != 0
	ranked := ranks.Counts(tx, player, m.vars.RankBots)
	private := m.vars.HideScore != 0 || !keepsWorse || !ranked // bots finish again and again
	f := game.RaceFinish{Player: player, Time: now.Time, Private: private}
	if best.Time != 0 {
		f.Diff = now.Time - best.Time
	}
	equal := best.Time == now.Time
	better := best.Time == 0 || now.Time < best.Time
	if better {
		f.Record, *best = game.RecordPersonal, now
	}
	counts := ranked && (m.vars.NamelessScore != 0 || !strings.HasPrefix(tx.Player(player).Name(), "nameless tee"))
	if r := tx.Race(); counts && (r.BestTime == 0 || now.Time < r.BestTime) {
		f.Record, r.BestTime = game.RecordOfAll, now.Time
		tx.SetRace(r)
	}
	tx.Player(player).SendRaceFinish(f)
	if equal {
		tx.Player(player).Say("You finished with your best time.")
	}
	if f.Private && f.Record == game.RecordOfAll {
		tx.SendRecords(game.MaskAll.Without(game.MaskOne(player)))
	}
	if counts && (better || keepsWorse) {
		tx.Rank(game.RankRequest{
			Op: game.RankFinish, By: player, Names: []string{tx.Player(player).Name()}, Time: now.Time, Checkpoints: now.Checkpoints[:],
			Begin: m.state.Began[id], End: tx.Tick(),
		})
	}
}

// loaded stores the best time of all players and the best time of one player from the ranks.
func (m *Mode) loaded(tx *game.Tx, a *game.RankAnswer) {
	by := tx.Player(a.By)
	if a.Err != "" {
		return
	}
	var told game.PlayerMask
	if len(a.Rows) > 0 {
		if r := tx.Race(); r.BestTime == 0 || a.Rows[0].Time < r.BestTime {
			r.BestTime = max(a.Rows[0].Time, 1)
			tx.SetRace(r)
			told = game.MaskAll
		}
	}
	if a.By >= 0 && a.Own != nil && by.Connected() && by.Name() == a.Asker {
		switch best := &m.state.Best[a.By]; {
		case a.Asker != a.Name: // /timecp compares with another player
			best.Checkpoints = run{}.Checkpoints
			copy(best.Checkpoints[:], a.Checkpoints)
		case best.Time == 0 || a.Own.Time < best.Time:
			*best = run{Time: max(a.Own.Time, 1)}
			copy(best.Checkpoints[:], a.Checkpoints)
			told.Add(a.By)
		}
	}
	if !told.IsEmpty() {
		tx.SendRecords(told)
	}
}
