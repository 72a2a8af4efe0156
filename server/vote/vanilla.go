package vote

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// vanilla is the rules of Teeworlds 0.7.5, with variables of DDNet.
type vanilla struct{ *Votes }

func (r vanilla) mayCall(c *client) (answer string, ok bool) {
	if barred := r.barred(c); barred != "" {
		return barred, false
	}
	switch now, spam := int64(r.now()), r.host.Rules().SpamProtection; {
	case spam && r.tried.Has(now, c.person()):
		return "", false
	case r.team(c.id) == game.TeamSpectators:
		return "Spectators cannot call votes", false
	case r.Running():
		return "Another vote is running; wait until it ends", false
	case spam && r.recentCallers().Has(now, c.person()):
		if r.calledDelay == 60 {
			return "You can call only one vote a minute", false
		}
		return fmt.Sprintf("You can call only one vote every %d seconds", r.calledDelay), false
	case r.OperatorsOnly != 0 && !c.Operator:
		return "You can only vote after logging in.", false
	case r.now() < c.mayVoteFrom:
		return r.firstVoteWait(c), false
	}
	r.tried.Add(int64(r.now()), c.person())
	return "", true
}

func (r vanilla) resolve(_ *client, b *vote, value string) (answer string, ok bool) {
	refusal := r.Votes.resolve(b, value)
	return refusal, refusal == ""
}

// cast counts the first choice of a client. The caller's no calls the vote off.
func (r vanilla) cast(c *client, choice int32) {
	b := &r.current
	switch {
	case choice == 0:
	case c.choice == 0:
		r.choose(c, choice)
	case c.id == b.caller && choice < 0 && r.now() <= b.cancelUntil:
		b.aborted = true
	}
}

// count counts the votes of players who are not spectators. A person has one vote, the first that a
// player of theirs casts. All clients that are not in the game yet count as a single person, as in
// the original.
func (r vanilla) count() tally {
	aboutPlayer := r.current.isAboutPlayer()
	return r.countPersons(
		func(c *client) bool { return c.Seated },
		func(c *client) bool {
			return r.team(c.id) != game.TeamSpectators && !(aboutPlayer && r.now() < c.mayVoteFrom)
		},
		func(s, before *seat) bool { return s.choice != 0 && (before.choice == 0 || s.order < before.order) },
	)
}

func (vanilla) vetoes(*vote) (waits, vetoed bool) { return false, false }

// passed lets the caller call the next vote at once.
func (r vanilla) passed(b *vote) { r.recentCallers().Remove(b.person) }

func (vanilla) targetWatches(b *vote) { b.aborted = true }

func (vanilla) noOption(option string) string {
	return fmt.Sprintf("'%s' is not an option on this server", option)
}

func (vanilla) describe(*vote) {}

// begins rounds the remaining time down, because a part of a second is over when clients get it.
func (r vanilla) begins(b *vote) news {
	n := b.announcement()
	n.Timeout = max(int32((b.ends.Sub(r.now())-1)/time.Second), 0)
	return n
}

func (vanilla) ended(b *vote, how event.VoteKind) news { return b.ended(how) }

func (vanilla) forced(b *vote) (n news, early bool) {
	n = b.announcement()
	n.Caller = game.Nobody
	return n, false
}

func (vanilla) decided(string) {}

func (vanilla) show(n *news, o *Onlooker) { o.SendVote(&n.Vote) }
