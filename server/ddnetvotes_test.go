package server

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestVoteMutes checks that operators can keep somebody from calling votes, and that votes they watch
// pass only at their end.
func TestVoteMutes(t *testing.T) {
	vt := newVoteTest(t, 4, "sv_vote_kick_min 0")
	v := vt.voters
	vt.console("vote_mutes")
	vt.console("vote_mute 63 5")
	vt.console("vote_mute 1 100")
	vt.console("vote_mute 1 5")
	mutes := func(want ...string) {
		t.Helper()
		var got []string
		who := console.Operator
		who.Print = func(line string) { got = append(got, line) }
		vt.srv.console.Execute("vote_mutes", who)
		testenv.Check(t, slices.Equal(got, want), "the mutes are %q", got)
	}
	mutes("0: addr=10.0.1.2 seconds=5 name='v1'")
	v[1].call("option", "fun", "", false)
	vt.wantLast("")
	vt.run(6 * time.Second)
	v[1].call("option", "fun", "", false)
	testenv.Check(t, vt.srv.votes.Running(), "it may call none later")
	vt.console("vote_no")
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.Running(), "vote_no does not end it")
	vt.console("vote_mute 1 500")
	vt.console("vote_unmute 1")
	mutes("There are no active vote mutes.")

	v[0].login("adminpw")
	operator := vt.srv.sessions[v[0].id()].caller(console.Operator.Flags)
	vt.srv.console.Execute("moderate", operator)
	v[1].call("kick", "2", "rude", false)
	testenv.Check(t, vt.srv.votes.IsAccuser(game.PlayerID(v[1].id())) && !vt.srv.votes.IsAccuser(0), "it may change its team")
	v[0].vote(1)
	v[3].vote(1)
	vt.run(20 * time.Second)
	testenv.Check(t, vt.srv.votes.Running(), "a vote that is watched does not last")
	vt.run(6 * time.Second)
	testenv.Check(t, !vt.srv.votes.Running() && vt.srv.sessions[2] == nil, "it does not pass in the end")

	vt.srv.console.Execute("moderate", operator)
	v[1].call("kick", "3", "rude", false)
	v[0].vote(1)
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.Running() && vt.srv.sessions[3] == nil, "without a moderator it lasts")
}

// TestUnmute checks that a mute is ended by its number in the list.
func TestUnmute(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.srv.Execute("muteip 20.0.0.1 60; muteip 20.0.0.2 60")
	ts.log.Reset()
	ts.srv.Execute("unmute 5; unmute -1; unmute 0; mutes; mute")
	lines := strings.Split(strings.TrimSpace(ts.log.String()), "\n")
	testenv.Check(t, slices.Equal(lines, []string{
		"[mutes]: mute 5 does not exist; mutes lists the mutes", "[mutes]: mute -1 does not exist; mutes lists the mutes", "[mutes]: unmuted addr=20.0.0.1",
		"[mutes]: 0: addr=20.0.0.2 seconds=60", "[mutes]: use 'muteid ID SECONDS [REASON]' or 'muteip ADDRESS SECONDS [REASON]'",
	}), "printed %q", lines)
}

