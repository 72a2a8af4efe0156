package script

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// play runs a script in a short match and returns the hash of the world, or 0 if the script does
// not load.
func play(t testing.TB, source string) uint64 {
	cfg := Config{Name: "mods/fuzz.lua", Source: source}
	mod, err := New(cfg)
	mode, mods, reload := game.Mode(dm.Mode{}), []game.Mod{mod}, int32(0)
	if errors.Is(err, errIsMode) {
		m, isMode := NewMode(cfg)
		if err = isMode; err == nil {
			mod, mode, mods, reload = &m.Mod, m, nil, game.ReloadMode
		}
	}
	if err != nil {
		return 0
	}
	rules := game.DefaultRules()
	rules.SpamProtection = false
	w, err := game.New(game.Config{Terrain: terrain(), Mode: mode, Mods: mods, Rules: rules, Seed: 1})
	if err != nil {
		return 0
	}
	tw := testWorld{World: w, mod: mod}
	tw.join(2)
	tw.run(30)
	tw.say("run")
	tw.Step([]game.Command{{Kind: game.CmdKill, Player: 1}, {Kind: game.CmdReload, Value: reload, Text: source + " "}})
	tw.run(30)
	state := mod.AppendState(nil)
	if err := mod.RestoreState(state); err != nil {
		t.Fatalf("%v: %q", err, state)
	}
	return w.Hash()
}

// FuzzScript plays arbitrary sources. They must not panic or hang, and two runs must give the same
// hash.
func FuzzScript(f *testing.F) {
	for _, name := range testenv.Must(filepath.Glob("../examples/lua/*.lua")) {
		f.Add(string(testenv.Must(os.ReadFile(name))))
	}
	for _, source := range []string{
		"function on_tick() for p in players() do p:damage(1) end end",
		"function on_chat(m) local t = setmetatable({}, {__index = function(t, k) return k .. k end, __len = function() return 3 end}) state.x = #t + " +
			"t.a:len() ^ 2 end",
		"function on_spawn(p) after(5, 'f', p) end function f(p) p:kill() state[p] = {1, 2, x = 'y', [true] = 1.5} end",
		"local s = ('x'):rep(100) function on_tick() state.s = s:gsub('x+', '%0%0'):sub(1, 9) .. string.format('%5.1f %q', 1/3, 'a') end",
		"function on_damage(d) d.amount, d.force = d.amount * 2, {x = 1, y = -1} return false end goto done ::done::",
		"local t = {} for i = 1, 9 do t[i] = function(...) return select('#', ...) end end function on_tick() state.n = t[3](1, 2, nil) end",
		"function on_tick() table.sort(state.t or {3, 1, 2}, function(a, b) return true end) state.t = {5, 4, table.unpack({1, 2})} end",
		"mode{name = 'A', like = 'lms'} function on_death(d) return false end function round_over() return game.tick() > 40 end function " +
			"pick_spawn(p) return {x = 99, y = 99} end",
		"mode{name = 'B', teams = true, flags = true} function on_start() game.place_flag('red', {x = 99, y = 99}) end function check_win() return 'tied' end",
		"while true do end", "function on_tick() error({}) end", "return function() return -- comment",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if a, b := play(t, source), play(t, source); a != b {
			t.Fatalf("hashes %x and %x", a, b)
		}
	})
}

// FuzzRestoreState restores arbitrary bytes. A state that is accepted must be the same when saved
// again.
func FuzzRestoreState(f *testing.F) {
	const source = "state.t = {} function f() end function on_tick() after(5, 'f', player(0)) state.t[#state.t + 1] = {x = 1.5, y = 'z', [true] = " +
		"player(0)} end"
	w := newWorld(f, source)
	w.join(1)
	for range 5 {
		w.run(2)
		f.Add(w.mod.AppendState(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		mod := testenv.Must(New(Config{Name: "mods/test.lua", Source: source}))
		if mod.RestoreState(b) != nil {
			return
		}
		once := mod.AppendState(nil)
		if err := mod.RestoreState(once); err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		if twice := mod.AppendState(nil); string(twice) != string(once) {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}
