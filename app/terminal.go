package app

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// terminal executes the typed lines.
type terminal struct {
	client   *client.Client
	out      printer
	messages io.Writer // for help and errors

	// The terminal assumes that a request succeeds until the server says otherwise, since lines
	// from a pipe do not wait for the answer.
	login        loginState
	voting       bool // a vote runs or was called
	joining      game.Team
	joiningUntil time.Time // until then, joining counts as the team
	watched      string    // the name of the watched player, "" for none
	waiting      []answer

	failed int    // lines that had no effect
	reason string // for leaving
}

// loginState is the state of the login at the remote console.
type loginState int

const (
	loggedOut loginState = iota
	loggingIn
	loggedIn
)

// answer is the event that the terminal expects after a command. Servers ignore requests that they
// do not allow, often without a message.
type answer struct {
	is    func(event.Event) bool
	until time.Time
	// late returns the text to print if the event has not come in time, and whether the command
	// failed.
	late func() (text string, failed bool)
}

// answerTime is how long the terminal waits for an answer from the server.
const answerTime = 2 * time.Second

// expect makes the terminal print why if the command seems to have no effect: within answerTime
// comes neither a matching event nor a message from the server.
func (t *terminal) expect(why string, is func(event.Event) bool) {
	t.waiting = append(t.waiting, answer{
		is: func(e event.Event) bool {
			switch e := e.(type) {
			case event.Notice, event.Broadcast:
				return true
			case event.Chat:
				return e.From.ID == game.Nobody || is(e)
			}
			return is(e)
		},
		until: time.Now().Add(answerTime), late: func() (string, bool) { return why, true },
	})
}

// heard updates the state for an event.
func (t *terminal) heard(e event.Event) {
	if i := slices.IndexFunc(t.waiting, func(a answer) bool { return a.is(e) }); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	switch e := e.(type) {
	case event.Entered:
		t.voting, t.watched = false, ""
	case event.TeamChange:
		if e.Player.ID == t.client.Self() {
			t.watched = ""
			if e.Player.Team == t.joining {
				t.joiningUntil = time.Time{}
			}
		}
	case event.VoteStart:
		t.voting = true
	case event.VoteEnd:
		t.voting = false
	case event.RconAuth:
		if t.login = loggedOut; e.On {
			t.login = loggedIn
		}
	case event.RconLine:
		if t.login == loggingIn { // it says why not
			t.login = loggedOut
			t.failed++
		}
	case event.Disconnected:
		t.login, t.voting, t.waiting = loggedOut, false, nil
	}
}

// nextLate returns a channel that fires when the next answer is late.
func (t *terminal) nextLate() <-chan time.Time {
	if len(t.waiting) == 0 {
		return nil
	}
	return time.After(time.Until(t.waiting[0].until))
}

// reportLate prints the texts for answers that have not come in time.
func (t *terminal) reportLate() {
	for len(t.waiting) > 0 && !time.Now().Before(t.waiting[0].until) {
		text, failed := t.waiting[0].late()
		fmt.Fprintln(t.messages, text)
		if failed {
			t.failed++
		}
		t.waiting = t.waiting[1:]
	}
}

// self returns the own player's information.
func (t *terminal) self() game.PlayerInfo {
	info, _ := t.client.PlayerInfo(t.client.Self())
	return info
}

// team returns the own team, or the requested one while the answer is pending.
func (t *terminal) team() game.Team {
	if time.Now().Before(t.joiningUntil) {
		return t.joining
	}
	return t.self().Team
}

// setTeam asks the server for a team.
func (t *terminal) setTeam(team game.Team) error {
	t.joining, t.joiningUntil = team, time.Now().Add(answerTime)
	return t.client.SetTeam(team)
}

// hasTeams reports whether the game has teams.
func (t *terminal) hasTeams() (has bool) {
	t.client.WithView(func(v *game.View) { has = v.Game.Flags&game.GameFlagTeams != 0 })
	return has
}

type terminalCommand struct {
	name, params, help string
	run                func(t *terminal, arg string) error
}

