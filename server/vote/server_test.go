package vote_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/rules"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/vote"
)

// server is a server with votes, and without a network: clients are entries of a table.
type server struct {
	t       *testing.T
	votes   *vote.Votes
	console *console.Console
	world   *modtest.World
	now     conn.Time

	clients  [game.MaxPlayers]*client
	queue    []game.Command
	dropping bool // as if a client was about to be dropped
	rules    game.Rules
	bots     game.PlayerMask
	banned   netip.Addr

	printed []string // by the console
	ran     []string // console lines that votes decided on
	audited []vote.Decision
	said    []string // chat lines to all
	order   []string // what happened, where the order counts
}

// client is a client of a server, and the messages that it got.
type client struct {
	vote.Voter
	name     string
	ownTexts bool
	muted    int

	votes   []string // "KIND by CALLER: DESCRIPTION (REASON), TIMEOUT s"
	status  string
	options []string
	chat    []string
}

// vanilla and ddnet make servers with players of both kinds of clients in turns.
func vanilla(t *testing.T, players int, lines ...string) *server {
	return newServer(t, game.Config{}, players, lines)
}

func ddnet(t *testing.T, players int, lines ...string) *server {
	rows := []string{"##########", "#........#", "#..S.....#", "##########"}
	cfg := game.Config{Mode: ddrace.New(), Terrain: modtest.ParseMap(nil, rows...), Variables: map[string]string{"sv_max_afk_time": "0", "sv_pauseable": "1"}}
	s := newServer(t, cfg, players, append([]string{"sv_vote_delay 0"}, lines...))
	s.wait(time.Second) // for the tees
	return s
}

func newServer(t *testing.T, cfg game.Config, players int, lines []string) *server {
	t.Helper()
	s := &server{t: t, world: modtest.New(t, cfg), now: conn.Time(time.Hour)}
	s.console = testenv.Must(console.New(console.Config{Output: func(_ console.Caller, _ int, _, line string) { s.printed = append(s.printed, line) }}))
	s.votes = vote.New(vote.Config{Electorate: s, Audience: s, Host: s, Now: func() conn.Time { return s.now }})
	testenv.NoError(t, s.votes.Register(s.console))
	testenv.NoError(t, rules.Register(s.console, &s.rules, false))
	s.rules.SpamProtection = false
	for _, name := range []string{"say", "change_map", "kick", "ban", "set_team", "uninvite", "set_team_ddr", "force_pause", "random_map"} {
		testenv.NoError(t, s.console.Register(console.Command{Name: name, Params: "r[text]", Help: "a test",
			Flags: console.Server, Run: func(call *console.Call) {
				s.ran = append(s.ran, call.Name+" "+call.Arg(0))
				s.order = append(s.order, "ran")
			}}))
	}
	s.votes.Begin(s.world.Game)
	s.run("sv_vote_kick_bantime 0; add_vote fun say fun", lines...)
	for i := range players {
		s.join(byte(i+1), i%2 == 0)
	}
	return s
}

// run runs console lines.
func (s *server) run(line string, more ...string) {
	for _, line := range append([]string{line}, more...) {
		s.console.Execute(line, console.Operator)
	}
}

// join lets a player join from an address.
func (s *server) join(ip byte, ownTexts bool) game.PlayerID {
	s.t.Helper()
	id := game.PlayerID(slices.Index(s.clients[:], nil))
	c := &client{name: fmt.Sprint("v", id), ownTexts: ownTexts}
	c.Voter = vote.Voter{Addr: netip.AddrFrom4([4]byte{10, 0, 1, ip}), Seated: true, InGame: true, EnteredAt: s.now, Menu: menu{c}}
	s.clients[id] = c
	s.votes.Join(id)
	s.world.EnterAs([]string{c.name}, id)
	s.votes.Greet(id)
	s.votes.Offer(id, nil)
	s.votes.Entered(id, true)
	s.wait(200 * time.Millisecond)
	return id
}

// leave lets a player leave.
func (s *server) leave(id game.PlayerID) {
	s.votes.Left(id)
	s.clients[id] = nil
	s.world.Leave(id)
	s.tick()
}

// team puts a player into a team.
func (s *server) team(id game.PlayerID, team game.Team) {
	s.Queue(game.Command{Kind: game.CmdForceTeam, Player: id, Target: game.Nobody, Team: team})
	s.tick()
}

// ddraceTeam puts players into a team of DDRace.
func (s *server) ddraceTeam(team string, ids ...game.PlayerID) {
	for _, id := range ids {
		s.Queue(game.ConsoleCommand(game.Nobody, "set_team_ddr", fmt.Sprint(id), team))
	}
	s.wait(time.Second)
	s.forgetChat()
}

// forgetChat makes wantReply check only later lines.
func (s *server) forgetChat() {
	for _, c := range s.clients {
		if c != nil {
			c.chat = nil
		}
	}
}

