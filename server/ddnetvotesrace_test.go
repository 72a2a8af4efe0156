package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// newDDRaceVoteTest starts a server of DDRace with players of 0.6 and 0.7 in turns.
func newDDRaceVoteTest(t *testing.T, cfg server.Config, players int, commands ...string) *voteTest {
	t.Helper()
	vt := &voteTest{testNetwork: newTestNetworkWith(t, servertest.Link{}, 1, cfg, append([]string{
		"sv_map race; sv_gametype ddrace; sv_spamprotection 0; sv_vote_delay 0; add_vote fun say fun; sv_max_afk_time 0; sv_vote_kick_bantime 0",
	}, commands...)...)}
	for i := range players {
		vt.addVoter(i+1, 50000, []client.SessionConfig{player06DDNet, player07}[i%2])
	}
	vt.Wait(time.Second)
	return vt
}

// newRerunVoteTest is newDDRaceVoteTest for a match whose recordings verify at the end of the test.
func newRerunVoteTest(t *testing.T, players int, commands ...string) *voteTest {
	t.Helper()
	var logs, histories servertest.Folder
	cfg := ddraceConfig()
	cfg.Replays, cfg.Teehistorians = &logs, &histories
	vt := newDDRaceVoteTest(t, cfg, players, append(commands, "sv_replay 1; sv_tee_historian 1")...)
	t.Cleanup(func() {
		vt.Shutdown(vt.Now(), "")
		for _, name := range testenv.Must(logs.Names()) {
			res, err := replay.Verify(reader(&logs, name), replay.VerifyConfig{Modes: cfg.Modes.New})
			testenv.Check(t, err == nil && res.Ticks > 500, "the replay log: %v, %+v", err, res)
		}
		res := verifyTeehistorian(t, vt.Server, histories.Content(testenv.Must(histories.Names())[0]))
		testenv.Check(t, res.TeeTicks > 1000, "the teehistorian has %d places", res.TeeTicks)
	})
	return vt
}

// reads checks that a player reads a line of the server's since the last one of theirs.
func (v *voter) reads(want ...string) {
	v.network.T.Helper()
	v.network.Wait(200 * time.Millisecond)
	for _, line := range want {
		testenv.Check(v.network.T, v.serverSaid(line) == 1, "%s reads %q, not once %q", v.name, v.chat[-1], line)
	}
	testenv.Check(v.network.T, len(want) > 0 || len(v.chat[-1]) == 0, "%s reads %q", v.name, v.chat[-1])
	clear(v.chat)
}

// last returns what a player was told last of votes.
func (v *voter) last() string {
	if len(v.votes) == 0 {
		return ""
	}
	return v.votes[len(v.votes)-1]
}

// isTold checks what a player was told last of votes.
func (v *voter) isTold(want string) {
	v.network.T.Helper()
	testenv.Check(v.network.T, v.last() == want, "%s is told %q, not %q", v.name, v.last(), want)
}

// racePlayer returns the state of a player in the world.
func (vt *voteTest) racePlayer(id game.PlayerID) game.PlayerState {
	players := vt.World().Frame().Players
	return players[slices.IndexFunc(players, func(p game.PlayerState) bool { return p.ID == id })]
}

// TestVotePausesRacers checks that with sv_pauseable votes about players pause them, who stay in
// the game.
func TestVotePausesRacers(t *testing.T) {
	vt := newRerunVoteTest(t, 3, "sv_pauseable 1")
	v := vt.voters
	call := func() {
		clear(v[0].chat)
		v[0].call("spectate", "1", "spec you", false)
	}
	call()
	v[2].isTold("Pause 'v1' (10s) (spec you), 25 s")
	v[1].isTold("3 by 0: 1: v1 (spec you), 25 s")
	v[0].reads("'v0' called for vote to pause 'v1' for 10 seconds (spec you)")
	v[2].vote(1)
	vt.Wait(200 * time.Millisecond)
	p := vt.racePlayer(1)
	testenv.Check(t, p.Team != game.TeamSpectators && p.Pause == game.PauseVanished, "the player is %+v", p)
	v[0].reads("Vote passed")
	vt.Wait(9 * time.Second)
	testenv.Check(t, vt.racePlayer(1).Pause == game.PauseVanished, "no longer paused")
	vt.console("sv_vote_pause_time 3; sv_vote_pause_time")
	testenv.Check(t, value(vt.Server, "sv_vote_pause_time") == "3", "sv_vote_pause_time has no effect")

	for _, command := range []string{"sv_vote_pause 0", "sv_vote_pause 1; sv_pauseable 0"} {
		vt.console("force_unpause 1; set_team 1 0; " + command)
		vt.Wait(4 * time.Second)
		call()
		v[2].isTold("Move 'v1' to spectators (spec you), 25 s")
		v[0].reads("'v0' called for vote to move 'v1' to spectators (spec you)")
		v[2].vote(1)
		vt.Wait(200 * time.Millisecond)
		testenv.Check(t, teamOf(vt.Server, 1) == game.TeamSpectators, "%s: still plays", command)
	}
	vt.console("sv_vote_pause 1; sv_pauseable 1")
	vt.Execute("set_team 1 0")
	vt.Wait(time.Second)
	call()
	v[2].isTold("Pause 'v1' (3s) (spec you), 25 s")
	newcomer := vt.addVoter(9, 50000, player06DDNet)
	newcomer.isTold("Pause 'v1' (3s) (spec you), 24 s")
	testenv.Check(t, !slices.ContainsFunc(newcomer.chat[-1], func(l string) bool { return strings.Contains(l, "called") }),
		"a newcomer reads %q", newcomer.chat[-1])
}

