package vote_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
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

// TestDDNetTexts checks what clients of both kinds read about votes in DDRace.
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
		kind        bridge.VoteKind
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
		for _, c := range s.clients[:4] {
			c.chat = nil
		}
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
	s.run("sv_vote_veto_time 0")
	s.call(0, option, "fun")
	s.cast(2, 1)
	s.cast(3, 1)
	s.tick()
	testenv.Check(t, !s.votes.Running(), fmt.Sprint("a veto without the variable: ", s.clients[3].status))
}
