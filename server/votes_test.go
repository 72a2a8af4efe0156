package server

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
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/transport"
)

// poll is an arena whose players vote.
type poll struct {
	*arena
	voters []*voter
}

// voter is a player who keeps what is said of votes: what a vote is about and how it
// ended, how it stands, and what there is to vote on.
type voter struct {
	*player
	poll    *poll
	told    []string
	status  string
	options []string
	lists   []int // lengths of the lists of options, 0 where it was emptied
	lines   []string
}

func newPoll(t testing.TB, players int, commands ...string) *poll {
	t.Helper()
	p := &poll{arena: newArena(t, netsim.Link{}, 1, append([]string{"sv_spamprotection 0; sv_vote_kick_bantime 0; add_vote fun say fun"}, commands...)...)}
	for i := range players {
		p.voter(i+1, 50000)
	}
	return p
}

// voter lets a player join from an address.
func (p *poll) voter(ip int, port uint16) *voter {
	p.t.Helper()
	peer := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 1, byte(ip)}), port)
	v := &voter{player: p.joinFrom(peer, client.SessionConfig{Name: fmt.Sprint("v", len(p.voters))}), poll: p}
	v.onMessage = v.hear
	p.voters = append(p.voters, v)
	p.until(5*time.Second, "playing", func() bool { return v.State() == client.Playing })
	return v
}

func (v *voter) hear(m msg7.Message) {
	switch m := m.(type) {
	case *msg7.SvVoteSet:
		v.told = append(v.told, fmt.Sprintf("%d by %d: %s (%s), %d s", m.Type, m.ClientID, m.Description, m.Reason, m.Timeout))
	case *msg7.SvVoteStatus:
		v.status = fmt.Sprintf("%d yes %d no %d open of %d", m.Yes, m.No, m.Pass, m.Total)
	case *msg7.SvVoteOptionListAdd:
		v.lists = append(v.lists, len(m.Descriptions))
		for _, d := range m.Descriptions {
			v.options = append(v.options, string(d))
		}
	case *msg7.SvVoteOptionAdd:
		v.options = append(v.options, string(m.Description))
	case *msg7.SvVoteOptionRemove:
		v.options = slices.DeleteFunc(v.options, func(o string) bool { return o == string(m.Description) })
	case *msg7.SvVoteClearOptions:
		v.lists = append(v.lists, 0)
		v.options = nil
	case *msg7.RconLine:
		v.lines = append(v.lines, string(m.Line))
	}
}

// call wants a vote.
func (v *voter) call(kind, value, reason string, force bool) {
	v.Send(v.poll.now(), &msg7.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason), Force: force})
	v.poll.run(100 * time.Millisecond)
}

// vote answers one.
func (v *voter) vote(choice msg7.VoteChoice) {
	v.Send(v.poll.now(), &msg7.ClVote{Vote: choice})
	v.poll.run(100 * time.Millisecond)
}

// login opens the remote console.
func (v *voter) login(password string) {
	v.Send(v.poll.now(), &msg7.RconAuth{Password: []byte(password)})
	v.poll.run(100 * time.Millisecond)
}

// says runs a console line as the operator.
func (p *poll) console(line string) {
	p.srv.Execute(line)
	p.run(100 * time.Millisecond)
}

// last checks what everybody was told of votes last.
func (p *poll) last(want string) {
	p.t.Helper()
	for i, v := range p.voters {
		if v.State() != client.Playing {
			continue
		}
		got := ""
		if len(v.told) > 0 {
			got = v.told[len(v.told)-1]
		}
		if got != want {
			p.t.Fatalf("voter %d was told %q last, not %q", i, got, want)
		}
	}
}

// stands checks how the vote stands.
func (p *poll) stands(want string) {
	p.t.Helper()
	for i, v := range p.voters {
		if v.State() == client.Playing && v.status != want {
			p.t.Fatalf("voter %d saw %q, not %q", i, v.status, want)
		}
	}
}

// heard counts the lines of server chat with a text.
func (v *voter) serverSaid(text string) (n int) {
	for _, l := range v.heard[-1] {
		if l == text {
			n++
		}
	}
	return n
}

