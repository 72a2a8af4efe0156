package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// terminal executes what is typed.
type terminal struct {
	client   *client.Client
	out      printer
	messages io.Writer // for help and what went wrong
}

type terminalCommand struct {
	name, params, help string
	run                func(t *terminal, arg string) error
}

// terminalCommands are the commands in the order of /help.
var terminalCommands = []terminalCommand{
	{"score", "", "show the scoreboard", func(t *terminal, _ string) error { t.out.printScores(t.client.Scoreboard()); return nil }},
	{"team", "TEXT", "chat with your team", func(t *terminal, arg string) error { return t.client.SayTeam(arg) }},
	{"w", "NAME TEXT", "whisper to a player", (*terminal).whisper},
	{"join", "game|red|blue|spec", "change the team", (*terminal).join},
	{"watch", "NAME", "watch a player, or fly freely", (*terminal).spectate},
	{"emote", "0..15", "show an emoticon", (*terminal).emote},
	{"kill", "", "kill your own tee", func(t *terminal, _ string) error { return t.client.Kill() }},
	{"ready", "", "change whether you are ready", func(t *terminal, _ string) error { return t.client.ToggleReady() }},
	{"vote", "yes|no", "vote in the running vote", (*terminal).vote},
	{"callvote", "kick|spec|option WHAT", "call a vote", (*terminal).callVote},
	{"options", "", "list vote options", func(t *terminal, _ string) error { t.out.printList("option", t.client.VoteOptions()); return nil }},
	{"rcon", "PASSWORD", "log into the remote console", func(t *terminal, arg string) error { return t.client.RconLogin(arg) }},
	{"r", "COMMAND", "run a remote console command", (*terminal).rcon},
	{"commands", "", "list remote console and chat commands", (*terminal).commands},
	{"maps", "", "list the server's maps", func(t *terminal, _ string) error { t.out.printList("map", t.client.MapList()); return nil }},
	{"c", "NAME ARGUMENTS", "run a chat command", (*terminal).chatCommand},
	{"ping", "", "measure the latency", (*terminal).ping},
	{"quit", "", "leave", func(*terminal, string) error { return io.EOF }},
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
	name, arg, _ := strings.Cut(name, " ")
	cmd, err := findCommand(name)
	if err != nil {
		return err
	}
	arg = strings.TrimSpace(arg)
	if arg == "" && cmd.params != "" && cmd.name != "watch" {
		return fmt.Errorf("usage: /%s %s", cmd.name, cmd.params)
	}
	return cmd.run(t, arg)
}

// findCommand returns the command of a name, or the only one that looks similar.
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
		return found, fmt.Errorf("unknown command /%s; /help lists all, and /c %s asks the server for it", name, name)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("unknown command /%s; is it %s?", name, strings.Join(similar, " or "))
}

// helpCommand is not in the list that it prints.
var helpCommand = terminalCommand{name: "help", run: (*terminal).help}

func (t *terminal) help(string) error {
	for _, cmd := range terminalCommands {
		fmt.Fprintf(t.messages, "/%-32s %s\n", cmd.name+" "+cmd.params, cmd.help)
	}
	return nil
}

// findPlayer returns the player with the longest name that arg begins with (names may have
// spaces), and what follows the name.
func (t *terminal) findPlayer(arg string) (p event.Player, rest string, err error) {
	found := false
	for _, row := range t.client.Scoreboard() {
		if r, ok := strings.CutPrefix(arg, row.Name); ok && (r == "" || r[0] == ' ') && (!found || len(row.Name) > len(p.Name)) {
			p, rest, found = row.Player, strings.TrimSpace(r), true
		}
	}
	if !found {
		return p, "", fmt.Errorf("no player has that name: %s", arg)
	}
	return p, rest, nil
}

func (t *terminal) whisper(arg string) error {
	p, text, err := t.findPlayer(arg)
	if err != nil {
		return err
	}
	return t.client.Whisper(p.ID, text)
}

func (t *terminal) join(arg string) error {
	team, ok := map[string]game.Team{"red": game.TeamRed, "game": game.TeamRed, "blue": game.TeamBlue, "spec": game.TeamSpectators}[arg]
	if !ok {
		return errors.New("usage: /join game|red|blue|spec")
	}
	return t.client.SetTeam(team)
}

func (t *terminal) spectate(arg string) error {
	if arg == "" {
		return t.client.Spectate(game.SpectateFree, game.Nobody)
	}
	p, _, err := t.findPlayer(arg)
	if err != nil {
		return err
	}
	return t.client.Spectate(game.SpectatePlayer, p.ID)
}

func (t *terminal) emote(arg string) error {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n > 15 {
		return errors.New("usage: /emote 0..15")
	}
	return t.client.Emote(n)
}

func (t *terminal) vote(arg string) error {
	if arg != "yes" && arg != "no" {
		return errors.New("usage: /vote yes|no")
	}
	return t.client.Vote(arg == "yes")
}

func (t *terminal) callVote(arg string) error {
	what, arg, _ := strings.Cut(arg, " ")
	switch what {
	case "option":
		return t.client.VoteOption(arg, "")
	case "kick", "spec":
	default:
		return errors.New("usage: /callvote kick|spec|option WHAT")
	}
	p, reason, err := t.findPlayer(arg)
	switch {
	case err != nil:
		return err
	case what == "kick":
		return t.client.VoteKick(p.ID, reason)
	}
	return t.client.VoteSpectate(p.ID, reason)
}

func (t *terminal) rcon(arg string) error { return t.client.Rcon(arg) }

func (t *terminal) commands(string) error {
	var all []string
	for _, c := range t.client.RconCommands() {
		all = append(all, strings.Join([]string{"/r", c.Name, c.Params, "-", c.Help}, " "))
	}
	for _, c := range t.client.ChatCommands() {
		all = append(all, strings.Join([]string{"/c", c.Name, c.Params, "-", c.Help}, " "))
	}
	t.out.printList("command", all)
	return nil
}

func (t *terminal) chatCommand(arg string) error {
	name, arg, _ := strings.Cut(arg, " ")
	return t.client.ChatCommand(name, arg)
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
