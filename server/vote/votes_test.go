package vote_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

const (
	option, kick, spectate = event.VoteOption, event.VoteKick, event.VoteSpectate

	passed, failed, aborted = "5 by 0:  (), 0 s", "6 by 0:  (), 0 s", "4 by 0:  (), 0 s"
)

// TestMajority checks that a vote passes with more than half of the players, and fails when a
// majority is out of reach. Its effect comes before the announcement.
func TestMajority(t *testing.T) {
	s := vanilla(t, 4)
	s.call(0, option, "Fun")
	s.wantLast("1 by 0: fun (No reason given), 24 s")
	s.wantStatus("1 yes 0 no 3 open of 4")
	s.call(2, option, "fun") // one at a time
	s.wantReply(2, "Another vote is running; wait until it ends")
	s.cast(1, 0)
	s.cast(1, -1)
	s.wantStatus("1 yes 1 no 2 open of 4")
	s.cast(1, 1) // the first choice counts
	s.cast(2, 1)
	s.wantStatus("2 yes 1 no 1 open of 4")
	s.order, s.dropping = nil, true
	s.cast(3, 1)
	testenv.Check(t, slices.Equal(s.ran, []string{"say fun"}), "ran %q", s.ran)
	s.call(2, option, "fun") // it settles
	s.wantReply(2, "Another vote is running; wait until it ends")
	s.dropping = false
	s.tick()
	s.wantLast(passed)
	testenv.Check(t, slices.Equal(s.order, []string{"ran", "told"}), "first %q", s.order)

	s.call(0, option, "fun")
	s.cast(1, -1)
	s.wantStatus("1 yes 1 no 2 open of 4")
	s.cast(2, -1) // two of four can no longer be more than half
	s.wantLast(failed)
	testenv.Check(t, len(s.ran) == 1 && !s.votes.Running(), "ran %q", s.ran)
	want := "&{Forced:false Caller:0 Command:say fun Result:}"
	testenv.Check(t, len(s.audited) == 1 && fmt.Sprintf("%+v", &s.audited[0]) == want, "audited %+v", s.audited)
}

// TestEndInTime checks that a vote fails after 25 seconds, and that its caller can call it off in
// the first ten.
func TestEndInTime(t *testing.T) {
	s := vanilla(t, 3)
	s.call(0, option, "fun")
	s.wait(9 * time.Second)
	s.cast(0, -1)
	s.wantLast(aborted)
	s.call(0, option, "fun")
	s.wait(11 * time.Second)
	s.cast(0, -1)
	s.wantStatus("1 yes 0 no 2 open of 3")
	s.wait(13900 * time.Millisecond)
	testenv.Check(t, s.votes.Running(), "it ends too early")
	s.wait(100 * time.Millisecond)
	s.wantLast(failed)
}

// TestDelays checks the three seconds between two tries, and the minute between two votes. A vote
// that passed does not count.
func TestDelays(t *testing.T) {
	s := vanilla(t, 3)
	s.rules.SpamProtection = true
	s.call(0, option, "nothing")
	s.wantReply(0, "'nothing' is not an option on this server")
	s.call(0, option, "fun")
	s.wantReply(0)
	s.wait(3 * time.Second)
	s.call(0, option, "fun")
	s.run("vote no")
	s.tick()
	s.wantLast("6 by -1:  (), 0 s")
	s.wait(50 * time.Second)
	s.call(0, option, "fun")
	s.wantReply(0, "You can call only one vote a minute")
	s.run("sv_vote_delay 70")
	s.wait(10 * time.Second) // another delay begins anew
	s.call(0, option, "fun")
	s.cast(1, 1)
	s.tick()
	s.wantLast(passed)
	s.wait(3 * time.Second)
	s.call(0, option, "fun")
	s.wantLast("1 by 0: fun (No reason given), 24 s")
	s.run("vote no")
	s.wait(4 * time.Second)
	s.call(0, option, "fun")
	s.wantReply(0, "You can call only one vote every 70 seconds")
}

