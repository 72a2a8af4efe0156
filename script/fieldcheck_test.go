package script

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestUnknownFields loads scripts with unknown fields, which is an error. In logs of version 1 they
// are nil.
func TestUnknownFields(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"function on_tick() game.sya('x') end", "mods/test.lua:1: there is no game.sya; did you mean say?"},
		{"function on_tick()\nif false then\nlocal x = math.foor(1) end end", "mods/test.lua:3: there is no math.foor; did you mean floor?"},
		{"function on_tick() store.fetch('x') end", "mods/test.lua:1: there is no store.fetch"},
		{"function on_tick() string.frmat('x') end", "mods/test.lua:1: there is no string.frmat; did you mean format?"},
		{"function on_tick() local t = table.insrt end", "mods/test.lua:1: there is no table.insrt; did you mean insert?"},
		{"local x = game['sya']", "mods/test.lua:1: there is no game.sya; did you mean say?"},
		{"local g = game local x = g.sya", "there is no game.sya; did you mean say?"},
		{"function game.twice(n) return 2 * n end function on_tick() state.n = game.twice(2) end", ""},
		{"math.sign = function(x) return x < 0 and -1 or 1 end state.n = math.sign(3)", ""},
		{"local game = {} state.n = game.sya == nil", ""},
		{"local function f(game) return game.sya end state.n = f{} == nil", ""},
		{"state.n = rawget(game, 'sya') == nil", ""},
		{"state.n = game.max_players", ""},
	} {
		_, err := New(Config{Name: "mods/test.lua", Source: c.source})
		if c.want == "" {
			testenv.Check(t, err == nil, "%s: %v", c.source, err)
		} else {
			testenv.Check(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %s", c.source, err, c.want)
		}
	}
	_, err := New(Config{Name: "mods/test.lua", Source: "function on_tick() if game.sya then game.sya() end end state.n = math.foor == nil", Costs: firstCosts})
	testenv.Check(t, err == nil, "with the costs of version 1: %v", err)
}

// TestUnknownFieldsInUse reads unknown fields that only the running script reveals: an error at the
// first use.
func TestUnknownFieldsInUse(t *testing.T) {
	for source, want := range map[string]string{
		"function on_tick() local g = game g.sya('x') end":                        "there is no game.sya; did you mean say?",
		"function on_tick() for k in pairs{sya = 1} do game[k]('x') end end":      "there is no game.sya; did you mean say?",
		"function on_tick() for p in players() do state.n = p.nmae end end":       "a player has no nmae; did you mean name?",
		"function on_tick() for p in players() do p.helth = 3 end end":            "a player has no helth; did you mean health?",
		"function on_tick() state.n = ('x'):uper() end":                           "there is no string.uper; did you mean upper?",
		"local v = variable{name = 'v'} function on_tick() state.n = v.valeu end": "a variable has no valeu; did you mean value?",
		"local k = entity_kind{name = 'k', tick = function(e) e.psos = nil end} " +
			"function on_tick() k:spawn{pos = {x = 99, y = 99}} end": "an entity has no psos; did you mean pos?",
	} {
		w := newWorld(t, source)
		w.join(1)
		w.run(5)
		testenv.Check(t, strings.Contains(strings.Join(w.logs, "\n"), want), "%s: %q, want %s", source, w.logs, want)
	}
}
