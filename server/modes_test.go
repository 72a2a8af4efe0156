package server_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// flagRoom is a room where the teams spawn on each other's flag.
func flagRoom() fstest.MapFS { return flagRoomWith(35) }

// flagRoomWith is flagRoom with the red flag in a column.
func flagRoomWith(red int) fstest.MapFS {
	l := twmap.NewGameLayer(40, 12)
	for x := range 40 {
		for y := range 12 {
			if x == 0 || x == 39 || y == 0 || y == 11 {
				l.Set(x, y, twmap.Solid, 0)
			}
		}
	}
	l.Set(3, 10, twmap.SpawnRed, 0)
	l.Set(4, 10, twmap.FlagStandBlue, 0)
	l.Set(36, 10, twmap.SpawnBlue, 0)
	l.Set(red, 10, twmap.FlagStandRed, 0)
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	return fstest.MapFS{"maps/room.map": {Data: testenv.Must(m.Bytes())}}
}

// TestGameTypes plays every mode with clients of both versions and reruns the logs.
func TestGameTypes(t *testing.T) {
	testenv.OneGoroutine(t)
	for _, gameType := range []string{"dm", "tdm", "CTF", "lms", "lts"} {
		t.Run(gameType, func(t *testing.T) {
			var s servertest.Folder
			tn := newTestNetworkWith(t, servertest.Link{Delay: 20 * time.Millisecond}, 1, server.Config{Replays: &s, Files: flagRoom()},
				"sv_map room; sv_scorelimit 0; sv_replay 1; sv_gametype "+gameType)
			var players []*player
			for i := range 4 {
				cfg := player07
				if i >= 2 {
					cfg = player06
				}
				p := tn.dial(i+1, named(cfg, string(rune('a'+i))))
				p.views = map[int32]game.View{}
				players = append(players, p)
			}
			tn.untilPlaying(players...)
			tn.Wait(5 * time.Second)
			w := tn.World()
			if w.ModeName() != strings.ToUpper(gameType) {
				t.Fatalf("plays %s", w.ModeName())
			}
			want := w.Frame().Game
			for _, p := range players {
				got := p.lastView(t).Game
				if got.FlagCarrier != want.FlagCarrier && want.Flags&game.GameFlagFlags != 0 || got.TeamScore != want.TeamScore {
					t.Errorf("%s: sees the carriers %v and the scores %v; there are %v and %v", p.name,
						got.FlagCarrier, got.TeamScore, want.FlagCarrier, want.TeamScore)
				}
			}
			if gameType == "CTF" && (want.FlagCarrier[0] < 0 || want.FlagCarrier[1] < 0) {
				t.Errorf("nobody carries the flags: %v", want.FlagCarrier)
			}
			for _, p := range players {
				p.moveRandomly()
			}
			tn.Wait(20 * time.Second)
			tn.Shutdown(tn.Now(), "")
			if l := verify(t, &s, 1)[0]; l.header.GameType != gameType || l.End == replay.EndNone {
				t.Errorf("the log has the game type %q and the end %v", l.header.GameType, l.End)
			}
		})
	}
}

// TestConsoleLinesAboutFlags checks the lines that tools read, in the words of 0.7.5.
func TestConsoleLinesAboutFlags(t *testing.T) {
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{Files: flagRoomWith(2)}, "sv_map room; sv_gametype ctf; sv_scorelimit 100")
	tn.join(1, "ann")
	tn.join(2, "ben")
	tn.Log.Reset()
	tn.WaitUntil(time.Minute, "the end", func() bool { return tn.World().Frame().Game.State&game.StateGameOver != 0 })
	server.LogFlag(tn.Server.Server, &game.Event{GameMsg: game.GameMsgCTFReturn, Player: 1})
	server.LogFlag(tn.Server.Server, &game.Event{GameMsg: game.GameMsgCTFReturn, Player: game.Nobody})
	want := `[game]: flag_grab player='0:ann' team=0
[game]: flag_capture player='0:ann' team=0 time=0.02
[game]: flag_return player='1:ben' team=1
[game]: flag_return
`
	testenv.Check(t, strings.HasSuffix(tn.Log.String(), want), "the console says\n%s\nand not at last\n%s", tn.Log.String(), want)
}

