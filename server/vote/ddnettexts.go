package vote

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
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

func (ddnet) ended(b *vote, how bridge.VoteKind) news {
	if how == bridge.VoteFailed && b.forced < 0 {
		how = bridge.VoteAborted
	}
	n := b.ended(how)
	switch {
	case how == bridge.VoteAborted:
		n.line, n.forAll = "Vote aborted", true
	case how == bridge.VotePassed && b.forced != 0:
		n.line = "Vote passed enforced by authorized player"
	case how == bridge.VotePassed:
		n.line = "Vote passed"
	case how == bridge.VoteFailed:
		n.line = "Vote failed"
	}
	return n
}

func (ddnet) forced(b *vote) (n news, early bool) {
	n = b.announcement()
	n.Caller = game.Nobody
	switch b.kind {
	case bridge.VoteOption:
		n.line = fmt.Sprintf("authorized player forced server option '%s' (%s)", b.subject, b.reason)
	case bridge.VoteSpectate:
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
	case o.OwnTexts && v.Kind == bridge.VoteAborted:
		v.Kind, v.Caller = bridge.VoteFailed, game.Nobody
	case o.OwnTexts:
	case v.Timeout > 0: // without a caller, the client adds no line of its own
		v.Kind, v.Caller, v.Description = bridge.VoteOption, game.Nobody, n.bar
	case v.Kind < bridge.VoteAborted: // forced
		say(n.line)
		return
	case v.Kind != bridge.VoteAborted && v.Caller != game.Nobody:
		v.Kind = bridge.VoteNone
		o.SendVote(&v)
		say(n.line)
		return
	default:
		v.Kind = bridge.VoteNone
	}
	say(n.line)
	o.SendVote(&v)
}
