package script

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
)

// testWorld is a world with a script. Its map is a box with spawn points.
type testWorld struct {
	*game.World
	mod  *Mod
	mode game.Mode
	logs []string
}

func terrain() game.Terrain {
	const w, h = 20, 12
	t := game.Terrain{Width: w, Height: h, Tiles: make([]uint8, w*h)}
	for x := range w {
		for y := range h {
			if x == 0 || y == 0 || x == w-1 || y == h-1 {
				t.Tiles[y*w+x] = 1
			}
		}
	}
	for x := 2; x < w-2; x += 3 {
		t.Tiles[(h-2)*w+x] = 192
	}
	return t
}

func newWorld(t testing.TB, source string) *testWorld {
	t.Helper()
	tw := &testWorld{mode: dm.Mode{}}
	rules := game.DefaultRules()
	rules.SpamProtection = false
	var err error
	tw.mod, err = New(Config{Name: "mods/test.lua", Source: source, Log: func(s string) { tw.logs = append(tw.logs, s) }})
	if err != nil {
		t.Fatal(err)
	}
	tw.World, err = game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{tw.mod}, Rules: rules, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return tw
}

// Step runs a tick and lets a panic of the script fail the test. The world itself would only switch
// the script off.
func (w *testWorld) Step(cmds []game.Command) []game.Event {
	events := w.World.Step(cmds)
	for i := range events {
		if events[i].Kind == game.EvModOff {
			panic(events[i].Text)
		}
	}
	return events
}

// join lets n players join.
func (w *testWorld) join(n int) {
	var cmds []game.Command
	for id := range game.PlayerID(n) {
		cmds = append(cmds, game.Command{Kind: game.CmdJoin, Player: id},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: string(rune('a' + id))}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	w.Step(cmds)
}

// run runs ticks.
func (w *testWorld) run(ticks int) {
	for range ticks {
		w.Step(nil)
	}
}

// say sends a chat line and returns the server's chat lines in the same tick.
func (w *testWorld) say(text string) string {
	var said []string
	for _, e := range w.Step([]game.Command{{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Target: game.Nobody, Text: text}}) {
		if e.Kind == game.EvChat && e.Player == game.Nobody {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, "|")
}

// TestHooks runs a script with hooks that observe, change and prevent events.
func TestHooks(t *testing.T) {
	w := newWorld(t, `
state.hits = 0
function on_start() state.started = game.tick() end
function on_enter(p) state.names = (state.names or "") .. p.name end
function on_damage(d)
  state.hits = state.hits + 1
  d.amount = d.amount * 2
  return d.weapon ~= "gun"
end
function on_death(d) game.say(d.victim.name .. " died of " .. d.weapon) end
function on_chat(m)
  local p = m.from
  if m.text == "kill" then p:kill() return false
  elseif m.text == "hurt" then p:damage(2) game.say(p.health .. " " .. state.hits .. state.names .. state.started)
  elseif m.text == "gun" then game.say(tostring(p:damage(2, player(1), "gun")) .. p.health)
  elseif m.text == "bad" then local x = nil; x.y = 1
  elseif m.text == "swap" then m.text = "swapped" end
end
`)
	w.join(2)
	w.run(60)
	for _, c := range []struct{ text, want string }{
		{"hurt", "6 1ab0"},
		{"gun", "false6"},
		{"kill", "a died of game"},
	} {
		if got := w.say(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
	w.say("bad")
	if want := []string{"mods/test.lua:16: attempt to index nil value"}; !slices.Equal(w.logs, want) {
		t.Errorf("log: %q, want %q", w.logs, want)
	}
	events := w.Step([]game.Command{{Kind: game.CmdSay, Chat: game.ChatAll, Target: game.Nobody, Text: "swap"}})
	if !slices.ContainsFunc(events, func(e game.Event) bool { return e.Kind == game.EvChat && e.Text == "swapped" }) {
		t.Errorf("events: %v", events)
	}
}

// TestLoadErrors loads scripts with errors.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"x = = 1", "mods/test.lua:1:5: unexpected symbol"},
		{"\nfunction on_damge() end", "mods/test.lua:2: unknown hook on_damge; did you mean on_damage?"},
		{"\nplayrs()", "mods/test.lua:2: there is no playrs; did you mean players?"},
		{"game.say('x')", "mods/test.lua:1: the game can be used in hooks only"},
		{"math.random()", "mods/test.lua:1: the game can be used in hooks only"},
		{"while true do end", "mods/test.lua: too many steps"},
		{"local t = {} while true do t[#t + 1] = ('x'):rep(8000) end", "mods/test.lua: too much memory"},
		{"local s = ('x'):rep(1e9)", "mods/test.lua:1: a string of more than 8192 bytes"},
		{"local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) end", "mods/test.lua: too much memory"},
		{"local function f() return 1 + f() end f()", "mods/test.lua: too much memory"},
		{"local t = setmetatable({}, {__index = function(t, k) return t[k] end}) local x = t.x", "stack overflow"},
		{"('a'):rep(30):find(('a?'):rep(30) .. ('a'):rep(30) .. 'b')", "too many steps"},
		{strings.Repeat("(", 1000), "mods/test.lua:1: nested too deeply"},
		{"x = " + strings.Repeat("not ", 1000) + "1", "mods/test.lua:1: nested too deeply"},
		{"x = a" + strings.Repeat(".a", 1000), "mods/test.lua:1: nested too deeply"},
		{strings.Repeat(" ", MaxSource+1), "the limit is 65536"},
		{"local x <close> = nil", "mods/test.lua:1: <close> is not for scripts"},
		{"global x = 1", "mods/test.lua:1: declarations with global"},
		{"_ENV.x = 1", "mods/test.lua:1: _ENV is not for scripts"},
		{"os.time()", "there is no os"}, {"io.open('x')", "there is no io"}, {"require('x')", "there is no require"},
		{"load('x')", "there is no load"}, {"dofile('x')", "there is no dofile"}, {"collectgarbage()", "there is no collectgarbage"},
		{"string.dump(print)", "there is no string.dump"}, {"coroutine.create(print)", "there is no coroutine"},
		{"setmetatable({}, {__gc = print})", "__gc is not for scripts"},
		{"state = 1", "state is 1, want a table"},
		{"state.f = print", "state.f is a function, which cannot be saved"},
		{"state.a = state", "nested too deeply, or contains itself"},
		{"state.a = {} local a = state.a function on_tick() a.x = 1 end", "the table state.a is also in a variable of the file; use state.a everywhere"},
		{"local next = pairs({}) function on_tick() next() end", "the file keeps an iterator"},
		{"'x' + 1", "mods/test.lua:1:1"},
		{"local x = 'x' + 1", "arithmetic"},
		{"string.format('%p', {})", "not for scripts"},
	} {
		_, err := New(Config{Name: "mods/test.lua", Source: c.source})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.source, err, c.want)
		}
	}
}

