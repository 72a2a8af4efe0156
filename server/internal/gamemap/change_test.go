package gamemap_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// TestLastChangeCounts asks for several maps in a row, each while the map before is being read. One
// is read at a time, the last one counts, and nothing is left of the others.
func TestLastChangeCounts(t *testing.T) {
	files := copies("a", "b")
	files["maps/half.map"] = &fstest.MapFile{Data: maps.Default().Data[:1000]}
	for lines, played := range map[string]string{
		"sv_map a|sv_map b":                        "b",
		"sv_map a|sv_map b|sv_map a":               "a",
		"sv_map a|sv_map teeyard1":                 "",
		"sv_map a|sv_map half":                     "",
		"sv_map half|sv_map a":                     "a",
		"change_map a|change_map b":                "b",
		"sv_map a|change_map b":                    "b",
		"change_map a|sv_map b":                    "b",
		"change_map a|change_map half":             "",
		"change_map half|change_map a":             "a",
		"change_map half|reload":                   "teeyard1",
		"reload|reload":                            "teeyard1",
		"sv_map a|reload":                          "a",
		"reload|sv_map a":                          "a",
		"sv_maprotation a b|change_map":            "a",
		"sv_maprotation half|change_map":           "",
		"sv_maprotation a|change_map b":            "b",
		"sv_map ../x|change_map ../x|change_map a": "a",
	} {
		s := newServer(t, files)
		s.hold = true
		for line := range strings.SplitSeq(lines, "|") {
			if s.run(line); strings.HasPrefix(line, "sv_maprotation ") {
				s.do(1) // looks whether the maps are there
			}
			s.step(3)
			testenv.Require(t, len(s.work) <= 1, "%s: %d maps are read at once", lines, len(s.work))
		}
		for range 150 {
			s.do(len(s.work))
			s.step(10)
			testenv.Require(t, len(s.work) <= 1, "%s: %d maps are read at once", lines, len(s.work))
		}
		got := strings.Join(s.played, " ")
		testenv.Check(t, got == played, "%s: played %q, want %q; log\n%s", lines, got, played, s.log())
		testenv.Check(t, s.maps.Idle() && s.maps.Settings.Map == s.maps.Played().Setting, "%s: sv_map is %s, and a plan is left", lines, s.maps.Settings.Map)
	}
}

// TestStuckReads: a read that never ends keeps no other map from being played, and the number of
// such reads is bounded.
func TestStuckReads(t *testing.T) {
	s := newServer(t, copies("a", "b", "c", "d", "e", "f"))
	s.hold = true
	for i, name := range []string{"a", "b", "c", "d"} {
		s.run("sv_map " + name)
		s.step(int(gamemap.LoadPatience/tick) + 2)
		testenv.Require(t, len(s.work) == i+1, "%d maps are being read, want %d", len(s.work), i+1)
	}
	s.work[3]()
	s.step(1)
	testenv.Require(t, s.maps.Played().Name == "d", "playing %s; log\n%s", s.maps.Played().Name, s.log())
	s.work = s.work[:3]
	s.run("sv_map e")
	s.step(int(gamemap.MaxLoadTime/tick) + 2)
	testenv.Check(t, s.maps.Settings.Map == "d" && strings.Contains(s.log(), "failed to load map. mapname='e': sv_map \"e\": the disk does not answer"),
		"sv_map is %s; log\n%s", s.maps.Settings.Map, s.log())
	s.run("change_map f")
	testenv.Check(t, len(s.work) == gamemap.MaxReads && strings.Contains(s.log(), "change_map: sv_map \"f\": the disk does not answer"),
		"%d maps are being read; log\n%s", len(s.work), s.log())
	s.do(gamemap.MaxReads) // what comes too late counts no more
	s.step(2)
	testenv.Check(t, s.maps.Played().Name == "d" && s.maps.Idle(), "playing %s, or a plan is left", s.maps.Played().Name)
	s.run("sv_map f")
	s.step(1)
	s.do(1)
	s.step(1)
	testenv.Check(t, s.maps.Played().Name == "f", "playing %s", s.maps.Played().Name)
}

