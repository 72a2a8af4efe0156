package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/chat"
)

// ddnet returns commands that players of DDNet know. They work in all modes, and no menu lists
// them.
func (s chatCommands) ddnet() []chat.Command {
	return []chat.Command{
		{Name: "list", Private: true, Params: "?s[filter]", Help: "Lists the players, or those with a text in their names", Unlisted: true, Run: s.list},
		{Name: "dnd", Help: "Hides the public chat and messages, or shows them again", Unlisted: true, Run: s.doNotDisturb},
		{Name: "whispers", Params: "?i['0'|'1']", Help: "Stops whispers to you, or lets them through again", Unlisted: true, Run: s.takeWhispers},
		{Name: "map", Private: true, Params: "?r[map]", Help: "Calls a vote for a map", Unlisted: true, Run: s.voteMap},
		{Name: "pausevoted", Help: "Pauses your tee and shows the player whom the vote is about", Unlisted: true,
			Run: func(c *chat.Call) { s.watchVoted(c, "pause") }},
		{Name: "specvoted", Help: "Shows the player whom the vote is about", Unlisted: true, Run: func(c *chat.Call) { s.watchVoted(c, "spec") }},
		{Name: "timeout", Private: true, Params: "?s[code]", Help: "Keeps your seat if you time out; clients send it themselves",
			Unlisted: true, Run: func(*chat.Call) {}}, // see timeouts.go
		{Name: "credits", Help: "Shows the name, mode and version of this server", Unlisted: true, Run: s.info},
	}
}

// list shows the names of the players, as many in a line as fit.
func (s chatCommands) list(c *chat.Call) {
	const maxLine = 256 // bytes, of DDNet-Server
	filter := c.Arg(0)
	if filter == "" {
		c.Reply("Listing all players:")
	} else {
		c.Reply("Listing players with \"%s\" in name:", filter)
	}
	total, line := 0, ""
	for id := range game.PlayerID(game.MaxPlayers) {
		p, ok := s.world.Player(id)
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

// tellSetting answers /settings of DDRace for settings of the server. It reports whether it did.
func (s *Server) tellSetting(c *chat.Call) bool {
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

func (s chatCommands) doNotDisturb(c *chat.Call) {
	p := s.sessions[c.Player]
	p.doNotDisturb = !p.doNotDisturb
	if p.doNotDisturb {
		c.Reply("You will not receive any further global chat and server messages")
	} else {
		c.Reply("You will receive global chat and server messages")
	}
}

func (s chatCommands) takeWhispers(c *chat.Call) {
	p := s.sessions[c.Player]
	p.noWhispers = !p.noWhispers
	if len(c.Args) > 0 {
		p.noWhispers = c.Arg(0) == "0"
	}
	if p.noWhispers {
		c.Reply("You will not receive any further whispers")
	} else {
		c.Reply("You will receive whispers")
	}
}

// voteMap calls the vote for a map that players may vote for; see [vote.Votes.MapOption].
func (s chatCommands) voteMap(c *chat.Call) {
	option, answer := s.votes.MapOption(c.Arg(0))
	if answer != "" {
		c.Reply("%s", answer)
		return
	}
	s.sessions[c.Player].OnCallVote(event.VoteOption, option, "/map", false)
}

// watchVoted lets a player watch the target of the running vote. how is a command: pause or spec.
func (s chatCommands) watchVoted(c *chat.Call, how string) {
	line := "/" + how
	if target := s.votes.Target(); target != c.Player {
		if p, ok := s.world.Player(target); ok {
			line = fmt.Sprintf("%s %s", line, p.Profile.Name)
		}
	}
	s.chat.Run(c.Player, line)
}
