package ddrace_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	simulation "github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

func (p *party) set(name, value string) { p.run(1, game.SetVariable(name, value)) }

func (p *party) at(id game.PlayerID) int32 {
	for _, c := range p.Frame().Characters {
		if c.Player == id {
			return int32(c.Pos.X)
		}
	}
	return -1
}

// settingsMod reads the settings of the simulation.
type settingsMod struct{ simulation.Settings }

func (*settingsMod) Start(*game.Setup) {}

func (m *settingsMod) OnTick(ctx *game.Ctx) { m.Settings = *ctx.DDRace().Settings() }

// TestSettings checks that variables reach the simulation and that the settings of a map override
// them.
func TestSettings(t *testing.T) {
	terrain := course
	terrain.Settings = []string{"sv_freeze_delay 7"}
	seen := &settingsMod{}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{seen}, Terrain: terrain})
	set := func(name, value string) { w.Game.Step([]game.Command{game.SetVariable(name, value)}) }
	w.Game.Step(nil)
	freeze, hit := seen.FreezeDelay, seen.Hit
	testenv.Check(t, freeze == 7 && hit == 1, "the map's delay is %d, sv_hit is %d", freeze, hit)
	set("sv_hit", "0")
	freeze, hit = seen.FreezeDelay, seen.Hit
	testenv.Check(t, freeze == 7 && hit == 0, "then the delay is %d, sv_hit is %d", freeze, hit)
	set("sv_freeze_delay", "99")
	testenv.Check(t, seen.FreezeDelay == 30, "the delay that an operator sets is %d", seen.FreezeDelay)
}

// TestKill checks the delay between two self-kills, and the protection of long races.
func TestKill(t *testing.T) {
	p := newParty(t, 1)
	deaths := func() (n int) {
		for _, e := range p.events {
			if e.Kind == game.EvKill {
				n++
			}
		}
		p.events = nil
		return n
	}
	kill := game.Command{Kind: game.CmdKill, Player: 0}
	p.run(1, kill)
	p.run(20, kill)
	testenv.Check(t, deaths() == 1, "the second key counts")
	p.run(40)
	p.run(20, kill)
	testenv.Check(t, deaths() == 1, "the third does not")

	p.set("sv_kill_protection", "1")
	p.types(0, "kill")
	p.run(60)
	testenv.Check(t, deaths() == 0, "/kill kills without need")
	p.inputs[0] = game.Input{Direction: 1, TargetX: 1}
	p.run(80)
	p.inputs[0] = game.Input{TargetX: 1}
	p.run(3100)
	p.told[0] = nil
	p.run(60, kill)
	testenv.Check(t, deaths() == 0, "a long race ends with a key")
	p.heard(0, "Kill Protection enabled. If you really want to kill, type /kill")
	p.types(0, "kill")
	p.run(5)
	testenv.Check(t, deaths() == 1, "/kill does not kill")
}

// TestSpectatorsAfterPause checks that a player who has paused, or is in a long race, cannot join
// the spectators by a key press.
func TestSpectatorsAfterPause(t *testing.T) {
	p := newParty(t, 1)
	watch := game.Command{Kind: game.CmdSetTeam, Player: 0, Team: game.TeamSpectators}
	watches := func() bool { return p.Frame().Players[0].Team == game.TeamSpectators }
	p.types(0, "spec")
	p.run(5, watch)
	p.heard(0, "Use /pause first then you can kill")
	testenv.Check(t, !watches(), "who looks around watches")
	p.set("sv_kill_protection", "1")
	p.run(60)
	p.types(0, "spec")
	p.inputs[0] = game.Input{Direction: 1, TargetX: 1}
	p.run(80)
	p.inputs[0] = game.Input{TargetX: 1}
	p.run(3100)
	p.run(5, watch)
	p.heard(0, "Kill Protection enabled. If you really want to join the spectators, first type /kill")
	testenv.Check(t, !watches(), "a long race ends with a key")
	p.types(0, "kill")
	p.run(5, watch)
	testenv.Check(t, watches(), "after /kill they cannot watch")
}

