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
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// The limits of votes, as in the original, but for the number of options: clients rely on some of them.
const (
	voteCancelTime = 10 * time.Second // how long the caller can cancel it
	voteRetryTime  = 3 * time.Second  // between two attempts of a person to call a vote

	callersTracked = 1024
	maxVoteOptions = 8192
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
	texts   map[uint32]int // how many of options have a key, see optionKey
	current vote
	// waiting reports whether commands about options wait for the world.
	waiting bool
	// tried has who tried to call a vote within voteRetryTime, called whose vote began
	// within voteCooldown: persons, whom neither several players nor a reconnect help.
	tried, called *limit.RecentSet
	// pendingResults are announced after what was decided has happened.
	pendingResults []voteNews
	// withoutEffect reports whether players are still to be told that a vote had none.
	withoutEffect bool
	// mapAt is when the last vote about a map was called, 0 for never.
	mapAt conn.Time
	// delay is sv_vote_delay, which called has.
	delay int
	// pauses is sv_vote_pause, pauseTime sv_vote_pause_time.
	pauses, pauseTime int
	// lastMod is the number of the last vote of a mode or mod in this world.
	lastMod int32
	// noneDropping reports whether no session was to be closed when the tick began.
	noneDropping bool
	mutes        access.Mutes // persons who may call none
	moderated    bool         // an operator watches those about players, see cmdModerate
	// executingResult reports whether the console is running what was decided.
	executingResult bool
	// passedBy called the vote whose result that is, or Nobody.
	passedBy game.PlayerID
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

	// Of DDRace, see voteNews.
	bar, line string
}

// shownReason returns the part of the reason that players see.
func (v *vote) shownReason() string { return safetext.Truncate(v.reason, maxVoteReason) }

// ballot is the part of a session in votes.
type ballot struct {
	choice int32 // 1 yes, -1 no, 0 not yet
	order  int   // 1 for the first vote cast, 2 for the second ...
	// tried is when the player of DDRace called a vote or voted last, called when a vote of theirs began; 0 for never.
	tried, called conn.Time
}

func newVotes() votes {
	return votes{texts: map[uint32]int{}, tried: limit.NewRecentSet(callersTracked, voteRetryTime)}
}

// recentCallers returns who called a vote within sv_vote_delay.
func (s *Server) recentCallers() *limit.RecentSet {
	if v := &s.votes; v.called == nil || v.delay != s.settings.VoteDelay {
		v.delay = s.settings.VoteDelay
		v.called = limit.NewRecentSet(callersTracked, time.Duration(v.delay)*time.Second)
	}
	return s.votes.called
}

// running reports whether a vote runs, or has ended and its result is not announced yet.
func (v *votes) running() bool { return v.current.kind != bridge.VoteNone || len(v.pendingResults) > 0 }

// cancel ends the vote without a result, for a map change, after which everybody may call
// one.
func (v *votes) cancel() {
	v.current, v.lastMod, v.called = vote{}, 0, nil
	v.tried.Clear()
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
	} else if s.playsDDRace() {
		if answer, ok := c.mayCallRaceVote(); !ok {
			c.answer(answer)
			return
		}
	} else {
		if barred := c.barredFromVotes(); barred != "" {
			c.reply(barred)
			return
		}
		switch now, spam := int64(s.now), s.settings.SpamProtection != 0; {
		case spam && s.votes.tried.Has(now, c.person()):
			return
		case s.teamOf(c.id) == game.TeamSpectators:
			c.reply("Spectators cannot call votes")
			return
		case s.votes.running():
			c.reply("Another vote is running; wait until it ends")
			return
		case spam && s.recentCallers().Has(now, c.person()):
			if s.votes.delay == 60 {
				c.reply("You can call only one vote a minute")
			} else {
				c.reply(fmt.Sprintf("You can call only one vote every %d seconds", s.votes.delay))
			}
			return
		case s.settings.RconVote != 0 && !c.rcon.authed:
			c.reply("You can only vote after logging in.")
			return
		case s.now < c.mayVoteFrom:
			c.reply(fmt.Sprintf("You must wait %d seconds before making your first vote.", (c.mayVoteFrom.Sub(s.now)+time.Second-1)/time.Second))
			return
		}
		s.votes.tried.Add(int64(s.now), c.person())
	}
	v := vote{kind: kind, caller: c.id, person: c.person(), target: game.Nobody, reason: cmp.Or(reason, noVoteReason)}
	if !force && s.playsDDRace() {
		if answer, ok := c.resolveRaceVote(&v, value); !ok {
			c.answer(answer)
			return
		}
	} else if refusal := s.resolveVote(&v, value); refusal != "" {
		c.reply(refusal)
		return
	}
	if !force && !c.rcon.authed {
		if wait := c.voteWait(&v); wait != "" {
			c.reply(wait)
			return
		}
	}
	name := v.subject
	if v.target != game.Nobody {
		name = s.idAndName(v.target)
	}
	// The original logs all of a reason, of which players see the beginning.
	v.reason = v.shownReason()
	s.print(console.Standard, "server", fmt.Sprintf("%s voted %s %s reason=%s cmd='%s' force=%d",
		logline.Quote(s.idAndName(c.id)), voteNames[kind], logline.Quote(name), logline.Quote(v.reason), v.command, boolToInt(force)))
	if force {
		s.forceVote(&v, c.caller(console.Operator.Flags))
		return
	}
	s.recentCallers().Add(int64(s.now), v.person)
	c.ballot.called = s.now
	switch {
	case kind == bridge.VoteKick:
		c.kickVoteAt = s.now
	case changesMap(v.command):
		s.votes.mapAt = s.now
	}
	s.startVote(s.now, v)
}

