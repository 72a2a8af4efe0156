package server

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// The limits of votes, as in the original: clients rely on some of them.
const (
	voteTime       = 25 * time.Second // how long a vote runs
	voteCancelTime = 10 * time.Second // how long the caller can cancel it
	voteRetryTime  = 3 * time.Second  // between two attempts of a person to call a vote
	voteCooldown   = 60 * time.Second // between two votes of a person

	callersTracked = 1024
	maxVoteOptions = 128
	maxVoteText    = 63  // bytes of an option's text
	maxVoteCommand = 511 // bytes of an option's command
	maxVoteReason  = 15  // bytes of a reason that clients show
)

// voteOption is an option that players can vote for.
type voteOption struct{ text, command string }

// votes is the options, and the vote that runs. What a vote decides is a console line, run
// with the operator's access.
type votes struct {
	options []voteOption
	current vote
	// waiting reports whether commands about options wait for the world.
	waiting bool
	// tried has who tried to call a vote within voteRetryTime, called whose vote began
	// within voteCooldown: persons, whom neither several players nor a reconnect help.
	tried, called *limit.RecentSet
	// pendingResults are announced after what was decided has happened.
	pendingResults []bridge.Vote
	// lastMod is the number of the last vote of a mode or mod in this world.
	lastMod int32
	// noneDropping reports whether no session was to be closed when the tick began.
	noneDropping bool
	mutes        []mute // persons who may call none
	moderated    bool   // an operator watches those about players, see cmdModerate
	// executingResult reports whether the console is running what was decided.
	executingResult bool
}

// vote is a vote that runs.
type vote struct {
	kind        bridge.VoteKind // VoteNone: no vote runs
	caller      game.PlayerID
	person      netip.Prefix // the caller's
	target      game.PlayerID
	subject     string
	reason      string
	command     string
	ends        conn.Time
	cancelUntil conn.Time // by the caller
	recount     bool      // votes or voters have changed
	aborted     bool
	forced      int32 // 1 yes, -1 no
	mod         int32 // of a mode or mod: game.ModVote.Number; else 0
	numCast     int   // votes cast
}

// ballot is the part of a session in votes.
type ballot struct {
	choice int32 // 1 yes, -1 no, 0 not yet
	order  int   // 1 for the first vote cast, 2 for the second ...
}

func newVotes() votes {
	return votes{tried: limit.NewRecentSet(callersTracked, voteRetryTime), called: limit.NewRecentSet(callersTracked, voteCooldown)}
}

// running reports whether a vote runs, or has ended and its result is not announced yet.
func (v *votes) running() bool { return v.current.kind != bridge.VoteNone || len(v.pendingResults) > 0 }

// cancel ends the vote without a result, for a map change, after which everybody may call
// one.
func (v *votes) cancel() {
	v.current, v.lastMod = vote{}, 0
	v.tried.Clear()
	v.called.Clear()
	clear(v.pendingResults)
	v.pendingResults = v.pendingResults[:0]
}

// OnCallVote implements bridge.ClientMessageHandler.
func (c *session) OnCallVote(kind bridge.VoteKind, value, reason string, force bool) {
	if !c.canRequest() {
		return
	}
	s := c.server
	if kind == bridge.VoteOption && s.hasMenuLine(c.id, value) {
		s.queueRequest(game.ChooseLine(c.id, value))
		return
	}
	if force {
		if !c.rcon.authed {
			return
		}
	} else {
		if m := s.voteMuteOf(c); m != nil {
			c.reply(fmt.Sprintf("You are not permitted to vote for the next %d seconds.", m.until.Sub(s.now)/time.Second))
			return
		}
		switch now, spam := int64(s.now), s.settings.SpamProtection != 0; {
		case spam && s.votes.tried.Has(now, c.person()):
			return
		case s.teamOf(c.id) == game.TeamSpectators:
			c.reply("Spectators cannot call votes")
			return
		case s.votes.running():
			c.reply("Another vote runs; wait for its end")
			return
		case spam && s.votes.called.Has(now, c.person()):
			c.reply("You can call one vote a minute")
			return
		}
		s.votes.tried.Add(int64(s.now), c.person())
	}
	v := vote{kind: kind, caller: c.id, person: c.person(), target: game.Nobody, reason: cmp.Or(reason, noVoteReason)}
	if refusal := s.resolveVote(&v, value); refusal != "" {
		c.reply(refusal)
		return
	}
	name := v.subject
	if v.target != game.Nobody {
		name = s.idAndName(v.target)
	}
	// The original logs all of a reason, of which players see the beginning.
	v.reason = safetext.Truncate(v.reason, maxVoteReason)
	s.print(console.Standard, "server", fmt.Sprintf("%s voted %s %s reason=%s cmd='%s' force=%d",
		logline.Quote(s.idAndName(c.id)), voteNames[kind], logline.Quote(name), logline.Quote(v.reason), v.command, boolToInt(force)))
	if force {
		s.forceVote(&v, c.caller(console.Operator.Flags))
		return
	}
	s.votes.called.Add(int64(s.now), v.person)
	s.startVote(s.now, v)
}