// TestReadAhead: the next map of the rotation is read while the scoreboard is shown, and forgotten
// if another match follows.
func TestReadAhead(t *testing.T) {
	s := newServer(t, copies("a"), "sv_maprotation teeyard1 a")
	s.hold, s.matches = true, 2
	s.run("change_map")
	s.step(10)
	s.do(1)
	s.step(10)
	testenv.Check(t, !s.maps.Idle() && len(s.played) == 0, "the map is not read ahead")
	s.step(500)
	testenv.Check(t, s.maps.Idle() && len(s.played) == 0, "a plan is left, or %q were played", s.played)
	s.run("change_map")
	s.step(10)
	s.do(1)
	s.step(495)
	testenv.Check(t, slices.Equal(s.played, []string{"a"}), "played %q", s.played)
}

// TestNewRules: a new world on the same map reads the map again only if other rules are wanted.
func TestNewRules(t *testing.T) {
	s := newServer(t, nil)
	first := s.maps.Played()
	s.maps.Restart()
	s.step(1)
	testenv.Check(t, s.maps.Played() == first && len(s.played) == 1, "another map, or %d worlds", len(s.played))
	s.wanted.GameType = "ctf"
	s.maps.Restart()
	s.step(1)
	testenv.Check(t, s.maps.Played() != first && s.maps.Played().Rules.GameType == "ctf" && len(s.played) == 2,
		"rules %v, %d worlds", s.maps.Played().Rules.Choice, len(s.played))
	s.wanted.Mods = "missing"
	s.maps.Restart()
	s.step(2)
	testenv.Check(t, strings.HasSuffix(s.log(), "failed to load map. mapname='teeyard1': no such mod") && s.maps.Idle(), "the log is %s", s.log())
	s.wanted.Mods, s.refuse = "", errors.New("no world")
	s.maps.Restart()
	s.step(1)
	testenv.Check(t, strings.HasSuffix(s.log(), "no world"), "the log is %s", s.log())
}

// TestVotedMapCannotBeLoaded: players read that their vote had no effect.
func TestVotedMapCannotBeLoaded(t *testing.T) {
	s := newServer(t, copies("a"))
	for line, want := range map[string]int{"sv_map nowhere": 1, "sv_map a": 0, "sv_name": 0} {
		s.noEffect = 0
		s.maps.Voted(func() { s.run(line) })
		s.step(2)
		testenv.Check(t, s.noEffect == want, "%s: had no effect %d times, want %d", line, s.noEffect, want)
	}
}

// TestReconfigure: the map changes only if the configuration names another one than before.
func TestReconfigure(t *testing.T) {
	s := newServer(t, copies("a", "b"), "sv_map a")
	s.run("sv_map b")
	s.step(2)
	s.maps.Reconfigure(func() { s.run("sv_map a") })
	s.step(2)
	testenv.Check(t, s.maps.Played().Name == "b", "the old configuration changes the map to %s", s.maps.Played().Name)
	s.maps.Reconfigure(func() { s.run("sv_map teeyard1") })
	s.step(2)
	testenv.Check(t, s.maps.Played().Name == "teeyard1", "the new configuration leaves the map at %s", s.maps.Played().Name)
}

// TestDDRaceChangesAtOnce: matches of DDRace have no end to wait for.
func TestDDRaceChangesAtOnce(t *testing.T) {
	s := newServer(t, copies("a"))
	s.isDDRace = true
	for _, line := range []string{"change_map a", "change_map", "change_map nowhere"} {
		s.run(line)
		s.step(1)
	}
	testenv.Check(t, slices.Equal(s.played, []string{"a", "a"}) && s.maps.Idle(), "played %q; log\n%s", s.played, s.log())
}
