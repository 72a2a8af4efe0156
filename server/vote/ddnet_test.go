package vote_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLastChoice checks that in DDRace the last choice of a person counts, and spectators may vote
// for options.
func TestLastChoice(t *testing.T) {
	s := ddnet(t, 7)
	s.team(4, game.TeamSpectators)
	s.call(0, option, "fun")
	s.wantStatus("1 yes 0 no 6 open of 7")
	s.cast(0, -1)
	s.wantStatus("0 yes 1 no 6 open of 7")
	s.cast(4, 1)
	s.cast(1, -1)
	s.cast(1, 1)
	s.cast(1, 0)
	s.wantStatus("2 yes 1 no 4 open of 7")
	w := s.join(1, true) // a second player of a person
	s.cast(w, 1)
	s.wantStatus("3 yes 0 no 4 open of 7")
}

// TestDDNetTexts checks the texts about votes in DDRace for clients of both kinds.
func TestDDNetTexts(t *testing.T) {
	s := ddnet(t, 4)
	own, other := s.clients[2], s.clients[3]
	told := func(lastOwn, lastOther string, chat ...string) {
		t.Helper()
		testenv.Check(t, own.last() == lastOwn, "a client with texts of its own saw %q", own.last())
		testenv.Check(t, other.last() == lastOther, "another client saw %q", other.last())
		s.wantReply(3, chat...)
	}
	s.call(0, option, "fun")
	told("1 by 0: fun (No reason given), 25 s", "1 by -1: fun (No reason given), 25 s", "'v0' called vote to change server option 'fun' (No reason given)")
	s.wantReply(2)
	s.call(1, option, "fun")
	s.run("vote yes")
	s.tick()
	s.tick()
	told("5 by -1:  (), 0 s", "0 by -1:  (), 0 s", "Vote passed enforced by authorized player")
	testenv.Check(t, s.said[len(s.said)-1] == "authorized player forced vote yes", "said %q", s.said)
	s.call(0, option, "fun")
	s.run("vote no")
	s.tick()
	s.clients[3].chat = s.clients[3].chat[1:]
	told("6 by -1:  (), 0 s", "0 by 0:  (), 0 s", "Vote aborted")
	s.wantReply(2, "Vote aborted")
	s.run("force_vote option fun because")
	told("1 by -1: fun (because), 0 s", "0 by 0:  (), 0 s", "authorized player forced server option 'fun' (because)")
	for _, test := range []struct {
		kind        event.VoteKind
		value, want string
	}{
		{option, "nothing", "'nothing' isn't an option on this server"},
		{kick, "0", "You can't kick yourself"},
		{kick, "40", "Invalid client id to kick"},
		{spectate, "0", "You can't move yourself"},
		{spectate, "40", "Invalid client id to move"},
	} {
		s.clients[0].chat = nil
		s.call(0, test.kind, test.value)
		s.wantReply(0, test.want)
	}
}

// TestVetoes checks that a player who has been in the game for long keeps votes from passing.
func TestVetoes(t *testing.T) {
	const veto = "Vote failed because of veto. Find an empty server instead"
	s := ddnet(t, 4, "sv_vote_veto_time 2; sv_vote_kick_min 0")
	s.clients[1].EnteredAt = s.now.Add(-4 * time.Minute)
	call := func(old int32, want string) {
		t.Helper()
		s.forgetChat()
		s.call(0, option, "fun")
		s.cast(2, 1)
		s.cast(3, 1)
		testenv.Check(t, s.votes.Running(), "it passes without the old player")
		if old != 0 {
			s.cast(1, old)
		} else {
			s.wait(26 * time.Second)
		}
		s.tick()
		chat := s.clients[3].chat
		testenv.Check(t, !s.votes.Running() && chat[len(chat)-1] == want, "read %q", chat)
	}
	call(1, "Vote passed")
	call(-1, veto)
	call(0, veto)
	s.forgetChat()
	second := s.join(2, true) // of the same person, whose last choice counts
	s.call(0, option, "fun")
	s.cast(second, 1)
	s.cast(1, -1)
	s.wantReply(3, "'v0' called vote to change server option 'fun' (No reason given)", veto)
	s.run("sv_vote_veto_time 0")
	s.call(0, option, "fun")
	s.cast(2, 1)
	s.cast(3, 1)
	s.tick()
	testenv.Check(t, !s.votes.Running(), fmt.Sprint("a veto without the variable: ", s.clients[3].status))
}

