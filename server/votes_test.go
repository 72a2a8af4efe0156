package server_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// voteTest is a test network whose players vote.
type voteTest struct {
	*testNetwork
	voters []*voter
}

// voter is a player and its messages about votes.
type voter struct {
	*player
	// votes is what a vote is about, or how it ended, as "TYPE by ID: TEXT (REASON), TIMEOUT s".
	// 0.6 clients are told neither the type nor the id.
	votes   []string
	status  string   // of the running vote
	options []string // that can be voted on
	lists   []int    // lengths of the lists of options, 0 where they were cleared
}

// newVoteTest starts a server with players of 0.7 and 0.6 in turns.
func newVoteTest(t testing.TB, players int, commands ...string) *voteTest {
	t.Helper()
	vt := &voteTest{testNetwork: newTestNetwork(t, servertest.Link{}, 1,
		append([]string{"sv_spamprotection 0; sv_vote_kick_bantime 0; add_vote fun say fun"}, commands...)...)}
	for i := range players {
		vt.addVoter(i+1, 50000, []client.SessionConfig{player07, player06DDNet}[i%2])
	}
	return vt
}

// addVoter lets a player join. Players of the same ip share an address.
func (vt *voteTest) addVoter(ip int, port uint16, kind client.SessionConfig) *voter {
	vt.T.Helper()
	return vt.addVoterFrom(transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 1, byte(ip)}), port), kind)
}

// addVoterFrom is addVoter from an address.
func (vt *voteTest) addVoterFrom(peer transport.Peer, kind client.SessionConfig) *voter {
	vt.T.Helper()
	v := &voter{player: vt.dialFrom(peer, named(kind, fmt.Sprint("v", len(vt.voters))))}
	v.onMessage = v.record
	vt.voters = append(vt.voters, v)
	vt.untilPlaying(v.player)
	return v
}

func (v *voter) record(m testclient.Message) {
	add := func(descriptions ...[]byte) {
		for _, d := range descriptions {
			v.options = append(v.options, string(d))
		}
	}
	remove := func(description []byte) {
		v.options = slices.DeleteFunc(v.options, func(o string) bool { return o == string(description) })
	}
	switch m := m.(type) {
	case *msg6.SvVoteSet:
		v.votes = append(v.votes, fmt.Sprintf("%s (%s), %d s", m.Description, m.Reason, m.Timeout))
	case *msg7.SvVoteSet:
		v.votes = append(v.votes, fmt.Sprintf("%d by %d: %s (%s), %d s", m.Type, m.ClientID, m.Description, m.Reason, m.Timeout))
	case *msg6.SvVoteStatus:
		v.status = fmt.Sprintf("%d yes %d no %d open of %d", m.Yes, m.No, m.Pass, m.Total)
	case *msg7.SvVoteStatus:
		v.status = fmt.Sprintf("%d yes %d no %d open of %d", m.Yes, m.No, m.Pass, m.Total)
	case *msg6.SvVoteOptionListAdd:
		add(m.Descriptions[:m.Count]...)
	case *msg7.SvVoteOptionListAdd:
		v.lists = append(v.lists, len(m.Descriptions))
		add(m.Descriptions...)
	case *msg6.SvVoteOptionAdd:
		add(m.Description)
	case *msg7.SvVoteOptionAdd:
		add(m.Description)
	case *msg6.SvVoteOptionRemove:
		remove(m.Description)
	case *msg7.SvVoteOptionRemove:
		remove(m.Description)
	case *msg6.SvVoteClearOptions:
		v.options = nil
	case *msg7.SvVoteClearOptions:
		v.lists = append(v.lists, 0)
		v.options = nil
	}
}

// call calls a vote. Only 0.7 can force one.
func (v *voter) call(kind, value, reason string, force bool) {
	if v.Version() == client.Version06 {
		v.send(&msg6.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason)})
	} else {
		v.send(&msg7.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason), Force: force})
	}
	v.network.Wait(100 * time.Millisecond)
}

