package script

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// notForScripts lists the hooks and methods of the API that scripts lack, with the replacement or
// the reason.
var notForScripts = map[string]string{
	"State": "the table state",

	"After": "the function after", "Timer": "the function after", "StopTimer": "the function after", "TicksLeft": "the function after",
	"Print":      "the function print",
	"RespawnNow": "p:respawn of who is dead", // Respawn does the same
	"SetFlags":   "p:set_flag, one at a time",

	"PlayerNamed":     "a loop over players() that compares p.name",
	"SetTeamSilently": "p.team = t, of which clients show a line",

	"DDRace": "sv_gametype ddrace", "SetDDRaceOptions": "sv_gametype ddrace", "SendRecords": "sv_gametype ddrace", "AFK": "sv_gametype ddrace",
	"Pause": "sv_gametype ddrace", "SetPause": "sv_gametype ddrace", "ShowAll": "sv_gametype ddrace", "SetShowAll": "sv_gametype ddrace",
	"ShowOthers": "sv_gametype ddrace", "SetShowOthers": "sv_gametype ddrace", "SpecTeam": "sv_gametype ddrace", "SetSpecTeam": "sv_gametype ddrace",
	"SetHideClock": "sv_gametype ddrace", "NoteDDRace": "sv_gametype ddrace", "SetDDRaceSettings": "sv_gametype ddrace", "Camera": "sv_gametype " +
		"ddrace", "Watch": "sv_gametype ddrace", "Watches": "sv_gametype ddrace",
	"Rank": "sv_gametype race",

	// Races are a game type of the program.
	"Race": "sv_gametype race", "SetRace": "sv_gametype race", "StartRace": "sv_gametype race", "StopRace": "sv_gametype race",
	"SendCheckpoint": "sv_gametype race", "SendRaceFinish": "sv_gametype race",
}

// TestHooksAreOfTheGame checks that scripts have the hooks of package game and no others.
func TestHooksAreOfTheGame(t *testing.T) {
	hooks := game.Hooks()
	for _, method := range hookMethods[hookReload+1:] {
		if !slices.ContainsFunc(hooks, func(h game.HookInfo) bool { return h.Method == method }) {
			t.Errorf("the game has no %s", method)
		}
	}
	mod := reflect.TypeFor[*Mod]()
	for _, h := range hooks {
		_, bound := mod.MethodByName(h.Method)
		checkBound(t, h.Method, bound)
	}
}

// checkBound checks that scripts have a hook or method, or that notForScripts has it.
func checkBound(t *testing.T, name string, bound bool) {
	t.Helper()
	switch why, excepted := notForScripts[name]; {
	case !bound && !excepted:
		t.Errorf("scripts do not have %s: bind it, or say in notForScripts why not", name)
	case bound && excepted:
		t.Errorf("scripts have %s, which notForScripts says they do not: %s", name, why)
	}
}

// TestMethodsAreBound checks that this package uses every method of the API for mods.
func TestMethodsAreBound(t *testing.T) {
	used := map[string]bool{}
	files := testenv.Must(filepath.Glob("*.go"))
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file := testenv.Must(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x := types.ExprString(s.X)
			switch {
			case strings.HasPrefix(x, "tx."), strings.HasPrefix(x, "v.tx."),
				slices.Contains([]string{"tx", "v.tx", "setup", "p", "game.Player", "(*game.Tx)"}, x):
				used[s.Sel.Name] = true
			}
			return true
		})
	}
	methods := map[string]bool{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*game.Setup](), reflect.TypeFor[game.Player](), reflect.TypeFor[game.Camera](), reflect.TypeFor[game.Map](),
		reflect.TypeFor[game.Match](), reflect.TypeFor[game.Flag](), reflect.TypeFor[game.Effects](),
	} {
		for i := range typ.NumMethod() {
			methods[typ.Method(i).Name] = true
		}
	}
	for name := range methods {
		checkBound(t, name, used[name])
	}
	for name := range notForScripts {
		if !methods[name] && !slices.ContainsFunc(game.Hooks(), func(h game.HookInfo) bool { return h.Method == name }) {
			t.Errorf("notForScripts has %s, which does not exist", name)
		}
	}
}

// TestWordsHaveValues checks that every value that the game returns has a word.
func TestWordsHaveValues(t *testing.T) {
	for w := game.WeaponGame; w < game.NumWeapons; w++ {
		if weaponNames.words[w].IsNil() {
			t.Errorf("weapon %d has no word", w)
		}
	}
	for k := game.PickupHealth; k <= game.PickupHammer; k++ {
		if pickupNames.words[k].IsNil() {
			t.Errorf("pickup %d has no word", k)
		}
	}
	for s := game.SoundGunFire; s <= game.SoundMenu; s++ {
		if soundNames.words[s].IsNil() {
			t.Errorf("sound %d has no word", s)
		}
	}
}

