package server_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// printed returns the text that the console prints for a line.
func printed(ts *testServer, line string) string {
	_, text, _ := strings.Cut(strings.TrimSpace(ts.Console(line)), "]: ")
	return text
}

// TestVariablesInForce checks that the console has the settings of a map while it is played,
// whatever operators have set before, and theirs afterwards.
func TestVariablesInForce(t *testing.T) {
	var settings []string
	for _, v := range ddrace.Variables() {
		value := v.Max
		if value == v.Default {
			value = v.Min
		}
		settings = append(settings, fmt.Sprintf("%s %d", v.Name, value))
	}
	cfg := raceConfig("", strings.Join(settings, "\n"))
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; sv_freeze_delay 7")
	check := func(when string) {
		t.Helper()
		s := ddraceSettingsOf(t, ts)
		for _, v := range ddrace.Variables() {
			want := fmt.Sprint(*v.Field(&s))
			testenv.Check(t, printed(ts, v.Name) == "Value: "+want && ts.Language().Value(v.Name) == want,
				"%s: the console has %q and %s, in force is %s", when, printed(ts, v.Name), ts.Language().Value(v.Name), want)
		}
	}
	check("with the map's settings")
	testenv.Check(t, ts.Language().Value("sv_freeze_delay") == "30" && ts.Language().Value("sv_hit") == "0" &&
		ts.Language().Value("sv_team") == "3", "the map has set nothing")
	saved := string(ts.Language().AppendConfig(nil))
	testenv.Check(t, strings.Contains(saved, "sv_freeze_delay 7\n") && !strings.Contains(saved, "sv_hit"), "saved is:\n%s", saved)

	ts.Execute("sv_freeze_delay 4; toggle sv_hit 0 1; toggle sv_team 3 2")
	for name, want := range map[string]string{"sv_freeze_delay": "4", "sv_hit": "1", "sv_team": "2"} {
		testenv.Check(t, ts.Language().Value(name) == want, "%s is %s at once", name, ts.Language().Value(name))
	}
	ts.Step(2)
	check("after commands")
	s := ddraceSettingsOf(t, ts)
	testenv.Check(t, s.FreezeDelay == 4 && s.Hit == 1 && s.Team == 2, "the game has not followed: %+v", s)

	ts.Execute("sv_map other")
	ts.Step(3)
	check("on a map without settings")
	testenv.Check(t, ts.Language().Value("sv_freeze_delay") == "4" && ts.Language().Value("sv_solo_server") == "0",
		"the next map has settings of the one before")
	ts.Execute("sv_map race")
	ts.Step(3)
	check("on the map again")
}

// TestSettingsInFileInForce is TestVariablesInForce with a map that has its settings in its file.
func TestSettingsInFileInForce(t *testing.T) {
	cfg := raceConfig("", "")
	cfg.Files.(fstest.MapFS)["maps/badset.map"] = &fstest.MapFile{Data: testenv.Must(os.ReadFile("testdata/badset.map"))}
	ts := newTestServerWith(t, cfg, "sv_map badset; sv_gametype ddrace")
	for _, want := range []string{"2 0", "1 1"} {
		got := strings.ReplaceAll(printed(ts, "sv_team")+" "+printed(ts, "sv_hit"), "Value: ", "")
		testenv.Check(t, got == want, "sv_team and sv_hit on %s: %s, want %s", ts.Map().Name, got, want)
		ts.Execute("sv_map other")
		ts.Step(3)
	}
}

// TestTilesInForce checks that the console has what tiles of a map set.
func TestTilesInForce(t *testing.T) {
	const oldLaser, noHit, endlessDrag = 71, 74, 73
	ts := newTestServerWith(t, ddraceConfig(func(g *twmap.TileLayer) {
		for i, tile := range []uint8{oldLaser, noHit, endlessDrag} {
			g.Set(3+i, 3, tile, 0)
		}
	}), "sv_map race; sv_gametype ddrace")
	s := ddraceSettingsOf(t, ts)
	for _, name := range []string{"sv_old_laser", "sv_hit", "sv_endless_drag"} {
		x, _ := s.Value(name)
		testenv.Check(t, printed(ts, name) == fmt.Sprint("Value: ", x), "%s: %s, in force is %d", name, printed(ts, name), x)
	}
	testenv.Check(t, s.Hit == 0 && s.OldLaser == 1 && s.EndlessDrag == 1, "the tiles do nothing: %+v", s)
}

// TestTuningInForce checks that the console has the standard tuning in a mode that allows no other,
// also if the next one does.
func TestTuningInForce(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.Execute("sv_gametype mod; tune gravity 0.25")
	ts.Step(2)
	testenv.Check(t, printed(ts, "tune gravity") == "gravity 0.50" && strings.Contains(printed(ts, "tunes"), "gravity 0.50"),
		"the console has %s", printed(ts, "tune gravity"))
	ts.Execute("reload")
	ts.Step(3)
	testenv.Check(t, printed(ts, "tune gravity") == "gravity 0.25" && ts.World().Tuning()[physics.Gravity] == 25,
		"the console has %s, the world %d", printed(ts, "tune gravity"), ts.World().Tuning()[physics.Gravity])
}

// modestMod sets its own variable.
type modestMod struct{ most int32 }

func (m *modestMod) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "modest_most", Help: "At most 5", Value: &m.most, Max: 9, Changed: func(*game.Ctx) { m.most = min(m.most, 5) }})
}

// TestModsVariablesInForce checks that the console has what a mod has made of its variable.
func TestModsVariablesInForce(t *testing.T) {
	ts := newTestServerWith(t, server.Config{Files: fstest.MapFS{}, Mods: []func() game.Mod{func() game.Mod { return new(modestMod) }}}, "")
	var seen []string
	for _, line := range []string{"modest_most 3", "modest_most 8"} {
		ts.Execute(line)
		seen = append(seen, printed(ts, "modest_most"))
		ts.Step(2)
		seen = append(seen, printed(ts, "modest_most"))
	}
	testenv.Check(t, slices.Equal(seen, []string{"Value: 3", "Value: 3", "Value: 8", "Value: 5"}), "the console has %q", seen)
}