// TestPersons checks that the players of an address have one vote, the first that one casts.
func TestPersons(t *testing.T) {
	s := vanilla(t, 3)
	for range 3 {
		s.join(3, true)
	}
	s.call(0, option, "fun")
	s.wantStatus("1 yes 0 no 2 open of 3")
	s.cast(4, -1)
	s.wantStatus("1 yes 1 no 1 open of 3")
	for id := range game.PlayerID(6) {
		if id != 1 {
			s.cast(id, 1)
		}
	}
	s.wantStatus("1 yes 1 no 1 open of 3")
	s.clients[1].Held = true // players who timed out do not count
	s.votes.Recount()
	s.tick()
	s.wantLast(failed)
}

// TestVoters checks that spectators do not vote, and that clients on their way count together.
func TestVoters(t *testing.T) {
	s := vanilla(t, 4)
	s.team(3, game.TeamSpectators)
	s.call(3, option, "fun")
	s.wantReply(3, "Spectators cannot call votes")
	s.call(0, option, "fun")
	s.cast(3, -1)
	s.wantStatus("1 yes 0 no 2 open of 3")
	s.team(2, game.TeamSpectators)
	s.wantStatus("1 yes 0 no 1 open of 2")
	a := s.join(9, true)
	b := s.join(10, true)
	s.wantLast("1 by 0: fun (No reason given), 24 s")
	s.clients[a].InGame, s.clients[b].InGame = false, false
	s.votes.Recount()
	s.tick()
	s.wantStatus("1 yes 0 no 2 open of 3")
	s.leave(a)
	s.leave(b)
	s.cast(1, -1)
	s.wantLast(failed)
}

// TestRefusals checks the answers to votes that cannot be.
func TestRefusals(t *testing.T) {
	s := vanilla(t, 4, "sv_vote_kick_min 0")
	s.clients[0].Operator = true
	s.bots = game.MaskOne(63)
	s.team(3, game.TeamSpectators)
	refused := func(kind event.VoteKind, value, want string) {
		t.Helper()
		s.call(1, kind, value)
		s.wantReply(1, want)
	}
	const bot = "'Ada' is a bot; bots leave when players need their place"
	refused(kick, "63", bot)
	refused(spectate, "63", bot)
	refused(kick, "0", "'v0' is an operator")
	refused(kick, "1", "You cannot call a vote about yourself")
	for _, nobody := range []string{"40", "64", "256", "-1", "x", ""} {
		refused(kick, nobody, "There is no such player")
	}
	refused(spectate, "3", "'v3' is already a spectator")
	refused(option, "no\x1bfun", "'no fun' is not an option on this server")
	refused(event.VotePassed, "1", "There is no such vote")
	s.run("sv_vote_spectate 0; sv_vote_kick_min 4")
	refused(kick, "2", "Votes to kick need 4 players")
	refused(spectate, "2", "This server does not allow votes to move players to the spectators")
	s.run("sv_vote_kick 0; sv_rcon_vote 1")
	refused(option, "fun", "You can only vote after logging in.")
	s.run("sv_rcon_vote 0")
	refused(kick, "2", "This server does not allow votes to kick players")
	s.clients[1].muted = 7
	refused(option, "fun", "You are not permitted to vote for the next 7 seconds.")
	testenv.Check(t, len(s.clients[2].chat) == 0 && len(s.clients[2].votes) == 0, "others read %q", s.clients[2].chat)
	s.run("sv_join_vote_delay 30")
	late := s.join(9, true)
	s.call(late, option, "fun")
	s.wantReply(late, "You must wait 30 seconds before making your first vote.")
}

