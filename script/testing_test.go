package script_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server/console"
)

// kit is a mod with something to test for each function of the table test.
const kit = `
state.hits, state.said = 0, {}
local power = variable{name = "sv_kit_power", default = 2, min = 0, max = 9}
local classes = menu{name = "classes", run = function(p, line) p:say("class " .. line) end}
local again = vote{name = "again", run = function(passed) game.say("passed: " .. tostring(passed)) end}
chat_command{name = "give", params = "i[n]", run = function(p, n) p:give_armor(n) return "gave " .. n end}
chat_command{name = "classes", run = function(p) classes:show(p, {"Medic", "Soldier"}) end}
console_command{name = "again", params = "r[text]", run = function(p, text) again:start(text) return "asked" end}
function on_damage(d) d.amount = d.amount * power.value state.hits = state.hits + 1 end
function on_chat(m) state.said[#state.said + 1] = m.text end
function on_enter(p) p:screen_text("kit") after(100, "late", p) store.put("name", p.name) end
function late(p) p:broadcast("a while ago") end
function on_stored(a) state.stored = (state.stored or 0) + 1 end
`

// kitTests has passing tests that use every function.
const kitTests = `
function test_hits()
  local ada, bob = test.join("ada", "bob")
  test.shoot(ada, bob)
  test.expect(bob.health, 8, "a hit counts twice")
  test.set("sv_kit_power", 5)
  test.shoot(ada, bob, "gun")
  test.expect(bob.health, 3)
  test.console("sv_kit_power 9")
  test.shoot(ada, bob)
  test.expect(bob.alive, false)
  test.expect(#test.events("kill"), 1)
  local kill = test.events("kill")[1]
  test.expect({kill.player, kill.target, kill.weapon}, {ada, bob, "gun"})
  test.expect(test.state().hits, 3)
  test.expect(ada.score, 1)
  test.run_until("bob is back", 200, function() return bob.alive end)
end

function test_changes()
  local ada = test.join("ada")
  local tick = game.tick()
  ada.health = 3
  ada:give_weapon("grenade", 5)
  test.expect(ada.health == 3 and ada:ammo("grenade") == 5)
  test.expect(game.tick(), tick + 2, "a change takes a tick")
  local at = {x = ada.x, y = ada.y - 64}
  ada.pos = at
  at.y = 0
  ada:kill()
  test.expect(ada.alive, false)
end

function test_input()
  local ada, bob = test.join("ada", "bob")
  local x = ada.x
  test.input(ada, {direction = 1, aim = bob, jump = true, hook = true, fire = true, weapon = "gun"})
  test.run(20)
  test.expect(ada.x > x and ada.firing and ada.jumping and ada.hooking)
  test.expect(ada.weapon, "gun")
  test.input(ada, {})
  test.run(1)
  test.expect(ada.firing, false)
end

function test_texts()
  local ada, bob = test.join("ada", "bob")
  test.say(ada, "hello")
  test.expect(test.state("kit").said, {"hello"})
  test.expect_heard(bob, "hello")
  test.expect(test.say(ada, "/give 3"), "gave 3")
  test.expect(ada.armor, 3)
  test.expect(test.heard(bob, "gave"), false)
  test.expect(test.screen(bob), "kit")
  test.run(100)
  test.expect_heard(bob, "a while ago")
  test.expect(test.state().stored, 2)
  test.leave(bob)
  test.expect(bob.connected, false)
end

function test_menu_and_vote()
  local ada = test.join("ada")
  test.say(ada, "/classes")
  test.expect(test.menu(ada), {"Medic", "Soldier"})
  test.choose(ada, "Soldier")
  test.expect_heard(ada, "class 2")
  test.expect(test.console("again Once more?"), "asked")
  test.vote(true)
  test.expect(test.heard(ada)[#test.heard(ada)], "passed: true")
end

function test_map()
  test.map{"#######", "#     #", "# S i #", "#######", tiles = {i = 99}}
  test.mode("lms")
  local ada = test.join("ada")
  test.expect(game.map_width(), 7)
  test.expect(#game.find_tiles(99), 1)
end
`

// scripts returns a function that finds scripts by name.
func scripts(files map[string]string) func(name string) (string, string, error) {
	return func(name string) (string, string, error) {
		source, ok := files[name]
		if !ok {
			return "", "", fmt.Errorf("mods/%s.lua: %w", name, fs.ErrNotExist)
		}
		return "mods/" + name + ".lua", source, nil
	}
}