// TestVoteVariables checks DDNet's variables about votes.
func TestVoteVariables(t *testing.T) {
	vt := newVoteTest(t, 4, "sv_inactivekick_time 0; sv_vote_majority 0; sv_vote_time 12; sv_vote_kick_min 0")
	v := vt.voters
	passes := func(what string, want bool) {
		t.Helper()
		vt.until(20*time.Second, what, func() bool { return !vt.srv.votes.Running() })
		vt.run(time.Second)
		vt.wantLast(map[bool]string{true: "5 by 0:  (), 0 s", false: "6 by 0:  (), 0 s"}[want])
	}
	v[0].call("option", "fun", "", false)
	vt.run(11 * time.Second)
	testenv.Check(t, vt.srv.votes.Running(), "it ends too early")
	passes("those who vote decide", true)
	vt.console("sv_vote_yes_percentage 60")
	v[0].call("option", "fun", "", false)
	v[1].vote(1)
	v[2].vote(-1)
	passes("66 of 100", true)
	vt.console("sv_vote_yes_percentage 70")
	v[0].call("option", "fun", "", false)
	v[1].vote(1)
	v[2].vote(-1)
	passes("not 70 of 100", false)

	vt.console("sv_vote_yes_percentage 50")
	v[0].call("option", "fun", "", false)
	v[1].vote(-1)
	passes("half of those who vote", false)

	vt.console("sv_rcon_vote 1")
	v[1].call("option", "fun", "", false)
	testenv.Check(t, !vt.srv.votes.Running() && v[1].serverSaid("You can only vote after logging in.") == 1, "sv_rcon_vote has no effect")
	vt.console("sv_rcon_vote 0; sv_vote_map_delay 100; sv_vote_kick_delay 100; add_vote map \"change_map nosuch\"; sv_vote_majority 1")
	refuses := func(kind, value, text string) {
		t.Helper()
		v[1].call(kind, value, "", false)
		testenv.Check(t, vt.srv.votes.Running(), "no vote")
		vt.console("vote no")
		vt.run(time.Second)
		v[1].call(kind, value, "", false)
		testenv.Check(t, !vt.srv.votes.Running() && v[1].serverSaid(text) == 1, "%s: %q", kind, v[1].chat[-1])
		vt.run(100 * time.Second)
		v[1].call(kind, value, "", false)
		testenv.Check(t, vt.srv.votes.Running(), "%s: no vote later", kind)
		vt.console("vote no")
		vt.run(time.Second)
	}
	refuses("option", "map", "There's a 100 second delay between map-votes, please wait 99 seconds.")
	refuses("kick", "3", "There's a 100 second wait time between kick votes for each player please wait 99 second(s)")

	vt.console("sv_join_vote_delay 30; sv_vote_max_total 1")
	late := vt.addVoter(9, 50000, player07)
	late.call("option", "fun", "", false)
	testenv.Check(t, !vt.srv.votes.Running() && late.serverSaid("You must wait 30 seconds before making your first vote.") == 1, "%q", late.chat[-1])
	v[0].call("kick", "3", "", false)
	vt.run(time.Second)
	testenv.Check(t, vt.srv.sessions[3] == nil, "sv_vote_max_total has no effect")
	vt.run(30 * time.Second)
	late.call("option", "fun", "", false)
	testenv.Check(t, vt.srv.votes.Running(), "no vote later")
}

// TestVetoes checks that who has been in a game of DDRace for long keeps votes from passing.
func TestVetoes(t *testing.T) {
	cfg := ddraceConfig()
	vt := &voteTest{testNetwork: newTestNetworkWith(t, netsim.Link{}, 1, cfg, "sv_map race; sv_gametype ddrace; sv_spamprotection 0; sv_vote_delay 0; add_vote fun say fun; sv_vote_veto_time 2; sv_max_afk_time 0; sv_inactivekick_time 0")}
	old := vt.addVoter(1, 50000, player06DDNet)
	vt.run(3*time.Minute + time.Second)
	var young []*voter
	for i := range 3 {
		young = append(young, vt.addVoter(2+i, 50000, player06DDNet))
	}
	passed := func() int { return old.serverSaid("Vote passed") }
	call := func() {
		young[0].call("option", "fun", "", false)
		young[1].vote(1)
		young[2].vote(1)
	}
	call()
	testenv.Check(t, vt.srv.votes.Running(), "it passes without the one who is there for long: %q %q", old.chat, young[0].chat)
	old.vote(1)
	vt.run(time.Second)
	testenv.Check(t, passed() == 1, "it does not pass then")
	const veto = "Vote failed because of veto. Find an empty server instead"
	call()
	old.vote(-1)
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.Running() && old.serverSaid(veto) == 1, "no veto")
	call()
	vt.run(26 * time.Second)
	testenv.Check(t, passed() == 1 && old.serverSaid(veto) == 2, "no veto in the end")
	second := vt.addVoter(1, 50001, player06DDNet) // of the same person, whose last choice counts
	young[0].call("option", "fun", "", false)
	second.vote(1)
	old.vote(-1)
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.Running() && old.serverSaid(veto) == 3, "the first choice of a person counts")
	vt.console("sv_vote_veto_time 0")
	call()
	vt.run(time.Second)
	testenv.Check(t, passed() == 2, "a veto without the variable")
}

