package server_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
)

// raceConfig is ddraceConfig with files of operators for the map.
func raceConfig(resetFile, mapConfig string) server.Config {
	cfg := ddraceConfig()
	files := cfg.Files.(fstest.MapFS)
	files["reset.cfg"] = &fstest.MapFile{Data: []byte(resetFile)}
	files["maps/other.map"] = files["maps/race.map"]
	if mapConfig != "" {
		files["maps/race.cfg"] = &fstest.MapFile{Data: []byte(mapConfig)}
	}
	return cfg
}

func ddraceSettingsOf(t *testing.T, ts *testServer) ddrace.Settings {
	t.Helper()
	s, ok := ts.World().DDRaceSettings()
	testenv.Check(t, ok, "no world of DDRace")
	return s
}

// TestDDRaceSettings checks the settings of a DDRace world and of the one after it. They come from
// the configuration, the reset file, the file of the map, and commands.
func TestDDRaceSettings(t *testing.T) {
	cfg := raceConfig("tune gravity 0.4; tune hook_length 300; tune_reset hook_length; tune nosuch 3; "+
		"tune_zone 2 gravity 0.2; switch_open 3; sv_deepfly 0; sv_motd hi; mapbug grenade-doubleexplosion@ddnet.tw",
		"# of this map\ntune jetpack_strength 100\nsv_deepfly 1\n")
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; sv_team 2; tune jetpack_strength 500; "+
		"tune gravity 0.3; tune_zone 1 gravity 0.1; tune_zone_enter 1 \"a \\\"b\\\"; c\"; sv_tune_reset 0")
	s := ddraceSettingsOf(t, ts)
	got := []int32{s.Tuning[ddrace.Gravity], s.Tuning[ddrace.HookLength], s.Tuning[ddrace.JetpackStrength], s.Tuning[ddrace.GunSpeed],
		s.Zones[1][ddrace.Gravity], s.Zones[2][ddrace.Gravity], s.Deepfly, s.Team}
	testenv.Check(t, slices.Equal(got, []int32{40, 38000, 10000, 140000, 10, 20, 1, 2}) &&
		s.ZoneEnter[1] == `a "b"; c` && s.Open.Has(3) && s.DoubleExplosion, "settings %v, %q", got, s.ZoneEnter[1])
	testenv.Check(t, value(ts, "sv_motd") == "hi", "the reset file was not executed")
	m, err := twmap.Parse(ts.MapFile())
	testenv.NoError(t, err)
	testenv.Check(t, slices.Equal(m.Info.Settings, []string{"# of this map", "tune jetpack_strength 100", "sv_deepfly 1"}),
		"clients get the settings %q", m.Info.Settings)
	log := ts.Log.String()
	for _, line := range []string{"sv_map 'race' overrides the configuration: sv_deepfly is 1, not 0", "reset.cfg:1: No such tuning parameter: nosuch"} {
		testenv.Check(t, strings.Contains(log, line), "the log lacks %q:\n%s", line, log)
	}

	ts.Execute("tune hook_length 200; tune gravity 0.45; sv_team 3; sv_pauseable 1; " +
		"tune_zone 2 gravity 0.3; toggle_tune hammer_strength 1 2; switch_open 300; tune_zone_reset 1")
	ts.Step(2)
	s = ddraceSettingsOf(t, ts)
	got = []int32{s.Tuning[ddrace.HookLength], s.Tuning[ddrace.JetpackStrength], s.Tuning[ddrace.HammerStrength],
		s.Zones[2][ddrace.Gravity], s.Zones[1][ddrace.Gravity], s.Zones[1][ddrace.GunSpeed], s.Team}
	testenv.Check(t, slices.Equal(got, []int32{20000, 10000, 200, 30, 50, 220000, 3}), "after commands %v", got)

	change := func(settings string) ddrace.Settings {
		ts.Execute(settings)
		name := map[string]string{"race": "other", "other": "race"}[ts.Map().Name]
		ts.Execute("sv_map " + name)
		ts.Step(3)
		testenv.Check(t, ts.Map().Name == name, "%s is played", ts.Map().Name)
		return ddraceSettingsOf(t, ts)
	}
	s = change("")
	got = []int32{s.Tuning[ddrace.HookLength], s.Tuning[ddrace.Gravity], s.Tuning[ddrace.GunSpeed],
		s.Zones[1][ddrace.Gravity], s.Zones[2][ddrace.Gravity], s.Team, s.Pauseable, s.Deepfly}
	testenv.Check(t, slices.Equal(got, []int32{38000, 40, 140000, 10, 20, 2, 1, 0}), "on the next map %v", got)
	testenv.Check(t, !strings.Contains(ts.Log.String(), "did not run"), "variables of the reset file are said to be lost:\n%s", ts.Log)
	s = change("tune hammer_strength 3; sv_tune_reset 1; sv_ddrace_tune_reset 0; sv_team 3")
	got = []int32{s.Tuning[ddrace.HammerStrength], s.Team}
	testenv.Check(t, slices.Equal(got, []int32{100, 3}), "on the third map %v", got)
}

// TestFaultsOfConfiguredSettings checks that the log names the configuration or the reset file for
// a fault in a setting of theirs, and not the map.
func TestFaultsOfConfiguredSettings(t *testing.T) {
	cfg := raceConfig("tune gravity 88888888888; tune grenade_speed abc", "tune gravity 77777777777\nsv_team 9\n")
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; tune hook_drag_speed 99999999999")
	log := ts.Log.String()
	for _, line := range []string{
		`[server]: in the configuration, not in the map: "tune \"hook_drag_speed\" \"99999999999\"": the value is`,
		`[server]: in reset.cfg, not in the map: "tune \"gravity\" \"88888888888\"": the value is`,
		`[server]: sv_map 'race': map settings: "tune gravity 77777777777": the value is`,
		`[server]: sv_map 'race': map settings: "sv_team 9": the value is`,
		`tune: 'abc' is not a number`,
	} {
		testenv.Check(t, strings.Count(log, line) == 1, "the log lacks %q:\n%s", line, log)
	}
	testenv.Check(t, ddraceSettingsOf(t, ts).Tuning[ddrace.GrenadeSpeed] == ddrace.DefaultTuning()[ddrace.GrenadeSpeed], "a word is a speed")
}

// TestReloadedDDRaceSettings checks that a configuration that is read again counts for the next
// maps.
func TestReloadedDDRaceSettings(t *testing.T) {
	cfg := raceConfig("", "")
	files := cfg.Files.(fstest.MapFS)
	files["a.cfg"] = &fstest.MapFile{Data: []byte("tune gravity 0.4\nsv_team 2\n")}
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace", "exec a.cfg")
	files["a.cfg"] = &fstest.MapFile{Data: []byte("tune gravity 0.3\nsv_team 0\n")}
	server.ReloadNow(ts.Server, console.ReadConfiguration(files, []string{"sv_map race; sv_gametype ddrace", "exec a.cfg"}))
	ts.Step(2)
	check := func(when string) {
		s := ddraceSettingsOf(t, ts)
		testenv.Check(t, s.Tuning[ddrace.Gravity] == 30 && s.Team == 0, "%s: %d and sv_team %d", when, s.Tuning[ddrace.Gravity], s.Team)
	}
	check("reloaded")
	ts.Execute("tune gravity 1; sv_team 3; sv_map other")
	ts.Step(3)
	check("on the next map")
}
