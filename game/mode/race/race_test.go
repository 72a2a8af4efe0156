package race_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/internal/testenv"
)

// course returns a corridor.
func course(row string) game.Terrain {
	wall := strings.Repeat("#", len(row))
	return bots.ParseMap(wall, row, wall)
}

const straight = "#S > c  d   <      #"

// runner is a world with players who run to the right.
type runner struct {
	*game.World
	t      *testing.T
	events []game.Event // about races
}

func newRunner(t *testing.T, row string, edit func(*game.Rules)) *runner {
	r := game.DefaultRules()
	if edit != nil {
		edit(&r)
	}
	return &runner{World: testenv.Must(game.New(game.Config{Terrain: course(row), Mode: new(race.Mode), Rules: r})), t: t}
}

// step runs n ticks in which players hold a direction.
func (r *runner) step(n int, cmds []game.Command, direction ...int32) {
	for range n {
		for id, d := range direction {
			cmds = append(cmds, game.Command{Kind: game.CmdInput, Player: game.PlayerID(id), Input: game.Input{Direction: d, TargetX: 1}})
		}
		for _, e := range r.Step(cmds) {
			switch e.Kind {
			case game.EvRaceFinish, game.EvCheckpoint, game.EvMatchEnd, game.EvKill:
				r.events = append(r.events, e)
			}
		}
		cmds = nil
	}
}

// take returns the events since the last call.
func (r *runner) take() []game.Event {
	e := r.events
	r.events = nil
	return e
}

func (r *runner) player(id game.PlayerID) game.PlayerState {
	for _, p := range r.Frame().Players {
		if p.ID == id {
			return p
		}
	}
	return game.PlayerState{}
}

// TestRace checks that a player alone can race, the player's clock, and the messages at the
// checkpoints and the finish of a first, a slower and a faster run.
func TestRace(t *testing.T) {
	r := newRunner(t, straight, nil)
	r.step(1, bots.Join(0))
	r.step(60, nil)
	g := r.Frame().Game
	testenv.Require(t, g.State == 0 && g.Flags == game.GameFlagRace && g.Race.Precision == 2 && g.Race.BestTime == 0, "state %+v", g)
	testenv.Check(t, r.player(0).Score == game.NoRaceTime && r.player(0).RaceStart == 0, "player %+v", r.player(0))

	// run runs the course and stands still for a while after the start, where the clock
	// begins in every tick.
	run := func(stop int) (times []int32, events []game.Event) {
		r.step(1, []game.Command{{Kind: game.CmdKill, Player: 0}})
		r.step(149, nil) // until the next kill is allowed
		for range 300 {
			d := int32(1)
			if len(times) > 0 && times[len(times)-1] > 0 && stop > 0 {
				d = 0
				stop--
			}
			r.step(1, nil, d)
			if p := r.player(0); p.RaceStart != 0 {
				times = append(times, (r.Tick()-p.RaceStart)*20)
			}
		}
		return times, r.take()
	}
	finishes := func(events []game.Event) (f []game.Event) {
		for _, e := range events {
			if e.Kind == game.EvRaceFinish {
				f = append(f, e)
			}
		}
		return f
	}
	times, events := run(20)
	first := finishes(events)
	testenv.Require(t, len(first) == 1 && len(times) > 10, "events %+v, times %v", events, times)
	last := times[len(times)-1] + 20
	want := game.Event{Kind: game.EvRaceFinish, To: game.MaskAll, Player: 0, Value: last, Record: game.RecordOfAll}
	if d := cmp.Diff(want, first[0]); d != "" {
		t.Error(d)
	}
	for _, e := range events {
		testenv.Check(t, e.Kind != game.EvCheckpoint, "a checkpoint is compared with nothing: %+v", e)
	}
	testenv.Check(t, r.player(0).Score == last && r.Frame().Game.Race.BestTime == last,
		"score %d, best %d, not %d", r.player(0).Score, r.Frame().Game.Race.BestTime, last)
	testenv.Check(t, r.player(0).RaceStart == 0, "the clock runs after the finish")

	_, events = run(40)
	var got [3][2]int32
	for i, e := range events[1:] { // after the kill
		got[i] = [2]int32{int32(e.Kind), e.Value}
	}
	slower := events[len(events)-1]
	testenv.Check(t, slower.Extra > 0 && slower.Record == game.RecordNone && slower.Value == last+slower.Extra, "slower: %+v", slower)
	if d := cmp.Diff([3][2]int32{{int32(game.EvCheckpoint), slower.Extra}, {int32(game.EvCheckpoint), slower.Extra},
		{int32(game.EvRaceFinish), slower.Value}}, got); d != "" {
		t.Errorf("slower: %s", d)
	}
	_, events = run(0)
	faster := events[len(events)-1]
	testenv.Check(t, faster.Extra < 0 && faster.Record == game.RecordOfAll && faster.Value == last+faster.Extra && events[1].Value < 0, "faster: %+v", events)
	testenv.Check(t, r.player(0).Score == faster.Value, "score %d", r.player(0).Score)
}