// TestRescue checks that rescue returns a tee to its last place on the ground, and that its time
// goes on.
func TestRescue(t *testing.T) {
	p := newParty(t, 1)
	p.types(0, "r")
	p.heard(0, "Rescue is not enabled on this server and you're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled.")
	p.set("sv_rescue", "1")
	p.inputs[0] = game.Input{Direction: 1, TargetX: 1}
	p.run(60)
	p.inputs[0] = game.Input{TargetX: 1}
	p.run(20)
	stood := p.at(0)
	p.inputs[0] = game.Input{Direction: 1, Jump: true, TargetX: 1}
	p.run(7) // in the air
	testenv.Require(t, p.at(0) > stood+20, "it went from %d to %d", stood, p.at(0))
	p.inputs[0] = game.Input{TargetX: 1}
	high := p.at(0)
	p.run(1, game.ChatCommand(0, "rescue"))
	testenv.Check(t, p.at(0) >= stood && p.at(0) < high-5, "it is at %d, not %d", p.at(0), stood)
	p.told[0] = nil
	p.types(0, "saytime")
	testenv.Check(t, len(p.told[0]) == 1 && p.told[0][0] > "Your current race time is 00:00", "it hears %q", p.told[0])
}

// TestTele checks the commands that only work in practice.
func TestTele(t *testing.T) {
	p := newParty(t, 2)
	p.types(0, "tp")
	p.heard(0, "You're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled.")
	p.types(0, "team 3")
	p.types(0, "practice")
	p.inputs[1] = game.Input{Direction: 1, TargetX: 1}
	p.run(100)
	p.told[0] = nil
	p.types(0, "tp nobody")
	p.heard(0, "No player with this name found.")
	p.run(2, game.ChatCommand(0, "tp", "player 1"))
	p.run(1)
	testenv.Check(t, p.at(0) > 500 && p.at(0) >= p.at(1)-15, "it is at %d, the other at %d", p.at(0), p.at(1))
}

// TestOperators checks the operators' commands on tees.
func TestOperators(t *testing.T) {
	p := newParty(t, 2)
	x := p.at(0)
	p.run(1, game.ConsoleCommand(0, "right"))
	testenv.Check(t, p.at(0) == x, "it moves without sv_test_cmds")
	p.set("sv_test_cmds", "1")
	p.run(2, game.ConsoleCommand(0, "move", "3", "0"))
	testenv.Check(t, p.at(0) == x+96, "it is at %d, not %d", p.at(0), x+96)
	p.run(2, game.ConsoleCommand(0, "weapons"), game.ConsoleCommand(0, "addweapon", "99"), game.ConsoleCommand(game.Nobody, "super"),
		game.ConsoleCommand(0, "totele", "5"))
	const laser = game.CharacterFlagHasWeapon << game.WeaponLaser
	testenv.Check(t, p.Tee(0).Flags&laser != 0, "it has no laser")
	p.run(2, game.ConsoleCommand(0, "removeweapon", "-1"))
	testenv.Check(t, p.Tee(0).Flags&laser == 0, "it keeps the laser")
	p.run(2, game.ConsoleCommand(0, "addweapon", "-1"))
	testenv.Check(t, p.Tee(0).Flags&laser != 0, "it does not get the laser back")
	p.run(2, game.ConsoleCommand(0, "tele", "0", "1"))
	testenv.Check(t, p.at(0) == p.at(1), "it is at %d, the other at %d", p.at(0), p.at(1))
	p.events = nil
	p.run(1, game.ConsoleCommand(0, "kill_pl", "1"), game.ConsoleCommand(0, "kill_pl", "-1"), game.ConsoleCommand(0, "tele", "77"))
	testenv.Check(t, slices.ContainsFunc(p.events, func(e game.Event) bool { return e.Kind == game.EvKill && e.Player == 1 }), "player 1 lives")
}

// TestTimer checks where players see their race time.
func TestTimer(t *testing.T) {
	p := newParty(t, 1)
	p.types(0, "timer")
	p.types(0, "timer broadcast")
	p.types(0, "timer sundial")
	p.heard(0, "Timer is displayed in game/round timer.", "Timer is displayed in broadcast.",
		"Unknown parameter. Accepted values: default, gametimer, broadcast, both, none")
	p.inputs[0] = game.Input{Direction: 1, TargetX: 1}
	p.events = nil
	p.run(200)
	n := 0
	for _, e := range p.events {
		if e.Kind == game.EvBroadcast {
			testenv.Check(t, len(e.Text) == len("00:00"), "the time is %q", e.Text)
			n++
		}
	}
	testenv.Check(t, n >= 2 && n <= 4, "%d broadcasts in four seconds", n)
	p.types(0, "timer none")
	p.events = nil
	p.run(100)
	testenv.Check(t, !slices.ContainsFunc(p.events, func(e game.Event) bool { return e.Kind == game.EvBroadcast }), "it goes on")
}