// vote votes 1, yes, or -1, no.
func (v *voter) vote(choice int32) {
	v.Request(v.network.Now(), func(c bridge.ClientSide) { c.SendVote(choice) })
	v.network.Wait(100 * time.Millisecond)
}

// console runs a line of the operator's.
func (vt *voteTest) console(line string) {
	vt.Execute(line)
	vt.Wait(100 * time.Millisecond)
}

// wantLast checks what all players were told last of votes. 0.6 clients are told the same
// text unless want06 says another one.
func (vt *voteTest) wantLast(want string, want06 ...string) {
	vt.T.Helper()
	for i, v := range vt.voters {
		if v.State() != client.Playing {
			continue
		}
		got, want := "", want
		if len(v.votes) > 0 {
			got = v.votes[len(v.votes)-1]
		}
		if v.Version() == client.Version06 {
			if _, text, ok := strings.Cut(want, ": "); ok {
				want = text
			}
			if want06 != nil {
				want = want06[0]
			}
		}
		if got != want {
			vt.T.Fatalf("voter %d was told %q last, not %q", i, got, want)
		}
	}
}

// wantStatus checks how the vote stands.
func (vt *voteTest) wantStatus(want string) {
	vt.T.Helper()
	for i, v := range vt.voters {
		if v.State() == client.Playing && v.status != want {
			vt.T.Fatalf("voter %d saw %q, not %q", i, v.status, want)
		}
	}
}

// serverSaid counts the lines of the server's chat with a text.
func (v *voter) serverSaid(text string) (n int) {
	for _, l := range v.chat[-1] {
		if l == text {
			n++
		}
	}
	return n
}