// TestFinishesOfBots checks that bots set no best times and get no ranks, unless the operator
// allows it.
func TestFinishesOfBots(t *testing.T) {
	for _, setting := range []string{"0", "1"} {
		r := newRunner(t, straight, nil)
		r.step(1, append(bots.Join(0), game.SetVariable("sv_rank_bots", setting),
			game.Command{Kind: game.CmdPlayerFlags, Player: 0, Target: game.Nobody, Value: int32(game.PlayerFlagBot)}))
		kept := 0
		for range 200 {
			for _, e := range r.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: 1, TargetX: 1}}}) {
				if e.Kind == game.EvStore && e.Store.Rank != nil && e.Store.Rank.Op == game.RankFinish {
					kept++
				}
			}
		}
		score, best := r.player(0).Score, r.Frame().Game.Race.BestTime
		testenv.Check(t, score > 0 && (kept == 1) == (setting == "1") && (best == score) == (setting == "1"),
			"sv_rank_bots %s: score %d, best time %d, %d kept", setting, score, best, kept)
	}
}

// TestRaceOfTwo checks that players do not disturb each other, and that a better own time is
// not the best of all.
func TestRaceOfTwo(t *testing.T) {
	r := newRunner(t, straight, nil)
	r.step(1, bots.Join(0))
	r.step(200, nil, 1)
	r.step(1, bots.Join(1)) // not before: it would stand in the way
	r.step(200, nil, 0, 1)
	events := r.take()
	testenv.Require(t, len(events) == 2 && events[0].Player == 0 && events[1].Player == 1, "events %+v", events)
	testenv.Check(t, events[0].Record == game.RecordOfAll && (events[1].Record == game.RecordPersonal) == (events[1].Value >= events[0].Value),
		"events %+v", events)
	// A grenade between them does not harm or push the other player.
	before := r.Frame().Characters
	healths := map[game.PlayerID]int32{}
	for _, c := range before {
		healths[c.Player] = c.Health
	}
	fire := game.Input{TargetX: 100, Fire: 1}
	for range 30 {
		fire.Fire++
		r.Step([]game.Command{{Kind: game.CmdDirectInput, Player: 1, Input: fire}, {Kind: game.CmdInput, Player: 1, Input: fire}})
	}
	for _, c := range r.Frame().Characters {
		testenv.Check(t, c.Health == healths[c.Player], "player %d has %d", c.Player, c.Health)
	}
}

// TestRaceEndsWithDeathAndANewMatch checks the events that stop a clock: death, a new match,
// leaving.
func TestRaceEndsWithDeathAndANewMatch(t *testing.T) {
	r := newRunner(t, straight, nil)
	r.step(1, append(bots.Join(0), bots.Join(1)...))
	r.step(60, nil)
	untilStarted := func() {
		for range 300 {
			if r.player(0).RaceStart != 0 {
				return
			}
			r.step(1, nil, 1)
		}
		t.Fatal("no start")
	}
	untilStarted()
	r.step(1, []game.Command{{Kind: game.CmdKill, Player: 0}})
	testenv.Check(t, r.player(0).RaceStart == 0, "the clock runs after death")
	r.step(1, nil)
	info, _ := r.Player(0)
	testenv.Check(t, info.Alive, "must wait for another tee")

	untilStarted()
	start := r.player(0).RaceStart
	r.step(1, []game.Command{{Kind: game.CmdPause, Value: -1}})
	r.step(100, nil)
	testenv.Check(t, r.player(0).RaceStart >= start+100, "the clock runs in a pause: from %d to %d", start, r.player(0).RaceStart)
	r.step(1, []game.Command{{Kind: game.CmdPause}})
	r.step(300, nil, 1)
	testenv.Require(t, r.player(0).Score > 0 && r.Frame().Game.Race.BestTime > 0, "no finish: %+v", r.player(0))
	r.step(1, []game.Command{{Kind: game.CmdLeave, Player: 0}})
	testenv.Check(t, r.Frame().Game.Race.BestTime > 0, "the best time left with its player")
	r.step(1, bots.Join(0))
	testenv.Check(t, r.player(0).Score == game.NoRaceTime, "a newcomer has the score %d", r.player(0).Score)
	r.step(1, []game.Command{{Kind: game.CmdRestart}})
	r.step(2, nil)
	testenv.Check(t, r.Frame().Game.Race.BestTime == 0 && r.player(1).Score == game.NoRaceTime, "times of the last match: %+v", r.Frame().Game.Race)
}

