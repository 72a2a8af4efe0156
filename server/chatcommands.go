package server

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// chatCommand is a command of players: a line of chat that begins with a slash, in any
// version of the protocol. No such line is seen by others.
type chatCommand struct {
	names []string // in lower case; /help shows the first one
	usage string   // the arguments
	help  string
	run   func(c *session, args string)
}

// chatCommands returns the commands of the server. Mods can have others: they get what is
// not in the list as chat.
func chatCommands() []chatCommand {
	return []chatCommand{
		{[]string{"help", "cmdlist"}, "", "shows this list", func(c *session, _ string) { c.showChatHelp() }},
		{[]string{"pause", "spec", "spectate"}, "", "lets you watch, and play again", func(c *session, _ string) { c.toggleSpectating() }},
		{[]string{"ready"}, "", "tells that you are ready, or not", func(c *session, _ string) { c.toggleReady() }},
		{[]string{"w", "whisper"}, " NAME TEXT", "tells one player only", (*session).whisper},
		{[]string{"c", "converse"}, " TEXT", "whispers to the same player again", (*session).whisperAgain},
	}
}

// OnChatCommand implements bridge.ClientMessageHandler.
func (c *session) OnChatCommand(name, args string) {
	text := "/" + name
	if args != "" {
		text += " " + args
	}
	c.OnCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// runChatCommand runs the command that a line of chat is. It returns false if the server
// has none of that name.
func (c *session) runChatCommand(line string) bool {
	name, args, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	name = strings.ToLower(name)
	for _, cmd := range chatCommands() {
		for _, n := range cmd.names {
			if n == name {
				cmd.run(c, strings.TrimLeft(args, " "))
				return true
			}
		}
	}
	return false
}

// reply sends the client a line of chat from the server.
func (c *session) reply(text string) {
	c.bridge.SendEvent(c.server.world, &game.Event{
		Kind: game.EvChat, To: game.MaskOne(c.id), Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text,
	})
}

func (c *session) showChatHelp() {
	for _, cmd := range chatCommands() {
		c.reply(fmt.Sprintf("/%s%s: %s", cmd.names[0], cmd.usage, cmd.help))
	}
}

// toggleSpectating moves a player to the spectators, and back into the game.
func (c *session) toggleSpectating() {
	team := game.TeamSpectators
	if c.server.teamOf(c.id) == game.TeamSpectators {
		team = c.server.smallerTeam()
	}
	if text := bridge.RefusedTeamText(c.server.world, c.id, team); text != "" {
		c.reply(text)
		return
	}
	c.server.queueRequest(game.Command{Kind: game.CmdSetTeam, Player: c.id, Target: game.Nobody, Team: team})
}

// smallerTeam returns the team with fewer players; the red one without teams.
func (s *Server) smallerTeam() game.Team {
	f := s.world.Frame()
	more := 0 // players of the red team than of the blue one
	for i := range f.Players {
		switch f.Players[i].Team {
		case game.TeamRed:
			more++
		case game.TeamBlue:
			more--
		}
	}
	if f.Game.Flags&game.GameFlagTeams != 0 && more > 0 {
		return game.TeamBlue
	}
	return game.TeamRed
}

func (c *session) toggleReady() {
	if !c.server.world.Rules().ReadyMode {
		c.reply("This server does not wait until players are ready")
		return
	}
	c.server.queueRequest(game.Command{Kind: game.CmdReady, Player: c.id, Target: game.Nobody})
}

// whisper says something to one player. The arguments are a name, in quotation marks or
// not, and the text.
func (c *session) whisper(args string) {
	target, text, name := game.Nobody, "", ""
	if strings.HasPrefix(args, `"`) {
		name, text = parseQuoted(args)
		target = c.server.playerNamed(name)
	} else {
		// Names can have spaces: the shortest one that a player has counts.
		for i := 0; i < min(len(args), game.MaxNameLen+1) && target == game.Nobody; i++ {
			if args[i] == ' ' {
				target, text = c.server.playerNamed(args[:i]), args[i+1:]
			}
		}
		name, _, _ = strings.Cut(args, " ")
	}
	switch {
	case name == "" || text == "":
		c.reply("Write /w NAME TEXT to whisper, with a name that has spaces in quotation marks")
	case target == game.Nobody:
		c.reply(fmt.Sprintf("No player with name \"%s\" found", name))
	default:
		c.whisperPartner = target
		c.whisperAgain(text)
	}
}

// whisperAgain says something to the player to whom the client whispered last.
func (c *session) whisperAgain(text string) {
	if c.whisperPartner == game.Nobody {
		c.reply("You do not have an ongoing conversation. Whisper to someone to start one")
		return
	}
	c.server.queueRequest(game.Command{Kind: game.CmdSay, Player: c.id, Target: c.whisperPartner, Chat: game.ChatWhisper, Text: text})
}

// parseQuoted splits s into a name in quotation marks and the text after it. In the
// name, a backslash makes a quotation mark or a backslash after it a plain character.
func parseQuoted(s string) (name, text string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			text, _ = strings.CutPrefix(s[i+1:], " ")
			return b.String(), text
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", ""
}

// playerNamed returns the player in the game with exactly this name, Nobody if there is
// none.
func (s *Server) playerNamed(name string) game.PlayerID {
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := s.world.Player(id); ok && p.InGame && p.Profile.Name == name && name != "" {
			return id
		}
	}
	return game.Nobody
}
