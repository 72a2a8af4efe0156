package script_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// fort is a map with everything that each mode needs.
var fort = modtest.ParseMap(nil,
	"########################",
	"#                      #",
	"# h  a            g  l #",
	"# ##### S  S   S #######",
	"#                      #",
	"# R1  S   h   a  S  2B #",
	"########################",
)

// newMode loads a game type. Its errors fail the test.
func newMode(t testing.TB, source string) func() game.Mode {
	return func() game.Mode {
		return testenv.Must(script.NewMode(script.Config{Name: "mods/test.lua", Source: source, Log: func(text string) {
			testenv.Check(t, strings.HasSuffix(text, ": reloaded"), "%s", text)
		}}))
	}
}

// TestModeIsDeclared loads valid and invalid game types.
func TestModeIsDeclared(t *testing.T) {
	for _, c := range []struct {
		source, err string
		name        string
		flags       game.GameFlags
	}{
		{source: `mode{name = "CATCH"}`, name: "CATCH"},
		{source: `mode{name = "CATCH", like = "ctf"}`, name: "CATCH", flags: game.GameFlagTeams | game.GameFlagFlags},
		{source: `mode{name = "CATCH", teams = true, flags = true, survival = true}`, name: "CATCH",
			flags: game.GameFlagTeams | game.GameFlagFlags | game.GameFlagSurvival},
		{source: `mode{name = "CATCH", teams = false}`, name: "CATCH"},
		{source: `function on_tick() end`, err: "mods/test.lua: this script is a mod; use sv_mods, not sv_gametype, or declare mode{name = \"NAME\"}"},
		{source: `mode{}`, err: "mods/test.lua:1: name is nil, want a text"},
		{source: `mode{name = ""}`, err: `mods/test.lua:1: name is "", want a text of 1 to 15 bytes`},
		{source: `mode{name = "0123456789abcdef"}`, err: `want a text of 1 to 15 bytes`},
		{source: `mode{name = "A", like = "cft"}`, err: "want dm, tdm, ctf, lms or lts"},
		{source: `mode{name = "A", teams = 1}`, err: "teams is 1, want true or false"},
		{source: `mode{name = "A", like = "dm", teams = true}`, err: "like says whether there are teams, so leave out teams"},
		{source: `mode{name = "A", race = true}`, err: "there is no field race"},
		{source: "mode{name = 'A'}\nmode{name = 'B'}", err: "mods/test.lua:2: mode is declared twice; a file is one game type"},
		{source: "mode{name = 'A'}\nfunction on_tik() end", err: "mods/test.lua:2: unknown hook on_tik"},
	} {
		m, err := script.NewMode(script.Config{Name: "mods/test.lua", Source: c.source})
		if c.err != "" {
			testenv.Check(t, err != nil && strings.Contains(err.Error(), c.err), "%s: %v, want %s", c.source, err, c.err)
			continue
		}
		testenv.Check(t, err == nil && m.Name() == c.name && m.Flags() == c.flags, "%s: %v", c.source, err)
	}
	_, err := script.New(script.Config{Name: "mods/test.lua", Source: `mode{name = "CATCH"}`})
	testenv.Check(t, err != nil && err.Error() == "mods/test.lua: this script is a game type, because it has mode{}; use sv_gametype, not sv_mods", "%v", err)
}

// digest plays a match, which must replay, and returns a hash of everything that clients could see.
func digest(t *testing.T, newMode func() game.Mode) uint64 {
	t.Helper()
	h := fnv.New64a()
	modtest.Match{
		Mode: newMode, Terrain: fort, Players: 6, Ticks: 700,
		Commands: func(w *game.World, dst []game.Command) []game.Command {
			f := w.Frame()
			fmt.Fprintf(h, "%+v %+v\n", f.Game, f.Players)
			return dst
		},
	}.VerifyReplay(t)
	return h.Sum64()
}

// TestModeIsLikeOriginal plays matches with game types that only declare like. They must not differ
// from the original.
func TestModeIsLikeOriginal(t *testing.T) {
	testenv.OneGoroutine(t)
	testenv.Long(t)
	for _, like := range []game.Mode{dm.Mode{}, tdm.Mode{}, ctf.Mode{}, lms.Mode{}, lts.Mode{}} {
		t.Run(like.Name(), func(t *testing.T) {
			want := digest(t, func() game.Mode { return like })
			got := digest(t, newMode(t, fmt.Sprintf("mode{name = %q, like = %q}", like.Name(), strings.ToLower(like.Name()))))
			testenv.Check(t, got == want, "another match than that of the original")
		})
	}
}