// TestAway checks that players who are away count once they vote.
func TestAway(t *testing.T) {
	s := ddnet(t, 0)
	s.Queue(game.SetVariable("sv_max_afk_time", "1"))
	for ip := range byte(3) {
		s.join(ip+1, true)
	}
	s.wait(3 * time.Second)
	s.call(0, option, "fun") // alone
	s.tick()
	s.wantLast(passed)
	for i := range int32(4) {
		s.world.Hold(1, game.Input{Direction: i%3 - 1})
		s.wait(100 * time.Millisecond)
	}
	s.call(0, option, "fun")
	s.wantStatus("1 yes 0 no 1 open of 2")
	s.cast(2, -1)
	s.wantStatus("1 yes 1 no 1 open of 3")
}

// TestSpam checks that players wait between two tries to call a vote or to vote.
func TestSpam(t *testing.T) {
	s := ddnet(t, 4, "sv_vote_delay 20")
	s.rules.SpamProtection = true
	s.cast(0, 1) // without a vote
	s.call(0, option, "nothing")
	s.wantReply(0, "'nothing' isn't an option on this server")
	s.call(0, option, "fun")
	s.wantReply(0)
	s.wait(3 * time.Second)
	s.call(0, option, "fun")
	s.cast(1, -1)
	s.cast(1, 1) // too soon
	s.wantStatus("1 yes 1 no 2 open of 4")
	s.wait(3 * time.Second)
	s.cast(1, 1)
	s.wantStatus("2 yes 0 no 2 open of 4")
	s.run("vote no")
	s.wait(3 * time.Second)
	s.forgetChat()
	s.call(0, option, "fun")
	s.wantReply(0, "You must wait 14 seconds before making another vote.")
	s.run("sv_rcon_vote 1")
	s.call(0, option, "fun")
	s.wantReply(0, "You can only vote after logging in.")
}

// TestTeams checks that only mates call and decide votes about each other.
func TestTeams(t *testing.T) {
	s := ddnet(t, 6)
	s.ddraceTeam("3", 0, 1, 2)
	refused := func(id game.PlayerID, kind event.VoteKind, value, want string) {
		t.Helper()
		s.wait(6 * time.Second) // a second vote to kick gets no answer earlier
		s.forgetChat()
		s.call(id, kind, value)
		s.wantReply(id, want)
	}
	refused(0, kick, "3", "You can kick only your team member")
	s.call(0, kick, "3")
	s.wantReply(0) // too soon
	refused(4, spectate, "0", "You can only move your team member to spectators")

	decides := func(caller, mate game.PlayerID, kind event.VoteKind, value, want string) {
		t.Helper()
		s.wait(6 * time.Second)
		s.ran = nil
		s.call(caller, kind, value)
		s.cast(mate, 1)
		testenv.Check(t, fmt.Sprintf("%q", s.ran) == want, "ran %q after %q", s.ran, s.clients[caller].chat)
	}
	decides(0, 2, kick, "1", `["uninvite 1 3" "set_team_ddr 1 0"]`)
	decides(0, 2, spectate, "1", `["uninvite 1 3" "force_pause 1 10"]`)
	s.run("sv_vote_pause 0")
	decides(0, 2, spectate, "1", `["uninvite 1 3" "set_team 1 -1 3"]`)
	s.team(5, game.TeamSpectators)
	decides(3, 4, kick, "4", `["kick 4 Kicked by vote"]`)
	refused(5, kick, "3", "You can kick only your team member")
	s.run("sv_vote_kick_min 3")
	refused(3, kick, "4", "Kick voting requires 3 players")
	s.run("sv_vote_kick 0; sv_vote_spectate 0")
	refused(3, kick, "4", "Server does not allow voting to kick players")
	refused(3, spectate, "4", "Server does not allow voting to move players to spectators")
	s.run("sv_vote_kick 1; sv_vote_kick_min 0")
	s.clients[4].Operator = true
	refused(3, kick, "4", "You can't kick authorized players")
	s.wantReply(4, "'v3' called for vote to kick you")
}
