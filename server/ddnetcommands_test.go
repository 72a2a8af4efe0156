package server_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/storage"
)

// TestUnmute checks that a mute is ended by its number in the list.
func TestUnmute(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.Execute("muteip 20.0.0.1 60; muteip 20.0.0.2 60")
	ts.Log.Reset()
	ts.Execute("unmute 5; unmute -1; unmute 0; mutes; mute")
	lines := strings.Split(strings.TrimSpace(ts.Log.String()), "\n")
	testenv.Check(t, slices.Equal(lines, []string{
		"[mutes]: mute 5 does not exist; mutes lists the mutes", "[mutes]: mute -1 does not exist; mutes lists the mutes", "[mutes]: unmuted addr=20.0.0.1",
		"[mutes]: 0: addr=20.0.0.2 seconds=60", "[mutes]: use 'muteid ID SECONDS [REASON]' or 'muteip ADDRESS SECONDS [REASON]'",
	}), "printed %q", lines)
}

// TestRandomMap checks to which of the maps that players may vote for random_map changes.
func TestRandomMap(t *testing.T) {
	cfg := ddraceConfig()
	files := cfg.Files.(fstest.MapFS)
	for _, name := range []string{"one", "two", "three"} {
		files["maps/"+name+".map"] = files["maps/race.map"]
	}
	ranks := fakeRanks{"one": {Stars: 3, Own: 1000}, "two": {Stars: 3}, "three": {Stars: 5, Own: 1}}
	cfg.OpenRanks = func(string) storage.Ranks { return ranks }
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace")
	ts.Execute("random_map")
	testenv.Check(t, strings.Contains(ts.Log.String(), "No maps found on this server!"), "log:\n%s", ts.Log.String())
	ts.Execute(`add_vote a "sv_reset_file x.cfg; change_map \"one\""; add_vote b "change_map two"; add_vote c "sv_map three"; add_vote d "sv_map race"`)
	random := func(command, want string) {
		t.Helper()
		ts.Execute(command)
		ts.Step(5)
		testenv.Check(t, strings.Contains(want, ts.Map().Name), "%s: %s is played", command, ts.Map().Name)
	}
	random("random_map", "one two three")
	random("sv_map race", "race")
	random("random_map 5", "three")
	random("random_map 4", "three")
	random("random_unfinished_map", "two race")
	random("sv_map race", "race")
	random("random_unfinished_map 3", "two")
	testenv.Check(t, strings.Contains(ts.Log.String(), "no random map: No maps found"), "log:\n%s", ts.Log.String())
}

// fakeRanks knows something of maps.
type fakeRanks map[string]game.RankMap

func (r fakeRanks) Submit(q *game.RankRequest, _ game.RankOrigin, answer func(game.RankAnswer)) {
	a := q.Answer()
	if m, ok := r[q.Map]; ok {
		m.Name = q.Map
		a.Info = &m
		if m.Own != 0 {
			a.Own = &game.RankRow{Time: m.Own}
		}
	}
	answer(a)
}
func (fakeRanks) Err() error   { return nil }
func (fakeRanks) Close() error { return nil }

// TestGameTypeIsKept checks that save_config writes a game type that was set, also the one by
// default, and that another one counts after reload.
func TestGameTypeIsKept(t *testing.T) {
	saved := func(commands ...string) string {
		ts := newTestServerWith(t, ddraceConfig(), append([]string{"sv_map race"}, commands...)...)
		return string(ts.Language().AppendConfig(nil))
	}
	testenv.Check(t, !strings.Contains(saved(), "sv_gametype"), "nobody has set it")
	testenv.Check(t, strings.Contains(saved("sv_gametype dm"), "sv_gametype \"dm\"\n"), "dm is not kept")

	cfg := ddraceConfig()
	cfg.ChooseMode = func(*game.Terrain) (string, string) { return "ddrace", "freeze" }
	files := cfg.Files.(fstest.MapFS)
	files["a.cfg"] = &fstest.MapFile{Data: []byte("sv_gametype dm\n")}
	ts := newTestServerWith(t, cfg, "sv_map race", "exec a.cfg")
	for _, test := range []struct{ config, played string }{{"sv_gametype ddrace", "DDraceNetwork"},
		{"sv_gametype tdm", "TDM"}, {`sv_gametype ""`, "DDraceNetwork"}} {
		files["a.cfg"].Data = []byte(test.config + "\n")
		before := ts.World().ModeName()
		server.ReloadNow(ts.Server, console.ReadConfiguration(files, []string{"sv_map race", "exec a.cfg"}))
		ts.Step(2)
		testenv.Check(t, ts.World().ModeName() == before, "%s: %s at once", test.config, ts.World().ModeName())
		ts.Execute("reload")
		ts.Step(3)
		testenv.Check(t, ts.World().ModeName() == test.played, "%s: %s after reload", test.config, ts.World().ModeName())
	}
	testenv.Check(t, !strings.Contains(ts.Log.String(), "does not exist"), "log:\n%s", ts.Log.String())
}
