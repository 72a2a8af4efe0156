package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// ddnetChatCommands are commands that players of DDNet know. They help in all modes, and stand in no menu.
var ddnetChatCommands = []ChatCommand{
	{Name: "list", Private: true, Params: "?s[filter]", Help: "Lists the players, or those with a text in their names", Unlisted: true, Run: (*ChatCall).list},
	{Name: "dnd", Help: "Hides the public chat and messages, or shows them again", Unlisted: true, Run: (*ChatCall).doNotDisturb},
	{Name: "map", Private: true, Params: "?r[map]", Help: "Calls a vote for a map", Unlisted: true, Run: (*ChatCall).voteMap},
	{Name: "pausevoted", Help: "Pauses your tee and shows the player whom the vote is about", Unlisted: true, Run: func(c *ChatCall) { c.watchVoted("pause") }},
	{Name: "specvoted", Help: "Shows the player whom the vote is about", Unlisted: true, Run: func(c *ChatCall) { c.watchVoted("spec") }},
	{Name: "timeout", Private: true, Params: "?s[code]", Help: "Keeps your seat if you time out; clients send it themselves", Unlisted: true, Run: func(*ChatCall) {}}, // see timeouts.go
	{Name: "credits", Help: "Shows the name, mode and version of this server", Unlisted: true, Run: (*ChatCall).info},
}

// list shows the names of the players, as many in a line as have room.
func (c *ChatCall) list() {
	const maxLine = 256 // bytes, of DDNet-Server
	filter := c.Arg(0)
	if filter == "" {
		c.Reply("Listing all players:")
	} else {
		c.Reply("Listing players with \"%s\" in name:", filter)
	}
	total, line := 0, ""
	for id := range game.PlayerID(game.MaxPlayers) {
		p, ok := c.session.server.world.Player(id)
		if !ok || !p.InGame {
			continue
		}
		total++
		name := p.Profile.Name
		if !strings.Contains(strings.ToLower(name), strings.ToLower(filter)) {
			continue
		}
		if len(line)+len(name)+4 > maxLine {
			c.Reply("%s", line)
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += name
	}
	if line != "" {
		c.Reply("%s", line)
	}
	c.Reply("%d players online", total)
}

// tellSetting answers /settings of DDRace for what is a matter of the server. It reports whether it did.
func (s *Server) tellSetting(c *ChatCall) bool {
	switch v := s.votes; c.Arg(0) {
	case "timeout":
		c.Reply("The Server Timeout is currently set to %d seconds", conn.Timeout/time.Second)
	case "votes":
		if !s.rules.VoteKick {
			c.Reply("Players can't use the Callvote menu tab to kick offenders")
			return true
		}
		c.Reply("Players can use Callvote menu tab to kick offenders")
		if v.KickBanTime != 0 {
			c.Reply("Players are banned for %d minute(s) if they get voted off", v.KickBanTime)
		} else {
			c.Reply("Players are just kicked and not banned if they get voted off")
		}
	default:
		return false
	}
	return true
}

func (c *ChatCall) doNotDisturb() {
	c.session.doNotDisturb = !c.session.doNotDisturb
	if c.session.doNotDisturb {
		c.Reply("You will not receive any further global chat and server messages")
	} else {
		c.Reply("You will receive global chat and server messages")
	}
}

// voteMap calls the vote for a map that players may vote for; see [vote.Votes.MapOption].
func (c *ChatCall) voteMap() {
	option, answer := c.session.server.votes.MapOption(c.Arg(0))
	if answer != "" {
		c.Reply("%s", answer)
		return
	}
	c.session.OnCallVote(bridge.VoteOption, option, "/map", false)
}

// watchVoted lets a player watch whom others vote on. How is a command: pause or spec.
func (c *ChatCall) watchVoted(how string) {
	line := "/" + how
	if target := c.session.server.votes.Target(); target != c.Player {
		if p, ok := c.session.server.world.Player(target); ok {
			line = fmt.Sprintf("%s %s", line, p.Profile.Name)
		}
	}
	c.session.runChatCommand(line)
}