// TestModeDecides replaces rules of the original.
func TestModeDecides(t *testing.T) {
	duel := func(source string) (w *modtest.World, mode *script.Mode) {
		mode = newMode(t, source)().(*script.Mode)
		w = modtest.New(t, game.Config{Mode: mode, Terrain: fort})
		w.Play(0, 1)
		return w, mode
	}
	kill := func(w *modtest.World) []game.Event {
		return w.Run(1, game.Command{Kind: game.CmdKill, Player: 0})
	}
	score := func(w *modtest.World) int32 { p, _ := w.Player(0); return p.Score }

	w, _ := duel(`mode{name = "A", like = "dm"}`)
	kill(w)
	testenv.Check(t, score(w) == -1, "score %d as in dm", score(w))
	w, _ = duel(`mode{name = "A", like = "dm"}
function on_death(d) d.victim:add_score(5) return false end`)
	kill(w)
	testenv.Check(t, score(w) == 5, "score %d, and dm scores too", score(w))
	w, _ = duel(`mode{name = "A"}`)
	kill(w)
	testenv.Check(t, score(w) == 0, "score %d without a rule", score(w))
	w, _ = duel(`mode{name = "A", like = "dm"}
function check_win() for p in players() do if p.score < 0 then return true end end end`)
	testenv.Check(t, modtest.Count(w.Run(100), game.EvMatchEnd) == 0, "over too soon")
	testenv.Check(t, modtest.Count(append(kill(w), w.Run(2)...), game.EvMatchEnd) == 1, "not over")
	w, _ = duel(`mode{name = "A", like = "lms"}
function round_over() return false end`)
	kill(w)
	testenv.Check(t, !w.Alive(0) && w.Frame().Game.State == 0, "the round is over, or player 0 alive")
	w.Run(300)
	testenv.Check(t, !w.Alive(0) && w.Frame().Game.State == 0, "the round is over later, or player 0 alive")
	w, _ = duel(`mode{name = "A", like = "ctf"}
function on_entity(tile, pos) if tile == 195 then return false end end`)
	testenv.Check(t, len(w.Frame().Flags) == 1, "both flags are there, or none: %+v", w.Frame().Flags)

	// A reload changes the rules but not mode{}. A game type that is switched off plays like the
	// original.
	w, mode := duel(`mode{name = "A", like = "dm"}`)
	reload := func(source string) {
		w.Run(1, game.Command{Kind: game.CmdReload, Value: game.ReloadMode, Text: source})
	}
	reload(`mode{name = "B", like = "ctf"}
function on_death(d) d.victim:add_score(7) return false end`)
	kill(w)
	testenv.Check(t, score(w) == 7 && mode.Name() == "A" && mode.Flags() == 0, "score %d, mode %s", score(w), mode.Name())
	w.RunUntil("alive", 200, func() bool { return w.Alive(0) })
	mode.SetLog(nil)
	reload("function on_death(d) d.victim:add_score(70) end")
	reload("mode{name = 'A', like = 'dm'}\nfunction on_death(d) while true do end end")
	kill(w)
	testenv.Check(t, mode.Off() != "" && score(w) == 6, "%q, score %d, want one less", mode.Off(), score(w))
}

// TestModesReplay plays game types whose matches must replay, also after a reload.
func TestModesReplay(t *testing.T) {
	hill := string(testenv.Must(os.ReadFile("../examples/lua/hill.lua")))
	modtest.Match{
		Mode: newMode(t, hill), Terrain: fort, Ticks: 600,
		Commands: func(w *game.World, dst []game.Command) []game.Command {
			if w.Tick() == 300 {
				dst = append(dst, game.Command{Kind: game.CmdReload, Player: game.Nobody, Target: game.Nobody, Value: game.ReloadMode,
					Text: strings.Replace(hill, "add_score(1)", "add_score(2)", 1)})
			}
			return dst
		},
	}.VerifyReplay(t)
}

// TestHill checks that only a player on the hill of the example scores a point each second.
func TestHill(t *testing.T) {
	hill := newMode(t, string(testenv.Must(os.ReadFile("../examples/lua/hill.lua"))))
	w := modtest.New(t, game.Config{Mode: hill(), Terrain: modtest.ParseMap(nil,
		"####################",
		"#                  #",
		"# hS             S #",
		"####################",
	)})
	w.Play(0, 1)
	on, off := game.PlayerID(0), game.PlayerID(1)
	if w.Pos(off).X < w.Pos(on).X {
		on, off = off, on
	}
	before := w.Score(on)
	w.Run(5 * game.TickRate)
	testenv.Check(t, w.Score(on) == before+5 && w.Score(off) == 0, "%d points before, %d after 5 seconds, the other has %d", before, w.Score(on), w.Score(off))
	pickups := w.Frame().Pickups
	testenv.Check(t, len(pickups) == 1 && pickups[0].X == 2*32+16 && pickups[0].Y == 2*32+16, "the hill is shown at %+v", pickups)
}
