package server

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// tickVote ends a vote that is decided, and sends the counts when they have changed.
func (s *Server) tickVote(now conn.Time) {
	if s.votes.noneDropping {
		s.announceResults()
		if s.votes.withoutEffect {
			s.votes.withoutEffect = false
			s.sayToAll("The vote passed without effect. Operators find the reason in the server's log")
		}
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
	count := v.recount || now >= v.ends
	if count {
		yes, no, total = s.countVotes()
		if most := int32(s.settings.VoteMaxTotal); most > 0 && v.isAboutPlayer() {
			total = min(total, most)
		}
	}
	percent := int32(s.settings.VoteYesPercentage)
	passes := yes*100 > total*percent
	if now >= v.ends && s.settings.VoteMajority == 0 {
		passes = passes || yes*100 > (yes+no)*percent
	}
	waits, vetoed := false, false
	if count {
		waits, vetoed = s.vetoes(v, now)
	}
	switch {
	case v.forced > 0, count && passes && !waits && !vetoed && (!moderated || now >= v.ends):
		passed := *v
		if !s.playsDDRace() || v.kind == bridge.VoteOption && v.forced == 0 {
			s.recentCallers().Remove(v.person)
		}
		s.votes.pendingResults = append(s.votes.pendingResults, s.result(v, bridge.VotePassed))
		s.votes.current = vote{}
		if passed.mod != 0 {
			s.endModVote(&passed, true)
		} else {
			s.executeResult(&passed)
		}
	case v.forced < 0, count && no*100 >= total*(100-percent), vetoed, now >= v.ends:
		n := s.result(v, bridge.VoteFailed)
		if v.forced == 0 && (vetoed || count && passes && waits) {
			n.line = "Vote failed because of veto. Find an empty server instead"
		}
		s.closeVote(&n)
	case v.recount:
		v.recount = false
		s.observe(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(total - yes - no), Total: int(total)})
		s.tellAll(func(a audience) { a.SendVoteStatus(yes, no, total-yes-no, total) })
	}
}

// announceResults tells everybody how the votes have ended whose effect there is now.
func (s *Server) announceResults() {
	for i := range s.votes.pendingResults {
		s.announceVote(&s.votes.pendingResults[i])
	}
	clear(s.votes.pendingResults)
	s.votes.pendingResults = s.votes.pendingResults[:0]
}

// vetoes reports whether somebody who has been in the game or has raced for longer than sv_vote_veto_time keeps
// a vote in DDRace, which is not about a player, from passing since they have not voted yet, and whether one votes against it.
func (s *Server) vetoes(v *vote, now conn.Time) (waits, vetoed bool) {
	minutes := s.settings.VoteVetoTime
	if minutes == 0 || v.kind != bridge.VoteOption || v.mod != 0 || !s.world.IsDDRace() {
		return false, false
	}
	f := s.world.Frame()
	for i := range f.Players {
		p := &f.Players[i]
		c := s.sessions[p.ID]
		if c == nil || c.state != stateInGame || c.isHeld() || p.Team == game.TeamSpectators || p.AFK {
			continue
		}
		raced := p.RaceStart != 0 && (f.Tick-p.RaceStart)/(60*game.TickRate) > int32(minutes)
		if !raced && now.Sub(c.enteredAt) < time.Duration(minutes+1)*time.Minute {
			continue
		}
		switch choice := c.personsChoice(); {
		case choice == 0:
			waits = true
		case choice < 0:
			vetoed = true
		}
	}
	return waits, vetoed
}

// personsChoice returns the vote of the person behind a session in DDRace, the last that one of their players cast.
func (c *session) personsChoice() (choice int32) {
	order := 0
	for _, o := range c.server.sessions {
		if o != nil && o.state == stateInGame && o.ballot.choice != 0 && o.ballot.order > order && o.person() == c.person() {
			choice, order = o.ballot.choice, o.ballot.order
		}
	}
	return choice
}

// executeResult runs what a vote has decided. If that fails or changes nothing, the log says why and players are told
// that it did, since nobody sees the output of the command.
func (s *Server) executeResult(v *vote) {
	name, _, _ := strings.Cut(v.command, " ")
	allowed, _ := s.console.Values(name)
	isVariable := allowed != "" && !strings.ContainsAny(v.command, ";\"")
	before := s.console.Value(name)
	mapBefore, _ := s.wantedMap()
	s.votes.executingResult, s.votes.passedBy = true, v.caller
	s.execute(v.command, console.Operator, func(failure string) {
		result := ""
		if failure == "" && isVariable && s.console.Value(name) == before {
			failure = name + " has this value already"
		}
		if failure != "" {
			result = "failed"
			s.print(console.Warning, "server", fmt.Sprintf("a vote passed without effect. cmd=%s: %s", logline.Quote(s.console.Redact(v.command)), failure))
			s.votes.withoutEffect = true
		}
		if v.forced == 0 {
			s.auditVote(v.caller, v.command, result) // how it was forced is in the log already
		}
	})
	s.votes.executingResult = false
	if wanted, _ := s.wantedMap(); wanted != mapBefore {
		s.mapChange.voted = wanted
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
	n := s.result(&s.votes.current, how)
	s.closeVote(&n)
}

// closeVote is endVote with what is told.
func (s *Server) closeVote(n *voteNews) {
	s.endModVote(&s.votes.current, false)
	s.votes.current = vote{}
	s.announceVote(n)
}

// countVotes counts the votes of the players who are not spectators. A person has one vote,
// the first that one of their players cast. As in the original everybody who is not in the
// game yet counts as one more person. In DDRace others count, see countRaceVotes.
func (s *Server) countVotes() (yes, no, total int32) {
	if s.playsDDRace() {
		return s.countRaceVotes()
	}
	aboutPlayer := s.votes.current.isAboutPlayer()
	counts := func(c *session) bool {
		return s.teamOf(c.id) != game.TeamSpectators && !(aboutPlayer && s.now < c.mayVoteFrom)
	}
	first := func(b, before *ballot) bool {
		return b.choice != 0 && (before.choice == 0 || b.order < before.order)
	}
	return s.countPersons(stateReady, counts, first)
}

// countPersons counts the votes of who counts of the sessions that have come to a state. A person has one vote: a
// ballot of another player of theirs replaces the one before if replaces says so.
func (s *Server) countPersons(least sessionState, counts func(*session) bool, replaces func(b, before *ballot) bool) (yes, no, total int32) {
	var counted game.PlayerMask
	waits := func(c *session) bool {
		return c != nil && c.state >= least && !c.isHeld() && !counted.Has(c.id)
	}
	person := func(c *session) netip.Prefix {
		if c.state != stateInGame {
			return netip.Prefix{}
		}
		return c.person()
	}
	for id, c := range s.sessions {
		if !waits(c) || !counts(c) {
			continue
		}
		b := c.ballot
		for _, o := range s.sessions[id+1:] {
			if waits(o) && person(o) == person(c) {
				counted |= game.MaskOne(o.id)
				if replaces(&o.ballot, &b) {
					b = o.ballot
				}
			}
		}
		total++
		switch {
		case b.choice > 0:
			yes++
		case b.choice < 0:
			no++
		}
	}
	return yes, no, total
}