// tick runs a tick.
func (s *server) tick() {
	s.now = s.now.Add(time.Second / game.TickRate)
	cmds := slices.Clone(s.queue)
	s.queue = s.queue[:0]
	settled := !s.dropping
	for _, ev := range s.world.Run(1, cmds...) {
		switch {
		case ev.Kind == game.EvChat && ev.Player == game.Nobody:
			s.said = append(s.said, ev.Text)
		case ev.Kind == game.EvTeamChange:
			s.votes.ChangedTeam(ev.Player, ev.Team)
		case ev.Kind == game.EvPlayerEntered:
			s.votes.Recount()
		}
	}
	s.votes.Tick(settled)
	for id, c := range s.clients {
		if c != nil && s.votes.HasMore(game.PlayerID(id)) {
			s.votes.OfferMore(game.PlayerID(id))
		}
	}
}

// wait runs ticks for a time.
func (s *server) wait(d time.Duration) {
	for end := s.now.Add(d); s.now < end; {
		s.tick()
	}
}

// call calls a vote.
func (s *server) call(id game.PlayerID, kind event.VoteKind, value string) {
	s.votes.Call(id, kind, value, "", false)
	s.tick()
}

// cast votes 1 for yes or -1 for no.
func (s *server) cast(id game.PlayerID, choice int32) {
	s.votes.Cast(id, choice)
	s.tick()
}

// wantLast checks the last vote that clients with texts of their own saw.
func (s *server) wantLast(want string) {
	s.t.Helper()
	for _, c := range s.clients {
		if c != nil && c.ownTexts && c.last() != want {
			s.t.Fatalf("%s saw %q last, not %q", c.name, c.last(), want)
		}
	}
}

// wantStatus checks the numbers of votes.
func (s *server) wantStatus(want string) {
	s.t.Helper()
	for _, c := range s.clients {
		if c != nil && c.status != want {
			s.t.Fatalf("%s saw %q, not %q", c.name, c.status, want)
		}
	}
}

// wantReply checks the chat of a client since the last check.
func (s *server) wantReply(id game.PlayerID, want ...string) {
	s.t.Helper()
	c := s.clients[id]
	if !slices.Equal(c.chat, want) {
		s.t.Errorf("%s reads %q, not %q", c.name, c.chat, want)
	}
	c.chat = nil
}

// The server as votes see it.

func (s *server) Voter(id game.PlayerID) (vote.Voter, bool) {
	if c := s.clients[id]; c != nil {
		return c.Voter, true
	}
	return vote.Voter{}, false
}

func (s *server) Name(id game.PlayerID) string {
	if s.bots.Has(id) {
		return "Ada"
	}
	return s.clients[id].name
}

func (s *server) IsBot(id game.PlayerID) bool   { return s.bots.Has(id) }
func (s *server) MutedFor(id game.PlayerID) int { return s.clients[id].muted }
func (s *server) IsBanned(a netip.Addr) bool    { return a == s.banned }
func (s *server) Reply(id game.PlayerID, l string) {
	s.clients[id].chat = append(s.clients[id].chat, l)
}
func (s *server) ObserveVote(*bridge.Vote)           {}
func (s *server) ObserveCount(_, _, _, _ int)        {}
func (s *server) OptionsRemoved()                    {}
func (s *server) Queue(cmd game.Command)             { s.queue = append(s.queue, cmd) }
func (s *server) Audit(d vote.Decision)              { s.audited = append(s.audited, d) }
func (s *server) HasMap(string) bool                 { return true }
func (s *server) Quiet() bool                        { return false }
func (s *server) Rules() *game.Rules                 { return &s.rules }
func (s *server) Dialect() logline.Dialect           { return logline.TW07 }
func (s *server) One(id game.PlayerID) vote.Onlooker { return s.clients[id].onlooker() }

func (s *server) Print(_ console.Caller, _ int, line string) { s.printed = append(s.printed, line) }

func (s *server) Each(f func(o vote.Onlooker)) {
	s.order = append(s.order, "told")
	for _, c := range s.clients {
		if c != nil {
			f(c.onlooker())
		}
	}
}

// Run runs a line. A line without effect says so.
func (s *server) Run(line string, as console.Caller, done func(warning string)) {
	before := len(s.ran)
	s.console.Execute(line, as)
	warning := ""
	if name, _, _ := strings.Cut(line, " "); len(s.ran) == before && s.console.Value(name) == "" {
		warning = "did not run"
	}
	done(warning)
}

func (c *client) last() string {
	if len(c.votes) == 0 {
		return ""
	}
	return c.votes[len(c.votes)-1]
}

func (c *client) onlooker() vote.Onlooker {
	return vote.Onlooker{Screen: c, OwnTexts: c.ownTexts, Say: func(line string) { c.chat = append(c.chat, line) }}
}

func (c *client) SendVote(v *bridge.Vote) {
	c.votes = append(c.votes, fmt.Sprintf("%d by %d: %s (%s), %d s", v.Kind, v.Caller, v.Description, v.Reason, v.Timeout))
}

func (c *client) SendVoteStatus(yes, no, pass, total int32) {
	c.status = fmt.Sprintf("%d yes %d no %d open of %d", yes, no, pass, total)
}

// menu is the options that a client shows.
type menu struct{ c *client }

func (m menu) SendVoteOptionsCleared()        { m.c.options = nil }
func (m menu) SendVoteOptions(texts []string) { m.c.options = append(m.c.options, texts...) }
func (m menu) SendVoteOption(text string)     { m.c.options = append(m.c.options, text) }
func (m menu) SendVoteOptionRemoved(t string) {
	m.c.options = slices.DeleteFunc(m.c.options, func(o string) bool { return o == t })
}