// TestRandomMap checks to which of the maps that players may vote for random_map changes.
func TestRandomMap(t *testing.T) {
	cfg := ddraceConfig()
	files := cfg.Files.(fstest.MapFS)
	for _, name := range []string{"one", "two", "three"} {
		files["maps/"+name+".map"] = files["maps/race.map"]
	}
	ranks := fakeRanks{"one": {Stars: 3, Own: 1000}, "two": {Stars: 3}, "three": {Stars: 5, Own: 1}}
	cfg.OpenRanks = func(string) Ranks { return ranks }
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace")
	ts.srv.Execute("random_map")
	testenv.Check(t, strings.Contains(ts.log.String(), "No maps found on this server!"), "log:\n%s", ts.log.String())
	ts.srv.Execute(`add_vote a "sv_reset_file x.cfg; change_map \"one\""; add_vote b "change_map two"; add_vote c "sv_map three"; add_vote d "sv_map race"`)
	random := func(command, want string) {
		t.Helper()
		ts.srv.Execute(command)
		ts.step(5)
		testenv.Check(t, strings.Contains(want, ts.srv.gameMap.svMap), "%s: %s is played", command, ts.srv.gameMap.svMap)
	}
	random("random_map", "one two three")
	random("sv_map race", "race")
	random("random_map 5", "three")
	random("random_map 4", "three")
	random("random_unfinished_map", "two race")
	random("sv_map race", "race")
	random("random_unfinished_map 3", "two")
	testenv.Check(t, strings.Contains(ts.log.String(), "no random map: No maps found"), "log:\n%s", ts.log.String())
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

// TestGameTypeIsKept checks that save_config writes a game type that was set, also the one by default, and that
// another one counts after reload.
func TestGameTypeIsKept(t *testing.T) {
	saved := func(commands ...string) string {
		ts := newTestServerWith(t, ddraceConfig(), append([]string{"sv_map race"}, commands...)...)
		return string(ts.srv.console.AppendConfig(nil))
	}
	testenv.Check(t, !strings.Contains(saved(), "sv_gametype"), "nobody has set it")
	testenv.Check(t, strings.Contains(saved("sv_gametype dm"), "sv_gametype \"dm\"\n"), "dm is not kept")

	cfg := ddraceConfig()
	cfg.ChooseMode = func(*game.Terrain) (string, string) { return "ddrace", "freeze" }
	files := cfg.Files.(fstest.MapFS)
	files["a.cfg"] = &fstest.MapFile{Data: []byte("sv_gametype dm\n")}
	ts := newTestServerWith(t, cfg, "sv_map race", "exec a.cfg")
	for _, test := range []struct{ config, played string }{{"sv_gametype ddrace", "DDraceNetwork"}, {"sv_gametype tdm", "TDM"}, {`sv_gametype ""`, "DDraceNetwork"}} {
		files["a.cfg"].Data = []byte(test.config + "\n")
		before := ts.srv.world.ModeName()
		ts.srv.reload(console.ReadConfiguration(files, []string{"sv_map race", "exec a.cfg"}))
		ts.step(2)
		testenv.Check(t, ts.srv.world.ModeName() == before, "%s: %s at once", test.config, ts.srv.world.ModeName())
		ts.srv.Execute("reload")
		ts.step(3)
		testenv.Check(t, ts.srv.world.ModeName() == test.played, "%s: %s after reload", test.config, ts.srv.world.ModeName())
	}
	testenv.Check(t, !strings.Contains(ts.log.String(), "does not exist"), "log:\n%s", ts.log.String())
}