// TestTimeIsRead checks that the clock does not replace the text of /time.
func TestTimeIsRead(t *testing.T) {
	p := newParty(t, 1)
	p.types(0, "timer broadcast")
	p.inputs[0] = game.Input{Direction: 1, TargetX: 1}
	p.run(50)
	p.inputs[0] = game.Input{TargetX: 1} // it stays in the race
	shown := func(ticks int) (texts []string) {
		p.events = nil
		p.run(ticks)
		for _, e := range p.events {
			if e.Kind == game.EvBroadcast {
				texts = append(texts, e.Text)
			}
		}
		return texts
	}
	testenv.Check(t, len(shown(150)) >= 2, "there is no clock")
	p.types(0, "time") // types runs a second
	got := shown(400)
	testenv.Check(t, len(got) == 0, "the clock is back within nine seconds: %q", got)
	testenv.Check(t, len(shown(100)) > 0, "the clock does not come back")
}

// TestLook checks the commands for pausing and watching.
func TestLook(t *testing.T) {
	p := newParty(t, 2)
	state := func() game.PlayerState { return p.Frame().Players[0] }
	p.types(0, "pause")
	testenv.Check(t, state().Pause == game.PauseInPlace, "it is %v", state().Pause)
	p.run(50, game.ChatCommand(0, "pause", "player 1"))
	testenv.Check(t, state().Pause == game.PauseInPlace && state().SpectatorID == 1, "it sees %d", state().SpectatorID)
	p.run(50, game.ChatCommand(0, "pause", "player 1"))
	testenv.Check(t, state().Pause == game.NotPaused, "it is %v", state().Pause)
	p.set("sv_pauseable", "1")
	p.run(5, game.ChatCommand(0, "spec"))
	testenv.Check(t, state().Pause == game.PauseVanished && p.at(0) < 0, "it is %v", state().Pause)
	p.told[0] = nil
	p.run(5, game.ChatCommand(0, "spec"))
	p.heard(0, "Can't /spec that quickly.")
	p.run(60)
	p.types(0, "spec")
	p.run(2)
	testenv.Check(t, state().Pause == game.NotPaused && p.at(0) > 0, "it does not come back")
	p.types(0, "pause")
	p.types(0, "spec")
	testenv.Check(t, state().Pause == game.NotPaused, "/spec ends /pause with %v", state().Pause)
}

// TestEyes checks that emoticons change the eyes of tees, unless the player or the operator turned
// that off.
func TestEyes(t *testing.T) {
	p := newParty(t, 1)
	p.set("sv_max_afk_time", "0")
	p.run(10)
	eyes := func() game.Emote {
		p.run(160)
		p.run(1, game.Command{Kind: game.CmdEmoticon, Player: 0, Value: 9})
		return p.Frame().Characters[0].Emote
	}
	testenv.Check(t, eyes() == game.EmoteAngry, "an angry emoticon leaves the eyes as they are")
	p.types(0, "eyeemote off")
	testenv.Check(t, eyes() != game.EmoteAngry, "off")
	p.types(0, "eyeemote toggle")
	testenv.Check(t, eyes() == game.EmoteAngry, "on again")
	p.set("sv_emotional_tees", "0")
	testenv.Check(t, eyes() != game.EmoteAngry, "sv_emotional_tees 0")
	p.types(0, "eyeemote")
	p.heard(0, "You don't have any eye emotes, remember to bind some. (until you die)", "You can now use the preset eye emotes.",
		"You can now use the preset eye emotes.")
}