// TestVoteNeedsMajority checks that a vote passes with more than half of all players,
// fails when that is out of reach, and takes effect before its end is told.
func TestVoteNeedsMajority(t *testing.T) {
	vt := newVoteTest(t, 4)
	v := vt.voters
	v[1].call("OPTION", "Fun", "", false)
	vt.wantLast("1 by 1: fun (No reason given), 24 s")
	vt.wantStatus("1 yes 0 no 3 open of 4")
	v[2].call("option", "fun", "", false) // one at a time
	vt.wantLast("1 by 1: fun (No reason given), 24 s")
	v[0].vote(0)
	v[0].vote(-1)
	vt.wantStatus("1 yes 1 no 2 open of 4")
	v[0].vote(1) // once is once
	vt.wantStatus("1 yes 1 no 2 open of 4")
	v[2].vote(1)
	vt.wantStatus("2 yes 1 no 1 open of 4")
	v[3].vote(1)
	vt.wantLast("5 by 1:  (), 0 s")
	if n := v[0].serverSaid("fun"); n != 1 {
		t.Errorf("said %d times", n)
	}
	v[3].vote(1) // over
	vt.wantLast("5 by 1:  (), 0 s")

	v[0].call("option", "fun", "a reason of more than 15 bytes", false)
	vt.wantLast("1 by 0: fun (a reason of mor), 24 s")
	v[1].vote(-1)
	vt.wantStatus("1 yes 1 no 2 open of 4")
	v[2].vote(-1) // two of four can no longer be more than half
	vt.wantLast("6 by 0:  (), 0 s")
	if n := v[0].serverSaid("fun"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// TestVotesOfIPv6Network checks that those who play from a /64 have one vote together,
// wait together before they call the next one, whoever of them reconnects, and are banned
// together.
func TestVotesOfIPv6Network(t *testing.T) {
	vt := newVoteTest(t, 3, "sv_spamprotection 1; sv_vote_kick_bantime 5")
	for i := range 3 {
		vt.addVoterFrom(ipv6(i+1), player07)
	}
	v := vt.voters
	hash := func(i int) uint64 {
		info, _ := vt.World().Player(v[i].id())
		return info.AddrHash
	}
	if hash(3) != hash(4) || hash(3) == hash(2) {
		t.Errorf("the hashes of addresses are %x, and %x and %x of the /64", hash(2), hash(3), hash(4))
	}
	v[3].call("kick", "0", "", false)
	vt.wantLast("2 by 3: 0: v0 (No reason given), 24 s", "Kick 'v0' (No reason given), 24 s")
	vt.wantStatus("1 yes 0 no 3 open of 4")
	v[4].vote(1)
	v[5].vote(1)
	vt.wantStatus("1 yes 0 no 3 open of 4")
	v[1].vote(-1)
	v[2].vote(-1)
	const over = "6 by 3:  (), 0 s"
	vt.wantLast(over)

	vt.Wait(4 * time.Second)
	v[4].call("kick", "0", "", false)
	vt.wantLast(over)
	v[3].Close(vt.Now())
	vt.Wait(2 * time.Second)
	testenv.NoError(t, v[3].Dial(vt.Now()))
	vt.untilPlaying(v[3].player)
	v[3].call("kick", "0", "", false)
	vt.wantLast(over)
	told := len(v[0].votes)
	vt.addVoterFrom(ipv6(77), player07).call("kick", "0", "", false)
	if len(v[0].votes) != told {
		t.Errorf("a new player of the /64 called a vote: %q", v[0].votes[told:])
	}

	v[0].call("kick", "4", "", false)
	v[1].vote(1)
	v[2].vote(1)
	vt.Wait(time.Second)
	for i, p := range vt.voters {
		ofNetwork := i >= 3
		if p.State() == client.Playing == ofNetwork || banned(vt.Server, p.peer) != ofNetwork {
			t.Errorf("voter %d plays: %v, banned: %v", i, p.State() == client.Playing, banned(vt.Server, p.peer))
		}
	}
	if !banned(vt.Server, ipv6(500)) || banned(vt.Server, inSite(1)) {
		t.Error("the ban is not of the /64")
	}
}

func TestVoteSpectators(t *testing.T) {
	vt := newVoteTest(t, 4)
	v := vt.voters
	vt.console("set_team 3 -1")
	v[3].call("option", "fun", "", false)
	vt.wantLast("")
	v[0].call("option", "fun", "", false)
	vt.wantStatus("1 yes 0 no 2 open of 3")
	v[3].vote(-1)
	vt.wantStatus("1 yes 0 no 2 open of 3")
	vt.console("set_team 2 -1") // who goes to watch has no vote any more
	vt.wantStatus("1 yes 0 no 1 open of 2")
	w := vt.addVoter(9, 50000, player07) // and who comes has one
	vt.wantStatus("1 yes 0 no 2 open of 3")
	w.Close(vt.Now())
	vt.Wait(100 * time.Millisecond)
	vt.wantStatus("1 yes 0 no 1 open of 2")
	v[1].vote(-1)
	vt.wantLast("6 by 0:  (), 0 s")
	vt.console("set_team_all -1")
	vt.console("set_team 0 0")
	v[0].call("option", "fun", "", false) // alone
	vt.wantLast("5 by 0:  (), 0 s")
}

func TestVoteKick(t *testing.T) {
	vt := newVoteTest(t, 4, "sv_vote_kick_min 4")
	v := vt.voters
	v[0].login("adminpw")
	for _, id := range []string{"0", "1", "9", "-1", "64", "x", ""} {
		v[1].call("kick", id, "", false) // an admin, oneself, nobody
		vt.wantLast("")
	}
	vt.console("set_team 3 -1")
	v[1].call("kick", "2", "", false)
	vt.wantLast("") // too few
	vt.console("set_team 3 0")
	vt.console("sv_vote_kick 0")
	v[1].call("kick", "2", "", false)
	vt.wantLast("")
	vt.console("sv_vote_kick 1")
	v[1].call("kick", "2", "rude", false)
	vt.wantLast("2 by 1: 2: v2 (rude), 24 s", "Kick 'v2' (rude), 24 s")
	v[0].vote(1)
	v[3].vote(1)
	vt.wantLast("5 by 1:  (), 0 s")
	if v[2].State() != client.Offline || !strings.Contains(fmt.Sprint(v[2].Err()), "Kicked by vote") {
		t.Errorf("the kicked: %v", v[2].Err())
	}
	if !slices.Equal(v[0].leaveReasons, []string{"Kicked (Kicked by vote)"}) {
		t.Errorf("others were told %q", v[0].leaveReasons)
	}
}

// TestRefusedVotes checks that who calls a vote that cannot be is told why, and others are
// not.
func TestRefusedVotes(t *testing.T) {
	vt := newVoteTest(t, 4, "sv_vote_spectate 1; sv_vote_kick_min 0; sv_bots 6")
	v := vt.voters
	testenv.Eventually(t, "two bots", func() bool { // after exploring the map
		vt.Wait(20 * time.Millisecond)
		return len(clients(vt.Server, server.ClientBot)) == 2
	})
	v[0].login("adminpw")
	vt.console("set_team 3 -1")
	for _, caller := range v[1:3] { // of both versions
		refused := func(kind, value, want string) {
			t.Helper()
			for _, o := range v {
				clear(o.chat)
			}
			caller.call(kind, value, "", false)
			vt.wantLast("")
			for _, o := range v {
				got := strings.Join(o.chat[-1], "|")
				if o == caller && got != want || o != caller && got != "" {
					t.Errorf("%s %q: %s reads %q, want %q", kind, value, o.name, got, want)
				}
			}
		}
		const bot = "'Ada' is a bot; bots leave when players need their place"
		refused("kick", "63", bot)
		refused("spectate", "63", bot)
		refused("kick", "0", "'v0' is an operator")
		refused("kick", fmt.Sprint(caller.id()), "You cannot call a vote about yourself")
		refused("kick", "40", "There is no such player")
		refused("kick", "x", "There is no such player")
		refused("spectate", "3", "'v3' is already a spectator")
		refused("option", "no\x1bfun", "'no fun' is not an option on this server")
		vt.console("sv_vote_spectate 0; sv_vote_kick_min 4")
		refused("kick", "0", "Votes to kick need 4 players")
		refused("spectate", "0", "This server does not allow votes to move players to the spectators")
		vt.console("sv_vote_kick 0")
		refused("kick", "0", "This server does not allow votes to kick players")
		vt.console("sv_vote_kick 1; sv_vote_spectate 1; sv_vote_kick_min 0")
	}
	clear(v[3].chat)
	v[3].call("option", "fun", "", false)
	if got := v[3].chat[-1]; !slices.Equal(got, []string{"Spectators cannot call votes"}) {
		t.Errorf("a spectator reads %q", got)
	}
	v[1].call("option", "fun", "", false)
	clear(v[2].chat)
	v[2].call("option", "fun", "", false)
	if got := v[2].chat[-1]; !slices.Equal(got, []string{"Another vote is running; wait until it ends"}) {
		t.Errorf("the second caller reads %q", got)
	}
	v[1].vote(-1)
	vt.Wait(5 * time.Second)
	vt.console("sv_spamprotection 1")
	clear(v[1].chat)
	v[1].call("option", "fun", "", false)
	if got := v[1].chat[-1]; !slices.Equal(got, []string{"You can call only one vote a minute"}) {
		t.Errorf("the caller of the last vote reads %q", got)
	}
}

func TestLeavingEndsKickVoteButNoBanVote(t *testing.T) {
	vt := newVoteTest(t, 4)
	v := vt.voters
	v[1].call("kick", "2", "", false)
	v[2].Close(vt.Now())
	vt.Wait(100 * time.Millisecond)
	vt.wantLast("4 by 1:  (), 0 s")

	vt.console("sv_vote_kick_bantime 7")
	v[1].call("kick", "3", "", false)
	v[3].Close(vt.Now())
	vt.Wait(100 * time.Millisecond)
	vt.wantLast("2 by 1: 3: v3 (No reason given), 24 s", "Kick 'v3' (No reason given), 24 s")
	v[0].vote(1)
	vt.wantLast("5 by 1:  (), 0 s")
	if got := vt.Console("bans"); !strings.Contains(got, "7 minutes (Banned by vote)") {
		t.Errorf("the bans are %s", got)
	}
}

func TestBanEndsBanVote(t *testing.T) {
	vt := newVoteTest(t, 3, "sv_vote_kick_bantime 7")
	vt.voters[1].call("kick", "2", "", false)
	vt.console("ban 2 1 rude")
	vt.wantLast("4 by 1:  (), 0 s")
}

// TestVoteBansNoOperator checks that not even one who plays from the same address is
// banned.
func TestVoteBansNoOperator(t *testing.T) {
	vt := newVoteTest(t, 3, "sv_vote_kick_bantime 7; sv_rcon_mod_password modpw")
	vt.addVoter(3, 50001, player07).login("modpw")
	vt.voters[1].call("kick", "2", "", false)
	vt.voters[0].vote(1)
	vt.wantLast("5 by 1:  (), 0 s")
	if banned(vt.Server, vt.voters[2].peer) || vt.voters[2].State() != client.Playing {
		t.Error("an operator is banned")
	}
}

func TestVoteSpectate(t *testing.T) {
	vt := newVoteTest(t, 3, "sv_vote_spectate_rejoindelay 2")
	v := vt.voters
	for _, id := range []string{"0", "9"} {
		v[0].call("spectate", id, "", false)
		vt.wantLast("")
	}
	vt.console("sv_vote_spectate 0")
	v[0].call("spectate", "2", "", false)
	vt.wantLast("")
	vt.console("sv_vote_spectate 1")
	v[0].call("spectate", "2", "asleep", false)
	vt.wantLast("3 by 0: 2: v2 (asleep), 24 s", "move 'v2' to spectators (asleep), 24 s")
	vt.console("set_team 2 -1")
	vt.wantLast("4 by 0:  (), 0 s")
	v[0].call("spectate", "2", "", false) // watches already
	vt.wantLast("4 by 0:  (), 0 s")
	vt.console("set_team 2 0")
	v[0].call("spectate", "2", "", false)
	v[1].vote(1)
	vt.wantLast("5 by 0:  (), 0 s")
	back := func() game.Team {
		v[2].send(&msg7.ClSetTeam{Team: 0})
		vt.Wait(100 * time.Millisecond)
		return teamOf(vt.Server, 2)
	}
	if back() != game.TeamSpectators {
		t.Error("plays again at once")
	}
	vt.Wait(time.Minute)
	if back() != game.TeamSpectators {
		t.Error("plays again after a minute")
	}
	vt.Wait(time.Minute)
	if back() == game.TeamSpectators {
		t.Error("may not play again after two minutes")
	}
}

func TestOperatorDecidesVote(t *testing.T) {
	vt := newVoteTest(t, 3)
	v := vt.voters
	vt.console("vote yes") // on nothing
	vt.wantLast("")
	v[0].call("option", "fun", "", false)
	vt.console("vote perhaps")
	vt.wantLast("1 by 0: fun (No reason given), 24 s")
	vt.console("vote YES")
	vt.wantLast("5 by -1:  (), 0 s")
	if v[0].serverSaid("fun") != 1 {
		t.Error("nothing came of it")
	}
	v[0].call("option", "fun", "", false)
	vt.console("vote no")
	vt.wantLast("6 by -1:  (), 0 s")
}

// TestOperatorForcesVote checks that operators need no vote, and moderators can do no
// more by it than without.
func TestOperatorForcesVote(t *testing.T) {
	vt := newVoteTest(t, 0, "sv_rcon_mod_password modpw; add_vote limit sv_scorelimit 3")
	for i := range 4 { // 0.6 clients are not told of forced votes
		vt.addVoter(i+1, 50000, player07)
	}
	v := vt.voters
	v[0].call("option", "fun", "", true)
	vt.wantLast("")
	v[0].login("modpw")
	v[0].call("option", "limit", "", true)
	v[0].call("kick", "3", "", true)
	v[0].call("spectate", "3", "", true)
	vt.wantLast("")
	if value(vt.Server, "sv_scorelimit") == "3" || v[3].State() != client.Playing || teamOf(vt.Server, 3) == game.TeamSpectators {
		t.Error("a moderator has an administrator's rights")
	}
	if !slices.ContainsFunc(v[0].rconLines, func(l string) bool { return strings.Contains(l, "no access to sv_scorelimit") }) {
		t.Errorf("and is not told why: %q", v[0].rconLines)
	}
	vt.console("mod_command say 1")
	v[0].call("option", "fun", "", true)
	vt.wantLast("1 by -1: fun (No reason given), 0 s")
	if v[1].serverSaid("fun") != 1 {
		t.Error("a moderator may not say what he may say")
	}
	v[0].login("adminpw")
	v[0].call("option", "limit", "why not", true)
	vt.wantLast("1 by -1: limit (why not), 0 s")
	v[0].call("spectate", "3", "", true)
	vt.wantLast("3 by -1: 3: v3 (No reason given), 0 s")
	v[0].call("kick", "3", "", true)
	vt.wantLast("3 by -1: 3: v3 (No reason given), 0 s") // of which nothing is said
	if value(vt.Server, "sv_scorelimit") != "3" || v[3].State() == client.Playing {
		t.Error("an administrator cannot force")
	}
}

// TestForceVote checks the command that does what a vote would decide.
func TestForceVote(t *testing.T) {
	vt := newVoteTest(t, 0, "add_vote limit sv_scorelimit 3")
	for i := range 4 {
		vt.addVoter(i+1, 50000, player07)
	}
	v := vt.voters
	vt.console("force_vote option LIMIT because")
	vt.wantLast("1 by -1: limit (because), 0 s")
	vt.console("force_vote spectate 2")
	vt.wantLast("3 by -1: 2: v2 (No reason given), 0 s")
	vt.console("force_vote kick 3 bye")
	if value(vt.Server, "sv_scorelimit") != "3" || teamOf(vt.Server, 2) != game.TeamSpectators || v[3].State() == client.Playing {
		t.Error("a forced vote had no effect")
	}
	for line, want := range map[string]string{
		"force_vote option no": "'no' is not an option on this server", "force_vote kick 9": "There is no such player",
		"force_vote map dm1": `force_vote "map": not a kind of vote; use option, kick or spectate`,
	} {
		if got := vt.Console(line); !strings.HasSuffix(got, ": "+want+"\n") {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestVoteOptions checks the messages with the options. A newcomer gets long lists bit by bit.
func TestVoteOptions(t *testing.T) {
	vt := newVoteTest(t, 2)
	for _, v := range vt.voters {
		testenv.Check(t, slices.Equal(v.options, []string{"fun"}), "the options are %q", v.options)
	}
	vt.console("add_vote parts \"say a; say b\"; remove_vote FUN")
	for _, v := range vt.voters {
		testenv.Check(t, slices.Equal(v.options, []string{"parts"}), "the options are %q", v.options)
	}
	vt.console("clear_votes")
	for _, v := range vt.voters {
		testenv.Check(t, len(v.options) == 0, "the options are %q", v.options)
	}
	const many = 200
	for i := range many {
		vt.Execute(fmt.Sprintf("add_vote option%d say %d", i, i))
	}
	w := vt.addVoter(3, 50000, player07)
	if len(w.lists) < 8 || !slices.Equal(w.lists[:8], []int{0, 21, 21, 21, 21, 21, 21, 2}) {
		t.Errorf("a newcomer sees %d options in %v", len(w.options), w.lists)
	}
	vt.Wait(2 * time.Second)
	for _, v := range vt.voters {
		testenv.Check(t, len(v.options) == many && v.options[many-1] == "option199", "a player sees %d options", len(v.options))
	}
}

// TestJoinVoteDelay checks that players who join others wait before they call a vote.
func TestJoinVoteDelay(t *testing.T) {
	vt := newVoteTest(t, 2, "sv_join_vote_delay 30")
	vt.Wait(11 * time.Second)
	vt.voters[0].call("option", "fun", "", false)
	vt.wantLast("1 by 0: fun (No reason given), 24 s")
	vt.console("vote no")
	late := vt.addVoter(9, 50000, player07)
	late.call("option", "fun", "", false)
	testenv.Check(t, !(vt.Votes().Running != "") && late.serverSaid("You must wait 30 seconds before making your first vote.") == 1, "%q", late.chat[-1])
	vt.Wait(30 * time.Second)
	late.call("option", "fun", "", false)
	testenv.Check(t, (vt.Votes().Running != ""), "no vote later")
}

// TestVoteAndMapChange checks that new players learn of the running vote, and that it ends without
// a message when the map changes.
func TestVoteAndMapChange(t *testing.T) {
	vt := newVoteTest(t, 3)
	v := vt.voters
	v[0].call("option", "fun", "", false)
	vt.Wait(10 * time.Second)
	w := vt.addVoter(9, 50000, player07)
	if !slices.Equal(w.votes, []string{"1 by 0: fun (No reason given), 14 s"}) {
		t.Errorf("a newcomer is told %q", w.votes)
	}
	vt.console("sv_map testbox")
	vt.WaitUntil(10*time.Second, "the next map", func() bool {
		return vt.Map().Name == "testbox" && v[0].State() == client.Playing && v[1].State() == client.Playing
	})
	if (vt.Votes().Running != "") || len(v[0].votes) != 1 {
		t.Errorf("on the next map %q", v[0].votes)
	}
	if !slices.Equal(v[0].options, []string{"fun"}) {
		t.Errorf("the options are %q", v[0].options)
	}
	v[1].call("option", "fun", "", false)
	if !(vt.Votes().Running != "") {
		t.Error("no vote on the next map")
	}
}

// TestVoteEndsBeforeTheNext checks that the end of a vote is told before the next one
// can begin.
func TestVoteEndsBeforeTheNext(t *testing.T) {
	vt := newVoteTest(t, 1)
	v := vt.voters[0]
	for range 20 {
		for range 3 {
			v.send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("fun")})
		}
		vt.Wait(7 * time.Millisecond)
	}
	vt.Wait(time.Second)
	if len(v.votes) < 4 {
		t.Fatalf("told %q", v.votes)
	}
	for i, l := range v.votes {
		want := "1 by 0: fun (No reason given), 24 s"
		if i%2 == 1 {
			want = "5 by 0:  (), 0 s"
		}
		if l != want {
			t.Fatalf("line %d is %q, not %q", i, l, want)
		}
	}
}

// TestWholeVotes: with 100 percent no vote passes, as on DDNet-Server.
func TestWholeVotes(t *testing.T) {
	allowed, _ := func() (string, string) {
		ts := newTestServer(t, nil, "sv_vote_yes_percentage 100")
		testenv.Check(t, value(ts, "sv_vote_yes_percentage") == "100", "%s percent", value(ts, "sv_vote_yes_percentage"))
		return ts.Language().Values("sv_vote_yes_percentage")
	}()
	testenv.Check(t, allowed == "1 to 100", "allowed are %s", allowed)
	vt := newVoteTest(t, 2, "sv_vote_yes_percentage 100")
	vt.voters[0].call("option", "fun", "", false)
	vt.Wait(time.Second)
	testenv.Check(t, !(vt.Votes().Running != ""), "the vote goes on")
}