// TestOnlyStateLasts runs functions that try to keep data outside state.
func TestOnlyStateLasts(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"local n = 0\nfunction on_tick() n = n + 1 end", "test.lua:2: n belongs to the file and cannot be set by a function"},
		{"n = 0\nfunction on_tick() n = n + 1 end", "test.lua:2: n belongs to the file"},
		{"function on_tick()\nnew = 1 end", "test.lua:2: new belongs to the file"},
		{"function on_tick() state = {} end", "the table state stays"},
		{"local t = {1, 2, n = {}}\nfunction on_tick() t.n.x = 1 end", "test.lua:2: this table belongs to the file"},
		{"t = {}\nfunction on_tick() t[1] = 1 end", "test.lua:2: this table belongs to the file"},
		{"t = {}\nfunction on_tick() table.insert(t, 1) end", "test.lua:2: this table belongs to the file"},
		{"t = {}\nfunction on_tick() rawset(t, 1, 2) end", "test.lua:2: this table belongs to the file"},
		{"function on_tick() math.pi = 3 end", "this table belongs to the file"},
		{"local function counter() local n = 0; return function() n = n + 1; return n end end\nlocal c = counter()\nfunction on_tick() c() end",
			"switched off: mods/test.lua: the variable n of a function changed"},
		{"function on_tick() state.x = {f = print} end", "switched off: mods/test.lua: state.x.f is a function, which cannot be saved"},
		{"local t = {}\nfunction on_tick() state.x = t end", "switched off: mods/test.lua: state.x is a table of the file"},
		{"function on_tick() state.x = setmetatable({}, {}) end", "state.x has a metatable, which is not saved"},
		{"function on_tick() state[{}] = 1 end", "a table has no order if keys"},
		{"function on_tick() state[#state + 1] = ('x'):rep(1000) end", ""},
		{"function on_tick() for i = 1, 40 do state[#state + 1] = ('x'):rep(8000) end end", "switched off: mods/test.lua: state has more than 131072 bytes"},
	} {
		w := newWorld(t, c.source)
		w.join(1)
		w.run(110)
		if log := strings.Join(w.logs, "\n"); !strings.Contains(log, c.want) || c.want == "" && log != "" {
			t.Errorf("%s: %q, want %q", c.source, log, c.want)
		}
	}
}

