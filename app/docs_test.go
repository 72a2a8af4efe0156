package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/teeyard/teeyard/fleet/command"
	"github.com/teeyard/teeyard/internal/doccheck"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin"
	"github.com/teeyard/teeyard/web/broadcast"
	"github.com/teeyard/teeyard/web/viewer"
)

// TestDocs checks every command line of the program and every configuration in the Markdown pages
// and in the help texts: the command line must parse, and the server must know the settings.
func TestDocs(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	t.Parallel()
	c := newDocChecker(t)
	lines, configurations := 0, 0
	for _, page := range testenv.Must(doccheck.ReadPages("..")) {
		if page.Name == "CHANGELOG.md" {
			continue // names what there was
		}
		for _, b := range page.Blocks {
			switch {
			case b.Shell():
				for _, command := range doccheck.Commands(b.Line, b.Text()) {
					if program, args, ok := command.Teeyard(); ok {
						lines++
						report(t, page.Name, command.Line, c.commandLine(program, args, false))
					}
				}
			case isConfiguration(b):
				configurations++
				for i, line := range b.Lines {
					for _, command := range doccheck.Commands(b.Line+i, line) {
						if program, args, ok := command.Teeyard(); ok { // the same as arguments
							line = ""
							report(t, page.Name, command.Line, c.commandLine(program, args, false))
						}
					}
					report(t, page.Name, b.Line+i, c.consoleLine(line))
				}
			}
		}
		for _, s := range page.Spans {
			for _, command := range doccheck.Commands(s.Line, s.Text) {
				if program, args, ok := command.Teeyard(); ok {
					lines++
					report(t, page.Name, s.Line, c.commandLine(program, args, true))
				}
			}
		}
	}
	inHelp := 0
	for _, command := range c.parser("teeyard-fleet").Model.Children {
		for _, n := range append(command.Children, command) {
			for i, line := range strings.Split(n.Detail, "\n") {
				if !strings.HasPrefix(line, "  ") {
					continue
				}
				for _, example := range doccheck.Commands(i+1, line) {
					if program, args, ok := example.Teeyard(); ok {
						inHelp++
						report(t, "help of "+n.Path(), example.Line, c.commandLine(program, args, false))
					}
				}
			}
		}
	}
	if lines < 30 || configurations < 3 || inHelp < 15 {
		t.Errorf("only %d command lines, %d configurations and %d examples in help texts were found", lines, configurations, inHelp)
	}
}

// report reports an error in a line of a page.
func report(t *testing.T, page string, line int, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s:%d: %v", page, line, err)
	}
}

var settingName = regexp.MustCompile(`^(?:sv|ec)_\w+$`)

// isConfiguration reports whether a block has console lines: its fence says so, or it is not in a
// language and begins with a setting.
func isConfiguration(b doccheck.Block) bool {
	if b.Language != "" {
		return b.Language == "cfg"
	}
	words := strings.Fields(b.Text())
	return len(words) > 0 && settingName.MatchString(words[0])
}

// docChecker checks examples against the real command line and console.
type docChecker struct {
	programs map[string]*program
	consoles []*console.Console // one for each game type, since game types add settings
}

func newDocChecker(t *testing.T) *docChecker {
	p := testenv.Must(newProgram(Config{}))
	c := &docChecker{programs: map[string]*program{"teeyard": p, "teeyard-fleet": testenv.Must(newProgram(Config{Commands: new(command.Commands)}))}}
	for _, mode := range p.modes {
		var registered *console.Console
		servertest.New(t, server.Config{
			Modes: p.modes,
			AddToConsole: func(c *console.Console) error {
				registered = c
				return errors.Join(new(web.Settings).Register(c), new(broadcast.Settings).Register(c), new(viewer.Converter).Register(c),
					new(admin.Settings).Register(c), new(databaseSetting).register(c),
					new(ddnetRanks).register(c), new(runs.Settings).Register(c), new(inputFifo).register(c),
					new(mapSource).register(c), new(gameServer).register(c), new(fleetSettings).register(c), new(fillingBots).register(c, 0))
			},
		}, "sv_gametype "+mode.Name, "sv_replay 0")
		c.consoles = append(c.consoles, registered)
	}
	return c
}

// parser returns a parser of the command line of a program for which files need not exist.
func (c *docChecker) parser(program string) *kong.Kong {
	anyPath := kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("path")
		target.SetString(token.String())
		return err
	})
	p := newParser(c.programs[program], kong.NamedMapper("existingfile", anyPath), kong.NamedMapper("existingdir", anyPath))
	p.Stdout, p.Stderr, p.Exit = io.Discard, io.Discard, func(int) {}
	return p
}

