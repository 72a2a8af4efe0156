package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// ChatCommand is a command that players write into the chat, after a slash. Clients show
// those of the server in a menu.
type ChatCommand struct {
	// Name has at most 15 small letters, digits and underscores.
	Name string
	// Params are the parameters in the form of a [console.Command], at most 63 bytes. Clients show
	// the
	// text in brackets, so each parameter should have one.
	Params string
	// Help describes the command in one line of at most 63 bytes.
	Help string
	// Unlisted commands run, but clients do not list them: other names of commands, or commands
	// without a use at present.
	Unlisted bool
	// Private commands show their text to no other player, or only as a chat line. A muted player
	// may
	// run other commands only without a text.
	Private bool
	// Run executes the command.
	Run func(*ChatCall)
	// unparsed commands get only the text of their arguments.
	unparsed bool
	// replaceable commands of the server give way to those of a mode with the same name.
	replaceable bool
}

// ChatCall is a chat command that runs. It is valid until Run returns.
type ChatCall struct {
	// Args are the arguments.
	console.Args
	// Player runs the command.
	Player game.PlayerID

	text    string // the arguments as they were written
	session *session
}

// Reply sends the player a chat line from the server.
func (c *ChatCall) Reply(format string, args ...any) { c.session.reply(fmt.Sprintf(format, args...)) }

// Request runs a command in the game as the player.
func (c *ChatCall) Request(cmd game.Command) {
	cmd.Player = c.Player
	c.session.server.queueRequest(cmd)
}

// ErrChatCommand is returned for a chat command that the server cannot add.
var ErrChatCommand = errors.New("server: chat command")

// The limits of a 0.7 client, in bytes. It cuts what is longer.
const (
	maxChatCommandName = 15
	maxChatCommandText = 63
)

// maxChatLine is the length of a line of chat in bytes: the world cuts it at 127 characters, and others at as many bytes.
const maxChatLine = 4 * 127

// chatCommand is an entry of the list of chat commands.
type chatCommand struct {
	ChatCommand
	params console.Params
	hidden *chatCommand // of the server, which this one replaces
}

func (c *chatCommand) info() *bridge.CommandInfo {
	return &bridge.CommandInfo{Name: c.Name, Params: c.Params, Help: c.Help}
}

// AddChatCommand adds a command to those that players may write into the chat, and offers
// it to them. Without it, mods get the line as one of chat; see [game.ChatHook].
func (s *Server) AddChatCommand(cmd ChatCommand) error {
	if n := strings.Trim(cmd.Name, "abcdefghijklmnopqrstuvwxyz0123456789_"); n != "" || cmd.Name == "" || len(cmd.Name) > maxChatCommandName {
		return fmt.Errorf("%w: a name must have 1 to %d of the characters a-z, 0-9 and _: %q", ErrChatCommand, maxChatCommandName, cmd.Name)
	}
	if len(cmd.Params) > maxChatCommandText || len(cmd.Help) > maxChatCommandText {
		return fmt.Errorf("%w: /%s: parameters and help may have at most %d bytes each", ErrChatCommand, cmd.Name, maxChatCommandText)
	}
	if cmd.Run == nil {
		return fmt.Errorf("%w: /%s: Run is not set", ErrChatCommand, cmd.Name)
	}
	params, err := console.ParseParams(cmd.Params)
	if err != nil {
		return fmt.Errorf("%w: /%s: %w", ErrChatCommand, cmd.Name, err)
	}
	i, found := s.findChatCommand(cmd.Name)
	if found && !s.chatCommands[i].replaceable {
		return fmt.Errorf("%w: /%s: already registered", ErrChatCommand, cmd.Name)
	}
	added := chatCommand{ChatCommand: cmd, params: params}
	if found {
		old := s.chatCommands[i]
		s.RemoveChatCommand(cmd.Name)
		added.hidden = &old
	}
	s.chatCommands = slices.Insert(s.chatCommands, i, added)
	s.announceChatCommand(&s.chatCommands[i], !cmd.Unlisted)
	return nil
}