// TestTimeLimit checks that the time ends a match, and nothing else does.
func TestTimeLimit(t *testing.T) {
	r := newRunner(t, straight, func(r *game.Rules) { r.ScoreLimit, r.TimeLimit = 1, 1 })
	r.step(1, bots.Join(0))
	r.step(1000, nil, 1)
	ends := 0
	for _, e := range r.take() {
		if e.Kind == game.EvMatchEnd {
			ends++
		}
	}
	testenv.Check(t, ends == 0 && r.player(0).Score > 0, "%d ends, score %d", ends, r.player(0).Score)
	r.step(2100, nil)
	events := r.take()
	testenv.Check(t, len(events) == 1 && events[0].Kind == game.EvMatchEnd, "events %+v", events)
}

// TestNoCourse checks that players get a message on a map without a start or finish.
func TestNoCourse(t *testing.T) {
	for row, want := range map[string]int{straight: 0, "#S >    #": 1, "#S <    #": 1, "#S      #": 1} {
		r := newRunner(t, row, nil)
		n := 0
		for _, e := range r.Step(bots.Join(0)) {
			if e.Kind == game.EvChat && e.To == game.MaskOne(0) {
				n++
			}
		}
		testenv.Check(t, n == want, "%s: told %d times", row, n)
	}
}

// TestRename checks that a player with a new name loses the best time, and that the race goes on.
func TestRename(t *testing.T) {
	r := newRunner(t, straight, nil)
	r.step(1, bots.Join(0))
	r.step(100, nil, 1)
	r.step(1, []game.Command{{Kind: game.CmdKill, Player: 0}})
	testenv.Require(t, r.player(0).Score > 0, "no time: %+v", r.player(0))
	for r.player(0).RaceStart == 0 {
		r.step(1, nil, 1)
	}
	r.take()
	r.step(1, []game.Command{{Kind: game.CmdProfile, Player: 0, Profile: &game.Profile{Name: "other"}}}, 1)
	testenv.Check(t, r.player(0).Score == game.NoRaceTime && r.player(0).RaceStart != 0, "with another name: %+v", r.player(0))
	r.step(100, nil, 1)
	finish := game.Event{}
	for _, e := range r.take() {
		testenv.Check(t, e.Kind != game.EvCheckpoint, "compared with the old name: %+v", e)
		if e.Kind == game.EvRaceFinish {
			finish = e
		}
	}
	testenv.Check(t, finish.Value > 0 && finish.Extra == 0 && r.player(0).Score == finish.Value, "finish %+v, %+v", finish, r.player(0))
}

// judge kills players who finish, and sends their finish again.
type judge struct {
	calls []game.RaceFinish
	ticks []int32 // of the last OnTick before each call
	tick  int32
	ran   int // calls while the clock ran
}

func (j *judge) Start(*game.Setup) {}

func (j *judge) OnTick(ctx *game.Ctx) { j.tick = ctx.Tick() }

func (j *judge) OnFinish(ctx *game.Ctx, f *game.RaceFinish) {
	p := ctx.Player(f.Player)
	j.calls, j.ticks = append(j.calls, *f), append(j.ticks, ctx.Tick()-j.tick)
	if _, running := p.RaceTime(); running {
		j.ran++
	}
	ctx.Player(f.Player).SendRaceFinish(*f)
	p.Kill(game.WeaponGame)
}

// TestFinishHook checks that a mod gets each finish once, at the end of the tick, with the data
// that clients get.
func TestFinishHook(t *testing.T) {
	j := &judge{}
	r := newRunner(t, straight, nil)
	r.World = testenv.Must(game.New(game.Config{Terrain: course(straight), Mode: new(race.Mode), Mods: []game.Mod{j}, Rules: game.DefaultRules()}))
	r.step(1, bots.Join(0))
	r.step(300, nil, 1)
	var told []game.RaceFinish
	killed := 0
	for _, e := range r.take() {
		switch e.Kind {
		case game.EvRaceFinish:
			told = append(told, game.RaceFinish{Player: e.Player, Time: e.Value, Diff: e.Extra, Record: e.Record})
		case game.EvKill:
			killed++
		}
	}
	testenv.Require(t, len(j.calls) > 1 && killed == len(j.calls) && len(told) == 2*len(j.calls),
		"%d calls, %d deaths, %d told", len(j.calls), killed, len(told))
	for i, f := range j.calls {
		testenv.Check(t, f == told[2*i] && f == told[2*i+1] && j.ticks[i] == 0,
			"call %d with %+v, %d ticks after OnTick; told %+v", i, f, j.ticks[i], told[2*i:2*i+2])
	}
	testenv.Check(t, j.calls[0].Record == game.RecordOfAll && j.calls[0].Time > 0 && j.ran == 0, "%+v, the clock ran %d times", j.calls[0], j.ran)
}
