// Package app is the program teeyard: the server of teeyard serve, the client and the tools. A
// program with mods of its own is teeyard with these in it:
//
//	func main() {
//		app.Main(app.Config{Mods: []app.Mod{{Name: "hearts", New: newHearts}}})
//	}
package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/teeyard/teeyard/internal/confined"
	"github.com/teeyard/teeyard/internal/safetext"
)

type commands struct {
	Serve       serveCmd         `cmd:"" help:"Run a game server."`
	Join        joinCmd          `cmd:"" help:"Join a server to watch and chat."`
	Bots        botsCmd          `cmd:"" help:"Let bots play on a server, and measure how it serves them."`
	Query       queryCmd         `cmd:"" help:"Show what a server is and who plays there."`
	Browse      browseCmd        `cmd:"" help:"List the servers of a master server."`
	Rcon        rconCmd          `cmd:"" help:"Run commands on a server's remote console."`
	Master      masterCmd        `cmd:"" help:"Run a master server of the Half-Life protocol."`
	Replay      replayCmd        `cmd:"" help:"Show, verify and cut replay logs."`
	Ranks       ranksCmd         `cmd:"" help:"List ranks, import those of DDNet servers, and run finishes again."`
	Health      healthCmd        `cmd:"" help:"Ask a running server whether all is well."`
	Mod         modCmd           `cmd:"" help:"Begin with a mod of your own."`
	Demo        demoCmd          `cmd:"" help:"Show, cut and play demos."`
	Watch       watchCmd         `cmd:"" help:"Watch a recording or a server in a browser."`
	Dump        dumpCmd          `cmd:"" help:"Explain captured network traffic, demos and teehistorians."`
	Version     versionCmd       `cmd:"" help:"Print version, commit and Go version."`
	VersionFlag kong.VersionFlag `name:"version" help:"The same as the command version."`
}

const description = `A game server for Teeworlds and DDNet, and a toolbox.

Durations are like 2.5s or 1m30s; a number alone is seconds. The exit status is 0 if all went
well, 1 if something did not, 2 if the command line is wrong, and 3 if a recording ends too
early, but is good up to there.`

const (
	// exitUsage is the exit status for a wrong command line.
	exitUsage = 2
	// exitCutOff is the exit status for a recording that is good, but ends too early. Other failures have 1.
	exitCutOff = 3
)

// usageError is returned by commands for a wrong command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// decodeDuration reads a duration of the command line.
func decodeDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("duration")
	if err != nil {
		return err
	}
	text := token.String()
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration; those are like 2.5s, 90s or 1m30s", token.String())
	}
	target.SetInt(int64(d))
	return nil
}

// newParser returns the parser of the command line.
func newParser(p *program, options ...kong.Option) *kong.Kong {
	parser := kong.Must(&commands{}, append([]kong.Option{
		kong.Name(p.name),
		kong.Bind(p),
		kong.Description(description),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		kong.ShortUsageOnError(),
		kong.BindToProvider(signalContext),
		kong.Vars{"version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	}, options...)...)
	for _, n := range parser.Model.Children {
		p.nameIn(n)
	}
	return parser
}

// exampleOf matches what the help texts have of the program and a command.
var exampleOf = regexp.MustCompile(`\bteeyard( [a-z])`)

// nameIn replaces the program's name in the help text of a command and those below it.
func (p *program) nameIn(n *kong.Node) {
	n.Detail = p.named(n.Detail)
	for _, child := range n.Children {
		p.nameIn(child)
	}
}

// named returns a text in which teeyard, before a command, is this program.
func (p *program) named(text string) string {
	return exampleOf.ReplaceAllString(text, p.name+"$1")
}

// endTimeout is how long a command may take to end after a signal.
const endTimeout = 10 * time.Second

// signalContext returns the context of commands that end in an orderly way. A second signal
// ends the program at once, and so does endTimeout: a command may wait for a terminal, a
// pipe or a disk that does not answer.
func signalContext() (context.Context, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // the next signal has its usual effect
		time.AfterFunc(endTimeout, func() { os.Exit(1) })
	})
	return ctx, nil
}

// Main runs the program with the arguments of the command line. It ends the program if that
// fails, with the exit status that the help describes.
//
// A server runs the program again, with arguments of its own, to convert recordings; call Main
// before the program does anything else.
func Main(cfg Config) {
	p, err := newProgram(cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	if job, ok := confined.Begun(); ok {
		os.Exit(job.Do(p.doJob))
	}
	args := append(impliedArgs(os.Args[0]), os.Args[1:]...)
	parser := newParser(p)
	switch {
	case len(args) == 0:
		kong.UsageOnError().Apply(parser) // not the short one; it does not fail
	case args[0] == "help":
		// "teeyard help serve" is the same as "teeyard serve --help".
		args = append(args[1:], "--help")
	}
	command, err := parser.Parse(args)
	parser.Stdout, parser.Exit = os.Stderr, func(int) { os.Exit(exitUsage) } // for usage errors
	parser.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		if !errors.As(err, new(toldError)) {
			fmt.Fprintln(os.Stderr, p.name+":", safetext.Lines(err.Error())) // it may quote what a server sent
		}
		switch {
		case errors.As(err, new(usageError)):
			os.Exit(exitUsage)
		case isCutOff(err):
			os.Exit(exitCutOff)
		}
		os.Exit(1)
	}
}