// TestAPI evaluates expressions in a hook, for player a beside player b.
func TestAPI(t *testing.T) {
	for _, c := range []struct{ run, want string }{
		{"p.id, p.name, p.connected, p.team, p.score, p.alive, p.in_round, p.grounded, p.hooked", "0 a true red 0 true true true nil"},
		{"player(1).name, player(2), player(0) == p, tostring(p)", "b nil true player 0"},
		{"type(p.pos.x), p.x == p.pos.x, p.vel.x", "number true 0.0"},
		{"p.health, p.armor, p.weapon, p:ammo('gun'), p.frozen, p.npc", "10 0 gun 10 0 nil"},
		{"game.ticks_per_second, game.warmup(), game.score_limit(), game.team_size('red'), game.tile{x = 0, y = 0}", "50 false 20 2 1"},
		{"#game.find_tiles(1), #game.players_near(p.pos, 10), game.nearest_player(p.pos, 10).name", "60 1 a"},
		{"game.raycast({x = 100, y = 100}, {x = -100, y = 100}).wall, game.raycast({x = 100, y = 100}, {x = 101, y = 100})", "true nil"},
		{"game.wall_between(p.pos, player(1).pos), game.flag('red')", "false nil"},
		{"p:has_weapon('laser'), p:give_weapon('laser'), p:has_weapon('laser'), p:ammo('laser')", "false true true 10"},
		{"p:freeze(50), p.frozen > 40, p:unfreeze(), p.frozen", "true true true 0"},
		{"p:heal(1), p:give_armor(3), p.armor, p:has_flag('solo')", "false true 3 false"},
		{"bonus.value, name.value", "5 x"},
		{"(function() p.score = 7 p:add_score(2) p.health = 3 p.armor = 4 p.vel = {x = 1, y = 0} end)(), p.score, p.health, p.armor, p.vel.x", "nil 9 3 4 1.0"},
		{"(function() p:set_flag('solo') p:disable_controls('move') p:set_tuning{gravity = 0.1} p:emote('happy', 50) p:push{x = 0, y = -1} end)(), " +
			"p:has_flag('solo')", "nil true"},
		{"(function() p:set_flag('solo', false) p:set_tuning() p:set_color(0) p:reset_skin() p:show_to(p) p:refill_jump() p:release_hooks() " +
			"p:set_ammo('gun', 3) end)(), p:ammo('gun')", "nil 3"},
		{"game.spawn_pickup('health', p.pos), game.spawn_projectile{weapon = 'grenade', pos = p.pos, dir = {x = 1, y = 0}} ~= nil, " +
			"game.spawn_laser(p, p.pos, {x = 1, y = 0}) ~= nil", "1 true true"},
		{"ball:spawn{pos = p.pos, owner = p} ~= nil, game.add_npc{name = 'boss'}, game.remove(99)", "true true false"},
		{"(function() game.sound(p.pos, 'die') game.explode(p.pos) game.show_spawn(p.pos) game.show_death(p.pos, p, {p}) game.broadcast('x') end)()", ""},
		{"p.x == p.pos.x and 1 or 2, math.type(p.id), math.random(5) <= 5, math.random() < 1", "1 integer true true"},
		{"p:tuning('gravity'), p:visible_to(player(1)), p:controls_disabled('move', 1), (function() p:disable_controls('move') p:show_to(p) end)(), " +
			"p:visible_to(player(1)), p:controls_disabled('move')", "0.5 true false nil false true"},
		{"p.jumps, (function() p.jumps = 4 end)(), p.jumps", "2 nil 4"},
		{"game.map_width(), game.map_height(), game.layers{x = 0, y = 0}.game, game.layers(p.pos).tele_number, p:set_input{fire = true}, " +
			"p:set_npc_skill(2)", "20 12 1 0 false"},
		{"(function() game.flag_message('grab', 'blue', p) game.flag_message('capture', 'red', p, 50, 'red') game.show_damage(p.pos, p, 1.5, 3, " +
			"'blue') end)()", ""},
		{"game.flag_message('grap', 'blue')", "want drop, return, grab or capture"},
		{"game.sound(p.pos, 'die', 'rde')", "want a team"},
		{"p:tuning('gravty')", "gravty"},
		{"(function() ball:spawn{pos = p.pos, owner = p} ball:spawn{pos = p.pos, owner = player(1)} local n, last = 0 ball:each(function(e) n = n + 1 " +
			"last = e.owner e:remove() ball:spawn{pos = p.pos} end) ball:each(function(e) n = n + 10 end) return n, last.name end)()", "22 b"},
		{"(function() local kept ball:spawn{pos = p.pos} ball:each(function(e) kept = e end) return kept.pos end)()", "can be used"},
		{"p.heath", "mods/test.lua:8: a player has no heath; did you mean health?"},
		{"p:give_weapon('hamer')", "argument #2 is \"hamer\", want a weapon; did you mean hammer?"},
		{"p.heal(5)", "argument #1 is 5, want a player; methods are called with a colon, as in p:kill()"},
		{"p.name()", "attempt to call"},
		{"(function() p.name = 'x' end)()", "name of a player cannot be set"},
		{"(function() p.score = 1.5 end)()", "argument #3 is 1.5, want a whole number"},
		{"game.explode(1)", "argument #1 is 1, want a position such as {x = 1, y = 2}"},
		{"game.explode{x = 0/0, y = 1}", "want a number"},
		{"p:set_tuning{gravty = 1}", "gravty"},
		{"game.spawn_projectile{wepon = 'gun'}", "there is no field wepon; did you mean weapon?"},
		{"m:show(p, {'a', 'b'}), v:start('all?', p), v:start('again?'), v:stop(), p:hide_menu()", "nil true false nil"},
		{"(function() p:broadcast('x') p:motd('y') p:screen_text('z') game.kill_feed(p, player(1), 'laser') end)()", ""},
		{"store.put('key', 'x'), store.get('key'), store.add('wins', p.name, 1), store.top('wins', 5), store.put_best('times', 'a', 1234, '', true)",
			"1 2 3 4 5"},
		{"store.put(('x'):rep(65), 'x')", "a name or value is too long for the store"},
		{"store.add('wins', 'a', 'b')", "argument #3 is \"b\", want a whole number"},
		{"variable{name = 'late'}", "declarations are for the file itself"},
	} {
		w := newWorld(t, `
local bonus = variable{name = "bonus", default = 5, min = 0, max = 10}
local name = variable{name = "title", default = "x"}
local ball = entity_kind{name = "ball", tick = function(e) e:move(20, 0.5) end, draw = function(e, d) d:pickup(1, "health", e.pos) end}
local m = menu{name = "classes", run = function(p, line) game.say(p.name .. " chose " .. line) end}
local v = vote{name = "all", run = function(passed) game.say(tostring(passed)) end}
function on_chat(msg) if msg.text ~= "run" then return end local p = msg.from
  local all = table.pack(`+c.run+`)
  for i = 1, all.n do all[i] = tostring(all[i]) end
  game.say(table.concat(all, " "))
end`)
		w.join(2)
		w.run(60)
		got := w.say("run")
		if len(w.logs) > 0 {
			got = w.logs[0]
		}
		if got != c.want && (len(w.logs) == 0 || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.run, got, c.want)
		}
		w.run(20)
		if len(w.logs) > 0 && !strings.Contains(w.logs[0], c.want) {
			t.Errorf("%s: %q", c.run, w.logs)
		}
	}
}