// terminalCommands are the commands in the order of /help.
var terminalCommands = []terminalCommand{
	{"score", "", "show the scoreboard", func(t *terminal, _ string) error { t.out.printScores(t.client.Scoreboard()); return nil }},
	{"team", "TEXT", "chat with your team", (*terminal).sayTeam},
	{"w", "NAME TEXT", "whisper to a player", (*terminal).whisper},
	{"join", "game|red|blue|spec", "change the team", (*terminal).join},
	{"watch", "NAME", "watch a player; without a name, free the camera", (*terminal).spectate},
	{"emote", "0..15|WORD", "show an emoticon, such as hearts", (*terminal).emote},
	{"kill", "", "kill your own tee", (*terminal).kill},
	{"ready", "", "toggle whether you are ready", (*terminal).ready},
	{"vote", "yes|no", "vote in the running vote", (*terminal).vote},
	{"callvote", "kick|spec|option WHAT", "call a vote", (*terminal).callVote},
	{"options", "", "list vote options", (*terminal).options},
	{"rcon", "PASSWORD", "log in to the remote console", (*terminal).logIn},
	{"r", "COMMAND", "run a remote console command", (*terminal).rcon},
	{"commands", "", "list remote console and chat commands", (*terminal).commands},
	{"maps", "", "list the server's maps, for operators", (*terminal).maps},
	{"c", "NAME ARGUMENTS", "run a chat command of the server, like //NAME ARGUMENTS", (*terminal).chatCommand},
	{"ping", "", "measure the latency", (*terminal).ping},
	{"quit", "[REASON]", "leave", func(t *terminal, reason string) error { t.reason = reason; return io.EOF }},
}

// execute executes a line. The error io.EOF ends the program.
func (t *terminal) execute(s string) error {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	name, ok := strings.CutPrefix(s, "/")
	if !ok {
		return t.client.Say(s)
	}
	if command, ok := strings.CutPrefix(name, "/"); ok && command != "" {
		return t.chatCommand(command)
	}
	command := name
	name, arg, _ := strings.Cut(command, " ")
	if !isOwnCommand(name) && t.isChatCommand(name) {
		return t.chatCommand(command)
	}
	cmd, err := findCommand(name)
	if err != nil {
		return err
	}
	arg = strings.TrimSpace(arg)
	switch {
	case cmd.name != name && t.hasServerCommands():
		return fmt.Errorf("unknown command /%s; did you mean /%s, or the server's //%s?", name, cmd.name, command)
	case cmd.name == "team" && isNumber(arg) && (t.hasServerCommands() || !t.hasTeams()):
		return fmt.Errorf("/team sends a chat line to your team; to join team %[2]s, type //%[1]s", command, arg)
	}
	if arg == "" && cmd.params != "" && cmd.name != "watch" && cmd.name != "quit" {
		return fmt.Errorf("usage: /%s %s", cmd.name, cmd.params)
	}
	return cmd.run(t, arg)
}

// hasServerCommands reports whether players use the server's chat commands all the time, as in
// DDRace.
func (t *terminal) hasServerCommands() (has bool) {
	t.client.WithView(func(v *game.View) { has = v.Game.Flags&(game.GameFlagDDRace|game.GameFlagRace) != 0 })
	return has || t.isChatCommand("team")
}

// isNumber reports whether a text is a number, such as a DDRace team.
func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// isOwnCommand reports whether name is exactly one of the terminal's commands.
func isOwnCommand(name string) bool {
	return name == helpCommand.name ||
		slices.ContainsFunc(terminalCommands, func(c terminalCommand) bool { return c.name == name })
}

// findCommand returns the command with a name, or the only command with a similar name.
func findCommand(name string) (found terminalCommand, err error) {
	var similar []string
	for _, cmd := range append(terminalCommands, helpCommand) {
		if cmd.name == name {
			return cmd, nil
		}
		short, long := cmd.name, name
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) >= 3 && strings.HasPrefix(long, short) {
			similar, found = append(similar, "/"+cmd.name), cmd
		}
	}
	switch len(similar) {
	case 0:
		return found, fmt.Errorf("unknown command /%s; /help lists all commands, and //%s sends the command to the server", name, name)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("unknown command /%s; did you mean %s?", name, strings.Join(similar, " or "))
}

// helpCommand is not in the list that it prints.
var helpCommand = terminalCommand{name: "help", run: (*terminal).help}

func (t *terminal) help(string) error {
	for _, cmd := range terminalCommands {
		fmt.Fprintf(t.messages, "/%-32s %s\n", cmd.name+" "+cmd.params, cmd.help)
	}
	if t.hasServerCommands() {
		fmt.Fprintln(t.messages, "The server has commands too: //help shows its help, and /commands lists the commands that it has announced")
	}
	return nil
}

