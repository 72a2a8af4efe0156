package server

import (
	"cmp"
	"fmt"
	"slices"
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
	switch v := &s.settings; c.Arg(0) {
	case "timeout":
		c.Reply("The Server Timeout is currently set to %d seconds", conn.Timeout/time.Second)
	case "votes":
		if v.VoteKick == 0 {
			c.Reply("Players can't use the Callvote menu tab to kick offenders")
			return true
		}
		c.Reply("Players can use Callvote menu tab to kick offenders")
		if v.VoteKickBanTime != 0 {
			c.Reply("Players are banned for %d minute(s) if they get voted off", v.VoteKickBanTime)
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

// voteMap calls the vote for a map that players may vote for: that of the name, or the one with
// the shortest name that begins like it and has its characters in that order.
func (c *ChatCall) voteMap() {
	wanted := c.Arg(0)
	if c.session.server.settings.MapVote == 0 {
		c.Reply("/map is disabled")
		return
	}
	if wanted == "" {
		c.Reply("Example: /map adr3 to call vote for Adrenaline 3. This means that the map name must start with 'a' and contain the characters 'd', 'r' and '3' in that order")
		return
	}
	type match struct{ name, option string }
	var found []match
	for _, o := range c.session.server.votes.options {
		if name, ok := votedMap(o.command); ok && fuzzyMatch(name, wanted) {
			found = append(found, match{name, o.text})
		}
	}
	if len(found) == 0 {
		c.Reply("No map like \"%s\" found. Try adding a '%%' at the start if you don't know the first character. Example: /map %%castle for \"Out of Castle\"", wanted)
		return
	}
	better := func(is func(name string) bool) func(a, b match) int {
		return func(a, b match) int { return cmp.Compare(boolToInt(is(b.name)), boolToInt(is(a.name))) }
	}
	exact := better(func(name string) bool { return strings.EqualFold(name, wanted) })
	prefix := better(func(name string) bool { return strings.HasPrefix(strings.ToLower(name), strings.ToLower(wanted)) })
	best := slices.MinFunc(found, func(a, b match) int {
		return cmp.Or(exact(a, b), prefix(a, b), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	c.session.OnCallVote(bridge.VoteOption, best.option, "/map", false)
}

// votedMap returns the map that the command of an option changes to, if it does.
func votedMap(command string) (name string, ok bool) {
	for part := range strings.SplitSeq(command, ";") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(part), " ")
		if verb == "change_map" || verb == "sv_map" {
			return strings.Trim(strings.TrimSpace(arg), `"`), true
		}
	}
	return "", false
}

// fuzzyMatch reports whether a name begins as the pattern does and has its characters in that order,
// in any case. A % stands for anything.
func fuzzyMatch(name, pattern string) bool {
	rest, first := strings.ToLower(name), true
	for _, r := range strings.ToLower(pattern) {
		if r == '%' {
			first = false
			continue
		}
		i := strings.IndexRune(rest, r)
		if i < 0 || first && i > 0 {
			return false
		}
		rest, first = rest[i+len(string(r)):], false
	}
	return true
}

// watchVoted lets a player watch whom others vote on. How is a command: pause or spec.
func (c *ChatCall) watchVoted(how string) {
	line := "/" + how
	if v := &c.session.server.votes.current; (v.kind == bridge.VoteKick || v.kind == bridge.VoteSpectate) && v.target != c.Player {
		if p, ok := c.session.server.world.Player(v.target); ok {
			line = fmt.Sprintf("%s %s", line, p.Profile.Name)
		}
	}
	c.session.runChatCommand(line)
}