// TestDeclarations uses everything that a script can declare.
func TestDeclarations(t *testing.T) {
	w := newWorld(t, `
local bonus = variable{name = "bonus", default = 5, max = 10, help = "hearts"}
chat_command{name = "add", params = "i[number] ?s[word]", help = "adds", run = function(p, n, word)
  return p.name .. " " .. n + 1 .. " " .. tostring(word)
end}
console_command{name = "greet", params = "r[text]", run = function(p, text) game.say(tostring(p) .. text .. bonus.value) end}
function later(p, n) game.say("later " .. p.name .. n) end
chat_command{name = "wait", run = function(p) after(10, "later", p, 7) end}
`)
	w.join(2)
	w.run(10)
	say := func(cmds ...game.Command) string {
		var said []string
		for _, e := range w.Step(cmds) {
			if e.Kind == game.EvChat && e.Player == game.Nobody {
				said = append(said, e.Text)
			}
		}
		return strings.Join(said, "|")
	}
	if got := say(game.ChatCommand(1, "add", "41", "x")); got != "b 42 x" {
		t.Errorf("add: %q %v", got, w.logs)
	}
	if got := say(game.SetVariable("bonus", "8"), game.ConsoleCommand(game.Nobody, "greet", "hi ")); got != "nilhi 8" {
		t.Errorf("greet: %q %v", got, w.logs)
	}
	w.run(50)
	say(game.ChatCommand(0, "wait"))
	for i := 1; i <= 10; i++ {
		want := ""
		if i == 9 { // a command runs before the hooks of its tick
			want = "later a7"
		}
		if got := say(); got != want {
			t.Errorf("%d ticks later: %q, want %q", i, got, want)
		}
	}
	if len(w.logs) > 0 {
		t.Errorf("log: %q", w.logs)
	}
}

// TestStore stores values and reads them.
func TestStore(t *testing.T) {
	w := newWorld(t, `
function on_enter() store.top("wins", 5) end
function on_stored(a)
  game.say(a.op .. " " .. a.key .. " " .. tostring(a.found) .. " " .. a.value .. " " .. #a:rows())
  for _, r in ipairs(a:rows()) do game.say(r.name .. r.score .. r.value) end
end`)
	w.join(1)
	var said []string
	for _, space := range []string{"test", "other"} {
		a := game.StoreAnswer{ID: 1, Op: game.StoreTop, Space: space, Key: "wins", Found: true, Value: "v", Rows: []game.Row{{Name: "a", Score: 3, Value: "x"}}}
		for _, e := range w.Step([]game.Command{a.Command()}) {
			if e.Kind == game.EvChat {
				said = append(said, e.Text)
			}
		}
	}
	if want := []string{"top wins true v 1", "a3x"}; !slices.Equal(said, want) || len(w.logs) > 0 {
		t.Errorf("%q, want %q; %q", said, want, w.logs)
	}
}