// TestVotesInTeams checks that in DDRace only mates may call votes about each other, and decide
// them.
func TestVotesInTeams(t *testing.T) {
	vt := newRerunVoteTest(t, 6, "sv_pauseable 1")
	v := vt.voters
	vt.console("set_team_ddr 0 3; set_team_ddr 1 3; set_team_ddr 2 3")
	for _, o := range v {
		clear(o.chat)
	}
	for _, calls := range [][2]int{{0, 3}, {4, 0}} {
		c := v[calls[0]]
		c.call("kick", fmt.Sprint(calls[1]), "", false)
		c.reads("You can kick only your team member")
		vt.Wait(6 * time.Second) // within five seconds there is no answer
		c.call("spectate", fmt.Sprint(calls[1]), "", false)
		c.reads("You can only move your team member to spectators")
	}
	for _, nobody := range []string{fmt.Sprint(game.MaxPlayers), fmt.Sprint(game.MaxPlayers + 1), "-1", "x"} {
		v[1].call("spectate", nobody, "", false)
		testenv.Check(t, !(vt.Votes().Running != ""), "a vote about player %s", nobody)
	}
	v[0].call("kick", "1", "", false)
	v[2].isTold("Move 'v1' to team 0 (No reason given), 25 s")
	v[3].isTold("2 by 0: 1: v1 (No reason given), 25 s")
	v[0].reads("'v0' called for vote to kick 'v1' (No reason given)")
	vt.wantStatus("1 yes 0 no 2 open of 3")
	v[4].vote(-1)
	v[3].vote(-1)
	vt.wantStatus("1 yes 0 no 2 open of 3")
	v[2].vote(1)
	vt.Wait(200 * time.Millisecond)
	testenv.Check(t, vt.racePlayer(1).DDRaceTeam == 0 &&
		slices.ContainsFunc(vt.Clients(nil), func(c server.Client) bool { return c.ID == 1 }), "the team is %d", vt.racePlayer(1).DDRaceTeam)
	testenv.Check(t, vt.racePlayer(0).DDRaceTeam == 3 && vt.racePlayer(2).DDRaceTeam == 3, "the others are in %d and %d",
		vt.racePlayer(0).DDRaceTeam, vt.racePlayer(2).DDRaceTeam)

	v[4].call("spectate", "1", "", false) // of team 0 there are three, and a spectator
	vt.wantStatus("1 yes 0 no 3 open of 4")
	vt.console("set_team 5 -1")
	vt.wantStatus("1 yes 0 no 2 open of 3")
	vt.console("vote no; set_team 5 0")
	vt.console("sv_vote_kick_min 5")
	vt.Wait(6 * time.Second)
	clear(v[4].chat)
	v[4].call("kick", "1", "", false)
	v[4].reads("Kick voting requires 5 players")
	v[0].call("kick", "2", "", false) // in teams it needs none
	v[2].isTold("Move 'v2' to team 0 (No reason given), 25 s")
	vt.console("vote no")
	vt.Wait(6 * time.Second)

	vt.console("sv_team 3; set_team 4 -1; set_team 5 -1")
	vt.console("set_team 4 0; set_team 5 0")
	vt.Wait(time.Second)
	clear(v[4].chat)
	v[4].call("spectate", "5", "", false) // each alone
	v[4].reads("You can only move your team member to spectators")
}

