package vote

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
)

// resolve sets the subject and the command of a vote by the rules of Teeworlds. Votes that an
// operator forces follow them in all worlds. It returns why there can be no such vote, or "".
func (v *Votes) resolve(b *vote, value string) (refusal string) {
	switch b.kind {
	case event.VoteOption:
		return v.resolveOption(b, value)
	case event.VoteKick:
		if !v.host.Rules().VoteKick {
			return "This server does not allow votes to kick players"
		}
		if least := int(v.host.Rules().VoteKickMin); v.numPlayers() < least {
			return fmt.Sprintf("Votes to kick need %d players", least)
		}
	case event.VoteSpectate:
		if !v.host.Rules().VoteSpectate {
			return "This server does not allow votes to move players to the spectators"
		}
	default:
		return "There is no such vote"
	}
	return v.resolveTarget(b, value)
}

// resolveOption is resolve for a vote for an option.
func (v *Votes) resolveOption(b *vote, value string) (refusal string) {
	i := v.options.find(value)
	if i < 0 {
		return v.rules.noOption(safetext.Line(value[:min(len(value), maxText)]))
	}
	b.subject, b.command = v.options.list[i].Text, v.options.list[i].Command
	random := strings.HasSuffix(b.command, "random_map") || strings.HasSuffix(b.command, "random_unfinished_map")
	if r := b.reason; random && len(r) == 1 && r[0] >= '0' && r[0] <= '5' {
		b.command += " " + r // the stars of the map
	}
	return ""
}

// resolveTarget is resolve for a vote about a player.
func (v *Votes) resolveTarget(b *vote, value string) (refusal string) {
	id, ok := parseID(value)
	switch {
	case !ok:
		return "There is no such player"
	case id == b.caller:
		return "You cannot call a vote about yourself"
	case v.electorate.IsBot(id):
		return v.botRefusal(id)
	}
	c, ok := v.client(id)
	if !ok || !c.Seated || c.Leaving {
		return "There is no such player"
	}
	b.target, b.subject = id, v.electorate.Name(id)
	switch {
	case b.kind == event.VoteSpectate:
		if v.team(id) == game.TeamSpectators {
			return fmt.Sprintf("'%s' is already a spectator", b.subject)
		}
		b.command = v.moveCommand(id)
	case c.Operator:
		return fmt.Sprintf("'%s' is an operator", b.subject)
	case v.KickBanTime == 0:
		b.command = kickCommand(id)
	default:
		b.command = v.banCommand(&c)
	}
	return ""
}

// parseID returns the id of the player that a vote is about.
func parseID(value string) (id game.PlayerID, ok bool) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 0 || n >= game.MaxPlayers {
		return game.Nobody, false
	}
	return game.PlayerID(n), true
}

func (v *Votes) botRefusal(id game.PlayerID) string {
	return fmt.Sprintf("'%s' is a bot; bots leave when players need their place", v.electorate.Name(id))
}

func kickCommand(id game.PlayerID) string { return fmt.Sprintf("kick %d Kicked by vote", id) }

func (v *Votes) banCommand(c *client) string {
	return fmt.Sprintf("ban %s %d Banned by vote", bans.FormatNet(c.person()), v.KickBanTime)
}

func (v *Votes) moveCommand(id game.PlayerID) string {
	return fmt.Sprintf("set_team %d -1 %d", id, v.SpectateRejoinDelay)
}

// numPlayers returns the number of players who are not spectators or bots.
func (v *Votes) numPlayers() (n int) {
	v.clients(func(c *client) {
		if c.Seated && v.team(c.id) != game.TeamSpectators {
			n++
		}
	})
	return n
}
