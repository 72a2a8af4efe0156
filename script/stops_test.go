package script

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
)

// stepClock is a clock that beats at each question. A hook is late at question number at, counted
// from 1.
type stepClock struct{ asked, at int }

func (*stepClock) Busy() bool   { return false }
func (*stepClock) Spent() int64 { return 0 }
func (*stepClock) Began() int64 { return 0 }

func (c *stepClock) Beats() uint32 {
	if c.asked++; c.asked >= c.at && c.at > 0 {
		return maxBeats
	}
	return 0
}

// stopped are scripts whose hooks change the world in many ways. A clock can stop them at any
// point.
var stopped = map[string]string{
	"mod": `
state.n = 0
local function work(p)
  for i = 1, 5 do
    state.n = state.n + 1
    p.score = state.n
    p.vel = {x = i, y = -i}
    state[p] = ("abc"):rep(i):gsub("b", function(x) p:add_score(1) return x .. state.n end)
  end
end
function on_tick()
  if game.tick() < 12 then return end
  for p in players() do work(p) end
  table.sort({3, 1, 2}, function(a, b) state.n = state.n + 1 return a < b end)
  if game.tick() == 14 then player(0):kill() end
end
function on_death(d) for p in players() do p:heal(1) state.deaths = (state.deaths or 0) + 1 end end
function on_chat(m) state.said = m.text m.from:damage(1) m.text = m.text:upper() end
function on_damage(d) d.amount = d.amount + #string.format("%5.2f", 1 / 3) end`,
	"mode": `
mode{name = "STOP", like = "dm"}
local ball = entity_kind{name = "ball", tick = function(e) e:set(1, e:data(1) + 1) e.pos = {x = e.pos.x + 1, y = e.pos.y} end,
  draw = function(e, d) d:pickup(1, "health", e.pos) end}
function on_spawn(p) ball:spawn{pos = p.pos, owner = p} end
function on_tick() ball:each(function(e) state.x = e.pos.x e:set(2, game.tick()) end) end
function check_win() return ("a" .. game.tick()):find("a30") ~= nil end
function on_reload() state.reloaded = game.tick() for p in players() do p.armor = 3 end end`,
}

// stopMatch plays a match with a clock that stops a hook at question number at. It returns the log,
// the script and the number of questions.
func stopMatch(t *testing.T, source string, at int) (log []byte, mod *Mod, asked int) {
	t.Helper()
	clock := &stepClock{at: at}
	log, mod = clockedMatch(t, source, clock)
	return log, mod, clock.asked
}