// TestSwitchedOff runs scripts that never end or fail again and again.
func TestSwitchedOff(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"function on_tick()\nwhile true do end end", "switched off: mods/test.lua:2: too many steps"},
		{"function on_tick() pcall(function() while true do end end) end", "too many steps"},
		{"function on_tick() local s = 'x' while true do s = s .. s end end", "mods/test.lua:1: a string of 16384 bytes, the limit is 8192 (10 errors"},
		{"function on_tick() local t, i = {}, 0 while true do i = i + 1 t[i] = ('x' .. i):rep(1000) end end", "too much memory"},
		{"function on_tick() local s = ('a'):rep(8000) while true do pcall(s.byte, s, 1, -1) tonumber(s) end end", "too many steps"},
		{"function on_tick() while true do (('a'):rep(200)):byte(1, -1) end end", "too many steps"},
		{"function on_tick() for i = 1, 3000 do string.format('%99.99f', i) end end", "too many steps"},
		{"function on_tick() error('no') end", "switched off: mods/test.lua:1: no (10 errors in 10 seconds)"},
		{"function on_tick() error({}) end", "switched off: mods/test.lua:1: table (10 errors"},
		{"function on_tick() local t = setmetatable({}, {__index = function(t, k) return t[k] end}) t = t.x end", "stack overflow"},
		{"local c = {__index = function(t, k) return t[k] end}\nfunction on_tick() local t = setmetatable({}, c) t = t.x end", "stack overflow"},
		{"function on_tick() for i = 1, 1e6 do game.say('flood') end end", "too many steps"},
		{"function on_tick() for p in players() do p:kill() end end\nfunction on_death() while true do end end", "mods/test.lua:2: too many steps"},
		{"function on_tick() for p in players() do pcall(p.kill, p) end end\nfunction on_death() while true do end end", "mods/test.lua:2: too many steps"},
		{"function on_damage(d) d.victim:damage(1) end\nfunction on_tick() if player(0) then player(0):damage(1) end end", ""},
		{"local k = entity_kind{name = 'k'}\nfunction on_tick() for i = 1, 1e6 do k:spawn{pos = {x = 99, y = 99}} end end", "mods/test.lua:2: too many steps"},
		{"local k = entity_kind{name = 'k', draw = function(e, d) while true do d:laser(1, e.pos, e.pos) end end}\nfunction on_start() k:spawn{pos = " +
			"{x = 99, y = 99}} end", "mods/test.lua:1: too many steps"},
		{"function on_tick() for i = 1, 1e6 do store.get('k') end end", "too many requests in this tick (10 errors"},
		{"function on_tick() for i = 1, 1e6 do game.add_npc{name = 'x'} end end", "too many steps"},
		{"function on_tick() for i = 1, 1e6 do after(1, 'on_tick', i) end end", "timers"},
		{"local m = menu{name = 'm', run = function() end}\nfunction on_tick() for p in players() do for i = 1, 1e6 do m:show(p, {'' .. i}) end end end",
			"too many"},
		{"local c = setmetatable({}, {__tostring = function(t) return tostring(t) end})\nfunction on_tick() tostring(c) end", "switched off"},
		{"local d; function on_damage(x) state.d = x end\nfunction on_tick() if player(0) then player(0):damage(1) end end",
			"state.d is a damage, which cannot be saved"},
	} {
		w := newWorld(t, c.source)
		w.join(2)
		w.run(110)
		log := strings.Join(w.logs, "\n")
		if !strings.Contains(log, c.want) {
			t.Errorf("%s: %q, want %q", c.source, log, c.want)
		}
		if strings.Count(log, "\n") > 20 {
			t.Errorf("%s: %d lines of log", c.source, strings.Count(log, "\n"))
		}
		if c.want != "" && w.mod.Off() == "" {
			t.Errorf("%s runs on", c.source)
		}
	}
}

// TestEveryHookFails runs a script with every hook, each of which fails.
func TestEveryHookFails(t *testing.T) {
	var source strings.Builder
	for _, name := range hookNames[hookStart:] {
		source.WriteString("function " + name + "() error('" + name + "') end\n")
	}
	w := newWorld(t, source.String())
	w.join(4)
	w.run(20)
	if log := strings.Join(w.logs, "\n"); len(w.logs) != maxErrors || !strings.HasPrefix(w.logs[maxErrors-1], "switched off: mods/test.lua:") {
		t.Errorf("%s", log)
	}
	w.run(600)
	if len(w.logs) != maxErrors || w.Frame().Game.State != 0 || len(w.Frame().Characters) != 4 {
		t.Errorf("%d lines of log, state %v", len(w.logs), w.Frame().Game.State)
	}
}