func testConfig(source string, files map[string]string) script.TestConfig {
	return script.TestConfig{
		Name: "mods/kit_test.lua", Source: source, Script: scripts(files),
		Args: func(params, line string) ([]string, error) {
			p, err := console.ParseParams(params)
			if err != nil {
				return nil, err
			}
			return p.Parse(line)
		},
		Store: func(r *game.StoreRequest) (game.StoreAnswer, bool) {
			return game.StoreAnswer{ID: r.ID, Op: r.Op, Space: r.Space, Key: r.Key}, true
		},
	}
}

// TestTests runs passing tests of a mod.
func TestTests(t *testing.T) {
	tests := testenv.Must(script.NewTests(testConfig(kitTests, map[string]string{"kit": kit})))
	names := tests.Names()
	testenv.Check(t, strings.Join(names, " ") == "test_hits test_changes test_input test_texts test_menu_and_vote test_map", "%q", names)
	for _, name := range names {
		res := tests.Run(name)
		testenv.Check(t, len(res.Failures) == 0 && res.Ticks > 50, "%s: %q, %d ticks, %q", name, res.Failures, res.Ticks, res.Log)
	}
}

// TestFailures runs failing tests and checks their messages.
func TestFailures(t *testing.T) {
	type failure struct{ name, mod, test, want string }
	var long []failure
	if testenv.InCI() {
		long = []failure{{"too long in the end", "", "test.join('ada')\ntest.run_until('later', 90000, function() return false end)",
			"mods/kit_test.lua:3: the match is longer than 90000 ticks"}}
	}
	for _, c := range append(long, []failure{
		{"a number", "", "local ada = test.join('ada')\ntest.expect(ada.health, 9, 'health')", "mods/kit_test.lua:3: health: got 10, want 9"},
		{"no message", "", "test.join('ada')\ntest.expect({1, a = 'x'}, {1, a = 'y'})", `mods/kit_test.lua:3: got {1, a = "x"}, want {1, a = "y"}`},
		{"within a function", "", "local function f() test.expect(nil) end\ntest.join('ada')\nf()", "mods/kit_test.lua:2: got nil, want a true value"},
		{"caught", "", "test.join('ada')\npcall(function() test.expect(1, 2) end)", "mods/kit_test.lua:3: got 1, want 2"},
		{"players", "", "local ada, bob = test.join('ada', 'bob')\ntest.expect(ada, bob)", "mods/kit_test.lua:3: got player 0 (ada), want player 1 (bob)"},
		{"heard", "", "local ada = test.join('ada')\ntest.say(ada, 'oh')\ntest.expect_heard(ada, 'ah')",
			`mods/kit_test.lua:4: ada did not get the text "ah", only [`},
		{"never", "", "test.join('ada')\ntest.run_until('later', 9, function() return false end)", "mods/kit_test.lua:3: not reached after 9 ticks: later"},
		{"too long", "", "test.join('ada')\ntest.run(90000)", "mods/kit_test.lua:3: the match is longer than 90000 ticks"},
		{"an endless loop", "", "test.join('ada')\nwhile true do end", "mods/kit_test.lua:3: too many steps; a loop without end?"},
		{"a field", "", "test.jion('ada')", "mods/kit_test.lua:2: there is no test.jion; did you mean join?"},
		{"of a player", "", "local ada = test.join('ada')\ntest.expect(ada.nmae, 'ada')", "mods/kit_test.lua:3: a player has no nmae; did you mean name?"},
		{"a variable", "variable{name = 'sv_speed'}", "test.set('sv_sped', 1)", "mods/kit_test.lua:2: unknown variable sv_sped; did you mean sv_speed?"},
		{"a command", "chat_command{name = 'give', run = function() end}", "test.say(test.join('ada'), '/giev')",
			"there is no command of the chat giev; did you mean give?"},
		{"no match", "", "local x = 1", "mods/kit_test.lua:1: test_it does not use the match"},
		{"a map too late", "", "test.join('ada')\ntest.map{'###', '#S#', '###'}",
			"mods/kit_test.lua:3: call test.map before the match begins, at the start of the test"},
		{"a map", "", "test.map{'###', '#?#', '###'}", "mods/kit_test.lua:2: row"},
		{"the dead", "", "local a, b = test.join('a', 'b')\nb:kill()\ntest.shoot(a, b)", "mods/kit_test.lua:4: test.shoot: the shooter or the target is dead"},
		{"chance", "", "test.join('ada')\nmath.random(3)", "a test cannot use math.random: every run of a test is the same"},
		{"another mod", "", "test.mods('kti')\ntest.join('ada')", "mods/kti.lua: file does not exist"},
		{"a wall", "", "test.map{'#########', '#S  #  S#', '#########'}\nlocal a, b = test.join('a', 'b')\ntest.expect(game.wall_between(a.pos, " +
			"b.pos), false)", "got true, want false"},

		{"the mod has an error", "function on_chat(m)\nm.text = nil .. 'x'\nend", "test.say(test.join('ada'), 'x')", "mods/kit.lua:2: "},
		{"the mod is too slow", "function on_tick()\nif game.tick() == 20 then while true do end end end", "test.join('ada')",
			"switched off: mods/kit.lua:2: too many steps; a loop without end?"},
		{"the mod is always slow", "function on_tick() for i = 1, 13000 do local x = i end end", "test.join('ada')",
			"switched off: mods/kit.lua: it uses more than 50000 steps in every tick"},
		{"the mod is wrong", "function on_tikc() end", "test.join('ada')", "mods/kit.lua:1: unknown hook on_tikc; did you mean on_tick?"},
	}...) {
		t.Run(c.name, func(t *testing.T) {
			tests := testConfig("function test_it()\n"+c.test+"\nend", map[string]string{"kit": c.mod})
			all, err := script.NewTests(tests)
			if err != nil {
				testenv.Check(t, strings.Contains(err.Error(), c.want), "%v", err)
				return
			}
			res := all.Run("test_it")
			testenv.Check(t, len(res.Failures) > 0 && strings.Contains(res.Failures[0], c.want), "%q, want %q", res.Failures, c.want)
		})
	}
}