const noVoteReason = "No reason given"

var voteNames = [...]string{bridge.VoteOption: "option", bridge.VoteKick: "kick", bridge.VoteSpectate: "spectate"}

// resolveVote sets what a vote is about and the command that it decides on. It returns why
// there can be no such vote, or "".
func (s *Server) resolveVote(v *vote, value string) (refusal string) {
	switch v.kind {
	case bridge.VoteOption:
		i := s.votes.findOption(value)
		if i < 0 {
			return fmt.Sprintf("'%s' is no option of this server", printableText([]byte(value), maxVoteText))
		}
		v.subject, v.command = s.votes.options[i].text, s.votes.options[i].command
		return ""
	case bridge.VoteKick:
		if s.settings.VoteKick == 0 {
			return "This server does not allow votes to kick players"
		}
		if s.numPlayers() < s.settings.VoteKickMin {
			return fmt.Sprintf("Votes to kick need %d players", s.settings.VoteKickMin)
		}
	case bridge.VoteSpectate:
		if s.settings.VoteSpectate == 0 {
			return "This server does not allow votes to move players to the spectators"
		}
	default:
		return "There is no such vote"
	}
	id, err := strconv.Atoi(strings.TrimSpace(value))
	switch {
	case err != nil || id < 0 || id >= len(s.sessions):
		return "There is no such player"
	case game.PlayerID(id) == v.caller:
		return "You cannot call a vote about yourself"
	case s.bots.has(game.PlayerID(id)):
		return fmt.Sprintf("'%s' is a bot, which leaves when players need the place", s.playerName(game.PlayerID(id)))
	}
	c := s.sessions[id]
	if c == nil || c.state < stateReady || c.dropping {
		return "There is no such player"
	}
	v.target, v.subject = c.id, s.playerName(c.id)
	switch {
	case v.kind == bridge.VoteSpectate:
		if s.teamOf(c.id) == game.TeamSpectators {
			return fmt.Sprintf("'%s' is a spectator already", v.subject)
		}
		v.command = fmt.Sprintf("set_team %d -1 %d", id, s.settings.VoteSpectateRejoinDelay)
	case c.rcon.authed:
		return fmt.Sprintf("'%s' is an operator", v.subject)
	case s.settings.VoteKickBanTime == 0:
		v.command = fmt.Sprintf("kick %d Kicked by vote", id)
	default:
		v.command = fmt.Sprintf("ban %s %d Banned by vote", bans.FormatNet(c.person()), s.settings.VoteKickBanTime)
	}
	return ""
}

// numPlayers returns the number of players who are not spectators or bots.
func (s *Server) numPlayers() int {
	n := 0
	for id, c := range s.sessions {
		if c != nil && c.state >= stateReady && s.teamOf(game.PlayerID(id)) != game.TeamSpectators {
			n++
		}
	}
	return n
}

// startVote starts a vote, with one yes of its caller.
func (s *Server) startVote(now conn.Time, v vote) {
	v.ends, v.cancelUntil = now.Add(voteTime), now.Add(voteCancelTime)
	v.recount, v.numCast = true, 1
	s.votes.current = v
	for _, o := range s.sessions {
		if o != nil {
			o.ballot.choice, o.ballot.order = 0, 0
		}
	}
	if v.caller >= 0 {
		if c := s.sessions[v.caller]; c != nil {
			c.ballot.choice, c.ballot.order = 1, 1
		}
	}
	m := v.message(now)
	s.announceVote(&m)
}