// answer is reply for what may be nothing.
func (c *session) answer(text string) {
	if text != "" {
		c.reply(text)
	}
}

// voteWait returns why a player has to wait with a vote, "" if they need not.
func (c *session) voteWait(v *vote) string {
	s := c.server
	left := func(since conn.Time, seconds int) int {
		if since == 0 {
			return 0
		}
		return int((since.Add(time.Duration(seconds)*time.Second).Sub(s.now) + time.Second - 1) / time.Second)
	}
	if n := left(c.kickVoteAt, s.settings.VoteKickDelay); v.kind == bridge.VoteKick && n > 0 {
		return fmt.Sprintf("There's a %d second wait time between kick votes for each player please wait %d second(s)", s.settings.VoteKickDelay, n)
	}
	if n := left(s.votes.mapAt, s.settings.VoteMapDelay); v.kind == bridge.VoteOption && changesMap(v.command) && n > 0 {
		return fmt.Sprintf("There's a %d second delay between map-votes, please wait %d seconds.", s.settings.VoteMapDelay, n)
	}
	return ""
}

// changesMap reports whether a command is about the map, as DDNet-Server sees it.
func changesMap(command string) bool {
	for _, part := range []string{"sv_map ", "change_map ", "random_map", "random_unfinished_map"} {
		if strings.Contains(command, part) {
			return true
		}
	}
	return false
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
			if s.playsDDRace() {
				return fmt.Sprintf("'%s' isn't an option on this server", printableText([]byte(value), maxVoteText))
			}
			return fmt.Sprintf("'%s' is not an option on this server", printableText([]byte(value), maxVoteText))
		}
		v.subject, v.command = s.votes.options[i].text, s.votes.options[i].command
		if r := v.reason; len(r) == 1 && r[0] >= '0' && r[0] <= '5' && (strings.HasSuffix(v.command, "random_map") || strings.HasSuffix(v.command, "random_unfinished_map")) {
			v.command += " " + r // the stars that the map is to have
		}
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
		return fmt.Sprintf("'%s' is a bot; bots leave when players need their place", s.playerName(game.PlayerID(id)))
	}
	c := s.sessions[id]
	if c == nil || c.state < stateReady || c.dropping {
		return "There is no such player"
	}
	v.target, v.subject = c.id, s.playerName(c.id)
	switch {
	case v.kind == bridge.VoteSpectate:
		if s.teamOf(c.id) == game.TeamSpectators {
			return fmt.Sprintf("'%s' is already a spectator", v.subject)
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
	v.ends, v.cancelUntil = now.Add(time.Duration(s.settings.VoteTime)*time.Second), now.Add(voteCancelTime)
	v.recount, v.numCast = true, 1
	if s.playsDDRace() {
		s.describeRaceVote(&v)
	}
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
	n := s.news(&v, now)
	s.announceVote(&n)
}

// message returns what players are told about a vote that runs.
func (v *vote) message(now conn.Time) bridge.Vote {
	// Rounded down, because part of a second is over when clients get it.
	left := int32((v.ends.Sub(now) - 1) / time.Second)
	return bridge.Vote{Kind: v.kind, Caller: v.caller, Timeout: max(left, 0), Description: v.subject, Reason: v.reason, Target: v.target}
}

// sendVote tells a client about the vote that runs, if one does.
func (c *session) sendVote() {
	s := c.server
	if v := &s.votes.current; v.kind != bridge.VoteNone {
		n := s.news(v, s.now)
		n.line = "" // in DDRace who comes is not told who has called it
		n.tell(c.bridge, s.isSeven(c), nil)
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
	n := s.forcedNews(v)
	tells := v.kind != bridge.VoteKick
	if tells && n.ofDDRace { // before its effect, as on DDNet-Server
		s.announceVote(&n)
	}
	s.console.Execute(v.command, who)
	if tells && !n.ofDDRace {
		s.votes.pendingResults = append(s.votes.pendingResults, n)
	}
}

// OnVote implements bridge.ClientMessageHandler.
func (c *session) OnVote(choice int32) {
	if !c.canRequest() {
		return
	}
	if c.server.playsDDRace() {
		c.castRaceVote(choice)
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

// handleVoterTeamChange ends a vote to make a player a spectator who has become one, in other modes than DDRace.
func (s *Server) handleVoterTeamChange(id game.PlayerID, team game.Team) {
	v := &s.votes.current
	v.recount = true
	if v.kind == bridge.VoteSpectate && v.target == id && team == game.TeamSpectators && !s.playsDDRace() {
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