// TestAboutPlayers checks what votes about players decide on, and what ends them.
func TestAboutPlayers(t *testing.T) {
	s := vanilla(t, 4, "sv_vote_kick_min 0; sv_vote_spectate_rejoindelay 2")
	decides := func(kind event.VoteKind, want string) {
		t.Helper()
		s.ran = nil
		s.call(0, kind, "2")
		s.cast(1, 1)
		s.cast(3, 1)
		testenv.Check(t, slices.Equal(s.ran, []string{want}), "ran %q", s.ran)
		s.tick()
	}
	decides(spectate, "set_team 2 -1 2")
	decides(kick, "kick 2 Kicked by vote")
	s.run("sv_vote_kick_bantime 7")
	decides(kick, "ban 10.0.1.3 7 Banned by vote")

	s.call(0, spectate, "2")
	testenv.Check(t, s.votes.Target() == 2 && s.votes.IsAccuser(0) && !s.votes.IsAccuser(2), "about %d", s.votes.Target())
	s.team(2, game.TeamSpectators)
	s.wantLast(aborted)
	s.team(2, game.TeamRed)
	s.call(0, kick, "2")
	s.leave(2) // a ban does not need the player
	testenv.Check(t, s.votes.Running(), "the vote has ended")
	s.run("vote no; sv_vote_kick_bantime 0")
	s.tick()
	s.call(0, kick, "3")
	s.leave(3)
	s.wantLast(aborted)
	s.run("sv_vote_kick_bantime 7")
	s.call(0, kick, "1")
	s.banned = s.clients[1].Addr
	s.leave(1)
	s.wantLast(aborted)
}

// TestPercentages checks the variables that decide when a vote passes.
func TestPercentages(t *testing.T) {
	s := vanilla(t, 4, "sv_vote_majority 0; sv_vote_time 12; sv_vote_kick_min 0")
	ends := func(want string, choices ...int32) {
		t.Helper()
		s.call(0, option, "fun")
		for i, choice := range choices {
			s.cast(game.PlayerID(i+1), choice)
		}
		s.wait(13 * time.Second)
		s.wantLast(want)
	}
	ends(passed) // the players who vote decide
	ends(failed, -1)
	s.run("sv_vote_yes_percentage 60")
	ends(passed, 1, -1)
	s.run("sv_vote_yes_percentage 70")
	ends(failed, 1, -1)
	s.run("sv_vote_yes_percentage 100; sv_vote_majority 1")
	ends(failed, 1, 1, 1)
	s.run("sv_vote_yes_percentage 50; sv_vote_max_total 1")
	s.call(0, kick, "3")
	s.tick()
	s.wantLast(passed)
}

// TestKickAndMapDelays checks the delays between votes to kick, and between votes about maps.
func TestKickAndMapDelays(t *testing.T) {
	s := vanilla(t, 4, "sv_vote_map_delay 100; sv_vote_kick_delay 100; sv_vote_kick_min 0", `add_vote map "change_map nosuch"`)
	for kind, text := range map[event.VoteKind]string{
		option: "There's a 100 second delay between map-votes, please wait 99 seconds.",
		kick:   "There's a 100 second wait time between kick votes for each player please wait 99 second(s)",
	} {
		value := map[event.VoteKind]string{option: "map", kick: "3"}[kind]
		call := func() bool {
			s.call(1, kind, value)
			running := s.votes.Running()
			s.run("vote no")
			s.wait(time.Second)
			return running
		}
		testenv.Check(t, call(), "no vote: %q", s.clients[1].chat)
		testenv.Check(t, !call(), "a second vote")
		s.wantReply(1, text)
		s.wait(100 * time.Second)
		testenv.Check(t, call(), "no vote later: %q", s.clients[1].chat)
		call()
		s.clients[1].chat = nil
		s.votes.ForgetMapVote()
	}
}

// TestOperators checks the commands that decide and force votes.
func TestOperators(t *testing.T) {
	s := vanilla(t, 3)
	s.run("vote yes; vote_no") // nothing runs
	s.call(0, option, "fun")
	s.run("vote perhaps")
	s.tick()
	s.wantLast("1 by 0: fun (No reason given), 24 s")
	s.run("vote YES")
	s.tick()
	s.tick()
	s.wantLast("5 by -1:  (), 0 s")
	s.call(0, option, "fun")
	s.run("vote_no")
	s.tick()
	s.wantLast("6 by -1:  (), 0 s")
	s.run("force_vote option FUN because")
	s.tick()
	s.wantLast("1 by -1: fun (because), 0 s")
	testenv.Check(t, slices.Equal(s.ran, []string{"say fun", "say fun"}), "ran %q", s.ran)
	for line, want := range map[string]string{
		"force_vote option no": "'no' is not an option on this server", "force_vote kick 9": "There is no such player",
		"force_vote map dm1": `force_vote "map": not a kind of vote; use option, kick or spectate`,
	} {
		s.printed = nil
		s.run(line)
		testenv.Check(t, slices.Equal(s.printed, []string{want}), "%s: %q", line, s.printed)
	}

	// In the game, operators can do no more than in the console.
	force := func() {
		s.votes.Call(1, option, "fun", "", true)
		s.tick()
	}
	s.ran, s.printed = nil, nil
	force()
	s.clients[1].Operator, s.clients[1].Level = true, console.LevelMod
	force()
	testenv.Check(t, len(s.ran) == 0 && strings.Contains(fmt.Sprint(s.printed), "vote not forced: console: invalid line: no access to say"),
		"printed %q", s.printed)
	s.run("mod_command say 1")
	force()
	testenv.Check(t, len(s.ran) == 1, "ran %q", s.ran)
}