// message returns what players are told about a vote that runs.
func (v *vote) message(now conn.Time) bridge.Vote {
	// Rounded down, because part of a second is over when clients get it.
	left := int32((v.ends.Sub(now) - 1) / time.Second)
	return bridge.Vote{Kind: v.kind, Caller: v.caller, Timeout: max(left, 0), Description: v.subject, Reason: v.reason, Target: v.target}
}

// sendVote tells a client about the vote that runs, if one does.
func (c *session) sendVote() {
	if v := &c.server.votes.current; v.kind != bridge.VoteNone {
		m := v.message(c.server.now)
		c.bridge.SendVote(&m)
	}
}

// forceVote executes what a vote would decide, with the caller's access. In the original
// moderators have an administrator's access here.
func (s *Server) forceVote(v *vote, who console.Caller) {
	if err := s.console.Check(v.command, who); err != nil {
		s.printFor(who, console.Warning, "server", fmt.Sprintf("vote not forced: %v", err))
		return
	}
	if v.caller != game.Nobody { // or else the command is in the audit log
		s.sessions[v.caller].audit("vote_forced", "vote", v.command)
	}
	s.console.Execute(v.command, who)
	if v.kind != bridge.VoteKick {
		s.votes.pendingResults = append(s.votes.pendingResults, bridge.Vote{Kind: v.kind, Caller: game.Nobody, Description: v.subject, Reason: v.reason, Target: v.target})
	}
}

// OnVote implements bridge.ClientMessageHandler.
func (c *session) OnVote(choice int32) {
	if !c.canRequest() {
		return
	}
	v := &c.server.votes.current
	switch {
	case v.kind == bridge.VoteNone || choice == 0:
	case c.ballot.choice == 0:
		v.numCast++
		v.recount = true
		c.ballot.choice, c.ballot.order = max(min(choice, 1), -1), v.numCast
	case c.id == v.caller && choice < 0 && c.server.now <= v.cancelUntil:
		v.aborted = true
	}
}

// tickVote ends a vote that is decided, and sends the counts when they have changed.
func (s *Server) tickVote(now conn.Time) {
	if s.votes.noneDropping {
		for i := range s.votes.pendingResults {
			s.announceVote(&s.votes.pendingResults[i])
		}
		clear(s.votes.pendingResults)
		s.votes.pendingResults = s.votes.pendingResults[:0]
	}
	s.tickModerators()
	v := &s.votes.current
	if v.kind == bridge.VoteNone {
		return
	}
	if v.aborted {
		s.endVote(bridge.VoteAborted)
		return
	}
	var yes, no, total int32
	moderated := s.votes.moderated && v.isAboutPlayer()
	count := v.recount || moderated && now >= v.ends
	if count {
		yes, no, total = s.countVotes()
	}
	switch {
	case v.forced > 0, count && yes >= total/2+1 && (!moderated || now >= v.ends):
		passed := *v
		s.votes.called.Remove(v.person)
		s.votes.pendingResults = append(s.votes.pendingResults, v.result(bridge.VotePassed))
		s.votes.current = vote{}
		if passed.mod != 0 {
			s.endModVote(&passed, true)
		} else {
			s.executeResult(&passed)
		}
	case v.forced < 0, v.recount && no >= (total+1)/2, now >= v.ends:
		s.endVote(bridge.VoteFailed)
	case v.recount:
		v.recount = false
		s.observe(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(total - yes - no), Total: int(total)})
		s.tellAll(func(a audience) { a.SendVoteStatus(yes, no, total-yes-no, total) })
	}
}

// executeResult runs what a vote has decided. If that fails or changes nothing, the log says so:
// nobody sees the output of the command, and players are told that the vote passed.
func (s *Server) executeResult(v *vote) {
	name, _, _ := strings.Cut(v.command, " ")
	allowed, _ := s.console.Values(name)
	isVariable := allowed != "" && !strings.ContainsAny(v.command, ";\"")
	before := s.console.Value(name)
	s.votes.executingResult = true
	failure, result := s.firstWarning(v.command, console.Operator), ""
	s.votes.executingResult = false
	if failure == "" && isVariable && s.console.Value(name) == before {
		failure = name + " has this value already"
	}
	if failure != "" {
		result = "failed"
		s.print(console.Warning, "server", fmt.Sprintf("a vote has passed without its effect. cmd=%s: %s", logline.Quote(s.console.Redact(v.command)), failure))
	}
	if v.forced == 0 {
		s.auditVote(v.caller, v.command, result) // how it was forced is in the log already
	}
}