// commandLine checks the arguments of a program. A mention in a sentence may leave out arguments.
func (c *docChecker) commandLine(program string, args []string, mention bool) error {
	if len(args) == 0 {
		return nil
	}
	if args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") || slices.Contains(args, "--version") {
		mention = true
	}
	line := program + " " + strings.Join(args, " ")
	parsed, err := c.parser(program).Parse(args)
	if err != nil {
		if mention && (strings.HasPrefix(err.Error(), "expected ") || strings.HasPrefix(err.Error(), "missing ")) {
			return nil
		}
		return fmt.Errorf("%s: %w", line, err)
	}
	switch cmd := parsed.Selected().Target.Addr().Interface().(type) {
	case *serveCmd:
		for i := 0; i < len(cmd.Console); i++ {
			if cmd.Console[i] == "-f" {
				i++ // the name of a file
				continue
			}
			if err := c.consoleLine(cmd.Console[i]); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
		}
	case *rconCmd:
		lines := cmd.Command
		if len(lines) > 0 && !strings.Contains(lines[0], " ") {
			lines = []string{strings.Join(lines, " ")} // the words of one command
		}
		for _, l := range lines {
			if cmd.Protocol == "halflife" {
				continue // the console of another game
			}
			if err := c.consoleLine(l); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
		}
	}
	return nil
}

// consoleLine checks a line of the console. Its commands and settings must exist in some game type,
// and its numbers must be in their range.
func (c *docChecker) consoleLine(line string) error {
	line = shellVariable.ReplaceAllString(strings.TrimSpace(line), "1")
	if line == "" || line[0] == '#' {
		return nil
	}
	var err error
	for _, console := range c.consoles {
		if err = checkConsoleLine(console, line); err == nil {
			return nil
		}
	}
	return err
}

var shellVariable = regexp.MustCompile(`\$\w+`)

var numberRange = regexp.MustCompile(`^(-?\d+) to (-?\d+)$`)

func checkConsoleLine(c *console.Console, line string) error {
	if err := c.Check(line, console.Operator); err != nil {
		return err
	}
	words := strings.Fields(line)
	value := strings.Trim(strings.Join(words[1:], " "), `"`)
	value, _, _ = strings.Cut(value, ";")
	value, _, _ = strings.Cut(value, "#")
	value = strings.TrimSpace(value)
	allowed, _ := c.Values(words[0])
	m := numberRange.FindStringSubmatch(allowed)
	if m == nil || value == "" {
		return nil
	}
	v, err := strconv.Atoi(value)
	low, _ := strconv.Atoi(m[1])
	high, _ := strconv.Atoi(m[2])
	if err != nil || v < low || v > high {
		return fmt.Errorf("%s: %q is not in %s", words[0], value, allowed)
	}
	return nil
}

// TestDocChecker checks examples that are right and examples that are not.
func TestDocChecker(t *testing.T) {
	t.Parallel()
	c := newDocChecker(t)
	for example, want := range map[string]string{
		`teeyard serve "sv_name My server; sv_port 8304" -f x.cfg`:     "",
		`teeyard serve "sv_nam x"`:                                     "no such command",
		`teeyard serve "sv_port many"`:                                 "not a number",
		`teeyard serve "sv_bots 200"`:                                  "not in",
		`teeyard serve "sv_bots $n"`:                                   "",
		`teeyard serve --gone`:                                         "no such command",
		`teeyard serve "sv_gametype zcatch" "sv_zcatch_min_players 2"`: "",
		`teeyard rcon localhost status`:                                "",
		`teeyard rcon localhost statuss`:                               "no such command",
		`teeyard rcon --password-file gone localhost`:                  "",
		`teeyard replay verify`:                                        "expected",
		`teeyard help replay verify`:                                   "",
		`teeyard gone`:                                                 "gone",
		`teeyard-fleet run status`:                                     "",
		`teeyard-fleet serve --ddnet`:                                  "",
		`teeyard run status`:                                           "run",
	} {
		for _, command := range doccheck.Commands(1, example) {
			program, args, ok := command.Teeyard()
			if err := c.commandLine(program, args, false); !ok || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", example, err, want)
			}
		}
	}
	testenv.NoError(t, c.commandLine("teeyard", []string{"replay", "verify"}, true))
	testenv.Check(t, c.commandLine("teeyard", []string{"replay", "verifi"}, true) != nil, "an unknown command in a sentence is no error")
}

// TestTerminalPage checks that the page lists each command of join.
func TestTerminalPage(t *testing.T) {
	page := string(testenv.Must(os.ReadFile("../docs/play/terminal.md")))
	for _, c := range append(terminalCommands, helpCommand) {
		testenv.Check(t, regexp.MustCompile("(?m)^\\| `/"+c.name+"[ `]").MatchString(page), "/%s is missing", c.name)
	}
}