// clockedMatch plays a match with a clock, and returns the log and the script.
func clockedMatch(t *testing.T, source string, clock game.HookClock) (log []byte, mod *Mod) {
	t.Helper()
	cfg := Config{Name: "mods/test.lua", Source: source}
	var mode game.Mode = dm.Mode{}
	var mods []game.Mod
	reload := int32(0)
	if strings.Contains(source, "mode{") {
		m := testenv.Must(NewMode(cfg))
		mod, mode, reload = &m.Mod, m, game.ReloadMode
	} else {
		mod = testenv.Must(New(cfg))
		mods = []game.Mod{mod}
	}
	rules := game.DefaultRules()
	rules.SpamProtection = false
	h := replay.Header{Terrain: terrain(), Rules: rules, Seed: 1}
	h.SetMode("test", mode, mods)
	w := testenv.Must(game.New(game.Config{Terrain: h.Terrain, Mode: mode, Mods: mods, Rules: rules, Tuning: &h.Tuning, Seed: 1}))
	mod.SetClock(clock)
	var b bytes.Buffer
	rec := testenv.Must(replay.NewWriter(&b, &h))
	step := func(cmds ...game.Command) {
		testenv.NoError(t, rec.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(t, rec.AfterStep(w))
	}
	for id := range game.PlayerID(3) {
		step(game.Command{Kind: game.CmdJoin, Player: id}, game.Command{Kind: game.CmdProfile, Player: id,
			Profile: &game.Profile{Name: string(rune('a' + id))}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	for i := range 40 {
		switch i {
		case 5:
			step(game.Command{Kind: game.CmdSay, Player: 1, Chat: game.ChatAll, Target: game.Nobody, Text: "hello"})
		case 15:
			step(game.Command{Kind: game.CmdReload, Value: reload, Text: source + " "}, game.Command{Kind: game.CmdKill, Player: 1})
		case 30:
			step(game.Command{Kind: game.CmdReload, Value: reload, Text: source})
		default:
			step()
		}
	}
	testenv.NoError(t, rec.Close(w, replay.EndShutdown))
	return b.Bytes(), mod
}

// spentClock is a clock whose time passes with each question. A beat is ten milliseconds.
type spentClock struct {
	busy          bool
	each, between int64 // nanoseconds of each call that pays, and of each hook besides
	spent, stood  int64 // nanoseconds; stood is the time in which the machine stood still
	began         int64
}

func (c *spentClock) Busy() bool   { return c.busy }
func (c *spentClock) Began() int64 { return c.began }

func (c *spentClock) Spent() int64 {
	c.spent += c.between
	return c.spent
}

func (c *spentClock) Beats() uint32 {
	c.spent += c.each
	return uint32((c.spent + c.stood) / 10_000_000)
}

// TestTimeInEveryTick lets hooks take processor time, by a clock of the test.
func TestTimeInEveryTick(t *testing.T) {
	const inACall = "it took too long"
	for _, c := range []struct {
		name   string
		busy   bool  // the server measures all hooks
		millis int64 // milliseconds that a tick takes
		most   int   // ticks until the script is off, 0 for never
		why    string
	}{
		{"nothing", true, 0, 0, ""},
		{"its share", true, 6, 0, ""},
		{"a little more", true, 8, 16, ""},
		{"twice", true, 12, 6, ""},
		{"four times", true, 24, 2, ""},
		{"a whole second", true, 1000, 1, inACall},
		{"quick ticks before", false, 5, 0, ""},
		{"a whole second after quick ticks", false, 1000, 1, inACall},
	} {
		// 100 questions: one for each call that pays, and two around the hook.
		source := "function on_tick() for i = 1, 98 do math.abs(i) end end"
		clock := &spentClock{busy: c.busy, each: c.millis * 1_000_000 / 100}
		w := newWorld(t, source)
		w.mod.SetClock(clock)
		n := 0
		for ; n < 500 && w.mod.off == ""; n++ {
			w.Step(nil)
		}
		off := w.mod.off != ""
		testenv.Check(t, off == (c.most > 0) && (!off || n <= c.most) && strings.Contains(w.mod.off, c.why), "%s: after %d ticks %q", c.name, n, w.mod.off)
		testenv.Check(t, clock.spent <= (timeShare*int64(n)+timeLoan)*2 || !off, "%s: it took %d ms in %d ticks", c.name, clock.spent/1_000_000, n)

		clock = &spentClock{busy: c.busy, each: c.millis * 1_000_000 / 100}
		log, mod := clockedMatch(t, source, clock)
		res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log))), verifyScripts)
		testenv.Check(t, err == nil && res.HashesMatched >= 2, "%s (%q): %+v, %v", c.name, mod.off, res, err)
	}
}

// TestTimeOf divides the time of a tick among scripts.
func TestTimeOf(t *testing.T) {
	for n, want := range map[int]int64{0: 6_000_000, 1: 6_000_000, 2: 3_000_000, 3: 2_000_000, 6: 2_000_000} {
		testenv.Check(t, timeOf(n) == want, "%d scripts: %d ns each", n, timeOf(n))
	}
}

// TestTimeAtTheEnd checks a slow hook that never asks the clock: it ends, and the script is
// switched off after it.
func TestTimeAtTheEnd(t *testing.T) {
	const source = "function on_tick() end"
	clock := &spentClock{busy: true, between: 10_000_000}
	w := newWorld(t, source)
	w.mod.SetClock(clock)
	for range 20 {
		w.Step(nil)
	}
	testenv.Check(t, w.mod.off == "mods/test.lua: it takes too long, more than 6 ms in every tick", "%q", w.mod.off)
	log, mod := clockedMatch(t, source, &spentClock{busy: true, between: 10_000_000})
	res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log))), verifyScripts)
	testenv.Check(t, mod.off != "" && err == nil && res.HashesMatched >= 2, "%q: %+v, %v", mod.off, res, err)
}

