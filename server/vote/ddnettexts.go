package vote

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

func (ddnet) noOption(option string) string {
	return fmt.Sprintf("'%s' isn't an option on this server", option)
}

// describe sets the texts of a vote for an option. Votes about players have theirs from resolve.
func (r ddnet) describe(b *vote) {
	if b.bar != "" {
		return
	}
	if b.bar = b.subject; b.caller >= 0 {
		b.line = fmt.Sprintf("'%s' called vote to change server option '%s' (%s)", r.electorate.Name(b.caller), b.subject, b.reason)
	}
}

func (r ddnet) begins(b *vote) news {
	n := b.announcement()
	n.Timeout = int32(max(b.ends.Sub(r.now()), 0) / time.Second)
	n.bar, n.line = b.bar, b.line
	return n
}

func (ddnet) ended(b *vote, how event.VoteKind) news {
	if how == event.VoteFailed && b.forced < 0 {
		how = event.VoteAborted
	}
	n := b.ended(how)
	switch {
	case how == event.VoteAborted:
		n.line, n.forAll = "Vote aborted", true
	case how == event.VotePassed && b.forced != 0:
		n.line = "Vote passed enforced by authorized player"
	case how == event.VotePassed:
		n.line = "Vote passed"
	case how == event.VoteFailed:
		n.line = "Vote failed"
	}
	return n
}

func (ddnet) forced(b *vote) (n news, early bool) {
	n = b.announcement()
	n.Caller = game.Nobody
	switch b.kind {
	case event.VoteOption:
		n.line = fmt.Sprintf("authorized player forced server option '%s' (%s)", b.subject, b.reason)
	case event.VoteSpectate:
		n.line = fmt.Sprintf("'%s' was moved to spectator (%s)", b.subject, b.reason)
	}
	return n, true
}

func (r ddnet) decided(how string) { r.say("authorized player forced vote " + how) }

// show writes the texts for clients that have none of their own, as DDNet-Server does.
func (ddnet) show(n *news, o *Onlooker) {
	v, say := n.Vote, o.Say
	if n.line == "" || o.OwnTexts && !n.forAll {
		say = func(string) {}
	}
	switch {
	case o.OwnTexts && v.Kind == event.VoteAborted:
		v.Kind, v.Caller = event.VoteFailed, game.Nobody
	case o.OwnTexts:
	case v.Timeout > 0: // without a caller, the client adds no line of its own
		v.Kind, v.Caller, v.Description = event.VoteOption, game.Nobody, n.bar
	case v.Kind < event.VoteAborted: // forced
		say(n.line)
		return
	case v.Kind != event.VoteAborted && v.Caller != game.Nobody:
		v.Kind = event.VoteNone
		o.SendVote(&v)
		say(n.line)
		return
	default:
		v.Kind = event.VoteNone
	}
	say(n.line)
	o.SendVote(&v)
}