// TestMapVoteIsTold checks that the result of a vote for a map is told before the map changes.
func TestMapVoteIsTold(t *testing.T) {
	for _, mode := range []string{"ddrace", "dm"} {
		cfg := ddraceConfig()
		files := cfg.Files.(fstest.MapFS)
		files["maps/other.map"] = files["maps/race.map"]
		vt := newDDRaceVoteTest(t, cfg, 2, "sv_gametype "+mode, `add_vote next "sv_map other"; add_vote back "change_map race"`)
		v := vt.voters
		for i, option := range []string{"next", "back"} {
			if mode == "dm" && i == 1 {
				break // after the match
			}
			clear(v[0].chat)
			v[0].call("option", option, "", false)
			v[1].vote(1)
			vt.WaitUntil(10*time.Second, "the map", func() bool {
				return vt.Map().Name == []string{"other", "race"}[i] && v[0].State() == client.Playing && v[1].State() == client.Playing
			})
			v[0].reads("Vote passed")
			v[0].isTold(" (), 0 s")
			v[1].isTold("5 by 0:  (), 0 s")
		}
	}
}

// TestDDRaceVoteTexts checks the texts about votes for players of DDRace.
func TestDDRaceVoteTexts(t *testing.T) {
	vt := newDDRaceVoteTest(t, ddraceConfig(), 4)
	v := vt.voters
	v[3].login("adminpw")
	for _, o := range v {
		clear(o.chat)
	}
	clear(v[1].chat)
	v[0].call("option", "fun", "", false)
	v[2].isTold("fun (No reason given), 25 s")
	v[1].isTold("1 by 0: fun (No reason given), 25 s")
	v[2].reads("'v0' called vote to change server option 'fun' (No reason given)")
	v[1].reads()
	v[1].call("option", "fun", "", false)
	v[1].reads("Wait for current vote to end before calling a new one.")
	vt.console("vote yes")
	v[1].isTold("5 by -1:  (), 0 s")
	v[2].reads("authorized player forced vote yes", "Vote passed enforced by authorized player", "fun")
	v[1].reads("authorized player forced vote yes", "fun")
	v[0].call("option", "fun", "", false)
	for _, o := range v {
		clear(o.chat)
	}
	vt.console("vote no")
	v[1].isTold("6 by -1:  (), 0 s")
	v[2].reads("authorized player forced vote no", "Vote aborted")
	v[1].reads("authorized player forced vote no", "Vote aborted")

	clear(v[0].chat)
	answers := func(kind, value, want string) {
		t.Helper()
		v[0].call(kind, value, "", false)
		v[0].reads(want)
	}
	answers("option", "nothing", "'nothing' isn't an option on this server")
	answers("kick", "0", "You can't kick yourself")
	answers("kick", "40", "Invalid client id to kick")
	answers("spectate", "0", "You can't move yourself")
	answers("spectate", "40", "Invalid client id to move")
	answers("kick", "3", "You can't kick authorized players")
	v[3].reads("'v0' called for vote to kick you")
	v[0].call("kick", "1", "", false)
	v[0].reads() // too soon
	vt.Wait(6 * time.Second)
	v[0].call("kick", "1", "", false)
	v[2].isTold("Kick 'v1' (No reason given), 25 s")
	clear(v[2].chat)
	v[1].vote(-1)
	v[2].vote(-1)
	v[2].reads("Vote failed")
	v[1].isTold("6 by 0:  (), 0 s")
	vt.console("sv_vote_kick_bantime 5; sv_vote_delay 20")
	vt.Wait(6 * time.Second)
	v[2].call("kick", "1", "", false)
	v[2].isTold("Ban 'v1' (No reason given), 25 s")
	vt.console("vote no")
	vt.Wait(6 * time.Second)
	clear(v[2].chat)
	v[2].call("option", "fun", "", false)
	v[2].reads("You must wait 14 seconds before making another vote.")
	vt.console("sv_vote_kick 0; sv_vote_spectate 0")
	clear(v[0].chat)
	answers("kick", "1", "Server does not allow voting to kick players")
	answers("spectate", "1", "Server does not allow voting to move players to spectators")
	vt.console("force_vote option fun because")
	v[2].reads("fun", "authorized player forced server option 'fun' (because)")
	vt.console("sv_vote_spectate 1; force_vote spectate 1 because")
	v[2].reads("'v1' was moved to spectator (because)")
	testenv.Check(t, teamOf(vt.Server, 1) == game.TeamSpectators, "it is in the game")
}

// TestSettingsOfTheServer checks that /settings votes of DDRace has one answer.
func TestSettingsOfTheServer(t *testing.T) {
	vt := newDDRaceVoteTest(t, ddraceConfig(), 1, "sv_vote_kick 0")
	v := vt.voters[0]
	for line, want := range map[string][]string{
		"sv_vote_kick 0": {"Players can't use the Callvote menu tab to kick offenders"},
		"sv_vote_kick 1": {"Players can use Callvote menu tab to kick offenders", "Players are just kicked and not banned if they get voted off"},
	} {
		vt.console(line)
		clear(v.chat)
		v.command(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Text: "/settings votes"})
		vt.Wait(time.Second)
		testenv.Check(t, slices.Equal(v.chat[-1], want), "%s: %q", line, v.chat[-1])
	}
}