// TestOthersTakeNoTime lets the machine stand still, or run other programs, during each call of a
// hook.
func TestOthersTakeNoTime(t *testing.T) {
	w := newWorld(t, "function on_tick() for i = 1, 98 do math.abs(i) end print('x') end")
	clock := &spentClock{busy: true, spent: 1}
	w.mod.SetClock(clock)
	w.mod.cfg.Log = func(string) { clock.stood += 900_000_000 }
	for range 100 {
		w.Step(nil)
	}
	testenv.Check(t, w.mod.off == "" && clock.stood > 1e9, "%q", w.mod.off)
}

var verifyScripts = replay.VerifyConfig{
	Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true },
	NewMode: func(info replay.ModInfo) (game.Mode, error) {
		return NewMode(Config{Name: "mods/test.lua", Source: string(info.Source), Costs: info.Costs})
	},
	NewMod: func(info replay.ModInfo) (game.Mod, error) {
		return New(Config{Name: "mods/test.lua", Source: string(info.Source), Costs: info.Costs})
	},
}

// TestStoppedByClock stops hooks at every possible point. Their changes until then stay, and a run
// of the log without a clock gives exactly the same match.
func TestStoppedByClock(t *testing.T) {
	for name, source := range stopped {
		t.Run(name, func(t *testing.T) {
			_, _, most := stopMatch(t, source, 0)
			testenv.Require(t, most > 100, "the clock is asked %d times", most)
			step := 1
			if os.Getenv("TEEYARD_FULL") == "" {
				step = max(1, most/testenv.Amount(8, 60))
			}
			stops, runs := 0, 0
			for at := 1; at <= most; at += step {
				log, mod, _ := stopMatch(t, source, at)
				runs++
				if mod.off != "" {
					stops++
				}
				r := testenv.Must(replay.NewReader(bytes.NewReader(log)))
				res, err := replay.Verify(r, verifyScripts)
				testenv.Require(t, err == nil && res.HashesMatched >= 2, "stopped at question %d (%q): %+v, %v", at, mod.off, res, err)
			}
			testenv.Check(t, stops > runs/10, "%d stops in %d matches", stops, runs)
		})
	}
}

// TestStopIsInTheLog checks the command of a stop, and that the log has the version that includes
// it.
func TestStopIsInTheLog(t *testing.T) {
	_, _, most := stopMatch(t, stopped["mod"], 0)
	log, mod, _ := stopMatch(t, stopped["mod"], most)
	testenv.Check(t, strings.Contains(mod.off, "too long"), "switched off: %q", mod.off)
	r := testenv.Must(replay.NewReader(bytes.NewReader(log)))
	testenv.Check(t, log[7] == 4 && r.Header().Costs == CostsVersion, "format %d, costs %d", log[7], r.Header().Costs)
	var tick replay.Tick
	found := 0
	for r.Next(&tick) == nil {
		for i, c := range tick.Commands {
			if c.Kind == game.CmdStopHook {
				testenv.Check(t, i == 0 && c.Value == 0, "command %d of tick %d: %+v", i, tick.Tick, c)
				found++
			}
		}
	}
	testenv.Check(t, found == 1, "%d stops", found)
}

// TestStopsAreChecked gives a world stops that no program has recorded.
func TestStopsAreChecked(t *testing.T) {
	w := newWorld(t, "function on_tick() state.n = (state.n or 0) + #('a'):rep(3) end")
	w.join(1)
	for _, text := range []string{"", "1", "1 ", "x 1", "1 x", "1 0", "99999999999 1", "4000000000 18446744073709551615", "1 1 1"} {
		w.Step([]game.Command{{Kind: game.CmdStopHook, Text: text}, {Kind: game.CmdStopHook, Value: -1, Text: "1 1"},
			{Kind: game.CmdStopHook, Value: 7, Text: "1 1"}})
	}
	var many []game.Command
	for range 1000 {
		many = append(many, game.Command{Kind: game.CmdStopHook, Text: "9 1"})
	}
	w.Step(many)
	testenv.Check(t, w.mod.off == "" && len(w.mod.stops.due) <= maxStops, "%q, %d", w.mod.off, len(w.mod.stops.due))
	w.Step([]game.Command{{Kind: game.CmdStopHook, Text: "1 1"}})
	testenv.Check(t, strings.Contains(w.mod.off, "too long"), "%q", w.mod.off)
}