// TestWrongTests loads invalid test files.
func TestWrongTests(t *testing.T) {
	for source, want := range map[string]string{
		"":                                  "mods/kit_test.lua: no function has a name that begins with test_",
		"function on_tick() end":            "mods/kit_test.lua:1: on_tick is a hook; a test file cannot have hooks",
		"variable{name = 'x'}":              "a test cannot use variable; use it in the mod",
		"test.join('ada')":                  "the match has not begun",
		"function test_x() test.jion() end": "mods/kit_test.lua:1: there is no test.jion; did you mean join?",
	} {
		_, err := script.NewTests(testConfig(source, nil))
		testenv.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %q", source, err, want)
	}
}

// moody is a game type that plays differently in every run.
type moody struct {
	dm.Mode
	times int32
}

func (m *moody) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.SetScore(m.times)
	}
}

// TestTestsReplay checks that a test fails if its match does not replay.
func TestTestsReplay(t *testing.T) {
	cfg := testConfig("function test_it() test.mode('moody') test.join('ada') end", map[string]string{"kit": ""})
	n := int32(0)
	cfg.Mode = func(string) (game.Mode, bool) { n++; return &moody{times: n}, true }
	res := testenv.Must(script.NewTests(cfg)).Run("test_it")
	testenv.Check(t, len(res.Failures) == 1 && strings.Contains(res.Failures[0], "when it is played again from its log"), "%q", res.Failures)
}

// TestManyScripts tests a game type and a mod together.
func TestManyScripts(t *testing.T) {
	tests := testenv.Must(script.NewTests(testConfig(`
test.mods("catch", "double")
function test_both()
  local ada, bob = test.join("ada", "bob")
  test.shoot(ada, bob)
  test.expect(bob.health, 8)
  test.expect(test.state("catch").caught, {bob})
  test.expect(ada.score, 7)
end`, map[string]string{
		"catch":  `mode{name = "CATCH"} state.caught = {} function on_damage_taken(d) state.caught[#state.caught + 1] = d.victim d.attacker:add_score(7) end`,
		"double": "function on_damage(d) d.amount = d.amount * 2 end",
	})))
	res := tests.Run("test_both")
	testenv.Check(t, len(res.Failures) == 0, "%q", res.Failures)
}
