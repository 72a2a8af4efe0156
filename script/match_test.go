package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// verify plays a match with a script and replays it from its log and its saved states.
func verify(t *testing.T, m modtest.Match, name, source string) (log string) {
	t.Helper()
	m.Mods = []func() game.Mod{func() game.Mod {
		return testenv.Must(script.New(script.Config{Name: name, Source: source, Log: func(text string) { log += text + "\n" }}))
	}}
	m.VerifyReplay(t)
	return log
}

// TestExamples plays the examples.
func TestExamples(t *testing.T) {
	testenv.OneGoroutine(t)
	files := append(testenv.Must(filepath.Glob("../examples/lua/*.lua")), "testdata/potato.lua")
	if len(files) < 5 {
		t.Fatalf("%d examples", len(files))
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			source := string(testenv.Must(os.ReadFile(f)))
			if strings.Contains(source, "\nmode{") {
				modtest.Match{Ticks: 500, Mode: newMode(t, source)}.VerifyReplay(t)
				return
			}
			log := verify(t, modtest.Match{Ticks: 500}, filepath.Base(f), source)
			testenv.Check(t, log == "", "%s", log)
		})
	}
}

// TestMatches plays scripts with operations that could make replays differ. Some scripts are
// switched off.
func TestMatches(t *testing.T) {
	testenv.OneGoroutine(t)
	testenv.Long(t)
	for _, c := range []struct{ name, source, log string }{
		{"order", `
state.list = {}
function on_tick()
  local t = {}
  for i = 1, 20 do t["k" .. math.random(1000)] = i; t[math.random(50)] = true; t[i * 7] = nil end
  for p in players() do t[p] = p.score end
  local n = 0
  for k, v in pairs(t) do n = (n * 31 + #tostring(k) + #tostring(v)) % 1000003 end
  state.list[#state.list % 50 + 1] = n
  state.length = #t
  state.first = next(t)
  state.text = tostring(t) .. tostring(print)
end`, ""},
		{"numbers", `
function on_tick()
  local x = game.tick() / 7
  state.a = math.sin(x) + math.cos(x) * math.tan(x) + math.atan(x, 3)
  state.b = x ^ 2.5 + math.exp(-x) + math.log(x + 1) + x ^ 3 + 2 ^ -x
  state.c = x // 3 + x % 2.5 + math.floor(x) + math.fmod(x, 3)
  state.d = string.format("%5.2f %s %d", x, x, game.tick()) .. x
  state.e = 0/0
  state.f = state.f or 1
  state.f = state.f * 1.0000001
end`, ""},
		{"timers", `
state.fired = 0
function on_spawn(p) after(math.random(200), "fire", p, game.tick()) end
function fire(p, since) state.fired = state.fired + 1; state[p] = since; if p.alive then p:damage(1) end end`, ""},
		{"sort", `
function on_tick()
  local t = {}
  for i = 1, 30 do t[i] = {n = math.random(10), i = i} end
  table.sort(t, function(a, b) return a.n < b.n end)
  state.order = t
end`, ""},
		{"errors", `
state.n = 0
function on_tick()
  state.n = state.n + 1
  local ok, message = pcall(function() local t = nil; return t.x end)
  state.message = message
  if state.n % 50 == 0 then error("now and then") end
end`, "errors.lua:7: now and then"},
		{"runaway", `
state.n = 0
function on_tick()
  state.n = state.n + 1
  if state.n == 150 then while true do state.n = state.n + 1 end end
end`, "switched off: mods/runaway.lua:4: too many steps"},
		{"hungry", `
state.n = 0
function on_tick() state.n = state.n + 1 for i = 1, state.n * 3000 do local x = {} end end`, "switched off: mods/hungry.lua:3: too many steps"},
		{"draws", `
local k = entity_kind{name = "k", draw = function(e, d) for i = 1, 100 do local x = {} end d:pickup(1, "armor", e.pos) end}
function on_spawn(p) k:spawn{pos = p.pos, owner = p} end
function on_chat(m) for i = 1, 1000 do state.n = i end end`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := verify(t, modtest.Match{Ticks: 300}, "mods/"+c.name+".lua", c.source)
			testenv.Check(t, strings.Contains(log, c.log) && (c.log != "" || log == ""), "%s", log)
		})
	}
}

// TestTools fires the weapons of the example tools.lua.
func TestTools(t *testing.T) {
	source := string(testenv.Must(os.ReadFile("../examples/lua/tools.lua")))
	mod := testenv.Must(script.New(script.Config{Name: "tools.lua", Source: source}))
	w := modtest.New(t, game.Config{Mods: []game.Mod{mod}, Terrain: modtest.ParseMap(nil,
		"################",
		"#              #",
		"#              #",
		"#              #",
		"#  S   S       #",
		"################",
	)})
	w.Play(0, 1)
	from := w.Pos(0)
	w.Hold(0, game.Input{TargetY: 100})
	w.Fire(0, 10)
	testenv.Check(t, w.Pos(0).Y < from.Y-10 && len(w.Frame().Projectiles) == 0, "the gun is no jetpack: at %v, %+v", w.Pos(0), w.Frame().Projectiles)
	w.Run(60)
	w.Hold(0, game.Input{TargetX: 100, TargetY: -10, WantedWeapon: int32(game.WeaponLaser) + 1})
	w.Run(5)
	w.Fire(0, 3)
	testenv.Check(t, w.Pos(0).X > from.X+100 && w.Tee(0).Ammo == 2 && len(w.Frame().Lasers) == 0, "the laser takes nobody anywhere: at %v, %d rounds",
		w.Pos(0), w.Tee(0).Ammo)
}

// TestFinish checks the data of a race and its finish in a script.
func TestFinish(t *testing.T) {
	mod := testenv.Must(script.New(script.Config{Name: "finish", Source: `
function on_tick()
  for p in players() do
    if p.race_time == 100 then game.say(p.name .. " runs") end
    if p.race_time == nil and p.alive then state.stands = true end
  end
end
function on_finish(f)
  game.say(string.format("%s %d %d %s %s", f.player.name, f.time, f.diff, f.record, tostring(f.player.race_time)))
  f.player:kill()
end`, Log: func(text string) { t.Error(text) }}))
	w := modtest.New(t, game.Config{Mode: new(race.Mode), Mods: []game.Mod{mod}, Terrain: modtest.ParseMap(nil,
		"############",
		"#S >    <  #",
		"############")})
	w.Play(0)
	w.Hold(0, game.Input{Direction: 1, TargetX: 1})
	var told []string
	for _, e := range w.Run(100) {
		if e.Kind == game.EvChat && e.Player == game.Nobody {
			told = append(told, e.Text)
		}
	}
	testenv.Require(t, len(told) >= 2, "told %q", told)
	testenv.Check(t, told[0] == "player 0 runs" && regexp.MustCompile(`^player 0 [1-9]\d\d 0 all nil$`).MatchString(told[1]), "told %q", told)
}

// TestLoadsBesideEachOther loads scripts in several goroutines, as servers in one process do. The
// race detector is its check.
func TestLoadsBesideEachOther(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := script.New(script.Config{Name: "mods/test.lua", Source: `function on_tick() end`})
			testenv.Check(t, err == nil, "%v", err)
		})
	}
	all.Wait()
}