// findPlayer returns the player with the longest name that arg begins with, and the rest of arg.
// Names may contain spaces.
func (t *terminal) findPlayer(arg string) (p event.Player, rest string, err error) {
	found := false
	for _, row := range t.client.Scoreboard() {
		if r, ok := strings.CutPrefix(arg, row.Name); ok && (r == "" || r[0] == ' ') && (!found || len(row.Name) > len(p.Name)) {
			p, rest, found = row.Player, strings.TrimSpace(r), true
		}
	}
	if !found {
		return p, "", fmt.Errorf("no player has the name %q", arg)
	}
	return p, rest, nil
}

// isOwn returns a function that reports whether an event is the own player's chat line.
func (t *terminal) isOwn(mode game.ChatMode) func(event.Event) bool {
	return func(e event.Event) bool {
		chat, ok := e.(event.Chat)
		return ok && chat.Mode == mode && chat.From.ID == t.client.Self()
	}
}

const spamText = "servers ignore lines that follow each other too fast"

func (t *terminal) sayTeam(arg string) error {
	t.expect("your team did not receive the line; "+spamText, t.isOwn(game.ChatTeam))
	return t.client.SayTeam(arg)
}

func (t *terminal) whisper(arg string) error {
	p, text, err := t.findPlayer(arg)
	switch {
	case err != nil:
		return err
	case text == "":
		return errors.New("usage: /w NAME TEXT")
	}
	t.expect(p.Name+" did not receive the line; "+spamText, t.isOwn(game.ChatWhisper))
	return t.client.Whisper(p.ID, text)
}

func (t *terminal) join(arg string) error {
	team, ok := map[string]game.Team{"red": game.TeamRed, "game": game.TeamRed, "blue": game.TeamBlue, "spec": game.TeamSpectators}[arg]
	if !ok {
		return errors.New("usage: /join game|red|blue|spec")
	}
	hasTeams := t.hasTeams()
	if team == game.TeamBlue && !hasTeams {
		return errors.New("this game has no teams; type /join game")
	}
	if team == t.team() {
		return fmt.Errorf("nothing to change: %s %s already", t.self().Profile.Name, teamText(team, hasTeams))
	}
	t.expect(
		"the server did not move you: it allows no change within 3 s after joining or the last change, nor while the game is paused",
		func(e event.Event) bool {
			change, ok := e.(event.TeamChange)
			return ok && change.Player.ID == t.client.Self() && change.Player.Team == team
		},
	)
	return t.setTeam(team)
}

func (t *terminal) spectate(arg string) error {
	if t.team() != game.TeamSpectators {
		return errors.New("you are playing; to watch, type /join spec first")
	}
	if arg == "" {
		if t.watched == "" {
			return errors.New("the camera is free already; /watch NAME follows a player")
		}
		t.watched = ""
		fmt.Fprintln(t.messages, "the camera is free now")
		return t.client.Spectate(game.SpectateFree, game.Nobody)
	}
	p, _, err := t.findPlayer(arg)
	switch {
	case err != nil:
		return err
	case p.ID == t.client.Self():
		return errors.New("you cannot watch yourself")
	case p.Team == game.TeamSpectators:
		return fmt.Errorf("%s is not playing", p.Name)
	case p.Name == t.watched:
		return fmt.Errorf("you are watching %s already", p.Name)
	}
	t.watched = p.Name
	fmt.Fprintf(t.messages, "you are watching %s now; /watch without a name frees the camera\n", p.Name)
	return t.client.Spectate(game.SpectatePlayer, p.ID)
}

func (t *terminal) emote(arg string) error {
	var e game.Emoticon
	if e.UnmarshalText([]byte(arg)) != nil || e >= game.NumEmoticons {
		return errors.New("usage: /emote 0..15, or a word such as hearts")
	}
	t.expect("the emoticon was not shown: servers show one every 3 s", func(e event.Event) bool {
		emoticon, ok := e.(event.Emoticon)
		return ok && emoticon.Player.ID == t.client.Self()
	})
	return t.client.Emote(int(e))
}

func (t *terminal) kill(string) error {
	if t.team() == game.TeamSpectators {
		return errors.New("spectators have no tee; type /join game to play")
	}
	t.expect("nothing happened: a tee can kill itself once every 3 s, and not while it is dead or the game is paused", func(e event.Event) bool {
		kill, ok := e.(event.Kill)
		return ok && kill.Victim.ID == t.client.Self()
	})
	return t.client.Kill()
}