// result returns the announcement of how a vote ended.
func (v *vote) result(how bridge.VoteKind) bridge.Vote {
	r := bridge.Vote{Kind: how, Caller: v.caller, Target: game.Nobody}
	if how != bridge.VoteAborted && v.forced != 0 {
		r.Caller = game.Nobody
	} else if v.mod != 0 && v.caller == game.Nobody {
		r.Caller = 0 // without one clients say that an operator forced it
	}
	return r
}

// endVote ends a vote that did not pass.
func (s *Server) endVote(how bridge.VoteKind) {
	s.endModVote(&s.votes.current, false)
	r := s.votes.current.result(how)
	s.votes.current = vote{}
	s.announceVote(&r)
}

// announceVote tells everybody that a vote has begun or ended.
func (s *Server) announceVote(v *bridge.Vote) {
	s.observeVote(v)
	s.tellAll(func(a audience) { a.SendVote(v) })
}

// countVotes counts the votes of the players who are not spectators. A person has one vote,
// the first that one of their players cast. As in the original everybody who is not in the
// game yet counts as one more person.
func (s *Server) countVotes() (yes, no, total int32) {
	var counted game.PlayerMask
	person := func(c *session) netip.Prefix {
		if c.state != stateInGame {
			return netip.Prefix{}
		}
		return c.person()
	}
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if c == nil || c.state < stateReady || c.isHeld() || counted.Has(pid) || s.teamOf(pid) == game.TeamSpectators {
			continue
		}
		choice, order := c.ballot.choice, c.ballot.order
		for other := id + 1; other < len(s.sessions); other++ {
			o := s.sessions[other]
			if o == nil || o.state < stateReady || o.isHeld() || counted.Has(game.PlayerID(other)) || person(o) != person(c) {
				continue
			}
			counted |= game.MaskOne(game.PlayerID(other))
			if o.ballot.choice != 0 && (choice == 0 || o.ballot.order < order) {
				choice, order = o.ballot.choice, o.ballot.order
			}
		}
		total++
		switch {
		case choice > 0:
			yes++
		case choice < 0:
			no++
		}
	}
	return yes, no, total
}

// votersChanged makes the votes be counted again: a player joined, left or changed team.
func (s *Server) votersChanged() { s.votes.current.recount = true }

// handleVoterLeft ends a vote against a player who leaves, unless it is about a ban, which
// does not need them.
func (s *Server) handleVoterLeft(c *session) {
	v := &s.votes.current
	v.recount = true
	if v.target != c.id || v.kind == bridge.VoteNone || v.kind == bridge.VoteOption {
		return
	}
	ban, banned := s.bans.find(c.peer.Addr())
	if banned && !ban.Temporary || !strings.HasPrefix(v.command, "ban ") {
		v.aborted = true
	}
}

// handleVoterTeamChange ends a vote to make a player a spectator who has become one.
func (s *Server) handleVoterTeamChange(id game.PlayerID, team game.Team) {
	v := &s.votes.current
	v.recount = true
	if v.kind == bridge.VoteSpectate && v.target == id && team == game.TeamSpectators {
		v.aborted = true
	}
}

// forEachInGame calls f with every session in the game.
func (s *Server) forEachInGame(f func(c *session)) {
	for _, c := range s.sessions {
		if c != nil && c.state == stateInGame {
			f(c)
		}
	}
}

// audience is who is told what all are told: the clients in the game, demos, and the broadcast.
type audience interface {
	SendVote(v *bridge.Vote)
	SendVoteStatus(yes, no, pass, total int32)
	SendMotd(text string)
}

// tellAll calls f for everybody.
func (s *Server) tellAll(f func(a audience)) {
	s.forEachInGame(func(c *session) { f(c.bridge) })
	for _, d := range s.demos.files {
		f(d.recorder)
	}
	if r := s.broadcastRecorder(); r != nil {
		f(r)
	}
}