// RemoveChatCommand removes a command that was added, if there is one of the name.
func (s *Server) RemoveChatCommand(name string) {
	i, found := s.findChatCommand(name)
	if !found {
		return
	}
	if c := s.chatCommands[i]; !c.Unlisted {
		s.announceChatCommand(&c, false)
	}
	if old := s.chatCommands[i].hidden; old != nil {
		s.chatCommands[i] = *old
		s.announceChatCommand(old, !old.Unlisted)
		return
	}
	s.chatCommands = slices.Delete(s.chatCommands, i, i+1)
}

// listChatCommand shows a command or hides it. Hidden ones still run.
func (s *Server) listChatCommand(name string, listed bool) {
	if i, found := s.findChatCommand(name); found && s.chatCommands[i].Unlisted == listed {
		s.chatCommands[i].Unlisted = !listed
		s.announceChatCommand(&s.chatCommands[i], listed)
	}
}

// findChatCommand returns the index of a command in the list, or where it would stand.
func (s *Server) findChatCommand(name string) (i int, found bool) {
	return slices.BinarySearchFunc(s.chatCommands, name, func(c chatCommand, name string) int { return strings.Compare(c.Name, name) })
}

// announceChatCommand tells the clients in the game of a command that is offered now, or is
// no longer.
func (s *Server) announceChatCommand(cmd *chatCommand, offered bool) {
	for _, c := range s.sessions {
		switch {
		case c == nil || c.state != stateInGame || s.modCommands.starting: // they get a list with the map
		case offered:
			c.bridge.SendChatCommand(cmd.info())
		default:
			c.bridge.SendChatCommandRemoved(cmd.Name)
		}
	}
}

// sendChatCommands sends the list of commands. Clients show them in this order.
func (c *session) sendChatCommands() {
	for i := range c.server.chatCommands {
		if cmd := &c.server.chatCommands[i]; !cmd.Unlisted {
			c.bridge.SendChatCommand(cmd.info())
		}
	}
}

// addChatCommands adds the commands of the server.
func (s *Server) addChatCommands() error {
	own := []ChatCommand{
		{Name: "help", Private: true, Params: "?s[command]", Help: "Lists the commands, or explains one", Run: (*ChatCall).help},
		{Name: "cmdlist", Help: "Lists the names of all commands", Unlisted: true, Run: (*ChatCall).commandNames},
		{Name: "info", Help: "Shows the name, mode and version of this server", Run: (*ChatCall).info},
		{Name: "rules", Help: "Shows the rules of this server", Unlisted: true, Run: (*ChatCall).rules},
		{Name: "emote", Private: true, Params: "?s[kind] ?i[seconds]", Help: "Changes the eyes of your tee", Run: (*ChatCall).emote},
		{Name: "pause", Help: "Makes you a spectator, or a player again", replaceable: true, Run: (*ChatCall).pause},
		{Name: "spec", Help: "Makes you a spectator, or a player again", replaceable: true, Unlisted: true, Run: (*ChatCall).pause},
		{Name: "spectate", Help: "Makes you a spectator, or a player again", Unlisted: true, Run: (*ChatCall).pause},
		{Name: "ready", Help: "Marks you as ready, or as not ready", Unlisted: true, Run: (*ChatCall).ready},
		{Name: "w", Private: true, Params: "s[name] r[text]", Help: "Whispers to one player", unparsed: true, Run: (*ChatCall).whisper},
		{Name: "whisper", Private: true, Params: "s[name] r[text]", Help: "Whispers to one player", Unlisted: true, unparsed: true, Run: (*ChatCall).whisper},
		{Name: "c", Private: true, Params: "r[text]", Help: "Whispers to the same player again", Run: (*ChatCall).whisperAgain},
		{Name: "converse", Private: true, Params: "r[text]", Help: "Whispers to the same player again", Unlisted: true, Run: (*ChatCall).whisperAgain},
	}
	for _, cmd := range slices.Concat(own, ddnetChatCommands, s.cfg.ChatCommands) {
		if err := s.AddChatCommand(cmd); err != nil {
			return err
		}
	}
	return nil
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
	i, found := c.server.findChatCommand(strings.ToLower(name))
	if !found {
		return false
	}
	if len(line) > maxChatLine {
		c.reply(fmt.Sprintf("Your line has %d bytes; at most %d are allowed", len(line), maxChatLine))
		return true
	}
	cmd := c.server.chatCommands[i]
	call := ChatCall{Player: c.id, text: strings.TrimLeft(args, " "), session: c}
	if !cmd.unparsed {
		var err error
		if call.Args, err = cmd.params.Parse(args); err != nil {
			c.reply("Usage: " + cmd.usage())
			return true
		}
	}
	if !cmd.Private && hasText(args) && !c.mayShow() {
		return true
	}
	cmd.Run(&call)
	return true
}

