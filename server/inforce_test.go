package server

import (
	"reflect"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	moddrace "github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server/console"
)

// printed returns what the console prints for a line.
func printed(ts *testServer, line string) string {
	before := len(ts.log.String())
	ts.srv.Execute(line)
	_, text, _ := strings.Cut(strings.TrimSpace(ts.log.String()[before:]), "]: ")
	return text
}

// TestRulesInForce checks, for all modes, that the console has the rules and the game type that the
// world has.
func TestRulesInForce(t *testing.T) {
	modes := append(builtin.Modes(), mode.Named{Name: "ddrace", New: moddrace.New})
	overruled := map[string]bool{}
	check := func(t *testing.T, ts *testServer) {
		t.Helper()
		c := testenv.Must(console.New(console.Config{}))
		want := Server{settings: ts.srv.settings}
		want.votes, want.mods, want.rules = newVotes(&want), newMods(&want), newRules(&want)
		testenv.NoError(t, want.settings.Register(c))
		testenv.NoError(t, want.votes.Register(c))
		testenv.NoError(t, want.mods.Register(c))
		testenv.NoError(t, want.rules.Register(c))
		want.votes.Settings = ts.srv.votes.Settings
		all := reflect.ValueOf(&want.settings).Elem()
		all.Set(reflect.ValueOf(ts.srv.settings))
		want.rules.Rules = ts.srv.world.Rules()
		want.mods.Settings = ts.srv.mods.Settings
		want.mods.Settings.GameType = ts.srv.mods.Played()
		for e, ok := c.Next("", console.Operator); ok; e, ok = c.Next(e.Name, console.Operator) {
			if allowed, _ := c.Values(e.Name); allowed == "" {
				continue
			}
			testenv.Check(t, ts.srv.console.Value(e.Name) == c.Value(e.Name), "%s is %s, in force is %s", e.Name, ts.srv.console.Value(e.Name), c.Value(e.Name))
			if ts.srv.console.Value(e.Name) != ts.srv.console.Configured(e.Name) {
				overruled[e.Name] = true
			}
		}
	}
	for _, mode := range modes {
		t.Run(mode.Name, func(t *testing.T) {
			cfg := ddraceConfig()
			ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype "+mode.Name+"; sv_player_slots 4; sv_timelimit 3")
			check(t, ts)
			ts.srv.Execute("sv_scorelimit 7; sv_max_clients 3")
			ts.step(2)
			check(t, ts)
			ts.srv.Execute("sv_inactivekick_time 5")
			ts.step(2)
			check(t, ts)
		})
	}
	t.Run("chosen by the map", func(t *testing.T) {
		cfg := ddraceConfig()
		cfg.ChooseMode = func(*game.Terrain) (string, string) { return "ddrace", "tiles of DDRace" }
		ts := newTestServerWith(t, cfg, "sv_map race")
		testenv.Check(t, printed(ts, "sv_gametype") == "Value: ddrace", "sv_gametype: %s", printed(ts, "sv_gametype"))
		check(t, ts)
		ts.srv.Execute("sv_gametype ctf") // for the next map
		testenv.Check(t, printed(ts, "sv_gametype") == "Value: ctf", "sv_gametype: %s", printed(ts, "sv_gametype"))
	})
	for _, name := range []string{"sv_scorelimit", "sv_inactivekick_time", "sv_gametype"} {
		testenv.Check(t, overruled[name], "%s is never overruled", name)
	}
}
