package vote

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// Tick starts and ends the votes of mods, ends a vote that is decided, and sends the numbers of
// votes when they have changed. The server calls it after every tick of the world. Settled reports
// whether the server had no client to drop when the tick began.
func (v *Votes) Tick(settled bool) {
	v.tickMod()
	if settled {
		v.AnnounceResults()
		if v.ineffective {
			v.ineffective = false
			v.say("The vote passed without effect. Operators find the reason in the server's log")
		}
	}
	v.tickModerators()
	b := &v.current
	if b.kind == event.VoteNone {
		return
	}
	if b.aborted {
		v.end(event.VoteAborted)
		return
	}
	now := v.now()
	if b.forced == 0 && !b.recount && now < b.ends {
		return
	}
	v.decide(b, v.judge(b, now))
}

// verdict is what a count says about a vote.
type verdict struct {
	tally
	passes, fails bool
	waits, vetoed bool // see rules.vetoes
}

// judge counts the votes and compares the numbers with the settings.
func (v *Votes) judge(b *vote, now conn.Time) (r verdict) {
	if b.recount || now >= b.ends {
		r.tally = v.rules.count()
		if most := int32(v.MaxTotal); most > 0 && b.isAboutPlayer() {
			r.total = min(r.total, most)
		}
		r.waits, r.vetoed = v.rules.vetoes(b)
	}
	percent := int32(v.YesPercentage)
	r.passes = r.yes*100 > r.total*percent
	if now >= b.ends && v.Majority == 0 {
		r.passes = r.passes || r.yes*100 > (r.yes+r.no)*percent
	}
	r.fails = r.no*100 >= r.total*(100-percent)
	return r
}

// decide ends the vote if it is decided. Otherwise it sends the numbers of votes.
func (v *Votes) decide(b *vote, r verdict) {
	over := v.now() >= b.ends
	moderated := v.moderated && b.isAboutPlayer() && !over
	switch {
	case b.forced > 0, r.passes && !r.waits && !r.vetoed && !moderated:
		v.pass()
	case b.forced < 0, r.fails, r.vetoed, over:
		n := v.rules.ended(b, event.VoteFailed)
		if b.forced == 0 && (r.vetoed || r.passes && r.waits) {
			n.line = "Vote failed because of veto. Find an empty server instead"
		}
		v.close(&n)
	case b.recount:
		b.recount = false
		v.audience.ObserveCount(int(r.yes), int(r.no), int(r.total-r.yes-r.no), int(r.total))
		v.audience.Each(func(o Onlooker) { o.SendVoteStatus(r.yes, r.no, r.total-r.yes-r.no, r.total) })
	}
}

// pass ends the vote that has passed, and carries it out.
func (v *Votes) pass() {
	b := v.current
	v.rules.passed(&b)
	v.results = append(v.results, v.rules.ended(&b, event.VotePassed))
	v.current = vote{}
	if b.mod != 0 {
		v.endMod(&b, true)
	} else {
		v.execute(&b)
	}
}

// end ends a vote that did not pass.
func (v *Votes) end(how event.VoteKind) {
	n := v.rules.ended(&v.current, how)
	v.close(&n)
}

// close ends a vote that did not pass, with an announcement.
func (v *Votes) close(n *news) {
	v.endMod(&v.current, false)
	v.current = vote{}
	v.announce(n)
}

// execute runs the decision of a vote. No player sees the output of the command. If it fails or
// changes nothing, the log says why, and the chat tells the players.
func (v *Votes) execute(b *vote) {
	name, _, _ := strings.Cut(b.command, " ")
	allowed, _ := v.console.Values(name)
	isVariable := allowed != "" && !strings.ContainsAny(b.command, ";\"")
	before := v.console.Value(name)
	v.deciding, v.decidedBy = true, b.caller
	v.host.Run(b.command, console.Operator, func(failure string) {
		result := ""
		if failure == "" && isVariable && v.console.Value(name) == before {
			failure = name + " has this value already"
		}
		if failure != "" {
			result = "failed"
			v.host.Print(console.Operator, console.Warning,
				fmt.Sprintf("a vote passed without effect. cmd=%s: %s", logline.Quote(v.console.Redact(b.command)), failure))
			v.ineffective = true
		}
		if b.forced == 0 { // otherwise the audit log has the operator's decision
			v.host.Audit(Decision{Caller: b.caller, Command: b.command, Result: result})
		}
	})
	v.deciding = false
}

// AnnounceResults announces the results of votes whose effect is complete.
func (v *Votes) AnnounceResults() {
	for i := range v.results {
		v.announce(&v.results[i])
	}
	clear(v.results)
	v.results = v.results[:0]
}

// tickMod starts the vote of a mode or mod when no other vote runs, and ends it when the mod no
// longer wants it.
func (v *Votes) tickMod() {
	m, wanted := v.world.ModVote()
	if b := &v.current; b.mod != 0 && (!wanted || b.mod != m.Number) {
		b.mod = 0
		v.end(event.VoteAborted)
	}
	if !wanted || m.Number == v.lastMod || v.Running() {
		return
	}
	v.lastMod = m.Number
	v.start(vote{
		kind: event.VoteOption, caller: m.Caller, target: game.Nobody, mod: m.Number,
		subject: strings.TrimSpace(m.Text), reason: noReason,
	})
}

// endMod tells the world the result, if the vote is one of a mode or mod.
func (v *Votes) endMod(b *vote, passed bool) {
	if b.mod != 0 {
		v.host.Queue(game.EndVote(game.ModVote{Number: b.mod}, passed))
	}
}

// tickModerators tells players when an operator starts to moderate votes, and when the last one
// stops.
func (v *Votes) tickModerators() {
	now := false
	for id := range v.seats {
		if v.seats[id].moderates {
			c, ok := v.electorate.Voter(game.PlayerID(id))
			now = now || ok && c.Operator
		}
	}
	if now == v.moderated {
		return
	}
	if v.moderated = now; now {
		v.say("Server kick/spec votes will now be actively moderated.")
	} else {
		v.say("Server kick/spec votes are no longer actively moderated.")
	}
}