// TestRulesOfAScriptThatIsOff switches off a script that decides when the match is over: the mode
// decides again, until a repaired file is loaded.
func TestRulesOfAScriptThatIsOff(t *testing.T) {
	source := "min_players = 1\nfunction check_win() return false end\nfunction on_chat(m) if m.text == 'score' then m.from:add_score(99) else while " +
		"true do end end end"
	w := newWorld(t, source)
	over := func() bool { return w.Frame().Game.State&game.StateGameOver != 0 }
	chat := func(text string) {
		w.say(text)
		w.run(100)
	}
	w.join(2)
	w.run(600)
	chat("score")
	if over() {
		t.Error("the mode decides")
	}
	reload := game.Command{Kind: game.CmdReload, Text: source + " "}
	chat("loop")
	if !over() || !strings.Contains(w.mod.Off(), "too many steps") {
		t.Errorf("the script decides that the match goes on: %q, %q", w.mod.Off(), w.logs)
	}
	for w.Step(nil); over(); {
		w.Step(nil)
	}
	w.Step([]game.Command{reload})
	w.run(600)
	chat("score")
	if over() {
		t.Error("the mode decides after a reload")
	}
}

// TestPrintIsLimited prints without end. The log gets some lines a second.
func TestPrintIsLimited(t *testing.T) {
	w := newWorld(t, "function on_tick() for i = 1, 20 do print('flood') end end")
	w.join(1)
	w.run(148) // to tick 149
	if len(w.logs) != 3*(maxPrints+1) || w.mod.Off() != "" {
		t.Errorf("%d lines", len(w.logs))
	}
	if last := w.logs[maxPrints]; !strings.Contains(last, "prints too much") {
		t.Errorf("after %d lines: %q", maxPrints, last)
	}
}

// TestStringsAreLimited makes strings of the largest size, and larger ones, in every way.
func TestStringsAreLimited(t *testing.T) {
	w := newWorld(t, `
local most = ("x"):rep(8192)
function on_chat(m)
  local said = {}
  for i, f in ipairs{
    function(s) return s .. "" .. 1 end,
    function(s) return 1 .. 2.5 .. s end,
    function(s) return "a" .. setmetatable({}, {__concat = function(a, b) return s .. "y" end}) end,
    function(s) return setmetatable({}, {__concat = function(a, b) return "short" end}) .. s .. "" end,
    function(s) return s:rep(2) end,
    function(s) return (s:gsub("x", "yy")) end,
    function(s) return string.format("%s!", s) end,
    function(s) return table.concat({s, s}) end,
    function(s) return s:upper() .. s:lower() end,
    function(s) return (s:sub(1, 8190) .. 1 .. "a") end,
    function(s) return "a" .. nil end,
    function(s) return "a" .. ("xx"):gsub("x", "y") end,
    function(s) return "a" .. "b" .. (function() return "c", "d" end)() end,
    function(s) return pcall(function() return "a" .. (function() end)() end) and "" or "abc" end,
  } do
    local ok, x = pcall(f, most)
    said[#said + 1] = ok and #x or x:sub(-30)
  end
  for _, x in ipairs(said) do game.say(x) end
end`)
	w.join(1)
	const long = "bytes, the limit is 8192"
	want := []string{"8193 " + long, "8196 " + long, "8193 " + long, "5", "16384 " + long, "8194 " + long, "8193 " + long, "16384 " + long,
		"16384 " + long, "8192", "concatenate a nil value", "3", "3", "3"}
	got := strings.Split(w.say("go"), "|")
	if len(w.logs) > 0 || !slices.EqualFunc(got, want, strings.HasSuffix) {
		t.Errorf("%q, want %q: %q", got, want, w.logs)
	}
	if _, err := New(Config{Name: "mods/x.lua", Source: "\n\nlocal s = '" + strings.Repeat("x",
		maxString+1) + "'"}); err == nil || err.Error() != "mods/x.lua:3: a string of 8193 bytes, the limit is 8192" {
		t.Errorf("a literal: %v", err)
	}
}

// TestByteAndToNumber checks the replacements for functions of the Lua library.
func TestByteAndToNumber(t *testing.T) {
	w := newWorld(t, `
function on_chat(m)
  local s = "abc"
  local function all(...) return table.concat({...}, " ") end
  game.say(all(s:byte()) .. "/" .. all(s:byte(2)) .. "/" .. all(s:byte(1, -1)) .. "/" .. all(s:byte(-2, -1)) .. "/" .. all(s:byte(-9, 9)) .. "/" ..
    all(s:byte(0)) .. "/" .. all(s:byte(4)) .. "/" .. all(s:byte(1, -9)) .. "/" .. all(s:byte(math.mininteger, math.maxinteger)) .. "/" .. all(s:byte(-9)))
  game.say(all(tonumber("10"), tonumber("ff", 16), tostring(tonumber("x")), tonumber(" 1.5 "), tonumber(7)))
  game.say(tostring(pcall(s.byte, s:rep(100), 1, -1)) .. tostring(pcall(tonumber)))
end`)
	w.join(1)
	const want = "97/98/97 98 99/98 99/97 98 99////97 98 99/|10 255 nil 1.5 7|falsefalse"
	if got := w.say("go"); got != want {
		t.Errorf("%q, want %q: %q", got, want, w.logs)
	}
}
