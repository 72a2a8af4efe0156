package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/server/console"
)

// answerTime is how long servers may take to answer.
const answerTime = 15 * time.Second

// target are the flags of commands for some servers.
type target struct {
	access
	On    string `help:"all, or the name of a server, or a tag of servers." default:"all" placeholder:"NAME"`
	Level string `help:"Your level in the fleet: ${enum}." enum:"admin,moderator,helper" default:"admin" env:"TEEYARD_FLEET_LEVEL"`
}

type runCmd struct {
	target
	Line []string `arg:"" help:"Console line, such as \"sv_motd Hello\"."`
	JSON bool     `name:"json" help:"Print one JSON object per answer."`
}

func (runCmd) Help() string {
	return `The servers run the line with the rights of your level, and their audit logs have your name. The exit
status is 1 if a server does not answer, or answers with a warning.

  teeyard-fleet run status
  teeyard-fleet run --on eu "sv_motd \"Back at eight\""
  teeyard-fleet run --on vm-8303 "kick 3 flooding"`
}

// Run runs the line.
func (c *runCmd) Run(ctx context.Context) error {
	return c.run(ctx, strings.Join(c.Line, " "), func(a *bus.Answer) {
		if c.JSON {
			json.NewEncoder(os.Stdout).Encode(a)
			return
		}
		printAnswer(a)
	})
}

// run runs a line on the servers that the flags name.
func (t *target) run(ctx context.Context, line string, each func(*bus.Answer)) error {
	o, err := t.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	to, servers, err := o.Resolve(t.On)
	if err != nil {
		return err
	}
	return runOn(ctx, o, t.Level, to, ids(servers), line, each)
}

func ids(servers []bus.Server) (all []string) {
	for i := range servers {
		all = append(all, servers[i].ID)
	}
	return all
}

// runOn runs a line on servers, and returns an error that names those that failed.
func runOn(ctx context.Context, o *bus.Operator, level string, to bus.Target, expected []string, line string, each func(*bus.Answer)) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var failed []string
	missing, err := o.Run(ctx, level, to, expected, line, func(a *bus.Answer) {
		if a.Failed != "" {
			failed = append(failed, safetext.Line(a.ID))
		}
		each(a)
	})
	if err != nil {
		return err
	}
	slices.Sort(failed)
	if len(missing) > 0 {
		err = fmt.Errorf("no answer from %s: %s", words.Count(len(missing), "server"), strings.Join(missing, ", "))
	}
	if len(failed) > 0 {
		err = errors.Join(err, fmt.Errorf("it failed on %s: %s", words.Count(len(failed), "server"), strings.Join(failed, ", ")))
	}
	return err
}

// printAnswer prints an answer with the name of the server before each line.
func printAnswer(a *bus.Answer) {
	id := safetext.Line(a.ID)
	for _, line := range a.Lines {
		fmt.Printf("%s: %s\n", id, safetext.Line(line))
	}
	switch {
	case a.Cut:
		fmt.Printf("%s: (the rest of the output is too long)\n", id)
	case a.Failed != "" && !slices.ContainsFunc(a.Lines, func(line string) bool { return strings.Contains(line, a.Failed) }):
		fmt.Printf("%s: failed: %s\n", id, safetext.Line(a.Failed))
	case len(a.Lines) == 0 && a.Failed == "":
		fmt.Printf("%s: ok\n", id)
	}
}

type sayCmd struct {
	target
	Text []string `arg:"" help:"Text for the chat."`
}

func (sayCmd) Help() string {
	return `  teeyard-fleet say "Restart at eight o'clock"
  teeyard-fleet say --on eu "Welcome to the tournament"`
}

// Run writes a text into the chat.
func (c *sayCmd) Run(ctx context.Context) error {
	answered := 0
	err := c.run(ctx, "say "+console.Quote(strings.Join(c.Text, " ")), func(a *bus.Answer) {
		answered++
		if a.Failed != "" {
			printAnswer(a)
		}
	})
	fmt.Println("said on " + words.Count(answered, "server"))
	return err
}