// TestOverBudget runs scripts that are always near their limits. They are off after three ticks,
// and several scripts together use only a part of a tick.
func TestOverBudget(t *testing.T) {
	const busy = "function on_tick() for i = 1, %d do local x = i end end"
	for _, c := range []struct {
		loops int
		off   bool
	}{{1000, false}, {8000, false}, {19000, true}} {
		w := newWorld(t, fmt.Sprintf(busy, c.loops))
		w.join(2)
		w.run(3)
		used := w.mod.vm.r.UsedResources().Cpu
		w.run(1)
		testenv.Check(t, (w.mod.off != "") == c.off && (!c.off || used > tickSteps*8/10), "%d loops, %d steps: %q", c.loops, used, w.mod.off)
		w.run(200)
		testenv.Check(t, (w.mod.off != "") == c.off, "%d loops: %q", c.loops, w.mod.off)
	}
	for n := 1; n <= 64; n++ {
		l := limitsOf(CostsVersion, n)
		testenv.Check(t, l.tickCPU*uint64(n) <= allTickSteps && l.share*uint64(n) <= allShare && l.share > 0 && l.loan > 0, "%d scripts: %+v", n, l)
	}
	var mods []game.Mod
	for range 4 {
		mods = append(mods, testenv.Must(New(Config{Name: "mods/test.lua", Source: fmt.Sprintf(busy, 9000)})))
	}
	w := testenv.Must(game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: mods, Rules: game.DefaultRules()}))
	for range 5 {
		w.Step(nil)
	}
	for _, m := range mods {
		testenv.Check(t, m.(*Mod).off != "", "four scripts with 45,000 steps each: %q", m.(*Mod).off)
	}
}

// TestOwesAreSaved goes on from a state in the middle of the three ticks.
func TestOwesAreSaved(t *testing.T) {
	source := "function on_tick() for i = 1, 19000 do local x = i end end"
	for ticks := 1; ticks <= 4; ticks++ {
		w := newWorld(t, source)
		w.join(1)
		w.run(ticks)
		cfg := game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{testenv.Must(New(Config{Name: "mods/test.lua", Source: source}))},
			Rules: game.DefaultRules(), Seed: 1}
		again := testenv.Must(game.Restore(cfg, w.AppendState(nil)))
		testenv.Check(t, w.Hash() == again.Hash(), "after %d ticks", ticks)
		for range 5 {
			w.run(1)
			again.Step(nil)
			testenv.Check(t, w.Hash() == again.Hash(), "tick %d after %d ticks", w.Tick(), ticks)
		}
	}
}

// TestHostileLog runs a log whose script repeats an empty string 9e18 times, which the costs of
// version 1 did not count.
func TestHostileLog(t *testing.T) {
	r := testenv.Must(replay.NewReader(bytes.NewReader(testenv.Must(os.ReadFile("testdata/late.twreplay")))))
	testenv.Check(t, r.Header().Costs == firstCosts, "costs of version %d", r.Header().Costs)
	res, err := replay.Verify(r, verifyScripts)
	testenv.Check(t, errors.Is(err, ErrWork) && strings.Contains(err.Error(), "tick 300") && res.LastGoodTick > 200, "%+v, %v", res, err)
}

