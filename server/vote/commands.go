package vote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/logline"
)

// Register adds the variables and commands of votes to a console.
func (v *Votes) Register(c *console.Console) error {
	v.console = c
	if err := v.Settings.register(c); err != nil {
		return err
	}
	const open, hidden = console.Server, console.Server | console.Hidden
	for _, cmd := range []console.Command{
		{Name: "add_vote", Params: "s[option] r[command]", Help: "Add an option that players can vote for", Flags: open | console.Lasting, Run: v.cmdAddVote},
		{Name: "remove_vote", Params: "s[option]", Help: "Remove an option that players can vote for", Flags: open | console.Lasting, Run: v.cmdRemoveVote},
		{Name: "clear_votes", Help: "Remove all options that players can vote for", Flags: open | console.Lasting, Run: v.cmdClearVotes},
		{Name: "force_vote", Params: "s['option'|'kick'|'spectate'] s[option|id] ?r[reason]",
			Help: "Force a vote: carry it out without asking the players", Flags: open, Run: v.cmdForceVote},
		{Name: "vote", Params: "r['yes'|'no']", Help: "Decide the running vote", Flags: open, Run: v.cmdVote},
		{Name: "vote_no", Help: "End the running vote with a no", Flags: hidden, Run: func(*console.Call) { v.overrule("no") }},
		{Name: "vote_mute", Params: "i[id] i[seconds]", Help: "Forbid a player to call votes for x seconds", Flags: hidden, Run: v.cmdVoteMute},
		{Name: "vote_unmute", Params: "i[id]", Help: "Allow a player to call votes again", Flags: hidden, Run: v.cmdVoteUnmute},
		{Name: "vote_mutes", Help: "List the players who may not call votes", Flags: hidden, Run: v.cmdVoteMutes},
		{Name: "moderate", Help: "Start or stop moderating votes about players yourself", Flags: hidden, Run: v.cmdModerate},
	} {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	return nil
}

// cmdForceVote carries a vote out, as on DDNet-Server.
func (v *Votes) cmdForceVote(call *console.Call) {
	kind := slices.Index(kindNames[:], strings.ToLower(call.Arg(0)))
	if kind <= 0 {
		call.Warn("server", "force_vote %q: not a kind of vote; use option, kick or spectate", call.Arg(0))
		return
	}
	b := vote{
		kind: event.VoteKind(kind), caller: game.Nobody, target: game.Nobody,
		reason: cmp.Or(call.Cut(2, "server", "reason", maxReason), noReason),
	}
	if refusal := v.resolve(&b, call.Arg(1)); refusal != "" {
		call.Warn("server", "%s", refusal)
		return
	}
	v.force(&b, call.Caller)
}

func (v *Votes) cmdVote(call *console.Call) {
	if v.current.kind == event.VoteNone {
		return
	}
	v.overrule(call.Arg(0))
	call.Print("server", "forcing vote %s", call.Arg(0))
}

// overrule makes the next tick end the running vote with an operator's yes or no.
func (v *Votes) overrule(how string) {
	b := &v.current
	switch {
	case b.kind == event.VoteNone:
		return
	case strings.EqualFold(how, "yes"):
		b.forced, how = 1, "yes"
	case strings.EqualFold(how, "no"):
		b.forced, how = -1, "no"
	default:
		return
	}
	v.rules.decided(how)
	v.host.Audit(Decision{Forced: true, Caller: game.Nobody, Command: b.command, Result: how})
}

const maxMuteSeconds = 24 * 60 * 60

// barred returns why a client may not call votes because of a mute, or "".
func (v *Votes) barred(c *client) string {
	left := v.electorate.MutedFor(c.id)
	if m := v.mutes.Find(v.now(), c.Addr); m != nil {
		left = max(left, m.SecondsLeft(v.now()))
	}
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("You are not permitted to vote for the next %d seconds.", left)
}

func (v *Votes) cmdVoteMute(call *console.Call) {
	c, ok := v.numbered(call.Int(0))
	if !ok {
		call.Warn("votemute", "Client ID not found")
		return
	}
	seconds := min(max(call.Int(1), 1), maxMuteSeconds)
	m := access.NewMute(v.now(), c.Addr, v.electorate.Name(c.id), seconds, "")
	if old := v.mutes.Find(v.now(), c.Addr); old != nil {
		*old = m
	} else if !v.mutes.Full() {
		v.mutes.Add(v.now(), m)
	} else {
		call.Warn("votemute", "vote mute array is full")
		return
	}
	v.tell(call, fmt.Sprintf("'%s' banned '%s' for %d seconds from voting.", v.operatorName(call), m.Name, seconds))
}

func (v *Votes) cmdVoteUnmute(call *console.Call) {
	c, ok := v.numbered(call.Int(0))
	if !ok {
		call.Warn("voteunmute", "Client ID not found")
		return
	}
	if v.mutes.Remove(c.Addr) {
		v.tell(call, fmt.Sprintf("'%s' unbanned '%s' from voting.", v.operatorName(call), v.electorate.Name(c.id)))
	}
}

func (v *Votes) cmdVoteMutes(call *console.Call) {
	list, ddnet := v.mutes.All(v.now()), v.host.Dialect() == logline.DDNet
	if len(list) == 0 {
		call.Print("votemutes", "There are no active vote mutes.")
	} else if ddnet {
		call.Print("votemutes", "Active vote mutes:")
	}
	for i := range list {
		if m := &list[i]; ddnet {
			call.Print("votemutes", "%d: \"%s\", %d seconds left", i, m.Person.Addr(), m.SecondsLeft(v.now()))
		} else {
			call.Print("votemutes", "%d: %s", i, m.Describe(v.now()))
		}
	}
}

// tell prints a line and says it in the chat.
func (v *Votes) tell(call *console.Call, line string) {
	call.Print(call.Name, "%s", line)
	v.say(line)
}

// numbered returns the client with an id from a console line.
func (v *Votes) numbered(id int) (c client, ok bool) {
	if id < 0 || id >= game.MaxPlayers {
		return c, false
	}
	return v.client(game.PlayerID(id))
}

// operatorName returns the name of the operator who runs a command.
func (v *Votes) operatorName(call *console.Call) string {
	if c, ok := v.numbered(call.Caller.ID); ok {
		return v.electorate.Name(c.id)
	}
	return "Operator"
}

// cmdModerate makes an operator in the game a moderator of votes about players, or ends that.
func (v *Votes) cmdModerate(call *console.Call) {
	c, ok := v.numbered(call.Caller.ID)
	if !ok {
		call.Warn("server", "moderate works only for operators in the game")
		return
	}
	c.moderates = !c.moderates
	if c.moderates {
		v.electorate.Reply(c.id, "Active moderator mode enabled for you.")
	} else {
		v.electorate.Reply(c.id, "Active moderator mode disabled for you.")
	}
}
