package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
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
	testenv.Check(t, len(vt.srv.votes.mutes) == 1, "%d mutes", len(vt.srv.votes.mutes))
	v[1].call("option", "fun", "", false)
	vt.wantLast("")
	vt.run(6 * time.Second)
	v[1].call("option", "fun", "", false)
	testenv.Check(t, vt.srv.votes.running(), "it may call none later")
	vt.console("vote_no")
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.running(), "vote_no does not end it")
	vt.console("vote_mute 1 500")
	vt.console("vote_unmute 1")
	testenv.Check(t, len(vt.srv.votes.mutes) == 0, "%d mutes", len(vt.srv.votes.mutes))

	v[0].login("adminpw")
	operator := vt.srv.sessions[v[0].id()].caller(console.Operator.Flags)
	vt.srv.console.Execute("moderate", operator)
	v[1].call("kick", "2", "rude", false)
	testenv.Check(t, vt.srv.runsVoteAboutPlayer(game.PlayerID(v[1].id())) && !vt.srv.runsVoteAboutPlayer(0), "it may change its team")
	v[0].vote(1)
	v[3].vote(1)
	vt.run(20 * time.Second)
	testenv.Check(t, vt.srv.votes.running(), "a vote that is watched does not last")
	vt.run(6 * time.Second)
	testenv.Check(t, !vt.srv.votes.running() && vt.srv.sessions[2] == nil, "it does not pass in the end")

	vt.srv.console.Execute("moderate", operator)
	v[1].call("kick", "3", "rude", false)
	v[0].vote(1)
	vt.run(time.Second)
	testenv.Check(t, !vt.srv.votes.running() && vt.srv.sessions[3] == nil, "without a moderator it lasts")
}

// TestUnmute checks that a mute is ended by its number in the list.
func TestUnmute(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.srv.Execute("muteip 20.0.0.1 60; muteip 20.0.0.2 60")
	ts.log.Reset()
	ts.srv.Execute("unmute 5; unmute -1; unmute 0; mutes; mute")
	lines := strings.Split(strings.TrimSpace(ts.log.String()), "\n")
	testenv.Check(t, slices.Equal(lines, []string{
		"[mutes]: there is no mute 5", "[mutes]: there is no mute -1", "[mutes]: unmuted addr=20.0.0.1",
		"[mutes]: addr=20.0.0.2 seconds=60", "[mutes]: use 'muteid ID SECONDS [REASON]' or 'muteip ADDRESS SECONDS [REASON]'",
	}), "printed %q", lines)
}