// A vote passes with more than half of all who play, fails when that is out of reach,
// and does its deed before its end is told.
func TestVoteMajority(t *testing.T) {
	p := newPoll(t, 4)
	v := p.voters
	v[1].call("OPTION", "Fun", "", false)
	p.last("1 by 1: fun (No reason given), 24 s")
	p.stands("1 yes 0 no 3 open of 4")
	v[2].call("option", "fun", "", false) // one at a time
	p.last("1 by 1: fun (No reason given), 24 s")
	v[0].vote(0)
	v[0].vote(-1)
	p.stands("1 yes 1 no 2 open of 4")
	v[0].vote(1) // once is once
	p.stands("1 yes 1 no 2 open of 4")
	v[2].vote(1)
	p.stands("2 yes 1 no 1 open of 4")
	v[3].vote(1)
	p.last("5 by 1:  (), 0 s")
	if n := v[0].serverSaid("fun"); n != 1 {
		t.Errorf("said %d times", n)
	}
	v[3].vote(1) // over
	p.last("5 by 1:  (), 0 s")

	v[0].call("option", "fun", "a reason of more than 15 bytes", false)
	p.last("1 by 0: fun (a reason of mor), 24 s")
	v[1].vote(-1)
	p.stands("1 yes 1 no 2 open of 4")
	v[2].vote(-1) // two of four can no longer be more than half
	p.last("6 by 0:  (), 0 s")
	if n := v[0].serverSaid("fun"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

func TestVoteTime(t *testing.T) {
	p := newPoll(t, 3)
	p.voters[0].call("option", "fun", "", false)
	p.run(24500 * time.Millisecond)
	p.last("1 by 0: fun (No reason given), 24 s")
	p.run(600 * time.Millisecond)
	p.last("6 by 0:  (), 0 s")
}

func TestVoteCalledOff(t *testing.T) {
	p := newPoll(t, 3)
	p.voters[0].call("option", "fun", "", false)
	p.run(9 * time.Second)
	p.voters[0].vote(-1)
	p.last("4 by 0:  (), 0 s")
	p.voters[0].call("option", "fun", "", false)
	p.run(11 * time.Second)
	p.voters[0].vote(-1)
	p.last("1 by 0: fun (No reason given), 24 s")
	p.stands("1 yes 0 no 2 open of 3")
}

// Spam protection: three seconds between two tries, a minute between two votes
// unless the first one passed.
func TestVoteCooldown(t *testing.T) {
	p := newPoll(t, 3, "sv_spamprotection 1")
	v := p.voters
	v[0].call("option", "nothing", "", false)
	v[0].call("option", "fun", "", false)
	p.last("")
	p.run(3 * time.Second)
	v[0].call("option", "fun", "", false)
	p.last("1 by 0: fun (No reason given), 24 s")
	p.console("vote no")
	p.last("6 by -1:  (), 0 s")
	p.run(50 * time.Second)
	v[0].call("option", "fun", "", false)
	p.last("6 by -1:  (), 0 s")
	p.run(10 * time.Second)
	v[0].call("option", "fun", "", false)
	v[1].vote(1)
	p.last("5 by 0:  (), 0 s")
	p.run(3 * time.Second)
	v[0].call("option", "fun", "", false)
	p.last("1 by 0: fun (No reason given), 24 s")
}

// Players behind one address have one vote: the first that any of them casts.
func TestVoteOneAddress(t *testing.T) {
	p := newPoll(t, 3)
	for port := range uint16(3) {
		p.voter(3, 50001+port)
	}
	v := p.voters
	v[0].call("option", "fun", "", false)
	p.stands("1 yes 0 no 2 open of 3")
	v[4].vote(-1)
	p.stands("1 yes 1 no 1 open of 3")
	v[2].vote(1)
	v[3].vote(1)
	v[5].vote(1)
	p.stands("1 yes 1 no 1 open of 3")
	v[1].vote(1)
	p.last("5 by 0:  (), 0 s")
}

func TestVoteSpectators(t *testing.T) {
	p := newPoll(t, 4)
	v := p.voters
	p.console("set_team 3 -1")
	v[3].call("option", "fun", "", false)
	p.last("")
	v[0].call("option", "fun", "", false)
	p.stands("1 yes 0 no 2 open of 3")
	v[3].vote(-1)
	p.stands("1 yes 0 no 2 open of 3")
	p.console("set_team 2 -1") // who goes to watch has no vote any more
	p.stands("1 yes 0 no 1 open of 2")
	w := p.voter(9, 50000) // and who comes has one
	p.stands("1 yes 0 no 2 open of 3")
	w.Close(p.now())
	p.run(100 * time.Millisecond)
	p.stands("1 yes 0 no 1 open of 2")
	v[1].vote(-1)
	p.last("6 by 0:  (), 0 s")
	p.console("set_team_all -1")
	p.console("set_team 0 0")
	v[0].call("option", "fun", "", false) // alone
	p.last("5 by 0:  (), 0 s")
}

func TestVoteKick(t *testing.T) {
	p := newPoll(t, 4, "sv_vote_kick_min 4")
	v := p.voters
	v[0].login("adminpw")
	for _, id := range []string{"0", "1", "9", "-1", "64", "x", ""} {
		v[1].call("kick", id, "", false) // an admin, oneself, nobody
		p.last("")
	}
	p.console("set_team 3 -1")
	v[1].call("kick", "2", "", false)
	p.last("") // too few
	p.console("set_team 3 0")
	p.console("sv_vote_kick 0")
	v[1].call("kick", "2", "", false)
	p.last("")
	p.console("sv_vote_kick 1")
	v[1].call("kick", "2", "rude", false)
	p.last("2 by 1: 2: v2 (rude), 24 s")
	v[0].vote(1)
	v[3].vote(1)
	p.last("5 by 1:  (), 0 s")
	if v[2].State() != client.Offline || !strings.Contains(fmt.Sprint(v[2].Err()), "Kicked by vote") {
		t.Errorf("the kicked: %v", v[2].Err())
	}
	if !slices.Equal(v[0].drops, []string{"Kicked (Kicked by vote)"}) {
		t.Errorf("others were told %q", v[0].drops)
	}
}

// To leave ends a vote to be kicked, but not one to be banned.
func TestVoteKickOnWhoLeaves(t *testing.T) {
	p := newPoll(t, 4)
	v := p.voters
	v[1].call("kick", "2", "", false)
	v[2].Close(p.now())
	p.run(100 * time.Millisecond)
	p.last("4 by 1:  (), 0 s")

	p.console("sv_vote_kick_bantime 7")
	v[1].call("kick", "3", "", false)
	v[3].Close(p.now())
	p.run(100 * time.Millisecond)
	p.last("2 by 1: 3: v3 (No reason given), 24 s")
	v[0].vote(1)
	p.last("5 by 1:  (), 0 s")
	e, ok := p.srv.bans.find(v[3].peer.Addr())
	left := e.Until.Sub(p.srv.bans.clock())
	if !ok || e.Reason != "Banned by vote" || left > 7*time.Minute || left < 6*time.Minute {
		t.Errorf("the ban is %+v", e)
	}
}

// Who is banned meanwhile takes the vote with him.
func TestVoteBanOnWhoIsBanned(t *testing.T) {
	p := newPoll(t, 3, "sv_vote_kick_bantime 7")
	p.voters[1].call("kick", "2", "", false)
	p.console("ban 2 1 rude")
	p.last("4 by 1:  (), 0 s")
}

// A vote bans no operator, not even one who plays from the same address.
func TestVoteBanSparesOperators(t *testing.T) {
	p := newPoll(t, 3, "sv_vote_kick_bantime 7; sv_rcon_mod_password modpw")
	p.voter(3, 50001).login("modpw")
	p.voters[1].call("kick", "2", "", false)
	p.voters[0].vote(1)
	p.last("5 by 1:  (), 0 s")
	if banned(p.srv, p.voters[2].peer) || p.voters[2].State() != client.Playing {
		t.Error("an operator is banned")
	}
}

func TestVoteSpectate(t *testing.T) {
	p := newPoll(t, 3, "sv_vote_spectate_rejoindelay 2")
	v := p.voters
	for _, id := range []string{"0", "9"} {
		v[0].call("spectate", id, "", false)
		p.last("")
	}
	p.console("sv_vote_spectate 0")
	v[0].call("spectate", "2", "", false)
	p.last("")
	p.console("sv_vote_spectate 1")
	v[0].call("spectate", "2", "asleep", false)
	p.last("3 by 0: 2: v2 (asleep), 24 s")
	p.console("set_team 2 -1")
	p.last("4 by 0:  (), 0 s")
	v[0].call("spectate", "2", "", false) // watches already
	p.last("4 by 0:  (), 0 s")
	p.console("set_team 2 0")
	v[0].call("spectate", "2", "", false)
	v[1].vote(1)
	p.last("5 by 0:  (), 0 s")
	back := func() game.Team {
		v[2].Send(p.now(), &msg7.ClSetTeam{Team: 0})
		p.run(100 * time.Millisecond)
		return p.srv.teamOf(2)
	}
	if back() != game.TeamSpectators {
		t.Error("plays again at once")
	}
	p.run(time.Minute)
	if back() != game.TeamSpectators {
		t.Error("plays again after a minute")
	}
	p.run(time.Minute)
	if back() == game.TeamSpectators {
		t.Error("may not play again after two minutes")
	}
}

func TestVoteDecidedByOperator(t *testing.T) {
	p := newPoll(t, 3)
	v := p.voters
	p.console("vote yes") // on nothing
	p.last("")
	v[0].call("option", "fun", "", false)
	p.console("vote perhaps")
	p.last("1 by 0: fun (No reason given), 24 s")
	p.console("vote YES")
	p.last("5 by -1:  (), 0 s")
	if v[0].serverSaid("fun") != 1 {
		t.Error("nothing came of it")
	}
	v[0].call("option", "fun", "", false)
	p.console("vote no")
	p.last("6 by -1:  (), 0 s")
}

// Operators need no vote; moderators do no more than they may do anyway.
func TestVoteForced(t *testing.T) {
	p := newPoll(t, 4, "sv_rcon_mod_password modpw; add_vote limit sv_scorelimit 3")
	v := p.voters
	v[0].call("option", "fun", "", true)
	p.last("")
	v[0].login("modpw")
	v[0].call("option", "limit", "", true)
	v[0].call("kick", "3", "", true)
	v[0].call("spectate", "3", "", true)
	p.last("")
	if p.srv.settings.ScoreLimit == 3 || v[3].State() != client.Playing || p.srv.teamOf(3) == game.TeamSpectators {
		t.Error("a moderator has an administrator's rights")
	}
	if !slices.ContainsFunc(v[0].lines, func(l string) bool { return strings.Contains(l, "no access to sv_scorelimit") }) {
		t.Errorf("and is not told why: %q", v[0].lines)
	}
	p.console("mod_command say 1")
	v[0].call("option", "fun", "", true)
	p.last("1 by -1: fun (No reason given), 0 s")
	if v[1].serverSaid("fun") != 1 {
		t.Error("a moderator may not say what he may say")
	}
	v[0].login("adminpw")
	v[0].call("option", "limit", "why not", true)
	p.last("1 by -1: limit (why not), 0 s")
	v[0].call("spectate", "3", "", true)
	p.last("3 by -1: 3: v3 (No reason given), 0 s")
	v[0].call("kick", "3", "", true)
	p.last("3 by -1: 3: v3 (No reason given), 0 s") // of which nothing is said
	if p.srv.settings.ScoreLimit != 3 || v[3].State() == client.Playing {
		t.Error("an administrator cannot force")
	}
}

func TestVoteOptions(t *testing.T) {
	p := newPoll(t, 1)
	v := p.voters[0]
	if !slices.Equal(v.options, []string{"fun"}) {
		t.Fatalf("the options are %q", v.options)
	}
	for line, added := range map[string]bool{
		`add_vote "  spaces" say a`: true, `add_vote FUN say again`: false, `add_vote bad nonsense`: false, `add_vote bad "say a; nonsense"`: false,
		`add_vote bad "kick"`: false, `add_vote bad ""`: false, `add_vote "" say a`: false, `add_vote "   " say a`: false,
		`add_vote ` + strings.Repeat("x", 64) + ` say a`: false, `add_vote ` + strings.Repeat("y", 63) + ` say a`: true,
		`add_vote long say ` + strings.Repeat("x", 508): false, `add_vote parts "say a; say b"`: true,
	} {
		before := len(v.options)
		p.console(line)
		if got := len(v.options) > before; got != added {
			t.Errorf("%s: added is %v", line, got)
		}
	}
	if !slices.Contains(v.options, "spaces") {
		t.Errorf("the options are %q", v.options)
	}
	p.console("remove_vote PARTS")
	p.console("remove_vote nothing")
	if slices.Contains(v.options, "parts") || len(v.options) != 3 {
		t.Errorf("the options are %q", v.options)
	}
	p.console("clear_votes")
	if len(v.options) != 0 || len(p.srv.votes.options) != 0 {
		t.Errorf("the options are %q", v.options)
	}
	for i := range maxVoteOptions + 2 {
		p.srv.Execute(fmt.Sprintf("add_vote option%d say %d", i, i))
	}
	w := p.voter(2, 50000)
	if len(w.options) != maxVoteOptions || w.options[127] != "option127" || !slices.Equal(w.lists, []int{0, 21, 21, 21, 21, 21, 21, 2}) {
		t.Errorf("a newcomer sees %d options in %v", len(w.options), w.lists)
	}
}

// A vote ends with the map, without a word; who comes later learns of one that runs.
func TestVoteAndNewcomers(t *testing.T) {
	p := newPoll(t, 3)
	v := p.voters
	v[0].call("option", "fun", "", false)
	p.run(10 * time.Second)
	w := p.voter(9, 50000)
	if !slices.Equal(w.told, []string{"1 by 0: fun (No reason given), 14 s"}) {
		t.Errorf("a newcomer is told %q", w.told)
	}
	p.console("sv_map testbox")
	p.until(10*time.Second, "the next map", func() bool {
		return p.srv.gameMap.Name == "testbox" && v[0].State() == client.Playing && v[1].State() == client.Playing
	})
	if p.srv.votes.running() || len(v[0].told) != 1 {
		t.Errorf("on the next map %q", v[0].told)
	}
	if !slices.Equal(v[0].options, []string{"fun"}) {
		t.Errorf("the options are %q", v[0].options)
	}
	v[1].call("option", "fun", "", false)
	if p.srv.votes.current.kind != bridge.VoteOption {
		t.Error("no vote on the next map")
	}
}

// The end of one vote is told before the next one can begin.
func TestVoteAfterVote(t *testing.T) {
	p := newPoll(t, 1)
	v := p.voters[0]
	for range 20 {
		for range 3 {
			v.Send(p.now(), &msg7.ClCallVote{Type: []byte("option"), Value: []byte("fun")})
		}
		p.run(7 * time.Millisecond)
	}
	p.run(time.Second)
	if len(v.told) < 4 {
		t.Fatalf("told %q", v.told)
	}
	for i, l := range v.told {
		want := "1 by 0: fun (No reason given), 24 s"
		if i%2 == 1 {
			want = "5 by 0:  (), 0 s"
		}
		if l != want {
			t.Fatalf("line %d is %q, not %q", i, l, want)
		}
	}
}

// What votes do is in the log, so that the match replays to the same hashes.
func TestVotesReplay(t *testing.T) {
	var s shelf
	p := &poll{arena: recorded(t, &s, 3, "sv_spamprotection 0; sv_vote_kick_bantime 0; add_vote fun \"say fun; restart\"")}
	for i := range 4 {
		p.voter(i+1, 50000)
	}
	v := p.voters
	agree := func(kind, value string) {
		v[0].call(kind, value, "", false)
		v[1].vote(1)
		v[2].vote(1)
	}
	agree("option", "fun")
	agree("spectate", "3")
	agree("kick", "3")
	p.run(time.Second)
	if v[0].serverSaid("fun") != 1 || len(v[0].drops) != 1 {
		t.Fatalf("%q, %q", v[0].heard[-1], v[0].drops)
	}
	p.srv.Shutdown(p.now(), "")
	logs := s.logs()
	if len(logs) != 1 {
		t.Fatalf("%d logs", len(logs))
	}
	verifyLog(t, logs[0])
}
