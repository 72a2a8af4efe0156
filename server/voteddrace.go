package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Votes in DDRace are those of DDNet-Server 16.4: who may call and cast them, who counts, and what players read. The
// rules of other modes are in votes.go and voteresults.go.

// kickVoteWait is how long who called a vote to kick is not answered when they call the next one.
const kickVoteWait = 5 * time.Second

// registerPauseVotes adds the variables of votes that pause a player.
func (s *Server) registerPauseVotes() error {
	for _, v := range []console.IntVar{
		{Name: "sv_vote_pause", Help: "Votes to move DDRace players to the spectators pause them instead (needs sv_pauseable)", Value: &s.votes.pauses, Default: 1, Max: 1},
		{Name: "sv_vote_pause_time", Help: "Seconds that a pause by vote lasts", Value: &s.votes.pauseTime, Default: 10, Max: 360},
	} {
		v.Flags = console.Server | console.Save
		if err := s.console.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// playsDDRace reports whether the rules of votes are those of DDNet-Server.
func (s *Server) playsDDRace() bool { return s.world != nil && s.world.IsDDRace() }

// raceTeam returns the team of DDRace of a player, and whether they have a tee, also one that they left for a pause.
func (s *Server) raceTeam(id game.PlayerID) (team int32, hasTee bool) {
	p, ok := s.world.Player(id)
	if !ok || p.Team == game.TeamSpectators {
		return 0, false
	}
	if state := s.racer(id); state != nil {
		team = state.RaceTeam
	}
	return team, p.Alive
}

// racer returns the state of a player in the game, nil if there is none.
func (s *Server) racer(id game.PlayerID) *game.PlayerState {
	f := s.world.Frame()
	for i := range f.Players {
		if f.Players[i].ID == id {
			return &f.Players[i]
		}
	}
	return nil
}

// isMate reports whether two players of the same team have tees.
func (s *Server) isMate(a, b game.PlayerID) bool {
	teamA, aliveA := s.raceTeam(a)
	teamB, aliveB := s.raceTeam(b)
	return aliveA && aliveB && teamA == teamB
}

// mayCallRaceVote reports whether a player of DDRace may call a vote now, and what to answer otherwise, if anything.
func (c *session) mayCallRaceVote() (answer string, ok bool) {
	s := c.server
	now := int64(s.now)
	switch {
	case s.settings.RconVote != 0 && !c.rcon.authed:
		return "You can only vote after logging in.", false
	case s.settings.SpamProtection != 0 && (s.votes.tried.Has(now, c.person()) || c.ballot.isRecent(s.now)):
		return "", false
	}
	s.votes.tried.Add(now, c.person())
	c.ballot.tried = s.now
	switch {
	case s.votes.running():
		return "Wait for current vote to end before calling a new one.", false
	case s.now < c.mayVoteFrom:
		return fmt.Sprintf("You must wait %d seconds before making your first vote.", (c.mayVoteFrom.Sub(s.now)+time.Second-1)/time.Second), false
	case s.recentCallers().Has(now, c.person()):
		left := time.Duration(s.votes.delay) * time.Second
		if own := c.ballot.called.Add(left).Sub(s.now); c.ballot.called != 0 && own > 0 {
			left = own // and not that of another player of the person
		}
		return fmt.Sprintf("You must wait %d seconds before making another vote.", left/time.Second+1), false
	}
	barred := c.barredFromVotes()
	return barred, barred == ""
}

// resolveRaceVote is resolveVote for a player of DDRace. Without an answer there is a reason that is not told.
func (c *session) resolveRaceVote(v *vote, value string) (answer string, ok bool) {
	switch v.kind {
	case bridge.VoteOption:
		if answer := c.server.resolveVote(v, value); answer != "" {
			return answer, false
		}
		return "", !strings.EqualFold(v.command, "info") // those are lines to read
	case bridge.VoteKick:
		return c.resolveRaceKick(v, value)
	case bridge.VoteSpectate:
		return c.resolveRacePause(v, value)
	}
	return "", false
}

// votedPlayer returns who a vote is about, nil if there is no such player.
func (s *Server) votedPlayer(value string) *session {
	id, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || id < 0 || id >= len(s.sessions) {
		return nil
	}
	if c := s.sessions[id]; c != nil && c.state >= stateReady && !c.dropping {
		return c
	}
	return nil
}

// botAnswer returns what is said of a vote about a bot, "" if it is not about one.
func (s *Server) botAnswer(value string) string {
	if id, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && id >= 0 && id < len(s.sessions) && s.bots.has(game.PlayerID(id)) {
		return fmt.Sprintf("'%s' is a bot; bots leave when players need their place", s.playerName(game.PlayerID(id)))
	}
	return ""
}

// resolveRaceKick is resolveRaceVote for a vote that bans or kicks a player, or moves a mate out of the team.
func (c *session) resolveRaceKick(v *vote, value string) (answer string, ok bool) {
	s := c.server
	if !c.rcon.authed && c.kickVoteAt != 0 && s.now < c.kickVoteAt.Add(kickVoteWait) {
		return "", false
	}
	refuse := func(why string) (string, bool) {
		c.kickVoteAt = s.now
		return why, false
	}
	if !c.rcon.authed {
		if wait := c.voteWait(v); wait != "" {
			return refuse(wait)
		}
		if s.settings.VoteKick == 0 {
			return refuse("Server does not allow voting to kick players")
		}
	}
	team, _ := s.raceTeam(c.id)
	if least := s.settings.VoteKickMin; least > 0 && team == 0 && s.personsOutsideTeams() < least {
		return fmt.Sprintf("Kick voting requires %d players", least), false
	}
	if bot := s.botAnswer(value); bot != "" {
		return bot, false
	}
	o := s.votedPlayer(value)
	switch {
	case o == nil:
		return "Invalid client id to kick", false
	case o == c:
		return "You can't kick yourself", false
	case o.rcon.authed && (!c.rcon.authed || o.rcon.level < c.rcon.level):
		o.reply(fmt.Sprintf("'%s' called for vote to kick you", s.playerName(c.id)))
		return refuse("You can't kick authorized players")
	case !s.isMate(c.id, o.id):
		return refuse("You can kick only your team member")
	}
	v.target, v.subject = o.id, s.playerName(o.id)
	v.line = fmt.Sprintf("'%s' called for vote to kick '%s' (%s)", s.playerName(c.id), v.subject, v.shownReason())
	switch {
	case team != 0:
		v.bar = fmt.Sprintf("Move '%s' to team 0", v.subject)
		v.command = fmt.Sprintf("uninvite %d %d; set_team_ddr %d 0", o.id, team, o.id)
	case s.settings.VoteKickBanTime == 0:
		v.bar = fmt.Sprintf("Kick '%s'", v.subject)
		v.command = fmt.Sprintf("kick %d Kicked by vote", o.id)
	default:
		v.bar = fmt.Sprintf("Ban '%s'", v.subject)
		v.command = fmt.Sprintf("ban %s %d Banned by vote", bans.FormatNet(o.person()), s.settings.VoteKickBanTime)
	}
	return "", true
}

// resolveRacePause is resolveRaceVote for a vote that pauses a player, or moves them to the spectators.
func (c *session) resolveRacePause(v *vote, value string) (answer string, ok bool) {
	s := c.server
	if s.settings.VoteSpectate == 0 {
		return "Server does not allow voting to move players to spectators", false
	}
	if bot := s.botAnswer(value); bot != "" {
		return bot, false
	}
	o := s.votedPlayer(value)
	switch {
	case o == nil || s.teamOf(o.id) == game.TeamSpectators:
		return "Invalid client id to move", false
	case o == c:
		return "You can't move yourself", false
	case !s.isMate(c.id, o.id):
		return "You can only move your team member to spectators", false
	}
	v.target, v.subject = o.id, s.playerName(o.id)
	caller := s.playerName(c.id)
	if command := fmt.Sprintf("force_pause %d %d", o.id, s.votes.pauseTime); s.pausesByVote(command) {
		v.line = fmt.Sprintf("'%s' called for vote to pause '%s' for %d seconds (%s)", caller, v.subject, s.votes.pauseTime, v.shownReason())
		v.bar = fmt.Sprintf("Pause '%s' (%ds)", v.subject, s.votes.pauseTime)
		v.command = command
	} else {
		v.line = fmt.Sprintf("'%s' called for vote to move '%s' to spectators (%s)", caller, v.subject, v.shownReason())
		v.bar = fmt.Sprintf("Move '%s' to spectators", v.subject)
		v.command = fmt.Sprintf("set_team %d -1 %d", o.id, s.settings.VoteSpectateRejoinDelay)
	}
	if team, _ := s.raceTeam(o.id); team != 0 {
		v.command = fmt.Sprintf("uninvite %d %d; %s", o.id, team, v.command)
	}
	return "", true
}

// pausesByVote reports whether votes pause players with a command, which not all modes of DDRace have.
func (s *Server) pausesByVote(command string) bool {
	settings, _ := s.world.DDRaceSettings()
	return s.votes.pauses != 0 && settings.Pauseable != 0 && s.console.Check(command, console.Operator) == nil
}

// personsOutsideTeams returns how many persons have players who are in no team of DDRace and no spectators.
func (s *Server) personsOutsideTeams() int {
	n := 0
	for id, c := range s.sessions {
		outside := func(o *session) bool {
			if o == nil || o.state < stateReady || s.teamOf(o.id) == game.TeamSpectators {
				return false
			}
			team, _ := s.raceTeam(o.id)
			return team == 0
		}
		if !outside(c) {
			continue
		}
		n++
		for _, o := range s.sessions[:id] {
			if outside(o) && o.person() == c.person() {
				n--
				break
			}
		}
	}
	return n
}

// castRaceVote takes the vote of a player of DDRace, which replaces the last one.
func (c *session) castRaceVote(choice int32) {
	s := c.server
	v := &s.votes.current
	if v.kind == bridge.VoteNone || s.settings.SpamProtection != 0 && c.ballot.isRecent(s.now) {
		return
	}
	if c.ballot.tried = s.now; choice == 0 {
		return
	}
	v.numCast++
	v.recount = true
	c.ballot.choice, c.ballot.order = max(min(choice, 1), -1), v.numCast
}

// isRecent reports whether the player has called a vote or voted a moment ago.
func (b *ballot) isRecent(now conn.Time) bool {
	return b.tried != 0 && now < b.tried.Add(voteRetryTime)
}

// countRaceVotes is countVotes in DDRace: spectators count but in votes about players, in which only the mates of who called
// it do. Who is away counts once they vote. A person has one vote, the last that one of their players cast.
func (s *Server) countRaceVotes() (yes, no, total int32) {
	v := &s.votes.current
	callerTeam, callerHasTee := s.raceTeam(v.caller)
	counts := func(c *session) bool {
		if v.isAboutPlayer() {
			team, hasTee := s.raceTeam(c.id)
			if s.teamOf(c.id) == game.TeamSpectators || s.now < c.mayVoteFrom || hasTee && callerHasTee && team != callerTeam {
				return false
			}
		}
		p := s.racer(c.id)
		return p == nil || !p.AFK || c.id == v.caller || c.ballot.choice != 0
	}
	last := func(b, before *ballot) bool { return b.order > before.order }
	return s.countPersons(stateInGame, counts, last)
}

// voteNews is that a vote begins or ends. In DDRace it has the texts of DDNet-Server for clients that have none of their own.
type voteNews struct {
	bridge.Vote
	ofDDRace bool
	bar      string // what clients show while it runs
	line     string // what players read in the chat, "" for nothing
	forAll   bool   // also those whose clients have texts of their own
}

// news returns that a vote begins, or runs for who comes.
func (s *Server) news(v *vote, now conn.Time) voteNews {
	n := voteNews{Vote: v.message(now)}
	if s.playsDDRace() {
		n.Timeout = int32(max(v.ends.Sub(now), 0) / time.Second)
		n.ofDDRace, n.bar, n.line = true, v.bar, v.line
	}
	return n
}

// result returns how a vote ended.
func (s *Server) result(v *vote, how bridge.VoteKind) voteNews {
	ddrace := s.playsDDRace()
	if ddrace && how == bridge.VoteFailed && v.forced < 0 {
		how = bridge.VoteAborted
	}
	n := voteNews{Vote: v.result(how), ofDDRace: ddrace}
	switch {
	case !ddrace:
	case how == bridge.VoteAborted:
		n.line, n.forAll = "Vote aborted", true
	case how == bridge.VotePassed && v.forced != 0:
		n.line = "Vote passed enforced by authorized player"
	case how == bridge.VotePassed:
		n.line = "Vote passed"
	case how == bridge.VoteFailed:
		n.line = "Vote failed"
	}
	return n
}

// forcedNews returns that an operator has forced what a vote could have decided.
func (s *Server) forcedNews(v *vote) voteNews {
	n := voteNews{
		Vote:     bridge.Vote{Kind: v.kind, Caller: game.Nobody, Description: v.subject, Reason: v.reason, Target: v.target},
		ofDDRace: s.playsDDRace(),
	}
	switch {
	case !n.ofDDRace:
	case v.kind == bridge.VoteOption:
		n.line = fmt.Sprintf("authorized player forced server option '%s' (%s)", v.subject, v.reason)
	case v.kind == bridge.VoteSpectate:
		n.line = fmt.Sprintf("'%s' was moved to spectator (%s)", v.subject, v.reason)
	}
	return n
}

// describeRaceVote sets the texts of a vote in DDRace that has none yet: of those on options, by players or mods.
func (s *Server) describeRaceVote(v *vote) {
	if v.bar != "" {
		return
	}
	if v.bar = v.subject; v.caller >= 0 {
		v.line = fmt.Sprintf("'%s' called vote to change server option '%s' (%s)", s.playerName(v.caller), v.subject, v.reason)
	}
}

// tell tells a client or a recording the news. Say shows a line in its chat.
func (n *voteNews) tell(a audience, isSeven bool, say func(line string)) {
	if !n.ofDDRace {
		a.SendVote(&n.Vote)
		return
	}
	v := n.Vote
	if n.line == "" || isSeven && !n.forAll {
		say = func(string) {}
	}
	switch {
	case isSeven && v.Kind == bridge.VoteAborted: // as DDNet-Server tells them
		v.Kind, v.Caller = bridge.VoteFailed, game.Nobody
	case isSeven:
	case v.Timeout > 0: // without a caller there is no other line
		v.Kind, v.Caller, v.Description = bridge.VoteOption, game.Nobody, n.bar
	case v.Kind < bridge.VoteAborted: // forced
		say(n.line)
		return
	case v.Kind != bridge.VoteAborted && v.Caller != game.Nobody:
		v.Kind = bridge.VoteNone
		a.SendVote(&v)
		say(n.line)
		return
	default:
		v.Kind = bridge.VoteNone
	}
	say(n.line)
	a.SendVote(&v)
}

// announceVote tells everybody that a vote has begun or ended.
func (s *Server) announceVote(n *voteNews) {
	s.observeVote(&n.Vote)
	line := func(to game.PlayerMask) *game.Event {
		return &game.Event{Kind: game.EvChat, To: to, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: n.line}
	}
	s.forEachInGame(func(c *session) {
		n.tell(c.bridge, s.isSeven(c), func(string) { c.bridge.SendEvent(s.world, line(game.MaskOne(c.id))) })
	})
	for _, d := range s.demos.files {
		n.tell(d.recorder, d.header.Version != demo.VersionDDNet, func(string) { d.recorder.Event(s.world, line(^game.PlayerMask(0))) })
	}
	if r := s.broadcastRecorder(); r != nil {
		n.tell(r, true, func(string) { r.Event(s.world, line(^game.PlayerMask(0))) })
	}
}

// sayVoteForced tells the players of DDRace that an operator has decided a vote, before its result.
func (s *Server) sayVoteForced(how string) {
	if s.playsDDRace() {
		s.sayToAll("authorized player forced vote " + how)
	}
}
