package vote

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// rules are the rules of votes of one game: Teeworlds 0.7.5 or DDNet-Server 16.4.
type rules interface {
	// mayCall reports whether a client may call a vote now. Otherwise it returns the answer to the
	// client, "" for silence.
	mayCall(c *client) (answer string, ok bool)
	// resolve sets the subject and the command of a vote that a client calls. It reports whether
	// there can be such a vote. Otherwise it returns the answer, "" for silence.
	resolve(c *client, b *vote, value string) (answer string, ok bool)
	// cast handles the choice of a client in the running vote: 1, -1, or 0 for neither.
	cast(c *client, choice int32)
	// count counts the votes.
	count() tally
	// vetoes reports whether a player who may veto the vote has not voted yet, and whether such a
	// player has voted no.
	vetoes(b *vote) (waits, vetoed bool)
	// passed is called when a vote has passed.
	passed(b *vote)
	// targetWatches is called when the player whom a vote is to move has become a spectator.
	targetWatches(b *vote)
	texts
}

// texts are the texts that players read about votes.
type texts interface {
	// noOption is the answer to a vote for an option that does not exist.
	noOption(option string) string
	// describe sets the texts of a vote that starts.
	describe(b *vote)
	// begins returns the announcement of a running vote.
	begins(b *vote) news
	// ended returns the announcement of the end of a vote.
	ended(b *vote, how event.VoteKind) news
	// forced returns the announcement of a vote that an operator carries out. Early reports whether
	// players get it before the effect.
	forced(b *vote) (n news, early bool)
	// decided announces that an operator has decided the vote with yes or no.
	decided(how string)
	// show shows an announcement to an onlooker.
	show(n *news, o *Onlooker)
}

// news announces that a vote has begun or ended.
type news struct {
	bridge.Vote
	// The following are DDNet's texts for clients without texts of their own.
	bar    string // clients show it while the vote runs
	line   string // a chat line, "" for none
	forAll bool   // clients with texts of their own get line, too
}

// announcement returns the news of a running vote without texts.
func (b *vote) announcement() news {
	return news{Vote: bridge.Vote{Kind: b.kind, Caller: b.caller, Description: b.subject, Reason: b.reason, Target: b.target}}
}

// ended returns the news of the end of a vote without texts.
func (b *vote) ended(how event.VoteKind) news {
	r := bridge.Vote{Kind: how, Caller: b.caller, Target: game.Nobody}
	if how != event.VoteAborted && b.forced != 0 {
		r.Caller = game.Nobody
	} else if b.mod != 0 && b.caller == game.Nobody {
		r.Caller = 0 // for game.Nobody, clients write that an operator forced it
	}
	return news{Vote: r}
}

// announce shows all onlookers that a vote has begun or ended.
func (v *Votes) announce(n *news) {
	v.audience.ObserveVote(&n.Vote)
	v.audience.Each(func(o Onlooker) { v.rules.show(n, &o) })
}

// Greet tells a client that has just come about the running vote.
func (v *Votes) Greet(id game.PlayerID) {
	if v.current.kind == event.VoteNone {
		return
	}
	n := v.rules.begins(&v.current)
	n.line = "" // it says who has called the vote
	o := v.audience.One(id)
	v.rules.show(&n, &o)
}

// say adds a chat line from the server to the next tick.
func (v *Votes) say(text string) {
	v.host.Queue(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}
