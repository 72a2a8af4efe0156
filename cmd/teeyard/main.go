// Command teeyard is a Teeworlds server and toolbox.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

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
	Demo        demoCmd          `cmd:"" help:"Show, cut and play demos."`
	Dump        dumpCmd          `cmd:"" help:"Explain captured network traffic and demos."`
	Version     versionCmd       `cmd:"" help:"Print version, commit and Go version."`
	VersionFlag kong.VersionFlag `name:"version" help:"The same as the command version."`
}

// newParser returns the parser of the command line.
func newParser() *kong.Kong {
	return kong.Must(&commands{},
		kong.Name("teeyard"),
		kong.Description("A game server for Teeworlds and DDNet, and a toolbox."),
		kong.ShortUsageOnError(),
		kong.BindToProvider(signalContext),
		kong.Vars{"version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
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

func main() {
	args := os.Args[1:]
	parser := newParser()
	switch {
	case len(args) == 0:
		kong.UsageOnError().Apply(parser) // not the short one; it does not fail
	case args[0] == "help":
		// "teeyard help serve" is the same as "teeyard serve --help".
		args = append(args[1:], "--help")
	}
	command, err := parser.Parse(args)
	parser.Stdout = os.Stderr // for usage errors
	parser.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "teeyard:", safetext.Lines(err.Error())) // it may quote what a server sent
		os.Exit(1)
	}
}
