// Package app is the teeyard program: the server behind teeyard serve, the client and the tools.
// Call Main to build a program of your own that contains all of teeyard and your mods:
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
	Bots        botsCmd          `cmd:"" help:"Send bots to a server, and measure how well it serves them."`
	Query       queryCmd         `cmd:"" help:"Show information about a server and its players."`
	Browse      browseCmd        `cmd:"" help:"List the servers of a master server."`
	Rcon        rconCmd          `cmd:"" help:"Run commands on a server's remote console."`
	Master      masterCmd        `cmd:"" help:"Run a master server of the Half-Life protocol."`
	Replay      replayCmd        `cmd:"" help:"Show, verify and cut replay logs."`
	Ranks       ranksCmd         `cmd:"" help:"List, import and verify ranks."`
	Health      healthCmd        `cmd:"" help:"Check whether a running server works."`
	Mod         modCmd           `cmd:"" help:"Create and test mods."`
	Demo        demoCmd          `cmd:"" help:"Show, cut and play demos."`
	Watch       watchCmd         `cmd:"" help:"Watch a recording or a server in a browser."`
	Docs        docsCmd          `cmd:"" help:"Read the documentation in a browser."`
	Dump        dumpCmd          `cmd:"" help:"Decode captured network traffic, demos and teehistorians."`
	Version     versionCmd       `cmd:"" help:"Print the version, the commit and the Go version."`
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version, like the command version."`
}

const description = `A game server for Teeworlds and DDNet, and a toolbox.

Durations are like 2.5s or 1m30s; a number alone is seconds. The exit status is 0 if all went
well, 1 if something did not, 2 if the command line is wrong, and 3 if a recording ends too
early, but is good up to there.`

const (
	// exitUsage is the exit status after a wrong command line.
	exitUsage = 2
	// exitCutOff is the exit status for a recording that is intact but ends too early. Other
	// failures exit with 1.
	exitCutOff = 3
)

// usageError is the error that commands return for a wrong command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// decodeDuration parses a duration argument of the command line.
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
		return fmt.Errorf("%q is not a duration; write it as 2.5s, 90s or 1m30s", token.String())
	}
	target.SetInt(int64(d))
	return nil
}

// newParser returns the parser of the command line.
func newParser(p *program, options ...kong.Option) *kong.Kong {
	if p.commands != nil {
		options = append(options, kong.Embed(p.commands))
	}
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

// exampleOf matches the program's name before a command in help texts.
var exampleOf = regexp.MustCompile(`\bteeyard( [a-z])`)

// nameIn replaces the program's name in the help texts of a command and its subcommands.
func (p *program) nameIn(n *kong.Node) {
	n.Detail = p.named(n.Detail)
	for _, child := range n.Children {
		p.nameIn(child)
	}
}

// named returns text with this program's name in place of teeyard before commands.
func (p *program) named(text string) string {
	return exampleOf.ReplaceAllString(text, p.name+"$1")
}

// endTimeout limits how long a command may take to end after a signal.
const endTimeout = 10 * time.Second

// signalContext returns a context that the first interrupt or terminate signal cancels, so that
// commands can end in good order.
func signalContext() (context.Context, error) {
	return untilSignal(os.Interrupt, syscall.SIGTERM), nil
}

// untilSignal returns a context that the first of some signals cancels. A second signal ends the
// program at once, and so does endTimeout, because a terminal, pipe or disk may never answer.
func untilSignal(signals ...os.Signal) context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() {
		stop() // the next signal has its default effect
		endAfter(endTimeout)
	})
	return ctx
}

// endAfter ends the program if it still runs after some time.
func endAfter(d time.Duration) { time.AfterFunc(d, func() { os.Exit(1) }) }

// Main runs the program with the arguments of the command line. If the command fails, Main ends the
// program with the exit status that the help describes.
//
// To convert recordings, a server starts its own executable again with special arguments. Call Main
// before the program does anything else, so that these child processes work.
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
		kong.UsageOnError().Apply(parser) // not the short usage, which never fails
	case args[0] == "help":
		// "teeyard help serve" is the same as "teeyard serve --help".
		args = append(args[1:], "--help")
	}
	command, err := parser.Parse(args)
	parser.Stdout, parser.Exit = os.Stderr, func(int) { os.Exit(exitUsage) } // for usage errors
	parser.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		if !errors.As(err, new(toldError)) {
			fmt.Fprintln(os.Stderr, p.name+":", safetext.Lines(err.Error())) // the error may quote text from a server
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