// TestWithoutEffect checks that players and the log get a line if a decision changes nothing.
func TestWithoutEffect(t *testing.T) {
	s := vanilla(t, 1, `add_vote time "sv_vote_time 25"`)
	s.call(0, option, "time")
	s.tick()
	s.tick()
	testenv.Check(t, slices.Contains(s.said, "The vote passed without effect. Operators find the reason in the server's log"), "said %q", s.said)
	want := "a vote passed without effect. cmd='sv_vote_time 25': sv_vote_time has this value already"
	testenv.Check(t, slices.Contains(s.printed, want), "printed %q", s.printed)
	testenv.Check(t, s.audited[0].Result == "failed", "audited %+v", s.audited)
}

// TestMutesAndModerators checks that a muted player calls no votes, and that a moderated vote
// passes at its end.
func TestMutesAndModerators(t *testing.T) {
	s := vanilla(t, 4, "sv_vote_kick_min 0")
	s.printed = nil
	s.run("vote_mutes; vote_mute 63 5; vote_mute 64 5; vote_mute 256 5; vote_mute 1 100; vote_mute 1 5; vote_mutes")
	testenv.Check(t, slices.Equal(s.printed, []string{
		"There are no active vote mutes.", "Client ID not found", "Client ID not found", "Client ID not found",
		"'Operator' banned 'v1' for 100 seconds from voting.", "'Operator' banned 'v1' for 5 seconds from voting.", "0: addr=10.0.1.2 seconds=5 name='v1'",
	}), "printed %q", s.printed)
	s.call(1, option, "fun")
	s.wantReply(1, "You are not permitted to vote for the next 5 seconds.")
	s.run("vote_unmute 1")
	s.call(1, option, "fun")
	testenv.Check(t, s.votes.Running(), "no vote: %q", s.clients[1].chat)
	s.run("vote no")
	s.tick()

	s.clients[0].Operator = true
	moderator := console.Caller{Flags: console.Operator.Flags, ID: 0}
	s.console.Execute("moderate", moderator)
	s.wantReply(0, "Active moderator mode enabled for you.")
	s.call(1, kick, "2")
	s.cast(0, 1)
	s.cast(3, 1)
	s.wait(20 * time.Second)
	testenv.Check(t, s.votes.Running(), "it passes early")
	s.wait(5 * time.Second)
	testenv.Check(t, slices.Equal(s.ran, []string{"kick 2 Kicked by vote"}), "ran %q", s.ran)
	s.votes.Join(0) // the next client in the seat is no moderator
	s.tick()
	s.tick()
	testenv.Check(t, s.said[len(s.said)-1] == "Server kick/spec votes are no longer actively moderated.", "said %q", s.said)
}

// TestSwapSeats checks that a choice moves with its client.
func TestSwapSeats(t *testing.T) {
	s := vanilla(t, 4)
	s.call(0, option, "fun")
	s.cast(1, -1)
	s.votes.SwapSeats(1, 2)
	s.cast(1, 1)
	s.wantStatus("2 yes 1 no 1 open of 4")
}

// TestBegin checks that a new world ends the vote without a message.
func TestBegin(t *testing.T) {
	s := vanilla(t, 3)
	s.call(0, option, "fun")
	s.votes.Begin(s.world.Game)
	s.tick()
	testenv.Check(t, !s.votes.Running() && len(s.clients[0].votes) == 1, "told %q", s.clients[0].votes)
	s.call(0, option, "fun")
	s.wantStatus("1 yes 0 no 2 open of 3")
}