// usage returns how a command is written, as "/emote [kind] [seconds]".
func (c *chatCommand) usage() string {
	if c.Params == "" {
		return "/" + c.Name
	}
	var words []string
	for p := range strings.SplitSeq(c.Params, "]") {
		kind, name, ok := strings.Cut(strings.TrimSpace(p), "[")
		switch {
		case !ok:
		case strings.HasPrefix(kind, "?"):
			words = append(words, "["+name+"]")
		default:
			words = append(words, "<"+name+">")
		}
	}
	return "/" + c.Name + " " + strings.Join(words, " ")
}

// maxReply is how many bytes of a reply are sent: a line of chat in it may have grown, as by lower case.
const maxReply = 2 * maxChatLine

// reply sends the client a line of chat from the server.
func (c *session) reply(text string) {
	if !c.limits.reply.Take(int64(c.server.now), replyRate, 1) {
		c.server.countDrop(dropFlood)
		return
	}
	c.bridge.SendEvent(c.server.world, &game.Event{
		Kind: game.EvChat, To: game.MaskOne(c.id), Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: safetext.Truncate(safetext.Line(text), maxReply),
	})
}

func (c *ChatCall) help() {
	s := c.session.server
	if name := strings.ToLower(strings.TrimPrefix(c.Arg(0), "/")); name != "" {
		if i, found := s.findChatCommand(name); found {
			c.Reply("%s: %s", s.chatCommands[i].usage(), s.chatCommands[i].Help)
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
	for i := range s.chatCommands {
		if cmd := &s.chatCommands[i]; !cmd.Unlisted {
			c.Reply("%s: %s", cmd.usage(), cmd.Help)
		}
	}
}

// commandNames shows the names of all commands, as many in a line as DDNet-Server does.
func (c *ChatCall) commandNames() {
	const maxLine = 240
	line := ""
	for i := range c.session.server.chatCommands {
		name := c.session.server.chatCommands[i].Name
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

func (c *ChatCall) info() {
	s := c.session.server
	c.Reply("%s: %s on %s", s.listing.Settings.Name, s.world.ModeName(), s.gameMap.Name)
	c.Reply("This is a teeyard %s server. Write /help for the commands", Version())
}

// rules shows what the operator wants of players, as DDNet does.
func (c *ChatCall) rules() {
	v := &c.session.server.settings
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

func (c *ChatCall) emote() {
	if c.session.server.console.Value("sv_emotional_tees") == "-1" {
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

func (c *ChatCall) pause() { c.session.toggleSpectating() }

func (c *ChatCall) ready() {
	if !c.session.server.world.Rules().ReadyMode {
		c.Reply("This server does not wait for players to be ready")
		return
	}
	c.Request(game.Command{Kind: game.CmdReady, Target: game.Nobody})
}

func (c *ChatCall) whisper() { c.session.whisper(c.text) }

func (c *ChatCall) whisperAgain() { c.session.whisperAgain(c.text) }

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
		if p, ok := s.world.Player(id); ok && p.InGame && p.Profile.Name == name && name != "" && !s.seats.leaving.Has(id) {
			return id
		}
	}
	return game.Nobody
}