// TestReloadsAreBounded reloads a script more often than a server does, as a log can.
func TestReloadsAreBounded(t *testing.T) {
	w := newWorld(t, "function on_tick() end")
	w.join(1)
	for i := range 2 * maxReloads {
		w.Step([]game.Command{{Kind: game.CmdReload, Text: fmt.Sprintf("function on_tick() end -- %d", i)}})
		testenv.Require(t, (w.mod.Fault() == nil) == (i < maxReloads), "%d reloads: %v", i+1, w.mod.Fault())
	}
	w = newWorld(t, "function on_tick() end")
	for i := range 2 * maxReloads {
		w.Step([]game.Command{{Kind: game.CmdReload, Text: fmt.Sprintf("function on_tick() end -- %d", i)}})
		w.run(game.TickRate)
	}
	testenv.Check(t, w.mod.Fault() == nil, "one reload a second: %v", w.mod.Fault())
}

// TestFirstCostsAreBounded plays the most expensive operations with the costs of version 1, as a
// log can. The limits or the work must end them.
func TestFirstCostsAreBounded(t *testing.T) {
	testenv.OneGoroutine(t)
	operations := []string{
		`(""):rep(9000000000000000000, "")`, `("a"):rep(8192):find(("b*"):rep(4000) .. "c")`, `("a"):rep(8192):match(("b*"):rep(4000) .. "c")`,
		`for w in ("a"):rep(8192):gmatch(("b*"):rep(4000) .. "c") do end`, `("a"):rep(8192):gsub(("b*"):rep(4000) .. "c", "")`,
	}
	for _, c := range operations[:testenv.Amount(2, len(operations))] {
		mod := testenv.Must(New(Config{Name: "mods/test.lua", Costs: firstCosts,
			Source: "function on_tick() local n = 0 while n < 100 do n = n + 1 " + c + " end end"}))
		w := testenv.Must(game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{mod}, Rules: game.DefaultRules()}))
		w.Step(nil)
		testenv.Check(t, mod.Off() != "" && mod.vm.meter.work < 2*maxWork || mod.Fault() != nil, "%s: %q, %v, work %d", c, mod.Off(), mod.Fault(),
			mod.vm.meter.work)
	}
}

// TestOldStateIsRestored goes on from a state saved with the costs of version 1, as after an update
// of the server.
func TestOldStateIsRestored(t *testing.T) {
	source := "state.n = 0 function f() end function on_tick() state.n = state.n + 1 after(5, 'f', player(0)) end"
	old := testenv.Must(New(Config{Name: "mods/test.lua", Source: source, Costs: firstCosts}))
	w := testenv.Must(game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{old}, Rules: game.DefaultRules()}))
	for range 7 {
		w.Step(nil)
	}
	mod := testenv.Must(New(Config{Name: "mods/test.lua", Source: source}))
	again := testenv.Must(game.Restore(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{mod}, Rules: game.DefaultRules()}, w.AppendState(nil)))
	again.Step(nil)
	testenv.Check(t, mod.vm.state.Get(rt.StringValue("n")).AsInt() == 8 && mod.Off() == "", "%v, %q", mod.vm.state.Get(rt.StringValue("n")), mod.Off())
	testenv.Check(t, old.RestoreState(mod.AppendState(nil)) != nil, "version 1 takes a state of version 2")
}

// TestLogsTakeNoLongerThanTheMatch runs scripts of both versions whose hooks take four times as
// long as the match, by a clock of the test.
func TestLogsTakeNoLongerThanTheMatch(t *testing.T) {
	for _, costs := range []int{firstCosts, CostsVersion} {
		for _, c := range []struct {
			millis int64 // milliseconds that a hook takes
			fault  bool
		}{{10, false}, {80, true}} {
			now := int64(1)
			cfg := Config{Name: "mods/test.lua", Costs: costs, Source: "function on_tick() end",
				Nanoseconds: func() int64 { now += c.millis * 1_000_000; return now }}
			mod := testenv.Must(New(cfg))
			w := testenv.Must(game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{mod}, Rules: game.DefaultRules()}))
			for range 200 {
				w.Step(nil)
			}
			testenv.Check(t, (mod.Fault() != nil) == c.fault && (!c.fault || errors.Is(mod.Fault(), ErrWork)), "version %d, %d ms: %v", costs, c.millis,
				mod.Fault())
		}
	}
}