// TestRoundsAreNoMatches checks that only matches begin on the console.
func TestRoundsAreNoMatches(t *testing.T) {
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{}, "sv_gametype lms; sv_scorelimit 0")
	tn.join(1, "ann")
	ben := tn.join(2, "ben")
	tn.WaitUntil(time.Minute, "a round", func() bool { return tn.World().Frame().Game.State == 0 })
	tn.Wait(time.Second)
	ben.send(&msg7.ClKill{})
	tn.WaitUntil(time.Minute, "its end", func() bool { return tn.World().Frame().Game.State == game.StateRoundOver })
	tn.WaitUntil(time.Minute, "another round", func() bool { return tn.World().Frame().Game.State == 0 })
	n := strings.Count(tn.Log.String(), "start match type='LMS' teamplay='0'")
	testenv.Check(t, n == 1, "%d matches:\n%s", n, tn.Log.String())
}

// TestPauseTwice checks that each pause knows what the one before did, also in the same tick.
func TestPauseTwice(t *testing.T) {
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{}, "")
	tn.join(1, "ann")
	tn.join(2, "ben")
	state := func(commands string) game.GameStateFlags {
		tn.Execute(commands)
		tn.Wait(time.Second)
		return tn.World().Frame().Game.State
	}
	for _, c := range []struct {
		commands string
		want     game.GameStateFlags
	}{{"pause", game.StatePaused}, {"pause", 0}, {"pause; pause", 0}, {"pause; pause; pause", game.StatePaused}} {
		if got := state(c.commands); got != c.want {
			t.Errorf("after %s the state is %v, not %v", c.commands, got, c.want)
		}
	}
}

// lastView returns the newest view of a player.
func (p *player) lastView(t testing.TB) game.View {
	t.Helper()
	last := int32(-1)
	for tick := range p.views {
		last = max(last, tick)
	}
	if last < 0 {
		t.Fatalf("%s saw nothing", p.name)
	}
	return p.views[last]
}

// entrances is a mode and a mod that counts who enters.
type entrances struct {
	dm.Mode
	state struct{ Entered int32 }
}

func (m *entrances) OnEnter(*game.Ctx, game.PlayerID) { m.state.Entered++ }
func (m *entrances) State() any                       { return &m.state }

// TestEveryMapGetsANewModeAndNewMods checks that each world has its own state of a mode or mod, in
// a rerun too.
func TestEveryMapGetsANewModeAndNewMods(t *testing.T) {
	var made []*entrances
	newEntrances := func() *entrances {
		m := &entrances{}
		made = append(made, m)
		return m
	}
	modes := mode.List{{Name: "dm", New: func() game.Mode { return newEntrances() }}}
	mods := []func() game.Mod{func() game.Mod { return newEntrances() }}
	var s servertest.Folder
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{Replays: &s, Modes: modes, Mods: mods}, "sv_replay 1")
	tn.play(3, time.Second)
	tn.Execute("sv_map testbox")
	tn.WaitUntil(time.Minute, "the other map", func() bool { return tn.Map().Name == "testbox" && allPlay(tn.players) })
	tn.Wait(time.Second)
	tn.Shutdown(tn.Now(), "")
	names, _ := s.Names()
	testenv.Require(t, len(made) == 4 && len(names) == 2, "%d values and %d logs for two maps", len(made), len(names))
	for _, name := range names {
		_, err := replay.Verify(reader(&s, name), replay.VerifyConfig{Modes: modes.New, Mods: mods})
		testenv.Check(t, err == nil, "%v", err)
	}
	for i, m := range made {
		testenv.Check(t, m.state.Entered == 3, "value %d counted %d players", i, m.state.Entered)
	}
}