func (t *terminal) ready(string) error {
	before := t.self().Ready
	t.waiting = append(t.waiting, answer{
		is: func(event.Event) bool { return false }, until: time.Now().Add(answerTime),
		late: func() (string, bool) {
			switch now := t.self().Ready; {
			case now == before:
				return "nothing changed: the server is not waiting for players to be ready", true
			case now:
				return "you are ready", false
			}
			return "you are not ready", false
		},
	})
	return t.client.ToggleReady()
}

func (t *terminal) vote(arg string) error {
	switch {
	case arg != "yes" && arg != "no":
		return errors.New("usage: /vote yes|no")
	case !t.voting:
		return errors.New("no vote is running; call one with /callvote")
	}
	t.expect("your vote did not count: only the first vote of a player does", func(e event.Event) bool {
		switch e.(type) {
		case event.VoteCount, event.VoteEnd:
			return true
		}
		return false
	})
	return t.client.Vote(arg == "yes")
}

func (t *terminal) callVote(arg string) error {
	what, arg, _ := strings.Cut(arg, " ")
	arg = strings.TrimSpace(arg)
	if !slices.Contains([]string{"kick", "spec", "option"}, what) || arg == "" {
		return errors.New("usage: /callvote kick|spec|option WHAT")
	}
	var p event.Player
	var reason string
	if what != "option" {
		var err error
		if p, reason, err = t.findPlayer(arg); err != nil {
			return err
		}
	}
	t.expect("the server did not start the vote", func(e event.Event) bool {
		_, ok := e.(event.VoteStart)
		return ok
	})
	t.voting = true
	switch what {
	case "option":
		return t.client.VoteOption(arg, "")
	case "kick":
		return t.client.VoteKick(p.ID, reason)
	}
	return t.client.VoteSpectate(p.ID, reason)
}

func (t *terminal) options(string) error {
	return t.printAll("option", t.client.VoteOptions(), "the server has no vote options")
}

// printAll prints a list. If the list is empty, it returns why as an error.
func (t *terminal) printAll(what string, lines []string, why string) error {
	if len(lines) == 0 {
		if _, ok := t.out.(*jsonPrinter); !ok {
			return errors.New(why)
		}
	}
	t.out.printList(what, lines)
	return nil
}

func (t *terminal) logIn(password string) error {
	t.expect("the server did not answer the login", func(e event.Event) bool {
		switch e.(type) {
		case event.RconAuth, event.RconLine:
			return true
		}
		return false
	})
	t.login = loggingIn
	return t.client.RconLogin(password)
}

// errLoggedOut is the error of commands that only operators can use.
var errLoggedOut = errors.New("you are not logged in to the remote console; type /rcon PASSWORD first")

func (t *terminal) rcon(arg string) error {
	if t.login == loggedOut {
		return errLoggedOut
	}
	return t.client.Rcon(arg)
}

func (t *terminal) maps(string) error {
	if t.login == loggedOut {
		return errLoggedOut
	}
	return t.printAll("map", t.client.MapList(), "the server has sent no list of maps")
}

func (t *terminal) commands(string) error {
	var all []string
	for _, c := range t.client.RconCommands() {
		all = append(all, strings.Join([]string{"/r", c.Name, c.Params, "-", c.Help}, " "))
	}
	for _, c := range t.client.ChatCommands() {
		all = append(all, strings.Join([]string{"//" + c.Name, c.Params, "-", c.Help}, " "))
	}
	return t.printAll("command", all, "the server has sent no commands; commands of the remote console come after /rcon PASSWORD")
}

func (t *terminal) chatCommand(arg string) error {
	name, arg, _ := strings.Cut(arg, " ")
	return t.client.ChatCommand(name, strings.TrimSpace(arg))
}

// isChatCommand reports whether the server has announced a chat command.
func (t *terminal) isChatCommand(name string) bool {
	return slices.ContainsFunc(t.client.ChatCommands(), func(c bridge.CommandInfo) bool { return strings.EqualFold(c.Name, name) })
}

func (t *terminal) ping(string) error {
	if err := t.client.Ping(); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	text := "no answer yet"
	if d := t.client.Latency(); d > 0 {
		text = roundedDuration(d, 100*time.Microsecond)
	}
	t.out.printList("ping", []string{text})
	return nil
}
