package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/chat"
)

// chatCommands is the server with its own commands of the chat.
type chatCommands struct{ *Server }

// addChatCommands adds the commands of the server.
func (s *Server) addChatCommands() error {
	o := chatCommands{s}
	own := []chat.Command{
		{Name: "help", Private: true, Params: "?s[command]", Help: "Lists the commands, or explains one", Run: o.help},
		{Name: "cmdlist", Help: "Lists the names of all commands", Unlisted: true, Run: o.commandNames},
		{Name: "info", Help: "Shows the name, mode and version of this server", Run: o.info},
		{Name: "rules", Help: "Shows the rules of this server", Unlisted: true, Run: o.rules},
		{Name: "emote", Private: true, Params: "?s[kind] ?i[seconds]", Help: "Changes the eyes of your tee", Run: o.emote},
		{Name: "pause", Help: "Makes you a spectator, or a player again", Replaceable: true, Run: o.pause},
		{Name: "spec", Help: "Makes you a spectator, or a player again", Replaceable: true, Unlisted: true, Run: o.pause},
		{Name: "spectate", Help: "Makes you a spectator, or a player again", Unlisted: true, Run: o.pause},
		{Name: "ready", Help: "Marks you as ready, or as not ready", Unlisted: true, Run: o.ready},
		{Name: "w", Private: true, Params: "s[name] r[text]", Help: "Whispers to one player", Unparsed: true, Run: o.whisper},
		{Name: "whisper", Private: true, Params: "s[name] r[text]", Help: "Whispers to one player", Unlisted: true, Unparsed: true, Run: o.whisper},
		{Name: "c", Private: true, Params: "r[text]", Help: "Whispers to the same player again", Run: o.whisperAgain},
		{Name: "converse", Private: true, Params: "r[text]", Help: "Whispers to the same player again", Unlisted: true, Run: o.whisperAgain},
	}
	for _, cmd := range slices.Concat(own, o.ddnet(), s.cfg.ChatCommands) {
		if err := s.chat.Add(cmd); err != nil {
			return err
		}
	}
	return nil
}

func (s chatCommands) help(c *chat.Call) {
	if name := strings.ToLower(strings.TrimPrefix(c.Arg(0), "/")); name != "" {
		if cmd, found := s.chat.Find(name); found {
			c.Reply("%s: %s", cmd.Usage(), cmd.Help)
		} else {
			c.Reply("No such command: /%s. Try /help", name)
		}
		return
	}
	if s.world.IsDDRace() { // which has more commands than a screen has lines
		c.Reply("/cmdlist will show a list of all chat commands")
		c.Reply("/help + any command will show you the help for this command")
		c.Reply("Example /help settings will display the help about /settings")
		return
	}
	for cmd := range s.chat.All {
		if !cmd.Unlisted {
			c.Reply("%s: %s", cmd.Usage(), cmd.Help)
		}
	}
}

// commandNames lists the names of all commands, as many in a line as DDNet-Server does.
func (s chatCommands) commandNames(c *chat.Call) {
	const maxLine = 240
	line := ""
	for cmd := range s.chat.All {
		name := cmd.Name
		if len(line)+len(name)+2 > maxLine {
			c.Reply("%s", line)
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += name
	}
	c.Reply("%s", line)
}

func (s chatCommands) info(c *chat.Call) {
	c.Reply("%s: %s on %s", s.listing.Settings.Name, s.world.ModeName(), s.maps.Played().Name)
	c.Reply("This is a teeyard %s server. Write /help for the commands", Version())
}

// rules shows the operator's rules for players, as DDNet does.
func (s chatCommands) rules(c *chat.Call) {
	v := &s.settings
	any := false
	if v.DDRaceRules != 0 {
		c.Reply("Be nice.")
		any = true
	}
	for _, line := range v.RulesLines {
		if line != "" {
			c.Reply("%s", line)
			any = true
		}
	}
	if !any {
		c.Reply("No Rules Defined, Kill em all!!")
	}
}

// eyes are the names of the expressions, as in DDNet.
var eyes = map[string]game.Emote{
	"normal": game.EmoteNormal, "pain": game.EmotePain, "happy": game.EmoteHappy, "surprise": game.EmoteSurprise,
	"angry": game.EmoteAngry, "blink": game.EmoteBlink, "close": game.EmoteBlink,
}

func (s chatCommands) emote(c *chat.Call) {
	if s.console.Value("sv_emotional_tees") == "-1" {
		c.Reply("Emotes are disabled.")
		return
	}
	e, ok := eyes[strings.ToLower(c.Arg(0))]
	if !ok {
		c.Reply("Emotes are: surprise, blink, close, angry, happy, pain, normal")
		c.Reply("Write /emote surprise 10 for 10 seconds, or /emote surprise for 1")
		return
	}
	seconds := 1
	if len(c.Args) > 1 {
		seconds = max(c.Int(1), 1)
	}
	c.Request(game.Command{Kind: game.CmdEyes, Target: game.Nobody, Emote: e, Value: int32(seconds)})
}

func (s chatCommands) pause(c *chat.Call) { s.sessions[c.Player].toggleSpectating() }

func (s chatCommands) ready(c *chat.Call) {
	if !s.world.Rules().ReadyMode {
		c.Reply("This server does not wait for players to be ready")
		return
	}
	c.Request(game.Command{Kind: game.CmdReady, Target: game.Nobody})
}

func (s chatCommands) whisper(c *chat.Call) { s.sessions[c.Player].whisper(c.Text) }

func (s chatCommands) whisperAgain(c *chat.Call) { s.sessions[c.Player].whisperAgain(c.Text) }

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

// whisper sends a line to one player. The arguments are a name, in quotation marks or not, and the
// text.
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
		first, rest, _ := strings.Cut(args, " ")
		if name = first; target == game.Nobody {
			text = rest
		}
	}
	switch {
	case name == "" || text == "":
		c.reply("Write /w NAME TEXT to whisper. Put a name with spaces in quotation marks")
	case target == game.Nobody:
		c.reply(fmt.Sprintf("No player with name \"%s\" found", name))
	default:
		c.whisperPartner = target
		c.whisperAgain(text)
	}
}

// whisperAgain sends a line to the player to whom the client whispered last.
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