// impure is a mod with a tuning of its own.
type impure struct{}

func (impure) Start(*game.Setup)           {}
func (impure) PureTuning() bool            { return false }
func (impure) GameType(mode string) string { return "x" + mode }

// TestTuningOfMods sets a tuning in the configuration. It counts if the mods allow it.
func TestTuningOfMods(t *testing.T) {
	for mods, want := range map[string]int32{"impure": 25, `""`: 50} {
		tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{
			FindMod: func(string) (func() game.Mod, error) { return func() game.Mod { return impure{} }, nil },
		}, "tune gravity 0.25; sv_mods "+mods)
		tn.play(1, time.Second)
		i := physics.TuneParamIndex("gravity")
		pure := want == 50
		testenv.Check(t, tn.World().Tuning()[i] == want && strings.Contains(tn.Log.String(), server.ImpureTuning) == pure,
			"%s: gravity %d\n%s", mods, tn.World().Tuning()[i], tn.Log.String())
		testenv.Check(t, (tn.World().ModeName() == "DM") == pure, "%s: game type %s", mods, tn.World().ModeName())
		tn.Execute("tune gravity 0.3; sv_name x")
		tn.Wait(time.Second)
		testenv.Check(t, (tn.World().Tuning()[i] == 30) == !pure, "%s: set later, gravity is %d", mods, tn.World().Tuning()[i])
		// The game type of the next map changes nothing yet.
		tn.Execute("sv_gametype mod; sv_scorelimit 7")
		tn.Wait(time.Second)
		tn.Execute("tune gravity 0.4")
		tn.Wait(time.Second)
		testenv.Check(t, tn.World().Rules().ScoreLimit == 7 && (tn.World().Tuning()[i] == 40) == !pure,
			"%s: with the game type of the next map gravity is %d", mods, tn.World().Tuning()[i])
	}
}

// namedEntrances is entrances under the names a and b of sv_mods.
func namedEntrances(made map[string]int) func(string) (func() game.Mod, error) {
	return func(name string) (func() game.Mod, error) {
		if name != "a" && name != "b" {
			return nil, errors.New("line 7: there is no such thing")
		}
		return func() game.Mod {
			made[name]++
			return &entrances{}
		}, nil
	}
}

// TestModsAreChosenByName changes sv_mods: it counts with the next map or reload, and while it
// is wrong the running game stays.
func TestModsAreChosenByName(t *testing.T) {
	made := map[string]int{}
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{FindMod: namedEntrances(made)}, "sv_mods a")
	tn.play(2, time.Second)
	for _, c := range []struct {
		commands, want string
		a, b           int
	}{
		{"sv_mods b,a", "sv_mods takes effect with the next map, or after reload", 1, 0},
		{"reload", "[server]: mods b, a\n", 2, 1},
		{"sv_mods a broken; reload", `failed to load map. mapname='teeyard1': sv_mods "broken": line 7: there is no such thing`, 2, 1},
		{"sv_mods a a; sv_map testbox", `failed to load map. mapname='testbox': sv_mods names "a" twice`, 2, 1},
		{"sv_mods b; sv_map testbox", "[server]: mods b\n", 2, 2},
		{`sv_mods ""; reload`, "", 2, 2},
	} {
		tn.Log.Reset()
		world := tn.World()
		tn.Execute(c.commands)
		tn.Wait(3 * time.Second)
		if got := tn.Log.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: the log has\n%s", c.commands, got)
		}
		testenv.Check(t, made["a"] == c.a && made["b"] == c.b, "%s: made %v", c.commands, made)
		testenv.Check(t, (tn.World() == world) == (strings.Contains(c.want, "failed") || strings.Contains(c.want, "takes effect")),
			"%s: another world", c.commands)
	}
	_, err := server.New(server.Config{FindMod: namedEntrances(made), Commands: []string{"sv_mods nope"}})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), `server: cannot start: sv_mods "nope": line 7`), "%v", err)
}