// TestTimeCP checks that /timecp compares checkpoints with another player's and keeps the own best
// time.
func TestTimeCP(t *testing.T) {
	p := newParty(t, 2)
	p.run(50, game.ChatCommand(0, "timecp", "player 1"))
	var asked *game.StoreRequest
	for _, e := range p.take(game.EvStore) {
		if r := e.Store.Rank; r != nil && r.Op == game.RankBest && r.Name == "player 1" && r.By == 0 {
			asked = e.Store
		}
	}
	testenv.Require(t, asked != nil, "nobody is asked for")
	best := asked.Rank.Answer()
	best.Own, best.Checkpoints = &game.RankRow{Time: 1500}, []int32{700}
	a := game.StoreAnswer{ID: asked.ID, Op: game.StoreRank, Space: game.RankSpace, Rank: &best}
	p.run(1, a.Command())
	testenv.Check(t, p.Score(0) == game.NoRaceTime, "the score is %d", p.Score(0))
	p.walk(1, 150, 0)
	passed := p.take(game.EvCheckpoint)
	testenv.Check(t, len(passed) == 1 && passed[0].Value == passed[0].Extra-700, "checkpoints: %+v", passed)
	finished := p.take(game.EvRaceFinish)
	testenv.Check(t, len(finished) == 1 && finished[0].Extra == 0, "it is compared with their time: %+v", finished)

	shown := p.Score(0)
	p.set("sv_hide_score", "1")
	testenv.Check(t, shown != game.NoRaceTime && p.Score(0) == game.NoRaceTime, "the score is %d, hidden %d", shown, p.Score(0))
	p.told[0] = nil
	p.run(50, game.ChatCommand(0, "timecp", "player 1"))
	p.heard(0, "Showing the checkpoint times is not allowed on this server.")
}

// TestForcePause checks that operators can remove a tee from the world for some time.
func TestForcePause(t *testing.T) {
	p := newParty(t, 1)
	p.run(3, game.ConsoleCommand(game.Nobody, "force_pause", "0", "4"))
	p.types(0, "spec")
	p.heard(0, "You are force-paused for 3 seconds.")
	p.types(0, "pause")
	p.heard(0, "You are force-paused for 2 seconds.")
	testenv.Check(t, p.at(0) < 0, "the tee is at %d", p.at(0))
	p.run(3 * game.TickRate)
	testenv.Check(t, p.at(0) >= 0, "it does not come back")
	p.run(3, game.ConsoleCommand(game.Nobody, "force_pause", "0", "9999"))
	p.types(0, "spec")
	p.heard(0, "You are force-paused for 359 seconds.")
	p.run(3, game.ConsoleCommand(game.Nobody, "force_unpause", "0"))
	testenv.Check(t, p.at(0) >= 0, "force_unpause does not bring it back")
	p.run(3, game.ConsoleCommand(game.Nobody, "force_pause", "63", "3"), game.ConsoleCommand(game.Nobody, "force_pause", "-1", "3"))
}

// TestPauseMessages checks that with sv_pause_messages all players get a message about each pause.
func TestPauseMessages(t *testing.T) {
	for value, want := range map[string][]string{"0": nil, "1": {"'player 0' speced", "'player 0' resumed"}} {
		p := newParty(t, 2)
		p.set("sv_pause_messages", value)
		p.told[1] = nil
		p.run(60, game.ChatCommand(0, "pause"))
		p.run(60, game.ChatCommand(0, "pause"))
		testenv.Check(t, slices.Equal(p.told[1], want), "sv_pause_messages %s: %q", value, p.told[1])
	}
}

// TestEndlessSuperHook checks that super tees hook without end with sv_endless_super_hook, and as
// long as other tees without it.
func TestEndlessSuperHook(t *testing.T) {
	for value, holds := range map[string]bool{"0": false, "1": true} {
		p := newParty(t, 2)
		p.set("sv_test_cmds", "1")
		p.set("sv_endless_super_hook", value)
		p.run(5, game.ConsoleCommand(1, "move", "4", "0"), game.ConsoleCommand(0, "super"))
		p.inputs[0] = game.Input{TargetX: 100, Hook: true}
		hooked := func() bool { return p.Tee(0).HookedPlayer == 1 }
		p.run(20)
		testenv.Check(t, hooked(), "sv_endless_super_hook %s: the other is not hooked", value)
		p.run(100)
		testenv.Check(t, hooked() == holds, "sv_endless_super_hook %s: the other is hooked: %v", value, hooked())
	}
}
